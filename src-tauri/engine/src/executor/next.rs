//! Next steps before another question: where a step has told what may be done next and then asks for something else
//! that the plan does not require, the person is shown the next steps.

use assent_core::plan::ExecutorKind;
use assent_core::run::{
    Choice, Content, Durability, EventKind, Input, InputKind, NextSteps, Offer, Purpose, RequestKind, RequestState,
    StepStatus, next_steps,
};

use super::error::Stop;
use super::expand::{asking, told};
use super::step::Worker;
use super::words;
use crate::tool::Ask;
use crate::tool::human::ASK_USER;

impl Worker<'_> {
    /// What a person is asked in the place of a question: the next steps that were told, unless it is about them, or
    /// the plan requires a question. They are read from the text; a model is asked only where its form does not say.
    pub(super) async fn before_others(&self, ask: Ask) -> Result<Ask, Stop> {
        if ask.kind != RequestKind::Question || !self.may_wait() {
            return Ok(ask);
        }
        let steps = match self.told_so_far()? {
            Offer::None => return Ok(ask),
            Offer::Steps(steps) => Some(steps),
            Offer::Unclear(text) => self.derived(&text).await?,
        };
        let labels = || ask.input.options.iter().map(|option| option.label.as_str());
        let Some(steps) = steps.filter(|steps| !steps.are_asked_by(&ask.prompt, labels())) else { return Ok(ask) };
        let message = format!("Next steps are asked about, and not what the step asked: {}", ask.prompt);
        self.write(vec![EventKind::Warned { message }], Durability::Queued).await?;
        Ok(instead(ask, steps))
    }

    /// Whether a question may give way to others: it is the first of its run, and the plan does not require it.
    fn may_wait(&self) -> bool {
        let is_required = self.plan_step().required_tools.iter().any(|tool| tool == ASK_USER);
        let is_question = |asked: &RequestState| asked.request.kind == RequestKind::Question;
        !is_required && !self.carrier.state().requests().iter().any(is_question)
    }

    /// What was last told of next steps: with the question itself, else as what an earlier specialist gave.
    fn told_so_far(&self) -> Result<Offer, Stop> {
        let texts: Vec<Content> = {
            let state = self.carrier.state();
            let beside = state.step(self.at).latest_reply().and_then(|reply| reply.text.clone());
            let plan = self.carrier.plan();
            let is_done = |at: &usize| {
                let by = state.document(plan, *at).executor.kind;
                state.step(*at).status == StepStatus::Completed && by == ExecutorKind::Specialist
            };
            let done = (0..state.steps().len()).rev().filter(is_done);
            let results = done.filter_map(|at| state.step(at).result.clone());
            beside.into_iter().chain(results).collect()
        };
        for text in &texts {
            let offer = next_steps(&words::plain(self.carrier.value(text)?.as_ref()));
            if offer != Offer::None {
                return Ok(offer);
            }
        }
        Ok(Offer::None)
    }

    /// The next steps as a model reads them from a text; none where it cannot be asked or says nothing usable.
    async fn derived(&self, text: &str) -> Result<Option<NextSteps>, Stop> {
        let Ok(model) = self.carrier.models().model(Purpose::Prompt).await else { return Ok(None) };
        let (steps, trace) = asking(self.carrier, model.as_ref()).next_steps(text).await;
        if self.carrier.cancel.is_cancelled() {
            return Err(Stop::Cancelled);
        }
        let events = told(self.carrier, trace, self.at);
        self.carrier.write(events, Durability::Queued).await?;
        Ok(steps.ok().flatten())
    }
}

/// The next steps as a question that may also be answered in other words.
fn instead(ask: Ask, steps: NextSteps) -> Ask {
    let option = |label: String| Choice { label, consequence: None };
    let options = steps.options.into_iter().map(option).collect();
    let input = Input { kind: InputKind::Select, options, allow_edit: false, allow_text: true };
    Ask { prompt: steps.question, reason: None, input, position: None, ..ask }
}
