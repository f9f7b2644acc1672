//! Headers of a described request, and the key that one of them may carry.
//!
//! A description only says where the key goes. Which it is, a person says, for one source and one host; it is kept as
//! the keys of models are and goes to that host alone, over a connection that nobody else reads.

use reqwest::Url;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use serde_json::Value;

use super::template::filled;
use crate::model::{Keys, Secret};

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
        if headers.want_key() && !is_private(url) {
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

    /// The headers of a call. One whose parameter has no value is left out.
    pub(super) fn ready(&self, arguments: &Value, key: Option<&Secret>) -> Result<HeaderMap, String> {
        let mut ready = HeaderMap::new();
        for (name, text) in &self.0 {
            // What a value says is never taken for the place of the key.
            let parts: Option<Vec<String>> =
                text.split(KEY).map(|part| filled(part, arguments, str::to_owned)).collect();
            let Some(parts) = parts else { continue };
            let whole = parts.join(key.map(Secret::expose).unwrap_or_default());
            let mut value =
                HeaderValue::from_str(&whole).map_err(|_| format!("the value of the header {name} cannot be sent"))?;
            value.set_sensitive(true);
            ready.insert(name, value);
        }
        Ok(ready)
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
fn is_private(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    url.scheme() == "https" || ["localhost", "127.0.0.1", "[::1]"].contains(&host)
}

#[cfg(test)]
mod tests;
