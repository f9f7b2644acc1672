//! Plans as models really wrote them, and the same after a seeded mangler had them: every text ends in a plan or in
//! faults that say what and where, and whoever wrote a whole plan gets it.
//!
//! The outputs were made by `bench/experiments/outputs.py`. What holds a whole plan is judged here by a reader of its
//! own, which knows strict JSON only; a mangled text that keeps all of its plan is judged by the text that it was made of.

mod mangle;

use assent_core::contract::Fault;
use assent_core::plan::{PlannerOutput, parse};
use serde_json::{Deserializer, Map, Value};

use self::mangle::{Dice, KEEPING, breaking};

/// Mangled texts.
const MANGLED: usize = 500;

struct Line {
    model: String,
    form: String,
    text: String,
}

/// What a text holds, as far as it can be compared.
#[derive(Debug, Clone, PartialEq)]
enum Held {
    /// Its text.
    Answer(String),
    Plan {
        /// What each step does, or each place in the order of specialists.
        steps: Vec<String>,
        task: String,
        context: Map<String, Value>,
    },
}

fn corpus() -> Vec<Line> {
    let line = |line| -> Line {
        let row: Value = serde_json::from_str(line).unwrap();
        let field = |name: &str| row[name].as_str().unwrap().to_owned();
        Line { model: field("model"), form: field("form"), text: field("text") }
    };
    include_str!("planner-outputs.jsonl").lines().map(line).collect()
}

/// Every whole answer or plan that stands in a text as strict JSON, in order.
fn whole(text: &str) -> Vec<Held> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(next) = text[at..].find('{') {
        let start = at + next;
        let mut values = Deserializer::from_str(&text[start..]).into_iter::<Value>();
        match values.next() {
            Some(Ok(value)) => {
                found.extend(held(&value));
                at = start + values.byte_offset();
            }
            _ => at = start + 1,
        }
    }
    found
}

fn held(value: &Value) -> Option<Held> {
    let listed = |key: &str| value[key].as_array().filter(|list| !list.is_empty());
    let text = |value: &Value| value.as_str().map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned);
    let told = |step: &Value| ["description", "do"].iter().find_map(|key| text(&step[*key]));
    let task = text(&value["refinedTask"]).unwrap_or_default();
    let context = value["extractedContext"].as_object().cloned().unwrap_or_default();
    if let Some(steps) = listed("steps").or_else(|| listed("todoList")) {
        let steps: Option<Vec<String>> = steps.iter().map(told).collect();
        return Some(Held::Plan { steps: steps?, task, context });
    }
    if let Some(order) = listed("priorityOrder") {
        let named = |one: &Value| match &one["parallel"] {
            Value::Array(ids) => ids.iter().map(text).collect::<Option<Vec<String>>>().map(|ids| ids.join(" + ")),
            _ => text(one),
        };
        let steps: Option<Vec<String>> = order.iter().map(named).collect();
        return (!task.is_empty()).then_some(Held::Plan { steps: steps?, task, context });
    }
    text(&value["answer"]).map(Held::Answer)
}

/// What the product made of a text. Whatever the text, it is an output or says what is wrong with it.
fn read(text: &str) -> Option<Held> {
    let (output, faults) = parse(text);
    assert!(output.is_some() || faults.iter().any(places), "nothing is said of {text:?}: {faults:?}");
    Some(match output? {
        PlannerOutput::Answer(text) => Held::Answer(text),
        PlannerOutput::Plan(outline) => {
            let (task, context) = (outline.refined_task, outline.extracted_context);
            let steps = if outline.steps.is_empty() {
                outline.route.iter().map(|place| place.ids().join(" + ")).collect()
            } else {
                outline.steps.into_iter().map(|step| step.description).collect()
            };
            Held::Plan { steps, task, context }
        }
    })
}

/// A fault that a planner can act on: it says what, and where or what is missing.
fn places(fault: &Fault) -> bool {
    !fault.message.trim().is_empty() && (!fault.path.is_empty() || !fault.missing.is_empty())
}

// covers: P33 P34
#[test]
fn real_outputs_of_three_models_end_in_a_plan_or_in_faults_and_whole_plans_are_read() {
    let corpus = corpus();
    let models: std::collections::BTreeSet<&str> = corpus.iter().map(|line| line.model.as_str()).collect();
    let forms: std::collections::BTreeSet<&str> = corpus.iter().map(|line| line.form.as_str()).collect();
    assert!(
        corpus.len() >= 150 && models.len() >= 3 && forms.len() >= 5,
        "{} of {models:?} in {forms:?}",
        corpus.len()
    );
    let texts: std::collections::BTreeSet<&str> = corpus.iter().map(|line| line.text.as_str()).collect();
    assert!(texts.len() >= 150, "only {} of them are different", texts.len());
    for form in ["compact", "steps", "route", "compact, grammar", "compact, schema"] {
        let of: std::collections::BTreeSet<&str> =
            corpus.iter().filter(|line| line.form == form).map(|line| line.model.as_str()).collect();
        assert_eq!(of, models, "{form}: free and constrained, of each model");
    }
    let mut tally = Tally::default();
    for line in &corpus {
        tally.add(&line.text, &whole(&line.text));
    }
    tally.judge("outputs");
}

#[test]
fn mangled_outputs_end_in_a_plan_or_in_faults_and_whole_plans_are_read() {
    let corpus = corpus();
    let mut dice = Dice(0x5eed);
    let mut tally = Tally::default();
    for _ in 0..MANGLED {
        let text = &corpus[dice.below(corpus.len())].text;
        if dice.below(2) == 0 {
            let (_, keep) = KEEPING[dice.below(KEEPING.len())];
            tally.add(&keep(text, &mut dice), &whole(text));
        } else {
            let broken = breaking(text, &mut dice);
            tally.add(&broken, &whole(&broken));
        }
    }
    tally.judge("mangled");
}

/// How many texts held a whole plan or answer, and of how many it was read.
#[derive(Default)]
struct Tally {
    texts: usize,
    whole: usize,
    lost: Vec<(String, Vec<Held>, Option<Held>)>,
}

impl Tally {
    fn add(&mut self, text: &str, whole: &[Held]) {
        self.texts += 1;
        let read = read(text);
        if whole.is_empty() {
            return;
        }
        self.whole += 1;
        if !read.as_ref().is_some_and(|read| whole.contains(read)) {
            self.lost.push((text.to_owned(), whole.to_vec(), read));
        }
    }

    fn judge(&self, name: &str) {
        let read = self.whole - self.lost.len();
        println!("{name}: {} texts, {} whole, {read} read", self.texts, self.whole);
        assert!(self.whole * 4 >= self.texts, "only {} of {} texts hold a whole plan", self.whole, self.texts);
        assert!(
            read * 100 >= self.whole * 95,
            "{read} of {} whole plans were read; lost: {:#?}",
            self.whole,
            self.lost
        );
    }
}
