use std::sync::Arc;

use serde_json::{Value, json};

use super::headers::Secrets;
use super::*;
use crate::tool::testing::Bench;
use crate::tool::{Catalogue, Outcome, Tool, core_tools};

/// A source with these files.
fn source(files: &[(&str, Value)]) -> (tempfile::TempDir, ToolSource) {
    let folder = tempfile::tempdir().unwrap();
    for (name, content) in files {
        std::fs::write(folder.path().join(name), content.to_string()).unwrap();
    }
    let source = ToolSource::new("acme", folder.path()).unwrap();
    (folder, source)
}

fn greeting() -> Value {
    json!({
        "name": "greet",
        "description": "Greets somebody by name.",
        "parameters": {"type": "object", "properties": {"name": {"type": "string"}, "loud": {"type": "boolean"}},
            "required": ["name"]},
        "command": ["printf", "%s|", "{name}", "{loud}"]
    })
}

fn ticket(url: &str) -> Value {
    json!({
        "name": "get_ticket",
        "description": "Gets a ticket.",
        "parameters": {"type": "object", "properties": {"id": {"type": "string"}, "fields": {"type": "string"}},
            "required": ["id"]},
        "risk": "read",
        "http": {"url": format!("{url}/tickets/{{id}}"), "query": {"fields": "{fields}"}}
    })
}

fn only(value: Value) -> DescribedTool {
    let (_folder, source) = source(&[("tool.json", value)]);
    let Described { mut tools, left_out } = source.read().unwrap();
    assert_eq!(left_out, []);
    tools.remove(0)
}

/// Why a description is left out.
fn refused(value: Value) -> String {
    let (_folder, source) = source(&[("tool.json", value)]);
    let Described { tools, mut left_out } = source.read().unwrap();
    assert_eq!((tools.len(), left_out.len()), (0, 1));
    left_out.remove(0).reason
}

fn with(key: &str, value: Value) -> Value {
    let mut tool = greeting();
    tool[key] = value;
    tool
}

#[test]
fn tools_are_named_after_their_source_and_are_never_less_dangerous_than_what_they_do() {
    let command = only(greeting());
    assert_eq!((command.spec().name.as_str(), command.spec().source), ("acme.greet", Source::Catalogue));
    assert_eq!(only(with("risk", json!("read"))).spec().risk, Risk::Execute);
    assert_eq!(only(with("risk", json!("destructive"))).spec().risk, Risk::Destructive);
    assert_eq!(only(ticket("https://acme.example")).spec().risk, Risk::Network);
    let mut delete = ticket("https://acme.example");
    delete["http"]["method"] = json!("delete");
    assert_eq!(only(delete).spec().risk, Risk::Destructive);
    let effects = only(ticket("https://acme.example:8443")).effects(&json!({"id": "7"}));
    assert_eq!((effects.hosts.as_slice(), effects.risk), (&["acme.example".to_owned()][..], Risk::Network));
    let effects = only(with("command", json!(["rm", "-rf", "{name}"]))).effects(&json!({"name": "x"}));
    assert_eq!((effects.command.as_deref(), effects.risk), (Some("rm -rf x"), Risk::Destructive));
}

#[test]
fn why_something_is_left_out_is_told_in_a_short_line_in_which_nothing_hides() {
    let long = "\u{202e}x\n".repeat(30_000);
    let reasons = [
        with("risk", json!(long)),
        with("command", json!(["echo", format!("{{{}}}", "y".repeat(100_000))])),
        with("parameters", json!({"properties": {"name": {"type": long.clone()}}})),
    ];
    for value in reasons {
        let reason = refused(value);
        assert!(reason.chars().count() <= 300 && !reason.contains(['\n', '\u{202e}']), "{reason}");
    }
    let (_folder, source) = source(&[("many.json", json!(vec![json!(0); 2_000])), ("tool.json", greeting())]);
    let Described { tools, left_out } = source.read().unwrap();
    assert_eq!((tools.len(), left_out.len()), (1, 501), "the rest stays");
    assert_eq!(left_out[500].reason, "and 1500 more that cannot be used, from here on");
}

#[test]
fn what_cannot_be_used_is_left_out_with_a_reason_and_the_rest_stays() {
    let long = "x".repeat(65);
    let names = ["", "1st", "a b", "a/b", "x\u{0}y", "täst", "a..b", "tool_search", &long, "'; DROP TABLE"];
    for name in names {
        assert!(refused(with("name", json!(name))).contains("is no name for a tool"), "{name}");
    }
    let elsewhere = |to: &str| json!({"properties": {"name": {"$ref": to}}});
    let reasons = [
        (json!(7), "it is no object"),
        (with("description", json!("\u{200b} \u{7}")), "it does not say what it does"),
        (with("risk", json!("none")), "its risk"),
        (with("command", Value::Null), "is no list of words"),
        (with("command", json!(["{name}"])), "has to stand there literally"),
        (with("command", json!(["echo", "{who}"])), "\"who\", which is no parameter"),
        (with("http", json!({"url": "https://a.example"})), "either a command or an http template"),
        (with("parameters", json!({"type": "array"})), "no schema of an object"),
        (with("parameters", json!({"type": "object", "properties": 7})), "schema"),
        (with("parameters", elsewhere("https://evil.example/s.json")), "another document"),
        (with("parameters", elsewhere("file:///etc/passwd")), "another document"),
        (with("parameters", json!({"properties": {"na\nme": {"type": "string"}}})), "is no name for a parameter"),
        (with("parameters", json!({"properties": {"na\u{202e}me": {"type": "string"}}})), "is no name for a parameter"),
        (with("parameters", json!({"$defs": {"\u{200b}": {}}})), "is no name for a parameter"),
        (with("parameters", json!({"properties": {"name": {"enum": ["a\u{202e}b"]}}})), "characters that are not seen"),
        (with("parameters", json!({"properties": {"name": {"const": "\u{e0041}"}}})), "characters that are not seen"),
        (with("parameters", json!({"properties": {"name": {"const": "a\u{e0155}"}}})), "characters that are not seen"),
        (with("parameters", json!({"properties": {"name": {"enum": ["\u{61c}x"]}}})), "characters that are not seen"),
        (
            with("parameters", json!({"properties": {"name": {"default": {"x": ["\u{7}"]}}}})),
            "characters that are not seen",
        ),
        (with("parameters", json!({"properties": {"name": {"format": "\u{2066}x"}}})), "characters that are not seen"),
    ];
    for (value, reason) in reasons {
        assert!(refused(value.clone()).contains(reason), "{reason}: {}", refused(value));
    }
    for url in
        ["ftp://a.example", "https://{name}/x", "https://u:p@a.example/", "file:///etc/passwd", "//a.example", "x"]
    {
        let mut tool = greeting();
        tool.as_object_mut().unwrap().remove("command");
        tool["http"] = json!({"url": url});
        assert!(refused(tool).contains("its url"), "{url}");
    }
    let deep = (0..60).fold(json!({"type": "string"}), |inner, _| json!({"type": "array", "items": inner}));
    assert!(refused(with("parameters", json!({"properties": {"name": deep}}))).contains("levels deep"));
    let wide: serde_json::Map<String, Value> =
        (0..3000).map(|number| (format!("p{number}"), json!({"type": "string"}))).collect();
    assert!(refused(with("parameters", json!({"properties": wide}))).contains("bytes, at most"));

    let twice = with("description", json!("Greets otherwise."));
    let (folder, source) = source(&[("a.json", json!([greeting(), {"name": 3}])), ("b.json", twice)]);
    std::fs::write(folder.path().join("c.json"), "{\"name\": ").unwrap();
    std::fs::write(folder.path().join("d.txt"), "not looked at").unwrap();
    std::fs::create_dir(folder.path().join("e.json")).unwrap();
    let Described { tools, left_out } = source.read().unwrap();
    assert_eq!(tools.len(), 1);
    assert_eq!(tools[0].spec().description, "Greets somebody by name.");
    let files: Vec<&str> = left_out.iter().map(|one| one.file.as_str()).collect();
    assert_eq!(files, ["a.json", "b.json", "c.json", "e.json"]);
    assert!(left_out[1].reason.contains("another tool of that name"), "{left_out:?}");
}

#[test]
fn texts_are_cleaned_and_cut_and_empty_or_recursive_schemas_do() {
    let long = only(with("description", json!(format!("Greets\u{1b}[31m\n\u{202e}all. {}", "x ".repeat(50_000)))));
    assert!(long.spec().description.starts_with("Greets [31m all. x x"));
    assert!(long.spec().description.chars().count() <= 2000);
    assert!(long.spec().estimated_tokens() < 3800);
    for nothing in [Value::Null, json!({})] {
        let mut tool = with("parameters", nothing);
        tool["command"] = json!(["true"]);
        assert_eq!(only(tool).spec().parameters, json!({"type": "object", "properties": {}}));
    }
    let recursive = json!({"properties": {"name": {"$ref": "#/$defs/tree"}},
        "$defs": {"tree": {"type": "object", "properties": {"child": {"$ref": "#/$defs/tree"}}}}});
    let mut tool = with("parameters", recursive);
    tool["command"] = json!(["echo", "{name}"]);
    assert!(only(tool).spec().parameters["$defs"].is_object());
}

#[test]
fn no_two_sources_and_no_shipped_tool_can_be_mixed_up() {
    let (folder, first) = source(&[("tool.json", with("name", json!("bash")))]);
    let second = ToolSource::new("other", folder.path()).unwrap();
    let mut catalogue = Catalogue::default();
    catalogue.add_all(core_tools()).unwrap();
    for source in [first, second] {
        for tool in source.read().unwrap().tools {
            catalogue.add(Arc::new(tool)).unwrap();
        }
    }
    let names = catalogue.specs().map(|spec| spec.name.as_str()).filter(|name| name.ends_with("bash"));
    assert_eq!(names.collect::<Vec<_>>(), ["bash", "acme.bash", "other.bash"]);
    for name in ["", "mcp", "A", "1a", "a.b", "a b", &"x".repeat(33)] {
        assert!(matches!(ToolSource::new(name, folder.path()), Err(SourceError::Name(_))), "{name}");
    }
    assert!(matches!(ToolSource::new("a", Path::new("/nowhere/at/all")), Err(SourceError::Folder { .. })));
}

#[tokio::test]
async fn a_value_stays_a_value_in_a_command() {
    let tool = only(greeting());
    let bench = Bench::new();
    for name in ["Ada", "a b", "$(touch pwned)", "; touch pwned", "it's", "`id`", "x\ny", "*", "ü"] {
        let output = bench.output(&tool, json!({"name": name})).await;
        assert_eq!(output["stdout"], format!("{name}|"), "{output}");
    }
    assert!(!bench.path("pwned").exists());
    let output = bench.output(&tool, json!({"name": "Ada", "loud": true})).await;
    assert_eq!(output["stdout"], "Ada|true|");
    assert!(bench.refusal(&tool, json!({"name": "--help"})).await.contains("may not begin with"));
    assert!(bench.refusal(&tool, json!({"name": "a\u{0}b"})).await.contains("NUL"));
}

#[test]
fn a_value_stays_a_value_in_an_address() {
    let tool = only(ticket("https://acme.example"));
    let Template::Http(http) = tool.template() else { panic!() };
    let url = |id: &str| http.ready(&json!({"id": id}), &Secrets::default()).map(|ready| ready.url.to_string());
    assert_eq!(url("7").unwrap(), "https://acme.example/tickets/7");
    assert_eq!(url("a/b?c#d&e").unwrap(), "https://acme.example/tickets/a%2Fb%3Fc%23d%26e");
    assert!(url("..").is_err(), "{:?}", url(".."));
    assert_eq!(url("@evil.example").unwrap(), "https://acme.example/tickets/%40evil%2Eexample");
    let both = http.ready(&json!({"id": "7", "fields": "a&b=c"}), &Secrets::default()).unwrap();
    assert_eq!(both.url.query(), Some("fields=a%26b%3Dc"));
    assert!(http.ready(&json!({}), &Secrets::default()).is_err());
}

#[tokio::test]
async fn a_host_that_was_not_allowed_is_not_asked_and_one_that_was_is() {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    let server = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", server.local_addr().unwrap());
    let tool = only(ticket(&url));
    let mut bench = Bench::new();
    assert!(bench.refusal(&tool, json!({"id": "7"})).await.contains("not allowed to talk to 127.0.0.1"));
    bench.context.hosts = vec!["127.0.0.1".to_owned()];
    let serve = async {
        let mut seen = String::new();
        for head in ["200 OK", "302 Found\r\nlocation: http://evil.example/"] {
            let (mut line, _) = server.accept().await.unwrap();
            let mut bytes = [0; 1024];
            let read = line.read(&mut bytes).await.unwrap();
            seen.push_str(&String::from_utf8_lossy(&bytes[..read]));
            let body = r#"{"id":"7"}"#;
            let size = body.len();
            let reply = format!("HTTP/1.1 {head}\r\ncontent-length: {size}\r\nconnection: close\r\n\r\n{body}");
            line.write_all(reply.as_bytes()).await.unwrap();
        }
        seen
    };
    let calls = async {
        let first = bench.call(&tool, json!({"id": "7"})).await.unwrap();
        (first, bench.refusal(&tool, json!({"id": "8"})).await)
    };
    let (seen, (first, moved)) = tokio::join!(serve, calls);
    assert_eq!(first, Outcome::Success(json!({"status": 200, "body": {"id": "7"}, "truncated": false})));
    assert!(seen.starts_with("GET /tickets/7 HTTP/1.1"), "{seen}");
    assert_eq!(moved, "127.0.0.1 answered 302 Found");
}

#[test]
fn what_a_schema_says_in_prose_is_cut_and_cleaned_and_its_values_stay_what_they_are() {
    let (long, turned) = ("word ".repeat(100), "one\u{202e}two\n\u{200b}three");
    let value = format!("{long}\n end");
    let pattern = format!("^({})$", "ab|".repeat(150));
    let name = json!({"type": "string", "title": turned, "description": long, "$comment": turned, "enum": [value, "👩\u{200d}💻"],
        "default": value, "examples": [{"description": value}], "pattern": pattern});
    // Properties of such names are properties, and what is in a value is no schema.
    let properties = json!({"name": name, "loud": true, "description": {"type": "string", "description": turned}, "enum": {"title": turned},
        "default": {"const": {"title": value, "$ref": "https://example.org/is/a/value"}}});
    let tool = only(with("parameters", json!({"type": "object", "properties": properties})));
    let shown = &tool.spec().parameters["properties"];
    assert_eq!(
        (&shown["name"]["title"], &shown["name"]["$comment"]),
        (&json!("one two three"), &json!("one two three"))
    );
    let said = shown["name"]["description"].as_str().unwrap();
    assert_eq!((said.chars().count(), said.ends_with('…')), (300, true), "{said}");
    for key in ["enum", "default", "examples", "pattern"] {
        assert_eq!(shown["name"][key], properties["name"][key], "{key}");
    }
    assert_eq!(shown["description"]["description"], "one two three");
    assert_eq!(shown["enum"]["title"], "one two three");
    assert_eq!(shown["default"], properties["default"]);
}

#[test]
fn a_schema_may_have_a_name_and_what_it_refers_to_by_that_becomes_a_place_in_it() {
    let name = "https://acme.example/greet.json";
    let tree = json!({"type": "string", "minLength": 1});
    let by = |to: &str, more: Value| {
        let mut schema = json!({"properties": {"name": {"$ref": to}, "loud": true}, "$defs": {"tree": tree}});
        for (key, value) in more.as_object().unwrap() {
            schema[key] = value.clone();
        }
        with("parameters", schema)
    };
    for (to, more) in [
        ("#/$defs/tree", json!({"$id": name})),
        ("https://acme.example/greet.json#/$defs/tree", json!({"$id": name})),
        ("greet.json#/$defs/tree", json!({"$id": name})),
        ("#/$defs/tree", json!({"$id": "greet"})),
        // Nothing is read by a name, wherever it points to.
        ("#/$defs/tree", json!({"$id": "file:///etc/passwd"})),
        ("tree.json", json!({"$id": name, "$defs": {"tree": {"$id": "tree.json", "type": "string", "minLength": 1}}})),
        ("#tree", json!({"$defs": {"tree": {"$anchor": "tree", "type": "string", "minLength": 1}}})),
        ("#/$defs/tree", json!({"$schema": "http://json-schema.org/draft-07/schema#"})),
        ("#/$defs/tree", json!({"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": name})),
        ("#/$defs/tree", json!({"$schema": "http://json-schema.org/schema#"})),
    ] {
        let tool = only(by(to, more.clone()));
        let told = &tool.spec().parameters;
        assert_eq!(told["properties"]["name"], json!({"$ref": "#/$defs/tree"}), "{to} {more}");
        assert!(!told.to_string().contains("$id"), "a name is of no more use: {told}");
        let mut catalogue = Catalogue::default();
        catalogue.add(Arc::new(tool)).unwrap();
        let parameters = catalogue.parameters("acme.greet").unwrap();
        assert!(parameters.is_valid(&json!({"name": "Ada"})) && !parameters.is_valid(&json!({"name": ""})), "{to}");
    }
    for (to, more) in [
        ("other.json#/a", json!({"$id": name})),
        ("https://evil.example/s.json", json!({"$id": name})),
        ("/etc/passwd", json!({"$id": "file:///home/greet.json"})),
        ("#/$defs/tree", json!({"$schema": "https://evil.example/rules"})),
    ] {
        let reason = refused(by(to, more.clone()));
        assert!(reason.contains("another document"), "{to} {more}: {reason}");
    }
    let odd = refused(by("#/$defs/tree", json!({"$id": "a\u{202e}b"})));
    assert!(odd.contains("characters that are not seen"), "{odd}");
    // A parameter, and a value, may be called so.
    let tool = only(with(
        "parameters",
        json!({"properties": {"name": {"const": {"$id": name}}, "loud": true, "$id": {"type": "string"}}}),
    ));
    assert_eq!(tool.spec().parameters["properties"]["name"]["const"], json!({"$id": name}));
    assert_eq!(tool.spec().parameters["properties"]["$id"], json!({"type": "string"}));
}
