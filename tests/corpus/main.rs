//! Plans as models really wrote them, and the same after a seeded mangler had them: every text ends in a plan or in
//! faults that name the place in it, and whoever wrote a whole plan gets it, each step with its tools.
//!
//! The outputs were made by `bench/experiments/outputs.py`. What holds a whole plan is judged here by a reader of its
//! own, which knows strict JSON only; a mangled text that keeps all of its plan is judged by the text that it was made of.
//! `bench/run parsing` tells the shares.

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
        /// What each step does and the tools that it names, or each place in the order of specialists.
        steps: Vec<(String, Vec<String>)>,
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
    let told = |step: &Value| {
        let what = ["description", "do"].iter().find_map(|key| text(&step[*key]))?;
        let listed = step["requiredTools"].as_array().into_iter().flatten().filter_map(text);
        let one = text(&step["tool"]).filter(|tool| !["none", "find"].contains(&tool.as_str()));
        Some((what, listed.chain(one).collect()))
    };
    let task = text(&value["refinedTask"]).unwrap_or_default();
    let context = value["extractedContext"].as_object().cloned().unwrap_or_default();
    if let Some(steps) = listed("steps").or_else(|| listed("todoList")) {
        let steps: Option<Vec<(String, Vec<String>)>> = steps.iter().map(told).collect();
        return Some(Held::Plan { steps: steps?, task, context });
    }
    if let Some(order) = listed("priorityOrder") {
        let named = |one: &Value| match &one["parallel"] {
            Value::Array(ids) => ids.iter().map(text).collect::<Option<Vec<String>>>().map(|ids| ids.join(" + ")),
            _ => text(one),
        };
        let steps: Option<Vec<_>> = order.iter().map(|one| Some((named(one)?, Vec::new()))).collect();
        return (!task.is_empty()).then_some(Held::Plan { steps: steps?, task, context });
    }
    text(&value["answer"]).map(Held::Answer)
}

/// What the product made of a text. Whatever the text, each fault names a place in it, and without an output there is one.
fn read(text: &str) -> Option<Held> {
    let (output, faults) = parse(text);
    for fault in &faults {
        assert!(is_placed(fault, text), "{fault:?} names no place in {text:?}");
    }
    assert!(output.is_some() || faults.iter().any(|fault| explains(fault, text)), "{text:?}: {faults:?}");
    Some(match output? {
        PlannerOutput::Answer(text) => Held::Answer(text),
        PlannerOutput::Plan(outline) => {
            let (task, context) = (outline.refined_task, outline.extracted_context);
            let steps = if outline.steps.is_empty() {
                outline.route.iter().map(|place| (place.ids().join(" + "), Vec::new())).collect()
            } else {
                outline.steps.into_iter().map(|step| (step.description, step.required_tools)).collect()
            };
            Held::Plan { steps, task, context }
        }
    })
}

/// Whether a fault says what is wrong, and where: in which field, at which place of the text, or which fields are missing.
fn is_placed(fault: &Fault, text: &str) -> bool {
    let is_nothing = fault.message == "the reply is empty" && text.trim().is_empty();
    !fault.message.trim().is_empty()
        && (!fault.path.is_empty() || !fault.missing.is_empty() || rest_at(fault, text).is_some() || is_nothing)
}

/// What stands in a text at the place that a fault names: `at line 3, column 7`.
fn rest_at<'t>(fault: &Fault, text: &'t str) -> Option<&'t str> {
    let (_, place) = fault.message.rsplit_once(" at line ")?;
    let (line, after) = place.split_once(", column ")?;
    let column = after.split(|letter: char| !letter.is_ascii_digit()).next()?;
    let (line, column): (usize, usize) = (line.parse().ok()?, column.parse().ok()?);
    let begin: usize = text.split('\n').take(line.checked_sub(1)?).map(|line| line.len() + 1).sum();
    let in_line = text.get(begin..)?;
    let at = in_line.char_indices().map(|(at, _)| at).chain([in_line.len()]).nth(column.checked_sub(1)?)?;
    (!in_line[..at].contains('\n')).then(|| &in_line[at..])
}

/// Whether a fault tells why there is no output, and what stands at the place that it names is as it says.
fn explains(fault: &Fault, text: &str) -> bool {
    if fault.message == "the reply is empty" {
        return text.trim().is_empty();
    }
    let says = |words: &str| fault.message.contains(words);
    match rest_at(fault, text) {
        Some(rest) if says("holds no JSON object") => rest.is_empty() && !text.contains('{'),
        Some(rest) if says("has nothing to do in it") => rest.starts_with(['{', '[']),
        // A plan was found, and none of its fields could be used.
        _ => !fault.path.is_empty() && !says("ends inside the object") && !says("is broken"),
    }
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
    /// Texts that ended in faults alone.
    faulty: usize,
    /// Texts that held a whole plan, not an answer, and how many of these plans were read.
    plans: usize,
    plans_read: usize,
}

impl Tally {
    fn add(&mut self, text: &str, whole: &[Held]) {
        self.texts += 1;
        let read = read(text);
        self.faulty += usize::from(read.is_none());
        if whole.is_empty() {
            return;
        }
        self.whole += 1;
        let is_read = read.as_ref().is_some_and(|read| whole.contains(read));
        if whole.iter().any(|one| matches!(one, Held::Plan { .. })) {
            self.plans += 1;
            self.plans_read += usize::from(is_read);
        }
        if !is_read {
            self.lost.push((text.to_owned(), whole.to_vec(), read));
        }
    }

    fn judge(&self, name: &str) {
        let read = self.whole - self.lost.len();
        let Self { texts, faulty, whole, plans, plans_read, .. } = self;
        // `bench/parts/planner.py` reads this line.
        println!(
            "{name}: {texts} texts, {faulty} faults alone, {whole} whole, {read} read, {plans} plans, {plans_read} plans read"
        );
        assert!(self.whole * 4 >= self.texts, "only {} of {} texts hold a whole plan", self.whole, self.texts);
        assert!(
            read * 100 >= self.whole * 95,
            "{read} of {} whole plans were read; lost: {:#?}",
            self.whole,
            self.lost
        );
        assert!(plans_read * 100 >= plans * 95, "{plans_read} of {plans} plans; lost: {:#?}", self.lost);
    }
}
