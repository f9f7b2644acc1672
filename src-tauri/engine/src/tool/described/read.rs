//! Reading descriptions: what is not usable is left out with a reason, and nothing fails as a whole.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use assent_core::contract::{Risk, Schema, is_unseen, one_line};
use assent_core::ids::Digest;
use serde_json::{Value, json};

use super::template::Template;
use super::{Checked, LeftOutTool, SourceError, unreadable};
use crate::tool::meta::is_meta;

/// Tools of one source.
const MOST_TOOLS: usize = 20_000;
/// Bytes of one file.
const MOST_BYTES: u64 = 32 << 20;
/// Characters of a description that are kept, and of what is said of a parameter.
const MOST_DESCRIPTION: usize = 2_000;
const MOST_NOTE: usize = 300;
/// Bytes of a schema, and objects inside one another.
const MOST_SCHEMA: usize = 32 * 1024;
const MOST_DEPTH: usize = 24;
/// Characters of a name.
const MOST_NAME: usize = 64;
/// Characters that tell why something was left out, and how much of that is told one by one.
const MOST_REASON: usize = 300;
const MOST_LEFT_OUT: usize = 500;

/// The usable tools of a folder, and the others.
pub(super) fn folder(folder: &Path) -> Result<(Vec<Checked>, Vec<LeftOutTool>), SourceError> {
    let files = files(folder)?;
    let (mut tools, mut left_out, mut names) = (Vec::new(), LeftOut::default(), BTreeSet::new());
    for path in files {
        let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let found = match read(&path) {
            Ok(Value::Array(found)) => found,
            Ok(one) => vec![one],
            Err(reason) => {
                left_out.add(&file, None, &reason);
                continue;
            }
        };
        for description in found {
            let name = description.get("name").and_then(Value::as_str).map(|name| one_line(name, MOST_NAME));
            let checked = check(description).and_then(|checked| {
                if tools.len() >= MOST_TOOLS {
                    Err(format!("a source has at most {MOST_TOOLS} tools"))
                } else if names.insert(checked.name.clone()) {
                    Ok(checked)
                } else {
                    Err("the source has another tool of that name; the first stays".to_owned())
                }
            });
            match checked {
                Ok(checked) => tools.push(checked),
                Err(reason) => left_out.add(&file, name, &reason),
            }
        }
    }
    Ok((tools, left_out.told()))
}

/// What was left out, as far as it is told one by one: a file may hold millions of things that are no tools.
#[derive(Default)]
struct LeftOut {
    told: Vec<LeftOutTool>,
    /// How much more there is, and the file of the first of it.
    more: Option<(usize, String)>,
}

impl LeftOut {
    /// What is said of it holds what somebody wrote: names of files and errors do too.
    fn add(&mut self, file: &str, name: Option<String>, reason: &str) {
        if self.told.len() < MOST_LEFT_OUT {
            let (file, reason) = (one_line(file, MOST_REASON), one_line(reason, MOST_REASON));
            self.told.push(LeftOutTool { file, name, reason });
            return;
        }
        let (many, _) = self.more.get_or_insert_with(|| (0, one_line(file, MOST_REASON)));
        *many += 1;
    }

    fn told(mut self) -> Vec<LeftOutTool> {
        let more = self.more.map(|(many, file)| {
            let reason = format!("and {many} more that cannot be used, from here on");
            LeftOutTool { file, name: None, reason }
        });
        self.told.extend(more);
        self.told
    }
}

/// The files of a folder that hold descriptions.
pub(super) fn files(folder: &Path) -> Result<BTreeSet<PathBuf>, SourceError> {
    let entries = std::fs::read_dir(folder).map_err(|error| unreadable(folder.display(), &error))?;
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    Ok(paths.filter(|path| path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("json"))).collect())
}

fn read(path: &Path) -> Result<Value, String> {
    let metadata = std::fs::metadata(path).map_err(|error| error.to_string())?;
    if !metadata.is_file() {
        return Err("it is no file".to_owned());
    }
    let mut bytes = Vec::new();
    let opened = File::open(path).and_then(|file| file.take(MOST_BYTES + 1).read_to_end(&mut bytes));
    opened.map_err(|error| error.to_string())?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err(format!("it is larger than {} MiB", MOST_BYTES >> 20));
    }
    serde_json::from_slice(&bytes).map_err(|error| format!("it is no JSON: {error}"))
}

fn check(description: Value) -> Result<Checked, String> {
    let Value::Object(mut fields) = description else {
        return Err("it is no object with name, description, parameters and command or http".to_owned());
    };
    let name = fields.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
    if !is_name(&name) || is_meta(&name) {
        return Err(format!(
            "{:?} is no name for a tool: use up to {MOST_NAME} letters, digits, _, - and ., beginning with a letter",
            one_line(&name, MOST_NAME)
        ));
    }
    let said = fields.get("description").and_then(Value::as_str).unwrap_or_default();
    let description = one_line(said, MOST_DESCRIPTION);
    if description.is_empty() {
        return Err("it does not say what it does".to_owned());
    }
    let risk = match fields.get("risk") {
        None | Some(Value::Null) => None,
        Some(risk) => Some(serde_json::from_value::<Risk>(risk.clone()).map_err(|error| format!("its risk: {error}"))?),
    };
    let parameters = parameters(fields.remove("parameters").unwrap_or(Value::Null))?;
    let does = [fields.remove("command"), fields.remove("http")];
    let digest = Digest::of_json(&json!(does));
    let [command, http] = does;
    let template = Template::read(command, http, &parameters)?;
    Ok(Checked { name, description, parameters, risk, template, digest })
}

fn is_name(name: &str) -> bool {
    let allowed = |letter: char| letter.is_ascii_alphanumeric() || "_-.".contains(letter);
    name.starts_with(|letter: char| letter.is_ascii_alphabetic())
        && name.len() <= MOST_NAME
        && name.chars().all(allowed)
        && !name.contains("..")
        && !name.ends_with('.')
}

/// Parameters as they may be shown and checked: an object, within bounds, compiled once. None at all are none.
fn parameters(schema: Value) -> Result<Value, String> {
    let mut schema = match schema {
        Value::Null => json!({"type": "object", "properties": {}}),
        Value::Object(fields) if fields.is_empty() => json!({"type": "object", "properties": {}}),
        other => other,
    };
    if let Some(fields) = schema.as_object_mut() {
        // What stands at the top is always the arguments of a call.
        fields.entry("type").or_insert_with(|| json!("object"));
        // The rules of no draft but the newest, which hold anyway.
        let rules = fields.get("$schema").and_then(Value::as_str).unwrap_or_default();
        if rules.trim_end_matches('#').ends_with("://json-schema.org/schema") {
            fields.shift_remove("$schema");
        }
    }
    if schema.get("type") != Some(&json!("object")) {
        return Err("its parameters are no schema of an object".to_owned());
    }
    clean(&mut schema, Part::Schema, MOST_DEPTH)?;
    let size = schema.to_string().len();
    if size > MOST_SCHEMA {
        return Err(format!("the schema of its parameters has {size} bytes, at most {MOST_SCHEMA}"));
    }
    // References become places in it, whatever its parts are called: nothing is fetched by a name, and who reads the
    // schema knows places alone.
    let schema = Schema::compile_foreign(schema).map_err(|error| one_line(&error.to_string(), MOST_NOTE))?;
    leads_out(schema.source(), Part::Schema)?;
    Ok(schema.source().clone())
}

/// What a part of a schema is, which decides what may be done to its texts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    /// A schema, or a list of them: what it says in prose is cut and cleaned.
    Schema,
    /// Names of somebody's own, each with a schema: one that is named `description` says nothing in prose.
    Names,
    /// Values, which are what they are: changed, they would be others.
    Values,
}

impl Part {
    /// What stands below a keyword of a schema.
    fn below(self, key: &str) -> Self {
        match (self, key) {
            (Self::Values, _) | (Self::Schema, "enum" | "const" | "default" | "examples") => Self::Values,
            (
                Self::Schema,
                "properties" | "patternProperties" | "$defs" | "definitions" | "dependentSchemas" | "dependentRequired",
            ) => Self::Names,
            (Self::Schema | Self::Names, _) => Self::Schema,
        }
    }
}

/// What a schema says in prose.
const PROSE: [&str; 3] = ["title", "description", "$comment"];

/// Cuts and cleans what is said in prose, leaves all other texts as they are, and refuses what is too deep, or has
/// characters that are not seen.
fn clean(schema: &mut Value, part: Part, depth: usize) -> Result<(), String> {
    if depth == 0 {
        return Err(format!("the schema of its parameters is more than {MOST_DEPTH} levels deep"));
    }
    match schema {
        Value::Object(fields) => {
            for (key, value) in fields {
                if key.chars().any(is_unseen) || key.chars().count() > MOST_NAME * 2 {
                    return Err(format!("{:?} is no name for a parameter", one_line(key, MOST_NAME)));
                }
                match value {
                    Value::String(text) if part == Part::Schema && PROSE.contains(&key.as_str()) => {
                        if text.chars().any(is_unseen) || text.chars().count() > MOST_NOTE {
                            *text = one_line(text, MOST_NOTE);
                        }
                    }
                    value => clean(value, part.below(key), depth - 1)?,
                }
            }
        }
        Value::Array(items) => items.iter_mut().try_for_each(|item| clean(item, part, depth - 1))?,
        Value::String(text) if text.chars().any(is_hidden) => {
            return Err(format!(
                "the schema of its parameters has characters that are not seen: {:?}",
                one_line(text, MOST_NAME)
            ));
        }
        _ => {}
    }
    Ok(())
}

/// Refuses what is left of references that are no places in the document, and of names for parts of it.
fn leads_out(schema: &Value, part: Part) -> Result<(), String> {
    match schema {
        Value::Object(fields) => {
            let named = ["$ref", "$dynamicRef", "$recursiveRef", "$id"].into_iter().filter(|_| part == Part::Schema);
            let mut targets = named.filter_map(|key| fields.get(key)?.as_str());
            if let Some(target) = targets.find(|target| !target.starts_with('#')) {
                let target = one_line(target, MOST_NAME);
                return Err(format!("the schema of its parameters refers to another document: {target}"));
            }
            fields.iter().try_for_each(|(key, value)| leads_out(value, part.below(key)))
        }
        Value::Array(items) => items.iter().try_for_each(|item| leads_out(item, part)),
        _ => Ok(()),
    }
}

/// What is not seen in a value, where lines may end, and letters and pictures are joined by characters of their own.
fn is_hidden(letter: char) -> bool {
    is_unseen(letter) && !matches!(letter, '\n' | '\r' | '\t' | '\u{200c}' | '\u{200d}')
}
