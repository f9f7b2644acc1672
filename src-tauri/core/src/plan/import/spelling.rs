//! The seeds' names of fields: read as the format's, and told as the file has them.

use serde_json::{Map, Value, json};

use crate::contract::{Fault, PathPart};
use crate::plan::keys;

/// Names of fields, with the format's for them.
const RENAMED: [(&str, &str); 2] = [("priorityOrder", "route"), ("todoList", "steps")];

/// The seeds' names of fields as the format's, where those are not there too.
pub(super) fn respell(fields: &mut Map<String, Value>) {
    for (from, to) in RENAMED {
        if !fields.contains_key(to)
            && let Some(value) = fields.shift_remove(from)
        {
            fields.insert(to.to_owned(), value);
        }
    }
    instructions(fields);
    let steps = fields.get_mut("steps").and_then(Value::as_array_mut);
    for step in steps.into_iter().flatten().filter_map(Value::as_object_mut) {
        if let Some(id) = specialist(step) {
            let executor = json!({"kind": "specialist", "id": id});
            step.shift_remove("specialist");
            step.insert("executor".to_owned(), executor);
        }
    }
}

fn instructions(fields: &mut Map<String, Value>) {
    let mut spoken = Vec::new();
    fields.retain(|key, text| match keys::instructed(key) {
        Some(id) => {
            spoken.push((id, text.take()));
            false
        }
        None => true,
    });
    if spoken.is_empty() {
        return;
    }
    let said = fields.entry("instructions").or_insert_with(|| json!({}));
    if said.is_null() {
        *said = json!({});
    }
    // Where it is anything else, that is told of it.
    if let Value::Object(all) = said {
        for (id, text) in spoken.into_iter().filter(|(_, text)| !text.is_null()) {
            all.entry(id).or_insert(text);
        }
    }
}

/// The specialist of a step, where that is what says who carries it out.
fn specialist(step: &Map<String, Value>) -> Option<&str> {
    step.get("specialist").and_then(Value::as_str).filter(|_| !step.contains_key("executor"))
}

/// Faults of the plan of a text, each at the place under the names that its fields have in that text.
pub fn spelled_as_in(text: &str, mut faults: Vec<Fault>) -> Vec<Fault> {
    if let Ok(Value::Object(document)) = serde_json::from_str(text.trim_start_matches('\u{feff}')) {
        for fault in &mut faults {
            spell(&mut fault.path, &document);
        }
    }
    faults
}

fn spell(path: &mut Vec<PathPart>, document: &Map<String, Value>) {
    for (from, to) in RENAMED {
        if path.first() == Some(&to.into()) && !document.contains_key(to) && document.contains_key(from) {
            path[0] = from.into();
        }
    }
    match path.as_slice() {
        [PathPart::Key(field), PathPart::Key(id), ..] if field == "instructions" => {
            let says_so = document.get(field).is_some_and(|said| said.get(id).is_some());
            let mut spoken = document.iter().filter(|(_, text)| !text.is_null()).map(|(key, _)| key);
            let key = spoken.find(|key| !says_so && keys::instructed(key).as_ref() == Some(id));
            if let Some(key) = key {
                path.splice(..2, [key.as_str().into()]);
            }
        }
        [PathPart::Key(list), PathPart::Index(at), PathPart::Key(field), ..] if field == "executor" => {
            let step = document.get(list).and_then(|steps| steps.get(at)).and_then(Value::as_object);
            if step.is_some_and(|step| specialist(step).is_some()) {
                path.splice(2.., ["specialist".into()]);
            }
        }
        _ => {}
    }
}
