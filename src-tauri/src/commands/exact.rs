//! Whole numbers that a page cannot hold. It knows none beyond 2^53 exactly: what it was not to change comes back rounded,
//! and is given the digits back that are known of it.

use assent_core::plan::{Plan, Step};
use assent_engine::engine::PlanHandle;
use assent_engine::store::StoreError;
use serde_json::{Map, Number, Value};

/// A document as a page gives it back, with the long numbers of the version that it is based on.
pub(super) fn exact_plan(plans: &PlanHandle<'_>, mut document: Plan) -> Result<Plan, StoreError> {
    if !values_of(&document).any(holds_long) {
        return Ok(document);
    }
    let known = match plans.get(document.id.as_str(), Some(document.version)) {
        Ok(known) => known,
        Err(StoreError::NotFound { .. }) => return Ok(document),
        Err(error) => return Err(error),
    };
    give_back(&mut document, &known);
    Ok(document)
}

fn give_back(document: &mut Plan, known: &Plan) {
    let mut long = Vec::new();
    values_of(known).for_each(|value| gather(value, &mut long));
    if long.is_empty() {
        return;
    }
    restore_fields(&mut document.extracted_context, &known.extracted_context, &long);
    for step in &mut document.steps {
        let before = known.steps.iter().find(|before| before.id == step.id);
        let none = Map::new();
        restore_fields(&mut step.input.context, before.map_or(&none, |before| &before.input.context), &long);
        let contracts = before.map(|before| &before.contracts);
        if let Some(input) = &mut step.contracts.input {
            restore(input, contracts.and_then(|known| known.input.as_ref()), &long);
        }
        if let Some(output) = &mut step.contracts.output {
            restore(output, contracts.and_then(|known| known.output.as_ref()), &long);
        }
    }
}

/// A value as a page gives it back, with the long numbers of what it was given.
pub(super) fn exact(mut value: Value, given: Option<&Value>) -> Value {
    let mut long = Vec::new();
    gather(given.unwrap_or(&Value::Null), &mut long);
    if !long.is_empty() {
        restore(&mut value, given, &long);
    }
    value
}

/// Everything in a plan that may hold a number of a person's.
fn values_of(plan: &Plan) -> impl Iterator<Item = &Value> {
    plan.extracted_context.values().chain(plan.steps.iter().flat_map(values_of_step))
}

fn values_of_step(step: &Step) -> impl Iterator<Item = &Value> {
    let schemas = step.contracts.input.iter().chain(&step.contracts.output);
    step.input.context.values().chain(schemas)
}

fn holds_long(value: &Value) -> bool {
    match value {
        Value::Number(number) => is_long(number),
        Value::Array(items) => items.iter().any(holds_long),
        Value::Object(fields) => fields.values().any(holds_long),
        _ => false,
    }
}

/// The whole numbers of a value that a page rounds.
fn gather(value: &Value, long: &mut Vec<Number>) {
    match value {
        Value::Number(number) if !number.is_f64() && is_long(number) && !long.contains(number) => {
            long.push(number.clone());
        }
        Value::Array(items) => items.iter().for_each(|item| gather(item, long)),
        Value::Object(fields) => fields.values().for_each(|field| gather(field, long)),
        _ => {}
    }
}

/// Puts a long number in the place of what it is rounded to: the one that stood at the same place; else, where something
/// was moved, the only one that is rounded to this.
fn restore(value: &mut Value, given: Option<&Value>, long: &[Number]) {
    match value {
        Value::Number(number) if is_long(number) => {
            let is_it = |one: &&Number| !one.is_f64() && one.as_f64() == number.as_f64();
            let same = given.and_then(Value::as_number).filter(is_it);
            let mut alike = long.iter().filter(is_it);
            let known = same.or_else(|| match (alike.next(), alike.next()) {
                (Some(one), None) => Some(one),
                _ => None,
            });
            if let Some(known) = known {
                *number = known.clone();
            }
        }
        Value::Array(items) => {
            let given = given.and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
            items.iter_mut().enumerate().for_each(|(at, item)| restore(item, given.get(at), long));
        }
        Value::Object(fields) => {
            let none = Map::new();
            restore_fields(fields, given.and_then(Value::as_object).unwrap_or(&none), long);
        }
        _ => {}
    }
}

fn restore_fields(fields: &mut Map<String, Value>, given: &Map<String, Value>, long: &[Number]) {
    fields.iter_mut().for_each(|(name, field)| restore(field, given.get(name), long));
}

/// Whether a number is beyond those that a page knows exactly.
fn is_long(number: &Number) -> bool {
    const EXACT: f64 = 9_007_199_254_740_991.0;
    number.as_f64().is_some_and(|number| number.abs() > EXACT)
}

#[cfg(test)]
mod tests {
    use assent_core::plan::{Plan, Step};
    use serde_json::json;

    use super::{exact, give_back};

    #[test]
    fn a_long_number_that_a_page_has_rounded_is_the_one_that_was_asked_for() {
        let asked = json!({"id": 9_007_199_254_740_993_u64, "all": [{"of": 12_345_678_901_234_567_890_u64}], "least": -9_007_199_254_740_993_i64, "n": 3});
        // As a page gives it back, with another neighbour.
        let page =
            r#"{"id": 9007199254740992, "all": [{"of": 12345678901234567000}], "least": -9007199254740992, "n": 4}"#;
        let mut expected = asked.clone();
        expected["n"] = json!(4);
        assert_eq!(exact(serde_json::from_str(page).unwrap(), Some(&asked)), expected);
    }

    #[test]
    fn what_was_changed_and_what_could_be_either_stays_as_it_is() {
        let asked = json!({"id": 9_007_199_254_740_993_u64, "n": 0.5});
        let changed = json!({"id": 9_007_199_254_740_996_u64, "n": 1e300});
        assert_eq!(exact(changed.clone(), Some(&asked)), changed);
        assert_eq!(exact(changed.clone(), None), changed);
        let both = json!({"one": 9_007_199_254_740_992_u64, "other": 9_007_199_254_740_993_u64});
        let moved = json!({"third": 9_007_199_254_740_992_u64});
        assert_eq!(exact(moved.clone(), Some(&both)), moved, "it could be either");
        let rounded = json!({"one": 9_007_199_254_740_992_u64, "other": 9_007_199_254_740_992_u64});
        assert_eq!(exact(rounded, Some(&both)), both, "each at its place");
    }

    #[test]
    fn a_plan_keeps_the_long_numbers_that_nobody_touched_also_of_a_step_that_was_moved() {
        let mut known: Plan = serde_json::from_value(json!({
            "format": "assent.plan/1", "id": "plan-1", "version": 1, "sessionId": "session-1", "steps": [],
        }))
        .unwrap();
        known.extracted_context.insert("order".into(), json!({"id": 9_007_199_254_740_993_u64}));
        for (id, number) in [("a", 9_007_199_254_740_993_u64), ("b", 9_007_199_254_740_992)] {
            let mut step = Step::new(id.into(), "A step");
            step.input.context.insert("id".into(), json!(number));
            step.contracts.input = Some(json!({"properties": {"id": {"minimum": number}}}));
            known.steps.push(step);
        }
        let page = serde_json::to_string(&known).unwrap().replace("740993", "740992");
        let mut document: Plan = serde_json::from_str(&page).unwrap();
        document.steps.reverse();
        give_back(&mut document, &known);
        document.steps.reverse();
        assert_eq!(document, known);
    }
}
