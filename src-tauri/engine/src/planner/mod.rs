//! From a message to a plan or a direct answer: prompt, one model call, reading, repair, fallback.
//!
//! The planner changes nothing and writes nothing: what is to be journaled comes back with the outcome. The model's
//! text is hostile; only `assent_core::plan` turns it into a plan, and only its check makes one that can run. The
//! prompt's beginning (rules, heap, core tools, conversation) stays the same from turn to turn, so that it is cached.

mod adapt;
mod choose;
mod compose;
mod conversation;
mod creators;
mod credentials;
mod forbidden;
mod forms;
mod library;
mod next_steps;
mod rebuild;
mod record;
mod refine;
mod relation;
mod request;
mod rework;
mod scheduled;
mod stream;
mod told;
mod values;

pub(crate) use adapt::without_values;
pub use adapt::{Adapted, Adapting, Replaced, Slot, ValueKind, replaceable};
pub use choose::{Asking, Beside, Delegated, Silence};
pub use conversation::{Said, Speaker, recent};
pub(crate) use creators::{AGENT, CREATE_AGENT, Wanted, agents_wanted};
pub use credentials::{AlreadyThere, already_there};
pub use library::{Example, Library};
pub use rebuild::request_of;
pub use relation::Relation;
pub use request::{
    After, FullTemplate, Planned, PlanningError, PlanningOutcome, PlanningProgress, PlanningRequest, Progress, Settled,
    Trace, Unplanned,
};
pub use rework::Reworked;
pub(crate) use scheduled::WHEN;
pub use told::ToolsTold;
pub(crate) use values::named_files;

use std::sync::Arc;

use assent_core::contract::{Fault, Stage};
use assent_core::plan::{
    Executor, Fallback, Outline, Plan, PlannerOutput, RouteStep, check, fallback_plan, normalise, parse, parse_value,
    route_to_steps, to_plan,
};
use assent_core::run::Purpose;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio_util::sync::CancellationToken;

use self::compose::Prompt;
use self::record::Recorder;
use self::stream::PlanStream;
use crate::clock::Clock;
use crate::discovery::Lack;
use crate::model::{DeltaKind, Finish, Model, ModelError, PlannerProfile, Reply};
use crate::prompt::{FaultLine, Repair, Templates};

/// The tool by which an endpoint may hand over the plan instead of writing it.
const EMIT_PLAN: &str = "emit_plan";

/// Makes plans.
pub struct Planner {
    templates: Arc<Templates>,
    clock: Arc<dyn Clock>,
}

/// What one reply came to.
enum Attempt {
    /// It is used.
    Done(PlanningOutcome),
    /// It could be used, but the planner has lost something of the message.
    Incomplete(PlanningOutcome, Vec<Fault>),
    /// It can be read but does not hold.
    Faulty { plan: Box<Plan>, faults: Vec<Fault>, notes: Vec<Fault>, from_route: bool },
    /// It cannot be read.
    Unreadable(Vec<Fault>),
}

impl Planner {
    /// A planner with these prompts.
    pub fn new(templates: Arc<Templates>, clock: Arc<dyn Clock>) -> Self {
        Self { templates, clock }
    }

    /// Asks the model for a plan, and again with the faults, as often as the limits allow. A plan whose faults remain
    /// comes back with them; where nothing could be read, or the route cannot be followed, the fallback plan takes its
    /// place and keeps the reason.
    ///
    /// # Errors
    /// [`Unplanned`] for an empty message, a broken prompt template, or a model that could not be asked.
    pub async fn plan(
        &self,
        model: &dyn Model,
        request: &PlanningRequest<'_>,
        progress: &UnboundedSender<PlanningProgress>,
        cancel: &CancellationToken,
    ) -> Result<Planned, Unplanned> {
        let mut recorder = Recorder::new(&*self.clock, Purpose::Plan, model.profile().id.clone());
        match self.attempts(model, request, progress, cancel, &mut recorder).await {
            Ok(outcome) => Ok(Planned { outcome, trace: recorder.into_trace() }),
            Err(error) => Err(Unplanned { error, trace: recorder.into_trace() }),
        }
    }

    async fn attempts(
        &self,
        model: &dyn Model,
        request: &PlanningRequest<'_>,
        progress: &UnboundedSender<PlanningProgress>,
        cancel: &CancellationToken,
        recorder: &mut Recorder<'_>,
    ) -> Result<PlanningOutcome, PlanningError> {
        if request.header.user_message.trim().is_empty() {
            return Err(PlanningError::EmptyMessage);
        }
        let mut prompt = compose::compose(&self.templates, model, request, 0, cancel).await?;
        recorder.left_out(&prompt.told);
        if request.tools.lacks().contains(&Lack::Past) {
            recorder.untaught();
        }
        let mut tries = 0;
        let mut left = request.limits.planner_retries;
        let mut usable = None;
        let narrow = request.shortened();
        let mut shortened = false;
        loop {
            let reply = match ask(model, &prompt, progress, cancel, recorder).await {
                Err(error @ ModelError::ContextTooLong { .. }) if !shortened => {
                    recorder.shortened(&error);
                    shortened = true;
                    prompt = compose::compose(&self.templates, model, &narrow, tries, cancel).await?;
                    let _ = progress.send(PlanningProgress::Again);
                    continue;
                }
                // What is there already is worth more than a further try.
                Err(error) if error != ModelError::Cancelled && usable.is_some() => return usable.ok_or(error.into()),
                reply => reply?,
            };
            let (attempt, faults) = read(&reply, request, &prompt);
            recorder.replied(&prompt, &reply, &faults);
            recorder.warn(&attempt, &reply);
            let open = match attempt {
                Attempt::Done(outcome) => return Ok(better(usable, outcome)),
                Attempt::Incomplete(outcome, _) if left == 0 => {
                    recorder.reached(request.limits.planner_retries);
                    return Ok(outcome);
                }
                open if left == 0 => {
                    recorder.reached(request.limits.planner_retries);
                    return Ok(usable.unwrap_or_else(|| give_up(open, request)));
                }
                Attempt::Incomplete(outcome, faults) => {
                    usable = Some(outcome);
                    faults
                }
                Attempt::Faulty { faults, notes, .. } => nobody(&notes).chain(faults).collect(),
                Attempt::Unreadable(faults) => faults,
            };
            left -= 1;
            let lines: Vec<FaultLine> = open.iter().map(FaultLine::from).collect();
            let repair = Repair { faults: &lines, schema: None, cut: reply.finish == Finish::Length };
            let repair = self.templates.render(&repair)?;
            tries += 1;
            if prompt.profile == PlannerProfile::Compact {
                let request = if shortened { &narrow } else { request };
                prompt = compose::compose(&self.templates, model, request, tries, cancel).await?;
            }
            prompt.repair(reply.text, repair);
            let _ = progress.send(PlanningProgress::Again);
        }
    }
}

/// What the last reply came to, or the plan that was there before where that is only an answer.
fn better(usable: Option<PlanningOutcome>, last: PlanningOutcome) -> PlanningOutcome {
    if matches!(last, PlanningOutcome::Answer { .. }) { usable.unwrap_or(last) } else { last }
}

/// One model call; the pieces of the reply become progress on the way.
async fn ask(
    model: &dyn Model,
    prompt: &Prompt,
    progress: &UnboundedSender<PlanningProgress>,
    cancel: &CancellationToken,
    recorder: &mut Recorder<'_>,
) -> Result<Reply, ModelError> {
    let (deltas, mut pieces) = unbounded_channel();
    recorder.asked();
    let reply = async move {
        let reply = model.reply(&prompt.request, &deltas, cancel).await;
        drop(deltas);
        reply
    };
    let watch = async {
        let mut stream = PlanStream::default();
        while let Some(piece) = pieces.recv().await {
            let seen = match piece.kind {
                DeltaKind::Thought => vec![PlanningProgress::Thought(piece.text)],
                DeltaKind::Text | DeltaKind::Structure => stream.push(&piece.text),
                DeltaKind::Again => {
                    stream = PlanStream::default();
                    vec![PlanningProgress::Again]
                }
            };
            for one in seen {
                let _ = progress.send(one);
            }
        }
    };
    let (reply, ()) = tokio::join!(reply, watch);
    reply.inspect_err(|error| recorder.failed(error))
}

/// The plan that a reply hands over by a call, else the one in its text; where there is none, what is wrong with the
/// first of them.
fn written(reply: &Reply) -> (Option<PlannerOutput>, Vec<Fault>) {
    let calls = reply.calls.iter().filter(|call| call.name == EMIT_PLAN);
    let readings = calls.map(|call| parse_value(&call.arguments)).chain(std::iter::once_with(|| parse(&reply.text)));
    let mut unread = None;
    for reading in readings {
        if reading.0.is_some() {
            return reading;
        }
        unread.get_or_insert(reading);
    }
    unread.unwrap_or_default()
}

/// Why a reply has nothing that could be read.
fn without_text(reply: &Reply) -> Option<Fault> {
    if reply.finish == Finish::Refused {
        return reply.not_whole().cloned();
    }
    let is_thought = reply.calls.is_empty() && reply.text.trim().is_empty() && !reply.thoughts.trim().is_empty();
    let fault = Fault::new(Stage::Parse, "the reply ended inside its thoughts, before any plan");
    is_thought.then(|| fault.hint("Think less, and write the JSON."))
}

/// What a reply comes to, and everything that was wrong with it.
fn read(reply: &Reply, request: &PlanningRequest<'_>, prompt: &Prompt) -> (Attempt, Vec<Fault>) {
    let (output, mut notes) = written(reply);
    notes.extend(output.is_none().then(|| without_text(reply)).flatten());
    let outline = match output {
        None => return (Attempt::Unreadable(notes.clone()), notes),
        Some(PlannerOutput::Answer(text)) => {
            return (Attempt::Done(PlanningOutcome::Answer { text }), notes);
        }
        Some(PlannerOutput::Plan(outline)) => outline,
    };
    let from_route = outline.steps.is_empty();
    let written = scheduled::Written::of(&outline);
    let (taskless, mut notes): (Vec<Fault>, Vec<Fault>) =
        notes.into_iter().partition(|fault| from_route && fault.missing == ["refinedTask"]);
    let seen: Vec<&str> = prompt.seen.iter().map(String::as_str).collect();
    let (plan, further) = to_plan(outline, request.header.clone(), &seen);
    notes.extend(further);
    let compact = prompt.profile == PlannerProfile::Compact;
    let mut plan = Plan { read_only: is_read_only(request), limits: request.limits.clone(), ..plan };
    if compact {
        forms::shorten(&mut plan, &mut notes);
    }
    let (plan, further) = normalise(plan, request.known);
    notes.extend(further);
    let after = after(request);
    let (mut plan, gone) = refine::carry_over(plan, &after, request.known);
    notes.extend(gone);
    if compact && plan.extracted_context.is_empty() {
        plan.extracted_context = values::of_message(&request.header.user_message);
    } else {
        values::complete(&mut plan.extracted_context, &request.header.user_message);
    }
    let mut lost = taskless;
    lost.extend(compact.then(|| lost_files(&plan)).into_iter().flatten());
    if compact {
        lost.extend(sampled_values(&plan, request));
    }
    if let Some(registry) = request.registry {
        registry.assign_owners(&mut plan, |tool| request.core.contains(&tool));
    }
    let creators = creators::one_creator(&mut plan, request.registry, request.there, &after);
    notes.extend(creators.left_out);
    lost.extend(creators.open);
    lost.extend(credentials::settle(&mut plan, request.vault, &after));
    lost.extend(scheduled::with_workflow(&mut plan, (request.known, request.registry), &written, &after));
    refine::put_back(&mut plan, &after);
    match check(plan.clone(), request.known) {
        Ok(plan) => {
            notes.extend(lost.iter().cloned());
            let outcome = PlanningOutcome::Plan { plan: Box::new(plan), notes: notes.clone() };
            let attempt = if lost.is_empty() { Attempt::Done(outcome) } else { Attempt::Incomplete(outcome, lost) };
            (attempt, notes)
        }
        Err(faults) => {
            let mut all = notes.clone();
            all.extend(faults.iter().cloned());
            (Attempt::Faulty { plan: Box::new(plan), faults, notes, from_route }, all)
        }
    }
}

/// Whether the plan may change nothing: the message says so, or a message that it adds to.
fn is_read_only(request: &PlanningRequest<'_>) -> bool {
    let before = match request.after {
        After::Question { plan, .. } => plan.plan.read_only,
        After::Nothing | After::Comment | After::Finished(_) => false,
    };
    before || forbidden::forbids_changes(&request.header.user_message)
}

/// What the plan goes on from. One that may change nothing takes over no steps that have changed something.
fn after<'a>(request: &PlanningRequest<'a>) -> After<'a> {
    let changes = |tool: &String| request.known.tools.get(tool).is_some_and(|tool| tool.risk.writes());
    match request.after {
        After::Finished(old)
            if is_read_only(request) && old.plan.steps.iter().flat_map(|step| &step.required_tools).any(changes) =>
        {
            After::Nothing
        }
        other => other,
    }
}

/// A fault when no step speaks of a file that the message names: small models lose the last part of a message.
fn lost_files(plan: &Plan) -> Vec<Fault> {
    let told = |file: &String| plan.steps.iter().any(|step| step.description.contains(file.as_str()));
    let lost: Vec<String> = values::named_files(&plan.user_message).into_iter().filter(|file| !told(file)).collect();
    if lost.is_empty() {
        return Vec::new();
    }
    let fault = Fault::new(Stage::Plan, format!("no step mentions {}", lost.join(", ")));
    vec![fault.at(["steps"]).hint("the plan has to do all that the message asks for")]
}

/// A fault when a step has a value that only a sample row says.
fn sampled_values(plan: &Plan, request: &PlanningRequest<'_>) -> Option<Fault> {
    let earlier = request.conversation.iter().map(|one| one.text.as_str());
    let said: Vec<&str> = [plan.user_message.as_str()].into_iter().chain(earlier).collect();
    let values = plan.steps.iter().flat_map(|step| values::sampled(&step.description, &said, request.files));
    let values: Vec<&str> = values.collect();
    let fault = Fault::new(Stage::Plan, format!("the message does not say {}", values.join(", ")));
    let hint = "that is one value in one file; say what is wanted in the message's own words";
    (!values.is_empty()).then(|| fault.at(["steps"]).hint(hint))
}

/// What remains when the planner was asked often enough.
fn give_up(attempt: Attempt, request: &PlanningRequest<'_>) -> PlanningOutcome {
    let faults = match attempt {
        Attempt::Done(outcome) | Attempt::Incomplete(outcome, _) => return outcome,
        Attempt::Faulty { plan, faults, notes, from_route: false } => {
            return PlanningOutcome::Faulty { plan, faults, notes };
        }
        Attempt::Faulty { faults, notes, .. } => nobody(&notes).chain(faults).collect(),
        Attempt::Unreadable(faults) => faults,
    };
    let reason: Vec<String> = faults.iter().take(3).map(Fault::to_string).collect();
    let plan = fallback(request, &format!("the planner's output could not be used: {}", reason.join("; ")));
    match check(plan.clone(), request.known) {
        Ok(plan) => PlanningOutcome::Plan { plan: Box::new(plan), notes: faults },
        Err(open) => PlanningOutcome::Faulty { plan: Box::new(plan), faults: open, notes: faults },
    }
}

/// The specialists that were named and are not there: what remains of the plan does not hold because they are not.
fn nobody(notes: &[Fault]) -> impl Iterator<Item = Fault> {
    notes.iter().filter(|note| note.stage == Stage::Route).cloned()
}

/// The whole message to one specialist of the heap; without a heap to the single agent.
fn fallback(request: &PlanningRequest<'_>, reason: &str) -> Plan {
    let runs = |id: &&str| request.known.runs(id);
    let top_level: Vec<&str> = request.specialists.iter().map(|one| one.id.as_str()).filter(runs).collect();
    let header = request.header.clone();
    if let Ok(plan) = fallback_plan(header.clone(), &top_level, reason) {
        return Plan { limits: request.limits.clone(), read_only: is_read_only(request), ..plan };
    }
    let alone = [RouteStep::One(String::new())];
    let mut steps = route_to_steps(&alone, "", &header.user_message);
    for step in &mut steps {
        step.executor = Executor::default();
    }
    let (plan, _) = to_plan(Outline::default(), header, &[]);
    let read_only = is_read_only(request);
    let fallback = Fallback { used: true, reason: Some(reason.to_owned()) };
    Plan { steps, fallback, read_only, limits: request.limits.clone(), ..plan }
}

#[cfg(test)]
mod tests;
