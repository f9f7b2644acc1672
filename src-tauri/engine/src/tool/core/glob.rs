//! `glob`: files whose path matches a pattern.

use std::ops::ControlFlow;

use assent_core::contract::{Risk, ToolSpec};
use async_trait::async_trait;
use serde::Deserialize;
use serde_json::{Value, json};

use super::search::{Globs, SKIPPED_NOTE};
use super::{Stop, existing, in_workspace, spec, text_of, worked};
use crate::texts::literal;
use crate::tool::present::one_line;
use crate::tool::workspace::{Walk, Workspace};
use crate::tool::{CallContext, Effects, Outcome, Tool, ToolStop};

/// More names than this are never given.
const MOST: usize = 10_000;

/// Lists files by pattern.
pub struct Glob(ToolSpec);

impl Default for Glob {
    fn default() -> Self {
        let parameters = literal!({
            "type": "object",
            "properties": {
                "pattern": {"type": "string", "description": "such as *.csv (in all folders) or docs/**/*.md"},
                "path": {"type": "string", "description": "folder to look in; default: the workspace"},
                "max_results": {"type": "integer", "minimum": 1, "default": 1000},
                "include_dirs": {"type": "boolean", "default": false},
                "exclude": {"type": "array", "items": {"type": "string"}, "description": "patterns to leave out"}
            },
            "required": ["pattern"],
            "additionalProperties": false
        });
        let description = "List the files whose path matches a pattern such as *.csv. Gives names only, not contents.";
        Self(spec("glob", Risk::Read, description, parameters))
    }
}

#[derive(Deserialize)]
struct Arguments {
    pattern: String,
    path: Option<String>,
    #[serde(default = "default_max_results")]
    max_results: usize,
    #[serde(default)]
    include_dirs: bool,
    #[serde(default)]
    exclude: Vec<String>,
}

fn default_max_results() -> usize {
    1000
}

#[async_trait]
impl Tool for Glob {
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
        in_workspace(arguments, context, list)
    }

    fn listed(&self, output: &Value) -> Vec<String> {
        let files = output["files"].as_array().map(Vec::as_slice).unwrap_or_default();
        files.iter().filter_map(Value::as_str).map(str::to_owned).collect()
    }

    fn present(&self, output: &Value) -> String {
        let files = output["files"].as_array().map(Vec::as_slice).unwrap_or_default();
        let pattern = output["pattern"].as_str().unwrap_or_default();
        if files.is_empty() {
            let whole = if pattern.contains(['*', '?', '[', '{']) {
                String::new()
            } else {
                format!("Without a * it is a whole name: *{pattern} finds the names that end like this. ")
            };
            return format!("No file matches {pattern}. {whole}{SKIPPED_NOTE}");
        }
        let names: Vec<String> = files.iter().filter_map(Value::as_str).map(one_line).collect();
        let total = &output["total_matches"];
        let head = match output["truncated"].as_bool() {
            Some(true) => format!("{total} match {pattern}, the first {}:", names.len()),
            _ => format!("{total} match {pattern}:"),
        };
        format!("{head}\n{}", names.join("\n"))
    }
}

fn list(arguments: Arguments, workspace: &Workspace, context: &CallContext) -> Result<Outcome, Stop> {
    if arguments.pattern.trim().is_empty() {
        return Err(Stop::Told("the pattern is empty: give one such as *.csv".to_owned()));
    }
    let wanted = Globs::new([arguments.pattern.as_str()], workspace.root())?;
    let unwanted = Globs::new(arguments.exclude.iter().map(String::as_str), workspace.root())?;
    let start = existing(workspace, arguments.path.as_deref().unwrap_or("."))?;
    let most = arguments.max_results.min(MOST);
    let mut files = Vec::new();
    let mut total: u64 = 0;
    let walk = workspace.walk(&start, &context.cancel, |found| {
        let wanted = (arguments.include_dirs || !found.is_folder) && wanted.matches(&found.from_start);
        if wanted && !unwanted.covers(&found.from_start) {
            total += 1;
            if files.len() < most {
                files.push(found.place.shown());
            }
        }
        ControlFlow::Continue(())
    });
    if walk == Walk::Cancelled {
        return Err(Stop::Cancelled);
    }
    Ok(worked(json!({
        "pattern": arguments.pattern,
        "truncated": walk == Walk::Cut || total > files.len() as u64,
        "files": files,
        "total_matches": total,
    })))
}
