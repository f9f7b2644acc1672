//! Who offers models over HTTP.

use serde::{Deserialize, Serialize};

use crate::model::{CallForm, Dialect, JsonForm};
use crate::store::{Settings, StoreError};

/// The setting with the person's own providers: a list of [`Provider`].
pub const PROVIDERS_SETTING: &str = "model.providers";

/// What is spoken at an endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "bindings", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Protocol {
    /// Chat completions.
    Openai,
    /// Messages.
    Anthropic,
}

/// Somebody who offers models.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "bindings", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Provider {
    /// The first part of its models' ids; also names its key.
    pub id: String,
    /// The address up to and with `/v1`. Without credentials: those are for the keyring.
    pub base_url: String,
    /// What is spoken there.
    pub protocol: Protocol,
    /// Tokens of request and reply together.
    #[serde(default = "usual_context")]
    pub context_tokens: u32,
    /// Whether tools are called, and JSON is asked for, in plain text because the endpoint has no means of its own.
    #[serde(default)]
    pub plain: bool,
}

fn usual_context() -> u32 {
    32_768
}

impl Provider {
    fn known(id: &str, base_url: &str, protocol: Protocol, context_tokens: u32) -> Self {
        Self { id: id.to_owned(), base_url: base_url.to_owned(), protocol, context_tokens, plain: false }
    }

    /// How it is spoken to.
    pub(super) fn dialect(&self) -> Dialect {
        match self.id.as_str() {
            _ if self.plain => Dialect::PLAIN,
            "openai" => Dialect::OPENAI,
            // Their models are small, and call tools in text as often as in the fields for it.
            "ollama" | "lmstudio" => Dialect { calls: CallForm::Protocol, json: JsonForm::Schema, newer_limit: false },
            _ => Dialect::COMPATIBLE,
        }
    }

    /// Whether it is on this machine.
    pub fn is_local(&self) -> bool {
        let url = reqwest::Url::parse(&self.base_url).ok();
        let host = url.as_ref().and_then(reqwest::Url::host_str).unwrap_or_default();
        let host = host.trim_matches(['[', ']']);
        host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
    }
}

/// The providers that need no set-up but a key, or none at all.
pub fn known_providers() -> Vec<Provider> {
    let (openai, anthropic) = (Protocol::Openai, Protocol::Anthropic);
    vec![
        Provider::known("ollama", "http://127.0.0.1:11434/v1", openai, 8192),
        Provider::known("lmstudio", "http://127.0.0.1:1234/v1", openai, 8192),
        Provider::known("openai", "https://api.openai.com/v1", openai, 128_000),
        Provider::known("anthropic", "https://api.anthropic.com/v1", anthropic, 200_000),
        Provider::known("openrouter", "https://openrouter.ai/api/v1", openai, 128_000),
    ]
}

/// The person's own providers before the known ones, which they replace by id.
pub(super) fn all(settings: &dyn Settings) -> Result<Vec<Provider>, StoreError> {
    let own = settings.setting(PROVIDERS_SETTING)?;
    // A setting that cannot be read is as good as none: the known providers still work.
    let mut providers: Vec<Provider> = own.and_then(|own| serde_json::from_value(own).ok()).unwrap_or_default();
    for known in known_providers() {
        if providers.iter().all(|own| own.id != known.id) {
            providers.push(known);
        }
    }
    Ok(providers)
}

#[cfg(test)]
mod tests {
    use super::known_providers;

    #[test]
    fn servers_on_this_machine_are_looked_for_where_they_listen_by_default() {
        let local: Vec<_> = known_providers().into_iter().filter(super::Provider::is_local).collect();
        let named: Vec<_> = local.iter().map(|known| (known.id.as_str(), known.base_url.as_str())).collect();
        assert_eq!(named, [("ollama", "http://127.0.0.1:11434/v1"), ("lmstudio", "http://127.0.0.1:1234/v1")]);
    }
}
