//! The tools that are there, to be found: what the meta-tools, the planner and a person look into.

use std::collections::HashMap;

use serde::Serialize;

use super::document::Document;
use super::index::Index;
use super::learned::Learned;
use super::likeness::Likeness;
use super::rank::Reasons;
use crate::contract::{Risk, Source, ToolSpec, between_words};

/// Characters of a tool's line.
const LINE: usize = 200;

/// Tools by what they do, and what past runs teach about them.
#[derive(Default)]
pub struct Tools {
    index: Index,
    cards: HashMap<String, Card>,
    /// What past runs teach.
    pub learned: Learned,
}

struct Card {
    line: String,
    source: Source,
    server: Option<String>,
    risk: Risk,
}

/// What is asked.
#[derive(Debug, Clone, Copy)]
pub struct Query<'a> {
    /// What is to be done, or a name.
    pub text: &'a str,
    /// How many tools are wanted at most.
    pub limit: usize,
    /// Which tools are wanted.
    pub filter: &'a Filter,
}

/// Which tools are wanted; what is empty holds for all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// Where they come from.
    pub sources: Vec<Source>,
    /// The servers that they come from.
    pub servers: Vec<String>,
    /// What they can do at worst.
    pub risks: Vec<Risk>,
    /// Names that are left out.
    pub without: Vec<String>,
}

impl Filter {
    fn wants(&self, name: &str, card: &Card) -> bool {
        let server = || card.server.as_ref().is_some_and(|server| self.servers.contains(server));
        (self.sources.is_empty() || self.sources.contains(&card.source))
            && (self.servers.is_empty() || server())
            && (self.risks.is_empty() || self.risks.contains(&card.risk))
            && !self.without.iter().any(|other| other == name)
    }
}

/// What only the caller knows of a tool at this moment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Standing {
    /// The specialist that has it.
    pub owner: Option<String>,
    /// Whether it may be called from where is asked.
    pub callable: bool,
}

/// A tool that was found.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolMatch {
    /// Its name.
    pub name: String,
    /// What it does, in one line of at most 200 characters.
    pub summary: String,
    /// Where it comes from.
    pub source: Source,
    /// The server that it comes from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
    /// The specialist that has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    /// The worst that it can do.
    pub risk: Risk,
    /// Whether it may be called from where was asked.
    pub callable: bool,
    /// Whether the request names it.
    pub exact: bool,
    /// How well it fits; comparable only within one search.
    pub score: f32,
    /// What the score is made of.
    #[serde(skip)]
    pub reasons: Reasons,
}

/// What came of a search.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// The tools, the best first.
    pub tools: Vec<ToolMatch>,
    /// Why there is none.
    pub nothing: Option<Nothing>,
    /// Whether tools and the request were compared by meaning, beside words.
    pub by_meaning: bool,
}

/// Why nothing was found.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Nothing {
    /// There are no tools at all.
    #[error("There are no tools.")]
    NoTools,
    /// Nothing was asked, or only words that say nothing.
    #[error("Nothing was asked for: say what is to be done, such as \"create a pull request\".")]
    NothingAsked,
    /// No tool was wanted.
    #[error("No tool was asked for: the limit is 0.")]
    NoneWanted,
    /// Tools would fit, but the filter leaves them out.
    #[error("{left_out} tools would fit, but the filter leaves them out.")]
    LeftOut {
        /// How many, at most as many as a search finds.
        left_out: usize,
    },
    /// No tool has anything to do with it.
    #[error("None of {tools} tools says anything like that. Say it in other words, or ask for less at once.")]
    NoneFits {
        /// How many there are.
        tools: usize,
    },
    /// Nothing was found among the tools that could be looked at, and not all could.
    #[error("{among_others} {missing}")]
    Missing {
        /// Why there is none among those.
        among_others: Box<Nothing>,
        /// Which could not, and why, in sentences.
        missing: String,
    },
    /// Nothing was found among the tools that are there, and some that are switched off would fit.
    #[error("{among_others} {fits} that would fit are switched off: {why}.")]
    Disabled {
        /// Why there is none among those that are there.
        among_others: Box<Nothing>,
        /// How many of the others would fit, at most as many as a search finds.
        fits: usize,
        /// Why they are off, and what to do.
        why: String,
    },
}

impl Tools {
    /// These tools.
    pub fn of<'a>(specs: impl IntoIterator<Item = &'a ToolSpec>) -> Self {
        let mut tools = Self::default();
        for spec in specs {
            tools.add(spec);
        }
        tools
    }

    /// How many tools there are.
    pub fn len(&self) -> usize {
        self.index.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.index.is_empty()
    }

    /// Adds a tool, in place of one of the same name.
    pub fn add(&mut self, spec: &ToolSpec) {
        self.index.add(&Document::of_tool(spec));
        // `mcp.SERVER.TOOL`, and `SOURCE.TOOL` of a folder that was added.
        let server = match spec.source {
            Source::Mcp => spec.name.split('.').nth(1),
            Source::Catalogue => spec.name.split('.').next(),
            _ => None,
        };
        let card = Card {
            line: line(spec.summary()),
            source: spec.source,
            server: server.map(str::to_owned),
            risk: spec.risk,
        };
        self.cards.insert(spec.name.clone(), card);
    }

    /// Removes a tool; whether it was there. What was learned about it stays, for when it comes back.
    pub fn remove(&mut self, name: &str) -> bool {
        self.cards.remove(name);
        self.index.remove(name)
    }

    /// The tools that fit, the best first. `standing` is asked about those that are told.
    pub fn find(&self, query: &Query<'_>, standing: impl Fn(&str) -> Standing) -> Found {
        self.find_alike(query, &Likeness::default(), standing)
    }

    /// The same, ranked also by how alike the tools and the request are in meaning.
    pub fn find_alike(&self, query: &Query<'_>, alike: &Likeness, standing: impl Fn(&str) -> Standing) -> Found {
        let taught = self.learned.nearness(query.text);
        // Even of no words, something is always the most alike.
        let (asks, none) = (!super::words::stems(query.text, 1).is_empty(), Likeness::default());
        let alike = if asks { alike } else { &none };
        let wants = |name: &str| self.cards.get(name).is_some_and(|card| query.filter.wants(name, card));
        let wanted = (*query.filter != Filter::default()).then_some(&wants as &dyn Fn(&str) -> bool);
        let hits = self.index.search_where(query.text, query.limit, wanted, &taught, alike);
        let told = hits.into_iter().filter_map(|hit| {
            let card = self.cards.get(&hit.id)?;
            let Standing { owner, callable } = standing(&hit.id);
            Some(ToolMatch {
                name: hit.id,
                summary: card.line.clone(),
                source: card.source,
                server: card.server.clone(),
                owner,
                risk: card.risk,
                callable,
                exact: hit.exact,
                score: hit.score,
                reasons: hit.reasons,
            })
        });
        let tools: Vec<ToolMatch> = told.collect();
        let nothing = tools.is_empty().then(|| self.nothing(query));
        Found { tools, nothing, by_meaning: !alike.is_empty() }
    }

    fn nothing(&self, query: &Query<'_>) -> Nothing {
        if self.is_empty() {
            return Nothing::NoTools;
        }
        if super::words::stems(query.text, 1).is_empty() {
            return Nothing::NothingAsked;
        }
        if query.limit == 0 {
            return Nothing::NoneWanted;
        }
        match self.index.search(query.text, usize::MAX).len() {
            0 => Nothing::NoneFits { tools: self.len() },
            left_out => Nothing::LeftOut { left_out },
        }
    }
}

/// A text in one line without what is not seen, whole words of at most [`LINE`] characters.
fn line(text: &str) -> String {
    let mut line = String::new();
    for word in text.split(between_words).filter(|word| !word.is_empty()) {
        if line.chars().count() + word.chars().count() >= LINE {
            line.push('…');
            break;
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    line
}
