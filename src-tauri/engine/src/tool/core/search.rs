//! What `grep` and `finder` share: searching files line by line with ripgrep's libraries, and presenting what was found.

mod globs;
mod lines;
mod present;

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use assent_core::order::sort_by;
use grep_matcher::LineTerminator;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder};
use serde::Serialize;

pub(super) use globs::Globs;
pub(super) use present::present;

use super::Stop;
use crate::tool::secrets::holds_secrets;
use crate::tool::workspace::{Place, Visit, Walk, Workspace};
use crate::vault::Mask;
use lines::Lines;
use tokio_util::sync::CancellationToken;

/// What a walk leaves out, said where nothing was found.
pub(super) const SKIPPED_NOTE: &str =
    "(Not looked into: folders that begin with a dot, target, node_modules, vendor, and links.)";

/// More lines than this are never given.
const MOST_MATCHES: usize = 1000;
/// More lines around a match than this are never given.
pub(super) const MOST_CONTEXT: usize = 10;
/// More counts than this are never given; the highest stay.
const MOST_COUNTS: usize = 2000;
/// A search that takes longer stops and says so.
const MOST_TIME: Duration = Duration::from_secs(60);
/// Lines longer than this are not searched: such a file is not text.
const LONGEST_LINE: usize = 16 * 1024 * 1024;

/// Files that may hold secrets and that are named where they are left out.
const SECRET_NAMED: usize = 20;

/// What is looked for.
#[derive(Clone, Copy)]
pub(super) struct Query<'a> {
    pub text: &'a str,
    pub regex: bool,
    pub case_sensitive: bool,
    pub context_lines: usize,
    pub max_results: usize,
    /// Hides secrets in a line before it is cut.
    pub mask: &'a Mask,
}

/// One matching line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Match {
    /// From the workspace.
    pub file: String,
    /// From 1.
    pub line_number: u64,
    /// The character at which the first match begins, from 1.
    pub column: usize,
    /// The line, or the part of a long one that holds the match.
    pub line: String,
    pub context_before: Vec<String>,
    pub context_after: Vec<String>,
    /// The first match in `line`, in characters from 0.
    pub match_start: usize,
    pub match_end: usize,
}

/// What was found.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// The first matching lines.
    pub matches: Vec<Match>,
    /// Matching lines of every searched file, highest first, then by name.
    pub counts: Vec<(String, u64)>,
    /// Files that are not text and were left out.
    pub skipped: u64,
    /// The first files that may hold secrets and were left out.
    pub secret: Vec<String>,
    /// Whether something was not searched for want of time.
    pub cut: bool,
}

impl Found {
    /// All matching lines, given or not.
    pub fn total(&self) -> u64 {
        self.counts.iter().map(|(_, count)| count).sum()
    }

    /// Files with a matching line.
    pub fn files_with_matches(&self) -> usize {
        self.counts.iter().filter(|(_, count)| *count > 0).count()
    }

    /// Whether there is more than is given.
    pub fn truncated(&self) -> bool {
        self.cut || self.total() > self.matches.len() as u64
    }

    /// The counts as an object, the highest first.
    pub fn counts_object(&self) -> serde_json::Map<String, serde_json::Value> {
        self.counts.iter().take(MOST_COUNTS).map(|(file, count)| (file.clone(), (*count).into())).collect()
    }

    /// How many files of `counts` the object leaves out.
    pub fn counts_left_out(&self) -> usize {
        self.counts.len().saturating_sub(MOST_COUNTS)
    }
}

/// The files that an output names: those that were searched.
pub(super) fn listed(output: &serde_json::Value) -> Vec<String> {
    let counted = output["counts"].as_object().into_iter().flat_map(|counts| counts.keys().cloned());
    let matches = output["matches"].as_array().into_iter().flatten();
    counted.chain(matches.filter_map(|found| found["file"].as_str().map(str::to_owned))).collect()
}

/// Searches every wanted file in and below a place.
pub(super) fn search(
    workspace: &Workspace,
    start: &Place,
    query: &Query<'_>,
    cancel: &CancellationToken,
    wanted: impl Fn(&Visit) -> bool,
) -> Result<Found, Stop> {
    if query.text.is_empty() {
        return Err(Stop::Told("there is nothing to look for: the text is empty".to_owned()));
    }
    let matcher = matcher(query)?;
    let context = query.context_lines.min(MOST_CONTEXT);
    let mut searcher = SearcherBuilder::new()
        .line_number(true)
        .line_terminator(LineTerminator::crlf())
        .before_context(context)
        .after_context(context)
        .binary_detection(BinaryDetection::quit(0))
        .heap_limit(Some(LONGEST_LINE))
        .build();
    let most = query.max_results.min(MOST_MATCHES);
    let mut found = Found::default();
    // Who names one was asked.
    let names_secret = holds_secrets(&start.shown());
    let began = Instant::now();
    let walk = workspace.walk(start, cancel, |visit| {
        if began.elapsed() > MOST_TIME {
            return ControlFlow::Break(());
        }
        if visit.is_folder || !wanted(&visit) {
            return ControlFlow::Continue(());
        }
        if !names_secret && holds_secrets(&visit.place.shown()) {
            if found.secret.len() < SECRET_NAMED {
                found.secret.push(visit.place.shown());
            }
        } else {
            let room = most.saturating_sub(found.matches.len());
            let lines = Lines::new(visit.place.shown(), &matcher, query.mask, context, room);
            search_file(workspace, &visit.place, lines, &mut searcher, &mut found);
        }
        ControlFlow::Continue(())
    });
    if walk == Walk::Cancelled {
        return Err(Stop::Cancelled);
    }
    found.cut = walk == Walk::Cut;
    sort_by(&mut found.counts, |one, other| other.1.cmp(&one.1).then_with(|| one.0.cmp(&other.0)));
    Ok(found)
}

fn matcher(query: &Query<'_>) -> Result<RegexMatcher, Stop> {
    RegexMatcherBuilder::new()
        .case_insensitive(!query.case_sensitive)
        .multi_line(true)
        .fixed_strings(!query.regex)
        .crlf(true)
        .build(query.text)
        .map_err(|error| {
            let reason = error.to_string();
            let reason = reason.lines().last().unwrap_or_default().trim();
            Stop::Told(format!("{:?} cannot be searched for: {reason}", query.text))
        })
}

fn search_file(workspace: &Workspace, place: &Place, mut lines: Lines<'_>, searcher: &mut Searcher, found: &mut Found) {
    let read = workspace
        .open_file(place)
        .ok()
        .and_then(|(file, _)| searcher.search_file(lines.matcher(), &file.into_std(), &mut lines).ok());
    if read.is_none() || lines.is_binary() {
        found.skipped += 1;
        return;
    }
    let (count, matches) = lines.into_parts();
    found.matches.extend(matches);
    found.counts.push((place.shown(), count));
}
