//! From a message to a file on the disk.

use assent_tests::sse::Answer;
use expect_test::expect;
use serde_json::json;

use crate::desk::Desk;
use crate::replies::{MESSAGE, calls, count_and_write, counting, plans, says};

fn counting_desk() -> Desk {
    Desk::with([count_and_write()].into_iter().chain(counting()))
}

// covers: P19
#[test]
fn a_plan_with_effects_is_shown_as_a_table_and_waits() {
    let desk = counting_desk();
    let asked = desk.run(&["ask", MESSAGE]);
    expect![[r#"
        exit 2
        --- out
        Count Berlin ID1 v1  proposed

          1  s1   grep         Find the lines that contain "berlin" in all notes → counts
          2  s2   create_file  Write counts.md with the numbers → counts.md
                               after s1

          may read this folder   write counts.md   run commands: no   network: no
        --- err
        waits for your word: assent plan approve ID1   (or edit, reject)
    "#]]
    .assert_eq(&asked.shown());
    assert_eq!(desk.file("counts.md"), None);
    let approved = desk.run(&["plan", "approve", &desk.plan(), "--note", "go on"]);
    expect![[r#"
        exit 0
        --- out
          approved
        ● s1
            grep {"pattern":"berlin"}
            ✓ 0 ms
        ✓ s1 completed
        ● s2
            create_file {"path":"counts.md","content":"a.txt 2\n"}
            ✓ 0 ms
        ✓ s2 completed

        The numbers are in counts.md.

    "#]]
    .assert_eq(&approved.shown());
    assert_eq!(desk.file("counts.md").as_deref(), Some("a.txt 2\n"));
}

#[test]
fn with_the_policy_never_ask_it_goes_to_its_end() {
    let desk = counting_desk();
    let asked = desk.run(&["ask", "--approve", "never-ask", MESSAGE]);
    expect![[r#"
        exit 0
        --- out
        Count Berlin ID1 v1  proposed

          1  s1   grep         Find the lines that contain "berlin" in all notes → counts
          2  s2   create_file  Write counts.md with the numbers → counts.md
                               after s1

          may read this folder   write counts.md   run commands: no   network: no
          approved by your policy
        ● s1
            grep {"pattern":"berlin"}
            ✓ 0 ms
        ✓ s1 completed
        ● s2
            create_file {"path":"counts.md","content":"a.txt 2\n"}
            ✓ 0 ms
        ✓ s2 completed

        The numbers are in counts.md.

    "#]]
    .assert_eq(&asked.shown());
    assert_eq!(desk.file("counts.md").as_deref(), Some("a.txt 2\n"));
}

#[test]
fn every_line_of_json_is_an_event_and_together_they_are_the_ledger() {
    let desk = Desk::with([
        plans(&json!({"title": "Note", "steps": [{"tool": "create_file", "do": "Write n.txt", "expect": "n.txt"}]})),
        calls("create_file", &json!({"path": "n.txt", "content": "x"})),
        says("It is in n.txt."),
    ]);
    let asked = desk.run(&["ask", "--json", "--approve", "never-ask", "Write x to n.txt"]);
    expect![[r#"
        exit 0
        --- out
        {"seq":2,"session":"ID1","turn":"ID2","at":0,"kind":"message_received","text":"Write x to n.txt"}
        {"seq":3,"session":"ID1","turn":"ID2","at":0,"kind":"session_renamed","title":"Write x to n.txt"}
        {"seq":4,"session":"ID1","turn":"ID2","at":0,"kind":"model_replied","purpose":"plan","model":"desk/test","recipe":{"inline":{"purpose":"plan","messages":[{"role":"system","template":"<digest>","blob":"<digest>"},{"role":"user","template":"<digest>","blob":"<digest>"}],"output":{"name":"plan","schema":"<digest>"},"maxTokens":700,"temperature":0.0,"seed":1,"avoid":["SELECT"," SELECT","select"," select"],"told":{"tools":[["grep",37],["finder",38],["glob",31],["read",27],["bash",66],["create_file",41],["edit_file",30],["undo_edit",39],["ask_user",37],["displayConfirmation",44]],"budget":3800,"byMeaning":false}}},"text":{"inline":"{\"title\":\"Note\",\"steps\":[{\"tool\":\"create_file\",\"do\":\"Write n.txt\",\"expect\":\"n.txt\"}]}"},"usage":{"input":100,"cached":0,"output":10},"durationMs":0}
        {"seq":5,"session":"ID1","turn":"ID2","at":0,"kind":"plan_proposed","plan":{"id":"ID3","version":1,"digest":"<digest>"}}
        {"seq":6,"session":"ID1","turn":"ID2","at":0,"kind":"plan_approved","plan":{"id":"ID3","version":1,"digest":"<digest>"},"by":"policy","starts":true}
        {"seq":7,"session":"ID1","turn":"ID2","run":"ID4","at":0,"kind":"run_queued","plan":{"id":"ID3","version":1,"digest":"<digest>"}}
        {"seq":8,"session":"ID1","turn":"ID2","run":"ID4","at":0,"kind":"run_started"}
        {"seq":9,"session":"ID1","turn":"ID2","run":"ID4","step":"s1","at":0,"kind":"step_started","attempt":1}
        {"seq":10,"session":"ID1","turn":"ID2","run":"ID4","step":"s1","at":0,"kind":"model_replied","purpose":"step","model":"desk/test","recipe":{"inline":{"base":"<digest>","choice":"required"}},"calls":[{"id":"ID5","tool":"create_file","arguments":{"inline":{"path":"n.txt","content":"x"}}}],"usage":{"input":100,"cached":0,"output":10},"durationMs":0}
        {"seq":11,"session":"ID1","turn":"ID2","run":"ID4","step":"s1","at":0,"kind":"call_started","call":"ID5","tool":"create_file","risk":"write"}
        {"seq":12,"session":"ID1","turn":"ID2","run":"ID4","step":"s1","at":0,"kind":"call_ended","call":"ID5","status":"success","output":{"inline":{"success":true,"path":"n.txt","absolute_path":"/workspace/n.txt","bytes_written":1,"size":1}},"satisfied":true,"met":true,"durationMs":0}
        {"seq":13,"session":"ID1","turn":"ID2","run":"ID4","step":"s1","at":0,"kind":"model_replied","purpose":"step","model":"desk/test","text":{"inline":"It is in n.txt."},"usage":{"input":100,"cached":0,"output":10},"durationMs":0}
        {"seq":14,"session":"ID1","turn":"ID2","run":"ID4","step":"s1","at":0,"kind":"step_ended","status":"completed","validation":"passed","result":{"inline":"It is in n.txt."}}
        {"seq":15,"session":"ID1","turn":"ID2","run":"ID4","at":0,"kind":"run_ended","status":"completed"}
        {"seq":16,"session":"ID1","turn":"ID2","at":0,"kind":"answered","text":{"inline":"It is in n.txt."}}
        {"seq":17,"session":"ID1","turn":"ID2","at":0,"kind":"turn_ended","status":"answered"}
    "#]].assert_eq(&asked.shown());
    let stored: Vec<String> = desk.events().iter().map(|event| event["kind"].as_str().unwrap().to_owned()).collect();
    let mut shown = asked.kinds();
    shown.insert(0, "session_created".to_owned());
    assert_eq!(stored, shown);
}

#[test]
fn a_plain_question_is_answered_at_once() {
    let desk = Desk::with([plans(&json!({"title": "Greeting", "answer": "Hello! What shall I do?"}))]);
    expect![[r#"
        exit 0
        --- out

        Hello! What shall I do?

    "#]]
    .assert_eq(&desk.run_with(&["ask", "-"], "Hello\n").shown());
}

#[test]
fn a_step_that_fails_ends_with_one_and_the_others_are_skipped() {
    let desk = Desk::with([count_and_write(), says("I would rather not."), says("No."), says("No."), says("No.")]);
    let asked = desk.run(&["ask", "--approve", "never-ask", MESSAGE]);
    expect![[r#"
        exit 1
        --- out
        Count Berlin ID1 v1  proposed

          1  s1   grep         Find the lines that contain "berlin" in all notes → counts
          2  s2   create_file  Write counts.md with the numbers → counts.md
                               after s1

          may read this folder   write counts.md   run commands: no   network: no
          approved by your policy
        ● s1
            still has to call grep
            still has to call grep
        ! the limit toolValidationRetries (2) was reached
        ✗ s1 failed: Step s1 did not invoke required tools: grep
        – s2 skipped: step s1 failed
        --- err
        ✗ s1: Step s1 did not invoke required tools: grep (and 1 more)
    "#]]
    .assert_eq(&asked.shown());
    assert_eq!(desk.file("counts.md"), None);
}

#[test]
fn the_next_message_goes_on_in_the_session() {
    let answer = |text: &str| plans(&json!({"title": "A", "answer": text}));
    let desk = Desk::with([answer("The lighthouse is white."), answer("Yes.")]);
    let first = desk.run(&["ask", "--json", "What colour is the lighthouse?"]).ends(0).values();
    let session = first[0]["session"].as_str().unwrap();
    let second = desk.run(&["ask", "--session", session, "Really?"]).ends(0);
    assert_eq!(second.out, "\nYes.\n\n");
    assert!(desk.asked()[1].body.to_string().contains("The lighthouse is white."));
    let both = desk.run(&["ask", "--session", session, "--workspace", ".", "And now?"]);
    expect![[r#"
        exit 64
        --- err
        error: the argument '--session <ID>' cannot be used with '--workspace <DIR>'

        Usage: assent ask --session <ID> <MESSAGE>

        For more information, try '--help'.
    "#]]
    .assert_eq(&both.shown());
}

#[test]
fn colours_are_for_terminals_unless_they_are_asked_for() {
    let desk =
        Desk::with([plans(&json!({"title": "Find", "steps": [{"tool": "grep", "do": "Find it", "expect": "x"}]}))]);
    let piped = desk.run(&["ask", "--approve", "always-ask", "Find it"]).ends(2);
    assert!(!piped.raw.contains('\u{1b}'), "{}", piped.raw);
    let shown = desk.run(&["plan", "show", &desk.plan(), "--color", "always"]).ends(0);
    assert!(shown.raw.contains("\u{1b}[1mFind\u{1b}[0m"), "{}", shown.raw);
    let json = desk.run(&["plan", "show", &desk.plan(), "--color", "always", "--json"]).ends(0);
    assert!(!json.raw.contains('\u{1b}'), "{}", json.raw);
}

#[test]
fn what_a_model_writes_cannot_command_the_terminal() {
    let evil: Vec<Answer> = vec![
        plans(
            &json!({"title": "\u{1b}[2Jgone", "steps": [{"tool": "grep", "do": "\u{1b}]0;x\u{7}Find it", "expect": "x"}]}),
        ),
        calls("grep", &json!({"pattern": "\u{1b}[31mred"})),
        says("done \u{1b}[2J"),
    ];
    let desk = Desk::with(evil);
    let asked = desk.run(&["ask", "--approve", "never-ask", "Find it"]).ends(0);
    assert!(!asked.raw.contains(['\u{1b}', '\u{7}']), "{}", asked.raw);
}
