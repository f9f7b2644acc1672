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
    for (output, value) in [
        (json!({"type": "array"}), "one JSON value and"),
        (json!({"properties": {}}), "one JSON object and"),
        (json!(true), "one JSON object and"),
    ] {
        let told = text(&AgentSystem { prompt: None, output: Some(&output), context: None });
        assert!(told.contains(value), "{output}: {told}");
    }
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
        ("{% if nam is defined %}{% endif %}", "there is no \"nam\" here"),
        (&"x".repeat(70_000), "bytes, at most"),
    ] {
        let fault = check(source).unwrap_err();
        assert!(fault.contains(why), "{fault}");
    }
}

#[test]
fn a_value_that_was_not_given_is_empty_also_where_its_property_refers_to_what_it_is() {
    let contract = json!({
        "properties": {
            "name": {"$ref": "#/$defs/name"},
            "urls": {"allOf": [{"$ref": "#/$defs/urls"}]},
            "note": {"type": ["string", "null"]},
            "other": {"type": ["null", "array"]},
            "size": {"$ref": "#/$defs/size", "description": "How large."},
            "given": {"type": "string"}
        },
        "$defs": {"name": {"type": "string"}, "urls": {"type": "array"}, "size": {"default": "large"}}
    });
    let source = "{{ name is string }} {{ name | length }} {{ urls | length }} {{ note | length }} {{ other | length }} \
                  {{ size }} {{ given }}";
    let template = AgentTemplate { file: "agents/x.md.j2", source, contract: Some(&contract) };
    let context = object(json!({"given": "here"}));
    assert_eq!(template.render("t", &context), Ok("True 0 0 0 0 large here".to_owned()));
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

/// What would make a text or a list of any size in a few instructions, or take for ever: none of it is even begun.
#[test]
fn a_template_of_a_pack_has_nothing_that_could_end_the_program() {
    let contract = json!({"type": "object", "properties": {"items": {"type": "array"}}});
    let refused = |source: &str, line: usize, what: &str| {
        let template = AgentTemplate { file: "agents/x.md.j2", source, contract: Some(&contract) };
        let fault = template.check().unwrap_err();
        assert_eq!(fault.line, line, "{source}: {fault}");
        assert!(fault.reason.starts_with(&format!("a pack's template cannot use {what}: ")), "{source}: {fault}");
        assert_eq!(template.render("t", &object(json!({"a": 1}))).unwrap_err(), fault, "{source}");
    };
    refused("{{ \"a\\nb\" | indent(99999999999999) }}", 1, "the filter indent");
    refused("{{ items | batch(99999999999999, 'x') }}", 1, "the filter batch");
    refused("\n{{ \"%099999999999d\" | format(1) }}", 2, "the filter format");
    refused("{{ task | replace('', task) }}", 1, "the filter replace");
    for product in
        ["'a' * 100000000", "[0] * 100000000", "task ~ task", "task + task", "2 ** 99", "9 % 4", "9 // 2", "9 / 2"]
    {
        refused(&format!("{{{{ {product} }}}}"), 1, "a sum, a product or \"~\"");
        refused(&format!("{{% if task and not ({product}) %}}{{% endif %}}"), 1, "a sum, a product or \"~\"");
        refused(&format!("{{{{ task | default({product}) }}}}"), 1, "a sum, a product or \"~\"");
        refused(&format!("{{{{ context[{product}] }}}}"), 1, "a sum, a product or \"~\"");
        refused(&format!("{{{{ '' if ({product}) is defined else 1 }}}}"), 1, "a sum, a product or \"~\"");
    }
    refused("{% for a in [items, items] %}{% endfor %}", 1, "a list literal");
    refused("{% for a in (items, items) %}{% endfor %}", 1, "a tuple literal");
    refused("{% for a in items if {'a': items} %}{% endfor %}", 1, "a map literal");
    refused("{% for a in items recursive %}{{ loop(items) }}{% endfor %}", 1, "a recursive loop");
    refused("{% for a in range(9999) %}{{ a }}{% endfor %}", 1, "a call");
    refused("{{ items[1:] }}", 1, "a slice");
    refused("{% if context == context %}{% endif %}", 1, "a comparison of two values that are both looked up");
    refused("{% if 1 < task < items %}{% endif %}", 1, "a comparison of two values that are both looked up");
    refused("{% if task in items %}{% endif %}", 1, "\"in\"");
    refused("{% if task is eq(task) %}{% endif %}", 1, "the test eq");
    refused("{{ items | default(*items) }}", 1, "\"*\"");
    refused("{% if task %}\n{% else %}\n{% set a = task %}{% endif %}", 3, "\"set\"");
    refused("{% for a in items %}{% else %}{% set a %}x{% endset %}{% endfor %}", 1, "\"set\"");
    refused("{% with a = task %}{% endwith %}", 1, "\"with\"");
    refused("{% macro m() %}{{ m() }}{% endmacro %}", 1, "\"macro\"");
    refused("{% call task() %}{% endcall %}", 1, "\"call\"");
    refused("{% do task() %}", 1, "\"do\"");
    refused("{% filter json %}{% endfilter %}", 1, "\"filter\"");
    refused("{% block a %}{% endblock %}", 1, "\"block\"");
    refused("{% include 'agents/x.md.j2' %}", 1, "\"include\"");
    refused("{% extends 'agents/x.md.j2' %}", 1, "\"extends\"");
    refused("{% import 'agents/x.md.j2' as x %}", 1, "\"import\"");
    refused("{% from 'agents/x.md.j2' import x %}", 1, "\"import\"");
    refused("{% autoescape true %}{% endautoescape %}", 1, "\"autoescape\"");
}

#[test]
fn the_filters_of_a_pack_s_template_make_so_much_and_no_more() {
    let rendered = |source: &str, context: Value| {
        AgentTemplate { file: "agents/x.md.j2", source, contract: None }.render(" t\n# T ", &object(context))
    };
    let all = "{{ task | trim | lower }}, {{ task | paragraph | trim }}, {{ context.list | length }}{{ context.list | count }}, \
               {{ context.list | first }}{{ context.list | last }}, {{ context.list | join }}, {{ context.list | join('+') }}, \
               {% for key, value in context.map | items %}{{ key }}={{ value }};{% endfor %} {{ context.map | tojson }}\
               {{ context.none | default('no') }}{{ context.none | d('no') }}{{ -context.list[1] }}";
    assert_eq!(
        rendered(all, json!({"list": [1, 2], "map": {"b": 1, "a": [true]}})),
        Ok("t\n# t, t\n\\# T, 22, 12, 12, 1+2, b=1;a=[True]; {\"b\":1,\"a\":[true]}nono-2".to_owned())
    );
    let tests = "{% if context.a is defined and context.b is undefined and context.a is string and context.n is number \
                 and context.n is not none and context.l is sequence and context.l is iterable and context is mapping \
                 and context.t is boolean and 1 <= context.n < 3 and context.a != 'b' %}yes{% endif %}";
    assert_eq!(rendered(tests, json!({"a": "x", "n": 2, "l": [], "t": true})), Ok("yes".to_owned()));

    // Each time all that has to be escaped is twice as much.
    let doubling = format!("{{{{ task {} }}}}", "| json ".repeat(200));
    let fault = rendered(&doubling, json!({"a": 1})).unwrap_err();
    assert!(fault.reason.contains("writes more than 16 MiB"), "{fault}");
    // Nothing is written, and yet much is made.
    let (many, long) = (vec![0; 1_000], " ".repeat(1 << 20));
    for made in ["context | json", "context.long | trim", "context.many | join(context.long)", "context | markdown"] {
        let source = format!("{{% for _ in context.many %}}{{% if ({made}) == 'x' %}}{{% endif %}}{{% endfor %}}");
        let fault = rendered(&source, json!({"many": many, "long": long})).unwrap_err();
        assert!(fault.reason.contains("writes more than 16 MiB"), "{made}: {fault}");
    }
}
