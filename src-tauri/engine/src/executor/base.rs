//! The static part of a step's requests: made once for a step, recorded once for all steps that share it.

use std::collections::HashMap;
use std::sync::{Arc, MutexGuard, OnceLock, PoisonError};

use assent_core::contract::ToolSpec;
use assent_core::ids::Digest;
use assent_core::plan::{ExecutorKind, StepType};
use assent_core::run::{Content, EventKind, Purpose};
use serde_json::{Value, json};

use super::caps;
use super::carrier::Carrier;
use super::discovered::discovered;
use super::error::{ExecutorError, Stop};
use super::parts::Role;
use super::recipe::{self, Base, Shared};
use super::shown::{Shown, shown, studio_within};
use crate::model::{Model, ModelError, ModelProfile, PlannerProfile};
use crate::prompt::{Remark, StepRole, StepStudio};
use crate::store::{Blobs, StoreError};
use crate::tool::scope::LeftOut;

/// Tokens of a reply, whatever the model's context.
const REPLY_TOKENS: std::ops::RangeInclusive<u32> = 256..=4096;

/// The same for a small model, whose long replies go round in circles.
const COMPACT_REPLY_TOKENS: u32 = 1500;

/// Files of the workspace, and things said in the chat, that are left after a request was too long.
const FILES_LEFT: usize = 10;
const SAID_LEFT: usize = 2;

/// The base of a step: the one it began with, so that its prefix stays as it is, or a new one.
pub(super) async fn of(carrier: &Carrier, at: usize, model: Option<&dyn Model>) -> Result<Arc<Base>, Stop> {
    let begun = carrier.state().step(at).base.clone();
    if let Some(digest) = begun
        && let Ok(base) = load(carrier.parts.blobs.as_ref(), &digest)
    {
        return Ok(Arc::new(base));
    }
    let started;
    let profile = match model {
        Some(model) => model.profile(),
        None => {
            started = carrier.step_model(at).await;
            match &started {
                Ok(model) => model.profile(),
                // Without a model nothing is asked; calls can still be carried out.
                Err(_) => &UNKNOWN,
            }
        }
    };
    make(carrier, at, profile, model).await
}

static UNKNOWN: ModelProfile =
    ModelProfile { id: String::new(), context_tokens: 8192, planner: PlannerProfile::Full, parallel: 1, local: false };

/// What makes two steps of a run share a base: everything that it is made from.
#[derive(PartialEq, Eq, Hash)]
pub(super) struct Kind {
    model: String,
    step_type: StepType,
    executor: (ExecutorKind, String),
    leaf: Option<String>,
    required: Vec<String>,
    discovered: Vec<String>,
    files: Vec<String>,
    conversation: Vec<(String, String)>,
    role: Option<Role>,
    studio: Option<StepStudio>,
    remarks: Vec<Remark>,
}

async fn make(
    carrier: &Carrier,
    at: usize,
    profile: &ModelProfile,
    model: Option<&dyn Model>,
) -> Result<Arc<Base>, Stop> {
    let parts = &carrier.parts;
    let step = carrier.step(at);
    let mut files = carrier.files(&step, profile);
    files.extend(parts.surroundings.texts(&carrier.job.workspace, &step, profile));
    let kind = Kind {
        model: profile.id.clone(),
        step_type: step.effective_type(),
        executor: (step.executor.kind, step.executor.id.clone()),
        leaf: carrier.leaf(at),
        required: step.required_tools.clone(),
        discovered: discovered(carrier, &step, profile),
        files,
        conversation: parts.surroundings.conversation(&carrier.place.session, carrier.plan(), &step),
        role: parts.surroundings.role(&step),
        studio: parts.surroundings.studio(&step, profile),
        remarks: parts.surroundings.remarks(&carrier.job.plan.plan_ref(), &carrier.path_to(&step)),
    };
    if let Some(base) = bases(carrier).get(&kind) {
        return Ok(base.clone());
    }
    let (specialist, does) = kind.role.as_ref().map(|role| (role.specialist.as_str(), role.does.as_str())).unzip();
    let role = StepRole { specialist, does: does.unwrap_or_default() };
    let role = parts.templates.render(&role).map_err(ExecutorError::from)?.text;
    let Shown { specs: tools, tokens, left_out } = shown(carrier, at, profile, &kind.discovered, model).await;
    let (studio, studio_tokens) = studio_within(carrier, kind.studio.as_ref(), &tokens, model).await;
    let mut bases = bases(carrier);
    if bases.is_empty() {
        for (_, digest) in parts.templates.digests() {
            if let Some(source) = parts.templates.source(digest) {
                carrier.blob(&Value::String(source.to_owned()));
            }
        }
    }
    let shared = Shared {
        model: profile.id.clone(),
        profile: profile.planner,
        context_tokens: profile.context_tokens,
        max_tokens: reply_tokens(profile),
        temperature: parts.sampling.temperature,
        seed: parts.sampling.seed,
        role,
        studio,
        remarks: kind.remarks.clone(),
        tools: carrier.blob(&json!(tools)),
        files: carrier.blob(&json!(kind.files)),
        conversation: carrier.blob(&json!(kind.conversation)),
        templates: carrier.blob(&recipe::template_list(&parts.templates)),
        tokens,
        studio_tokens,
        left_out,
        shrunk: false,
    };
    let digest = carrier.blob(&json!(shared));
    let (files, conversation) = (kind.files.clone(), kind.conversation.clone());
    let tools = tools.into();
    let base = Arc::new(Base { digest, shared, tools, files, conversation, system: OnceLock::new() });
    bases.insert(kind, base.clone());
    Ok(base)
}

fn bases(carrier: &Carrier) -> MutexGuard<'_, HashMap<Kind, Arc<Base>>> {
    carrier.bases.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What is told of the tools that a base leaves out, as far as they are missed: what a plan or its kind of run rules out
/// stands with the request alone.
pub(super) fn left_out(base: &Base, budget: u32) -> Vec<EventKind> {
    let over = base.shared.left_out.iter().any(|(_, reason)| *reason == LeftOut::Budget);
    let named = base.shared.left_out.iter().filter_map(|(name, reason)| {
        let why = match reason {
            LeftOut::Budget => "no tokens left in the budget",
            LeftOut::Cap => "too many tools",
            LeftOut::Unknown => "no longer there",
            // Required, and therefore nothing is shown.
            LeftOut::Channel if base.tools.is_empty() => "not in a run of this kind",
            LeftOut::Channel | LeftOut::Forbidden | LeftOut::Required => return None,
        };
        Some(format!("{name} ({why})"))
    });
    let named: Vec<String> = named.collect();
    if named.is_empty() {
        return Vec::new();
    }
    let warned = EventKind::Warned { message: format!("Tools that the model is not shown: {}", named.join(", ")) };
    over.then(|| caps::reached("toolTokenBudget", budget)).into_iter().chain([warned]).collect()
}

/// The base of a step's next request where it is not the one that it began with: its run has discovered tools since, or
/// another model does the step now, which is shown tools as it counts them. `None` where all is as it was.
///
/// # Errors
/// A template is broken.
pub(super) async fn anew(
    carrier: &Carrier,
    at: usize,
    base: &Base,
    model: &dyn Model,
) -> Result<Option<Arc<Base>>, Stop> {
    let (step, profile) = (carrier.step(at), model.profile());
    let before = &base.shared.model;
    if !before.is_empty() && *before != profile.id {
        return make(carrier, at, profile, Some(model)).await.map(Some);
    }
    let discovered = discovered(carrier, &step, profile);
    if discovered.is_empty() {
        return Ok(None);
    }
    let Shown { specs: tools, tokens, left_out } = shown(carrier, at, profile, &discovered, Some(model)).await;
    if *tools == *base.tools && left_out == base.shared.left_out {
        return Ok(None);
    }
    let (studio, studio_tokens) = studio_within(carrier, base.shared.studio.as_ref(), &tokens, Some(model)).await;
    let tools_of = carrier.blob(&json!(tools));
    let shared = Shared { tools: tools_of, tokens, studio, studio_tokens, left_out, ..base.shared.clone() };
    let digest = carrier.blob(&json!(shared));
    let (files, conversation) = (base.files.clone(), base.conversation.clone());
    let system = OnceLock::new();
    Ok(Some(Arc::new(Base { digest, shared, tools: tools.into(), files, conversation, system })))
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
    Some(Arc::new(Base { digest, shared, tools: base.tools.clone(), files, conversation, system: OnceLock::new() }))
}

/// A base with what a person has said of every step: whoever writes the answer answers for all of them.
pub(super) fn told_of_all(carrier: &Carrier, base: Arc<Base>) -> Arc<Base> {
    let steps: Vec<_> = carrier.plan().steps.iter().map(|step| step.id.clone()).collect();
    let remarks = carrier.parts.surroundings.remarks(&carrier.job.plan.plan_ref(), &steps);
    if remarks == base.shared.remarks {
        return base;
    }
    let shared = Shared { remarks, ..base.shared.clone() };
    let digest = carrier.blob(&json!(shared));
    let (files, conversation) = (base.files.clone(), base.conversation.clone());
    Arc::new(Base { digest, shared, tools: base.tools.clone(), files, conversation, system: OnceLock::new() })
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

/// A base as it was recorded.
pub(super) fn load(blobs: &dyn Blobs, digest: &Digest) -> Result<Base, StoreError> {
    let shared: Shared = part(blobs, digest)?;
    let tools = part::<Vec<ToolSpec>>(blobs, &shared.tools)?.into();
    let files = part(blobs, &shared.files)?;
    let conversation = part(blobs, &shared.conversation)?;
    Ok(Base { digest: digest.clone(), shared, tools, files, conversation, system: OnceLock::new() })
}

fn part<T: serde::de::DeserializeOwned>(blobs: &dyn Blobs, digest: &Digest) -> Result<T, StoreError> {
    serde_json::from_value(Content::decode(&blobs.blob(digest)?))
        .map_err(|error| StoreError::Damaged { path: digest.to_string(), reason: error.to_string() })
}
