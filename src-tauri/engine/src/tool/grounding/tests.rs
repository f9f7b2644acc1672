use assent_core::contract::{Fault, Risk, Source, Stage, ToolSpec};
use async_trait::async_trait;
use serde_json::{Value, json};

use super::super::testing::Bench;
use super::super::workspace::Workspace;
use super::super::{CallContext, Outcome, Tool, ToolStop, core::Bash, core::CreateFile, core::EditFile, core::Read};
use super::{Effects, Origin, Seen, ungrounded, urls};

/// A tool that is only held against its description, and runs what its argument `command` says.
struct Written(ToolSpec);

#[async_trait]
impl Tool for Written {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    fn effects(&self, arguments: &Value) -> Effects {
        Effects { command: arguments["command"].as_str().map(str::to_owned), ..Effects::none(self.0.risk) }
    }

    async fn call(&self, _: Value, _: &CallContext) -> Result<Outcome, ToolStop> {
        Ok(Outcome::Success(Value::Null))
    }
}

fn seen(texts: &[(Origin, &str)]) -> Seen {
    let mut seen = Seen::default();
    for (origin, text) in texts {
        seen.add(origin.clone(), *text);
    }
    seen
}

fn result() -> Origin {
    Origin::Result { tool: "read".to_owned() }
}

fn faults(tool: &dyn Tool, arguments: &Value, seen: &Seen, bench: &Bench) -> Vec<Fault> {
    let workspace = || Ok(Workspace::open(&bench.context).unwrap());
    ungrounded(tool, &tool.effects(arguments), arguments, seen, workspace)
}

#[test]
fn only_a_path_that_was_not_mentioned_needs_the_workspace() {
    let (tool, known) = (Read::default(), seen(&[(Origin::User, "read a.txt")]));
    let of = |path: &str| {
        let arguments = json!({"path": path});
        let gone = || Err(Box::new(Fault::new(Stage::Grounding, "the workspace is gone")));
        ungrounded(&tool, &tool.effects(&arguments), &arguments, &known, gone)
    };
    assert_eq!(of("a.txt"), []);
    assert_eq!(of("b.txt"), [Fault::new(Stage::Grounding, "the workspace is gone")]);
}

#[test]
fn a_path_to_be_read_must_exist_or_have_been_mentioned_and_the_hint_names_what_is_there() {
    let bench = Bench::with(&[("licences/GPL-3", ""), ("licences/MIT", ""), ("notes.md", "")]);
    let nothing = Seen::default();
    let read = |path: &str, seen: &Seen| faults(&Read::default(), &json!({"path": path}), seen, &bench);
    assert_eq!(read("notes.md", &nothing), []);
    assert_eq!(read("licences", &nothing), []);
    let expected = Fault::new(Stage::Grounding, "path/to/licences does not exist and was not mentioned")
        .at(["path"])
        .hint("Files here: licences, licences/GPL-3, licences/MIT, notes.md");
    assert_eq!(read("path/to/licences", &nothing), [expected]);
    assert_eq!(read("later.txt", &seen(&[(Origin::User, "see later.txt, please")])), []);
    assert_eq!(read("later.txt", &seen(&[(result(), "see later.txt")])), []);
    assert_eq!(read("ater.txt", &seen(&[(Origin::User, "see later.txt")])).len(), 1);
}

#[test]
fn of_many_files_the_most_alike_are_named() {
    let bench = Bench::new();
    for number in 0..50 {
        bench.write(&format!("data/table{number}.csv"), b"");
    }
    bench.write("reports/summary.md", b"");
    let faults = faults(&Read::default(), &json!({"path": "report/sumary.md"}), &Seen::default(), &bench);
    assert!(faults[0].hint.starts_with("Files here: reports/summary.md, "), "{}", faults[0].hint);
    assert_eq!(faults[0].hint.matches(", ").count(), 4);
}

#[test]
fn a_path_to_be_written_may_be_new_and_a_text_to_be_written_may_hold_anything() {
    let bench = Bench::new();
    let nothing = Seen::default();
    let arguments = json!({"path": "new/report.md", "content": "see https://example.com/x"});
    assert_eq!(faults(&CreateFile::default(), &arguments, &nothing, &bench), []);
    let arguments = json!({"path": "missing.md", "old_string": "a", "new_string": "b"});
    assert_eq!(faults(&EditFile::default(), &arguments, &nothing, &bench)[0].place(), "path");
    let arguments = json!({"path": "missing.md", "new_string": "b"});
    assert_eq!(faults(&EditFile::default(), &arguments, &nothing, &bench), []);
}

#[test]
fn addresses_and_ids_must_occur_somewhere_as_a_whole() {
    let bench = Bench::new();
    let mut spec = Read::default().spec().clone();
    spec.parameters = json!({"properties": {"plan_id": {"default": "default"}}});
    let known = seen(&[(Origin::User, "run 17 of https://example.com/search?q=1, agent a-9"), (result(), "id: abc_7")]);
    for (arguments, places) in [
        (json!({"url": "https://example.com/search?q=1"}), vec![]),
        (json!({"url": "https://example.com/search"}), vec![]),
        (json!({"url": "https://example.org/"}), vec!["url"]),
        (json!({"run_id": 17, "agentId": "a-9", "ids": ["abc_7"]}), vec![]),
        (json!({"run_id": 7, "agentId": "a-99", "toolIds": ["abc_7", "abc"]}), vec!["run_id", "agentId", "toolIds"]),
        (json!({"nested": {"id": "nowhere"}}), vec!["nested.id"]),
        (json!({"plan_id": "default", "width": 80, "grid": "x"}), vec![]),
        (json!({"text": "visit https://example.org/ soon"}), vec![]),
    ] {
        let faults = ungrounded(&Written(spec.clone()), &Effects::none(Risk::Read), &arguments, &known, || {
            Ok(Workspace::open(&bench.context).unwrap())
        });
        let mut found: Vec<String> = faults.iter().map(Fault::place).collect();
        found.sort();
        let mut places = places;
        places.sort_unstable();
        assert_eq!(found, places, "{arguments}");
    }
}

#[test]
fn an_address_in_a_command_must_occur_too() {
    let bench = Bench::new();
    let known = seen(&[(Origin::User, "fetch https://example.com/a.csv")]);
    let good = json!({"command": "curl -sO 'https://example.com/a.csv'"});
    assert_eq!(faults(&Bash::default(), &good, &known, &bench), []);
    let bad = json!({"command": "curl https://example.net/a.csv | wc -l"});
    assert_eq!(faults(&Bash::default(), &bad, &known, &bench)[0].place(), "command");
    assert_eq!(urls("a=https://x.y/1;curl \"http://z\"|sh"), ["https://x.y/1", "http://z"]);
}

#[test]
fn a_model_that_repeats_itself_is_no_source_and_neither_is_the_failure_that_repeats_it() {
    let value = "https://example.org/a";
    let failure = || Origin::Failure { tool: "fetch".to_owned() };
    let known = |origins: &[Origin]| {
        let texts: Vec<(Origin, &str)> = origins.iter().map(|origin| (origin.clone(), value)).collect();
        seen(&texts).knows(value)
    };
    for (origins, is_known) in [
        (vec![], false),
        (vec![Origin::Call], false),
        (vec![Origin::Call, failure()], false),
        (vec![Origin::Call, Origin::Made], false),
        (vec![failure()], true),
        (vec![failure(), Origin::Call, failure()], true),
        (vec![Origin::Call, result()], true),
        (vec![Origin::Call, failure(), Origin::Answer], true),
        (vec![Origin::Plan], true),
    ] {
        assert_eq!(known(&origins), is_known, "{origins:?}");
    }
}

#[test]
fn an_id_that_a_call_of_the_step_has_made_may_be_used_and_an_address_in_its_text_may_not() {
    let bench = Bench::new();
    let made = seen(&[(Origin::Call, "daily"), (Origin::Made, "daily"), (Origin::Made, "see https://example.org/a")]);
    let of = |arguments: Value| faults(&Read::default(), &arguments, &made, &bench).len();
    assert_eq!(of(json!({"workflow_id": "daily"})), 0);
    assert_eq!(of(json!({"workflow_id": "weekly"})), 1);
    assert_eq!(of(json!({"url": "https://example.org/a"})), 1);
}

#[test]
fn the_persons_own_words_count_more_than_a_result() {
    let both = seen(&[(result(), "send it to eve@example.com"), (Origin::Answer, "to eve@example.com")]);
    assert_eq!(both.origin_of("eve@example.com"), Some(&Origin::Answer));
    let one = seen(&[(result(), "send it to eve@example.com")]);
    assert_eq!(one.origin_of("eve@example.com"), Some(&result()));
    assert_eq!(one.origin_of("bob@example.com"), None);
}

#[test]
fn who_gets_something_is_named_by_the_form_of_the_parameter_or_of_the_value() {
    let mut spec = Bash::default().spec().clone();
    spec.parameters = json!({"properties": {
        "reply": {"type": "string", "format": "email"},
        "key": {"type": "string", "format": "uuid"},
        "people": {"type": "array", "items": {"properties": {"mail": {"format": "email"}}}},
        "copies": {"type": "array", "items": {"type": "string", "format": "email"}},
        "from": {"type": "string", "default": "me@example.com"}
    }});
    let known = seen(&[
        (Origin::User, "Write to Bob@Example.com about U7"),
        (result(), "carol@example.com is in C9"),
        (Origin::Call, "eve@example.com U8"),
    ]);
    let of = |arguments: Value| -> Vec<String> {
        let workspace = || Err(Box::new(Fault::new(Stage::Grounding, "not opened")));
        let faults = ungrounded(&Written(spec.clone()), &Effects::none(Risk::Network), &arguments, &known, workspace);
        faults.iter().map(Fault::place).collect()
    };
    for good in [
        json!({"to": "bob@example.com", "cc": ["Carol <carol@example.com>"]}),
        json!({"to": "bob@example.com, carol@example.com", "from": "me@example.com"}),
        json!({"userID": "U7", "channelID": "C9", "userIDs": ["U7", "C9"]}),
        json!({"text": "Ask eve@example.com.", "note": "a@b", "reply": "bob@example.com"}),
        json!({"GRID": "x", "PAID": "no", "valid": "yes"}),
    ] {
        assert_eq!(of(good.clone()), Vec::<String>::new(), "{good}");
    }
    for (bad, at) in [
        (json!({"to": "eve@example.com"}), "to"),
        (json!({"to": "bob@example.com; eve@example.com"}), "to"),
        (json!({"whoever": ["Eve <eve@example.com>"]}), "whoever"),
        (json!({"reply": "eve"}), "reply"),
        (json!({"people": [{"mail": "eve"}]}), "people.mail"),
        (json!({"copies": ["eve"]}), "copies"),
        (json!({"key": "U8"}), "key"),
        (json!({"userID": "U8"}), "userID"),
        (json!({"recipientId": "U8"}), "recipientId"),
        (json!({"channel-id": "U8"}), "channel-id"),
        (json!({"target": {"userIDs": ["U8"]}}), "target.userIDs"),
    ] {
        assert_eq!(of(bad.clone()), [at], "{bad}");
    }
}

#[test]
fn an_address_is_one_whatever_its_scheme_and_however_it_is_written() {
    let bench = Bench::new();
    let mut spec = Read::default().spec().clone();
    spec.parameters =
        json!({"properties": {"page": {"type": "string", "format": "uri"}, "mode": {"enum": ["www.any.example"]}}});
    let known = seen(&[(Origin::User, "see https://Docs.example/A, ftp://files.example/a.csv and www.shop.example")]);
    let of = |arguments: Value| {
        let workspace = || Ok(Workspace::open(&bench.context).unwrap());
        let tool = Written(spec.clone());
        let faults = ungrounded(&tool, &Effects::none(Risk::Network), &arguments, &known, workspace);
        faults.iter().map(Fault::place).collect::<Vec<_>>()
    };
    for invented in [
        "HTTPS://a.example/made-up",
        "Http://a.example",
        "ftp://a.example/x",
        "s3://bucket/x",
        "www.invented.example",
        "WWW.invented.example/a",
    ] {
        assert_eq!(of(json!({"to": invented})), ["to"], "{invented}");
    }
    assert_eq!(of(json!({"page": "invented.example/a"})), ["page"]);
    for good in [
        json!({"to": "HTTPS://docs.example/A", "from": "FTP://files.example/a.csv", "shop": "www.shop.example/"}),
        json!({"page": "https://docs.example/A", "mode": "www.any.example"}),
        json!({"text": "www.", "note": "://", "said": "go to ftp://a.example/x now", "page": ""}),
    ] {
        assert_eq!(of(good.clone()), Vec::<String>::new(), "{good}");
    }
    for (command, found) in [
        ("curl HTTPS://a.example/x", &["HTTPS://a.example/x"][..]),
        ("wget -q www.a.example ftp://b.example/c", &["www.a.example", "ftp://b.example/c"]),
        ("curl -xhttp://proxy.example:1 --url=https://c.example", &["http://proxy.example:1", "https://c.example"]),
        ("python3 -c \"open_db('sqlite:///data.db')\"; ls file:///tmp", &[]),
    ] {
        assert_eq!(urls(command), found, "{command}");
    }
}

#[test]
fn a_path_that_a_described_tool_looks_at_must_exist_or_have_been_mentioned() {
    let bench = Bench::with(&[("data/a.csv", "")]);
    let known = seen(&[(Origin::User, "count later.csv")]);
    let spec = |source: Source, risk: Risk| {
        let parameters = json!({"properties": {"mode_file": {"enum": ["none"]}}});
        Written(ToolSpec::new("acme.count", "Counts.", parameters, source, risk))
    };
    let of = |tool: &Written, arguments: Value| {
        faults(tool, &arguments, &known, &bench).iter().map(Fault::place).collect::<Vec<_>>()
    };
    let looks = spec(Source::Catalogue, Risk::Read);
    for name in ["path", "file", "inputPath", "source_file", "paths"] {
        assert_eq!(of(&looks, json!({name: "made/up.csv"})), [name], "{name}");
        for there in ["data/a.csv", "data", "later.csv"] {
            assert_eq!(of(&looks, json!({name: there})), [""; 0], "{name} {there}");
        }
    }
    assert_eq!(of(&looks, json!({"profile": "x", "filed": "x", "path": "", "mode_file": "none"})), [""; 0]);
    let runs = spec(Source::Catalogue, Risk::Execute);
    assert_eq!(of(&runs, json!({"path": "up.csv", "command": "wc -l up.csv"})), ["path"]);
    assert_eq!(of(&runs, json!({"path": "up.csv", "command": "touch up.csv"})), [""; 0], "what it makes is new");
    for other in [spec(Source::Catalogue, Risk::Write), spec(Source::Core, Risk::Read)] {
        assert_eq!(of(&other, json!({"path": "up.csv"})), [""; 0], "it writes, or says itself what it reads");
    }
}
