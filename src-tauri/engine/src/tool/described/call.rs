//! A described tool at work: a command behind the same walls as every other, or a request to the host that was allowed.

use std::sync::Arc;
use std::time::Duration;

use assent_core::contract::ToolSpec;
use async_trait::async_trait;
use futures::StreamExt as _;
use serde_json::{Value, json};

use super::headers::{KEY, Secrets, key_for};
use super::template::{HttpTemplate, Template, command_line};
use crate::model::Keys;
use crate::tool::core::Bash;
use crate::tool::permission::danger_of;
use crate::tool::{CallContext, Effects, Outcome, Tool, ToolStop};
use crate::vault::{Credentials, Lending, Mask, aside, reference};

/// How long a call may take.
const TIMEOUT: Duration = Duration::from_secs(60);
/// Bytes of an answer that are kept.
const MOST_BYTES: usize = 1 << 20;

/// A tool that was read from a description.
pub struct DescribedTool {
    spec: ToolSpec,
    template: Template,
    /// Runs commands, with the walls and bounds that those of the core tools have.
    shell: Bash,
    /// Where its secrets are looked up; nothing where it only is looked at.
    places: Option<Places>,
}

/// Where the secrets of a source are looked up.
#[derive(Clone)]
struct Places {
    /// By whom it was taken in.
    source: String,
    keys: Arc<Keys>,
    vault: Arc<Credentials>,
}

impl DescribedTool {
    #[cfg(test)]
    pub(super) fn template(&self) -> &Template {
        &self.template
    }

    pub(super) fn new(spec: ToolSpec, template: Template) -> Self {
        Self { spec, template, shell: Bash::default(), places: None }
    }

    /// The same, with the keys and credentials that a person has given for a source.
    #[must_use]
    pub fn with_keys(self, source: &str, keys: Arc<Keys>, vault: Arc<Credentials>) -> Self {
        Self { places: Some(Places { source: source.to_owned(), keys, vault }), ..self }
    }

    /// The host to which it sends a key, where it sends one.
    pub fn key_host(&self) -> Option<&str> {
        match &self.template {
            Template::Http(http) if http.wants_key() => Some(http.host()),
            Template::Http(_) | Template::Command(_) => None,
        }
    }

    /// The secrets that go with its requests.
    async fn secrets(&self, http: &HttpTemplate) -> Result<Secrets, String> {
        let names: Vec<String> = http.credentials().map(str::to_owned).collect();
        if !http.wants_key() && names.is_empty() {
            return Ok(Secrets::default());
        }
        let Some(Places { source, keys, vault }) = self.places.clone() else {
            return Err("there is no place for keys here".to_owned());
        };
        let (host, wants_key, tool) = (http.host().to_owned(), http.wants_key(), self.spec.clone());
        let found = aside(move || {
            let mut secrets = Secrets::default();
            if wants_key {
                secrets.put(KEY, key_for(&keys, &source, &host)?);
            }
            let hosts = [host];
            let call = Lending { tool: &tool, hosts: &hosts, writes: false, command: false };
            for name in names {
                let secret = vault.secret_for(&name, &call).map_err(|not_lent| not_lent.to_string())?;
                secrets.put(&reference(&name), secret);
            }
            Ok(secrets)
        });
        found.await.map_err(|_| "the keyring could not be asked".to_owned())?
    }

    async fn ask(&self, http: &HttpTemplate, arguments: &Value, context: &CallContext) -> Result<Outcome, Unasked> {
        let host = http.host();
        if !context.hosts.iter().any(|allowed| allowed == "*" || allowed.eq_ignore_ascii_case(host)) {
            return Err(format!("it is not allowed to talk to {host}").into());
        }
        if context.lends && !http.is_private() {
            return Err("a credential is sent over https:// only, or to this machine".to_owned().into());
        }
        let secrets = self.secrets(http).await?;
        // Servers like to repeat what they were sent.
        let mask = secrets.mask();
        let private = context.lends || !secrets.is_empty();
        let outcome = ask(http, arguments, Sent { secrets: &secrets, private, masks: [&context.mask, &mask] }).await;
        match outcome {
            Ok(Outcome::Success(output)) => Ok(Outcome::Success(mask.value(output))),
            Ok(Outcome::Error { message, output }) => {
                Ok(Outcome::Error { message: mask.text(&message), output: mask.value(output) })
            }
            Err(Unasked::BrokenOff(event)) => Err(Unasked::BrokenOff(mask.text(&event))),
            other => other,
        }
    }
}

#[async_trait]
impl Tool for DescribedTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn effects(&self, arguments: &Value) -> Effects {
        let none = Effects::none(self.spec.risk);
        match &self.template {
            Template::Command(words) => {
                let command = command_line(words, arguments).ok();
                let danger = command.as_deref().map(danger_of).unwrap_or_default();
                Effects { command, risk: self.spec.risk.max(danger.risk()), ..none }
            }
            Template::Http(http) => Effects { hosts: vec![http.host().to_owned()], ..none },
        }
    }

    async fn call(&self, arguments: Value, context: &CallContext) -> Result<Outcome, ToolStop> {
        match &self.template {
            Template::Command(words) => match command_line(words, &arguments) {
                Ok(command) => {
                    let arguments = json!({"command": command, "timeout": TIMEOUT.as_secs()});
                    self.shell.call(arguments, context).await
                }
                Err(message) => Ok(Outcome::Error { message, output: Value::Null }),
            },
            Template::Http(http) => {
                let asked = tokio::select! {
                    biased;
                    () = context.cancel.cancelled() => return Err(ToolStop::Cancelled),
                    asked = self.ask(http, &arguments, context) => asked,
                };
                match asked {
                    Ok(outcome) => Ok(outcome),
                    Err(Unasked::Before(message)) => Ok(Outcome::Error { message, output: Value::Null }),
                    Err(Unasked::BrokenOff(event)) => Err(ToolStop::Unknown { event }),
                }
            }
        }
    }

    fn credentials(&self) -> Vec<&str> {
        match &self.template {
            Template::Http(http) => http.credentials().collect(),
            Template::Command(_) => Vec::new(),
        }
    }

    fn looks_anew(&self) -> bool {
        matches!(&self.template, Template::Http(http) if http.only_looks())
    }

    fn present(&self, output: &Value) -> String {
        match (&self.template, output.get("body")) {
            (Template::Command(_), _) => self.shell.present(output),
            (Template::Http(_), Some(Value::String(text))) => text.clone(),
            (Template::Http(_), Some(body)) => body.to_string(),
            (Template::Http(_), None) => output.to_string(),
        }
    }
}

/// Secrets that go with a request.
struct Sent<'a> {
    secrets: &'a Secrets,
    /// Whether there are any, in the arguments or beside them.
    private: bool,
    /// What hides them.
    masks: [&'a Mask; 2],
}

/// Why a request has no answer.
enum Unasked {
    /// It has changed nothing: it was not sent, or only looks.
    Before(String),
    /// It was sent, and may have had its effect: what came between, said of the tool.
    BrokenOff(String),
}

impl From<String> for Unasked {
    fn from(message: String) -> Self {
        Self::Before(message)
    }
}

impl Unasked {
    fn of(http: &HttpTemplate, error: reqwest::Error) -> Self {
        let (host, was_sent) = (http.host(), !(error.is_connect() || error.is_builder()));
        let error = error.without_url();
        if was_sent && !http.only_looks() {
            return Self::BrokenOff(format!("was sent to {host}, and its answer did not come: {error}"));
        }
        Self::Before(format!("{host} could not be asked: {error}"))
    }
}

async fn ask(http: &HttpTemplate, arguments: &Value, sent: Sent<'_>) -> Result<Outcome, Unasked> {
    let Sent { secrets, private, masks } = sent;
    let host = http.host();
    let ready = http.ready(arguments, secrets)?;
    // A host that was allowed must not pass the call on to one that was not.
    let mut client = assent_crawl::http::client().redirect(reqwest::redirect::Policy::none()).timeout(TIMEOUT);
    if private && ready.url.scheme() == "http" {
        // To this machine only, and therefore past whoever passes requests on.
        client = client.no_proxy();
    }
    let client = client.build().map_err(|error| error.to_string())?;
    let mut request = client.request(ready.method, ready.url);
    if let Some(body) = &ready.body {
        request = request.json(body);
    }
    let request = request.headers(ready.headers);
    let told = |error: reqwest::Error| Unasked::of(http, error);
    let response = request.send().await.map_err(told)?;
    let status = response.status();
    let (mut bytes, mut truncated) = (Vec::new(), false);
    let mut pieces = response.bytes_stream();
    while let Some(piece) = pieces.next().await {
        let piece = piece.map_err(told)?;
        let room = MOST_BYTES - bytes.len();
        bytes.extend_from_slice(&piece[..piece.len().min(room)]);
        if piece.len() > room {
            truncated = true;
            break;
        }
    }
    if truncated {
        // A server that decides where its answer is cut decides which half of a secret would be left.
        masks.iter().for_each(|mask| bytes.truncate(mask.sure(&bytes)));
    }
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let body = serde_json::from_str(&text).unwrap_or(Value::String(text));
    let output = json!({"status": status.as_u16(), "body": body, "truncated": truncated});
    Ok(if status.is_success() {
        Outcome::Success(output)
    } else {
        Outcome::Error { message: format!("{host} answered {status}"), output }
    })
}
