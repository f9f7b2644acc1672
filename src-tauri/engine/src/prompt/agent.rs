//! The user message of an agent: the task and its context, by the agent's own template or by the one for all.
//!
//! A template of a pack is not trusted. It sees the task and the context, and nothing else; what it may be made of, how
//! long it may go on and how much it may write is bounded: see [`super::sandbox`].

use std::io::{self, Write};

use assent_core::contract::{Resolved, resolved_properties, sample_of};
use indexmap::IndexMap;
use minijinja::value::Serde;
use minijinja::{Environment, Error, ErrorKind};
use serde::Serialize;
use serde_json::{Map, Value, json};
use thiserror::Error as ThisError;

use super::sandbox;
use super::templates::{self, PromptError, Templates};

/// Bytes that one rendering may write.
const MOST_BYTES: usize = sandbox::MOST_MADE;

/// Bytes of a template.
const MOST_SOURCE: usize = 64 << 10;

/// What every template of an agent may name, beside the values of its contract.
const GIVEN: [&str; 2] = ["task", "context"];

/// The user message where an agent has no template, or its template needs what is not there.
#[derive(Debug, Clone, Default, Serialize)]
pub struct DefaultUserPrompt<'a> {
    /// What it is to do.
    pub task: &'a str,
    /// The values it is given.
    pub context: Value,
}

/// What an agent is told beside what every step is: the end of its system message.
#[derive(Debug, Clone, Default, Serialize)]
pub struct AgentSystem<'a> {
    /// The agent's own prompt.
    pub prompt: Option<&'a str>,
    /// What its last reply has to fit.
    pub output: Option<&'a Value>,
    /// The context as JSON.
    pub context: Option<&'a str>,
}

/// Why the template of an agent cannot be used, always or with this context.
#[derive(Debug, Clone, PartialEq, Eq, ThisError)]
#[error("{file}:{line}: {reason}; mend the file")]
pub struct TemplateFault {
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// What is wrong.
    pub reason: String,
    /// Whether it is about the values of this context, so that others might do.
    pub of_values: bool,
}

/// The template of an agent's user message, as a pack writes it.
#[derive(Debug, Clone, Copy)]
pub struct AgentTemplate<'a> {
    /// The file, for those who mend it.
    pub file: &'a str,
    /// Its text.
    pub source: &'a str,
    /// The contract whose values it may name.
    pub contract: Option<&'a Value>,
}

/// The user message of an agent: the task unchanged where there is no context, else by `template`, else by the default
/// one.
///
/// # Errors
/// [`PromptError`] where the template cannot be rendered with this context.
pub fn build_user_prompt(
    templates: &Templates,
    template: Option<&AgentTemplate<'_>>,
    task: &str,
    context: Option<&Map<String, Value>>,
) -> Result<String, PromptError> {
    let Some(context) = context.filter(|context| !context.is_empty()) else {
        return Ok(task.to_owned());
    };
    match template {
        Some(template) => Ok(template.render(task, context)?),
        None => Ok(templates.render(&DefaultUserPrompt { task, context: Value::Object(context.clone()) })?.text),
    }
}

impl AgentTemplate<'_> {
    /// Whether it is a template that names only what it will be given.
    ///
    /// # Errors
    /// The line and what is wrong there.
    pub fn check(&self) -> Result<(), TemplateFault> {
        if self.source.len() > MOST_SOURCE {
            return Err(self.broken(1, format!("it has {} bytes, at most {MOST_SOURCE}", self.source.len())));
        }
        let environment = self.environment()?;
        let template = environment.get_template(self.file).map_err(|error| self.wrong(&error))?;
        let properties = self.properties();
        let known: Vec<&str> = GIVEN.into_iter().chain(properties.keys().map(|name| name.as_str())).collect();
        templates::names_only(&template, self.source, &known).map_err(|(line, reason)| self.broken(line, reason))?;
        // Everything that the contract describes is there once: what still fails would fail always.
        let whole = match self.contract.map(sample_of) {
            Some(Value::Object(fields)) => fields,
            _ => Map::new(),
        };
        match self.render("task", &whole) {
            Err(error) if !error.of_values => Err(error),
            _ => Ok(()),
        }
    }

    /// The text for a task and a context. Values of the contract that are not in the context have their default, or are
    /// empty.
    ///
    /// # Errors
    /// What the template asks for and this context does not have; a template that goes on too long or writes too much.
    pub fn render(&self, task: &str, context: &Map<String, Value>) -> Result<String, TemplateFault> {
        let environment = self.environment()?;
        let template = environment.get_template(self.file).map_err(|error| self.wrong(&error))?;
        let mut given: Map<String, Value> =
            self.properties().into_iter().map(|(name, property)| (name.clone(), empty(&property))).collect();
        for (name, value) in &mut given {
            if let Some(there) = context.get(name) {
                value.clone_from(there);
            }
        }
        given.insert("task".to_owned(), json!(task));
        given.insert("context".to_owned(), Value::Object(context.clone()));
        let mut written = Bounded::default();
        template.render_captured_to(Serde(&given), &mut written).map_err(|error| self.wrong(&error))?;
        Ok(String::from_utf8_lossy(&written.0).into_owned())
    }

    fn environment(&self) -> Result<Environment<'static>, TemplateFault> {
        sandbox::check(self.source, self.file).map_err(|(line, reason)| self.broken(line, reason))?;
        let mut environment = sandbox::environment();
        let added = environment.add_template_owned(self.file.to_owned(), self.source.to_owned());
        added.map_err(|error| self.wrong(&error))?;
        Ok(environment)
    }

    fn properties(&self) -> IndexMap<&String, Resolved<'_>> {
        self.contract.map(resolved_properties).unwrap_or_default()
    }

    fn wrong(&self, error: &Error) -> TemplateFault {
        let reason = match error.kind() {
            ErrorKind::WriteFailure => format!("it writes more than {} MiB", MOST_BYTES >> 20),
            ErrorKind::OutOfFuel => "it goes on for too long".to_owned(),
            _ => templates::reason(error),
        };
        let of_values = matches!(error.kind(), ErrorKind::UndefinedError | ErrorKind::InvalidOperation);
        TemplateFault { of_values, ..self.broken(error.line().unwrap_or(1), reason) }
    }

    fn broken(&self, line: usize, reason: String) -> TemplateFault {
        TemplateFault { file: self.file.to_owned(), line, reason, of_values: false }
    }
}

/// What stands for a value that was not given.
fn empty(property: &Resolved<'_>) -> Value {
    if let Some(default) = property.first("default") {
        return default.clone();
    }
    match property.kinds().and_then(|kinds| kinds.into_iter().find(|kind| *kind != "null")) {
        Some("string") => json!(""),
        Some("array") => json!([]),
        Some("object") => json!({}),
        _ => Value::Null,
    }
}

/// A text that may not grow beyond a size.
#[derive(Default)]
struct Bounded(Vec<u8>);

impl Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.len() + bytes.len() > MOST_BYTES {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
