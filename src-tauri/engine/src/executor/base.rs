//! The static part of a step's requests: made once for a step, recorded once for all steps that share it.

use std::sync::Arc;

use assent_core::contract::ToolSpec;
use assent_core::ids::Digest;
use assent_core::run::{Content, EventKind, Exchange, Purpose};
use serde_json::{Value, json};

use super::carrier::Carrier;
use super::error::Stop;
use super::recipe::{self, Base, Shared};
use crate::model::{Model, ModelError, ModelProfile, PlannerProfile};
use crate::store::{Blobs, StoreError};

/// Tokens of a reply, whatever the model's context.
const REPLY_TOKENS: std::ops::RangeInclusive<u32> = 256..=4096;

/// The same for a small model, whose long replies go round in circles.
const COMPACT_REPLY_TOKENS: u32 = 1500;

/// Files of the workspace, and things said in the chat, that are left after a request was too long.
const FILES_LEFT: usize = 10;
const SAID_LEFT: usize = 2;

/// The base that the latest reply of an exchange was asked with.
pub(super) fn recorded(exchange: &[Exchange]) -> Option<Digest> {
    exchange.iter().rev().find_map(|item| match item {
        Exchange::Reply(reply) => reply.recipe.as_ref().and_then(|recipe| recipe::read(recipe).base),
        _ => None,
    })
}

/// The base of a step: the one it began with, so that its prefix stays as it is, or a new one.
pub(super) async fn of(carrier: &Carrier, at: usize, model: Option<&dyn Model>) -> Result<Arc<Base>, Stop> {
    let begun = recorded(&carrier.state().step(at).exchange);
    if let Some(digest) = begun
        && let Ok(base) = load(carrier.parts.blobs.as_ref(), &digest)
    {
        return Ok(Arc::new(base));
    }
    let started;
    let profile = match model {
        Some(model) => model.profile(),
        None => {
            started = carrier.models().model(Purpose::Step).await;
            match &started {
                Ok(model) => model.profile(),
                // Without a model nothing is asked; calls can still be carried out.
                Err(_) => &UNKNOWN,
            }
        }
    };
    Ok(make(carrier, at, profile))
}

static UNKNOWN: ModelProfile =
    ModelProfile { id: String::new(), context_tokens: 8192, planner: PlannerProfile::Full, parallel: 1, local: false };

fn make(carrier: &Carrier, at: usize, profile: &ModelProfile) -> Arc<Base> {
    let parts = &carrier.parts;
    let (plan, step) = (carrier.plan(), carrier.step(at));
    let mut tools = parts.rules.active(plan, step, profile.planner);
    if profile.planner == PlannerProfile::Compact {
        for spec in &mut tools {
            reduce(spec, parts.catalogue.get(&spec.name).map_or(&[], |tool| tool.essentials()));
        }
    }
    // One order for all steps, so that the list of tools stays in the prompt cache.
    tools.sort_by_cached_key(|tool| parts.catalogue.position(&tool.name));
    let files = parts.surroundings.files(step, &carrier.job.workspace, profile);
    let conversation = parts.surroundings.conversation(&carrier.place.session, step);
    let cache_key = if step.executor.id.is_empty() { "self" } else { step.executor.id.as_str() };
    let role = parts.surroundings.role(step);
    let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
    let key = json!([profile.id, cache_key, role, names, files, conversation]).to_string();
    let mut bases = carrier.bases.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    if let Some(base) = bases.get(&key) {
        return base.clone();
    }
    if bases.is_empty() {
        for (_, digest) in parts.templates.digests() {
            if let Some(source) = parts.templates.source(digest) {
                carrier.blob(&Value::String(source.to_owned()));
            }
        }
    }
    let shared = Shared {
        profile: profile.planner,
        context_tokens: profile.context_tokens,
        max_tokens: reply_tokens(profile),
        temperature: parts.sampling.temperature,
        seed: parts.sampling.seed,
        cache_key: cache_key.to_owned(),
        role,
        tools: carrier.blob(&json!(tools)),
        files: carrier.blob(&json!(files)),
        conversation: carrier.blob(&json!(conversation)),
        templates: carrier.blob(&recipe::template_list(&parts.templates)),
        shrunk: false,
    };
    let digest = carrier.blob(&json!(shared));
    let base = Arc::new(Base { digest, shared, tools, files, conversation });
    bases.insert(key, base.clone());
    base
}

/// A base for the second try of a request that was too long: only what was said last, few files, short results, a
/// short reply. `None` for any other error, and where that was tried already.
pub(super) fn smaller(carrier: &Carrier, base: &Base, error: &ModelError) -> Option<Arc<Base>> {
    let ModelError::ContextTooLong { limit, .. } = *error else {
        return None;
    };
    if base.shared.shrunk {
        return None;
    }
    let (mut files, mut conversation) = (base.files.clone(), base.conversation.clone());
    files.truncate(FILES_LEFT);
    conversation.drain(..conversation.len().saturating_sub(SAID_LEFT));
    let known = if limit == 0 { base.shared.context_tokens } else { limit.min(base.shared.context_tokens) };
    let shared = Shared {
        context_tokens: known,
        max_tokens: base.shared.max_tokens.min(reply_tokens_of(known, base.shared.profile)),
        files: carrier.blob(&json!(files)),
        conversation: carrier.blob(&json!(conversation)),
        shrunk: true,
        ..base.shared.clone()
    };
    let digest = carrier.blob(&json!(shared));
    Some(Arc::new(Base { digest, shared, tools: base.tools.clone(), files, conversation }))
}

/// The event of a request that is made once more, shorter.
pub(super) fn retried(purpose: Purpose, model: &str, error: &ModelError) -> EventKind {
    EventKind::ModelFailed { purpose, model: model.to_owned(), error: error.shortened(), retrying: true }
}

fn reply_tokens(profile: &ModelProfile) -> u32 {
    reply_tokens_of(profile.context_tokens, profile.planner)
}

fn reply_tokens_of(context_tokens: u32, profile: PlannerProfile) -> u32 {
    let tokens = (context_tokens / 4).clamp(*REPLY_TOKENS.start(), *REPLY_TOKENS.end());
    match profile {
        PlannerProfile::Full => tokens,
        PlannerProfile::Compact => tokens.min(COMPACT_REPLY_TOKENS),
    }
}

/// Leaves only the named parameters; the others keep their defaults.
fn reduce(spec: &mut ToolSpec, shown: &[&str]) {
    if !shown.is_empty()
        && let Some(properties) = spec.parameters.get_mut("properties").and_then(Value::as_object_mut)
    {
        properties.retain(|name, _| shown.contains(&name.as_str()));
    }
}

/// A base as it was recorded.
pub(super) fn load(blobs: &dyn Blobs, digest: &Digest) -> Result<Base, StoreError> {
    let shared: Shared = part(blobs, digest)?;
    let tools: Vec<ToolSpec> = part(blobs, &shared.tools)?;
    let files = part(blobs, &shared.files)?;
    let conversation = part(blobs, &shared.conversation)?;
    Ok(Base { digest: digest.clone(), shared, tools, files, conversation })
}

fn part<T: serde::de::DeserializeOwned>(blobs: &dyn Blobs, digest: &Digest) -> Result<T, StoreError> {
    serde_json::from_value(Content::decode(&blobs.blob(digest)?))
        .map_err(|error| StoreError::Damaged { path: digest.to_string(), reason: error.to_string() })
}
