//! Chat completions as OpenAI defined them and Ollama, LM Studio, vLLM, OpenRouter and llama.cpp speak them.

mod stream;
mod wire;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use reqwest::RequestBuilder;
use serde::Serialize;
use serde_json::{Value, json};
use tokio::sync::mpsc::UnboundedSender;
use tokio_util::sync::CancellationToken;

use super::calls::{Expect, Live, Spelling};
use super::counted::{self, Counted};
use super::http::{self, Place};
use super::refused::{Refused, blamed};
use super::structured::{Attempt, Patience};
use super::{
    CallForm, Delta, ModelError, ModelProfile, OutputFormat, Pause, RealPause, Reply, Request, RetryPolicy, Secret,
};

/// How an endpoint is made to write JSON of a schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JsonForm {
    /// By `response_format` with the schema.
    Schema,
    /// By a grammar of ours.
    Grammar,
    /// By asking, checking and one repair.
    Prompt,
}

/// What differs between endpoints that speak the same protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dialect {
    /// How tools are called.
    pub calls: CallForm,
    /// How structured output is asked for.
    pub json: JsonForm,
    /// The field that bounds the reply: OpenAI's newer models refuse the older name, other servers know no other.
    pub newer_limit: bool,
}

impl Dialect {
    /// OpenAI itself.
    pub const OPENAI: Self = Self { calls: CallForm::Native, json: JsonForm::Schema, newer_limit: true };
    /// Everybody else with tools and schemas of their own.
    pub const COMPATIBLE: Self = Self { calls: CallForm::Native, json: JsonForm::Schema, newer_limit: false };
    /// llama.cpp, held by grammars of ours.
    pub const LLAMA: Self = Self { calls: CallForm::Grammar, json: JsonForm::Grammar, newer_limit: false };
    /// The least that every endpoint can do.
    pub const PLAIN: Self = Self { calls: CallForm::Protocol, json: JsonForm::Prompt, newer_limit: false };
}

/// Where a model is and how it is spoken to.
#[derive(Debug, Clone)]
pub struct Endpoint {
    /// The address up to and with `/v1`.
    pub base_url: String,
    /// The model's name there.
    pub model: String,
    /// The key, where one is needed.
    pub key: Option<Secret>,
    /// What it can do.
    pub dialect: Dialect,
    /// How long it may say nothing.
    pub silence: Duration,
}

/// A model at an OpenAI-compatible endpoint.
pub struct OpenAi {
    profile: ModelProfile,
    line: Line,
    patience: Patience,
}

impl OpenAi {
    /// A model that keeps to these attempts; `pause` lets time pass between them.
    ///
    /// # Errors
    /// [`ModelError::BadRequest`] when the machine has no means to make connections.
    pub fn new(
        profile: ModelProfile,
        endpoint: Endpoint,
        policy: RetryPolicy,
        pause: Arc<dyn Pause>,
    ) -> Result<Self, ModelError> {
        Ok(Self { profile, line: Line::new(endpoint)?, patience: Patience { policy, pause } })
    }

    /// A model with the usual patience.
    ///
    /// # Errors
    /// As [`OpenAi::new`].
    pub fn usual(profile: ModelProfile, endpoint: Endpoint) -> Result<Self, ModelError> {
        Self::new(profile, endpoint, RetryPolicy::default(), Arc::new(RealPause))
    }
}

#[async_trait]
impl Attempt for OpenAi {
    fn profile(&self) -> &ModelProfile {
        &self.profile
    }

    fn patience(&self) -> &Patience {
        &self.patience
    }

    async fn attempt(
        &self,
        request: &Request,
        deltas: &UnboundedSender<Delta>,
        cancel: &CancellationToken,
    ) -> Result<Reply, ModelError> {
        self.line.exchange(request, None, deltas, cancel).await
    }

    async fn count_tokens(&self, text: &str) -> Option<u32> {
        self.line.count_tokens(text).await
    }

    fn spells_calls(&self) -> bool {
        self.line.dialect().calls != CallForm::Native
    }
}

/// A line to an endpoint, with what was learned about it: parameters that it refused once are left out from then on.
pub(crate) struct Line {
    client: reqwest::Client,
    place: Place,
    endpoint: Endpoint,
    refused: Refused,
    counted: Counted,
}

/// Parameters that a request can do without,
/// or that go by another name where they are refused.
const OPTIONAL: [&str; 7] =
    ["temperature", "seed", "stream_options", "response_format", "tool_choice", "tools", "max_tokens"];

/// Among what an endpoint has refused: schemas of tools beyond the plainest. llama.cpp makes a grammar of all of them
/// together, and one pattern that it cannot read costs the whole request.
const SCHEMAS: &str = "schemas";

impl Line {
    pub(crate) fn new(endpoint: Endpoint) -> Result<Self, ModelError> {
        let client = http::client(endpoint.silence)?;
        let place =
            Place { endpoint: shown(&endpoint.base_url), model: endpoint.model.clone(), key: endpoint.key.clone() };
        Ok(Self { client, place, endpoint, refused: Refused::default(), counted: Counted::default() })
    }

    /// Asks once, in a slot of the server's where it has some; once more without a parameter that the endpoint turns out not to know.
    pub(crate) async fn exchange(
        &self,
        request: &Request,
        slot: Option<usize>,
        deltas: &UnboundedSender<Delta>,
        cancel: &CancellationToken,
    ) -> Result<Reply, ModelError> {
        loop {
            let refused = self.refused.all();
            let dialect = learned(self.endpoint.dialect, &refused);
            let mut body = wire::body(request, &self.endpoint.model, dialect)?;
            for parameter in &refused {
                body.remove(*parameter);
            }
            if refused.contains(SCHEMAS) {
                wire::plain_schemas(&mut body);
            } else {
                wire::plain_references(&mut body);
            }
            if let Some(slot) = slot {
                body.insert("id_slot".to_owned(), slot.into());
            }
            let sending = self.post(&format!("{}/chat/completions", self.endpoint.base_url), &body);
            let response = match self.place.send(sending, cancel).await {
                Ok(response) => response,
                Err(ModelError::BadRequest { endpoint, reason }) => {
                    let schemas = || (body.contains_key("tools") && speaks_of_schemas(&reason)).then_some(SCHEMAS);
                    let culprit = blamed(&OPTIONAL, &body, &reason).or_else(schemas);
                    let culprit = culprit.filter(|culprit| !refused.contains(culprit));
                    let Some(culprit) = culprit else {
                        return Err(ModelError::BadRequest { endpoint, reason });
                    };
                    self.refused.add(culprit);
                    continue;
                }
                Err(error) => return Err(error),
            };
            let protocol = dialect.calls != CallForm::Native;
            let expect = match &request.output {
                OutputFormat::Json { .. } => Expect::Structure,
                OutputFormat::Text if protocol && Spelling::of(request).is_some() => Expect::Protocol,
                OutputFormat::Text if Spelling::ends_by_done(request) => Expect::Protocol,
                OutputFormat::Text => Expect::Text,
            };
            let limit = reply_bytes(request.max_tokens);
            let events = self.place.events(response, limit);
            return stream::fold(events, request, protocol, &self.place, Live::new(deltas, expect), cancel).await;
        }
    }

    /// The tokens of a text by the server's tokenizer. llama.cpp and vLLM have one beside the protocol, each with a name
    /// of its own for the text and for what is counted; OpenAI has none.
    pub(crate) async fn count_tokens(&self, text: &str) -> Option<u32> {
        if self.endpoint.dialect.newer_limit {
            return None;
        }
        let ask = async {
            let body = json!({
                "model": self.endpoint.model, "content": text, "prompt": text, "add_special_tokens": false,
            });
            let sending = self.post(&format!("{}/tokenize", self.root()), &body);
            let response = self.place.send(sending, &CancellationToken::new()).await?;
            let told = http::json(response, counted::MOST_BYTES).await.unwrap_or_default();
            let listed =
                told.get("tokens").and_then(Value::as_array).and_then(|tokens| u32::try_from(tokens.len()).ok());
            let count = || told.get("count").and_then(Value::as_u64).and_then(|count| u32::try_from(count).ok());
            Ok(listed.or_else(count))
        };
        self.counted.of(text, ask).await
    }

    /// Whether the server says that it is well, within this time.
    pub(crate) async fn is_healthy(&self, within: Duration) -> bool {
        let asked = self.client.get(format!("{}/health", self.root())).timeout(within).send();
        asked.await.is_ok_and(|response| response.status().is_success())
    }

    fn post(&self, address: &str, body: &impl Serialize) -> RequestBuilder {
        let sending = self.client.post(address).json(body);
        match &self.endpoint.key {
            Some(key) => sending.bearer_auth(key.expose()),
            None => sending,
        }
    }

    /// The server's address without the protocol's `/v1`.
    fn root(&self) -> &str {
        self.endpoint.base_url.strip_suffix("/v1").unwrap_or(&self.endpoint.base_url)
    }

    fn dialect(&self) -> Dialect {
        learned(self.endpoint.dialect, &self.refused.all())
    }
}

/// What is left of a dialect when parameters are refused.
fn learned(mut dialect: Dialect, refused: &BTreeSet<&str>) -> Dialect {
    if refused.contains("tools") && dialect.calls == CallForm::Native {
        dialect.calls = CallForm::Protocol;
    }
    if refused.contains("response_format") && dialect.json == JsonForm::Schema {
        dialect.json = JsonForm::Prompt;
    }
    dialect.newer_limit |= refused.contains("max_tokens");
    dialect
}

/// Whether an endpoint's words blame what a schema says.
fn speaks_of_schemas(reason: &str) -> bool {
    let reason = reason.to_lowercase();
    ["schema", "grammar", "pattern", "$ref"].iter().any(|word| reason.contains(word))
}

/// No reply of so many tokens is longer, whatever it is wrapped in.
pub(crate) fn reply_bytes(max_tokens: u32) -> usize {
    let tokens = usize::try_from(max_tokens).unwrap_or(usize::MAX);
    tokens.saturating_mul(2048).saturating_add(1 << 20).min(256 << 20)
}

/// An address as it may be shown: without user, password and query.
pub(crate) fn shown(address: &str) -> String {
    let Ok(mut url) = reqwest::Url::parse(address) else {
        return "the configured address".to_owned();
    };
    // Only addresses that cannot have these refuse to lose them.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url.set_query(None);
    url.as_str().trim_end_matches('/').to_owned()
}
