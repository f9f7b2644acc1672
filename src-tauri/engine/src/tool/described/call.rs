//! A described tool at work: a command behind the same walls as every other, or a request to the host that was allowed.

use std::sync::Arc;
use std::time::Duration;

use assent_core::contract::ToolSpec;
use async_trait::async_trait;
use futures::StreamExt as _;
use reqwest::Client;
use serde_json::{Value, json};

use super::headers::key_for;
use super::template::{HttpTemplate, Template, command_line};
use crate::model::{Keys, Secret};
use crate::tool::core::Bash;
use crate::tool::permission::danger_of;
use crate::tool::{CallContext, Effects, Outcome, Tool, ToolStop};

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
    /// Where the key of its source is looked up, by whom it was taken in; nothing where it only is looked at.
    keys: Option<(String, Arc<Keys>)>,
}

impl DescribedTool {
    #[cfg(test)]
    pub(super) fn template(&self) -> &Template {
        &self.template
    }

    pub(super) fn new(spec: ToolSpec, template: Template) -> Self {
        Self { spec, template, shell: Bash::default(), keys: None }
    }

    /// The same, with the keys that a person has given for a source.
    #[must_use]
    pub fn with_keys(self, source: &str, keys: Arc<Keys>) -> Self {
        Self { keys: Some((source.to_owned(), keys)), ..self }
    }

    /// The key that goes with its requests.
    async fn key(&self, http: &HttpTemplate) -> Result<Option<Secret>, String> {
        if !http.wants_key() {
            return Ok(None);
        }
        let Some((source, keys)) = self.keys.clone() else {
            return Err("there is no place for keys here".to_owned());
        };
        let host = http.host().to_owned();
        // A keyring may wait for a person to unlock it.
        let found = tokio::task::spawn_blocking(move || key_for(&keys, &source, &host)).await;
        found.map_err(|error| error.to_string())?.map(Some)
    }

    async fn ask(&self, http: &HttpTemplate, arguments: &Value, context: &CallContext) -> Result<Outcome, String> {
        let host = http.host();
        if !context.hosts.iter().any(|allowed| allowed == "*" || allowed.eq_ignore_ascii_case(host)) {
            return Err(format!("it is not allowed to talk to {host}"));
        }
        let key = self.key(http).await?;
        let outcome = ask(http, arguments, key.as_ref()).await;
        // Servers like to repeat what they were sent.
        let hide = |text: &str| key.as_ref().map_or_else(|| text.to_owned(), |key| key.redact(text));
        match outcome {
            Ok(Outcome::Success(output)) => Ok(Outcome::Success(without(output, &hide))),
            Ok(Outcome::Error { message, output }) => {
                Ok(Outcome::Error { message: hide(&message), output: without(output, &hide) })
            }
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
                Ok(asked.unwrap_or_else(|message| Outcome::Error { message, output: Value::Null }))
            }
        }
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

/// A value in whose texts something is hidden.
fn without(value: Value, hide: &impl Fn(&str) -> String) -> Value {
    match value {
        Value::String(text) => Value::String(hide(&text)),
        Value::Array(items) => items.into_iter().map(|item| without(item, hide)).collect(),
        Value::Object(fields) => fields.into_iter().map(|(name, value)| (hide(&name), without(value, hide))).collect(),
        other => other,
    }
}

async fn ask(http: &HttpTemplate, arguments: &Value, key: Option<&Secret>) -> Result<Outcome, String> {
    let host = http.host();
    let ready = http.ready(arguments, key)?;
    // A host that was allowed must not pass the call on to one that was not.
    let mut client = Client::builder().redirect(reqwest::redirect::Policy::none()).timeout(TIMEOUT);
    if key.is_some() && ready.url.scheme() == "http" {
        // To this machine only, and therefore past whoever passes requests on.
        client = client.no_proxy();
    }
    let client = client.build().map_err(|error| error.to_string())?;
    let mut request = client.request(ready.method, ready.url);
    if let Some(body) = &ready.body {
        request = request.json(body);
    }
    let request = request.headers(ready.headers);
    let told = |error: reqwest::Error| format!("{host} could not be asked: {}", error.without_url());
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
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let body = serde_json::from_str(&text).unwrap_or(Value::String(text));
    let output = json!({"status": status.as_u16(), "body": body, "truncated": truncated});
    Ok(if status.is_success() {
        Outcome::Success(output)
    } else {
        Outcome::Error { message: format!("{host} answered {status}"), output }
    })
}
