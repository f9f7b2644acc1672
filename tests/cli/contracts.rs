//! Contracts on the command line: what holds, what does not, and what cannot be checked.

use std::path::Path;

use expect_test::expect;
use serde_json::{Value, json};

use crate::desk::Desk;

fn put(desk: &Desk, name: &str, text: &str) -> String {
    let file = desk.home().parent().unwrap().join(name);
    std::fs::write(&file, text).unwrap();
    file.display().to_string()
}

fn pack(desk: &Desk) {
    let shipped = Path::new(env!("CARGO_MANIFEST_DIR")).join("../packs/crawl");
    let pack = desk.home().join("packs/crawl");
    for file in [
        "agents/plan_generator_agent.toml",
        "agents/plan_generator.md",
        "agents/plan_generator_user.md.j2",
        "contracts/plan_generator_agent/input.schema.json",
        "contracts/plan_generator_agent/output.schema.json",
    ] {
        std::fs::create_dir_all(pack.join(file).parent().unwrap()).unwrap();
        std::fs::copy(shipped.join(file), pack.join(file)).unwrap();
    }
}

#[test]
fn what_goes_into_an_agent_is_checked_as_a_call_of_it_would_be() {
    let desk = Desk::new();
    pack(&desk);
    let empty = put(&desk, "empty.json", "{}");
    let refused = desk.run(&["contract", "check", &empty, "--against", "plan_generator_agent", "--json"]).ends(1);
    let expected = json!({
        "success": false,
        "error": "Input contract validation failed",
        "validation_message": "'target_url' is a required property",
        "path": [],
        "required_fields": ["target_url", "task_name", "collected_information"],
        "missing_fields": ["target_url", "task_name", "collected_information"],
        "provided_fields": [],
        "hint": "Please provide all required fields: target_url, task_name, collected_information"
    });
    assert_eq!(refused.values(), [expected]);

    let one = |name: &str| json!({"agent_name": name, "output": {}, "description": "found"});
    let whole = json!({"target_url": "https://example.com", "collected_information": [one("discovery_agent"), one("selector_agent")]});
    let whole = put(&desk, "whole.json", &whole.to_string());
    expect![[r#"
        exit 0
        --- err
        it holds
    "#]]
    .assert_eq(&desk.run(&["contract", "check", &whole, "--against", "plan_generator_agent"]).shown());

    // Values beside the task, in a context, in quotes and of a type that can be read are one input, as in a call.
    let found = json!([one("discovery_agent"), one("selector_agent")]);
    let context = json!({"target_url": "https://other.example.com", "collected_information": found});
    let inner = json!({"collected_information": found.to_string()});
    for call in [
        json!({"task": "Plan it", "target_url": "https://example.com", "context": context}),
        json!({"target_url": "https://example.com", "context": context.to_string(), "run_identifier": 7}),
        json!({"task": "Plan it", "target_url": "https://example.com", "context": inner}),
    ] {
        let file = put(&desk, "call.json", &call.to_string());
        desk.run(&["contract", "check", &file, "--against", "plan_generator_agent"]).ends(0);
    }
    let refused = |call: Value| {
        let file = put(&desk, "call.json", &call.to_string());
        desk.run(&["contract", "check", &file, "--against", "plan_generator_agent", "--json"])
            .ends(1)
            .values()
            .remove(0)
    };
    let odd = refused(json!({"task": " ", "target_url": "https://example.com", "context": [1]}));
    assert_eq!(odd["path"], json!(["context"]));
    assert_eq!(odd["missing_fields"], json!(["task", "task_name", "collected_information"]));
    // What is no object at all is told as any call with such arguments.
    let list = refused(json!([1]));
    assert_eq!(
        (&list["stage"], &list["message"]),
        (&json!("tool_arguments"), &json!("the value is not of type \"object\""))
    );

    // What is against the input is not against the output.
    let out =
        desk.run(&["contract", "check", &whole, "--against", "plan_generator_agent", "--output", "--json"]).ends(1);
    let fault: &Value = &out.values()[0];
    assert_eq!(
        (&fault["stage"], &fault["missing"]),
        (&json!("output_contract"), &json!(["plan_file_path", "status", "agent_response_content"]))
    );
}

#[test]
fn a_file_is_checked_against_a_schema_and_scripts_know_how_that_ended() {
    let desk = Desk::new();
    let schema = put(&desk, "schema.json", r##"{"$defs": {"n": {"minimum": 3}}, "items": {"$ref": "#/$defs/n"}}"##);
    let (good, bad) = (put(&desk, "good.json", "[3, 4]"), put(&desk, "bad.json", "[3, 2]"));
    desk.run(&["contract", "check", "--schema", &schema, "--instance", &good]).ends(0);
    desk.run(&["contract", "check", &good, "--against", &schema]).ends(0);
    let fault = desk.run(&["contract", "check", "--schema", &schema, "--instance", &bad]).ends(1).values().remove(0);
    assert_eq!(fault["path"], json!([1]));
    for unusable in [
        r#"{"type": "no such type"}"#,
        "{",
        r##"{"$ref": "#"}"##,
        r#"{"$ref": "https://example.com/s.json"}"#,
        r##"{"$ref": "#/$defs/none"}"##,
    ] {
        let file = put(&desk, "unusable.json", unusable);
        let ended = desk.run(&["contract", "check", "--schema", &file, "--instance", &good]).ends(2);
        assert!(ended.err.contains("the schema cannot be used"), "{unusable}: {}", ended.err);
    }
    let nobody = desk.run(&["contract", "check", &good, "--against", "nobody"]).ends(64);
    assert!(nobody.err.contains("no agent of a pack: there are none"), "{}", nobody.err);
    desk.run(&["contract", "check", "missing.json", "--schema", &schema]).ends(64);
    desk.run(&["contract", "check", &good]).ends(64);
}

#[test]
fn the_pack_of_crawls_is_there_once_it_was_added_and_its_contracts_with_it() {
    let desk = Desk::new();
    let none = desk.run(&["heap", "packs"]).ends(0);
    assert_eq!(none.out.trim(), "crawl  makes the crawl plan of a web site, and tests it (not added)");
    desk.run(&["heap", "add", "crawl"]).ends(0);
    assert!(desk.run(&["heap", "packs"]).ends(0).out.contains("(added)"));
    let again = desk.run(&["heap", "add", "crawl"]);
    assert!(again.code != Some(0) && again.err.contains("is there already"), "{}", again.err);
    let wrong = put(&desk, "wrong.json", r#"{"target_url": "not an address"}"#);
    for agent in ["crawl", "discovery_agent", "selector_agent", "accessibility_agent", "data_prep_agent"] {
        let fault = desk.run(&["contract", "check", &wrong, "--against", agent, "--json"]).ends(1).values().remove(0);
        assert_eq!(fault["error"], "Input contract validation failed", "{agent}");
    }
    // What a person has changed goes only where that is said.
    std::fs::write(desk.home().join("packs/crawl/notes.md"), "mine").unwrap();
    let kept = desk.run(&["heap", "remove", "crawl"]);
    assert!(kept.code != Some(0) && kept.err.contains("differs from what Assent brings along"), "{}", kept.err);
    assert!(desk.home().join("packs/crawl/agent.toml").exists());
    desk.run(&["heap", "remove", "crawl", "--changed"]).ends(0);
    assert!(!desk.home().join("packs/crawl").exists());
    desk.run(&["heap", "add", "crawl"]).ends(0);
    desk.run(&["heap", "remove", "crawl"]).ends(0);
    let gone = desk.run(&["heap", "remove", "crawl"]);
    assert!(gone.code != Some(0) && gone.err.contains("was not added"), "{}", gone.err);
    assert_eq!(desk.run(&["heap", "packs"]).ends(0).out.trim(), none.out.trim());
}

#[test]
fn contracts_are_listed_and_shown_field_by_field_with_what_an_agent_is_told() {
    let desk = Desk::new();
    pack(&desk);
    let listed = desk.run(&["contract", "show"]).ends(0).out;
    let of = |name: &str| listed.lines().find(|line| line.starts_with(name)).map(str::to_owned).unwrap_or_default();
    assert!(of("plan_generator_agent").starts_with("plan_generator_agent [crawl]  "), "{listed}");
    assert!(of("grep").starts_with("grep  ") && !listed.contains("run_plan_generator_agent"), "{listed}");

    let shown = desk.run(&["contract", "show", "plan_generator_agent"]).ends(0).out;
    for told in [
        "\nInput\n  target_url (required)  text, format uri\n",
        "      for example \"https://example.com/news\"\n",
        "\n  task_name (required)  text",
        "      default \"Generate Crawl Plan\"\n",
        "\n  collected_information (required)  list of objects, at least 1\n      CRITICAL: Array of outputs",
        "\n    agent_name (required)  one of \"discovery_agent\", \"selector_agent\", ",
        "\nOutput\n  plan_file_path (required)  ",
        "\nWhat it is told of an example\n  # Collected Information for https://example.com/news\n",
        "\n  ## From discovery_agent\n",
        "\n  ## From selector_agent\n",
    ] {
        assert!(shown.contains(told), "{told:?} in\n{shown}");
    }
    let by_tool = desk.run(&["contract", "show", "run_plan_generator_agent"]).ends(0).out;
    assert_eq!(by_tool, shown, "an agent is also known by its tool");
    let value = &desk.run(&["contract", "show", "grep", "--json"]).ends(0).values()[0];
    assert_eq!((&value["name"], &value["isAgent"], &value["output"]), (&json!("grep"), &json!(false), &json!(null)));
    assert!(value["input"]["fields"].as_array().unwrap().iter().any(|one| one["name"] == "pattern"), "{value}");
    let gone = desk.run(&["contract", "show", "toString"]).ends(64);
    assert!(gone.err.contains("there is no agent and no tool \"toString\""), "{}", gone.err);
}

#[test]
fn what_an_agent_takes_is_explained_without_characters_that_turn_text_around() {
    let desk = Desk::new();
    pack(&desk);
    let file = desk.home().join("packs/crawl/contracts/plan_generator_agent/input.schema.json");
    let mut contract: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    contract["properties"]["task_name"]["description"] = json!("the\u{202e}eman");
    std::fs::write(&file, contract.to_string()).unwrap();
    let told = desk.run(&["tools", "explain", "run_plan_generator_agent"]).ends(0);
    assert!(told.out.contains("the⟨U+202E⟩eman") && !told.out.contains('\u{202e}'), "{}", told.out);
}

/// A schema of each file of the official suite with a value that fits it and one that does not, as scripts check them: the
/// file itself, and as the contract of a pack. All of it is played beside the code that checks.
#[test]
fn scripts_are_told_of_the_official_suite_what_it_says() {
    let desk = Desk::new();
    let suite = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/schemas");
    let mut files: Vec<_> = std::fs::read_dir(suite).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|ending| ending == "json"));
    files.sort();
    let mut tried = 0;
    for (at, file) in files.iter().enumerate() {
        let cases: Vec<Value> = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
        // The last has most in it.
        let case = &cases[cases.len() - 1];
        let (schema, name) = (case["schema"].to_string(), format!("a{at}"));
        let agent = format!("description = \"x\"\ntools = []\noutput = \"out/{name}.json\"\n");
        for (path, text) in [(format!("out/{name}.json"), &schema), (format!("agents/{name}.toml"), &agent)] {
            let path = desk.home().join("packs/suite").join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let schema = put(&desk, "schema.json", &schema);
        for valid in [true, false] {
            let test = case["tests"].as_array().unwrap().iter().find(|test| test["valid"] == valid);
            let Some(test) = test else { continue };
            let (instance, code) = (put(&desk, "instance.json", &test["data"].to_string()), i32::from(!valid));
            desk.run(&["contract", "check", "--schema", &schema, "--instance", &instance]).ends(code);
            desk.run(&["contract", "check", &instance, "--against", &name, "--output"]).ends(code);
            tried += 1;
        }
    }
    assert!(tried > 70, "{tried}");
}
