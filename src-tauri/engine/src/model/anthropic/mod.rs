//! Anthropic's Messages API.

mod stream;
mod wire;

use std::sync::Arc;

use async_trait::async_trait;
use reqwest::RequestBuilder;
use reqwest::header::HeaderValue;
use serde::Serialize;
use serde_json::{Value, json};
use tokio::sync::mpsc::UnboundedSender;
use tokio_util::sync::CancellationToken;

use super::counted::{self, Counted};
use super::http::{self, Place};
use super::openai::{reply_bytes, shown};
use super::refused::{Refused, blamed};
use super::structured::{Attempt, Patience};
use super::{Delta, Endpoint, ModelError, ModelProfile, Pause, RealPause, Reply, Request, RetryPolicy};

/// The version of the protocol that is spoken here.
const VERSION: &str = "2023-06-01";

/// Parameters that a request can do without: some models take none of them.
const OPTIONAL: [&str; 2] = ["temperature", "tool_choice"];

/// A model at Anthropic, or at whoever speaks the same protocol. The endpoint's dialect is not looked at.
pub struct Anthropic {
    profile: ModelProfile,
    client: reqwest::Client,
    place: Place,
    endpoint: Endpoint,
    patience: Patience,
    refused: Refused,
    counted: Counted,
}

impl Anthropic {
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
        let client = http::client(endpoint.silence)?;
        let (model, key) = (endpoint.model.clone(), endpoint.key.clone());
        let place = Place { endpoint: shown(&endpoint.base_url), model, key };
        let patience = Patience { policy, pause };
        Ok(Self {
            profile,
            client,
            place,
            endpoint,
            patience,
            refused: Refused::default(),
            counted: Counted::default(),
        })
    }

    /// A model with the usual patience.
    ///
    /// # Errors
    /// As [`Anthropic::new`].
    pub fn usual(profile: ModelProfile, endpoint: Endpoint) -> Result<Self, ModelError> {
        Self::new(profile, endpoint, RetryPolicy::default(), Arc::new(RealPause))
    }
}

#[async_trait]
impl Attempt for Anthropic {
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
        let mut body = wire::body(request, &self.endpoint.model);
        let response = loop {
            for parameter in self.refused.all() {
                body.remove(parameter);
            }
            match self.place.send(self.post("messages", &body)?, cancel).await {
                Err(ModelError::BadRequest { endpoint, reason }) => match blamed(&OPTIONAL, &body, &reason) {
                    Some(culprit) => self.refused.add(culprit),
                    None => return Err(ModelError::BadRequest { endpoint, reason }),
                },
                answered => break answered?,
            }
        };
        let events = self.place.events(response, reply_bytes(request.max_tokens));
        stream::fold(events, request, &self.place, deltas, cancel).await
    }

    /// As the protocol counts a message of this text, which is a few tokens more than the text.
    async fn count_tokens(&self, text: &str) -> Option<u32> {
        let ask = async {
            let body = json!({"model": self.endpoint.model, "messages": [{"role": "user", "content": text}]});
            let sending = self.post("messages/count_tokens", &body)?;
            let response = self.place.send(sending, &CancellationToken::new()).await?;
            let told = http::json(response, counted::MOST_BYTES).await.unwrap_or_default();
            Ok(told.get("input_tokens").and_then(Value::as_u64).and_then(|tokens| u32::try_from(tokens).ok()))
        };
        self.counted.of(text, ask).await
    }

    fn spells_calls(&self) -> bool {
        false
    }
}

impl Anthropic {
    fn post(&self, path: &str, body: &impl Serialize) -> Result<RequestBuilder, ModelError> {
        let sending = self.client.post(format!("{}/{path}", self.endpoint.base_url)).json(body);
        let sending = sending.header("anthropic-version", VERSION);
        let Some(key) = &self.endpoint.key else { return Ok(sending) };
        let mut value = HeaderValue::from_str(key.expose()).map_err(|_| ModelError::Auth {
            endpoint: self.place.endpoint.clone(),
            reason: "the key has characters that no key has".to_owned(),
        })?;
        value.set_sensitive(true);
        Ok(sending.header("x-api-key", value))
    }
}
