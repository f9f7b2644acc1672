//! Where in a model's text the plan stands: between markers, after the thinking, in a fence or bare, inside another
//! object or a tool call; and which of several objects it is.

use std::ops::Range;

use serde_json::{Map, Value};

use super::json::{Found, Quality, read_at};
use crate::contract::PathPart;
use crate::plan::keys;

const MARKER_START: &str = "---JSON_OUTPUT_START---";
const MARKER_END: &str = "---JSON_OUTPUT_END---";
/// Objects inside objects are looked through this deep.
const UNWRAP_DEPTH: usize = 5;
/// How often reading starts again behind an object that never ended; bounds the work on hostile text.
const RESTARTS: usize = 16;

/// The object that holds the plan.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Candidate {
    pub(super) object: Map<String, Value>,
    pub(super) read: Reading,
    /// How many objects of the text could have been it.
    pub(super) rivals: usize,
}

/// How well an object could be read, and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Reading {
    pub(super) quality: Quality,
    /// The byte of the whole text at which it begins.
    pub(super) start: usize,
    /// The byte of the whole text at which reading ended, and where that is in the object.
    pub(super) end: usize,
    pub(super) path: Vec<PathPart>,
    /// The first key that stands twice in one object and says something else the second time.
    pub(super) twice: Option<Vec<PathPart>>,
}

/// What a text holds.
pub(super) enum Search {
    /// A plan or an answer.
    Plan(Candidate),
    /// Objects, and lists of them, none of which has a plan's fields. The last of them.
    Other(Option<(Value, Reading)>),
}

/// Finds the plan: in the most telling region of the text first, there the last whole one.
pub(super) fn find(text: &str) -> Search {
    let mut fallback: Option<Candidate> = None;
    let mut other = None;
    for region in regions(text) {
        match find_in(text, region) {
            Search::Plan(plan) if plan.read.quality >= Quality::Mended => return Search::Plan(plan),
            Search::Plan(plan) => fallback = fallback.or(Some(plan)),
            Search::Other(seen) => other = other.or(seen),
        }
    }
    fallback.map_or(Search::Other(other), Search::Plan)
}

/// The text between the markers, the text after the thinking, the whole text; each only where it differs.
fn regions(text: &str) -> Vec<Range<usize>> {
    let mut regions = Vec::new();
    if let Some(marker) = text.rfind(MARKER_START) {
        let start = marker + MARKER_START.len();
        regions.push(start..text[start..].find(MARKER_END).map_or(text.len(), |end| start + end));
    }
    let thinking_ends = ["</think>", "</thinking>"].iter().filter_map(|tag| text.rfind(tag).map(|at| at + tag.len()));
    if let Some(end) = thinking_ends.max() {
        regions.push(end..text.len());
    }
    regions.push(0..text.len());
    regions
}

fn find_in(whole: &str, region: Range<usize>) -> Search {
    let before = region.start;
    let text = &whole[region];
    let mut best: Option<Candidate> = None;
    let mut other = None;
    let mut restarts = RESTARTS;
    let mut at = 0;
    while let Some(offset) = text[at..].bytes().position(|byte| matches!(byte, b'{' | b'[')) {
        let start = at + offset;
        let Found { value, end, quality, path, twice } = read_at(text, start);
        at = end;
        let plan = unwrap(&value, UNWRAP_DEPTH);
        if quality == Quality::Truncated && plan.is_none() && restarts > 0 {
            restarts -= 1;
            at = start + 1;
        }
        let read = Reading { quality, start: before + start, end: before + end, path, twice };
        match plan {
            Some(object) => {
                let rivals = best.as_ref().map_or(0, |seen| seen.rivals) + 1;
                let of = |quality: Quality| quality.min(Quality::Mended);
                let better = best.as_ref().is_none_or(|seen| of(quality) >= of(seen.read.quality));
                match &mut best {
                    Some(seen) if !better => seen.rivals = rivals,
                    seen => *seen = Some(Candidate { object, read, rivals }),
                }
            }
            None if value.is_object() || text.get(start..end).is_some_and(|read| read.contains('{')) => {
                other = Some((value, read))
            }
            None => {}
        }
        while !text.is_char_boundary(at) {
            at += 1;
        }
    }
    best.map_or(Search::Other(other), Search::Plan)
}

/// The object with a plan's fields in this value: itself, or inside a wrapper, a tool call, a list, or JSON as a text.
fn unwrap(value: &Value, depth: usize) -> Option<Map<String, Value>> {
    match value {
        Value::Object(object) if is_plan(object) => Some(object.clone()),
        _ if depth == 0 => None,
        Value::Object(object) => object.values().find_map(|inner| unwrap(inner, depth - 1)),
        Value::Array(items) if is_step_list(items) => {
            Some(Map::from_iter([(keys::STEPS[1].to_owned(), Value::Array(items.clone()))]))
        }
        Value::Array(items) => items.iter().find_map(|inner| unwrap(inner, depth - 1)),
        Value::String(text) if text.trim_start().starts_with('{') => {
            let start = text.len() - text.trim_start().len();
            unwrap(&read_at(text, start).value, depth.min(2) - 1)
        }
        _ => None,
    }
}

/// Whether an object has something to do or an answer: an empty order beside an empty task is no plan.
fn is_plan(object: &Map<String, Value>) -> bool {
    let list = |spellings| keys::field(object, spellings).and_then(|(_, value)| value.as_array());
    let has_steps =
        [keys::STEPS, keys::PLAN_TEXT].into_iter().any(|key| list(key).is_some_and(|items| is_step_list(items)));
    let has_route = list(keys::ROUTE).is_some_and(|items| !items.is_empty())
        || keys::field(object, keys::ROUTE)
            .is_some_and(|(_, value)| value.as_str().is_some_and(|id| !id.trim().is_empty()));
    let answer = keys::field(object, keys::ANSWER).and_then(|(_, value)| value.as_str());
    has_steps || has_route || answer.is_some_and(|text| !text.trim().is_empty())
}

fn is_step_list(items: &[Value]) -> bool {
    items.iter().any(|item| item.as_object().is_some_and(|step| keys::field(step, keys::STEP_TEXT).is_some()))
}
