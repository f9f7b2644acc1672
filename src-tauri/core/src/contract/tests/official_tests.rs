//! The required part of the official suite of draft 2020-12, through both doors: a schema that somebody checks a file
//! against, and one that a pack brings along. The suite lies in `tests/schemas`, as it was published, without what asks
//! for documents of elsewhere (`refRemote.json`, `vocabulary.json`) and for formats that are mere notes (`format.json`).

use std::path::Path;

use serde::Deserialize;
use serde_json::Value;

use crate::contract::refs::Document;
use crate::contract::{Schema, Stage, UnusableSchema};

/// What of the files that are kept refers to a document of elsewhere.
const REMOTE: [&str; 5] = [
    "$ref to $dynamicRef finds detached $dynamicAnchor",
    "strict-tree schema, guards against misspelled properties",
    "tests for implementation dynamic anchor and reference link",
    "$ref and $dynamicAnchor are independent of order - $defs first",
    "$ref and $dynamicAnchor are independent of order - $ref first",
];

#[derive(Deserialize)]
struct Case {
    description: String,
    schema: Value,
    tests: Vec<Instance>,
}

#[derive(Deserialize)]
struct Instance {
    description: String,
    data: Value,
    valid: bool,
}

fn cases() -> Vec<(String, Case)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/schemas");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|ending| ending == "json"));
    files.sort();
    let mut cases = Vec::new();
    for file in files {
        let name = file.file_stem().unwrap().to_string_lossy().into_owned();
        let of_file: Vec<Case> = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
        cases.extend(of_file.into_iter().map(|case| (name.clone(), case)));
    }
    cases.retain(|(_, case)| !REMOTE.contains(&case.description.as_str()));
    cases
}

/// What a door says otherwise than the suite, and how many instances were tried.
fn played(door: impl Fn(Value) -> Result<Schema, UnusableSchema>) -> (Vec<String>, usize) {
    let (mut wrong, mut tried) = (Vec::new(), 0);
    for (file, case) in cases() {
        let schema = match door(case.schema) {
            Ok(schema) => schema,
            Err(error) => {
                wrong.push(format!("{file}: {}: {error}", case.description));
                continue;
            }
        };
        for Instance { description, data, valid } in case.tests {
            tried += 1;
            let told = schema.check(&data, Stage::OutputContract).is_empty();
            if (schema.is_valid(&data), told) != (valid, valid) {
                wrong.push(format!("{file}: {}: {description}: wanted {valid}, told {told}", case.description));
            }
        }
    }
    (wrong, tried)
}

#[test]
fn the_official_suite_holds_for_schemas_and_for_those_of_packs() {
    for (wrong, tried) in [played(Schema::compile), played(Schema::compile_foreign)] {
        assert!(wrong.is_empty(), "{} of {tried}:\n{}", wrong.len(), wrong.join("\n"));
        assert!(tried > 1_100, "{tried}");
    }
}

#[test]
fn what_a_pack_holds_refers_to_places_unless_names_decide_at_each_check() {
    let mut by_name = Vec::new();
    for (file, case) in cases() {
        let schema = Schema::compile_foreign(case.schema).unwrap();
        let document = Document::of(schema.source()).unwrap();
        let graph = document.graph().unwrap();
        let is_place = |to: &str| to.starts_with('#') || to.starts_with("https://json-schema.org/draft/2020-12/");
        if document.has_names(&graph) || !document.written(&graph).all(is_place) {
            by_name.push(file);
        }
    }
    by_name.dedup();
    assert_eq!(by_name, ["dynamicRef", "unevaluatedItems", "unevaluatedProperties"]);
}

/// The part of the suite that needs no document but its own is there.
#[test]
fn every_file_of_the_suite_is_there() {
    let mut files: Vec<String> = cases().into_iter().map(|(file, _)| file).collect();
    files.dedup();
    assert_eq!(files.len(), 43, "{files:?}");
}
