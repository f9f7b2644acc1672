//! The crawl plan: what a crawler has to know of a site, as data and as `plan.md`.

mod read;
mod samples;
mod write;

use serde::{Deserialize, Serialize};
use url::Url;

pub use self::read::{BadPlan, read};
pub use self::samples::{BadSample, Given, Sample, SampleKind, expected_of, read_samples, write_samples, write_test};
pub use self::write::{Barred, SECTIONS, Survey, Surveyed, write};
use crate::html::Pick;
use crate::measure::Property;
use crate::paging::Paging;

/// The name of the format of the configuration.
pub const FORMAT: &str = "assent.crawl/1";

/// What a crawler follows: section 7 of `plan.md`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// `assent.crawl/1`.
    pub format: String,
    /// The lists in which articles are found.
    pub listings: Vec<Listing>,
    /// How each property of an article is read.
    pub detail: Vec<Detail>,
    /// How the site is asked.
    pub request: Request,
    /// What makes two articles one: `url`.
    pub dedupe: Dedupe,
}

/// A list of articles.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Listing {
    /// Where it begins.
    pub url: Url,
    /// Selectors of the links to articles, with their attribute; the first that finds any counts.
    pub items: Vec<Pick>,
    /// How it goes on.
    pub pagination: Paging,
}

/// A property and its selectors, the best first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Detail {
    /// The property.
    pub property: Property,
    /// Its selectors; the first that gives a value that fits counts.
    pub selectors: Vec<Pick>,
}

/// How a site is asked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Request {
    /// Seconds between two requests.
    pub wait_seconds: f64,
    /// Seconds that one may take.
    pub timeout_seconds: u64,
    /// Pages of one list that are read at most.
    pub max_pages: usize,
}

/// What makes two articles one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Dedupe {
    /// Their address, without fragment and marks of campaigns.
    Url,
}

impl Config {
    /// The selectors of a property.
    pub fn chain(&self, property: Property) -> &[Pick] {
        self.detail.iter().find(|detail| detail.property == property).map_or(&[], |detail| &detail.selectors)
    }
}

impl Default for Request {
    fn default() -> Self {
        Self { wait_seconds: 1.0, timeout_seconds: 20, max_pages: 200 }
    }
}

#[cfg(test)]
mod tests;
