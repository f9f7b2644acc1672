//! Whether the values of a call come from somewhere.
//!
//! A grammar makes a model invent what it lacks. Addresses, ids and paths to be read must occur in what the step has
//! seen, or be files that exist.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::OnceLock;

use assent_core::contract::{Fault, PathPart, RESERVED, Risk, Source, Stage};
use assent_core::discovery::joins;
use serde_json::Value;

use super::permission::changes_nothing;
use super::workspace::{PlaceError, Workspace};
use super::{Effects, Tool};

/// Schemes of addresses at which another machine answers, in small letters. A command names others without going far:
/// `sqlite:///data.db`.
const FAR: [&str; 12] = ["https", "http", "ftps", "sftp", "ftp", "wss", "ws", "ssh", "rsync", "git", "smb", "telnet"];

/// Where a text comes from: the first three are the person's own words or approved by them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// A message of the person.
    User,
    /// The approved plan: its steps, context and instructions.
    Plan,
    /// What the person answered to a question.
    Answer,
    /// What the model itself wrote in the step, before any result said it: an error that repeats it does not make it
    /// foreign. Nothing is there because a model has said it.
    Call,
    /// The arguments of a call with effects that did what its tool is for: what they name may be there now.
    Made,
    /// What a tool gave: possibly written by anybody.
    Result {
        /// The tool.
        tool: String,
    },
    /// What a call gave that did not work or was refused: possibly written by anybody, or said after the model.
    Failure {
        /// The tool.
        tool: String,
    },
}

impl Origin {
    /// Whether the person said or approved it.
    pub fn is_trusted(&self) -> bool {
        matches!(self, Self::User | Self::Plan | Self::Answer)
    }
}

/// What a step has seen.
#[derive(Debug, Clone, Default)]
pub struct Seen {
    texts: Vec<Text>,
    listed: HashSet<String>,
}

/// A text, and the same in small letters once that was asked for.
#[derive(Debug, Clone)]
struct Text {
    origin: Origin,
    words: String,
    folded: OnceLock<String>,
}

impl Text {
    /// Whether a value in small letters stands in it, however it is spelled there.
    fn has_in_any_case(&self, folded: &str) -> bool {
        occurs(self.folded.get_or_init(|| self.words.to_lowercase()), folded)
    }
}

impl Seen {
    /// Adds a text.
    pub fn add(&mut self, origin: Origin, text: impl Into<String>) {
        self.texts.push(Text { origin, words: text.into(), folded: OnceLock::new() });
    }

    /// Adds files that a tool of the workspace has listed.
    pub fn list(&mut self, paths: impl IntoIterator<Item = String>) {
        self.listed.extend(paths);
    }

    /// Whether a tool of the workspace has listed a file, by its path from there.
    pub fn lists(&self, path: &str) -> bool {
        self.listed.contains(path)
    }

    /// What the person wrote and answered, but for the plan.
    pub fn own_words(&self) -> impl Iterator<Item = &str> {
        let own = self.texts.iter().filter(|text| matches!(text.origin, Origin::User | Origin::Answer));
        own.map(|text| text.words.as_str())
    }

    /// Whether the person or the plan has named a value, or a call of the step that has worked.
    pub fn is_wanted(&self, value: &str) -> bool {
        let is_wanted = |origin: &Origin| origin.is_trusted() || *origin == Origin::Made;
        self.texts.iter().any(|text| is_wanted(&text.origin) && occurs(&text.words, value))
    }

    /// Whether a value comes from somewhere else than from the model itself. A failure that repeats what the model wrote
    /// before it says nothing of its own.
    pub fn knows(&self, value: &str) -> bool {
        Self::is_foreign(self.saying(value))
    }

    /// Whether one of the places where a value stands is not the model's own.
    fn is_foreign<'s>(mut places: impl Iterator<Item = &'s Origin>) -> bool {
        let mut is_own = false;
        places.any(|origin| match origin {
            Origin::Call => {
                is_own = true;
                false
            }
            Origin::Made => false,
            Origin::Failure { .. } => !is_own,
            Origin::User | Origin::Plan | Origin::Answer | Origin::Result { .. } => true,
        })
    }

    /// Whether a mailbox or an address is known, however it is spelled in capitals.
    fn knows_in_any_case(&self, value: &str) -> bool {
        self.knows(value) || Self::is_foreign(self.saying_in_any_case(&value.to_lowercase()))
    }

    /// Whether an address is known, with or without a stroke at its end.
    fn knows_address(&self, url: &str) -> bool {
        self.knows_in_any_case(url.trim_end_matches('/'))
    }

    /// Whether an id is known, or names what a call of the step has made.
    fn knows_id(&self, id: &str) -> bool {
        self.knows(id) || self.saying(id).any(|origin| *origin == Origin::Made)
    }

    /// Where a value occurs as a whole: in the person's own words, else where it came up first; `None`: nowhere.
    pub fn origin_of(&self, value: &str) -> Option<&Origin> {
        trusted_else_first(self.saying(value))
    }

    /// The same for a host or a mailbox, however it is spelled in capitals.
    pub fn origin_in_any_case(&self, value: &str) -> Option<&Origin> {
        trusted_else_first(self.saying_in_any_case(&value.to_lowercase()))
    }

    fn saying<'s>(&'s self, value: &str) -> impl Iterator<Item = &'s Origin> {
        self.texts.iter().filter(move |text| occurs(&text.words, value)).map(|text| &text.origin)
    }

    fn saying_in_any_case<'s>(&'s self, folded: &str) -> impl Iterator<Item = &'s Origin> {
        self.texts.iter().filter(move |text| text.has_in_any_case(folded)).map(|text| &text.origin)
    }
}

fn trusted_else_first<'s>(mut places: impl Iterator<Item = &'s Origin>) -> Option<&'s Origin> {
    let first = places.next()?;
    if first.is_trusted() { Some(first) } else { places.find(|origin| origin.is_trusted()).or(Some(first)) }
}

/// Every value of a call that comes from nowhere. The arguments fit the parameters. The workspace is opened only where
/// a path was not mentioned.
pub fn ungrounded(
    tool: &dyn Tool,
    effects: &Effects,
    arguments: &Value,
    seen: &Seen,
    workspace: impl FnOnce() -> Result<Workspace, Box<Fault>>,
) -> Vec<Fault> {
    let (mut faults, spec) = (Vec::new(), tool.spec());
    let reads = effects.reads.iter().map(String::as_str).chain(looked_at(tool, effects, arguments));
    let unmentioned: Vec<&str> = reads.filter(|path| !seen.knows(path)).collect();
    if !unmentioned.is_empty() {
        match workspace() {
            Ok(workspace) => {
                faults.extend(unmentioned.into_iter().filter_map(|path| missing(path, &workspace, arguments)));
            }
            Err(fault) => faults.push(*fault),
        }
    }
    for (place, value) in values(arguments) {
        // What says how an agent is called is no value for it: the address of a schema's dialect is nobody's page.
        let is_about_the_call =
            |key: &String| RESERVED.contains(&key.as_str()) && !["task", "context"].contains(&key.as_str());
        if spec.source == Source::Agent && place.first().is_some_and(is_about_the_call) {
            continue;
        }
        let property = property_at(&spec.parameters, &place);
        if property.is_some_and(|property| is_offered(property, value)) {
            continue;
        }
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let format = property.and_then(|property| property["format"].as_str());
        let (what, is_known): (Cow<'_, str>, bool) = match (place.last(), format) {
            _ if is_url(&text) || is_uri(&text, format) => ("the address".into(), seen.knows_address(&text)),
            _ if is_mail(&text, format) => {
                ("the address".into(), mailboxes(&text).all(|mailbox| seen.knows_in_any_case(mailbox)))
            }
            (Some(key), format) if (is_id(key) || format == Some("uuid")) && !text.is_empty() => {
                ("the id".into(), seen.knows_id(text.trim_end_matches('/')))
            }
            // What an agent is told to do is all that it sees: an address in it is as good as one in the message.
            _ if spec.source == Source::Agent => {
                let mut named = urls(&text).into_iter().map(sentence_end);
                let Some(url) = named.find(|url| !seen.knows_address(url)) else { continue };
                (format!("the address {url}").into(), false)
            }
            _ => continue,
        };
        if !is_known {
            let message = format!("{what} in {} does not occur in anything seen", place.join("."));
            let hint = "Take it from the message or from a result; if it is not there, look for it or ask.";
            faults.push(Fault::new(Stage::Grounding, message).at(place.iter().map(String::as_str)).hint(hint));
        }
    }
    for url in effects.command.iter().flat_map(|command| urls(command)) {
        if !seen.knows_address(url) {
            let fault = Fault::new(Stage::Grounding, format!("the address {url} does not occur in anything seen"));
            faults.push(fault.at(["command"]).hint("Use an address from the message or from a result."));
        }
    }
    faults
}

fn missing(path: &str, workspace: &Workspace, arguments: &Value) -> Option<Fault> {
    let found = workspace.existing(path);
    matches!(found, Err(PlaceError::NotFound { .. } | PlaceError::NotFolder { .. })).then(|| {
        let fault = Fault::new(Stage::Grounding, format!("{path} does not exist and was not mentioned"));
        placed(fault, arguments, path).hint(workspace.near(path))
    })
}

fn placed(fault: Fault, arguments: &Value, value: &str) -> Fault {
    let found = values(arguments).into_iter().find(|(_, argument)| argument.as_str() == Some(value));
    match found {
        Some((place, _)) => fault.at(place.into_iter().map(PathPart::Key)),
        None => fault,
    }
}

/// Every scalar of the arguments with the keys that lead to it; places in lists are left out.
pub(super) fn values(arguments: &Value) -> Vec<(Vec<String>, &Value)> {
    let mut found = Vec::new();
    let mut open = vec![(Vec::new(), arguments)];
    while let Some((place, value)) = open.pop() {
        match value {
            Value::Object(fields) => open.extend(fields.iter().map(|(key, value)| {
                let mut place = place.clone();
                place.push(key.clone());
                (place, value)
            })),
            Value::Array(items) => open.extend(items.iter().map(|item| (place.clone(), item))),
            Value::String(_) | Value::Number(_) => found.push((place, value)),
            Value::Null | Value::Bool(_) => {}
        }
    }
    found.reverse();
    found
}

/// The paths in a call of a tool that declares none, because somebody else has written it down: by the names of its
/// parameters, where it only looks. What it writes may be new.
fn looked_at<'a>(tool: &dyn Tool, effects: &Effects, arguments: &'a Value) -> Vec<&'a str> {
    let spec = tool.spec();
    let looks = spec.risk.max(effects.risk) == Risk::Read
        || tool.looks_anew()
        || effects.command.as_deref().is_some_and(changes_nothing);
    if !looks || !matches!(spec.source, Source::Catalogue | Source::Mcp) || !effects.writes.is_empty() {
        return Vec::new();
    }
    let named = values(arguments).into_iter().filter(|(place, value)| {
        let offered = property_at(&spec.parameters, place).is_some_and(|property| is_offered(property, value));
        place.last().is_some_and(|key| is_path(key)) && !offered
    });
    named.filter_map(|(_, value)| value.as_str()).filter(|text| !text.is_empty() && !is_url(text)).collect()
}

/// Whether a schema itself has the value.
fn is_offered(property: &Value, value: &Value) -> bool {
    property["default"] == *value || property["enum"].as_array().is_some_and(|all| all.contains(value))
}

/// Whether a text is an address: `scheme://` and more, in capitals or not, or a host that begins with `www.`.
fn is_url(text: &str) -> bool {
    let is_scheme = |scheme: &str| {
        let rest = |sign: char| sign.is_ascii_alphanumeric() || "+-.".contains(sign);
        scheme.starts_with(|first: char| first.is_ascii_alphabetic()) && scheme.chars().all(rest)
    };
    let has_scheme = text.split_once("://").is_some_and(|(scheme, rest)| is_scheme(scheme) && !rest.is_empty());
    (has_scheme || begins_with_www(text)) && !text.contains(char::is_whitespace)
}

fn begins_with_www(text: &str) -> bool {
    let begins = text.get(..4).is_some_and(|begin| begin.eq_ignore_ascii_case("www."));
    begins && text[4..].split_once('.').is_some_and(|(name, end)| !name.is_empty() && !end.is_empty())
}

/// Whether a schema says that a text is an address.
fn is_uri(text: &str, format: Option<&str>) -> bool {
    matches!(format, Some("uri" | "iri" | "url")) && !text.is_empty()
}

/// Whether a name ends in the word id, however its words are put together: `id`, `user_id`, `userId`, `channelID`.
fn is_id(key: &str) -> bool {
    ends_in(key, "id") || ends_in(key, "ids")
}

/// Whether a name ends in a word for a file: `path`, `input_file`, `sourcePath`.
fn is_path(key: &str) -> bool {
    ["path", "paths", "file", "files"].iter().any(|word| ends_in(key, word))
}

/// Whether the last of the words of a name is this one.
fn ends_in(key: &str, word: &str) -> bool {
    let at = key.len().checked_sub(word.len()).filter(|at| key.is_char_boundary(*at));
    at.map(|at| key.split_at(at)).is_some_and(|(before, end)| {
        let begins_anew = !before.ends_with(char::is_alphanumeric)
            || before.ends_with(|sign: char| !sign.is_uppercase()) && end.starts_with(char::is_uppercase);
        end.eq_ignore_ascii_case(word) && begins_anew
    })
}

/// What the schema of parameters says of a value.
fn property_at<'a>(parameters: &'a Value, place: &[String]) -> Option<&'a Value> {
    let items = |schema: &'a Value| schema.get("items").unwrap_or(schema);
    let below = |schema: &'a Value, key: &String| items(schema).get("properties")?.get(key);
    place.iter().try_fold(parameters, below).map(items)
}

/// Whether a text names who gets something: its schema says so, or it is nothing but mailboxes.
pub(super) fn is_mail(text: &str, format: Option<&str>) -> bool {
    matches!(format, Some("email" | "idn-email")) && !text.is_empty()
        || (mailboxes(text).next().is_some() && mailboxes(text).all(is_mailbox))
}

/// The parts of a list of mailboxes, without the names before them: `Bob <bob@example.com>, eve@example.com`.
pub(super) fn mailboxes(text: &str) -> impl Iterator<Item = &str> {
    let parts = text.split([',', ';']).map(str::trim).filter(|part| !part.is_empty());
    parts.map(|part| part.strip_suffix('>').and_then(|part| part.rsplit_once('<')).map_or(part, |(_, inner)| inner))
}

fn is_mailbox(text: &str) -> bool {
    let is_plain = |part: &str| !part.is_empty() && !part.contains(|sign: char| sign.is_whitespace() || sign == '/');
    let parts = text.split_once('@');
    parts.is_some_and(|(name, host)| is_plain(name) && is_plain(host) && host.contains('.') && !host.contains('@'))
}

/// The addresses in a command line.
pub(super) fn urls(command: &str) -> Vec<&str> {
    let words = command.split(|sign: char| sign.is_whitespace() || "\"'`<>|;()".contains(sign));
    words.filter_map(address_in).filter(|word| is_url(word)).collect()
}

/// An address without the signs that end a sentence or a clause after it.
fn sentence_end(url: &str) -> &str {
    url.trim_end_matches(['.', ',', ':', '!', '?', ']', '}', '*', '_'])
}

/// The address at the end of a word: behind the name of an option, as in `-xhttp://proxy`, too.
fn address_in(word: &str) -> Option<&str> {
    let Some(sign) = word.find("://") else { return Some(word).filter(|word| begins_with_www(word)) };
    let before = word[..sign].to_ascii_lowercase();
    let scheme = FAR.iter().find(|scheme| before.ends_with(**scheme))?;
    Some(&word[sign - scheme.len()..])
}

/// Whether a value stands in a text as a whole: `7` is not in `17`, and `a.txt` not in `data.txt`.
fn occurs(text: &str, value: &str) -> bool {
    if value.is_empty() {
        return false;
    }
    let is_sign = |sign: char| sign == '_' || sign.is_alphanumeric();
    let is_cut = |one: Option<char>, other: Option<char>| {
        let both = one.zip(other).filter(|(one, other)| is_sign(*one) && is_sign(*other));
        both.is_some_and(|(one, other)| one == '_' || other == '_' || joins(one, other))
    };
    text.match_indices(value).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + value.len()..].chars().next();
        !is_cut(value.chars().next(), before) && !is_cut(value.chars().next_back(), after)
    })
}

#[cfg(test)]
mod tests;
