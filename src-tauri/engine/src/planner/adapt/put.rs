//! Other values in the place of old ones, wherever a plan says them. Nothing else of the plan can change by it.

use assent_core::order::sort_by_key;
use assent_core::plan::{Grants, Plan};
use serde_json::{Map, Value};

use super::literal::{ValueKind, stands_alone};
use super::{Replaced, Slot};
use crate::planner::forms::singular;

/// Does something with every text of a plan that says what is to be done or with what. Its message is none of them: that
/// is the person's own.
pub(super) fn each_text(plan: &mut Plan, mut each: impl FnMut(&mut String)) {
    let each: &mut dyn FnMut(&mut String) = &mut each;
    [&mut plan.title, &mut plan.intent, &mut plan.refined_task].into_iter().for_each(&mut *each);
    in_values(&mut plan.extracted_context, each);
    plan.instructions.values_mut().for_each(&mut *each);
    for step in &mut plan.steps {
        each(&mut step.description);
        step.expected_outcome.iter_mut().for_each(&mut *each);
        step.instructions.iter_mut().for_each(&mut *each);
        in_values(&mut step.input.context, each);
    }
}

fn in_values(context: &mut Map<String, Value>, each: &mut dyn FnMut(&mut String)) {
    context.values_mut().for_each(|value| in_value(value, each));
}

fn in_value(value: &mut Value, each: &mut dyn FnMut(&mut String)) {
    match value {
        Value::String(text) => each(text),
        Value::Array(items) => items.iter_mut().for_each(|item| in_value(item, each)),
        Value::Object(fields) => fields.values_mut().for_each(|field| in_value(field, each)),
        // A number stays one, whatever is put in its place.
        Value::Number(number) => {
            let mut text = number.to_string();
            each(&mut text);
            if let Ok(other) = text.parse::<serde_json::Number>() {
                *number = other;
            }
        }
        Value::Null | Value::Bool(_) => {}
    }
}

/// The values of a context, each as a text.
pub(super) fn leaves<'v>(values: impl Iterator<Item = &'v Value>) -> Vec<String> {
    let mut all = Vec::new();
    for value in values {
        in_value(&mut value.clone(), &mut |text| all.push(text.clone()));
    }
    all
}

/// For each value the first text of the plan that says it; nothing where none does.
pub(super) fn said_in(plan: &Plan, slots: &[Slot]) -> Vec<Option<String>> {
    let all: Vec<Vec<Form>> = slots.iter().map(|slot| forms(slot.kind, &slot.value, "")).collect();
    let mut said: Vec<Option<String>> = vec![None; slots.len()];
    // A visitor may change what it sees, and is lent a copy.
    each_text(&mut plan.clone(), |text| {
        for (said, forms) in said.iter_mut().zip(&all).filter(|(said, _)| said.is_none()) {
            if forms.iter().any(|form| form.is_in(text)) {
                *said = Some(text.clone());
            }
        }
    });
    said
}

/// The plan with other values. All are put in at once, so that two may change places.
pub(super) fn put(plan: &Plan, values: &[Replaced]) -> Plan {
    let mut forms: Vec<Form> = values.iter().flat_map(|one| forms(one.kind, &one.from, &one.to)).collect();
    // Of two values of which one begins with the other, the longer one is meant.
    sort_by_key(&mut forms, |form| std::cmp::Reverse(form.from.len()));
    let mut adapted = plan.clone();
    each_text(&mut adapted, |text| *text = replaced(text, &forms));
    adapted
}

/// A plan without anything that other values may change: what two plans have in common of which one was adapted from the
/// other. The names of values are part of it.
pub(super) fn structure(plan: &Plan) -> Plan {
    let mut bare = Plan { user_message: String::new(), ..plan.clone() };
    each_text(&mut bare, |text| *text = "0".to_owned());
    bare.steps.iter_mut().for_each(|step| step.grants = Grants::default());
    bare
}

/// A way in which a text may say a value.
struct Form {
    kind: ValueKind,
    from: String,
    to: String,
}

/// A word is also said in the singular.
fn forms(kind: ValueKind, from: &str, to: &str) -> Vec<Form> {
    let mut all = vec![Form { kind, from: from.to_owned(), to: to.to_owned() }];
    if matches!(kind, ValueKind::Word | ValueKind::Quoted)
        && !from.contains(' ')
        && let Some(one) = singular(from).filter(|one| one.chars().count() > 2)
    {
        all.push(Form { kind, from: one.to_owned(), to: singular(to).unwrap_or(to).to_owned() });
    }
    all
}

impl Form {
    fn is_in(&self, text: &str) -> bool {
        text.char_indices().any(|(at, _)| self.ends_at(text, at).is_some())
    }

    /// Where a value ends that begins there; nothing where another or a part of another begins.
    fn ends_at(&self, text: &str, at: usize) -> Option<usize> {
        let is_word = matches!(self.kind, ValueKind::Word | ValueKind::Quoted);
        let mut here = text[at..].char_indices();
        let mut end = at;
        for letter in self.from.chars() {
            let (offset, found) = here.next()?;
            if found != letter && !(is_word && found.to_lowercase().eq(letter.to_lowercase())) {
                return None;
            }
            end = at + offset + found.len_utf8();
        }
        (end > at && stands_alone(text, &(at..end))).then_some(end)
    }

    /// What is put in the place of a text that says the value: in small letters or with a capital, as that was.
    fn for_text(&self, said: &str) -> String {
        if said == self.from || !matches!(self.kind, ValueKind::Word | ValueKind::Quoted) {
            return self.to.clone();
        }
        if said == said.to_lowercase() {
            return self.to.to_lowercase();
        }
        let mut letters = self.to.chars();
        let first = letters.next().map(|letter| letter.to_uppercase().to_string()).unwrap_or_default();
        first + letters.as_str()
    }
}

fn replaced(text: &str, forms: &[Form]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    while let Some(letter) = text[at..].chars().next() {
        let found = forms.iter().find_map(|form| Some((form, form.ends_at(text, at)?)));
        if let Some((form, end)) = found {
            out.push_str(&form.for_text(&text[at..end]));
            at = end;
        } else {
            out.push(letter);
            at += letter.len_utf8();
        }
    }
    out
}

/// Whether a message says a value: a word in any letters, everything else letter for letter.
pub(super) fn is_said(message: &str, kind: ValueKind, value: &str) -> bool {
    let form = Form { kind, from: value.to_owned(), to: String::new() };
    form.is_in(message)
}
