//! The test data: addresses of articles with what has to be found there, one a line, and what is said about them.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::{Deserialize, Serialize};
use thiserror::Error;
use url::Url;

use crate::measure::Property;

/// One article with its expected values.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sample {
    /// What it is a sample of: `article`.
    #[serde(rename = "type")]
    pub kind: SampleKind,
    /// Its address.
    pub url: Url,
    /// What a crawler is given: the list in which it is found.
    pub given: Given,
    /// The values that are read; of a text its beginning.
    pub expected: BTreeMap<Property, String>,
}

impl Sample {
    /// Whether anything is known by which it is an article.
    pub fn is_known(&self) -> bool {
        [Property::Title, Property::Body].iter().any(|property| self.expected.contains_key(property))
    }
}

/// What a sample is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SampleKind {
    /// An article.
    Article,
}

/// What a crawler is given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Given {
    /// The list in which it is found.
    pub listing: Url,
}

/// A line that is no sample.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("line {line} of test_set.jsonl: {reason}")]
pub struct BadSample {
    /// Its number, from 1 on.
    pub line: usize,
    /// What is wrong.
    pub reason: String,
}

/// Characters of a text that are compared.
pub const BEGINNING: usize = 120;

/// A value as it stands in a sample.
pub fn expected_of(property: Property, value: &str) -> String {
    if property == Property::Body { value.chars().take(BEGINNING).collect() } else { value.to_owned() }
}

/// Samples as JSON lines.
pub fn write_samples(samples: &[Sample]) -> String {
    samples.iter().filter_map(|sample| serde_json::to_string(sample).ok()).map(|line| line + "\n").collect()
}

/// The samples of JSON lines.
///
/// # Errors
/// The first line that is none.
pub fn read_samples(text: &str) -> Result<Vec<Sample>, BadSample> {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines
        .map(|(place, line)| {
            serde_json::from_str(line).map_err(|error| BadSample { line: place + 1, reason: error.to_string() })
        })
        .collect()
}

/// `test.md`: what the samples are and how a crawler is tried with them.
pub fn write_test(samples: &[Sample], site: &Url) -> String {
    let mut out = format!("# Test of the crawl of {site}\n\n");
    let mut listings: Vec<&Url> = samples.iter().map(|sample| &sample.given.listing).collect();
    listings.dedup();
    let _ = writeln!(
        out,
        "`test_set.jsonl` has {} articles from {} lists, one a line: `url` is the article, `given.listing` the list in which it is found, \
         `expected` what has to be read of it.\n",
        samples.len(),
        listings.len()
    );
    out.push_str("| property | articles that have it |\n| --- | --- |\n");
    for property in Property::ALL {
        let count = samples.iter().filter(|sample| sample.expected.contains_key(&property)).count();
        let _ = writeln!(out, "| {} | {count} |", property.name());
    }
    out.push_str(
        "\n1. Crawl as `plan.md` says, and nothing else.\n2. Every `url` has to be among the articles that were found.\n\
         3. Every value of `expected` has to be read there: a title and an author as they are, a date as `YYYY-MM-DD`, ",
    );
    let _ = writeln!(out, "a text by its first {BEGINNING} characters with single spaces.");
    out
}
