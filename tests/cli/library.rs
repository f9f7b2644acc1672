//! What is there: sessions, search, models, tools, the state of the installation.

use expect_test::expect;
use serde_json::{Value, json};

use crate::desk::{Desk, KEY, all};
use crate::replies::{MESSAGE, count_and_write, counting, plans, says};

fn answer(text: &str) -> assent_tests::sse::Answer {
    plans(&json!({"title": "A", "answer": text}))
}

#[test]
fn sessions_are_renamed_put_away_taken_back_and_deleted() {
    let desk = Desk::with([answer("First."), answer("Second.")]);
    desk.run(&["ask", "One"]).ends(0);
    desk.run(&["ask", "Two"]).ends(0);
    let rows = desk.run(&["sessions", "--json"]).ends(0).values();
    let (two, one) = (rows[0]["id"].as_str().unwrap(), rows[1]["id"].as_str().unwrap());
    expect![[r#"
        exit 0
        --- out
        ID1  just now                 Two
        ID2  just now                 One

        exit 0
        --- out
        › One

        First.

        1 model call · 110 tokens · 0 ms

        exit 0
        --- out
        ID2 is now named Tax 2026

        exit 64
        --- err
        assent: the name is empty: give the session a name

        exit 0
        --- out
        ID1 is put away

        exit 0
        --- out
        ID2  just now                 Tax 2026

        exit 0
        --- out
        ID1  just now                 Two
        ID2  just now                 Tax 2026

        exit 0
        --- out
        ID1 is back in the list

        exit 1
        --- err
        assent: deleting cannot be undone: say --yes to delete "Two"

        exit 0
        --- out
        ID1 is deleted

        exit 1
        --- err
        assent: there is no session ID1; see: assent sessions --all --archived

        exit 0
        --- out
        ID2  just now                 Tax 2026

        exit 0
        --- err
        nothing found: every word has to occur in one message, plan, call or result; the first 1 MB of each is searched
    "#]]
    .assert_eq(&all([
        desk.run(&["sessions"]),
        desk.run(&["sessions", "show", one]),
        desk.run(&["sessions", "rename", one, "Tax 2026"]),
        desk.run(&["sessions", "rename", one, " "]),
        desk.run(&["sessions", "archive", two]),
        desk.run(&["sessions"]),
        desk.run(&["sessions", "--archived"]),
        desk.run(&["sessions", "archive", two, "--undo"]),
        desk.run(&["sessions", "delete", two]),
        desk.run(&["sessions", "delete", two, "--yes"]),
        desk.run(&["sessions", "show", two]),
        desk.run(&["sessions"]),
        desk.run(&["search", "Second"]),
    ]));
    let row = |arguments: &[&str]| desk.run(arguments).ends(0).values().remove(0);
    assert_eq!(row(&["sessions", "rename", one, "Again", "--json"])["title"], "Again");
    assert_eq!(row(&["sessions", "archive", one, "--json"])["archived"], true);
    assert_eq!(row(&["sessions", "delete", one, "--yes", "--json"])["id"], json!(one));
    assert_eq!(desk.run(&["sessions", "--json"]).ends(0).values(), Vec::<Value>::new());
}

#[test]
fn search_finds_text_in_messages_plans_steps_calls_results_and_answers() {
    let desk = Desk::with([count_and_write()].into_iter().chain(counting()));
    desk.run(&["ask", "--approve", "never-ask", MESSAGE]).ends(0);
    let kinds = |text: &str| -> Vec<String> {
        let hits = desk.run(&["search", text, "--json"]).ends(0).values();
        hits.iter().map(|hit| hit["kind"].as_str().unwrap().to_owned()).collect()
    };
    assert!(kinds("mention Berlin").contains(&"message".to_owned()), "{:?}", kinds("mention Berlin"));
    assert_eq!(kinds("all notes"), ["plan"], "a step");
    assert!(kinds("counts.md").contains(&"call".to_owned()), "{:?}", kinds("counts.md"));
    assert!(kinds("in berlin").contains(&"result".to_owned()), "{:?}", kinds("in berlin"));
    assert!(kinds("numbers are in").contains(&"answer".to_owned()), "{:?}", kinds("numbers are in"));
    let session = desk.run(&["sessions", "--json"]).ends(0).values()[0]["id"].as_str().unwrap().to_owned();
    let within = |session: &str| desk.run(&["search", "berlin", "--session", session, "--json"]);
    let seqs: Vec<u64> =
        within(&session[..8]).ends(0).values().iter().map(|hit| hit["seq"].as_u64().unwrap()).collect();
    assert!(seqs.len() > 2 && seqs.is_sorted(), "{seqs:?}");
    assert!(within("nobody").ends(1).err.contains("nobody"));
    expect![[r#"
        exit 0
        --- out
        ID2  answer   How many lines mention Berlin? Write the numbers to…
          The [numbers] [are] [in] counts.md.
        ID2  result   How many lines mention Berlin? Write the numbers to…
          The [numbers] [are] [in] counts.md.

        exit 0
        --- err
        nothing found: every word has to occur in one message, plan, call or result; the first 1 MB of each is searched
    "#]]
    .assert_eq(&all([desk.run(&["search", "numbers", "are", "in"]), desk.run(&["search", "zeppelin"])]));
}

// covers: L10
#[test]
fn tools_are_found_by_what_is_to_be_done() {
    let desk = Desk::new();
    let found = |arguments: &[&str]| -> Vec<String> {
        let run = desk.run(&[&["tools", "search", "--json"][..], arguments].concat()).ends(0);
        run.values().iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(found(&["lines", "that", "match", "a", "pattern", "--limit", "1"]), ["grep"]);
    assert_eq!(found(&["what is in notes.txt? read it", "--limit", "1"]), ["read"]);
    assert_eq!(found(&["undo_edit", "--limit", "1"]), ["undo_edit"]);
    assert!(!found(&["change a file", "--risk", "read", "--source", "core"]).contains(&"edit_file".to_owned()));
    let why = desk.run(&["tools", "search", "run a command", "--why", "--limit", "1"]).ends(0).out;
    assert!(why.starts_with("bash") && why.contains("words"), "{why}");
    assert!(why.trim_end().ends_with("; of the specialist workspace"), "{why}");
    let nothing = desk.run(&["tools", "search", "quantum", "entanglement"]).ends(0);
    assert!(nothing.err.contains("says anything like that"), "{}", nothing.err);
    let closed = desk.run(&["tools", "search", "make an agent", "--source", "studio"]).ends(0);
    assert!(closed.err.contains("that would fit are switched off: the studio is closed"), "{}", closed.err);
    desk.run(&["heap", "studio", "open"]).ends(0);
    assert!(found(&["make an agent", "--source", "studio"]).contains(&"create_agent".to_owned()));
    desk.run(&["tools", "search", "x", "--risk", "some"]).ends(64);
}

#[test]
fn tools_are_listed_explained_and_called_by_hand() {
    let desk = Desk::new();
    desk.write("notes.txt", "one\ntwo\n");
    let listed = desk.run(&["tools", "list", "--json"]).ends(0).values();
    let names: Vec<&str> = listed.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    for name in ["bash", "edit_file", "create_file", "undo_edit", "glob", "grep", "finder", "read", "ask_user"] {
        assert!(names.contains(&name), "{names:?}");
        assert!(desk.run(&["tools", "explain", name]).ends(0).out.starts_with(name));
    }
    assert_eq!(desk.run(&["tools", "list"]).ends(0).out.lines().count(), names.len());
    let explained = desk.run(&["tools", "explain", "grep", "--json"]).ends(0).values();
    assert_eq!(explained[0]["parameters"]["required"], json!(["pattern"]));
    expect![[r#"
        exit 0
        --- out
        read ID1 v1  proposed

          1  s1   read  read {"path":"notes.txt"}

          may read notes.txt   write nothing   run commands: no   network: no
          approved
        ● s1
            read {"path":"notes.txt"}
            ✓ 0 ms
        ✓ s1 completed

        one
        two



        exit 0
        --- out
        create_file ID2 v1  proposed

          1  s1   create_file  create_file {"path":"new.txt","content":"mine\n"}

          may read nothing   write new.txt   run commands: no   network: no
          approved
        ● s1
            create_file {"path":"new.txt","content":"mine\n"}
            ✓ 0 ms
        ✓ s1 completed

        Wrote new.txt (5 bytes).


        exit 1
        --- out
        create_file ID3 v1  proposed

          1  s1   create_file  create_file {"path":"../out.txt","content":"x"}

          may read nothing   write this folder   run commands: no   network: no
          approved
        ● s1
            create_file {"path":"../out.txt","content":"x"}
            ✗ ../out.txt is outside the workspace (Use a path relative to the workspace.)
        ✗ s1 failed: Step s1 did not invoke required tools: create_file
        --- err
        ✗ s1: Step s1 did not invoke required tools: create_file

        exit 1
        --- out
        read ID4 v1  proposed

          1  s1   read  read {"path":"missing.txt"}

          may read missing.txt   write nothing   run commands: no   network: no
          approved
        ● s1
            read {"path":"missing.txt"}
            ✗ not found: missing.txt does not exist in the workspace. Files here: a.txt, b.txt, new.txt,
              notes.txt
        ✗ s1 failed: Step s1 has no successful call of: read
        --- err
        ✗ s1: Step s1 has no successful call of: read

        exit 1
        --- out
        read ID5 v1  proposed

          1  s1   read  read {"file":"notes.txt"}

          may read notes.txt   write nothing   run commands: no   network: no
          approved
        ● s1
            read {"file":"notes.txt"}
            ✗ unexpected: file; 'path' is a required property (Please provide all required fields: path) (Leave these out.)
        ✗ s1 failed: Step s1 did not invoke required tools: read
        --- err
        ✗ s1: Step s1 did not invoke required tools: read

        exit 1
        --- err
        assent: there is no tool "magic"; see: assent tools list

        exit 1
        --- err
        assent: there is no tool "magic"; see: assent tools list

        exit 1
        --- err
        assent: tool_search is for models; look for tools yourself: assent tools search, assent tools explain
    "#]].assert_eq(&all([
        desk.run(&["tools", "call", "read", r#"{"path": "notes.txt"}"#]),
        desk.run(&["tools", "call", "create_file", r#"{"path": "new.txt", "content": "mine\n"}"#]),
        desk.run(&["tools", "call", "create_file", r#"{"path": "../out.txt", "content": "x"}"#]),
        desk.run(&["tools", "call", "read", r#"{"path": "missing.txt"}"#]),
        desk.run(&["tools", "call", "read", r#"{"file": "notes.txt"}"#]),
        desk.run(&["tools", "call", "magic"]),
        desk.run(&["tools", "explain", "magic"]),
        desk.run(&["tools", "call", "tool_search", r#"{"query": "x"}"#]),
    ]));
    assert_eq!(desk.file("new.txt").as_deref(), Some("mine\n"));
    assert!(!desk.workspace().join("../out.txt").exists());
    assert_eq!(desk.asked().len(), 0, "no model is asked");
}

#[test]
fn models_are_added_chosen_and_tested() {
    let mut desk = Desk::with([says(r#"{"colour": "blue"}"#)]);
    expect![[r#"
        exit 0
        --- out
        desk/test answered after 0 ms, in the form that was asked for
        --- err
        testing desk/test …

        exit 0
        --- out
        new turns use desk/other

        exit 1
        --- err
        assent: nobody/x cannot be used: there is no provider nobody; the settings and `assent model list` show those there are

        exit 64
        --- err
        assent: "desk" cannot be added: its address has to begin with http:// or https://, such as http://127.0.0.1:1/v1

        exit 64
        --- err
        assent: "a/b" cannot be added: its name may hold letters, digits, '-', '_' and '.' only

        exit 64
        --- err
        assent: "desk" cannot be added: its address must hold no key: keys go into the keyring
    "#]]
    .assert_eq(&all([
        desk.run(&["model", "test"]),
        desk.run(&["model", "use", "desk/other", "--for", "planner"]),
        desk.run(&["model", "use", "nobody/x"]),
        desk.run(&["model", "add", "desk", "--url", "ftp://example.org"]),
        desk.run(&["model", "add", "a/b", "--url", "http://127.0.0.1:1/v1"]),
        desk.run(&["model", "add", "desk", "--url", "http://me:secret@127.0.0.1:1/v1"]),
    ]));
    let chosen: Vec<Value> = desk.run(&["model", "list", "--json"]).ends(0).values();
    let chosen: Vec<&Value> = chosen.iter().filter(|model| model["chosen"] == true).map(|model| &model["id"]).collect();
    assert_eq!(chosen, ["desk/other", "desk/test"]);
    desk.serve([says("Blue, I think."), says("Blue.")]);
    expect![[r#"
        exit 1
        --- out
        desk/test answered after 0 ms, but not in the form that was asked for
        --- err
        testing desk/test …
    "#]]
    .assert_eq(&desk.run(&["model", "test", "desk/test"]).shown());
    let added = desk.run(&["--json", "model", "add", "office", "--url", "http://10.0.0.7:8000/v1"]).ends(0).values();
    assert_eq!(added[0]["baseUrl"], "http://10.0.0.7:8000/v1");
    let moved = ["model", "add", "office", "--url", "http://10.0.0.8:8000/v1"];
    let taken = desk.run(&moved).ends(1).err;
    assert!(taken.contains("at http://10.0.0.7:8000/v1 is known already") && taken.contains("--replace"), "{taken}");
    desk.run(&[&moved[..], &["--replace"]].concat()).ends(0);
    assert_eq!(desk.run(&["--json", "model", "use", "office/x"]).ends(0).values()[0]["id"], "office/x");
    expect![[r#"
        exit 0
        --- out
        office is forgotten; this machine's keyring cannot be used: there is none, or it does not run. A key that is in it stays until assent model key office --forget

        exit 1
        --- err
        assent: no endpoint of yours is called office; assent model list names those that are known
    "#]]
    .assert_eq(&all([desk.run(&["model", "remove", "office"]), desk.run(&["model", "remove", "office"])]));
}

#[test]
fn a_model_is_named_for_one_message() {
    let desk = Desk::with([answer("Hello.")]);
    desk.run(&["model", "use", "local/starter"]).ends(0);
    assert_eq!(desk.run(&["ask", "--model", "desk/special", "Hello"]).ends(0).out, "\nHello.\n\n");
    assert_eq!(desk.asked()[0].body["model"], "special");
    expect![[r#"
        exit 64
        --- err
        assent: "special" names no model: write PROVIDER/NAME, such as local/starter or ollama/llama3
    "#]]
    .assert_eq(&desk.run(&["ask", "--model", "special", "Hello"]).shown());
}

#[test]
fn a_key_without_a_keyring_is_not_kept_and_that_is_said() {
    let desk = Desk::new();
    let kept = desk.run_with(&["model", "key", "my-office"], KEY);
    assert!(!kept.shown().contains(KEY));
    expect![[r#"
        exit 1
        --- err
        assent: the key was not kept: this machine's keyring cannot be used: there is none, or it does not run; set the environment variable ASSENT_KEY_MY_OFFICE instead

        exit 1
        --- err
        assent: there is no key on standard input: assent model key office < FILE
    "#]].assert_eq(&all([kept, desk.run_with(&["model", "key", "office"], "")]));
}

#[test]
fn the_doctor_tells_what_is_missing_and_what_to_do() {
    let desk = Desk::new();
    let findings = desk.run(&["doctor", "--json"]).ends(1).values();
    let of = |name: &str| findings.iter().find(|finding| finding["name"] == name).unwrap();
    assert_eq!((&of("database")["ok"], &of("model")["ok"]), (&json!(true), &json!(false)));
    assert!(of("model")["detail"].as_str().unwrap().contains("assent model pull starter"), "{findings:#?}");
    let search = of("tool search");
    assert!(search["detail"].as_str().unwrap().contains("assent model pull meaning"), "{search}");
    assert_eq!(search["ok"], true, "tools are found without it");
    let models = desk.user().join(".local/share/assent/models");
    std::fs::create_dir_all(&models).unwrap();
    std::fs::write(models.join("all-MiniLM-L6-v2.bin"), "no weights").unwrap();
    desk.connect("http://127.0.0.1:9/v1");
    let findings = desk.run(&["doctor", "--json"]).ends(1).values();
    let search = findings.iter().find(|finding| finding["name"] == "tool search").unwrap();
    assert!(search["detail"].as_str().unwrap().contains("it has 10 bytes instead of 91099884"), "{search}");
    let model = findings.iter().find(|finding| finding["name"] == "model").unwrap();
    assert_eq!(model["ok"], true, "{findings:#?}");
    let plain = desk.run(&["doctor"]);
    assert_eq!(plain.out.lines().count(), findings.len(), "{}", plain.shown());

    // One that is chosen for a part of the work is looked at as well.
    assert!(findings.iter().all(|finding| finding["name"] != "model for plans"), "{findings:#?}");
    desk.run(&["model", "use", "--for", "planner", "local/starter"]).ends(0);
    let findings = desk.run(&["doctor", "--json"]).ends(1).values();
    let plans = findings.iter().find(|finding| finding["name"] == "model for plans").unwrap();
    assert_eq!((&plans["ok"], findings.len()), (&json!(false), plain.out.lines().count() + 1), "{findings:#?}");
    assert!(plans["detail"].as_str().unwrap().contains("assent model pull starter"), "{plans}");
}
