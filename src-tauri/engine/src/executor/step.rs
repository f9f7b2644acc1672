//! A step's loop. What comes next is read from the folded state alone, so that going on after a crash, an answer or a
//! wait is the same code as going on after a reply.

use std::sync::Arc;

use assent_core::ids::CallId;
use assent_core::run::{
    Answer, CallState, Content, Durability, EventKind, Exchange, PlannedCall, Purpose, RequestKind, RequestStatus,
    StepStatus, ValidationStatus,
};

use super::carrier::{Carrier, StepOf};
use super::context::{Unmade, View};
use super::error::Stop;
use super::phases::BY_PHASES;
use super::recipe::{self, Base, Draw};
use super::touched::Before;
use super::verify::{self, Judgement};
use super::{ExecutorError, base, caps, left_behind, words};
use crate::model::{Message, Model, ModelError, OutputFormat, Reply, Request, ToolChoice};

/// One step being worked on.
pub(super) struct Worker<'a> {
    pub(super) carrier: &'a Carrier,
    pub(super) at: usize,
    step: StepOf<'a>,
    /// The next request, grown by appending.
    pub(super) request: Option<Request>,
    pub(super) base: Option<Arc<Base>>,
    /// How much of the exchange the request holds.
    told: usize,
    /// How the next reply is drawn, where it is not as the base says.
    draw: Option<Draw>,
    /// The files that it is to change, as it found them.
    pub(super) before: Option<Before>,
}

/// What comes next in a step.
enum Next {
    /// Nothing: it is settled, or it or the whole run waits for a person.
    Rest,
    /// Carrying out what a person has answered.
    Answers,
    /// A model's reply.
    Reply,
    /// The calls of the latest reply.
    Calls,
    /// The end of a step whose parts are over.
    Gather,
    /// The end, or another try.
    Judge,
}

/// Works on a step until it is settled or waits.
pub(super) async fn work(carrier: &Carrier, at: usize) -> Result<(), Stop> {
    let (status, attempt) = {
        let state = carrier.state();
        (state.step(at).status, state.step(at).attempt)
    };
    if status == StepStatus::Pending && !carrier.state().is_paused() {
        carrier.write(vec![(Some(at), EventKind::StepStarted { attempt: attempt + 1 })], Durability::Queued).await?;
    }
    let mut worker = Worker::resting(carrier, at);
    worker.before = worker.found(&carrier.state());
    loop {
        if carrier.cancel.is_cancelled() {
            return Err(Stop::Cancelled);
        }
        match worker.next() {
            Next::Rest => return Ok(()),
            Next::Answers => worker.apply_answers().await?,
            Next::Reply | Next::Calls if worker.is_another_agents() => worker.end_as_changed().await?,
            Next::Reply if worker.hands_on() => worker.delegate().await?,
            Next::Reply => worker.go_on().await?,
            Next::Gather => worker.gather().await?,
            Next::Calls => worker.carry_out().await?,
            Next::Judge => worker.judge().await?,
        }
    }
}

impl<'a> Worker<'a> {
    /// Whoever works on a step, before it has looked at anything.
    pub(super) fn resting(carrier: &'a Carrier, at: usize) -> Self {
        let step = carrier.step(at);
        Self { carrier, at, step, request: None, base: None, told: 0, draw: None, before: None }
    }
}

impl Worker<'_> {
    fn next(&self) -> Next {
        if !self.is_going_on() {
            return Next::Rest;
        }
        let state = self.carrier.state();
        let step = state.step(self.at);
        let settled = |request: usize| state.requests()[request].status != RequestStatus::Open;
        let answered = |entry: &usize| {
            let entry = &state.ledger()[*entry];
            let waiting = matches!(entry.state, CallState::Suspended | CallState::Open) && entry.repeated_by.is_none();
            let to_apply = |request: usize| settled(request) && !is_granted(&state.requests()[request]);
            waiting && entry.request.is_some_and(to_apply)
        };
        if step.cap_refused.is_some() || step.calls.iter().any(answered) {
            return Next::Answers;
        }
        if state.is_delegating(self.at) || state.has_handed_on(self.at) {
            return if state.is_delegating(self.at) { Next::Rest } else { Next::Gather };
        }
        match step.exchange.last() {
            None | Some(Exchange::Enforced { .. } | Exchange::Reprompted(_)) => Next::Reply,
            Some(Exchange::Reply(reply)) if reply.calls.is_empty() => Next::Judge,
            Some(Exchange::Reply(reply)) => {
                let unfinished = |entry: &usize| {
                    let entry = state.outcome(*entry);
                    matches!(entry.state, CallState::Planned | CallState::Open | CallState::Suspended)
                };
                if reply.calls.iter().any(unfinished) { Next::Calls } else { Next::Reply }
            }
        }
    }

    pub(super) fn plan_step(&self) -> &assent_core::plan::Step {
        &self.step
    }

    pub(super) async fn write(&self, events: Vec<EventKind>, durability: Durability) -> Result<(), Stop> {
        let events = events.into_iter().map(|kind| (Some(self.at), kind)).collect();
        self.carrier.write(events, durability).await
    }

    /// Asks the model, unless the step has had as many replies as it may have.
    async fn go_on(&mut self) -> Result<(), Stop> {
        let left = self.replies_left();
        if left == 0 {
            return self.at_limit().await;
        }
        if self.out_of_tokens().await? {
            return Ok(());
        }
        let model = match self.carrier.step_model(self.at).await {
            Ok(model) => model,
            Err(error) => return self.model_failed("", error).await,
        };
        self.widen(model.as_ref()).await?;
        self.prepare(Some(model.as_ref())).await?;
        let (Some(mut request), Some(base)) = (self.request.take(), self.base.clone()) else {
            return Ok(());
        };
        let contract = model.profile().is_held_to_shapes().then(|| self.carrier.result_contract(self.at)).flatten();
        (request.choice, request.output) = {
            let (state, step, has_tools) = (self.carrier.state(), self.plan_step(), !base.tools.is_empty());
            match contract.filter(|_| verify::mends(&state, self.at, step)) {
                Some(contract) => (ToolChoice::None, verify::mended(contract.said.clone())),
                None => {
                    let choice = verify::choice(&state, self.at, step, has_tools, left == 1, base.shared.profile);
                    (choice, OutputFormat::Text)
                }
            }
        };
        (request.temperature, request.seed) = drawn(&base, self.draw);
        let choice = request.choice.clone();
        let asked_at = self.carrier.parts.clock.now();
        if let Some(settled) = self.settled_reply(base.shared.profile)? {
            self.request = Some(request);
            return self.replied(BY_PHASES, settled, &base, &choice, asked_at).await;
        }
        let deltas = self.carrier.parts.live.deltas(&self.carrier.place_of(Some(self.at)));
        let reply = model.reply(&request, &deltas, &self.carrier.cancel).await;
        self.request = Some(request);
        let id = &model.profile().id;
        match reply {
            Ok(reply) => self.replied(id, (self.made_whole(reply)?, None), &base, &choice, asked_at).await,
            Err(ModelError::Cancelled) => Err(Stop::Cancelled),
            Err(error) => match base::smaller(self.carrier, &base, &error) {
                Some(smaller) => self.begin_anew(id, smaller, error).await,
                None => self.model_failed(id, error).await,
            },
        }
    }

    /// Adds what the run has discovered to the tools of the next request, or shows them to the model that does the step now;
    /// it is then told anew.
    async fn widen(&mut self, model: &dyn Model) -> Result<(), Stop> {
        let base = self.known_base(Some(model)).await?;
        self.base = Some(base.clone());
        if let Some(anew) = base::anew(self.carrier, self.at, &base, model).await? {
            (self.base, self.request, self.told) = (Some(anew), None, 0);
        }
        Ok(())
    }

    /// Tells the step's conversation anew in what the model can take.
    async fn begin_anew(&mut self, model: &str, smaller: Arc<Base>, error: ModelError) -> Result<(), Stop> {
        (self.base, self.request, self.told) = (Some(smaller), None, 0);
        self.write(vec![base::retried(Purpose::Step, model, &error)], Durability::Queued).await
    }

    pub(super) async fn model_failed(&self, model: &str, error: ModelError) -> Result<(), Stop> {
        let failed = EventKind::ModelFailed {
            purpose: Purpose::Step,
            model: model.to_owned(),
            error: error.to_string(),
            retrying: false,
        };
        let ended = self.ending(StepStatus::Failed, None, Some(error.to_string()));
        self.write(vec![failed, ended], Durability::Committed).await
    }

    async fn replied(
        &self,
        model: &str,
        (reply, warned): (Reply, Option<EventKind>),
        base: &Base,
        choice: &ToolChoice,
        asked_at: i64,
    ) -> Result<(), Stop> {
        let carrier = self.carrier;
        // What is in force may be named by another step meanwhile, but not between here and the writing.
        let named = (carrier.state().base(self.at) != Some(&base.digest)).then_some(&base.digest);
        let recipe = recipe::record(named, choice, self.draw);
        let calls = reply.calls.into_iter().map(|call| PlannedCall {
            id: CallId::new(carrier.parts.ids.fresh()),
            tool: call.name,
            arguments: carrier.content(call.arguments),
        });
        let calls: Vec<PlannedCall> = calls.collect();
        let replied = EventKind::ModelReplied {
            purpose: Purpose::Step,
            model: model.to_owned(),
            recipe,
            text: carrier.text(&reply.text),
            thoughts: carrier.text(&reply.thoughts),
            calls,
            faults: reply.faults,
            before: reply.before,
            usage: reply.usage,
            duration_ms: elapsed(asked_at, carrier.parts.clock.now()),
        };
        let budget = carrier.plan().limits.tool_token_budget;
        let left_out = named.map(|_| base::left_out(base, budget)).unwrap_or_default();
        self.write(left_out.into_iter().chain(warned).chain([replied]).collect(), Durability::Queued).await
    }

    /// Makes the next request hold everything that was said before the latest reply's calls are carried out.
    pub(super) async fn prepare(&mut self, model: Option<&dyn Model>) -> Result<(), Stop> {
        let base = self.known_base(model).await?;
        self.base = Some(base.clone());
        let state = self.carrier.state();
        let view = View::of(self.carrier, &state, &base);
        let exchange = &state.step(self.at).exchange;
        let begun = |item: &Exchange| matches!(item, Exchange::Reply(reply) if has_unfinished(&state, &reply.calls));
        let upto = exchange.iter().position(begun).unwrap_or(exchange.len()).max(self.told);
        let anew = (self.told..upto).any(|place| view.takes_back(self.at, upto, place));
        match &mut self.request {
            Some(request) if !anew => {
                for item in &exchange[self.told..upto] {
                    request.messages.append(&mut view.said(self.at, item).map_err(unmade)?);
                }
            }
            _ => self.request = Some(request(&base, view.conversation(self.at, upto).map_err(unmade)?)),
        }
        self.told = upto;
        self.draw = view.draw(self.at, upto);
        Ok(())
    }

    async fn judge(&self) -> Result<(), Stop> {
        // What a step left behind is quoted where it is wrong.
        let mask = self.carrier.parts.vault.mask().await;
        // The last reply that there may be calls nothing: the one before it is the last that can mend something.
        let can_mend = self.replies_left() > 1;
        let (base, contract) = (self.known_base(None).await?, self.carrier.result_contract(self.at));
        let (judgement, text) = {
            let state = self.carrier.state();
            let text = match state.step(self.at).latest_reply().and_then(|reply| reply.text.as_ref()) {
                Some(text) => words::plain(self.carrier.value(text)?.as_ref()),
                None => String::new(),
            };
            let plan = self.carrier.plan();
            let judgement = match verify::judge(plan, &state, self.at, &text, contract.as_deref().map(|one| &one.whole))
            {
                Judgement::Complete { validation, warning: None } => {
                    let tools = if can_mend { base.tools.as_ref() } else { &[] };
                    match verify::undone(self.carrier, &state, self.at, &text, tools) {
                        Some(fault) => Judgement::Reprompt(fault),
                        None => left_behind::settled(
                            plan,
                            &state,
                            self.at,
                            &self.lacking(&state, &mask)?,
                            can_mend,
                            validation,
                        ),
                    }
                }
                Judgement::Reprompt(fault) => {
                    left_behind::beside_it(plan, &state, self.at, fault, &self.lacking(&state, &mask)?)
                }
                other => other,
            };
            (judgement, text)
        };
        match judgement {
            Judgement::Enforce { missing, attempt } => {
                self.write(vec![EventKind::Enforced { missing, attempt }], Durability::Queued).await
            }
            Judgement::Reprompt(fault) => {
                self.write(vec![EventKind::Reprompted { fault: Box::new(fault) }], Durability::Queued).await
            }
            Judgement::Fail { validation, reason, limit } => {
                // Where there was to be no further try, none was used up.
                let limit = limit.filter(|(_, value)| *value > 0);
                let reached = limit.map(|(limit, value)| caps::reached(limit, value));
                let ended = ended(StepStatus::Failed, validation, None, Some(reason));
                self.write(reached.into_iter().chain([ended]).collect(), Durability::Queued).await
            }
            Judgement::Complete { validation, warning } => self.complete(validation, warning, &text).await,
        }
    }

    /// What the step's requests share, made where it is not known yet.
    pub(super) async fn known_base(&self, model: Option<&dyn Model>) -> Result<Arc<Base>, Stop> {
        match &self.base {
            Some(base) => Ok(base.clone()),
            None => base::of(self.carrier, self.at, model).await,
        }
    }

    pub(super) async fn result(&self) -> Result<Option<Content>, Stop> {
        let base = self.known_base(None).await?;
        let state = self.carrier.state();
        let result = View::of(self.carrier, &state, &base).result_of(self.at).map_err(unmade)?;
        Ok(result.and_then(|text| self.carrier.text(&text)))
    }

    /// The end of this step as the ledger has it.
    pub(super) fn ending(&self, status: StepStatus, result: Option<Content>, reason: Option<String>) -> EventKind {
        let validation = verify::validation(&self.carrier.state(), self.at, self.plan_step());
        ended(status, validation, result, reason)
    }
}

/// Whether a request is an allowed call that has yet to be made.
pub(super) fn is_granted(request: &assent_core::run::RequestState) -> bool {
    request.request.kind == RequestKind::Permit && matches!(request.answer, Some(Answer::Approve { .. }))
        || request.request.kind == RequestKind::Cap
}

fn has_unfinished(state: &assent_core::run::RunState, calls: &[usize]) -> bool {
    calls
        .iter()
        .any(|entry| matches!(state.outcome(*entry).state, CallState::Planned | CallState::Open | CallState::Suspended))
}

fn request(base: &Base, messages: Vec<Message>) -> Request {
    Request {
        purpose: Purpose::Step,
        messages,
        tools: base.tools.clone(),
        choice: ToolChoice::Auto,
        output: OutputFormat::Text,
        max_tokens: base.shared.max_tokens,
        temperature: base.shared.temperature,
        seed: base.shared.seed,
        avoid: Vec::new(),
    }
}

/// The request of a step that was rebuilt from its record.
pub(super) fn rebuilt(base: &Base, messages: Vec<Message>, choice: ToolChoice, draw: Option<Draw>) -> Request {
    let (temperature, seed) = drawn(base, draw);
    Request { choice, temperature, seed, ..request(base, messages) }
}

fn drawn(base: &Base, draw: Option<Draw>) -> (f32, Option<u64>) {
    draw.map_or((base.shared.temperature, base.shared.seed), |draw| (draw.temperature, draw.seed))
}

pub(super) fn unmade(error: Unmade) -> Stop {
    Stop::Error(ExecutorError::from(error))
}

/// The end of a step.
pub(super) fn ended(
    status: StepStatus,
    validation: ValidationStatus,
    result: Option<Content>,
    reason: Option<String>,
) -> EventKind {
    EventKind::StepEnded { status, validation, result, reason, because: None, carried_from: None }
}

/// Milliseconds between two readings of a clock that may have been set back.
pub(super) fn elapsed(from: i64, to: i64) -> u64 {
    u64::try_from(to.saturating_sub(from)).unwrap_or(0)
}
