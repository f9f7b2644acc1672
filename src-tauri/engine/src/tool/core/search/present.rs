//! What a model reads of a search: counts first, then the lines while they are few. Nothing stands after the data: a
//! closing remark was taken for a row of it.

use serde_json::Value;

use super::SKIPPED_NOTE;
use crate::tool::present::{one_line, window};

/// With more matching lines than this none is shown; all that were kept are in the output.
const LINES_SHOWN: usize = 25;
/// With more matching lines than this the counts of the files stand in a table of their own, and the lines in none.
const LINES_ALONE: u64 = 12;
/// With more files than this those without a match are summed up.
const COUNTS_SHOWN: usize = 60;
/// More files than this that have no match are not named.
const FILES_NAMED: usize = 12;
/// Characters of a line that are shown.
const LINE_WIDTH: usize = 160;

/// The output of `grep` (with `pattern`) or `finder` (with `query`) as text.
pub(in crate::tool::core) fn present(output: &Value) -> String {
    let text = output["pattern"].as_str().or(output["query"].as_str()).unwrap_or_default();
    let searched = output["files_searched"].as_u64().unwrap_or(0);
    let secret: Vec<String> = output["secret_files_left_out"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .map(one_line)
        .collect();
    let secret = (!secret.is_empty()).then(|| {
        format!("Left out, because they may hold secrets: {}. To search one, name it as the path.", secret.join(", "))
    });
    let note = output["note"].as_str();
    if searched == 0 {
        return format!("There was no file to search. {}", secret.as_deref().or(note).unwrap_or(SKIPPED_NOTE));
    }
    if let (Some(word), Some(nearest)) =
        (output["nearest"]["pattern"].as_str(), output["nearest"]["matches"].as_array())
    {
        let mut lines: Vec<String> = secret.into_iter().collect();
        lines.push(format!("No line of {searched} files contains {text:?}. The lines with {word:?}:"));
        add_matches(nearest, Form::Table, &mut lines);
        return lines.join("\n");
    }
    let total = output["total_matches"].as_u64().unwrap_or(0);
    let matches = output["matches"].as_array().map(Vec::as_slice).unwrap_or_default();
    let listed = total > 0 && total <= LINES_SHOWN as u64 && matches.len() as u64 == total;
    let mut lines: Vec<String> = secret.into_iter().chain(note.map(str::to_owned)).collect();
    let much = match (total, listed) {
        (0, _) | (_, true) => String::new(),
        (_, false) if matches.is_empty() => String::new(),
        // No sum: it was taken for the count of the first file.
        (_, false) => " (the lines are too many to list)".to_owned(),
    };
    // Lines around a match are shown to who asked for them; shown unasked, a small model takes them for matches.
    let asked_around = output["context_lines"].as_u64().is_some_and(|asked| asked > 0);
    let form = |beside_table: bool| match (asked_around, beside_table) {
        (true, _) => Form::Surrounded,
        (false, true) => Form::Lines,
        (false, false) => Form::Table,
    };
    match output["counts"].as_object() {
        Some(counts) if listed && total <= LINES_ALONE => lines.push(summed(counts, text, searched)),
        Some(counts) => {
            lines.push(format!("Lines with {text:?} in each of {searched} files, highest first{much}:"));
            add_counts(output, counts, searched, &mut lines);
        }
        None => lines.push(format!("{total} lines with {text:?} in {searched} files{much}.")),
    }
    if listed {
        lines.push("The lines:".to_owned());
        add_matches(matches, form(total > LINES_ALONE && output["counts"].is_object()), &mut lines);
    } else if output["counts"].is_null() && total > 0 {
        lines.push("The first lines:".to_owned());
        add_matches(&matches[..matches.len().min(LINES_SHOWN)], form(false), &mut lines);
    }
    lines.join("\n")
}

/// The counts in a sentence, where the lines follow: beside a table of lines, one of counts is taken for more of them.
fn summed(counts: &serde_json::Map<String, Value>, text: &str, searched: u64) -> String {
    let some = |(file, count): (&String, &Value)| match count.as_u64() {
        Some(0) | None => None,
        Some(1) => Some(format!("{} (1 line)", one_line(file))),
        Some(count) => Some(format!("{} ({count} lines)", one_line(file))),
    };
    let with: Vec<String> = counts.iter().filter_map(some).collect();
    let without: Vec<String> =
        counts.iter().filter(|(_, count)| count.as_u64() == Some(0)).map(|(file, _)| one_line(file)).collect();
    let found = format!("{text:?} is in {} of {searched} files: {}", with.len(), with.join(", "));
    match (without.len(), searched.saturating_sub(with.len() as u64)) {
        (_, 0) => format!("{found}."),
        (named, all) if named as u64 == all && named <= FILES_NAMED => {
            format!("{found}; not in {}.", without.join(", "))
        }
        (_, all) => format!("{found}; not in the {all} others."),
    }
}

/// Every file with a match is listed: who makes a table of them would leave out what is not. What is too long for a
/// model is cut where results are, and that is said.
fn add_counts(output: &Value, counts: &serde_json::Map<String, Value>, searched: u64, lines: &mut Vec<String>) {
    let nonzero = counts.values().filter(|count| count.as_u64() != Some(0)).count();
    let all = counts.len() <= COUNTS_SHOWN && counts.len() as u64 == searched;
    let shown = if all { counts.len() } else { nonzero };
    // A table, because that is what most people want made of it, and small models copy better than they convert.
    if shown > 0 {
        lines.push("| File | Lines |\n| --- | --- |".to_owned());
    }
    lines.extend(counts.iter().take(shown).map(|(file, count)| format!("| {} | {count} |", cell(file))));
    let left = searched.saturating_sub(shown as u64);
    let unknown = nonzero == counts.len() && output["counts_left_out"].as_u64().is_some_and(|left_out| left_out > 0);
    match (left, unknown) {
        (0, _) => {}
        (left, true) => lines.push(format!("[{left} more files are not listed; search fewer at once]")),
        (left, false) => lines.push(format!("[{left} more files: 0 each]")),
    }
}

/// A name or a line as a table's cell.
fn cell(name: &str) -> String {
    one_line(name).replace('|', "\\|")
}

/// How matching lines are written down.
#[derive(Clone, Copy, PartialEq)]
enum Form {
    Table,
    /// One below the other: two tables in one result are taken for one.
    Lines,
    /// One below the other, each with the lines around it.
    Surrounded,
}

fn add_matches(matches: &[Value], form: Form, lines: &mut Vec<String>) {
    if form == Form::Table {
        lines.push("| File | Line number | Text |\n| --- | --- | --- |".to_owned());
    }
    for found in matches {
        let file = found["file"].as_str().unwrap_or_default();
        let number = found["line_number"].as_u64().unwrap_or(0);
        let start = found["match_start"].as_u64().and_then(|at| usize::try_from(at).ok()).unwrap_or(0);
        let line = window(found["line"].as_str().unwrap_or_default(), start, LINE_WIDTH).0;
        if form == Form::Table {
            lines.push(format!("| {} | {number} | {} |", cell(file), cell(line.trim())));
            continue;
        }
        // `file:12:` was read as a count.
        lines.push(format!("{} line {number}: {}", one_line(file), one_line(line.trim())));
        if form == Form::Lines {
            continue;
        }
        let before = texts(&found["context_before"]);
        let first = number.saturating_sub(before.len() as u64);
        let lines_around =
            before.into_iter().zip(first..).chain(texts(&found["context_after"]).into_iter().zip(number + 1..));
        lines.extend(
            lines_around
                .filter(|(line, _)| !line.is_empty())
                .map(|(line, at)| format!("  beside it, line {at}: {line}")),
        );
    }
}

fn texts(lines: &Value) -> Vec<String> {
    let lines = lines.as_array().map(Vec::as_slice).unwrap_or_default();
    let texts = lines.iter().filter_map(Value::as_str);
    texts.map(|line| one_line(window(line.trim(), 0, LINE_WIDTH).0.as_str())).collect()
}
