//! `grep`: lines that match, and the number of matching lines of every file searched.

use assent_core::contract::{Risk, ToolSpec};
use async_trait::async_trait;
use serde::Deserialize;
use serde_json::{Value, json};

use super::search::{Found, MOST_CONTEXT, Query, listed, present, search};
use super::{Stop, existing, in_workspace, spec, text_of, worked};
use crate::tool::workspace::Workspace;
use crate::tool::{CallContext, Effects, Outcome, Tool, ToolStop};

/// Searches the lines of all files.
pub struct Grep(ToolSpec);

impl Default for Grep {
    fn default() -> Self {
        let parameters = json!({
            "type": "object",
            "properties": {
                "pattern": {"type": "string", "description": "the text to look for"},
                "path": {"type": "string", "description": "file or folder; default: the workspace"},
                "case_sensitive": {"type": "boolean", "default": false},
                "regex": {"type": "boolean", "default": false, "description": "pattern is a regular expression"},
                "context_lines": {"type": "integer", "minimum": 0, "maximum": MOST_CONTEXT, "default": 2},
                "max_results": {"type": "integer", "minimum": 1, "default": 100},
                "files_only": {"type": "boolean", "default": false, "description": "no lines, only counts"}
            },
            "required": ["pattern"],
            "additionalProperties": false
        });
        let description = "Find and count the lines that contain a text, in all files; writes no file. \
            Gives the number of matching lines of every file, then the lines. \
            Take the shortest form of a word: error also finds errors.";
        Self(spec("grep", Risk::Read, description, parameters))
    }
}

#[derive(Deserialize)]
struct Arguments {
    pattern: String,
    path: Option<String>,
    #[serde(default)]
    case_sensitive: bool,
    #[serde(default)]
    regex: bool,
    #[serde(default = "default_context_lines")]
    context_lines: usize,
    #[serde(default = "default_max_results")]
    max_results: usize,
    #[serde(default)]
    files_only: bool,
}

fn default_context_lines() -> usize {
    2
}

fn default_max_results() -> usize {
    100
}

#[async_trait]
impl Tool for Grep {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    fn essentials(&self) -> &'static [&'static str] {
        &["pattern"]
    }

    fn effects(&self, arguments: &Value) -> Effects {
        Effects { reads: text_of(arguments, "path").into_iter().collect(), ..Effects::none(Risk::Read) }
    }

    async fn call(&self, arguments: Value, context: &CallContext) -> Result<Outcome, ToolStop> {
        in_workspace(arguments, context, grep)
    }

    fn sought(&self, arguments: &Value) -> Option<String> {
        text_of(arguments, "pattern")
    }

    fn listed(&self, output: &Value) -> Vec<String> {
        listed(output)
    }

    fn present(&self, output: &Value) -> String {
        present(output)
    }
}

fn grep(arguments: Arguments, workspace: &Workspace, context: &CallContext) -> Result<Outcome, Stop> {
    let query = Query {
        text: &arguments.pattern,
        regex: arguments.regex,
        case_sensitive: arguments.case_sensitive,
        context_lines: arguments.context_lines,
        max_results: if arguments.files_only { 0 } else { arguments.max_results },
        mask: &context.mask,
    };
    let start = existing(workspace, arguments.path.as_deref().unwrap_or("."))?;
    let found = search(workspace, &start, &query, &context.cancel, |_| true)?;
    let mut output = json!({
        "pattern": arguments.pattern,
        "counts": found.counts_object(),
        "matches": found.matches,
        "files_with_matches": found.files_with_matches(),
        "files_searched": found.counts.len(),
        "total_matches": found.total(),
        "truncated": found.cut || (!arguments.files_only && found.truncated()),
    });
    if found.total() == 0 && !arguments.regex && !looks_like_a_regex(&arguments.pattern) {
        let by_word = |word: &str| search(workspace, &start, &Query { text: word, ..query }, &context.cancel, |_| true);
        if let Some((word, nearest)) = rarest_word(&arguments.pattern, by_word)? {
            output["nearest"] = json!({"pattern": word, "matches": nearest.matches});
        }
    }
    if arguments.context_lines != default_context_lines() {
        output["context_lines"] = arguments.context_lines.into();
    }
    if found.counts_left_out() > 0 {
        output["counts_left_out"] = found.counts_left_out().into();
    }
    if !found.secret.is_empty() {
        output["secret_files_left_out"] = json!(found.secret);
    }
    if found.skipped > 0 {
        output["files_skipped"] = found.skipped.into();
    }
    if found.total() == 0 && !arguments.regex && looks_like_a_regex(&arguments.pattern) {
        output["note"] = "The pattern was taken word for word; set regex to true for a regular expression.".into();
    }
    Ok(worked(output))
}

/// Words of a pattern that are tried, letters that such a word has at least, and lines that are few enough to be told.
const WORDS: usize = 6;
const LETTERS: usize = 3;
const FEW: u64 = 12;

/// The lines with that word of several which the fewest lines have. A phrase that was made up stands in no line, the
/// rare word of it often where the answer is. Nothing for one word, or where too many lines have each of them.
fn rarest_word(pattern: &str, search: impl Fn(&str) -> Result<Found, Stop>) -> Result<Option<(String, Found)>, Stop> {
    let words = pattern.split(|sign: char| !sign.is_alphanumeric()).filter(|word| word.chars().count() >= LETTERS);
    let words: Vec<&str> = words.collect();
    let mut rarest: Option<(String, Found)> = None;
    if words.len() < 2 {
        return Ok(None);
    }
    for word in words.into_iter().take(WORDS) {
        let found = search(word)?;
        let is_rarer = rarest.as_ref().is_none_or(|(_, known)| found.total() < known.total());
        if (1..=FEW).contains(&found.total()) && is_rarer {
            rarest = Some((word.to_owned(), found));
        }
    }
    Ok(rarest)
}

fn looks_like_a_regex(pattern: &str) -> bool {
    ["|", ".*", ".+", "\\", "[", "^", "$", "(?"].iter().any(|sign| pattern.contains(sign))
}
