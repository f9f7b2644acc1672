//! The answer of a turn: the last step's text where that already is the answer, else one model call over the results.

use assent_core::plan::{Plan, StepType};
use assent_core::run::{Content, Durability, EventKind, Purpose, RunState, StepStatus};

use super::carrier::Carrier;
use super::context::View;
use super::error::Stop;
use super::step::{elapsed, unmade};
use super::whole::Contents;
use super::{base, claims, words};
use crate::model::{Message, ModelError, OutputFormat, PlannerProfile, Request, ToolChoice, not_whole_answer};

/// The text of the last step, where it was written as the answer.
fn ready_answer<'a>(plan: &Plan, state: &'a RunState, profile: PlannerProfile) -> Option<&'a Content> {
    let last = state.answering_step()?;
    let document = &plan.steps[last];
    // Of specialists that each did their part, none has seen to the whole.
    let meant = plan.steps.len() == 1
        || document.effective_type() == StepType::Reasoning && !document.is_handed_over()
        || profile == PlannerProfile::Compact;
    let step = state.step(last);
    let lost = [StepStatus::Failed, StepStatus::Skipped, StepStatus::Cancelled];
    let clean = lost.into_iter().all(|status| state.count(status) == 0);
    step.result.as_ref().filter(|_| meant && clean && step.status == StepStatus::Completed)
}

/// Asks for the answer where no step has given it.
pub(super) async fn synthesize(carrier: &Carrier) -> Result<(), Stop> {
    if carrier.state().synthesis().is_some() || carrier.state().count(StepStatus::Completed) == 0 {
        return Ok(());
    }
    let model = match carrier.models().model(Purpose::Synthesis).await {
        Ok(model) => model,
        Err(error) => return not_asked("", carrier, error).await,
    };
    let profile = model.profile();
    if ready_answer(carrier.plan(), &carrier.state(), profile.planner).is_some() {
        return Ok(());
    }
    let last = carrier.plan().steps.len().saturating_sub(1);
    let mut base = base::told_of_all(carrier, base::of(carrier, last, Some(model.as_ref())).await?);
    let asked_at = carrier.parts.clock.now();
    let reply = loop {
        let request = request(&base, messages(carrier, &base)?);
        let deltas = carrier.parts.live.deltas(&carrier.place);
        match model.reply(&request, &deltas, &carrier.cancel).await {
            Ok(reply) => break reply,
            Err(ModelError::Cancelled) => return Err(Stop::Cancelled),
            Err(error) => match base::smaller(carrier, &base, &error) {
                Some(smaller) => {
                    let retried = base::retried(Purpose::Synthesis, &profile.id, &error);
                    carrier.write(vec![(None, retried)], Durability::Queued).await?;
                    base = smaller;
                }
                None => return not_asked(&profile.id, carrier, error).await,
            },
        }
    };
    let cut = reply.not_whole().map(not_whole_answer);
    let replied = EventKind::ModelReplied {
        purpose: Purpose::Synthesis,
        model: profile.id.clone(),
        recipe: super::recipe::record(Some(&base.digest), &ToolChoice::None, None),
        text: carrier.text(&reply.text),
        thoughts: carrier.text(&reply.thoughts),
        calls: Vec::new(),
        faults: reply.faults,
        before: reply.before,
        usage: reply.usage,
        duration_ms: elapsed(asked_at, carrier.parts.clock.now()),
    };
    let warned = |message: String| EventKind::Warned { message };
    let marked = claims::unproven_answer(carrier, &carrier.state(), &reply.text);
    let marked = marked.map(|unproven| warned(format!("The answer may be wrong: {}.", unproven.why)));
    let events = std::iter::once(replied).chain(cut.map(warned)).chain(marked).map(|kind| (None, kind)).collect();
    carrier.write(events, Durability::Queued).await
}

fn messages(carrier: &Carrier, base: &super::recipe::Base) -> Result<Vec<Message>, Stop> {
    let state = carrier.state();
    View::of(carrier, &state, base).synthesis().map_err(unmade)
}

/// The request for the answer of a turn.
pub(super) fn request(base: &super::recipe::Base, messages: Vec<Message>) -> Request {
    Request {
        purpose: Purpose::Synthesis,
        messages,
        tools: [].into(),
        choice: ToolChoice::None,
        output: OutputFormat::Text,
        max_tokens: base.shared.max_tokens,
        temperature: base.shared.temperature,
        seed: base.shared.seed,
        avoid: Vec::new(),
    }
}

/// Without a model the results themselves are the answer.
async fn not_asked(model: &str, carrier: &Carrier, error: ModelError) -> Result<(), Stop> {
    let failed = EventKind::ModelFailed {
        purpose: Purpose::Synthesis,
        model: model.to_owned(),
        error: error.to_string(),
        retrying: false,
    };
    let message = format!("No answer could be written ({error}); what the steps gave is shown instead.");
    carrier.write(vec![(None, failed), (None, EventKind::Warned { message })], Durability::Queued).await
}

/// The answer of a run: what was written as it, else what the last steps gave.
pub(super) fn answer(state: &RunState, contents: &dyn Contents) -> Result<Option<String>, crate::store::StoreError> {
    let text = |content: &Content| -> Result<Option<String>, crate::store::StoreError> {
        let text = words::plain(contents.whole(content)?.as_ref());
        Ok((!words::is_filler(&text)).then_some(text))
    };
    let last = || state.answering_step().and_then(|last| state.step(last).result.as_ref());
    for written in [state.synthesis(), last()].into_iter().flatten() {
        if let Some(answer) = text(written)? {
            return Ok(Some(answer));
        }
    }
    let ends = state.steps().iter().filter(|step| step.dependents().is_empty() && step.parent().is_none());
    let results: Vec<Option<String>> =
        ends.filter_map(|step| step.result.as_ref()).map(text).collect::<Result<_, _>>()?;
    let results: Vec<String> = results.into_iter().flatten().collect();
    Ok((!results.is_empty()).then(|| results.join("\n\n")))
}
