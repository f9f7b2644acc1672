//! Selectors tried on pages: how often one gives what it should, how much of it, and whether it tells pages apart.
//! What is proposed, by code or by a model, is decided here.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::date::day_of;
use crate::html::{Dom, Node, Pick, prose_of};

/// A property of an article, which says what a value of it looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Property {
    /// Its name: one a page, another on each.
    Title,
    /// The day it is of.
    Date,
    /// Who wrote it.
    Author,
    /// Its text.
    Body,
}

/// What a selector did on pages.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Measured {
    /// The selector, with its attribute.
    pub selector: Pick,
    /// Pages on which it was tried.
    pub pages: usize,
    /// The share of pages on which it gave a value that fits the property.
    pub success_rate: f64,
    /// How many elements it matched, in the mean.
    pub per_page: f64,
    /// The share of its values that are no other page's.
    pub uniqueness: f64,
    /// A value, shortened.
    pub sample: Option<String>,
}

/// The least share of pages on which a selector has to work to stand in a plan: where it is one among others, and where
/// it is the only one that works on pages of one kind, of which a site may have many.
pub const LEAST_RATE: f64 = 0.5;
pub(crate) const LEAST_OF_KIND: f64 = 0.1;
/// A title or a text that so many pages share is that of the site, and would stand in for their own.
pub(crate) const LEAST_UNIQUE: f64 = 0.9;
/// Parts of one text.
const MOST_PARTS: usize = 300;
/// Selectors that are tried for a property, and those that are kept.
const MOST_PROPOSED: usize = 120;
pub(crate) const MOST_KEPT: usize = 8;

impl Property {
    /// All of them, in the order of a plan.
    pub const ALL: [Self; 4] = [Self::Title, Self::Date, Self::Author, Self::Body];

    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Self::Title => "title",
            Self::Date => "date",
            Self::Author => "author",
            Self::Body => "body",
        }
    }

    /// A value as it is compared and kept; `None`: that is no value of this property.
    pub fn read(self, value: &str) -> Option<String> {
        let chars = value.chars().count();
        match self {
            Self::Title => (2..=300).contains(&chars).then(|| value.to_owned()),
            Self::Date => day_of(value),
            Self::Author => {
                let name = ["by ", "By ", "BY ", "von ", "Von ", "par ", "Par "]
                    .iter()
                    .find_map(|word| value.strip_prefix(word));
                let name = name.unwrap_or(value).trim();
                let is_name =
                    (2..=80).contains(&name.chars().count()) && day_of(name).is_none() && !name.contains("://");
                is_name.then(|| name.to_owned())
            }
            Self::Body => (chars >= 80).then(|| value.to_owned()),
        }
    }

    /// What it gives of a page by a selector: the first value; parts of a text together, unless they lie in one another.
    pub fn value(self, pick: &Pick, dom: &Dom) -> Option<String> {
        let selector = pick.compile().ok()?;
        let nodes = dom.all(&selector);
        if self != Self::Body {
            return self.read(&nodes.iter().find_map(|node| pick.value(node))?);
        }
        let part = |node: &Node<'_>| if pick.attribute.is_some() { pick.value(node) } else { Some(prose_of(node)) };
        let is_inside =
            |node: &Node<'_>| node.ancestors_it(None).any(|above| nodes.iter().any(|other| other.id == above.id));
        // Before they are read: those that lie in one another may each have all of the page.
        if nodes.len() > MOST_PARTS || nodes.iter().skip(1).any(is_inside) {
            return None;
        }
        self.read(&nodes.iter().filter_map(part).collect::<Vec<String>>().join(" "))
    }

    /// The value of a page by the first of some selectors that gives one.
    pub fn by_chain(self, chain: &[Pick], dom: &Dom) -> Option<String> {
        chain.iter().find_map(|pick| self.value(pick, dom))
    }
}

/// Tries a selector of a property on pages.
pub fn measure(property: Property, pick: &Pick, pages: &[&Dom]) -> Measured {
    let (mut values, mut matched) = (Vec::new(), 0);
    if let Ok(selector) = pick.compile() {
        for dom in pages {
            matched += dom.all(&selector).len();
            values.extend(property.value(pick, dom));
        }
    }
    let distinct: BTreeSet<&String> = values.iter().collect();
    Measured {
        selector: pick.clone(),
        pages: pages.len(),
        success_rate: share(values.len(), pages.len()),
        per_page: share(matched, pages.len()),
        uniqueness: share(distinct.len(), values.len()),
        sample: values.first().map(|value| value.chars().take(80).collect()),
    }
}

/// A part of a whole, in hundredths; nothing of nothing is nothing.
pub(crate) fn share(part: usize, whole: usize) -> f64 {
    let (part, whole) =
        (f64::from(u32::try_from(part).unwrap_or(u32::MAX)), f64::from(u32::try_from(whole).unwrap_or(u32::MAX)));
    if whole == 0.0 { 0.0 } else { (part / whole * 100.0).round() / 100.0 }
}

/// The chain of a property: the selector that works on most pages, then those that work where it does not, then others
/// that work as well; at most eight. A title or text that is the same on every page is none.
pub fn chain(property: Property, proposed: impl IntoIterator<Item = Pick>, pages: &[&Dom]) -> Vec<Measured> {
    chain_of(property, &mut proposed.into_iter(), pages)
}

/// The same, for whatever gives the selectors.
fn chain_of(property: Property, proposed: &mut dyn Iterator<Item = Pick>, pages: &[&Dom]) -> Vec<Measured> {
    let mut seen = BTreeSet::new();
    let fresh = proposed.filter(|pick| seen.insert(pick.to_string()));
    let mut measured: Vec<Measured> = fresh.take(MOST_PROPOSED).map(|pick| measure(property, &pick, pages)).collect();
    measured.retain(|one| one.success_rate > 0.0);
    if matches!(property, Property::Title | Property::Body) && pages.len() > 1 {
        measured.retain(|one| one.uniqueness >= LEAST_UNIQUE);
    }
    // A day that is the same wherever it stands is that of the site.
    if property == Property::Date {
        measured.retain(|one| !is_of_the_site(one));
    }
    // Stable: of two as good the one that was proposed first.
    measured.sort_by(|one, other| worth(property, other).total_cmp(&worth(property, one)));
    let mut kept: Vec<Measured> = Vec::new();
    let mut left: Vec<&Dom> = pages.to_vec();
    while !left.is_empty() && kept.len() < MOST_KEPT {
        let here = |one: &Measured| measure(property, &one.selector, &left);
        let best = measured.iter().enumerate().map(|(place, one)| (place, here(one))).rev();
        let best = best.max_by(|(_, one), (_, other)| worth(property, one).total_cmp(&worth(property, other)));
        let of_all = |here: &Measured| here.success_rate * share(left.len(), pages.len());
        let Some((place, _)) = best.filter(|(_, here)| of_all(here) >= LEAST_OF_KIND) else { break };
        let chosen = measured.remove(place);
        left.retain(|dom| property.value(&chosen.selector, dom).is_none());
        kept.push(chosen);
    }
    let others = measured.into_iter().filter(|one| one.success_rate >= LEAST_RATE);
    kept.extend(others.take((MOST_KEPT / 2).saturating_sub(kept.len())));
    kept
}

/// Whether it gave one value on all of several pages.
pub(crate) fn is_of_the_site(one: &Measured) -> bool {
    const SEVERAL: f64 = 4.0;
    let values = one.success_rate * f64::from(u32::try_from(one.pages).unwrap_or(u32::MAX));
    values >= SEVERAL && one.uniqueness * values < 1.5
}

/// How good a selector is: it works, and where one value is wanted it finds one.
fn worth(property: Property, one: &Measured) -> f64 {
    let is_single = property == Property::Body || one.per_page <= 1.0;
    one.success_rate - if is_single { 0.0 } else { 0.2 * (one.per_page - 1.0).min(1.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_measured_decides_and_not_what_is_proposed() {
        let page = |n: u32, date: &str| {
            Dom::parse(&format!(
                "<h1 class=site>The Site</h1><article><h2 class=t>Story {n}</h2><span class=by>By Ann Lee</span><time>{date}</time>\
                 <time>2020-01-01</time></article>"
            ))
        };
        let pages = [page(1, "31 May 2024"), page(2, "1 June 2024"), page(3, "soon")];
        let pages: Vec<&Dom> = pages.iter().collect();
        let picks = |texts: &[&str]| -> Vec<Pick> { texts.iter().map(|text| text.parse().unwrap()).collect() };

        let title = chain(Property::Title, picks(&["h1.site", "h2.t", "h2", "h3", "h2.t"]), &pages);
        let kept: Vec<String> = title.iter().map(|one| one.selector.to_string()).collect();
        assert_eq!(kept, ["h2.t", "h2"], "the name of the site is no title, and twice is once");
        assert_eq!((title[0].success_rate, title[0].per_page, title[0].uniqueness), (1.0, 1.0, 1.0));

        let date = measure(Property::Date, &"time".parse().unwrap(), &pages);
        assert_eq!((date.success_rate, date.per_page, date.sample.as_deref()), (0.67, 2.0, Some("2024-05-31")));
        let author = measure(Property::Author, &".by".parse().unwrap(), &pages);
        assert_eq!((author.success_rate, author.uniqueness, author.sample.as_deref()), (1.0, 0.33, Some("Ann Lee")));
        assert!(chain(Property::Body, picks(&["article", "p"]), &pages).is_empty());
    }
}
