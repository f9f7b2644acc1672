//! CSS selectors of anybody, within bounds, and what is picked by them: a text or an attribute.

use std::fmt;
use std::str::FromStr;

use dom_query::Matcher;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{Dom, Node, attribute, text_of};

/// Characters of a selector. Longer ones are written by nobody who wants them to last.
const MOST_CHARS: usize = 200;

/// Why a text is no selector.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{selector:?} is no CSS selector that can be used here: {reason}")]
pub struct BadSelector {
    /// Its beginning.
    pub selector: String,
    /// What is wrong.
    pub reason: &'static str,
}

/// A compiled selector.
#[derive(Clone)]
pub struct Selector {
    matcher: Matcher,
}

impl Selector {
    /// Compiles a selector.
    ///
    /// # Errors
    /// It is none, or takes too long to be matched.
    pub fn parse(text: &str) -> Result<Self, BadSelector> {
        let bad = |reason| BadSelector { selector: text.chars().take(60).collect(), reason };
        if text.chars().count() > MOST_CHARS {
            return Err(bad("it is longer than 200 characters"));
        }
        // Both search a whole subtree for each element.
        if text.to_ascii_lowercase().contains(":has") || text.to_ascii_lowercase().contains(":contains") {
            return Err(bad("it looks below what it selects (:has, :contains)"));
        }
        let matcher = Matcher::new(text).map_err(|_| bad("it does not follow the grammar"))?;
        Ok(Self { matcher })
    }

    pub(super) fn matcher(&self) -> &Matcher {
        &self.matcher
    }

    /// Whether an element is one that it selects.
    pub fn is(&self, node: &Node<'_>) -> bool {
        node.is_match(&self.matcher)
    }
}

/// What is taken of a page: the text of what a selector matches, or one of its attributes. Written `h1`,
/// `time@datetime`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Pick {
    /// The selector.
    pub selector: String,
    /// The attribute; none: the text.
    pub attribute: Option<String>,
}

impl Pick {
    /// The text of what a selector matches.
    pub fn text(selector: impl Into<String>) -> Self {
        Self { selector: selector.into(), attribute: None }
    }

    /// An attribute of what a selector matches.
    pub fn of(selector: impl Into<String>, attribute: impl Into<String>) -> Self {
        Self { selector: selector.into(), attribute: Some(attribute.into()) }
    }

    /// Compiles its selector.
    ///
    /// # Errors
    /// It is none.
    pub fn compile(&self) -> Result<Selector, BadSelector> {
        Selector::parse(&self.selector)
    }

    /// What it takes of one element.
    pub fn value(&self, node: &Node<'_>) -> Option<String> {
        match &self.attribute {
            Some(name) => attribute(node, name),
            None => Some(text_of(node)).filter(|text| !text.is_empty()),
        }
    }

    /// What it takes of a page, in order; nothing where its selector is none.
    pub fn values(&self, dom: &Dom) -> Vec<String> {
        let nodes = self.compile().map(|selector| dom.all(&selector)).unwrap_or_default();
        nodes.iter().filter_map(|node| self.value(node)).collect()
    }
}

impl fmt::Display for Pick {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.attribute {
            Some(attribute) => write!(f, "{}@{attribute}", self.selector),
            None => f.write_str(&self.selector),
        }
    }
}

impl From<Pick> for String {
    fn from(pick: Pick) -> Self {
        pick.to_string()
    }
}

impl FromStr for Pick {
    type Err = BadSelector;

    fn from_str(text: &str) -> Result<Self, BadSelector> {
        let is_name = |name: &str| {
            !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_:".contains(&byte))
        };
        let pick = match text.trim().rsplit_once('@') {
            Some((selector, name)) if is_name(name.trim()) => Self::of(selector.trim(), name.trim()),
            _ => Self::text(text.trim()),
        };
        pick.compile()?;
        Ok(pick)
    }
}

impl TryFrom<String> for Pick {
    type Error = BadSelector;

    fn try_from(text: String) -> Result<Self, BadSelector> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pick_is_written_as_it_is_read() {
        let dom = Dom::parse("<h1> A\n b </h1><time datetime='2024-05-01'>May</time><a data-x='v@w'>y</a>");
        for (text, values) in [
            ("h1", vec!["A b"]),
            ("time@datetime", vec!["2024-05-01"]),
            ("a[data-x='v@w']", vec!["y"]),
            ("time@missing", vec![]),
            ("h1, time", vec!["A b", "May"]),
        ] {
            let pick: Pick = text.parse().unwrap();
            assert_eq!(
                (pick.to_string().as_str(), pick.values(&dom)),
                (text, values.iter().map(|v| (*v).to_owned()).collect())
            );
        }
    }

    #[test]
    fn what_is_no_selector_is_refused() {
        let nested = format!("{}a{}", ":is(".repeat(60), ")".repeat(60));
        let long = "a ".repeat(200);
        for bad in ["", "h1[", "a:has(b)", "::x", "div >", "p:contains(x)", &nested, &long] {
            assert!(bad.parse::<Pick>().is_err(), "{bad}");
        }
    }
}
