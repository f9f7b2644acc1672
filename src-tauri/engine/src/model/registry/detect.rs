//! What listens on this machine: Ollama and LM Studio on their default ports. Nothing else is ever asked.

use std::time::Duration;

use futures::future::join_all;
use serde_json::Value;

use super::{ModelId, Provider, known_providers};
use crate::model::http;

/// A server that answers, and its models.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Detected {
    /// Who.
    pub provider: String,
    /// What it offers.
    pub models: Vec<ModelId>,
}

/// A server on this machine answers at once or not at all.
const PATIENCE: Duration = Duration::from_secs(2);
const MAX_BYTES: usize = 1 << 20;
const MAX_MODELS: usize = 100;
const MAX_NAME: usize = 200;

/// The servers to look for.
pub fn ports() -> Vec<Provider> {
    known_providers().into_iter().filter(Provider::is_local).collect()
}

/// Those of `candidates` that are on this machine, answer and have models.
pub async fn detect(candidates: &[Provider]) -> Vec<Detected> {
    let Ok(client) = http::client(PATIENCE) else {
        return Vec::new();
    };
    let asked = candidates.iter().filter(|candidate| candidate.is_local()).map(|candidate| ask(&client, candidate));
    join_all(asked).await.into_iter().flatten().collect()
}

async fn ask(client: &reqwest::Client, candidate: &Provider) -> Option<Detected> {
    let request = client.get(format!("{}/models", candidate.base_url)).timeout(PATIENCE);
    let response = request.send().await.ok().filter(|response| response.status().is_success())?;
    let document = http::json(response, MAX_BYTES).await?;
    let names = document.get("data")?.as_array()?.iter().filter_map(|model| model.get("id").and_then(Value::as_str));
    let plain = |name: &&str| !name.is_empty() && name.len() <= MAX_NAME && !name.chars().any(char::is_control);
    let models: Vec<ModelId> = names
        .filter(plain)
        .take(MAX_MODELS)
        .map(|name| ModelId { provider: candidate.id.clone(), name: name.to_owned() })
        .collect();
    (!models.is_empty()).then(|| Detected { provider: candidate.id.clone(), models })
}
