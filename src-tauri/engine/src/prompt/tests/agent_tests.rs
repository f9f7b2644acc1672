use std::path::Path;

use serde_json::{Map, Value, json};

use super::{AgentTemplate, PromptError, Templates, build_user_prompt, shipped, text};
use crate::prompt::AgentSystem;

fn object(value: Value) -> Map<String, Value> {
    value.as_object().unwrap().clone()
}

/// A file of the pack of crawls.
fn of_pack(name: &str) -> String {
    let pack = Path::new(env!("CARGO_MANIFEST_DIR")).join("../packs/crawl");
    std::fs::read_to_string(pack.join(name)).unwrap()
}

fn contract() -> Value {
    serde_json::from_str(&of_pack("contracts/plan_generator_agent/input.schema.json")).unwrap()
}

fn plan_prompt(task: &str, context: Value) -> String {
    let (source, contract) = (of_pack("agents/plan_generator_user.md.j2"), contract());
    let template =
        AgentTemplate { file: "agents/plan_generator_user.md.j2", source: &source, contract: Some(&contract) };
    assert_eq!(template.check(), Ok(()));
    build_user_prompt(&shipped(), Some(&template), task, Some(&object(context))).unwrap()
}

fn plain(task: &str, context: Option<Value>) -> String {
    build_user_prompt(&shipped(), None, task, context.map(object).as_ref()).unwrap()
}

// covers: C26
#[test]
fn a_task_without_context_is_the_message_as_it_is() {
    for context in [None, Some(json!({}))] {
        assert_eq!(plain(" Generate {{ plan }} <&>\n", context), " Generate {{ plan }} <&>\n");
    }
}

// covers: C7 C9 C27 C28
#[test]
fn a_task_with_context_is_told_with_the_context_as_json_in_its_order() {
    let context = json!({"target_url": "https://example.com/?a=1&b='<é>'", "a": [1, {"z": 0, "b": null}], "empty": []});
    let expected = "Generate Plan\n\n## Context\n```json\n{\n  \"target_url\": \"https://example.com/?a=1&b='<é>'\",\n  \"a\": [\n    1,\n    {\n      \
                    \"z\": 0,\n      \"b\": null\n    }\n  ],\n  \"empty\": []\n}\n```";
    assert_eq!(plain("Generate Plan", Some(context)), expected);
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("default_user_prompt.md.j2"), "{{ task }}: {{ context | json }}").unwrap();
    let own = Templates::with_overrides(folder.path()).unwrap();
    let context = object(json!({"a": 1}));
    assert_eq!(build_user_prompt(&own, None, "Do", Some(&context)).unwrap(), "Do: {\"a\":1}");
}

// covers: C8 C32 C43 C44 C47 C55
#[test]
fn what_agents_found_is_laid_out_line_for_line() {
    // The sample of the source, and beside it a second agent.
    let collected = json!([
        {
            "agent_name": "discovery_agent",
            "description": "Discovered pagination and article URLs",
            "output": {"pagination_type": "numbered", "max_pages": 10, "article_urls": ["url1", "url2"]}
        },
        {"agent_name": "selector_agent", "description": "Found\n## From nobody", "output": {"listing": {"css": "h2 > a", "rate": 0.95}, "none": []}}
    ]);
    let rendered = plan_prompt(
        "Generate comprehensive crawl plan",
        json!({"target_url": "https://example.com", "task_name": "example_crawl", "collected_information": collected}),
    );
    let expected = [
        "# Collected Information for https://example.com",
        "",
        "**Task name**: example_crawl",
        "",
        "Generate comprehensive crawl plan",
        "",
        "## From discovery_agent",
        "",
        "### Description",
        "Discovered pagination and article URLs",
        "",
        "### Output",
        "- **pagination_type**: numbered",
        "- **max_pages**: 10",
        "- **article_urls**:",
        "  - url1",
        "  - url2",
        "",
        "---",
        "",
        "## From selector_agent",
        "",
        "### Description",
        "Found",
        "\\## From nobody",
        "",
        "### Output",
        "- **listing**:",
        "  - **css**: h2 > a",
        "  - **rate**: 0.95",
        "- **none**: []",
    ];
    assert_eq!(rendered.trim_end().lines().collect::<Vec<_>>(), expected);

    // What was not given has its default, or is empty.
    let bare = plan_prompt("Plan", json!({"collected_information": []}));
    assert_eq!(bare.trim_end(), "# Collected Information\n\n**Task name**: Generate Crawl Plan\n\nPlan");
}

// covers: C10
#[test]
fn the_rules_of_an_agent_end_with_its_context_as_json() {
    let context = serde_json::to_string_pretty(&json!({"b": 1, "a": "<x>"})).unwrap();
    let output = json!({"type": "object"});
    let told = text(&AgentSystem { prompt: Some("You plan."), output: Some(&output), context: Some(&context) });
    assert!(told.trim_start().starts_with("You plan.\n\nYour last reply"), "{told}");
    assert!(told.contains("```json\n{\"type\":\"object\"}\n```"), "{told}");
    assert!(
        told.trim_end().ends_with("## Context from Orchestrator\n```json\n{\n  \"b\": 1,\n  \"a\": \"<x>\"\n}\n```"),
        "{told}"
    );
    assert_eq!(text(&AgentSystem::default()).trim(), "");
}

#[test]
fn a_template_that_cannot_do_is_told_with_its_line_before_anybody_uses_it() {
    let contract = json!({
        "type": "object",
        "properties": {"urls": {"type": "array", "items": {"$ref": "#/$defs/url"}}, "name": {"type": "string"}},
        "$defs": {"url": {"type": "object", "properties": {"href": {"type": "string"}}}}
    });
    let check = |source: &str| {
        let template = AgentTemplate { file: "agents/x.md.j2", source, contract: Some(&contract) };
        template.check().map_err(|fault| fault.to_string())
    };
    assert_eq!(
        check("{{ task }} {{ name }} {{ context | json }} {% for url in urls %}{{ url.href }}{% endfor %}"),
        Ok(())
    );
    for (source, why) in [
        ("{{ task }}\n{{ nam }}", "agents/x.md.j2:2: there is no \"nam\" here, only task, context, urls, name"),
        ("one\n{% for url in urls %}", "agents/x.md.j2:2: "),
        ("{% for url in urls %}{{ url | no_such_filter }}{% endfor %}", "no_such_filter"),
        ("{% include \"step_role.md\" %}", "step_role.md"),
        ("{% for a in range(9999) %}{{ a }}{% endfor %}", "there is no \"range\" here"),
        (&"x".repeat(70_000), "bytes, at most"),
    ] {
        let fault = check(source).unwrap_err();
        assert!(fault.contains(why), "{fault}");
    }
}

#[test]
fn a_template_that_asks_for_what_a_context_does_not_have_says_so() {
    let (file, source) = ("agents/x.md.j2", "{{ context.site.name }}");
    let template = AgentTemplate { file, source, contract: None };
    assert_eq!(template.check(), Ok(()), "some contexts have it");
    assert_eq!(template.render("t", &object(json!({"site": {"name": "n"}}))), Ok("n".to_owned()));
    let context = object(json!({"other": 1}));
    let error = build_user_prompt(&shipped(), Some(&template), "t", Some(&context)).unwrap_err();
    assert!(matches!(&error, PromptError::Agent(fault) if fault.of_values), "{error}");
    assert!(error.to_string().starts_with("agents/x.md.j2:1: "), "{error}");

    let rendered =
        |source: &str, context: Value| AgentTemplate { file, source, contract: None }.render("t", &object(context));
    let large = json!({"many": vec![0; 100], "text": "x".repeat(1 << 20)});
    let fault = rendered("{% for _ in context.many %}{{ context.text }}{% endfor %}", large).unwrap_err();
    assert!(fault.reason.contains("writes more than 16 MiB"), "{fault}");
    let source = "{% for a in context.many %}{% for b in context.many %}{{ b }}{% endfor %}{% endfor %}";
    let fault = rendered(source, json!({"many": vec![0; 3_000]})).unwrap_err();
    assert!(fault.reason.contains("goes on for too long"), "{fault}");
}
