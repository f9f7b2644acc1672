//! The set of templates: shipped ones, and those of a folder in place of them.

use std::collections::BTreeMap;
use std::io::ErrorKind as IoErrorKind;
use std::path::Path;

use assent_core::ids::Digest;
use assent_core::order::sort;
use minijinja::syntax::SyntaxConfig;
use minijinja::value::{Kwargs, Serde};
use minijinja::{
    AutoEscape, Environment, Error, ErrorKind, Template as MiniTemplate, UndefinedBehavior, Value, filters,
};
use serde::Serialize;
use thiserror::Error;

use super::agent::TemplateFault;
use super::{context, sandbox};
use crate::texts;

/// Every template file that is shipped, those without a context of their own included.
fn shipped() -> impl Iterator<Item = (&'static str, &'static str)> {
    texts::below("prompts")
}

/// The context of one template.
pub trait Template: Serialize {
    /// The file's name.
    const NAME: &'static str;
}

/// A finished text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rendered {
    /// The text.
    pub text: String,
    /// The template it was made from, with all that it includes: see [`Templates::source`].
    pub template: Digest,
}

/// Why there is no text.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PromptError {
    /// A template is no template, uses a name that it is not given, or includes one that is not there.
    #[error("{file}:{line}: {reason}; mend the file, or remove it to use the one that is shipped")]
    Broken {
        /// The file: its path, or its name when it is the shipped one.
        file: String,
        /// The line, from 1.
        line: usize,
        /// What is wrong.
        reason: String,
    },
    /// A file cannot be read.
    #[error("{file} cannot be read: {reason}")]
    Unreadable {
        /// The file.
        file: String,
        /// What the system said.
        reason: String,
    },
    /// The template of an agent.
    #[error(transparent)]
    Agent(#[from] TemplateFault),
}

/// Templates that have been read and compiled.
#[derive(Debug, Clone)]
pub struct Templates {
    environment: Environment<'static>,
    files: BTreeMap<&'static str, String>,
    digests: BTreeMap<&'static str, Digest>,
    sources: BTreeMap<Digest, String>,
}

impl Templates {
    /// The templates that are shipped.
    ///
    /// # Errors
    /// [`PromptError`] when one of them is broken; a test proves that none is.
    pub fn shipped() -> Result<Self, PromptError> {
        Self::compile(BTreeMap::new())
    }

    /// The templates that are shipped, with files of the same name in `folder` in place of them. A folder that is not
    /// there is an empty one.
    ///
    /// # Errors
    /// [`PromptError`] at the first file that cannot be used.
    pub fn with_overrides(folder: &Path) -> Result<Self, PromptError> {
        let mut overrides = BTreeMap::new();
        for (name, _) in shipped() {
            if let Some(found) = read(folder, name)? {
                overrides.insert(name, found);
            }
        }
        Self::compile(overrides)
    }

    /// Like [`Templates::with_overrides`], but a file that cannot be used is left out and reported, for callers that
    /// must go on and can show the report.
    ///
    /// # Errors
    /// [`PromptError`] only when the shipped templates themselves are broken.
    pub fn with_usable_overrides(folder: &Path) -> Result<(Self, Vec<PromptError>), PromptError> {
        let mut usable = BTreeMap::new();
        let mut left_out = Vec::new();
        for (name, _) in shipped() {
            match read(folder, name) {
                Ok(None) => {}
                Ok(Some(found)) => {
                    let mut tried = usable.clone();
                    tried.insert(name, found);
                    match Self::compile(tried.clone()) {
                        Ok(_) => usable = tried,
                        Err(error) => left_out.push(error),
                    }
                }
                Err(error) => left_out.push(error),
            }
        }
        Ok((Self::compile(usable)?, left_out))
    }

    /// The text of a template with its context.
    ///
    /// # Errors
    /// [`PromptError::Broken`] when an overriding template asks for something that its context does not have.
    pub fn render<T: Template>(&self, context: &T) -> Result<Rendered, PromptError> {
        let text = self
            .environment
            .get_template(T::NAME)
            .and_then(|template| template.render(Serde(context)))
            .map_err(|error| self.broken(T::NAME, &error))?;
        let template = self.digests.get(T::NAME).cloned().unwrap_or_else(|| Digest::of_bytes(b""));
        Ok(Rendered { text, template })
    }

    /// The text behind [`Rendered::template`]: the template, then those that it includes, for whoever wants to
    /// rebuild a request byte for byte.
    pub fn source(&self, template: &Digest) -> Option<&str> {
        self.sources.get(template).map(String::as_str)
    }

    /// What every template with a context of its own is made from: names and digests for [`Templates::source`].
    pub fn digests(&self) -> impl Iterator<Item = (&'static str, &Digest)> {
        self.digests.iter().map(|(name, digest)| (*name, digest))
    }

    fn compile(overrides: BTreeMap<&'static str, Override>) -> Result<Self, PromptError> {
        let mut templates = Self {
            environment: environment(),
            files: BTreeMap::new(),
            digests: BTreeMap::new(),
            sources: BTreeMap::new(),
        };
        let mut texts = BTreeMap::new();
        for (name, source) in shipped() {
            let (file, text) = match overrides.get(name) {
                Some(found) => (found.file.clone(), found.text.clone()),
                None => (name.to_owned(), source.to_owned()),
            };
            templates.files.insert(name, file);
            texts.insert(name, text.clone());
            let added = templates.environment.add_template_owned(name, text);
            added.map_err(|error| templates.broken(name, &error))?;
        }
        for (name, fields) in context::known() {
            templates.check_names(name, &texts[name], &fields)?;
            let whole = with_included(name, &texts);
            let digest = Digest::of_bytes(whole.as_bytes());
            templates.digests.insert(name, digest.clone());
            templates.sources.insert(digest, whole);
        }
        Ok(templates)
    }

    /// A template that uses an unknown name is found when it is read and not in the middle of a turn.
    fn check_names(&self, name: &'static str, text: &str, fields: &[String]) -> Result<(), PromptError> {
        let template = self.environment.get_template(name).map_err(|error| self.broken(name, &error))?;
        let fields: Vec<&str> = fields.iter().map(String::as_str).collect();
        let Err((line, reason)) = names_only(&template, text, &fields) else {
            return Ok(());
        };
        Err(PromptError::Broken { file: self.file(name), line, reason })
    }

    fn file(&self, name: &str) -> String {
        self.files.get(name).cloned().unwrap_or_else(|| name.to_owned())
    }

    /// The innermost place that the engine names: an error in an included template is reported there.
    fn broken(&self, name: &str, error: &Error) -> PromptError {
        let mut place = (error.name().unwrap_or(name).to_owned(), error.line().unwrap_or(1));
        let mut reason = reason(error);
        let mut cause = std::error::Error::source(error);
        while let Some(inner) = cause.and_then(|cause| cause.downcast_ref::<Error>()) {
            if let (Some(name), Some(line)) = (inner.name(), inner.line()) {
                place = (name.to_owned(), line);
            }
            reason = self::reason(inner);
            cause = std::error::Error::source(inner);
        }
        PromptError::Broken { file: self.file(&place.0), line: place.1, reason }
    }
}

#[derive(Debug, Clone)]
struct Override {
    file: String,
    text: String,
}

fn read(folder: &Path, name: &str) -> Result<Option<Override>, PromptError> {
    let path = folder.join(name);
    let file = path.display().to_string();
    match std::fs::read_to_string(&path) {
        Ok(text) => Ok(Some(Override { file, text })),
        Err(error) if matches!(error.kind(), IoErrorKind::NotFound | IoErrorKind::NotADirectory) => Ok(None),
        Err(error) => Err(PromptError::Unreadable { file, reason: error.to_string() }),
    }
}

/// Whether a template uses only known names; else the line, from 1, and what is wrong there.
pub(super) fn names_only(template: &MiniTemplate<'_, '_>, text: &str, known: &[&str]) -> Result<(), (usize, String)> {
    let mut unknown: Vec<String> =
        template.undeclared_variables(false).into_iter().filter(|used| !known.contains(&used.as_str())).collect();
    sort(&mut unknown);
    let Some(first) = unknown.first() else {
        return Ok(());
    };
    let line = text.lines().position(|line| line.contains('{') && line.contains(first.as_str())).unwrap_or(0) + 1;
    let reason = match known {
        [] => format!("there is no \"{first}\": nothing has a name here"),
        known => format!("there is no \"{first}\" here, only {}", known.join(", ")),
    };
    Err((line, reason))
}

pub(super) fn reason(error: &Error) -> String {
    match error.detail() {
        Some(detail) => format!("{}: {detail}", error.kind()),
        None => error.kind().to_string(),
    }
}

/// The usual delimiters, and blocks that leave no empty line behind.
pub(super) fn syntax() -> SyntaxConfig {
    // Only delimiters can make a syntax unusable, and these are the usual ones.
    SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build().unwrap_or_default()
}

/// What holds for every template: nothing is escaped, and a name that is not there is an error.
pub(super) fn settle(environment: &mut Environment<'_>) {
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_auto_escape_callback(|_| AutoEscape::None);
    environment.set_syntax(syntax());
}

fn environment() -> Environment<'static> {
    // What nobody uses of the many built-in filters is left out of the program.
    let mut environment = Environment::empty();
    settle(&mut environment);
    for (name, make) in sandbox::TEXTS {
        environment.add_filter(name, make);
    }
    sandbox::add_common(&mut environment);
    environment.add_filter("tojson", |value: &Value, options: Kwargs| to_json(value, &options));
    environment.add_filter("join", filters::join);
    environment.add_filter("replace", filters::replace);
    environment.add_filter("sort", filters::sort);
    environment.add_filter("upper", filters::upper);
    environment
}

/// What `tojson` gives: the usual filter escapes for HTML and may sort keys.
pub(super) fn to_json(value: &Value, options: &Kwargs) -> Result<String, Error> {
    let indent: Option<usize> = options.get("indent")?;
    options.assert_all_used()?;
    in_json(value, indent.is_some())
}

pub(super) fn plain(value: &Value) -> Result<serde_json::Value, Error> {
    serde_json::to_value(value).map_err(|error| Error::new(ErrorKind::BadSerialization, error.to_string()))
}

/// JSON with keys in their order and nothing escaped that need not be.
pub(super) fn in_json(value: &Value, pretty: bool) -> Result<String, Error> {
    let text = if pretty { serde_json::to_string_pretty(value) } else { serde_json::to_string(value) };
    text.map_err(|error| Error::new(ErrorKind::BadSerialization, error.to_string()))
}

/// A template's text followed by the texts of all that it includes, each once, in the order of their names.
fn with_included(name: &'static str, texts: &BTreeMap<&'static str, String>) -> String {
    let mut reached = vec![name];
    let mut at = 0;
    while let Some(current) = reached.get(at) {
        let text = texts[current].clone();
        for other in texts.keys() {
            if !reached.contains(other) && text.contains(&format!("include \"{other}\"")) {
                reached.push(other);
            }
        }
        at += 1;
    }
    sort(&mut reached[1..]);
    let mut whole = texts[name].clone();
    for other in &reached[1..] {
        whole.push_str(&format!("\n{{# {other} #}}\n"));
        whole.push_str(&texts[other]);
    }
    whole
}
