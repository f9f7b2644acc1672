//! Which of the values that a planner claims to have found really occur in the conversation.

use serde_json::{Map, Value};

use crate::contract::{Fault, PathPart, Stage};
use crate::discovery::joins;

/// More values are dropped.
const MAX_VALUES: usize = 200;
/// Objects and lists nest at most this deep.
const MAX_DEPTH: usize = 8;

/// Keeps the values that occur in one of the texts. Every other one is dropped with a fault at its place: a path or an
/// id that a model made up would else be handed to every step.
///
/// Values with digits or path and address signs have to occur letter for letter, plain words in any case. A value is
/// found only where it is not part of a longer word. `true`, `false` and empty texts say nothing that could be made up.
pub fn keep_grounded(context: Map<String, Value>, texts: &[&str], faults: &mut Vec<Fault>) -> Map<String, Value> {
    let lower: Vec<String> = texts.iter().map(|text| text.to_lowercase()).collect();
    let mut filter = Filter { texts, lower, left: MAX_VALUES, place: vec!["extractedContext".into()], faults };
    filter.members(context)
}

struct Filter<'a> {
    texts: &'a [&'a str],
    lower: Vec<String>,
    left: usize,
    place: Vec<PathPart>,
    faults: &'a mut Vec<Fault>,
}

impl Filter<'_> {
    fn members(&mut self, members: Map<String, Value>) -> Map<String, Value> {
        let mut kept = Map::new();
        for (key, value) in members {
            self.place.push(key.as_str().into());
            let value = self.value(value);
            self.place.pop();
            if let Some(value) = value {
                kept.insert(key, value);
            }
        }
        kept
    }

    fn value(&mut self, value: Value) -> Option<Value> {
        match value {
            Value::Null => None,
            Value::Object(_) | Value::Array(_) if self.place.len() > MAX_DEPTH => self.drop_it("is nested too deep"),
            Value::Object(members) => Some(self.members(members)).filter(|kept| !kept.is_empty()).map(Value::Object),
            Value::Array(items) => {
                let mut kept = Vec::new();
                for (index, item) in items.into_iter().enumerate() {
                    self.place.push(index.into());
                    kept.extend(self.value(item));
                    self.place.pop();
                }
                Some(kept).filter(|kept| !kept.is_empty()).map(Value::Array)
            }
            Value::Bool(_) => Some(value),
            Value::Number(ref number) => self.keep_if(occurs(&number.to_string(), self.texts), value),
            Value::String(ref text) if text.trim().is_empty() => None,
            Value::String(ref text) => {
                let text = text.trim();
                let literal = text.contains(|c: char| c.is_ascii_digit() || "/\\@_:.#".contains(c));
                let found = occurs(text, self.texts) || (!literal && occurs(&text.to_lowercase(), &self.lower));
                self.keep_if(found, value)
            }
        }
    }

    fn keep_if(&mut self, found: bool, value: Value) -> Option<Value> {
        if !found {
            return self.drop_it("does not occur in the conversation");
        }
        match self.left.checked_sub(1) {
            Some(left) => {
                self.left = left;
                Some(value)
            }
            None => self.drop_it("is one too many"),
        }
    }

    fn drop_it(&mut self, why: &str) -> Option<Value> {
        if self.faults.len() < MAX_VALUES {
            let mut fault = Fault::new(Stage::Grounding, format!("the value {why}; it was left out"));
            fault.path.clone_from(&self.place);
            self.faults.push(fault);
        }
        None
    }
}

fn occurs(needle: &str, texts: &[impl AsRef<str>]) -> bool {
    let is_cut = |one: Option<char>, other: Option<char>| one.zip(other).is_some_and(|(one, other)| joins(one, other));
    texts.iter().map(AsRef::as_ref).any(|text| {
        text.match_indices(needle).take(1000).any(|(at, _)| {
            let cut_before = is_cut(needle.chars().next(), text[..at].chars().next_back());
            let cut_after = is_cut(needle.chars().next_back(), text[at + needle.len()..].chars().next());
            !cut_before && !cut_after
        })
    })
}
