//! Whether arguments fit a tool's parameters.
//!
//! Small models write values that mean the right thing in the wrong type. What can be read without loss and without a
//! choice is read, and only where the value would not fit as it is: a number in quotes as a number, `"true"` as true,
//! `5.0` as 5, a number as text, one value as a list of it, a list or an object in quotes as what is in the quotes, one of
//! several options in other capitals as that option, and `null` for something optional as nothing.

use assent_core::contract::{
    AgentCall, Fault, InputRefused, Resolved, Schema, Stage, resolved_properties, validate_input,
};
use serde_json::{Map, Number, Value};

/// The arguments as the tool gets them: read, and with defaults filled in.
///
/// # Errors
/// Everything that does not fit, at once.
pub fn fit(parameters: &Schema, arguments: Value) -> Result<Value, Vec<Fault>> {
    let arguments = match arguments {
        Value::Null => Value::Object(Map::new()),
        Value::String(text) => unquoted(&text, Value::is_object).unwrap_or(Value::String(text)),
        other => other,
    };
    let read = match arguments {
        Value::Object(fields) => Value::Object(read_fields(parameters, fields)),
        other => other,
    };
    let filled = parameters.with_defaults(read);
    let faults = parameters.check(&filled, Stage::ToolArguments);
    if faults.is_empty() { Ok(filled) } else { Err(faults) }
}

/// Several faults of a call as one: a model mends them all in its next call.
pub fn joined(faults: Vec<Fault>) -> Fault {
    Fault::joined(faults).unwrap_or_else(|| Fault::new(Stage::ToolArguments, "the call does not fit"))
}

/// A context as an agent gets it: with the defaults of its contract, and read as it was meant where its types are the only
/// fault. Beside it what its caller is told where it does not fit all the same.
fn fit_context(contract: &Schema, context: Map<String, Value>) -> (Map<String, Value>, Option<InputRefused>) {
    let context = filled(contract, context);
    let Some(refused) = validate_input(contract, Some(&context)) else { return (context, None) };
    let read = filled(contract, read_fields(contract, context.clone()));
    match validate_input(contract, Some(&read)) {
        None => (read, None),
        Some(_) => (context, Some(refused)),
    }
}

/// A call as its agent gets it, or what its caller is told where it does not begin.
///
/// # Errors
/// It lacks its task, or its context does not fit the contract.
pub fn fit_call(contract: Option<&Schema>, mut call: AgentCall) -> Result<AgentCall, Box<InputRefused>> {
    let mut refused = None;
    if let Some(contract) = contract {
        (call.context, refused) = fit_context(contract, call.context);
    }
    call.refused(contract, refused).map_or(Ok(call), |refused| Err(Box::new(refused)))
}

/// A context with the defaults of its contract.
fn filled(contract: &Schema, context: Map<String, Value>) -> Map<String, Value> {
    match contract.with_defaults(Value::Object(context)) {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}

/// The fields of an object as they were meant.
fn read_fields(parameters: &Schema, fields: Map<String, Value>) -> Map<String, Value> {
    let properties = resolved_properties(parameters.source());
    let required = parameters.required();
    let mut read = Map::new();
    for (name, value) in fields {
        let property = properties.get(&name);
        if value.is_null() && property.is_some_and(|property| !takes_null(property)) && !required.contains(&name) {
            continue;
        }
        let value = property.map_or_else(|| value.clone(), |property| as_meant(property, &value));
        read.insert(name, value);
    }
    read
}

/// A value as the one type that its schema names, or the one of its options.
fn as_meant(property: &Resolved<'_>, value: &Value) -> Value {
    if let Some(option) = option_meant(property, value) {
        return option.clone();
    }
    let kinds = property.kinds();
    let Some([wanted]) = kinds.as_deref() else {
        return value.clone();
    };
    let read = match (*wanted, value) {
        ("integer", Value::String(text)) => text.trim().parse::<i64>().ok().map(Value::from),
        ("integer", Value::Number(number)) => whole(number),
        ("number", Value::String(text)) => text.trim().parse::<Number>().ok().map(Value::Number),
        ("boolean", Value::String(text)) if text.eq_ignore_ascii_case("true") => Some(Value::Bool(true)),
        ("boolean", Value::String(text)) if text.eq_ignore_ascii_case("false") => Some(Value::Bool(false)),
        ("string", Value::Number(_) | Value::Bool(_)) => Some(Value::String(value.to_string())),
        ("object", Value::String(text)) => unquoted(text, Value::is_object),
        ("array", Value::String(text)) => {
            Some(unquoted(text, Value::is_array).unwrap_or_else(|| Value::Array(vec![value.clone()])))
        }
        ("array", Value::Number(_) | Value::Bool(_) | Value::Object(_)) => Some(Value::Array(vec![value.clone()])),
        _ => None,
    };
    read.unwrap_or_else(|| value.clone())
}

/// The one option that a text is but for capitals and the space around it.
fn option_meant<'p>(property: &Resolved<'p>, value: &Value) -> Option<&'p Value> {
    let (options, text) = (property.first("enum")?.as_array()?, value.as_str()?);
    let wanted = text.trim().to_lowercase();
    let is_it = |option: &&Value| option.as_str().is_some_and(|option| option.to_lowercase() == wanted);
    let mut alike = options.iter().filter(is_it);
    let only = alike.next()?;
    (alike.next().is_none() && !options.contains(value)).then_some(only)
}

fn whole(number: &Number) -> Option<Value> {
    // Beyond 2^53 a number with a fraction no longer tells neighbours apart, so reading it would not be free of loss.
    let value = number.as_f64().filter(|_| number.is_f64())?;
    (value.fract() == 0.0 && value.abs() < 9_007_199_254_740_992.0).then(|| Value::from(value as i64))
}

fn unquoted(text: &str, wanted: impl Fn(&Value) -> bool) -> Option<Value> {
    serde_json::from_str(text).ok().filter(wanted)
}

fn takes_null(property: &Resolved<'_>) -> bool {
    property.kinds().is_none_or(|kinds| kinds.contains(&"null"))
}

#[cfg(test)]
mod tests {
    use assent_core::contract::{Fault, Schema, Stage};
    use serde_json::{Value, json};

    use super::{fit, joined};

    fn parameters() -> Schema {
        Schema::compile(json!({
            "type": "object",
            "properties": {
                "path": {"type": "string"},
                "depth": {"type": "integer", "minimum": 1, "default": 3},
                "ratio": {"type": "number"},
                "all": {"type": "boolean", "default": false},
                "names": {"type": "array", "items": {"type": "string"}},
                "more": {"type": "object"},
                "unit": {"enum": ["EUR", "USD", "m", "M"]},
                "empty": {"type": ["string", "null"]}
            },
            "required": ["path"],
            "additionalProperties": false
        }))
        .unwrap()
    }

    #[test]
    fn what_is_meant_is_read_where_nothing_is_lost() {
        for (given, read) in [
            (json!({"path": "a"}), json!({"path": "a", "depth": 3, "all": false})),
            (json!(r#"{"path": "a"}"#), json!({"path": "a", "depth": 3, "all": false})),
            (json!({"path": 5, "depth": "7", "all": "True"}), json!({"path": "5", "depth": 7, "all": true})),
            (json!({"path": "a", "unit": " eur"}), json!({"path": "a", "unit": "EUR", "depth": 3, "all": false})),
            (json!({"path": "a", "unit": "m"}), json!({"path": "a", "unit": "m", "depth": 3, "all": false})),
            (json!({"path": "5", "depth": 7.0, "all": false}), json!({"path": "5", "depth": 7, "all": false})),
            (
                json!({"path": "a", "depth": 1, "all": true, "ratio": "0.5", "names": "x", "more": "{\"k\":1}"}),
                json!({"path": "a", "depth": 1, "all": true, "ratio": 0.5, "names": ["x"], "more": {"k": 1}}),
            ),
            (
                json!({"path": "a", "depth": null, "all": true, "names": "[\"x\",\"y\"]", "empty": null}),
                json!({"path": "a", "all": true, "names": ["x", "y"], "empty": null, "depth": 3}),
            ),
        ] {
            assert_eq!(fit(&parameters(), given.clone()), Ok(read), "{given}");
        }
    }

    #[test]
    fn what_would_be_a_guess_is_a_fault_and_all_faults_come_at_once() {
        let places = |given: Value| {
            let faults = fit(&parameters(), given).unwrap_err();
            let mut places: Vec<String> = faults.iter().map(Fault::place).collect();
            places.sort();
            assert!(faults.iter().all(|fault| fault.stage == Stage::ToolArguments && !fault.hint.is_empty()));
            places
        };
        assert_eq!(places(json!({"path": "a", "depth": "seven", "all": "yes"})), ["all", "depth"]);
        assert_eq!(places(json!({"path": "a", "depth": 1.5})), ["depth"]);
        assert_eq!(places(json!({"path": "a", "depth": 0, "ratio": "x", "more": "text"})), ["depth", "more", "ratio"]);
        assert_eq!(places(json!({"path": null})), ["path"]);
        // Two options are meant by it, or none.
        assert_eq!(places(json!({"path": "a", "unit": " M"})), ["unit"]);
        assert_eq!(places(json!({"path": "a", "unit": "euro"})), ["unit"]);
        assert_eq!(places(json!({"unknown": 1})), ["", ""]);
        assert_eq!(places(json!([1])), [""]);
    }

    #[test]
    fn what_is_meant_is_read_where_the_schema_refers_to_its_parameters() {
        let whole = parameters().source().clone();
        let referring = Schema::compile(json!({"$ref": "#/$defs/in", "$defs": {"in": whole}})).unwrap();
        let given = json!({"path": 5, "depth": "7", "unit": " eur", "more": null});
        assert_eq!(fit(&referring, given.clone()), fit(&parameters(), given));
    }

    #[test]
    fn what_is_meant_is_read_where_a_parameter_refers_to_what_it_is() {
        let referring = Schema::compile(json!({
            "type": "object",
            "properties": {
                "depth": {"$ref": "#/$defs/count", "description": "How deep."},
                "ratio": {"allOf": [{"$ref": "#/$defs/number"}, {"minimum": 0}]},
                "unit": {"$ref": "#/$defs/unit"},
                "one_of_two": {"type": ["integer", "null"], "allOf": [{"$ref": "#/$defs/number"}]},
                "nowhere": {"$ref": "#/$defs/any"}
            },
            "$defs": {
                "count": {"$ref": "#/$defs/whole", "minimum": 1},
                "whole": {"type": "integer"},
                "number": {"type": "number"},
                "unit": {"enum": ["EUR", "USD"]},
                "any": {}
            }
        }))
        .unwrap();
        let given = json!({"depth": "5", "ratio": "0.5", "unit": " eur", "one_of_two": "3", "nowhere": "4"});
        let read = json!({"depth": 5, "ratio": 0.5, "unit": "EUR", "one_of_two": 3, "nowhere": "4"});
        assert_eq!(fit(&referring, given), Ok(read));
        assert_eq!(fit(&referring, json!({"depth": null, "ratio": null})), Ok(json!({})));
        let places: Vec<String> =
            fit(&referring, json!({"depth": "x"})).unwrap_err().iter().map(Fault::place).collect();
        assert_eq!(places, ["depth"]);
    }

    #[test]
    fn a_flood_of_faults_is_told_in_part() {
        let names: Vec<Value> = (0..5_000).map(|_| json!({"no": "text"})).collect();
        let fault = joined(fit(&parameters(), json!({"path": "a", "names": names})).unwrap_err());
        assert!(fault.message.ends_with("; and 989 more") && fault.message.len() < 8_000, "{}", fault.message.len());
    }

    #[test]
    fn a_missing_argument_is_named() {
        let faults = fit(&parameters(), json!({"depth": 2})).unwrap_err();
        assert_eq!((&faults[0].missing, &faults[0].provided), (&vec!["path".to_owned()], &vec!["depth".to_owned()]));
    }
}
