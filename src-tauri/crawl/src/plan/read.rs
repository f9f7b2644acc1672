//! Reads `plan.md` back: a crawler follows what stands there, and nothing else.

use thiserror::Error;

use super::{Config, FORMAT, SECTIONS};
use crate::paging::{PLACE, Paging};

/// A plan that cannot be followed, and where.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("section {section} ({}) of plan.md: {reason}", SECTIONS.get(section.saturating_sub(1)).unwrap_or(&"?"))]
pub struct BadPlan {
    /// The number of the section, from 1 on.
    pub section: usize,
    /// What is wrong.
    pub reason: String,
}

/// Bytes of a plan that is read.
const MOST_BYTES: usize = 2 << 20;

/// The configuration of a plan: all ten sections are there in order, and the seventh holds it as JSON.
///
/// # Errors
/// What is missing or wrong, and in which section.
pub fn read(markdown: &str) -> Result<Config, BadPlan> {
    let bad = |section: usize, reason: String| BadPlan { section, reason };
    if markdown.len() > MOST_BYTES {
        return Err(bad(1, format!("the file has {} bytes, at most {MOST_BYTES} are read", markdown.len())));
    }
    let mut rest = markdown;
    let mut seventh = "";
    for (place, title) in SECTIONS.iter().enumerate() {
        let heading = format!("## {}. {title}", place + 1);
        let (before, after) =
            split_at_line(rest, &heading).ok_or_else(|| bad(place + 1, "it is missing".to_owned()))?;
        if place == 7 {
            seventh = before;
        }
        rest = after;
    }
    let json = fenced(seventh).ok_or_else(|| bad(7, "there is no block of JSON in it".to_owned()))?;
    let config: Config = serde_json::from_str(json).map_err(|error| bad(7, error.to_string()))?;
    check(&config).map_err(|(section, reason)| bad(section, reason))?;
    Ok(config)
}

/// Whether a configuration can be followed; else the section that says why not.
fn check(config: &Config) -> Result<(), (usize, String)> {
    if config.format != FORMAT {
        return Err((7, format!("its format is {:?}, {FORMAT:?} is read", config.format)));
    }
    if config.listings.is_empty() {
        return Err((3, "there is no list of articles".to_owned()));
    }
    for listing in &config.listings {
        // What an endpoint gives needs no selector.
        if listing.items.is_empty() && !matches!(listing.pagination, Paging::Cursor { .. }) {
            return Err((3, format!("{} has no selector of its articles", listing.url)));
        }
        if let Paging::Numbered { template, .. } | Paging::Cursor { template, .. } = &listing.pagination
            && (template.matches(PLACE).count() != 1 || listing.pagination.at("1").is_none())
        {
            return Err((4, format!("{template:?} is no address with one {PLACE}")));
        }
        if matches!(&listing.pagination, Paging::Numbered { step: 0, .. }) {
            return Err((4, format!("{}: a step of 0 leads nowhere", listing.url)));
        }
    }
    let is_time = |seconds: f64| seconds.is_finite() && (0.0..=3_600.0).contains(&seconds);
    if !is_time(config.request.wait_seconds) || config.request.timeout_seconds == 0 {
        return Err((8, "the times of a request cannot be kept".to_owned()));
    }
    Ok(())
}

/// What stands before and after a line.
fn split_at_line<'a>(text: &'a str, line: &str) -> Option<(&'a str, &'a str)> {
    let mut at = 0;
    for each in text.split_inclusive('\n') {
        if each.trim_end() == line {
            return Some((text.get(..at)?, text.get(at + each.len()..)?));
        }
        at += each.len();
    }
    None
}

/// The first fenced block of JSON.
fn fenced(text: &str) -> Option<&str> {
    let (_, after) = split_at_line(text, "```json")?;
    split_at_line(after, "```").map(|(inside, _)| inside)
}
