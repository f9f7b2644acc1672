//! What goes into an agent: taken apart, checked against its contract, and what its caller is told where it does not fit.
//!
//! A caller puts the values of a contract beside the task, or into `context`. Both end up in one context, which alone is
//! checked. Nothing that the caller gave is changed, and no message quotes a value, which may be a secret.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::refs::Document;
use super::top::{in_ways, named, out_of_sight, properties_of, required_of, top};
use super::{Fault, PathPart, Schema, Stage};
use crate::order::sort_by_key;

/// Names of a call that are not values of the context.
pub const RESERVED: [&str; 5] = [TASK, "run_identifier", "expected_outputs", CONTEXT, "output_contract_schema"];

/// The argument of an agent's call that is no value of its context.
pub const TASK: &str = "task";
const CONTEXT: &str = "context";

const OF_NO_OBJECT: &str = "an input contract is the schema of an object";

/// Faults that are told in words, and characters of each.
const MOST_TOLD: usize = 10;
const MOST_CHARS: usize = 400;

/// A call of an agent, taken apart.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AgentCall {
    /// What it is to do, unchanged; `None` where no text was given, or one that says nothing.
    pub task: Option<String>,
    /// The explicit context with all values beside it, which win.
    pub context: Map<String, Value>,
    /// What was given for the explicit context, where that is neither an object nor the text of one.
    pub odd_context: Option<&'static str>,
}

/// What the caller of an agent is told whose input does not fit: these fields, in this order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct InputRefused {
    /// Always false.
    pub success: bool,
    /// What happened.
    pub error: String,
    /// What is wrong: the first fault, then the others, each with its place.
    pub validation_message: String,
    /// Where the first fault is.
    pub path: Vec<PathPart>,
    /// What the contract requires.
    pub required_fields: Vec<String>,
    /// What of that is not there.
    pub missing_fields: Vec<String>,
    /// What is there.
    pub provided_fields: Vec<String>,
    /// What to do.
    pub hint: String,
}

impl AgentCall {
    /// The arguments of a call as they were meant: a context in quotes, as small models write it, is the object in them.
    pub fn as_meant(mut arguments: Map<String, Value>) -> Map<String, Value> {
        if let Some(Value::String(text)) = arguments.get(CONTEXT)
            && let Some(Value::Object(fields)) = quoted(text)
        {
            arguments.insert(CONTEXT.to_owned(), Value::Object(fields));
        }
        arguments
    }

    /// Takes the arguments of a call apart. A context that is no object is left out, and told by [`Self::refused`].
    pub fn of(arguments: &Map<String, Value>) -> Self {
        let (mut context, odd_context) = match explicit(arguments.get(CONTEXT)) {
            Ok(context) => (context, None),
            Err(odd) => (Map::new(), Some(odd)),
        };
        let is_value = |(name, _): &(&String, &Value)| !RESERVED.contains(&name.as_str());
        context.extend(arguments.iter().filter(is_value).map(|(name, value)| (name.clone(), value.clone())));
        context.retain(|name, _| !RESERVED.contains(&name.as_str()));
        let task = arguments.get(TASK).and_then(Value::as_str).filter(|task| !task.trim().is_empty());
        Self { task: task.map(str::to_owned), context, odd_context }
    }

    /// Why a call does not begin: what is wrong with its task and with the form of its context, before what its contract
    /// has refused. All of it is told at once.
    pub fn refused(&self, contract: Option<&Schema>, by_contract: Option<InputRefused>) -> Option<InputRefused> {
        if self.task.is_some() && self.odd_context.is_none() {
            return by_contract;
        }
        let mut refused = by_contract.unwrap_or_else(|| InputRefused {
            required_fields: contract.map(Schema::required).unwrap_or_default(),
            provided_fields: self.context.keys().cloned().collect(),
            ..InputRefused::new()
        });
        let mut hints = vec![std::mem::take(&mut refused.hint)];
        let mut messages = vec![std::mem::take(&mut refused.validation_message)];
        if self.task.is_none() {
            if !refused.missing_fields.is_empty() {
                hints.clear();
            }
            refused.required_fields.insert(0, TASK.to_owned());
            refused.missing_fields.insert(0, TASK.to_owned());
            refused.path.clear();
            hints.insert(0, provide(&refused.missing_fields));
            messages.insert(0, format!("'{TASK}' is a required property"));
        }
        if let Some(odd) = self.odd_context {
            refused.path = vec![CONTEXT.into()];
            hints.insert(
                0,
                format!("{CONTEXT}: Give an object with the values, or leave it out and put them beside {TASK}."),
            );
            messages.insert(0, format!("{CONTEXT}: it is {odd} and no object"));
        }
        let told =
            |parts: Vec<String>| parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("; ");
        (refused.hint, refused.validation_message) = (told(hints), told(messages));
        Some(refused)
    }
}

impl InputRefused {
    fn new() -> Self {
        Self {
            success: false,
            error: "Input contract validation failed".to_owned(),
            validation_message: String::new(),
            path: Vec::new(),
            required_fields: Vec::new(),
            missing_fields: Vec::new(),
            provided_fields: Vec::new(),
            hint: String::new(),
        }
    }
}

/// The explicit context of a call.
///
/// # Errors
/// What it is, where it is neither an object, nor the text of one, nor nothing.
fn explicit(given: Option<&Value>) -> Result<Map<String, Value>, &'static str> {
    match given {
        None | Some(Value::Null) => Ok(Map::new()),
        Some(Value::Object(fields)) => Ok(fields.clone()),
        Some(Value::String(text)) => match quoted(text) {
            Some(Value::Object(fields)) => Ok(fields),
            Some(Value::Null) => Ok(Map::new()),
            _ => Err("a text"),
        },
        Some(Value::Array(_)) => Err("a list"),
        Some(Value::Number(_)) => Err("a number"),
        Some(Value::Bool(_)) => Err("true or false"),
    }
}

/// What stands in quotes; where nothing does, nothing.
fn quoted(text: &str) -> Option<Value> {
    if text.trim().is_empty() { Some(Value::Null) } else { serde_json::from_str(text).ok() }
}

/// What a caller is told to give.
fn provide(missing: &[String]) -> String {
    format!("Please provide all required fields: {}", missing.join(", "))
}

/// Checks a context against the contract of an agent; no context is an empty one.
pub fn validate_input(contract: &Schema, context: Option<&Map<String, Value>>) -> Option<InputRefused> {
    let empty = Map::new();
    let context = context.unwrap_or(&empty);
    let instance = Value::Object(context.clone());
    let mut faults = contract.check(&instance, Stage::InputContract);
    let is_missing = |fault: &Fault| fault.path.is_empty() && !fault.missing.is_empty();
    sort_by_key(&mut faults, |fault| !is_missing(fault));
    let first = faults.first()?;
    let required = contract.required();
    let missing: Vec<String> = required.iter().filter(|name| !context.contains_key(*name)).cloned().collect();
    let hint = match missing.is_empty() {
        false => provide(&missing),
        true => told(&faults, |fault| if fault.hint.is_empty() { "Correct this value." } else { &fault.hint }, true),
    };
    Some(InputRefused {
        validation_message: told(&faults, |fault| &fault.message, false),
        path: first.path.clone(),
        required_fields: required,
        missing_fields: missing,
        provided_fields: context.keys().cloned().collect(),
        hint,
        ..InputRefused::new()
    })
}

/// The parameters of an agent's tool: the task, and beside it the values of its contract.
pub fn agent_parameters(contract: Option<&Value>) -> Value {
    let mut properties = Map::new();
    properties
        .insert(TASK.to_owned(), json!({"type": "string", "description": "What the agent is to do, in a sentence."}));
    let mut required = vec![json!(TASK)];
    let mut parameters = Map::from_iter([("type".to_owned(), json!("object"))]);
    if let Some(contract) = contract {
        let contract = &apart(contract);
        for (name, property) in named(contract) {
            let value = match properties.get(name) {
                Some(other) if other != property => json!({"allOf": [other, property]}),
                _ => property.clone(),
            };
            properties.insert(name.clone(), value);
        }
        for (name, said) in in_ways(contract) {
            let value = if let [only] = said.as_slice() { (*only).clone() } else { json!({"anyOf": said}) };
            properties.insert(name.clone(), value);
        }
        required.extend(required_of(contract).into_iter().map(Value::String));
        // What the values refer to stands where it stood.
        let shared = ["$defs", "definitions"].into_iter();
        parameters.extend(shared.filter_map(|key| Some((key.to_owned(), contract.get(key)?.clone()))));
    } else {
        let any = "Values that the agent needs for it.";
        properties.insert(CONTEXT.to_owned(), json!({"type": "object", "description": any}));
    }
    parameters.insert("properties".to_owned(), Value::Object(properties));
    parameters.insert("required".to_owned(), Value::Array(required));
    let mut parameters = Value::Object(parameters);
    without_examples(&mut parameters);
    parameters
}

/// Leaves out of a schema the examples that it gives beside what it says. They are for people: a model pays for them in each
/// request, and what a value is like its description says.
fn without_examples(schema: &mut Value) {
    let Some(fields) = schema.as_object_mut() else { return };
    if fields.get("examples").is_some_and(Value::is_array) {
        fields.shift_remove("examples");
    }
    for (key, held) in fields {
        match (key.as_str(), held) {
            (
                "properties" | "patternProperties" | "$defs" | "definitions" | "dependentSchemas",
                Value::Object(named),
            ) => {
                named.values_mut().for_each(without_examples);
            }
            ("prefixItems" | "anyOf" | "oneOf" | "allOf", Value::Array(several)) => {
                several.iter_mut().for_each(without_examples);
            }
            ("items" | "contains" | "additionalProperties" | "not" | "if" | "then" | "else", one) => {
                without_examples(one)
            }
            _ => {}
        }
    }
}

/// A contract whose values can be read apart from it: what they refer to goes along in `$defs`. Where names decide at each
/// check what is referred to, only what each value is for.
fn apart(contract: &Value) -> Value {
    const ALONG: [&str; 3] = ["#/$defs/", "#/definitions/", "#/properties/"];
    // A value that is named twice is put together of both, and is no longer what stood at its place.
    let along = if named(contract).len() > properties_of(contract).len() { &ALONG[..2] } else { &ALONG[..] };
    let Ok(document) = Document::of(contract) else { return contract.clone() };
    let Ok(graph) = document.graph() else { return contract.clone() };
    if document.has_names(&graph) {
        let told = |property: &Value| {
            let mut property = property.clone();
            if let Some(fields) = property.as_object_mut() {
                fields.retain(|key, _| ["type", "title", "description"].contains(&key.as_str()));
            }
            property
        };
        let properties = properties_of(contract).into_iter().map(|(name, property)| (name.clone(), told(property)));
        let properties: Map<String, Value> = properties.collect();
        return json!({"properties": properties, "required": required_of(contract)});
    }
    if document.written(&graph).all(|to| along.iter().any(|place| to.starts_with(place)) || !to.starts_with('#')) {
        return contract.clone();
    }
    let mut moved = document.moved(&graph, "/$defs/contract");
    let whole = moved.clone();
    moved["$defs"] = json!({"contract": whole});
    moved
}

/// Why a contract cannot be that of an agent's input: it is about no object, names what is no value of a context, or its
/// values are not to be seen at its top.
///
/// # Errors
/// What is wrong, in a sentence.
pub fn fits_an_agent(contract: &Value) -> Result<(), String> {
    match contract.get("type") {
        None => {}
        Some(Value::String(kind)) if kind == "object" => {}
        Some(_) => return Err(OF_NO_OBJECT.to_owned()),
    }
    let takes_objects = |part: &Value| match part.get("type") {
        Some(Value::String(kind)) => kind == "object",
        Some(Value::Array(kinds)) => kinds.iter().any(|kind| kind == "object"),
        _ => true,
    };
    if !top(contract).into_iter().all(takes_objects) {
        return Err(OF_NO_OBJECT.to_owned());
    }
    if let Some(why) = out_of_sight(contract) {
        return Err(why);
    }
    let required = required_of(contract);
    let named = properties_of(contract).into_iter().map(|(name, _)| name);
    let mut names = named.chain(in_ways(contract).into_keys()).chain(&required);
    match names.find(|name| RESERVED.contains(&name.as_str())) {
        Some(name) => Err(format!("{name:?} is no value of a context; {} are reserved", RESERVED.join(", "))),
        None => Ok(()),
    }
}

/// What faults say, each with its place; the first alone as its validator says it where `places` is false.
fn told<'f>(faults: &'f [Fault], say: impl Fn(&'f Fault) -> &'f str, places: bool) -> String {
    let sentence = |(at, fault): (usize, &'f Fault)| {
        let (place, said) = (fault.place(), say(fault));
        let text = if place.is_empty() || (at == 0 && !places) { said.to_owned() } else { format!("{place}: {said}") };
        match text.char_indices().nth(MOST_CHARS) {
            Some((end, _)) => format!("{}…", &text[..end]),
            None => text,
        }
    };
    let mut sentences: Vec<String> = faults.iter().take(MOST_TOLD).enumerate().map(sentence).collect();
    if let Some(more) = faults.len().checked_sub(MOST_TOLD).filter(|more| *more > 0) {
        sentences.push(format!("and {more} more"));
    }
    sentences.join("; ")
}

#[cfg(test)]
mod tests;
