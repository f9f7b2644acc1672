//! What a model thought aloud, apart from what it says.

use std::borrow::Cow;

use super::json::{Outcome, Room, document};

/// The marks around thoughts: of most families, of Mistral, of MiniCPM.
pub(super) const MARKS: [(&str, &str); 3] =
    [("<think>", "</think>"), ("[THINK]", "[/THINK]"), ("<|thought_start|>", "<|thought_end|>")];

/// The marks of the messages of gpt-oss: a message begins with one of the first, has this between header and text, and
/// ends with one of the last.
const BEGINNINGS: [&str; 2] = ["<|start|>", "<|channel|>"];
const MESSAGE: &str = "<|message|>";
const ENDS: [&str; 5] = ["<|end|>", "<|return|>", "<|call|>", "<|start|>", "<|channel|>"];

/// Bytes of a header.
const HEADER: usize = 256;

/// Thoughts, and the rest; also where the opening mark is part of the model's template.
pub(crate) fn split(raw: &str) -> (String, Cow<'_, str>) {
    let trimmed = raw.trim_start();
    if BEGINNINGS.iter().any(|mark| trimmed.starts_with(mark)) {
        let (thoughts, rest) = of_channels(trimmed);
        return (thoughts, Cow::Owned(rest));
    }
    let closed = MARKS.iter().filter_map(|(open, close)| Some((*open, trimmed.split_once(close)?)));
    let first = closed.min_by_key(|(_, (before, _))| before.len());
    // Marks inside a line, or inside a value, are what the model speaks of.
    let is_thought = |open: &str, before: &str| {
        let begins_a_line = before.rfind(open).is_none_or(|at| at == 0 || before[..at].ends_with('\n'));
        begins_a_line
            && !matches!(document(trimmed, &mut Room::of(trimmed)), Outcome::Whole(_, used) if used > before.len())
    };
    if let Some((open, (before, after))) = first.filter(|(open, (before, _))| is_thought(open, before)) {
        let thoughts = before.strip_prefix(open).unwrap_or(before).trim().to_owned();
        return (thoughts, Cow::Borrowed(after.trim_start()));
    }
    match MARKS.iter().find_map(|(open, _)| trimmed.strip_prefix(open)) {
        Some(inside) => (inside.trim().to_owned(), Cow::Borrowed("")),
        None => (String::new(), Cow::Borrowed(raw)),
    }
}

/// The messages of gpt-oss: what it analysed, and what it says. Messages to a tool stay as they are.
fn of_channels(text: &str) -> (String, String) {
    let (mut thoughts, mut said) = (String::new(), String::new());
    let mut rest = text;
    let mut room = Room::of(text);
    while let Some((header, content)) = header(rest) {
        let is_call = header.contains("to=");
        let end =
            if is_call { end_of_call(content, &mut room) } else { first(content, &ENDS).unwrap_or(content.len()) };
        let (content, behind) = content.split_at(end);
        if is_call {
            said.push_str(header);
            said.push_str(MESSAGE);
            said.push_str(content);
        } else {
            let into = if header.contains("analysis") { &mut thoughts } else { &mut said };
            if !into.is_empty() {
                into.push('\n');
            }
            into.push_str(content.trim());
        }
        let end = ENDS[..3].iter().find(|end| behind.starts_with(**end));
        rest = end.map_or(behind, |end| &behind[end.len()..]).trim_start();
    }
    said.push_str(rest);
    (thoughts, said)
}

/// The header of a message at the beginning of a text, and what follows it.
fn header(text: &str) -> Option<(&str, &str)> {
    let begins = BEGINNINGS.iter().any(|mark| text.starts_with(mark));
    let (header, content) = text.split_once(MESSAGE).filter(|(header, _)| begins && header.len() <= HEADER)?;
    Some((header, content))
}

/// Where the arguments of a call end; marks inside of them are theirs.
fn end_of_call(content: &str, room: &mut Room) -> usize {
    let inside = content.trim_start();
    let before = content.len() - inside.len();
    match document(inside, room) {
        Outcome::Whole(_, used) | Outcome::Unreadable(used) => before + used,
        Outcome::Cut(_) => content.len(),
        Outcome::No => first(content, &ENDS).unwrap_or(content.len()),
    }
}

fn first(text: &str, marks: &[&str]) -> Option<usize> {
    text.match_indices("<|").map(|(at, _)| at).find(|at| marks.iter().any(|mark| text[*at..].starts_with(mark)))
}

#[cfg(test)]
mod tests {
    use super::split;

    #[test]
    fn thoughts_stand_before_what_is_said_and_marks_inside_of_that_are_no_thoughts() {
        for (raw, thoughts, said) in [
            ("<think>Hm.</think>It is done.", "Hm.", "It is done."),
            ("Hm.</think>It is done.", "Hm.", "It is done."),
            ("<think>Hm.</think>It ends with </think>.", "Hm.", "It ends with </think>."),
            ("Well.\n<think>Hm.</think>It is done.", "Well.\n<think>Hm.", "It is done."),
            ("<think>Hm, and no end", "Hm, and no end", ""),
            ("It thinks between <think> and </think>.", "", "It thinks between <think> and </think>."),
            (r#"{"answer":"It ends with </think>."}"#, "", r#"{"answer":"It ends with </think>."}"#),
            (r#"{"answer":"<think> and </think>"} "#, "", r#"{"answer":"<think> and </think>"} "#),
        ] {
            let (found, rest) = split(raw);
            assert_eq!((found.as_str(), &*rest), (thoughts, said), "{raw}");
        }
    }
}
