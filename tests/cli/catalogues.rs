//! Folders of tool descriptions, their budget, how well they are found, and what is remembered of them.

use assent_engine::store::{Memories as _, MemoryDraft, MemoryKind, MemorySource, Relation};
use serde_json::{Value, json};

use crate::desk::{ASSENT, Desk};

/// A folder with a tool that greets, one that asks a server, and one that cannot be used.
fn office(desk: &Desk) {
    let tools = json!([
        {"name": "greet", "description": "Greets a colleague by name.", "risk": "read",
            "parameters": {"properties": {"name": {"type": "string"}}, "required": ["name"]},
            "command": ["printf", "hello %s", "{name}"]},
        {"name": "ticket", "description": "Reads a ticket of the helpdesk.",
            "parameters": {"properties": {"id": {"type": "integer"}}, "required": ["id"]},
            "http": {"url": "https://helpdesk.example/tickets/{id}"}},
        {"name": "tool search", "description": "Takes the place of another.", "command": ["true"]},
    ]);
    std::fs::create_dir(desk.workspace().join("tools")).unwrap();
    desk.write("tools/office.json", &tools.to_string());
}

fn names(values: &[Value]) -> Vec<&str> {
    values.iter().filter_map(|tool| tool["name"].as_str()).collect()
}

#[test]
fn a_folder_of_tools_is_added_searched_called_behind_the_same_walls_and_removed() {
    let desk = Desk::new();
    office(&desk);
    let added = desk.run(&["tools", "source", "add", "office", "tools", "--json"]).ends(0).values();
    assert_eq!((&added[0]["tools"], &added[0]["leftOut"][0]["name"]), (&json!(2), &json!("tool search")));
    desk.run(&["tools", "source", "add", "office", "tools"]).ends(1);
    desk.run(&["tools", "source", "add", "Office!", "tools"]).ends(1);
    desk.run(&["tools", "source", "add", "other", "nowhere"]).ends(1);

    let found = desk.run(&["tools", "search", "greet a colleague", "--json"]).ends(0).values();
    assert_eq!(names(&found)[0], "office.greet");
    let row = &found[0];
    assert_eq!(
        (&row["risk"], &row["source"], &row["server"]),
        (&json!("execute"), &json!("catalogue"), &json!("office"))
    );
    assert_eq!((&row["summary"], &row["callable"]), (&json!("Greets a colleague by name."), &json!(true)));
    let only = |more: &[&str]| {
        let all = [&["tools", "search", "--json", "greet a colleague or read a ticket"][..], more].concat();
        let found = desk.run(&all).ends(0).values();
        names(&found).into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(only(&["--risk", "network"]), ["office.ticket"]);
    assert_eq!(only(&["--server", "office"]).len(), 2);
    assert!(only(&["--source", "core"]).iter().all(|name| !name.starts_with("office")));
    let nothing = desk.run(&["tools", "search", "greet a colleague", "--server", "nobody"]).ends(0);
    assert!(nothing.err.contains("the filter leaves them out"), "{}", nothing.err);

    let called = desk.run(&["tools", "call", "office.greet", r#"{"name": "Ada; id"}"#]);
    assert!(called.out.contains("hello Ada; id"), "{} {}", called.out, called.err);
    let asked = desk.run(&["tools", "call", "office.ticket", r#"{"id": 7}"#]);
    assert!(asked.out.contains("helpdesk.example"), "{} {}", asked.out, asked.err);

    let listed = desk.run(&["tools", "source", "list"]).ends(0);
    assert!(listed.out.contains("left out: office.json tool search"), "{}", listed.out);
    std::fs::rename(desk.workspace().join("tools"), desk.workspace().join("away")).unwrap();
    let remembered = || desk.run(&["memory", "list", "--limit", "500"]).ends(0).out.contains("tool:office.greet");
    assert!(remembered(), "a folder that is gone for a while is no reason to forget its tools");
    let gone = desk.run(&["tools", "list"]).ends(0);
    assert!(gone.err.contains("the tools of office are not there"), "{}", gone.err);
    let nothing = desk.run(&["tools", "search", "zählwerk"]).ends(0);
    let why = "The tools of office are not there: its folder cannot be read now.";
    assert!(nothing.err.contains(why), "an empty search says what it could not look at: {}", nothing.err);
    desk.run(&["tools", "source", "remove", "office"]).ends(0);
    assert!(!remembered(), "of a source that was removed nothing stays");
    desk.run(&["tools", "source", "remove", "office"]).ends(1);
    assert!(!desk.run(&["tools", "list"]).ends(0).out.contains("office."));
}

// covers: L16 L17
#[test]
fn the_budget_is_a_setting_that_the_environment_overrides() {
    let desk = Desk::new();
    let budget = |arguments: &[&str]| {
        desk.run(&[&["tools", "budget", "--json"][..], arguments].concat()).ends(0).values()[0]["toolTokenBudget"]
            .clone()
    };
    assert_eq!(budget(&[]), 3800);
    assert_eq!(budget(&["6000"]), 6000);
    assert_eq!(budget(&[]), 6000);
    desk.run(&["tools", "budget", "7"]).ends(64);
    let enough = desk.run(&["tools", "budget"]).ends(0);
    assert_eq!(enough.err, "", "all core tools fit");
    let few = desk.run(&["tools", "budget", "900"]).ends(0);
    assert!(few.err.contains("too few for all core tools") && few.err.contains("tool_search"), "{}", few.err);
    assert!(few.err.contains("can then not be found in a run"), "{}", few.err);
    let told = desk.run(&["tools", "budget", "--json"]).ends(0).values();
    assert!(told[0]["leftOut"].as_array().unwrap().contains(&json!("tool_search")), "{}", told[0]);
    assert_eq!(budget(&["6000"]), 6000);
    let with = |value: &str| {
        let mut command = desk.command(ASSENT);
        let output = command.args(["tools", "budget", "--json"]).env("ASSENT_TOOL_BUDGET", value).output();
        desk.ran(output.unwrap()).ends(0)
    };
    assert_eq!(with("1234").values()[0]["toolTokenBudget"], 1234);
    let ignored = with("many");
    assert_eq!(ignored.values()[0]["toolTokenBudget"], 6000);
    assert!(ignored.err.contains("ASSENT_TOOL_BUDGET is ignored"), "{}", ignored.err);
    assert_eq!(budget(&["--usual"]), 3800);
}

#[test]
fn how_well_tools_are_found_is_measured_over_files() {
    let desk = Desk::new();
    let tools = [("create_pr", "Create a pull request."), ("add_event", "Add an event to a calendar.")];
    let lines: Vec<String> =
        tools.iter().map(|(name, text)| json!({"name": name, "description": text}).to_string()).collect();
    desk.write("tools.jsonl", &lines.join("\n"));
    let asked = [
        json!({"query": "open a pull request", "gold": ["create_pr"]}),
        json!({"query": "calendar event", "gold": ["add_event", "not_there"]}),
    ];
    desk.write("queries.jsonl", &asked.map(|asked| asked.to_string()).join("\n"));
    let measured =
        desk.run(&["tools", "eval", "--tools", "tools.jsonl", "--queries", "queries.jsonl", "--json"]).ends(0).values();
    let figures = measured[0].as_object().unwrap();
    let keys: Vec<&str> = figures.keys().map(String::as_str).collect();
    assert_eq!(
        keys,
        ["tools", "queries", "byMeaning", "recall@1", "recall@5", "recall@10", "mrr", "indexMs", "latencyMs"]
    );
    assert_eq!(figures["byMeaning"], false);
    assert_eq!([&figures["tools"], &figures["recall@5"], &figures["mrr"]], [&json!(2), &json!(0.75), &json!(1.0)]);
    assert!(["p50", "p95", "p99"].iter().all(|share| figures["latencyMs"][share].is_number()));
    desk.write("queries.jsonl", "{\"query\": 7}");
    let wrong = desk.run(&["tools", "eval", "--tools", "tools.jsonl", "--queries", "queries.jsonl"]).ends(64);
    assert!(wrong.err.contains("line 1 of queries.jsonl"), "{}", wrong.err);
    desk.run(&["tools", "eval", "--tools", "nowhere.jsonl", "--queries", "queries.jsonl"]).ends(1);
}

#[test]
fn what_is_remembered_is_seen_and_forgotten() {
    let desk = Desk::new();
    desk.write("notes.txt", "one\n");
    desk.run(&["tools", "call", "read", r#"{"path": "notes.txt"}"#]).ends(0);
    let rows = desk.run(&["memory", "list", "--kind", "action", "--json"]).ends(0).values();
    assert_eq!((rows.len(), &rows[0]["context"]), (1, &json!("tool:read:usage")));
    assert_eq!(rows[0]["payload"]["data"]["tool"], "read");
    assert_eq!(rows[0]["payload"]["data"]["intent"], "", "what was typed into a form is nothing to look for a tool by");
    assert!(desk.run(&["memory", "list"]).ends(0).out.contains("tool:grep"));
    let fact = desk.run(&["memory", "list", "--context", "tool:grep"]).ends(0);
    assert!(fact.out.contains("Find and count the lines") && !fact.out.contains('{'), "in words: {}", fact.out);
    let done = desk.run(&["memory", "list", "--kind", "action"]).ends(0);
    assert!(done.out.trim_end().ends_with("tool:read:usage              worked"), "{}", done.out);
    assert!(done.out.contains("action       call    tool:read:usage"), "on whose word: {}", done.out);
    assert!(fact.out.contains("fact         Assent  tool:grep"), "{}", fact.out);
    assert_eq!(
        (done.out.lines().count(), fact.out.lines().count()),
        (1, 1),
        "that it is about its tool need not be said"
    );
    let wrong = desk.run(&["memory", "list", "--kind", "actions"]).ends(64);
    assert!(wrong.err.contains("unknown variant `actions`"), "{}", wrong.err);
    let found =
        desk.run(&["memory", "recall", "read a file of the workspace", "--limit", "1", "--json"]).ends(0).values();
    assert_eq!(found.len(), 1);
    let by_words = desk.run(&["memory", "recall", "finds lines in files"]).ends(0);
    assert!(!by_words.out.contains("tool:grep"), "what tools take is listed, and no memory of what was done");
    let contexts = |filter: &[&str]| -> Vec<String> {
        let recall = [&["memory", "recall", "lines in files", "--limit", "3", "--json"][..], filter].concat();
        let rows = desk.run(&recall).ends(0).values();
        rows.iter().map(|row| row["context"].as_str().unwrap().to_owned()).collect()
    };
    assert!(contexts(&["--kind", "fact"]).contains(&"tool:grep".to_owned()), "whoever asks for facts is told them");
    assert_eq!(contexts(&["--context", "tool:grep"]), ["tool:grep"]);
    assert_eq!(contexts(&["--kind", "action", "--context", "tool:grep"]), [""; 0]);
    desk.run(&["memory", "forget"]).ends(64);
    let gone = desk.run(&["memory", "forget", "--tool", "read", "--json"]).ends(0).values();
    assert_eq!(gone[0]["forgotten"], 2, "what it takes, and the call");
    let left = desk.run(&["memory", "list", "--kind", "action"]).ends(0);
    assert!(left.err.contains("nothing of that kind"), "{}", left.err);
}

#[test]
fn a_memory_tells_on_whose_word_it_is_kept_and_what_it_has_to_do_with() {
    let desk = Desk::new();
    let draft = |source: MemorySource, links: &[(Relation, &str)]| MemoryDraft {
        context: "decisions".to_owned(),
        kind: MemoryKind::Decision,
        source,
        slot: None,
        times: 1,
        session: None,
        at: 5,
        payload: json!(format!("The harbour is closed, as {source:?} said.")),
        links: links.iter().map(|(relation, to)| (*relation, (*to).to_owned())).collect(),
    };
    let links = [
        (Relation::Extends, "project:harbour"),
        (Relation::Contradicts, "errors\u{1b}[2J\u{202e}"),
        (Relation::Reinforces, "user_intent"),
        (Relation::RelatedTo, "session:1"),
    ];
    let sources = [MemorySource::Validator, MemorySource::Executor, MemorySource::User, MemorySource::Agent];
    let drafts = sources.into_iter().map(|source| draft(source, &[])).chain([draft(MemorySource::System, &links)]);
    desk.store().remember(drafts.collect()).unwrap();
    for command in [&["memory", "list", "--kind", "decision"][..], &["memory", "recall", "harbour"]] {
        let told = desk.run(command).ends(0).out;
        let has = |words: &str| told.lines().any(|line| line.contains(words));
        for (word, source) in [("check", "Validator"), ("call", "Executor"), ("you", "User"), ("model", "Agent")] {
            assert!(
                has(&format!("decision     {word:<7} decisions                    The harbour is closed, as {source}")),
                "{told}"
            );
        }
        assert!(has("decision     Assent  decisions                    The harbour is closed, as System"), "{told}");
        let linked: Vec<&str> = told.lines().filter(|line| line.starts_with("        ")).map(str::trim).collect();
        let linked = linked.join(" ");
        for words in [
            "says more about project:harbour",
            "speaks against errors",
            "speaks for user_intent",
            "has to do with session:1",
        ] {
            assert!(linked.contains(words), "{words}: {told}");
        }
        assert!(!told.contains(['\u{1b}', '\u{202e}']), "{told}");
        let memories = told.lines().filter(|line| line.contains("decision     ")).count();
        assert_eq!(
            (memories, linked.matches("harbour").count()),
            (5, 1),
            "who has no links has no line for them: {told}"
        );
    }
}

#[test]
fn a_recall_among_more_memories_than_it_looks_through_gives_what_it_found_and_says_so() {
    let desk = Desk::new();
    let draft = |number: usize| MemoryDraft {
        context: "decisions".to_owned(),
        kind: MemoryKind::Decision,
        source: MemorySource::User,
        slot: None,
        times: 1,
        session: None,
        at: 5,
        payload: json!(format!("Decision {number}: the harbour is closed.")),
        links: Vec::new(),
    };
    desk.store().remember((0..2_001).map(draft).collect()).unwrap();
    let found = desk.run(&["memory", "recall", "harbour", "--limit", "3", "--json"]).ends(0);
    assert_eq!(found.values().len(), 3, "{}", found.shown());
    assert_eq!(found.err, "only the newest 2000 memories were looked through; there are more\n");
    let none = desk.run(&["memory", "recall", "lighthouse"]).ends(0);
    assert_eq!(
        (none.out.as_str(), none.err.as_str()),
        ("", "None of the newest 2000 memories says anything like that.\n")
    );
}
