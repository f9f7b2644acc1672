//! What a text says was done, held against the ledger.
//!
//! A model that says "I have saved the table to out.md" and has called nothing is believed by nobody else: its step is
//! marked. Only plain reports in English are recognised, in the first person or of a named file; what is not
//! recognised is not marked, and nothing is ever refused for its words.

use assent_core::run::{CallState, RunState};

/// Verbs that name an effect by themselves.
const EFFECTS: [&str; 9] =
    ["saved", "sent", "deleted", "uploaded", "installed", "emailed", "posted", "published", "overwritten"];
/// Verbs that name an effect where a file is their object: a summary, too, is written.
const ON_FILES: [&str; 13] = [
    "created", "wrote", "written", "updated", "edited", "changed", "renamed", "moved", "removed", "added", "replaced",
    "copied", "appended",
];
/// Words that make a report something else.
const NOT_A_REPORT: [&str; 13] =
    ["not", "no", "never", "would", "could", "should", "can", "cannot", "will", "if", "need", "unable", "please"];

/// Why a text of a step is marked: it reports an effect, and no call of what the step can know of has had one.
pub(super) fn unproven(state: &RunState, at: usize, text: &str) -> Option<String> {
    let report = reported_effect(text)?;
    let known = behind(state, at);
    let had_effect = state.ledger().iter().filter(|entry| known[entry.step]).any(|entry| {
        let ended = matches!(&entry.state, CallState::Ended(end) if end.satisfied);
        ended && entry.risk.is_none_or(|risk| risk.has_effects())
    });
    // What an earlier run has done is not in this ledger.
    let mut steps = state.steps().iter().zip(&known);
    if had_effect || steps.any(|(step, known)| *known && step.carried_from.is_some()) {
        return None;
    }
    Some(format!("it says \"{report}\", and no call stands behind that"))
}

/// The steps whose work a step may report: itself, what it was handed on to, and what it or the step that handed it on
/// builds on, by their places.
fn behind(state: &RunState, at: usize) -> Vec<bool> {
    let mut known = vec![false; state.steps().len()];
    let mut left = vec![at];
    let mut above = state.step(at).parent();
    while let Some(parent) = above {
        left.extend(state.step(parent).dependencies());
        above = state.step(parent).parent();
    }
    while let Some(step) = left.pop() {
        if !std::mem::replace(&mut known[step], true) {
            left.extend(state.step(step).dependencies());
            left.extend(state.step(step).children());
        }
    }
    known
}

/// The first sentence that reports an effect.
fn reported_effect(text: &str) -> Option<&str> {
    let ends = |at: usize, character: char| {
        let last = |rest: &str| rest.chars().next().is_none_or(char::is_whitespace);
        matches!(character, '\n' | '!' | '?') || (character == '.' && last(&text[at + 1..]))
    };
    let mut begin = 0;
    let stops = text.char_indices().filter(|(at, character)| ends(*at, *character)).map(|(at, _)| at);
    for end in stops.chain([text.len()]) {
        let sentence = text[begin..end].trim();
        if reports(sentence) {
            return Some(sentence);
        }
        begin = (end + 1).min(text.len());
    }
    None
}

fn reports(sentence: &str) -> bool {
    let lower = sentence.to_lowercase().replace('\u{2019}', "'");
    let words: Vec<&str> = lower.split(|each: char| each.is_whitespace() || ",;:\"`*()".contains(each)).collect();
    if words.iter().any(|word| NOT_A_REPORT.contains(word) || word.ends_with("n't")) {
        return false;
    }
    let file = words.iter().any(|word| names_file(word));
    let says = |verb: &&str| EFFECTS.contains(verb) || (file && ON_FILES.contains(verb));
    let first_person = words.iter().any(|word| matches!(*word, "i" | "i've" | "we" | "we've"));
    let passive = words.windows(2).any(|pair| matches!(pair, ["has" | "have", "been"]));
    words.iter().any(says) && (first_person || (passive && file))
}

/// Whether a word is the name of a file, or says that there is one.
fn names_file(word: &str) -> bool {
    let named = word.trim_end_matches('.').rsplit_once('.').is_some_and(|(name, ending)| {
        let letters = ending.chars().all(|each| each.is_ascii_alphanumeric()) && !ending.is_empty();
        letters && ending.len() <= 5 && name.chars().any(char::is_alphabetic)
    });
    named || matches!(word, "file" | "files" | "folder" | "folders")
}

#[cfg(test)]
mod tests {
    use super::reported_effect;

    #[test]
    fn a_report_of_an_effect_is_told_from_thoughts_plans_and_facts() {
        for (text, report) in [
            ("All good. I have saved the table to out.md. Anything else?", "I have saved the table to out.md"),
            ("I've sent the mail!", "I've sent the mail"),
            ("counts.md has been created with 3 lines", "counts.md has been created with 3 lines"),
            ("I wrote `notes.txt`", "I wrote `notes.txt`"),
        ] {
            assert_eq!(reported_effect(text), Some(report), "{text}");
        }
        for text in [
            "I have written a short summary: the notes agree.",
            "The letter was sent on 3 May.",
            "I have not saved anything.",
            "I could not find out.md, so nothing was deleted.",
            "If you like, I will have it saved.",
            "We compared a.txt and b.txt.",
            "",
        ] {
            assert_eq!(reported_effect(text), None, "{text}");
        }
    }
}
