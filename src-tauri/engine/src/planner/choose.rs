//! Who does a step of a specialist with others below it: one short call. Before a run it chooses one of them; while it
//! runs it may name several.
//!
//! The reply is hostile text: only ids that were offered are read from it, each as a whole.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use assent_core::contract::{Fault, PathPart, Stage};
use assent_core::heap::{ChooserFailed, ChooserFailure, Question, whole_ids};
use assent_core::plan::RouteStep;
use assent_core::run::Purpose;
use serde_json::{Value, json};
use tokio::sync::mpsc::unbounded_channel;
use tokio_util::sync::CancellationToken;

use super::Trace;
use super::compose::Prompt;
use super::record::Recorder;
use super::told::ToolsTold;
use crate::clock::Clock;
use crate::model::{Model, OutputFormat, tokens_of};
use crate::prompt::{Choose, ChooseUser, Delegate, Group, OptionLine, PromptError, Remark, Rendered, Templates};

/// Tokens of a choice: one id in an object.
const CHOICE_TOKENS: u32 = 80;
/// Tokens of a delegation: a sentence and some ids.
const DELEGATION_TOKENS: u32 = 400;

/// So many braces of a reply are tried as the beginning of an object.
const MOST_BRACES: usize = 32;

/// Whoever chooses, and how long it may take.
pub struct Asking<'a> {
    /// Who is asked.
    pub model: &'a dyn Model,
    /// The prompts.
    pub templates: &'a Templates,
    /// The time.
    pub clock: &'a dyn Clock,
    /// After that the answer no longer counts.
    pub limit: Duration,
    /// Tokens that the names of tools may take.
    pub tool_budget: u32,
    /// Triggered when a person stops the run.
    pub cancel: &'a CancellationToken,
}

/// What is told of a step beside its task.
#[derive(Debug, Default)]
pub struct Beside {
    /// What is to be there afterwards.
    pub expected: Option<String>,
    /// What the plan says to whoever does it, as much as there is room for.
    pub instructions: Option<String>,
    /// What a person said of it, as much as there is room for.
    pub remarks: Vec<Remark>,
}

/// Whether whoever chooses did not answer in time. It is not asked again then: with a minute for each level of each step a
/// plan would wait for hours.
#[derive(Debug, Default)]
pub struct Silence(AtomicBool);

impl Silence {
    /// What a question is answered that is asked unless an earlier one was not answered in time.
    pub async fn ask<T>(
        &self,
        question: impl Future<Output = (Result<T, ChooserFailed>, Trace)>,
    ) -> (Result<T, ChooserFailed>, Trace) {
        if self.0.load(Ordering::Relaxed) {
            let reason = "it did not answer in time before, and was not asked again";
            return (Err(ChooserFailed::not_asked(reason)), Trace::default());
        }
        let (answer, trace) = question.await;
        let is_silent = answer.as_ref().is_err_and(|failed| failed.failure == ChooserFailure::Silence);
        self.0.fetch_or(is_silent, Ordering::Relaxed);
        (answer, trace)
    }
}

/// What a specialist hands on.
#[derive(Debug, Clone, PartialEq)]
pub struct Delegated {
    /// What it said of that.
    pub summary: String,
    /// To whom; only ids that were offered.
    pub heap: Vec<RouteStep>,
}

impl Delegated {
    /// What is handed on to one without a word of its own.
    pub(crate) fn to(id: &str) -> Self {
        Self { summary: String::new(), heap: vec![RouteStep::One(id.to_owned())] }
    }
}

impl Asking<'_> {
    /// Asks for one of the options. What was answered is judged by whoever asks.
    pub async fn choose(&self, question: &Question, beside: &Beside) -> (Result<Vec<String>, ChooserFailed>, Trace) {
        let ids: Vec<&str> = question.options.iter().map(|option| option.id.as_str()).collect();
        let schema = json!({
            "type": "object", "properties": {"specialist": {"enum": ids}}, "required": ["specialist"],
            "additionalProperties": false,
        });
        let (shown, told) = self.within(question).await;
        let texts = self.about(self.templates.render(&Choose), &shown, beside);
        let format = OutputFormat::Json { name: "choice".to_owned(), schema: schema.into() };
        let read = |text: &str| (chosen(text, question), Vec::new());
        self.asked(Purpose::Choose, texts, (format, CHOICE_TOKENS), told, read).await
    }

    /// Asks to whom a task is handed on. Ids that were not offered are left out, with a fault each.
    pub async fn delegate(&self, question: &Question, beside: &Beside) -> (Result<Delegated, ChooserFailed>, Trace) {
        let ids: Vec<&str> = question.options.iter().map(|option| option.id.as_str()).collect();
        let group = json!({
            "type": "object", "properties": {"parallel": {"type": "array", "items": {"enum": ids}, "minItems": 2}},
            "required": ["parallel"], "additionalProperties": false,
        });
        let schema = json!({
            "type": "object",
            "properties": {
                "summary": {"type": "string", "maxLength": 300},
                "delegateHeap": {
                    "type": "array", "items": {"anyOf": [{"enum": ids}, group]},
                    "minItems": 1, "maxItems": ids.len(),
                },
            },
            "required": ["summary", "delegateHeap"],
            "additionalProperties": false,
        });
        let (shown, told) = self.within(question).await;
        let texts = self.about(self.templates.render(&Delegate), &shown, beside);
        let format = OutputFormat::Json { name: "delegation".to_owned(), schema: schema.into() };
        self.asked(Purpose::Choose, texts, (format, DELEGATION_TOKENS), told, |text| delegated(text, question)).await
    }

    /// The two texts of a question about who does a task.
    fn about(
        &self,
        system: Result<Rendered, PromptError>,
        question: &Question,
        beside: &Beside,
    ) -> Result<(Rendered, Rendered), PromptError> {
        Ok((system?, user(self.templates, question, beside)?))
    }

    /// The question with as many names of tools as there are tokens for, as the model counts them: the first of each
    /// option before the second of any.
    async fn within(&self, question: &Question) -> (Question, ToolsTold) {
        let mut shown = question.clone();
        let all: Vec<Vec<String>> = shown.options.iter_mut().map(|option| std::mem::take(&mut option.tools)).collect();
        let most = all.iter().map(Vec::len).max().unwrap_or_default();
        let at =
            |place: usize| all.iter().enumerate().filter_map(move |(of, tools)| Some((of, place, tools.get(place)?)));
        let named: Vec<(usize, usize, &String)> = (0..most).flat_map(at).collect();
        let told_of = |(_, place, name): &(usize, usize, &String)| match place {
            0 => format!(". Tools: {name}"),
            _ => format!(", {name}"),
        };
        let texts: Vec<String> = named.iter().map(told_of).collect();
        let tokens = tokens_of(self.model, &texts, self.cancel).await;
        let mut told = ToolsTold::within(self.tool_budget);
        for ((of, place, name), tokens) in named.into_iter().zip(tokens) {
            let tools = &mut shown.options[of].tools;
            // Behind one that does not fit none of its option follows: what was counted for it goes on from that one.
            let tokens = if tools.len() == place { tokens } else { u32::MAX };
            if told.takes(name, tokens) {
                tools.push(name.clone());
            }
        }
        (shown, told)
    }

    /// One short question, answered within the limit, in this form and so many tokens.
    pub(super) async fn asked<T>(
        &self,
        purpose: Purpose,
        texts: Result<(Rendered, Rendered), PromptError>,
        (output, max_tokens): (OutputFormat, u32),
        told: ToolsTold,
        read: impl FnOnce(&str) -> (T, Vec<Fault>),
    ) -> (Result<T, ChooserFailed>, Trace) {
        let mut recorder = Recorder::new(self.clock, purpose, self.model.profile().id.clone());
        let failed = |reason: String, failure: ChooserFailure| ChooserFailed { reason, failure };
        let texts = match texts {
            Ok(texts) => texts,
            Err(error) => return (Err(ChooserFailed::not_asked(error)), recorder.into_trace()),
        };
        let prompt = Prompt::short(purpose, self.model.profile().planner, texts, output, max_tokens);
        let prompt = Prompt { told, ..prompt };
        recorder.left_out(&prompt.told);
        recorder.asked();
        let (deltas, _unread) = unbounded_channel();
        let reply = self.model.reply(&prompt.request, &deltas, self.cancel);
        let answer = match tokio::time::timeout(self.limit, reply).await {
            Ok(Ok(reply)) => {
                let (answer, faults) = read(&reply.text);
                recorder.replied(&prompt, &reply, &faults);
                Ok(answer)
            }
            Ok(Err(error)) => {
                recorder.failed(&error);
                Err(failed(error.to_string(), ChooserFailure::NoAnswer))
            }
            Err(_) => {
                let reason = format!("no answer within {} s", self.limit.as_secs());
                recorder.silent(&reason);
                Err(failed(reason, ChooserFailure::Silence))
            }
        };
        (answer, recorder.into_trace())
    }
}

fn user(templates: &Templates, question: &Question, beside: &Beside) -> Result<Rendered, PromptError> {
    let options: Vec<OptionLine<'_>> = question
        .options
        .iter()
        .map(|option| OptionLine {
            id: &option.id,
            description: &option.description,
            tools: &option.tools,
            groups: option.groups.iter().map(|(label, count)| Group { label: label.clone(), count: *count }).collect(),
        })
        .collect();
    let (parent, Beside { expected, instructions, remarks }) = (question.parent.as_deref(), beside);
    let (expected, instructions) = (expected.as_deref(), instructions.as_deref());
    templates.render(&ChooseUser { parent, options: &options, task: &question.task, expected, instructions, remarks })
}

/// The first object with something in it that stands whole in a text, in a fence or between other words.
pub(super) fn object(text: &str) -> Option<Value> {
    let begins = text.match_indices('{').map(|(at, _)| at).take(MOST_BRACES);
    let whole = |at: usize| serde_json::Deserializer::from_str(&text[at..]).into_iter::<Value>().next()?.ok();
    begins.filter_map(whole).find(|value| value.as_object().is_some_and(|object| !object.is_empty()))
}

/// What a reply names: what its object says, else every option that stands in it.
fn chosen(text: &str, question: &Question) -> Vec<String> {
    match object(text).as_ref().and_then(|object| object.get("specialist")) {
        Some(Value::String(id)) => vec![id.clone()],
        Some(Value::Array(ids)) => ids.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        Some(Value::Null) => Vec::new(),
        _ => whole_ids(text, &offered(question)),
    }
}

fn offered(question: &Question) -> Vec<String> {
    question.options.iter().map(|option| option.id.clone()).collect()
}

fn delegated(text: &str, question: &Question) -> (Delegated, Vec<Fault>) {
    let offered = offered(question);
    let object = object(text);
    let read = |name: &str| object.as_ref().and_then(|object| object.get(name)).cloned();
    let summary = read("summary").and_then(|text| text.as_str().map(str::to_owned)).unwrap_or_default();
    let mut faults = Vec::new();
    let route = match read("delegateHeap") {
        // What a reply names is whom it names there, and nobody whom its other words mention.
        Some(named) => route_of(named, &mut faults),
        None => whole_ids(text, &offered).into_iter().map(RouteStep::One).collect(),
    };
    let mut heap = Vec::with_capacity(route.len());
    for (index, element) in route.iter().enumerate() {
        let (known, unknown): (Vec<String>, Vec<String>) =
            element.ids().iter().cloned().partition(|id| offered.contains(id));
        faults.extend(unknown.iter().map(|id| {
            let shown: String = id.chars().take(80).collect();
            left_out(format!("{shown:?} was not offered; it was left out"), index)
        }));
        if !known.is_empty() {
            heap.push(RouteStep::Parallel { parallel: known });
        }
    }
    (Delegated { summary, heap }, faults)
}

/// The route that a reply writes down; what stands in it that is no part of one is left out, with a fault each.
fn route_of(named: Value, faults: &mut Vec<Fault>) -> Vec<RouteStep> {
    let elements = match named {
        Value::Array(elements) => elements,
        one => vec![one],
    };
    let mut route = Vec::with_capacity(elements.len());
    for (index, element) in elements.into_iter().enumerate() {
        match serde_json::from_value(element) {
            Ok(step) => route.push(step),
            Err(_) => faults.push(left_out("this names no specialist; it was left out".to_owned(), index)),
        }
    }
    route
}

fn left_out(message: String, index: usize) -> Fault {
    Fault::new(Stage::Route, message).at(["delegateHeap".into(), PathPart::Index(index)])
}

#[cfg(test)]
mod tests {
    use assent_core::heap::{ChoiceOption, Question};
    use assent_core::plan::RouteStep;

    use super::{chosen, delegated};

    fn question(ids: &[&str]) -> Question {
        let option = |id: &&str| ChoiceOption {
            id: (*id).to_owned(),
            description: String::new(),
            tools: Vec::new(),
            groups: Vec::new(),
        };
        Question { options: ids.iter().map(option).collect(), parent: None, depth: 0, task: "t".to_owned() }
    }

    #[test]
    fn a_choice_is_read_however_it_is_written_and_never_more_than_it_says() {
        let question = question(&["x__part1", "x__part10"]);
        for (text, ids) in [
            (r#"{"specialist":"x__part10"}"#, vec!["x__part10"]),
            ("```json\n{\"specialist\": \"x__part1\"}\n```", vec!["x__part1"]),
            ("I take x__part10.", vec!["x__part10"]),
            (r#"{"specialist":["x__part1","x__part10"]}"#, vec!["x__part1", "x__part10"]),
            (r#"{"specialist":null}"#, vec![]),
            (r#"{"specialist":"x__part1"} (and not {x__part10})"#, vec!["x__part1"]),
            (r#"Of {x__part10} and {}: {"specialist":"x__part1"}"#, vec!["x__part1"]),
            (r#"{"specialist":"toString"}"#, vec!["toString"]),
            ("none of them", vec![]),
            ("", vec![]),
            ("{\"specialist\":", vec![]),
        ] {
            assert_eq!(chosen(text, &question), ids, "{text}");
        }
    }

    // covers: H68
    #[test]
    fn a_delegation_is_read_with_what_was_offered_alone() {
        let question = question(&["reader", "writer"]);
        let group = |ids: &[&str]| RouteStep::Parallel { parallel: ids.iter().map(|id| (*id).to_owned()).collect() };
        for (text, summary, heap, faults) in [
            (
                r#"{"summary":"s","delegateHeap":["reader",{"parallel":["writer","reader"]}]}"#,
                "s",
                vec![group(&["reader"]), group(&["writer", "reader"])],
                0,
            ),
            (r#"{"delegateHeap":["toString",{"parallel":["writer","planner"]}]}"#, "", vec![group(&["writer"])], 2),
            ("The writer does it.", "", vec![group(&["writer"])], 0),
            (r#"{"delegateHeap":[]}"#, "", vec![], 0),
            (r#"{"delegateHeap":7}"#, "", vec![], 1),
            (
                r#"{"summary":"The writer is not needed","delegateHeap":"reader"}"#,
                "The writer is not needed",
                vec![group(&["reader"])],
                0,
            ),
            (
                r#"{"summary":"No writer.","delegateHeap":["reader",7,{"parallel":"writer"}]}"#,
                "No writer.",
                vec![group(&["reader"])],
                2,
            ),
            (r#"{"delegateHeap":["reader"]} and not {writer}"#, "", vec![group(&["reader"])], 0),
            ("I do not know", "", vec![], 0),
        ] {
            let (read, left_out) = delegated(text, &question);
            assert_eq!((read.summary.as_str(), &read.heap, left_out.len()), (summary, &heap, faults), "{text}");
        }
    }
}
