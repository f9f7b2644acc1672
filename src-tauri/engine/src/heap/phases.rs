//! What an agent's file settles of its work, so that no model has to: phases, each a call of one of its tools with values
//! that are known, and what of its result stands in what they gave.
//!
//! A place says where a value is: `NAME.KEY.0`, where `*` stands for each item of a list. `NAME` is a value of the agent's
//! context, `task`, a tool that it has called, or an agent of the run.

use assent_core::contract::{Resolved, properties_of};
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Phases of an agent, and places in one list.
const MOST_PHASES: usize = 20;
const MOST_PLACES: usize = 10;

/// The annotation of JSON Schema for what is not the writer's to say: it is added to what an agent says.
const ADDED: &str = "readOnly";

/// Where a contract keeps what its parts refer to.
const SHARED: [&str; 2] = ["$defs", "definitions"];

/// One call that an agent begins with, in its turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Phase {
    /// The tool.
    pub call: String,
    /// What an agent is to do that is called; the caller's own task where nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// Where each argument is.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub with: IndexMap<String, Places>,
}

/// What an agent's result is made of where its last words lack it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ResultParts {
    /// The field that its last words are, where they are no object. Without it they are not asked for; where that field has
    /// a place as well, a small model is not asked for them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub says: Option<String>,
    /// Where each other field is.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub from: IndexMap<String, Places>,
}

/// Where a value is; several places are one list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Places {
    /// The value itself.
    One(String),
    /// The items of all.
    Several(Vec<String>),
}

impl ResultParts {
    /// Whether nothing is said.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl Places {
    fn all(&self) -> &[String] {
        match self {
            Self::One(place) => std::slice::from_ref(place),
            Self::Several(places) => places,
        }
    }

    /// What is there, where `root` says what a name stands for; `None` where anything is missing.
    pub fn value(&self, mut root: impl FnMut(&str) -> Option<Value>) -> Option<Value> {
        let mut found = |place: &str| {
            let mut parts = place.split('.');
            let root = root(parts.next()?)?;
            below(&root, &parts.collect::<Vec<_>>())
        };
        let Self::Several(places) = self else {
            let Self::One(place) = self else { return None };
            return found(place);
        };
        let mut items = Vec::new();
        for place in places {
            match found(place)? {
                Value::Array(more) => items.extend(more),
                one => items.push(one),
            }
        }
        Some(Value::Array(items))
    }
}

fn below(value: &Value, parts: &[&str]) -> Option<Value> {
    let Some((part, rest)) = parts.split_first() else { return Some(value.clone()) };
    match (value, *part) {
        (Value::Array(items), "*") => {
            // What some items have not is of no use; a list of lists is one.
            let found = items.iter().filter_map(|item| below(item, rest));
            let flat = found.flat_map(|one| match one {
                Value::Array(items) if rest.contains(&"*") => items,
                one => vec![one],
            });
            Some(Value::Array(flat.collect()))
        }
        (Value::Array(items), index) => below(items.get(index.parse::<usize>().ok()?)?, rest),
        (Value::Object(fields), key) => below(fields.get(key)?, rest),
        _ => None,
    }
}

/// An output contract with a mark at what is added to the agent's last words.
pub(super) fn marked(mut contract: Value, result: &ResultParts) -> Value {
    let known: Vec<String> = properties_of(&contract).into_iter().map(|(name, _)| name.clone()).collect();
    let added = result.from.keys().filter(|name| result.says.as_ref() != Some(*name) && known.contains(name));
    let Some(fields) = contract.as_object_mut() else { return contract };
    for name in added {
        // Where the contract refers to what it is, the mark stands beside that.
        let properties = fields.entry("properties").or_insert_with(|| Value::Object(Map::new()));
        let property =
            properties.as_object_mut().map(|all| all.entry(name).or_insert_with(|| Value::Object(Map::new())));
        if let Some(property) = property.and_then(Value::as_object_mut) {
            property.insert(ADDED.to_owned(), Value::Bool(true));
        }
    }
    contract
}

/// What of an output contract the model itself is to write.
pub(crate) fn left_to_say(contract: &Value) -> Value {
    let is_added = |property: &Value| property.get(ADDED).and_then(Value::as_bool).unwrap_or_default();
    let whole = Resolved::of(contract, &[contract]);
    let properties = whole.all("properties").filter_map(Value::as_object).flatten();
    let added: Vec<&String> = properties.filter(|(_, property)| is_added(property)).map(|(name, _)| name).collect();
    if added.is_empty() {
        return contract.clone();
    }
    let (mut parts, mut shared) = (whole.parts.iter().map(|part| without(part, &added)), Map::new());
    for (key, held) in contract.as_object().into_iter().flatten() {
        if SHARED.contains(&key.as_str()) {
            shared.insert(key.clone(), held.clone());
        }
    }
    let mut left = match whole.parts.len() {
        0 | 1 => parts.next().unwrap_or_default(),
        // What the contract refers to may be referred to by others: it is said here in its own words.
        _ => Map::from_iter([("allOf".to_owned(), parts.map(Value::Object).collect())]),
    };
    if Value::Object(left.clone()).to_string().contains("\"$ref\"") {
        left.extend(shared);
    }
    let left = Value::Object(left);
    // What refers to a place that is gone is asked for as it is.
    if whole.is_whole && refers_within(&left, &left) { left } else { contract.clone() }
}

/// Whether all references below lead to a place in the whole.
fn refers_within(whole: &Value, below: &Value) -> bool {
    match below {
        Value::Array(items) => items.iter().all(|item| refers_within(whole, item)),
        Value::Object(fields) => {
            let refers = fields.get("$ref").is_some_and(Value::is_string);
            (!refers || Resolved::of(whole, &[below]).is_whole)
                && fields.values().all(|held| refers_within(whole, held))
        }
        _ => true,
    }
}

/// A part of a contract without fields, and without what it is put together of.
fn without(part: &Value, fields: &[&String]) -> Map<String, Value> {
    let mut left = part.as_object().cloned().unwrap_or_default();
    left.retain(|key, _| key != "$ref" && key != "allOf" && !SHARED.contains(&key.as_str()));
    if let Some(properties) = left.get_mut("properties").and_then(Value::as_object_mut) {
        properties.retain(|name, _| !fields.contains(&name));
    }
    if let Some(required) = left.get_mut("required").and_then(Value::as_array_mut) {
        required.retain(|name| name.as_str().is_none_or(|name| !fields.iter().any(|one| *one == name)));
    }
    left
}

/// Why phases and a result cannot be those of an agent with these tools.
///
/// # Errors
/// What is wrong, in a sentence.
pub(super) fn check(
    phases: &[Phase],
    result: &ResultParts,
    tools: &[String],
    output: Option<&[&str]>,
) -> Result<(), String> {
    if phases.len() > MOST_PHASES {
        return Err(format!("it has {} phases, at most {MOST_PHASES}", phases.len()));
    }
    for (at, phase) in phases.iter().enumerate() {
        if !tools.contains(&phase.call) {
            return Err(format!("phase {} calls {:?}, which is none of its tools", at + 1, phase.call));
        }
        if phases[..at].iter().any(|earlier| earlier.call == phase.call) {
            return Err(format!("phase {} calls {:?} once more; each is called in one phase", at + 1, phase.call));
        }
    }
    let places = phases.iter().flat_map(|phase| &phase.with).chain(&result.from);
    for (name, places) in places {
        let all = places.all();
        let is_place = |place: &String| !place.is_empty() && place.split('.').all(|part| !part.trim().is_empty());
        if all.is_empty() || all.len() > MOST_PLACES || !all.iter().all(is_place) {
            return Err(format!("{name:?} is taken from no place: that is NAME, NAME.KEY, NAME.0 or NAME.*.KEY"));
        }
    }
    let fields = result.says.iter().chain(result.from.keys());
    for field in fields {
        match output.map(|properties| properties.contains(&field.as_str())) {
            Some(true) => {}
            Some(false) => return Err(format!("its result has {field:?}, which its output contract does not know")),
            None => return Err("its result is made of parts, and it has no output contract".to_owned()),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use assent_core::contract::Schema;
    use serde_json::json;

    use super::{Phase, Places, ResultParts, check, left_to_say, marked};

    fn one(place: &str) -> Places {
        Places::One(place.to_owned())
    }

    #[test]
    fn a_place_leads_into_objects_lists_and_all_items_of_a_list() {
        let known = json!({"lists": [{"url": "a", "items": ["x", "y"]}, {"items": ["z"]}, {"url": "b"}], "n": 3});
        let found = |place: &Places| place.value(|name| (name == "discover").then(|| known.clone()));
        for (place, value) in [
            (one("discover.n"), Some(json!(3))),
            (one("discover.lists.0.url"), Some(json!("a"))),
            (one("discover.lists.*.url"), Some(json!(["a", "b"]))),
            (one("discover.lists.*.items.*"), Some(json!(["x", "y", "z"]))),
            (one("discover.lists.9"), None),
            (one("discover.n.*"), None),
            (one("nobody"), None),
            (Places::Several(vec!["discover.n".into(), "discover.lists.*.url".into()]), Some(json!([3, "a", "b"]))),
            (Places::Several(vec!["discover.n".into(), "nobody".into()]), None),
        ] {
            assert_eq!(found(&place), value, "{place:?}");
        }
    }

    #[test]
    fn a_model_is_asked_for_what_no_call_gives() {
        let contract = json!({
            "type": "object", "required": ["said", "lists"], "additionalProperties": false,
            "properties": {"said": {"type": "string"}, "lists": {"$ref": "#/$defs/lists"}},
            "$defs": {"lists": {"type": "array"}}
        });
        let of = |names: [&str; 2]| names.map(|name| (name.to_owned(), one("discover.lists"))).into_iter().collect();
        let result = ResultParts { says: Some("said".to_owned()), from: of(["said", "lists"]) };
        let left = json!({
            "type": "object", "required": ["said"], "additionalProperties": false,
            "properties": {"said": {"type": "string"}}
        });
        assert_eq!(left_to_say(&marked(contract.clone(), &result)), left);
        assert_eq!(left_to_say(&marked(contract.clone(), &ResultParts::default())), contract);
    }

    #[test]
    fn what_a_contract_refers_to_is_marked_and_left_out_as_well() {
        let referring = json!({"$ref": "#/$defs/out", "$defs": {
            "out": {"type": "object", "required": ["said", "lists"], "allOf": [{"$ref": "#/$defs/more"}],
                "properties": {"said": {"type": "string"}, "lists": {"type": "array"}}},
            "more": {"properties": {"lists": {"minItems": 1}, "rest": {"$ref": "#/$defs/text"}}, "required": ["lists"]},
            "text": {"type": "string"}}});
        let from = [("lists".to_owned(), one("discover.lists"))].into_iter().collect();
        let marked = marked(referring.clone(), &ResultParts { says: None, from });
        assert_eq!(marked["properties"], json!({"lists": {"readOnly": true}}));
        let left = Schema::compile(left_to_say(&marked)).unwrap();
        assert!(left.is_valid(&json!({"said": "x"})) && !left.is_valid(&json!({})));
        assert!(!left.is_valid(&json!({"said": "x", "rest": 1})), "{left:?}");
        assert_eq!(left.required(), ["said"]);

        // A reference to what is left out stays with all of it.
        let bound = json!({"properties": {"lists": {"type": "array", "readOnly": true}, "more": {"$ref": "#/properties/lists"}}});
        assert_eq!(left_to_say(&bound), bound);
    }

    #[test]
    fn phases_that_no_agent_can_have_are_told() {
        let phase = |call: &str| Phase { call: call.to_owned(), task: None, with: Default::default() };
        let tools = ["a".to_owned(), "b".to_owned()];
        let told = |phases: &[Phase], result: &ResultParts| check(phases, result, &tools, None).unwrap_err();
        let empty = ResultParts::default();
        assert_eq!(check(&[phase("a"), phase("b")], &empty, &tools, None), Ok(()));
        assert!(told(&[phase("c")], &empty).contains("phase 1 calls \"c\", which is none of its tools"));
        assert!(told(&[phase("a"), phase("a")], &empty).contains("once more"));
        let with = Phase { with: [("x".to_owned(), one("a..b"))].into_iter().collect(), ..phase("a") };
        assert!(told(&[with], &empty).contains("\"x\" is taken from no place"));
        let says = ResultParts { says: Some("summary".to_owned()), ..ResultParts::default() };
        assert!(told(&[], &says).contains("no output contract"));
        assert!(check(&[], &says, &tools, Some(&["text"])).unwrap_err().contains("does not know"));
        assert_eq!(check(&[], &says, &tools, Some(&["summary"])), Ok(()));
    }
}
