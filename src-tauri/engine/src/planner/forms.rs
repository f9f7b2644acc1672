//! The shortest form of the words that a small planner searches for. It writes "errors" where the person wrote of
//! errors, and lines with one error are then missed: what is searched for is found in longer words too, not in shorter.

use std::sync::LazyLock;

use assent_core::contract::{Fault, Stage};
use assent_core::plan::Plan;
use regex::{Captures, Regex};

/// Tools that look for a text.
const SEARCHES: [&str; 2] = ["grep", "finder"];

static QUOTED: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r#""([a-z]{4,40})""#).ok());

/// Puts the singular for a plural that the person has not put in quotes. What was changed is noted.
pub(super) fn shorten(plan: &mut Plan, notes: &mut Vec<Fault>) {
    let Some(quoted) = QUOTED.as_ref() else { return };
    let message = &plan.user_message;
    let said = |word: &str| ['"', '\'', '`', '“', '‘'].iter().any(|mark| message.contains(&format!("{mark}{word}")));
    for (at, step) in plan.steps.iter_mut().enumerate() {
        if !step.required_tools.iter().any(|tool| SEARCHES.contains(&tool.as_str())) {
            continue;
        }
        let mut changed = Vec::new();
        let shorter = quoted.replace_all(&step.description, |found: &Captures<'_>| match singular(&found[1]) {
            Some(short) if !said(&found[1]) => {
                changed.push(format!("{short:?} is searched for, which finds {:?} too", &found[1]));
                format!("{short:?}")
            }
            _ => found[0].to_owned(),
        });
        if !changed.is_empty() {
            step.description = shorter.into_owned();
            let fault = Fault::new(Stage::Plan, changed.join("; "));
            notes.push(fault.at(["steps".into(), assent_core::contract::PathPart::Index(at), "description".into()]));
        }
    }
}

/// A regular English plural without its ending; nothing for any other word.
pub(super) fn singular(word: &str) -> Option<&str> {
    let irregular = ["ss", "us", "is", "ies", "oes"].iter().any(|end| word.ends_with(end));
    if irregular {
        return None;
    }
    let long = ["ches", "shes", "xes", "sses"].iter().any(|end| word.ends_with(end));
    word.strip_suffix(if long { "es" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::singular;

    #[test]
    fn regular_plurals_lose_their_ending_and_other_words_stay() {
        for (word, short) in [
            ("errors", Some("error")),
            ("matches", Some("match")),
            ("boxes", Some("box")),
            ("licences", Some("licence")),
            ("status", None),
            ("access", None),
            ("analysis", None),
            ("companies", None),
            ("error", None),
        ] {
            assert_eq!(singular(word), short, "{word}");
        }
    }
}
