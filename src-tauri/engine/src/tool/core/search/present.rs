//! What a model reads of a search: counts first, then the lines, with their surroundings only where they are few.

use serde_json::Value;

use super::SKIPPED_NOTE;
use crate::tool::present::{one_line, window};

/// Lines that are shown; all of them are in the output.
const LINES_SHOWN: usize = 30;
/// Counts that are shown before zeros are summed up.
const COUNTS_SHOWN: usize = 60;
/// With more matches the lines around them are left out.
const FEW: usize = 5;
/// Characters of a line that are shown.
const LINE_WIDTH: usize = 200;

/// The output of `grep` (with `pattern`) or `finder` (with `query`) as text.
pub(in crate::tool::core) fn present(output: &Value) -> String {
    let text = output["pattern"].as_str().or(output["query"].as_str()).unwrap_or_default();
    let total = output["total_matches"].as_u64().unwrap_or(0);
    let searched = output["files_searched"].as_u64().unwrap_or(0);
    if searched == 0 {
        return format!("There was no file to search. {SKIPPED_NOTE}");
    }
    let mut lines = Vec::new();
    counts(output, text, searched, &mut lines);
    if let Some(note) = output["note"].as_str() {
        lines.push(note.to_owned());
    }
    matches(output, total, &mut lines);
    lines.join("\n")
}

fn counts(output: &Value, text: &str, searched: u64, lines: &mut Vec<String>) {
    let Some(counts) = output["counts"].as_object() else {
        lines.push(format!("Lines with {text:?} in {searched} files:"));
        return;
    };
    lines.push(match searched {
        1 => format!("Number of lines with {text:?}:"),
        _ => format!("Number of lines with {text:?} in each of {searched} files, highest first:"),
    });
    let nonzero = counts.values().filter(|count| count.as_u64() != Some(0)).count();
    let shown = if counts.len() <= COUNTS_SHOWN { counts.len() } else { nonzero.min(COUNTS_SHOWN) };
    lines.extend(counts.iter().take(shown).map(|(file, count)| format!("{}: {count}", one_line(file))));
    let more = nonzero.saturating_sub(shown);
    if more > 0 {
        lines.push(format!("[{more} more files with matches are left out]"));
    }
    let zeros = searched.saturating_sub(nonzero.max(shown) as u64);
    if zeros > 0 {
        lines.push(format!("0 in each of the other {zeros} files"));
    }
}

fn matches(output: &Value, total: u64, lines: &mut Vec<String>) {
    let matches = output["matches"].as_array().map(Vec::as_slice).unwrap_or_default();
    if total == 0 || matches.is_empty() {
        lines.push(format!("Total: {total} lines."));
        return;
    }
    let shown = matches.len().min(LINES_SHOWN);
    lines.push(match shown as u64 == total {
        true => format!("Total: {total} lines. The lines:"),
        false => format!("Total: {total} lines. The first {shown} lines:"),
    });
    let around = matches.len() <= FEW;
    for found in &matches[..shown] {
        let file = one_line(found["file"].as_str().unwrap_or_default());
        let number = found["line_number"].as_u64().unwrap_or(0);
        if around {
            let before = texts(&found["context_before"]);
            let first = number.saturating_sub(before.len() as u64);
            lines.extend(before.iter().zip(first..).map(|(line, at)| format!("{file}-{at}- {line}")));
        }
        let start = found["match_start"].as_u64().and_then(|at| usize::try_from(at).ok()).unwrap_or(0);
        let line = window(found["line"].as_str().unwrap_or_default(), start, LINE_WIDTH).0;
        lines.push(format!("{file}:{number}: {}", one_line(line.trim())));
        if around {
            let after = texts(&found["context_after"]);
            lines.extend(after.iter().zip(number + 1..).map(|(line, at)| format!("{file}-{at}- {line}")));
        }
    }
}

fn texts(lines: &Value) -> Vec<String> {
    let lines = lines.as_array().map(Vec::as_slice).unwrap_or_default();
    let texts = lines.iter().filter_map(Value::as_str);
    texts.map(|line| one_line(window(line.trim_end(), 0, LINE_WIDTH).0.as_str())).collect()
}
