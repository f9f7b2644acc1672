//! The request behind a planner's reply, rebuilt byte for byte from its recipe, and what it told of tools.

use assent_core::ids::Digest;
use assent_core::run::Purpose;
use serde::Deserialize;
use serde_json::Value;

use super::told::ToolsTold;
use crate::model::{Message, OutputFormat, Request, ToolChoice};
use crate::store::{Blobs, StoreError};

/// A recipe as the recorder writes it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Recipe {
    purpose: Purpose,
    messages: Vec<Kept>,
    output: Option<Output>,
    max_tokens: u32,
    temperature: f32,
    seed: Option<u64>,
    #[serde(default)]
    avoid: Vec<String>,
    #[serde(default)]
    told: ToolsTold,
}

#[derive(Deserialize)]
struct Kept {
    role: String,
    blob: Digest,
}

#[derive(Deserialize)]
struct Output {
    name: String,
    schema: Digest,
}

/// The request of a recipe, and what it tells of tools; `None` where the recipe is not a planner's.
///
/// # Errors
/// What the recipe names cannot be read.
pub fn request_of(recipe: &Value, blobs: &dyn Blobs) -> Result<Option<(Request, ToolsTold)>, StoreError> {
    let Ok(recipe) = serde_json::from_value::<Recipe>(recipe.clone()) else { return Ok(None) };
    let read = |digest: &Digest| blobs.blob(digest).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    let mut messages = Vec::with_capacity(recipe.messages.len());
    for kept in &recipe.messages {
        let text = read(&kept.blob)?;
        messages.push(match kept.role.as_str() {
            "system" => Message::System { text },
            "assistant" => Message::Assistant { text, calls: Vec::new() },
            _ => Message::User { text },
        });
    }
    let output = match recipe.output {
        None => OutputFormat::Text,
        Some(output) => {
            let schema = read(&output.schema)?;
            let schema: Value = serde_json::from_str(&schema).map_err(|error| StoreError::Other(error.to_string()))?;
            OutputFormat::Json { name: output.name, schema: schema.into() }
        }
    };
    let request = Request {
        purpose: recipe.purpose,
        messages,
        tools: [].into(),
        choice: ToolChoice::None,
        output,
        max_tokens: recipe.max_tokens,
        temperature: recipe.temperature,
        seed: recipe.seed,
        avoid: recipe.avoid,
    };
    Ok(Some((request, recipe.told)))
}
