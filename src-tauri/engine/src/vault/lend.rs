//! Which call a credential is lent to, and putting it in its place.

use assent_core::contract::{Source, ToolSpec};
use serde_json::{Map, Value};
use thiserror::Error;

use super::{Credential, Credentials};
use crate::model::Secret;
use crate::store::StoreError;

const OPENS: &str = "{$vault:";
const CLOSES: char = '}';
/// What a shell takes as it stands, in quotes or without.
const PLAIN: &str = "_-./+=:@,%^~";

/// What a model writes where the secret of a credential goes.
pub fn reference(name: &str) -> String {
    format!("{OPENS}{name}{CLOSES}")
}

/// A call as far as it matters who gets what is in it.
#[derive(Debug, Clone, Copy)]
pub struct Lending<'a> {
    /// The tool.
    pub tool: &'a ToolSpec,
    /// The hosts that it talks to.
    pub hosts: &'a [String],
    /// Whether it leaves something in files.
    pub writes: bool,
    /// Whether it runs a command.
    pub command: bool,
}

/// Why a credential does not go into a call. It is told to a model, and holds no secret.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum NotLent {
    /// There is none of that name.
    #[error("there is no credential {0:?} in the vault")]
    Missing(String),
    /// It was given for other tools.
    #[error("the credential {name} was given for {tools} only, and does not go into a call of {tool}")]
    Tool {
        /// The credential.
        name: String,
        /// Those that it was given for.
        tools: String,
        /// That of the call.
        tool: String,
    },
    /// It was given for other hosts.
    #[error("the credential {name} was given for {hosts} only, and this call goes elsewhere")]
    Host {
        /// The credential.
        name: String,
        /// Those that it was given for.
        hosts: String,
    },
    /// It would be left in a file, or be shown to a person.
    #[error("a credential is not put into a call of {0}: it would stand there for everybody to read")]
    Open(String),
    /// A shell would read it as something else.
    #[error("the credential {0} has signs that a command line would take for something else")]
    Shell(String),
    /// The keyring does not give it.
    #[error(
        "the secret of the credential {0} is not to be had: a person gives it in the settings, or with `assent vault add {0}`"
    )]
    Closed(String),
    /// The settings.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Credentials {
    /// Whether a call names credentials, and may have all of them; no secret is looked up.
    ///
    /// # Errors
    /// [`NotLent`] where it may not have one.
    pub fn allows(&self, arguments: &Value, call: &Lending<'_>) -> Result<bool, NotLent> {
        if !is_looked_at(arguments, call) {
            return Ok(false);
        }
        let (names, known) = (names(arguments), self.list()?);
        for name in &names {
            allowed(named(&known, name)?, call)?;
        }
        Ok(!names.is_empty())
    }

    /// The arguments with the secrets in their places; `None` where there is none to put in. It may wait for a person to
    /// unlock the keyring.
    ///
    /// # Errors
    /// [`NotLent`] where the call may not have one.
    pub fn lend(&self, arguments: &Value, call: &Lending<'_>) -> Result<Option<Value>, NotLent> {
        if !is_looked_at(arguments, call) {
            return Ok(None);
        }
        let (names, known) = (names(arguments), self.list()?);
        let mut unfit = None;
        let filled = in_texts(arguments, &mut |text| {
            self.filled(text, &known, call).unwrap_or_else(|reason| {
                unfit.get_or_insert(reason);
                String::new()
            })
        });
        match unfit {
            Some(reason) => Err(reason),
            None => Ok((!names.is_empty()).then_some(filled)),
        }
    }

    /// The secret of a credential, for a call that may have it. It may wait for a person to unlock the keyring.
    ///
    /// # Errors
    /// [`NotLent`] where it may not have it.
    pub fn secret_for(&self, name: &str, call: &Lending<'_>) -> Result<Secret, NotLent> {
        let known = self.list()?;
        let credential = named(&known, name)?;
        allowed(credential, call)?;
        self.lendable(credential).ok_or_else(|| NotLent::Closed(credential.name.clone()))
    }

    /// Whether a call may have a credential; no secret is looked up.
    ///
    /// # Errors
    /// [`NotLent`] where it may not have it.
    pub fn goes_into(&self, name: &str, call: &Lending<'_>) -> Result<(), NotLent> {
        allowed(named(&self.list()?, name)?, call)
    }

    fn filled(&self, text: &str, known: &[Credential], call: &Lending<'_>) -> Result<String, NotLent> {
        let (mut whole, mut rest) = (String::with_capacity(text.len()), text);
        while let Some((before, name, after)) = next(rest) {
            let credential = named(known, name)?;
            allowed(credential, call)?;
            let secret = self.lendable(credential).ok_or_else(|| NotLent::Closed(credential.name.clone()))?;
            let fits_shell = |sign: char| sign.is_ascii_alphanumeric() || PLAIN.contains(sign);
            // A command that somebody described quotes what it is given; one that a model wrote does not.
            if call.command && call.tool.source == Source::Core && !secret.expose().chars().all(fits_shell) {
                return Err(NotLent::Shell(credential.name.clone()));
            }
            whole.push_str(before);
            whole.push_str(secret.expose());
            rest = after;
        }
        whole.push_str(rest);
        Ok(whole)
    }
}

/// The names of the credentials that a text names.
pub fn named_in(text: &str) -> Vec<&str> {
    let (mut found, mut rest) = (Vec::new(), text);
    while let Some((_, name, after)) = next(rest) {
        found.push(name);
        rest = after;
    }
    found
}

/// The next reference of a text: what stands before it, its name, what comes after it.
fn next(text: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = text.split_once(OPENS)?;
    let (name, after) = rest.split_once(CLOSES)?;
    Some((before, name, after))
}

/// Whether the vault has to do with a call. What is made in the studio is used later, and what an agent is told it uses by
/// calls of its own: they keep the name, and the call that uses it gets the secret.
fn is_looked_at(arguments: &Value, call: &Lending<'_>) -> bool {
    mentions(arguments) && ![Source::Studio, Source::Agent].contains(&call.tool.source)
}

/// Whether a text of a value names a credential.
pub fn mentions(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains(OPENS),
        Value::Array(items) => items.iter().any(mentions),
        Value::Object(fields) => fields.iter().any(|(name, value)| name.contains(OPENS) || mentions(value)),
        _ => false,
    }
}

/// The names of the credentials in the texts of a value.
fn names(value: &Value) -> Vec<String> {
    let mut found = Vec::new();
    in_texts(value, &mut |text| {
        found.extend(named_in(text).into_iter().map(str::to_owned));
        String::new()
    });
    found
}

/// A value with each of its texts, those of keys too, made into another.
fn in_texts(value: &Value, make: &mut impl FnMut(&str) -> String) -> Value {
    match value {
        Value::String(text) => Value::String(make(text)),
        Value::Array(items) => Value::Array(items.iter().map(|item| in_texts(item, make)).collect()),
        Value::Object(fields) => {
            let made = fields.iter().map(|(name, value)| (make(name), in_texts(value, make)));
            Value::Object(made.collect::<Map<_, _>>())
        }
        other => other.clone(),
    }
}

fn named<'a>(known: &'a [Credential], name: &str) -> Result<&'a Credential, NotLent> {
    let missing = || NotLent::Missing(name.chars().take(super::NAME_CHARS).collect());
    known.iter().find(|credential| credential.name == name).ok_or_else(missing)
}

fn allowed(credential: &Credential, call: &Lending<'_>) -> Result<(), NotLent> {
    let tool = &call.tool.name;
    if call.tool.source == Source::Human || call.writes {
        return Err(NotLent::Open(tool.clone()));
    }
    let name = credential.name.clone();
    if !credential.tools.is_empty() && !credential.tools.contains(tool) {
        return Err(NotLent::Tool { name, tools: credential.tools.join(", "), tool: tool.clone() });
    }
    if credential.hosts.is_empty() {
        return Ok(());
    }
    let is_its = |host: &String| credential.hosts.iter().any(|own| own.eq_ignore_ascii_case(host));
    // Where a command goes, nobody knows beforehand.
    if call.command || call.hosts.is_empty() || !call.hosts.iter().all(is_its) {
        return Err(NotLent::Host { name, hosts: credential.hosts.join(", ") });
    }
    Ok(())
}
