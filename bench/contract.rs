//! What checking a contract costs.
//!
//! `cargo run --release -p assent-core --example bench-contract`: an object of 100 kB against a schema of 200 fields,
//! compiled once: one that holds, and one with a fault in every tenth field. Medians in milliseconds, as one JSON object.

use std::hint::black_box;
use std::io::Write as _;
use std::time::Instant;

use assent_core::contract::{Schema, validate_input};
use serde_json::{Map, Value, json};

const FIELDS: usize = 200;
const BYTES: usize = 100_000;
const RUNS: usize = 101;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let source = schema();
    let compiled = median(|| {
        black_box(Schema::compile_foreign(black_box(source.clone())).is_ok());
    });
    let schema = Schema::compile_foreign(source)?;
    let good = object(|_| true);
    let bad = object(|at| at % 10 != 0);
    let bytes = json!(good).to_string().len();
    assert!(bytes >= BYTES, "{bytes}");
    assert!(validate_input(&schema, Some(&good)).is_none());
    let faulty = validate_input(&schema, Some(&bad)).map(|refused| refused.hint.len());
    assert!(faulty.is_some());
    let holds = median(|| {
        black_box(validate_input(&schema, Some(black_box(&good))));
    });
    let told = median(|| {
        black_box(validate_input(&schema, Some(black_box(&bad))));
    });
    let figures = json!({
        "fields": FIELDS, "bytes": bytes, "compileMs": compiled, "holdsMs": holds, "toldMs": told,
    });
    writeln!(std::io::stdout(), "{figures}")?;
    Ok(())
}

/// Of every kind of field as many: texts with a pattern, numbers with bounds, lists, objects that are defined once, choices.
fn schema() -> Value {
    let field = |at: usize| match at % 5 {
        0 => json!({"type": "string", "pattern": "^[a-z ]+$", "maxLength": 5000}),
        1 => json!({"type": "integer", "minimum": 0, "maximum": 1_000_000}),
        2 => json!({"type": "array", "minItems": 1, "items": {"type": "string"}}),
        3 => json!({"$ref": "#/$defs/place"}),
        _ => json!({"enum": ["one", "two", "three"]}),
    };
    let properties: Map<String, Value> = (0..FIELDS).map(|at| (format!("field_{at}"), field(at))).collect();
    let required: Vec<&String> = properties.keys().collect();
    json!({
        "type": "object", "required": required, "properties": properties, "additionalProperties": false,
        "$defs": {"place": {"type": "object", "required": ["url"], "properties": {"url": {"type": "string"}, "rate": {"type": "number"}}}}
    })
}

fn object(is_good: impl Fn(usize) -> bool) -> Map<String, Value> {
    let text = "some words of a text ".repeat(40);
    let value = |at: usize| match at % 5 {
        _ if !is_good(at) => Value::Null,
        0 => json!(text),
        1 => json!(at),
        2 => Value::Array((0..40).map(|item| json!(format!("an item with number {item}"))).collect()),
        3 => json!({"url": format!("https://example.com/{}", text.replace(' ', "/")), "rate": 0.95}),
        _ => json!("two"),
    };
    (0..FIELDS).map(|at| (format!("field_{at}"), value(at))).collect()
}

fn median(mut work: impl FnMut()) -> f64 {
    let mut spent: Vec<f64> = (0..RUNS)
        .map(|_| {
            let clock = Instant::now();
            work();
            clock.elapsed().as_secs_f64() * 1000.0
        })
        .collect();
    spent.sort_by(f64::total_cmp);
    spent[RUNS / 2]
}
