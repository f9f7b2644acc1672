//! A saved plan for a new message: the same steps, tools and order, with the values of the message in the place of its own.
//!
//! Code finds the values and puts the others in; a model is asked only which of the message's values takes which place,
//! once, and only where code cannot tell. Whatever it answers, nothing but values can change, and a value that the message
//! does not say is not put in.

mod literal;
mod put;
mod settle;

#[cfg(test)]
mod tests;

use assent_core::contract::{Fault, Stage};
use assent_core::plan::Plan;
use assent_core::run::Purpose;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use tokio::sync::mpsc::unbounded_channel;
use tokio_util::sync::CancellationToken;

pub use literal::ValueKind;

use self::put::{is_said, put, structure};
use self::settle::{Open, settle};
use super::choose::object;
use super::compose::Prompt;
use super::forbidden::forbids_changes;
use super::record::Recorder;
use super::{Planner, PlanningError, Trace, Unplanned};
use crate::model::{Model, ModelError, OutputFormat, Reply};
use crate::prompt::{AdaptValues, AdaptValuesUser, ValueLine};

/// Values that a model is asked of at once; the others stay as they are.
const MOST_ASKED: usize = 12;
/// Characters of the text that shows where a value stands.
const SHOWN: usize = 160;
/// Tokens of the reply for each value, and for what stands around them.
const TOKENS_OF_VALUE: u32 = 60;
const TOKENS_AROUND: u32 = 20;

/// A value of a plan that may be another one for another message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "bindings", derive(ts_rs::TS), ts(rename = "PlanValue"))]
#[serde(rename_all = "camelCase")]
pub struct Slot {
    /// What kind of value.
    pub kind: ValueKind,
    /// The value.
    pub value: String,
}

/// A value that took the place of another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replaced {
    /// What kind of value.
    pub kind: ValueKind,
    /// What it was.
    pub from: String,
    /// What it is now.
    pub to: String,
}

impl Replaced {
    fn new(slot: &Slot, to: &str) -> Self {
        Self { kind: slot.kind, from: slot.value.clone(), to: to.to_owned() }
    }
}

/// The values of a plan that may be others for another message, in the order in which its message says them.
pub fn replaceable(plan: &Plan) -> Vec<Slot> {
    settle::slots(plan)
}

/// What a message says apart from its values: of a file the ending, of the others nothing.
pub(crate) fn without_values(message: &str) -> String {
    let mut left = String::with_capacity(message.len());
    let mut at = 0;
    for one in literal::literals(message) {
        left.push_str(&message[at..one.at]);
        if one.kind == ValueKind::Path {
            left.push_str(literal::ending(one.text).unwrap_or("folder"));
        }
        at = one.at + one.text.len();
    }
    left.push_str(&message[at..]);
    left
}

/// A plan on its way to another message.
#[derive(Debug)]
pub struct Adapting<'a> {
    plan: &'a Plan,
    message: &'a str,
    replaced: Vec<Replaced>,
    open: Vec<Open>,
    notes: Vec<Fault>,
    /// Whether nobody could be asked about what is open.
    alone: bool,
}

/// A plan with the values of another message.
#[derive(Debug, Clone, PartialEq)]
pub struct Adapted {
    /// The plan. It was not checked.
    pub plan: Plan,
    /// What was put in.
    pub replaced: Vec<Replaced>,
    /// Values of which a model would have to tell whether they are others, and none could be asked.
    pub unasked: Vec<Slot>,
    /// What a person should know of it.
    pub notes: Vec<Fault>,
}

impl<'a> Adapting<'a> {
    /// Looks for the values of the plan that are others in the message.
    pub fn of(plan: &'a Plan, message: &'a str) -> Self {
        let settle::Settled { replaced, mut open } = settle(plan, message);
        let left = open.split_off(open.len().min(MOST_ASKED));
        let mut notes = Vec::new();
        if !left.is_empty() {
            let values: Vec<&str> = left.iter().map(|open| open.slot.value.as_str()).collect();
            notes.push(note(format!("there are too many values to ask about all; these stay: {}", values.join(", "))));
        }
        Self { plan, message, replaced, open, notes, alone: false }
    }

    /// Whether a model has to tell what takes the place of some of them.
    pub fn needs_model(&self) -> bool {
        !self.open.is_empty()
    }

    /// Whether nothing is to be put in.
    pub fn is_unchanged(&self) -> bool {
        self.replaced.is_empty()
    }

    /// Goes on without a model: what stands at the same place of the message takes the place of a value of its kind.
    pub fn without_model(&mut self, why: &str) {
        self.alone = true;
        let (guessed, open): (Vec<Open>, Vec<Open>) = self.open.drain(..).partition(|open| open.guess.is_some());
        for Open { slot, guess, .. } in guessed {
            self.replaced.extend(guess.map(|to| Replaced::new(&slot, &to)));
        }
        self.open = open;
        self.notes.push(
            note(format!("no model could be asked which values are others ({why})"))
                .hint("what code can tell was put in: look whether it is right"),
        );
    }

    /// The plan with the values that are known by now.
    pub fn finish(self) -> Adapted {
        let Self { plan, message, replaced, open, mut notes, alone } = self;
        let adapted = Plan {
            user_message: message.to_owned(),
            read_only: plan.read_only || forbids_changes(message),
            ..put(plan, &replaced)
        };
        let is_same = structure(&Plan { read_only: adapted.read_only, ..plan.clone() }) == structure(&adapted);
        // What cannot happen is still not done.
        let (adapted, replaced) = if is_same { (adapted, replaced) } else { (plan.clone(), Vec::new()) };
        let unasked: Vec<Slot> = if alone { open.into_iter().map(|open| open.slot).collect() } else { Vec::new() };
        notes.extend(told(&replaced, &unasked));
        Adapted { plan: adapted, replaced, unasked, notes }
    }

    /// Takes what a model said: of each value one of those that were offered for it, or the one that it is.
    fn take(&mut self, said: &Map<String, Value>) -> Vec<Fault> {
        let mut faults = Vec::new();
        for (at, Open { slot, .. }) in std::mem::take(&mut self.open).into_iter().enumerate() {
            let name = name(at);
            let Some(to) = said.get(&name).and_then(Value::as_str).map(str::trim) else {
                faults.push(note("there is no value for it").at([name.as_str()]));
                continue;
            };
            if to == slot.value {
                continue;
            }
            if to.is_empty() || !is_said(self.message, slot.kind, to) {
                let fault = Fault::new(Stage::Grounding, "the message does not say that value; the plan's own stays");
                faults.push(fault.at([name.as_str()]));
                continue;
            }
            self.replaced.push(Replaced::new(&slot, to));
        }
        faults
    }
}

impl Planner {
    /// Asks a model which values of the message take the places that code could not tell: one call.
    ///
    /// # Errors
    /// [`Unplanned`] for a broken prompt template, or where the person stopped it. A model that fails otherwise is one that
    /// cannot be asked: see [`Adapting::without_model`].
    pub async fn ask_values(
        &self,
        model: &dyn Model,
        adapting: &mut Adapting<'_>,
        cancel: &CancellationToken,
    ) -> Result<Trace, Unplanned> {
        let mut recorder = Recorder::new(&*self.clock, Purpose::Plan, model.profile().id.clone());
        let prompt = match self.values_prompt(model, adapting) {
            Ok(prompt) => prompt,
            Err(error) => return Err(Unplanned { error, trace: recorder.into_trace() }),
        };
        recorder.asked();
        let (deltas, _unwatched) = unbounded_channel();
        match model.reply(&prompt.request, &deltas, cancel).await {
            Ok(reply) => {
                let faults = read(adapting, &reply);
                recorder.replied(&prompt, &reply, &faults);
                Ok(recorder.into_trace())
            }
            Err(error) => {
                recorder.failed(&error);
                if error == ModelError::Cancelled {
                    return Err(Unplanned { error: error.into(), trace: recorder.into_trace() });
                }
                adapting.without_model(&error.to_string());
                Ok(recorder.into_trace())
            }
        }
    }

    fn values_prompt(&self, model: &dyn Model, adapting: &Adapting<'_>) -> Result<Prompt, PlanningError> {
        let mut properties = Map::new();
        let mut values = Vec::new();
        for (at, Open { slot, said_in, offered, .. }) in adapting.open.iter().enumerate() {
            let choices: Vec<&str> =
                [slot.value.as_str()].into_iter().chain(offered.iter().map(String::as_str)).collect();
            properties.insert(name(at), json!({"enum": choices}));
            let said_in = said_in.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(SHOWN).collect();
            values.push(ValueLine { name: name(at), value: slot.value.clone(), said_in, offered: offered.clone() });
        }
        let required: Vec<&String> = properties.keys().collect();
        let schema = json!({
            "type": "object", "required": required, "properties": properties, "additionalProperties": false,
        });
        let system = self.templates.render(&AdaptValues)?;
        let (before, message) = (adapting.plan.user_message.as_str(), adapting.message);
        let user = self.templates.render(&AdaptValuesUser { before, message, values: &values })?;
        let tokens = TOKENS_AROUND + TOKENS_OF_VALUE * u32::try_from(values.len()).unwrap_or(1);
        let output = OutputFormat::Json { name: "values".to_owned(), schema: schema.into() };
        Ok(Prompt::short(Purpose::Plan, model.profile().planner, (system, user), output, tokens))
    }
}

fn read(adapting: &mut Adapting<'_>, reply: &Reply) -> Vec<Fault> {
    match object(&reply.text) {
        Some(Value::Object(said)) => adapting.take(&said),
        _ => {
            adapting.without_model("its reply could not be read");
            vec![Fault::new(Stage::Parse, "this is no object of values")]
        }
    }
}

fn name(at: usize) -> String {
    format!("v{}", at + 1)
}

fn note(text: impl Into<String>) -> Fault {
    Fault::new(Stage::Plan, text)
}

/// What was put in and what was not, for the person who is to approve it.
fn told(replaced: &[Replaced], unasked: &[Slot]) -> Vec<Fault> {
    let mut notes = Vec::new();
    if replaced.is_empty() {
        notes.push(note("no value of the saved plan was replaced: it is as it was saved"));
    } else {
        let pairs: Vec<String> = replaced.iter().map(|one| format!("{} → {}", one.from, one.to)).collect();
        notes.push(note(format!("the saved plan with other values: {}", pairs.join(", "))));
    }
    if !unasked.is_empty() {
        let values: Vec<&str> = unasked.iter().map(|slot| slot.value.as_str()).collect();
        notes.push(note(format!("a model is needed to tell whether these are others: {}", values.join(", "))));
    }
    notes
}
