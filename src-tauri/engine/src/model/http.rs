//! HTTP as all adapters need it: errors by meaning, bounded sizes, streams of events, no key in any text.
//!
//! An endpoint is hostile until checked: what it sends is counted, redirects are refused (a key must not travel), and
//! what it says in an error is cut, cleaned and freed of the key before anybody sees it.

use std::time::Duration;

use assent_crawl::fetch::retry_after;
use eventsource_stream::{EventStreamError, Eventsource};
use futures::{Stream, StreamExt, TryFutureExt, TryStreamExt};
use reqwest::header::{CONTENT_TYPE, HeaderMap};
use reqwest::{Client, RequestBuilder, Response, StatusCode};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::{ModelError, Secret};

/// An error's body is read up to here.
const MAX_ERROR_BYTES: usize = 64 * 1024;

/// One line of a stream of events; an endpoint that never ends it would have it read again and again.
const MAX_LINE_BYTES: usize = 1 << 20;

/// What an endpoint says of its own failure is shown up to here.
const MAX_REASON: usize = 300;

/// One model at one address: what errors and requests are made of.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    /// The address without credentials.
    pub(crate) endpoint: String,
    /// The model's name there.
    pub(crate) model: String,
    /// The key.
    pub(crate) key: Option<Secret>,
}

/// A client that follows no redirect and gives up on silence.
pub(crate) fn client(silence: Duration) -> Result<Client, ModelError> {
    assent_crawl::http::client()
        .redirect(reqwest::redirect::Policy::none())
        .connect_timeout(Duration::from_secs(10))
        .read_timeout(silence)
        .user_agent(concat!("assent/", env!("CARGO_PKG_VERSION")))
        .build()
        .map_err(|error| ModelError::BadRequest { endpoint: "this machine".to_owned(), reason: text_of(&error) })
}

impl Place {
    /// Sends a request and waits for the head of the reply; everything but success comes back as an error.
    pub(crate) async fn send(
        &self,
        request: RequestBuilder,
        cancel: &CancellationToken,
    ) -> Result<Response, ModelError> {
        let sent = tokio::select! {
            biased;
            () = cancel.cancelled() => return Err(ModelError::Cancelled),
            sent = request.send() => sent,
        };
        let response = sent.map_err(|error| self.unreachable(&error))?;
        if response.status().is_success() {
            return Ok(response);
        }
        let (status, headers) = (response.status(), response.headers().clone());
        let body = tokio::select! {
            biased;
            () = cancel.cancelled() => return Err(ModelError::Cancelled),
            body = read(response, MAX_ERROR_BYTES) => body.unwrap_or_default(),
        };
        Err(self.refused(status, &headers, &body))
    }

    fn unreachable(&self, error: &reqwest::Error) -> ModelError {
        let reason = self.clean(&text_of(error));
        let endpoint = self.endpoint.clone();
        if error.is_builder() || error.is_request() && error.url().is_none() {
            return ModelError::BadRequest { endpoint, reason };
        }
        ModelError::Offline { endpoint, reason }
    }

    /// What broke after the head of the reply.
    pub(crate) fn broken(&self, reason: &str) -> ModelError {
        ModelError::Unavailable { endpoint: self.endpoint.clone(), reason: self.clean(reason), retry_after: None }
    }

    pub(crate) fn nonsense(&self, reason: &str) -> ModelError {
        ModelError::Nonsense { endpoint: self.endpoint.clone(), reason: self.clean(reason) }
    }

    /// The meaning of a status and the body that came with it.
    fn refused(&self, status: StatusCode, headers: &HeaderMap, body: &[u8]) -> ModelError {
        let Some(said) = Said::in_body(body) else {
            return self.refused_without_words(status, headers, body);
        };
        self.meaning(Some(status), headers, &said)
    }

    /// A reply of no known form: most likely something else lives at the address.
    fn refused_without_words(&self, status: StatusCode, headers: &HeaderMap, body: &[u8]) -> ModelError {
        let beginning = self.clean(&String::from_utf8_lossy(body));
        let said = Said { message: beginning.clone(), ..Said::default() };
        match status.as_u16() {
            401 | 402 | 403 | 408 | 413 | 425 | 429 | 500.. => self.meaning(Some(status), headers, &said),
            300..=399 => self.nonsense(&format!("it redirects elsewhere ({status}), which is not followed")),
            _ => self.nonsense(&format!("{status}: {beginning}")),
        }
    }

    /// The meaning of an error that an endpoint words itself, at once or inside a stream.
    pub(crate) fn meaning(&self, status: Option<StatusCode>, headers: &HeaderMap, said: &Said) -> ModelError {
        let (endpoint, model) = (self.endpoint.clone(), self.model.clone());
        let reason = self.clean(&said.message);
        let number = status.map_or(said.number, |status| status.as_u16());
        if said.is_about_length() || number == 413 {
            return ModelError::ContextTooLong { model, limit: said.limit };
        }
        match (number, said.code.as_str()) {
            (_, "insufficient_quota" | "billing_error") | (402, _) => ModelError::BadRequest { endpoint, reason },
            (401 | 403, _) | (_, "authentication_error" | "permission_error" | "invalid_api_key") => {
                ModelError::Auth { endpoint, reason }
            }
            (404, _) | (_, "model_not_found" | "not_found_error") => ModelError::NoSuchModel {
                model,
                reason: format!("{endpoint} says: {reason}; the settings and `assent model list` show what there is"),
            },
            (429, _) | (_, "rate_limit_error" | "rate_limit_exceeded") => {
                ModelError::RateLimited { endpoint, retry_after: retry_after(headers) }
            }
            (501, _) => ModelError::BadRequest { endpoint, reason },
            (408 | 409 | 425 | 500.., _) | (_, "overloaded_error" | "api_error" | "server_error" | "timeout_error") => {
                ModelError::Unavailable { endpoint, reason, retry_after: retry_after(headers) }
            }
            (0, _) => ModelError::Unavailable { endpoint, reason, retry_after: retry_after(headers) },
            _ => ModelError::BadRequest { endpoint, reason },
        }
    }

    /// A foreign text as it may be shown: without the key, without control characters, not long.
    pub(crate) fn clean(&self, text: &str) -> String {
        let redacted = self.key.as_ref().map_or_else(|| text.to_owned(), |key| key.redact(text));
        let mut clean: String = redacted
            .chars()
            .map(|character| if character.is_control() { ' ' } else { character })
            .take(MAX_REASON)
            .collect();
        if clean.trim().is_empty() {
            clean = "it does not say why".to_owned();
        }
        clean.trim().to_owned()
    }

    /// The data of the events of a stream, or of the one document that an endpoint sent instead; at most `limit` bytes.
    pub(crate) fn events(
        &self,
        response: Response,
        limit: usize,
    ) -> impl Stream<Item = Result<String, ModelError>> + Send {
        let content = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let whole = content.starts_with("application/json");
        let strange = !whole && !content.is_empty() && !content.starts_with("text/event-stream");
        let strange = strange.then(|| self.nonsense(&format!("it sends {content}")));
        let (early, place) = (self.clone(), self.clone());
        let (mut seen, mut line) = (0_usize, 0_usize);
        let bytes = response.bytes_stream().map_err(Broken::Connection).and_then(move |chunk| {
            seen += chunk.len();
            line = match chunk.iter().rposition(|byte| *byte == b'\n') {
                Some(at) => chunk.len() - at,
                None => line + chunk.len(),
            };
            let too_long = seen > limit || !whole && line > MAX_LINE_BYTES;
            futures::future::ready(if too_long { Err(Broken::TooLong) } else { Ok(chunk) })
        });
        pieces(
            bytes,
            strange,
            whole,
            move |error| early.of_broken(&error),
            move |error| match error {
                EventStreamError::Transport(error) => place.of_broken(&error),
                _ => place.nonsense("its stream of events is not text"),
            },
        )
    }

    fn of_broken(&self, error: &Broken) -> ModelError {
        match error {
            Broken::Connection(error) => self.broken(&format!("the answer broke off: {}", text_of(error))),
            Broken::TooLong => self.nonsense("the answer is far longer than what was asked for"),
        }
    }
}

/// Why a body could not be read to its end.
enum Broken {
    Connection(reqwest::Error),
    TooLong,
}

impl std::fmt::Debug for Broken {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Broken")
    }
}

/// One of: the error that is already known, the whole body as one event, the events.
fn pieces<B: AsRef<[u8]> + Send + 'static>(
    bytes: impl Stream<Item = Result<B, Broken>> + Send + 'static,
    strange: Option<ModelError>,
    whole: bool,
    of_body: impl Fn(Broken) -> ModelError + Send + 'static,
    of_event: impl Fn(EventStreamError<Broken>) -> ModelError + Send + 'static,
) -> futures::stream::BoxStream<'static, Result<String, ModelError>> {
    if let Some(error) = strange {
        return futures::stream::once(async { Err(error) }).boxed();
    }
    if whole {
        let body = bytes.try_fold(Vec::new(), |mut body: Vec<u8>, chunk| async move {
            body.extend_from_slice(chunk.as_ref());
            Ok(body)
        });
        let body = body.map_ok(|body: Vec<u8>| String::from_utf8_lossy(&body).into_owned()).map_err(of_body);
        return futures::stream::once(body).boxed();
    }
    bytes.eventsource().map_ok(|event| event.data).map_err(of_event).boxed()
}

/// What an endpoint says in an error, in any of the forms that are in use.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct Said {
    pub(crate) message: String,
    /// `code` or `type`, whichever says more.
    pub(crate) code: String,
    /// The parameter that is meant.
    pub(crate) parameter: String,
    /// A status inside the body; 0 without.
    number: u16,
    /// The context's size, where it is told.
    limit: u32,
}

impl Said {
    /// `{"error":{"message","type","code","param"}}`, `{"error":"…"}`, `{"message"}` or `{"detail"}`.
    pub(crate) fn in_body(body: &[u8]) -> Option<Self> {
        Self::of(&serde_json::from_slice(body).ok()?)
    }

    pub(crate) fn of(document: &Value) -> Option<Self> {
        let error = document.get("error").filter(|error| !error.is_null()).unwrap_or(document);
        if let Some(message) = error.as_str() {
            return Some(Self { message: message.to_owned(), ..Self::default() });
        }
        let text = |key: &str| error.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        let message = match error.get("message").or_else(|| error.get("detail")) {
            Some(Value::String(message)) => message.clone(),
            Some(other) => other.to_string(),
            None if error.get("type").is_some_and(|kind| kind != "error") => text("type"),
            None => return None,
        };
        let number = error.get("code").and_then(Value::as_u64).and_then(|code| u16::try_from(code).ok());
        let code = if text("code").is_empty() { text("type") } else { text("code") };
        let limit = error.get("n_ctx").and_then(Value::as_u64).and_then(|limit| u32::try_from(limit).ok());
        let (number, limit) = (number.unwrap_or(0), limit.unwrap_or(0));
        Some(Self { message, code, parameter: text("param"), number, limit })
    }

    /// By code where there is one. Some servers only have words for it, so those are looked at too.
    fn is_about_length(&self) -> bool {
        let known =
            ["context_length_exceeded", "exceed_context_size_error", "string_above_max_length", "request_too_large"];
        if known.contains(&self.code.as_str()) {
            return true;
        }
        let message = self.message.to_lowercase();
        let words =
            ["maximum context length", "context length", "context window", "prompt is too long", "context size"];
        words.iter().any(|words| message.contains(words))
            && ["exceed", "too long", "maximum", "larger"].iter().any(|word| message.contains(word))
    }
}

/// A body up to a size.
async fn read(response: Response, limit: usize) -> Option<Vec<u8>> {
    let mut body = Vec::new();
    let mut chunks = response.bytes_stream();
    while let Some(chunk) = chunks.next().await {
        let chunk = chunk.ok()?;
        let room = limit - body.len();
        body.extend_from_slice(&chunk[..chunk.len().min(room)]);
        if chunk.len() >= room {
            break;
        }
    }
    Some(body)
}

/// A document up to a size, as JSON.
pub(crate) async fn json(response: Response, limit: usize) -> Option<Value> {
    serde_json::from_slice(&read(response, limit).await?).ok()
}

/// An error with its causes, without the address (which may carry credentials).
fn text_of(error: &reqwest::Error) -> String {
    if error.is_timeout() {
        return "it did not answer in time".to_owned();
    }
    let mut source = std::error::Error::source(error);
    let mut last = None;
    while let Some(cause) = source {
        last = Some(cause.to_string());
        source = cause.source();
    }
    last.unwrap_or_else(|| "the connection failed".to_owned())
}
