//! How a request is recorded so that it can be rebuilt byte for byte, in about a hundred bytes.
//!
//! What many requests share (tools, files shown, role, drawing) is a blob that the recipe names; everything else follows
//! from the plan, the events before the reply, and the templates.

use std::sync::{Arc, OnceLock};

use assent_core::contract::ToolSpec;
use assent_core::ids::Digest;
use assent_core::run::Content;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::model::{PlannerProfile, ToolChoice};
use crate::prompt::{Remark, StepStudio, Templates};
use crate::tool::scope::LeftOut;

/// The parts that requests of the same kind of step share.
#[derive(Debug, PartialEq)]
pub(super) struct Base {
    /// Names the record of this base.
    pub(super) digest: Digest,
    pub(super) shared: Shared,
    pub(super) tools: Arc<[ToolSpec]>,
    pub(super) files: Vec<String>,
    pub(super) conversation: Vec<(String, String)>,
    /// The system message, once it was made.
    pub(super) system: OnceLock<String>,
}

/// The base as it is recorded; tools, files and conversation stand in blobs of their own, which many bases share.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Shared {
    /// The model that the tools were counted for and shown to.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(super) model: String,
    pub(super) profile: PlannerProfile,
    pub(super) context_tokens: u32,
    pub(super) max_tokens: u32,
    pub(super) temperature: f32,
    pub(super) seed: Option<u64>,
    pub(super) role: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) studio: Option<StepStudio>,
    /// What the person had said when the step began.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) remarks: Vec<Remark>,
    pub(super) tools: Digest,
    pub(super) files: Digest,
    pub(super) conversation: Digest,
    pub(super) templates: Digest,
    /// Tokens that each tool takes of the budget, in the order of the tools.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) tokens: Vec<u32>,
    /// Tokens that the list of the studio's tools takes of it.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(super) studio_tokens: u32,
    /// Tools that would have been shown, and why they are not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) left_out: Vec<(String, LeftOut)>,
    /// Whether it was made smaller because the request before was longer than the model can take.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) shrunk: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// How one reply is drawn, where it is not as its base says.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(super) struct Draw {
    pub(super) temperature: f32,
    pub(super) seed: Option<u64>,
}

/// What a recipe names beside what follows from the events.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Recipe {
    pub(super) base: Option<Digest>,
    pub(super) choice: ToolChoice,
    pub(super) draw: Option<Draw>,
}

/// Which templates, by name: the digests of their sources.
pub(super) fn template_list(templates: &Templates) -> Value {
    templates.digests().map(|(name, digest)| (name.to_owned(), json!(digest.as_str()))).collect::<Map<_, _>>().into()
}

/// What one reply's event records of its request; nothing where all of it follows from what was recorded before.
pub(super) fn record(base: Option<&Digest>, choice: &ToolChoice, draw: Option<Draw>) -> Option<Content> {
    let mut recipe = Map::new();
    if let Some(base) = base {
        recipe.insert("base".to_owned(), json!(base));
    }
    match choice {
        ToolChoice::Auto => {}
        ToolChoice::Required => drop(recipe.insert("choice".to_owned(), json!("required"))),
        ToolChoice::None => drop(recipe.insert("choice".to_owned(), json!("none"))),
        ToolChoice::Named(tool) => drop(recipe.insert("choice".to_owned(), json!({"named": tool}))),
        ToolChoice::Script(tool) => drop(recipe.insert("choice".to_owned(), json!({"script": tool}))),
    }
    if let Some(draw) = draw {
        recipe.insert("draw".to_owned(), json!(draw));
    }
    (!recipe.is_empty()).then(|| Content::inline(Value::Object(recipe)))
}

/// What a recipe says.
pub(super) fn read(recipe: Option<&Content>) -> Recipe {
    let Some(Content::Inline { inline }) = recipe else {
        return Recipe { base: None, choice: ToolChoice::Auto, draw: None };
    };
    let base = inline.get("base").and_then(|base| serde_json::from_value(base.clone()).ok());
    let draw = inline.get("draw").and_then(|draw| serde_json::from_value(draw.clone()).ok());
    let choice = match inline.get("choice") {
        None => ToolChoice::Auto,
        Some(Value::String(word)) if word == "required" => ToolChoice::Required,
        Some(Value::String(_)) => ToolChoice::None,
        Some(other) => {
            let tool = |key: &str| other.get(key).and_then(Value::as_str).map(str::to_owned);
            let named = tool("named").map(ToolChoice::Named);
            named.or_else(|| tool("script").map(ToolChoice::Script)).unwrap_or(ToolChoice::Auto)
        }
    };
    Recipe { base, choice, draw }
}
