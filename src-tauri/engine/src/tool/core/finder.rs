//! `finder`: lines that match, in files of a kind.

use assent_core::contract::{Risk, ToolSpec};
use async_trait::async_trait;
use serde::Deserialize;
use serde_json::{Value, json};

use super::search::{Globs, MOST_CONTEXT, Query, listed, present, search};
use super::{Stop, existing, in_workspace, spec, text_of, worked};
use crate::tool::workspace::Workspace;
use crate::tool::{CallContext, Effects, Outcome, Tool, ToolStop};

/// Every kind of file with all its extensions.
const FILE_TYPES: [(&str, &[&str]); 22] = [
    ("rust", &["rs"]),
    ("python", &["py", "pyi", "pyw"]),
    ("javascript", &["js", "jsx", "mjs", "cjs"]),
    ("typescript", &["ts", "tsx", "mts", "cts"]),
    ("java", &["java"]),
    ("kotlin", &["kt", "kts"]),
    ("scala", &["scala", "sc"]),
    ("go", &["go"]),
    ("c", &["c", "h"]),
    ("cpp", &["cpp", "cc", "cxx", "hpp", "hh", "hxx", "h"]),
    ("csharp", &["cs", "csx"]),
    ("ruby", &["rb", "rake", "gemspec"]),
    ("php", &["php", "phtml"]),
    ("swift", &["swift"]),
    ("shell", &["sh", "bash", "zsh", "fish"]),
    ("sql", &["sql"]),
    ("html", &["html", "htm", "xhtml"]),
    ("css", &["css", "scss", "sass", "less"]),
    ("json", &["json", "jsonl", "jsonc"]),
    ("yaml", &["yaml", "yml"]),
    ("toml", &["toml"]),
    ("markdown", &["md", "markdown", "mdx"]),
];

/// Searches the lines of some files.
pub struct Finder(ToolSpec);

impl Default for Finder {
    fn default() -> Self {
        let types: Vec<&str> = FILE_TYPES.iter().map(|(name, _)| *name).collect();
        let parameters = json!({
            "type": "object",
            "properties": {
                "query": {"type": "string", "description": "the text to look for"},
                "path": {"type": "string", "description": "file or folder; default: the workspace"},
                "file_pattern": {"type": "string", "description": "only files such as *.py"},
                "file_type": {"enum": types, "description": "only files of this kind"},
                "case_sensitive": {"type": "boolean", "default": false},
                "regex": {"type": "boolean", "default": false, "description": "query is a regular expression"},
                "context_lines": {"type": "integer", "minimum": 0, "maximum": MOST_CONTEXT, "default": 3},
                "max_results": {"type": "integer", "minimum": 1, "default": 100},
                "exclude": {"type": "array", "items": {"type": "string"}, "description": "patterns to leave out"}
            },
            "required": ["query"],
            "additionalProperties": false
        });
        let description = "Find lines that contain a text, only in files of one kind, such as *.py.";
        Self(spec("finder", Risk::Read, description, parameters))
    }
}

#[derive(Deserialize)]
struct Arguments {
    query: String,
    path: Option<String>,
    file_pattern: Option<String>,
    file_type: Option<String>,
    #[serde(default)]
    case_sensitive: bool,
    #[serde(default)]
    regex: bool,
    #[serde(default = "default_context_lines")]
    context_lines: usize,
    #[serde(default = "default_max_results")]
    max_results: usize,
    #[serde(default)]
    exclude: Vec<String>,
}

fn default_context_lines() -> usize {
    3
}

fn default_max_results() -> usize {
    100
}

#[async_trait]
impl Tool for Finder {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    fn essentials(&self) -> &'static [&'static str] {
        &["query", "file_pattern"]
    }

    fn effects(&self, arguments: &Value) -> Effects {
        Effects { reads: text_of(arguments, "path").into_iter().collect(), ..Effects::none(Risk::Read) }
    }

    async fn call(&self, arguments: Value, context: &CallContext) -> Result<Outcome, ToolStop> {
        in_workspace(arguments, context, find)
    }

    fn sought(&self, arguments: &Value) -> Option<String> {
        text_of(arguments, "query")
    }

    fn listed(&self, output: &Value) -> Vec<String> {
        listed(output)
    }

    fn present(&self, output: &Value) -> String {
        present(output)
    }
}

fn find(arguments: Arguments, workspace: &Workspace, context: &CallContext) -> Result<Outcome, Stop> {
    let query = Query {
        text: &arguments.query,
        regex: arguments.regex,
        case_sensitive: arguments.case_sensitive,
        context_lines: arguments.context_lines,
        max_results: arguments.max_results,
        mask: &context.mask,
    };
    let extensions = arguments.file_type.as_deref().map(extensions_of).transpose()?;
    let pattern = arguments.file_pattern.as_deref().map(|text| Globs::new([text], workspace.root())).transpose()?;
    let unwanted = Globs::new(arguments.exclude.iter().map(String::as_str), workspace.root())?;
    let start = existing(workspace, arguments.path.as_deref().unwrap_or("."))?;
    let found = search(workspace, &start, &query, &context.cancel, |file| {
        let extension = file.from_start.extension().map(|extension| extension.to_string_lossy().to_lowercase());
        extensions.is_none_or(|wanted| extension.is_some_and(|extension| wanted.contains(&extension.as_str())))
            && pattern.as_ref().is_none_or(|pattern| pattern.matches(&file.from_start))
            && !unwanted.covers(&file.from_start)
    })?;
    let mut output = json!({
        "query": arguments.query,
        "matches": found.matches,
        "files_searched": found.counts.len(),
        "total_matches": found.total(),
        "truncated": found.truncated(),
    });
    if !found.secret.is_empty() {
        output["secret_files_left_out"] = json!(found.secret);
    }
    if arguments.context_lines != default_context_lines() {
        output["context_lines"] = arguments.context_lines.into();
    }
    let filters = [arguments.file_pattern.as_deref(), arguments.file_type.as_deref()];
    if found.counts.is_empty() && filters.iter().any(Option::is_some) {
        let filters: Vec<&str> = filters.into_iter().flatten().collect();
        output["note"] =
            format!("No file is one of {}; leave that out to search all files.", filters.join(", ")).into();
    }
    Ok(worked(output))
}

fn extensions_of(name: &str) -> Result<&'static [&'static str], Stop> {
    let known = FILE_TYPES.iter().find(|(kind, _)| *kind == name);
    known.map(|(_, extensions)| *extensions).ok_or_else(|| Stop::Told(format!("there is no file type {name}")))
}
