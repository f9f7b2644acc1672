//! Headers of a described request, and the key that one of them may carry.
//!
//! A description only says where the key goes. Which it is, a person says, for one source and one host; it is kept as
//! the keys of models are and goes to that host alone, over a connection that nobody else reads. The same holds for
//! credentials of the vault, which a header names.

use reqwest::Url;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use serde_json::Value;

use super::template::filled;
use crate::model::{Keys, Secret};
use crate::vault::{Mask, named_in};

/// Stands in a header's text where the key goes.
pub(super) const KEY: &str = "{$key}";

/// Headers that a request has.
const MOST: usize = 30;
/// Those that the connection itself makes, and those that would pretend to be another client or go on elsewhere.
const REFUSED: [&str; 14] = [
    "host",
    "connection",
    "content-length",
    "transfer-encoding",
    "te",
    "trailer",
    "upgrade",
    "expect",
    "cookie",
    "forwarded",
    "via",
    "proxy-authorization",
    "x-forwarded-for",
    "x-forwarded-host",
];

/// Headers with `{parameter}` and the place of the key in them.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Headers(Vec<(HeaderName, String)>);

/// What the key of a source for a host is kept under.
pub fn key_name(source: &str, host: &str) -> String {
    format!("tools {source} {}", host.to_ascii_lowercase())
}

impl Headers {
    /// Reads those of a template.
    pub(super) fn read(headers: Option<&Value>, url: &Url) -> Result<Self, String> {
        let fields = match headers {
            None => return Ok(Self::default()),
            Some(Value::Object(fields)) if fields.len() <= MOST => fields,
            Some(_) => return Err(format!("its headers are no object with at most {MOST} texts")),
        };
        let mut read = Vec::new();
        for (name, value) in fields {
            let known = HeaderName::from_bytes(name.as_bytes()).ok();
            let known = known.filter(|name| !REFUSED.contains(&name.as_str()));
            let text = value.as_str().filter(|text| HeaderValue::from_str(text).is_ok());
            let (Some(name), Some(text)) = (known, text) else {
                return Err(format!("it may not send the header {:?}", name.chars().take(64).collect::<String>()));
            };
            read.push((name, text.to_owned()));
        }
        let headers = Self(read);
        if (headers.want_key() || headers.credentials().next().is_some()) && !is_private(url) {
            return Err("a key is sent over https:// only, or to this machine".to_owned());
        }
        Ok(headers)
    }

    /// The texts, which may name parameters.
    pub(super) fn texts(&self) -> impl Iterator<Item = &String> {
        self.0.iter().map(|(_, text)| text)
    }

    /// Whether a key goes into one of them.
    pub(super) fn want_key(&self) -> bool {
        self.texts().any(|text| text.contains(KEY))
    }

    /// The names of the credentials that go into them.
    pub(super) fn credentials(&self) -> impl Iterator<Item = &str> {
        self.texts().flat_map(|text| named_in(text))
    }

    /// The headers of a call. One whose parameter has no value is left out.
    pub(super) fn ready(&self, arguments: &Value, secrets: &Secrets) -> Result<HeaderMap, String> {
        let mut ready = HeaderMap::new();
        for (name, text) in &self.0 {
            // What a value says is never taken for the place of a secret.
            let (mut whole, mut rest, mut complete) = (String::new(), text.as_str(), true);
            loop {
                let next = secrets.0.iter().filter_map(|(place, secret)| Some((rest.find(place)?, place, secret)));
                let next = next.min_by_key(|(at, ..)| *at);
                let end = next.as_ref().map_or(rest.len(), |(at, ..)| *at);
                match filled(&rest[..end], arguments, str::to_owned) {
                    Some(part) => whole.push_str(&part),
                    None => complete = false,
                }
                let Some((at, place, secret)) = next else { break };
                whole.push_str(secret.expose());
                rest = &rest[at + place.len()..];
            }
            if !complete {
                continue;
            }
            let mut value =
                HeaderValue::from_str(&whole).map_err(|_| format!("the value of the header {name} cannot be sent"))?;
            value.set_sensitive(true);
            ready.insert(name, value);
        }
        Ok(ready)
    }
}

/// What goes where a header says so.
#[derive(Default)]
pub(super) struct Secrets(Vec<(String, Secret)>);

impl Secrets {
    /// One more, at every place that is written so.
    pub(super) fn put(&mut self, place: &str, secret: Secret) {
        self.0.push((place.to_owned(), secret));
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// A mask for what is sent back.
    pub(super) fn mask(&self) -> Mask {
        Mask::of(self.0.iter().map(|(_, secret)| secret))
    }
}

/// The key of a source for a host.
pub(super) fn key_for(keys: &Keys, source: &str, host: &str) -> Result<Secret, String> {
    let (key, _) = keys.key(&key_name(source, host)).ok_or_else(|| {
        format!("{host} wants a key and there is none: give it with assent tools source key {source} {host}")
    })?;
    Ok(key)
}

/// Whether nobody on the way can read what is sent there.
pub(super) fn is_private(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    url.scheme() == "https" || ["localhost", "127.0.0.1", "[::1]"].contains(&host)
}

#[cfg(test)]
mod tests;
