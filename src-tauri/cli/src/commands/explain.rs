//! `--explain`: how a plan came about. Every question to the planner with its raw answer and what was wrong with it,
//! whether something stands in for its plan, and why a specialist does a step.

use assent_core::contract::Fault;
use assent_core::heap::{Expanded, Settled};
use assent_core::ids::{SessionId, StepId};
use assent_core::plan::{Fallback, Plan, Step};
use assent_core::run::{Event, EventKind, Purpose, Usage};
use assent_engine::Engine;
use assent_engine::model::Message;
use serde::Serialize;
use serde_json::Value;

use crate::show::event::{content, warning};
use crate::show::{costs, duration, heap};
use crate::terminal::{Style, Terminal, plain};

/// What is known of the making of a plan, or of an answer that took its place.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Explained {
    calls: Vec<Call>,
    /// Limits that were reached, and what was left out or did not work.
    notes: Vec<String>,
    fallback: Fallback,
    steps: Vec<Who>,
}

/// One question to a model.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Call {
    purpose: Purpose,
    model: String,
    /// What was sent, byte for byte.
    messages: Vec<Sent>,
    /// What that tells of tools; nothing where it tells of none.
    #[serde(skip_serializing_if = "Option::is_none")]
    tools: Option<Tools>,
    /// What came back, as it was written.
    answer: String,
    faults: Vec<Fault>,
    /// Replies before this one that did not have the asked form.
    before: u32,
    usage: Usage,
    duration_ms: u64,
}

/// The tools that a request tells of.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Tools {
    /// Each with the tokens that telling of it took of the budget.
    told: Vec<(String, u32)>,
    /// Those for which the budget had no tokens.
    left_out: Vec<String>,
    budget: u32,
    /// Whether they were compared with the message by meaning, or by words alone.
    by_meaning: Option<bool>,
}

#[derive(Debug, Serialize)]
struct Sent {
    role: &'static str,
    text: String,
}

/// Who does a step.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Who {
    step: StepId,
    planned: String,
    /// How the one was found who does it; nothing before it runs, or where the plan names that one.
    #[serde(skip_serializing_if = "Option::is_none")]
    expanded: Option<Expanded>,
    /// The steps that it was handed on to while it ran.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    handed: Vec<Step>,
    /// How those were found who do them.
    #[serde(skip_serializing_if = "Option::is_none")]
    handed_by: Option<Settled>,
}

/// Tells how a version of a plan was made, and who does its steps.
///
/// # Errors
/// The history cannot be read.
pub fn plan(engine: &Engine, terminal: &Terminal, plan: &Plan) -> anyhow::Result<()> {
    let events = engine.sessions().events(&plan.session_id, 0)?;
    let is_this = |event: &&Event| match &event.kind {
        EventKind::PlanProposed { plan: of, .. } => of.id == plan.id && of.version == plan.version,
        _ => false,
    };
    // A version that a person wrote has no planning before it.
    let proposed = events.iter().find(is_this);
    let before =
        |event: &&Event| proposed.is_some_and(|proposed| event.seq < proposed.seq && of_one_turn(event, proposed));
    let planning: Vec<&Event> = events.iter().filter(before).collect();
    let runs = engine.runs().list(&plan.session_id)?;
    let is_of_plan =
        |event: &Event| runs.iter().any(|run| Some(&run.id) == event.place.run.as_ref() && run.plan.id == plan.id);
    let found = |step: &StepId| {
        let mut newest_first =
            events.iter().rev().filter(|event| event.place.step.as_ref() == Some(step) && is_of_plan(event));
        let settled = newest_first.find_map(|event| match &event.kind {
            EventKind::StepExpanded { expanded } => Some((Some((**expanded).clone()), Vec::new(), None)),
            // An agent that is called works for the step, which stays with whoever calls.
            EventKind::StepDelegated { steps, by, call: None, .. } => Some((None, steps.clone(), by.clone())),
            _ => None,
        });
        settled.unwrap_or_default()
    };
    let steps = plan.steps.iter().map(|step| {
        let (expanded, handed, handed_by) = found(&step.id);
        Who { step: step.id.clone(), planned: step.executor.id.clone(), expanded, handed, handed_by }
    });
    let fallback = plan.fallback.clone();
    tell(terminal, &Explained { steps: steps.collect(), fallback, ..told(engine, &plan.session_id, &planning) })
}

/// Tells how the latest turn of a session came to its answer, where it needed no plan.
///
/// # Errors
/// The history cannot be read.
pub fn answer(engine: &Engine, terminal: &Terminal, session: &SessionId) -> anyhow::Result<()> {
    let events = engine.sessions().events(session, 0)?;
    let Some(last) = events.last() else { return Ok(()) };
    let of_turn: Vec<&Event> = events.iter().filter(|event| of_one_turn(event, last)).collect();
    tell(terminal, &told(engine, session, &of_turn))
}

fn of_one_turn(one: &Event, other: &Event) -> bool {
    one.place.turn == other.place.turn && one.place.run.is_none()
}

fn told(engine: &Engine, session: &SessionId, events: &[&Event]) -> Explained {
    let mut explained =
        Explained { calls: Vec::new(), notes: Vec::new(), fallback: Fallback::default(), steps: Vec::new() };
    for event in events {
        match &event.kind {
            EventKind::ModelReplied { purpose, model, text, calls, faults, before, usage, duration_ms, .. } => {
                let (messages, tools) = match engine.runs().sent(session, event.seq) {
                    Ok(sent) => {
                        let tools = Tools::of(&sent);
                        (sent.request.messages.into_iter().map(Sent::from).collect(), tools)
                    }
                    Err(error) => {
                        explained.notes.push(format!("what was sent cannot be shown: {error}"));
                        (Vec::new(), None)
                    }
                };
                let written = text.iter().chain(calls.iter().map(|call| &call.arguments));
                let whole = |part| match engine.content(part) {
                    Ok(Value::String(text)) => text,
                    Ok(value) => value.to_string(),
                    Err(_) => content(part),
                };
                let answer = written.map(whole).filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n");
                let (purpose, model) = (*purpose, model.clone());
                let (faults, before, usage, duration_ms) = (faults.clone(), *before, *usage, *duration_ms);
                explained.calls.push(Call {
                    purpose,
                    model,
                    messages,
                    tools,
                    answer,
                    faults,
                    before,
                    usage,
                    duration_ms,
                });
            }
            EventKind::ModelFailed { error, .. } => explained.notes.push(error.clone()),
            EventKind::Warned { message } => explained.notes.push(message.clone()),
            EventKind::LimitReached { limit, value } => {
                explained.notes.push(format!("the limit {limit} ({value}) was reached"));
            }
            _ => {}
        }
    }
    explained
}

impl Tools {
    fn of(sent: &assent_engine::executor::Sent) -> Option<Self> {
        let left_out: Vec<String> = sent.left_out.iter().map(|(name, _)| name.clone()).collect();
        let (told, budget, by_meaning) = (sent.told.clone(), sent.budget, sent.by_meaning);
        (!told.is_empty() || !left_out.is_empty()).then_some(Self { told, left_out, budget, by_meaning })
    }

    fn line(&self) -> String {
        let tokens = self.told.iter().map(|(_, tokens)| u64::from(*tokens)).sum();
        let (tokens, budget) = (costs::thousands(tokens), costs::thousands(self.budget.into()));
        let found = match self.by_meaning {
            Some(true) => "; looked for by words and by meaning",
            Some(false) => "; looked for by words alone",
            None => "",
        };
        format!("     told of {} tools, {tokens} of {budget} tokens for them{found}", self.told.len())
    }
}

impl From<Message> for Sent {
    fn from(message: Message) -> Self {
        let (role, text) = match message {
            Message::System { text } => ("system", text),
            Message::User { text } => ("user", text),
            Message::Assistant { text, .. } => ("assistant", text),
            Message::Tool { text, .. } => ("tool", text),
        };
        Self { role, text }
    }
}

fn tell(terminal: &Terminal, explained: &Explained) -> anyhow::Result<()> {
    if terminal.json {
        return terminal.value(explained);
    }
    terminal.line(&terminal.paint(Style::Strong, "\nHow it came about"));
    if explained.calls.is_empty() {
        terminal.line("  no model was asked");
    }
    for (number, call) in explained.calls.iter().enumerate() {
        terminal.line(&head(number + 1, call));
        call.tools.iter().for_each(|tools| terminal.line(&terminal.paint(Style::Quiet, &tools.line())));
        for message in &call.messages {
            terminal.line(&format!("     {}", terminal.paint(Style::Name, message.role)));
            terminal.line(&terminal.paint(Style::Quiet, &indented(&message.text)));
        }
        terminal.line(&format!("     {}", terminal.paint(Style::Name, "answer")));
        terminal.line(&indented(&call.answer));
        call.faults.iter().for_each(|fault| terminal.line(&format!("     {}", warning(terminal, &fault.to_string()))));
    }
    explained.notes.iter().for_each(|note| terminal.line(&format!("  {}", warning(terminal, note))));
    if explained.fallback.used {
        let why = explained.fallback.reason.as_deref().unwrap_or("the planner's answer could not be used");
        terminal.line(&format!("  {}", warning(terminal, &format!("not the planner's plan: {why}"))));
    }
    if !explained.steps.is_empty() {
        terminal.line(&terminal.paint(Style::Strong, "\nWho does the steps"));
        explained.steps.iter().for_each(|who| terminal.line(&step(who)));
    }
    Ok(())
}

fn head(number: usize, call: &Call) -> String {
    let asked = match call.purpose {
        Purpose::Plan => "planner",
        Purpose::Relation => "what the message is to the plan before",
        Purpose::Choose => "choice of a specialist",
        Purpose::Step => "step",
        Purpose::Synthesis => "answer",
        Purpose::Prompt => "next steps",
    };
    let (read, written) = (costs::thousands(call.usage.input.into()), costs::thousands(call.usage.output.into()));
    let took = duration(call.duration_ms);
    let again = match call.before {
        0 => String::new(),
        before => format!(", asked {} times for the form", before + 1),
    };
    format!("  {number}  {asked}, {}: {read} tokens read, {written} written, {took}{again}", plain(&call.model))
}

fn step(who: &Who) -> String {
    match &who.expanded {
        Some(expanded) => heap::expanded(who.step.as_str(), expanded),
        None if !who.handed.is_empty() => {
            format!(
                "  {} was handed on as it ran\n{}",
                plain(who.step.as_str()),
                heap::delegated(&who.handed, who.handed_by.as_ref())
            )
        }
        None => {
            let planned = if who.planned.is_empty() { "the single agent" } else { &who.planned };
            format!("  {} is done by {}, as planned", plain(who.step.as_str()), plain(planned))
        }
    }
}

fn indented(text: &str) -> String {
    plain(text).lines().map(|line| format!("       {line}")).collect::<Vec<_>>().join("\n")
}
