//! A person in front of a real terminal: a status line that comes and goes, questions at once, an editor.
#![cfg(target_os = "linux")]

use std::io::{Read as _, Write as _};
use std::process::{Command, Stdio};

use assent_engine::store::{ListFilter, Sessions as _};
use assent_tests::sse::Answer;
use serde_json::json;

use crate::desk::{ASSENT, Desk, KEY};
use crate::replies::{MESSAGE, count_and_write, counting, plans};
use crate::saved::{PARIS, kept};

/// What the program writes to a terminal of its own while these lines are typed.
pub fn typed(desk: &Desk, arguments: &str, lines: &str) -> String {
    typed_with(desk, "sed -i s/notes/files/", arguments, lines)
}

/// A command on a terminal of its own.
fn on_a_terminal(desk: &Desk, command: &str) -> Command {
    let mut script = desk.command("script");
    script.args(["--quiet", "--return", "--command", command, "/dev/null"]).env("TERM", "xterm").stdin(Stdio::piped());
    script
}

/// The same with an editor of one's own.
fn typed_with(desk: &Desk, editor: &str, arguments: &str, lines: &str) -> String {
    let mut child = on_a_terminal(desk, &format!("stty cols 100 -echo; {ASSENT} {arguments}"))
        .env("EDITOR", editor)
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
    let ended = child.wait_with_output().unwrap();
    assert!(ended.status.success(), "{}", desk.ran(ended).shown());
    String::from_utf8(ended.stdout).unwrap()
}

/// What the program writes while a person waits for each of these texts and then types the line to it, if there is one.
fn conversed(desk: &Desk, arguments: &str, talk: &[(&str, &str)]) -> String {
    let mut child = on_a_terminal(desk, &format!("stty cols 100; {ASSENT} {arguments}")).spawn().unwrap();
    let (mut shown, mut typing) = (child.stdout.take().unwrap(), child.stdin.take().unwrap());
    let (mut written, mut read) = (Vec::new(), 0);
    for (prompt, line) in talk {
        // What is typed before it is asked for would be shown by the terminal itself, or be lost.
        while !written[read..].ends_with(prompt.as_bytes()) {
            let mut byte = [0];
            assert_eq!(shown.read(&mut byte).unwrap(), 1, "no {prompt:?}: {}", String::from_utf8_lossy(&written));
            written.push(byte[0]);
        }
        read = written.len();
        if !line.is_empty() {
            typing.write_all(format!("{line}\r").as_bytes()).unwrap();
        }
    }
    shown.read_to_end(&mut written).unwrap();
    assert!(child.wait().unwrap().success());
    String::from_utf8(written).unwrap()
}

/// What is to be seen in the end: an erased line is not.
pub fn seen(written: &str) -> String {
    let line = |line: &str| line.rsplit("\r\u{1b}[2K").next().unwrap_or_default().to_owned();
    written.split("\r\n").map(line).collect::<Vec<_>>().join("\n")
}

/// What is seen before the last line, which tells what the turn has cost.
fn without_costs(seen: &str, calls: u32) -> &str {
    let costs = seen.trim_end().lines().last().unwrap_or_default();
    let calls = if calls == 1 { "1 model call · ".to_owned() } else { format!("{calls} model calls · ") };
    assert!(costs.starts_with(&calls) && costs.contains(" tokens · ") && costs.ends_with('s'), "{seen}");
    seen.trim_end().strip_suffix(costs).unwrap()
}

fn desk() -> Desk {
    Desk::with([count_and_write()].into_iter().chain(counting()))
}

#[test]
fn a_status_line_says_what_is_going_on_and_is_gone_in_the_end() {
    let piped = desk().run(&["ask", "--approve", "never-ask", MESSAGE]).ends(0);
    assert!(!piped.raw.contains("planning…") && piped.err.is_empty(), "{}", piped.shown());
    let desk = desk();
    let written = typed(&desk, &format!("ask --color never --approve never-ask '{MESSAGE}'"), "");
    for status in ["planning…", "step 1 of 2: grep", "step 2 of 2: create_file"] {
        assert!(written.contains(status), "{status} is missing: {written:?}");
    }
    // What it has cost is told to who looks on, and stands in the history.
    let shown = desk.names.replace(&seen(&written));
    assert_eq!(without_costs(&shown, 5), piped.out);
    let session = desk.store().sessions(&ListFilter::default()).unwrap().remove(0).id;
    let kept = desk.run(&["sessions", "show", session.as_str()]).ends(0).out;
    assert_eq!(kept.lines().last(), shown.lines().last());
}

#[test]
fn a_plan_is_edited_and_approved_where_it_is_shown() {
    let desk = desk();
    let written = typed(&desk, &format!("ask --color never '{MESSAGE}'"), "e\na go on\n");
    let seen = desk.names.replace(&seen(&written));
    assert!(seen.contains("Find the lines that contain \"berlin\" in all files"), "{seen}");
    assert!(without_costs(&seen, 5).ends_with("\nThe numbers are in counts.md.\n\n"), "{seen}");
    assert_eq!(desk.file("counts.md").as_deref(), Some("a.txt 2\n"));
    let approved = desk.events().into_iter().find(|event| event["kind"] == "plan_approved").unwrap();
    assert_eq!((&approved["plan"]["version"], &approved["note"]), (&2.into(), &"go on".into()));
}

#[test]
fn a_saved_plan_is_offered_to_a_person_who_uses_adapts_or_ignores_it() {
    let first = kept();
    for (lines, step) in
        [("x\na\nl\n", "Write paris.md with the numbers"), ("u\nl\n", "Write counts.md with the numbers")]
    {
        let seen = seen(&typed(&first, &format!("ask --color never '{PARIS}'; test $? = 2"), lines));
        assert!(seen.contains("This resembles a plan you saved: Lines"), "{seen}");
        assert!(seen.contains(step), "{lines}: {seen}");
    }
    let asked = first.asked().len();
    let mut desk = first;
    desk.serve([plans(&json!({"title": "A", "answer": "Three."}))]);
    let seen = seen(&typed(&desk, &format!("ask --color never '{PARIS}'"), "i\n"));
    assert!(seen.contains("Three."), "{seen}");
    assert_eq!((asked, desk.asked().is_empty()), (1, false), "only what was ignored is planned");
}

#[test]
fn a_chat_offers_a_saved_plan_for_each_message_and_takes_use_adapt_and_ignore() {
    const OFFER: &str = "or [i]gnore it: ";
    const DECIDE: &str = "[l]ater: ";
    let mut desk = kept();
    for (answer, proposed) in [("adapt", "Write paris.md with the numbers"), ("U", "Write counts.md with the numbers")]
    {
        let talk = [("› ", PARIS), (OFFER, "what"), (OFFER, answer), (DECIDE, "l"), ("› ", "/quit")];
        let seen = seen(&conversed(&desk, "chat --color never", &talk));
        assert_eq!(seen.matches("This resembles a plan you saved: Lines").count(), 1, "{seen}");
        assert!(seen.contains("u, a or i") && seen.contains(proposed), "{answer}: {seen}");
    }
    assert_eq!(desk.asked().len(), 1, "no model was asked for either");
    desk.serve([plans(&json!({"title": "A", "answer": "Three."}))]);
    // What resembles nothing is offered nothing.
    let talk = [("› ", PARIS), (OFFER, "i"), ("› ", "Tell me a joke"), ("Three.", ""), ("› ", "/quit")];
    let seen = seen(&conversed(&desk, "chat --color never", &talk));
    assert_eq!((seen.matches("This resembles").count(), seen.matches("Three.").count()), (1, 2), "{seen}");
    assert!(desk.asked()[0].body.to_string().contains(PARIS), "what was ignored is planned");
}

#[test]
fn an_edit_that_does_not_hold_is_asked_about_again_and_kept_when_it_is_given_up() {
    let desk = desk();
    let editor = desk.user().join("an editor.sh");
    std::fs::create_dir_all(desk.user()).unwrap();
    std::fs::write(&editor, "sed -i s/grep/no_such_tool/ \"$2\"\n").unwrap();
    let editor = format!("sh '{}' -x", editor.display());
    let command = format!("ask --color never '{MESSAGE}'; test $? = 2");
    let seen = seen(&typed_with(&desk, &editor, &command, "e\ny\nn\nl\n"));
    assert_eq!(seen.matches("Edit again? [Y/n] ").count(), 2, "{seen}");
    assert_eq!(seen.matches("no_such_tool").count(), 2, "{seen}");
    let kept =
        seen.split("nothing was saved; your text is kept in ").nth(1).and_then(|rest| rest.lines().next()).unwrap();
    assert!(std::fs::read_to_string(kept).unwrap().contains("no_such_tool"), "{kept}");
    std::fs::remove_file(kept).unwrap();
    assert_eq!(desk.events().iter().filter(|event| event["kind"] == "plan_proposed").count(), 1);
}

#[test]
fn ctrl_c_in_the_editor_is_the_editors_and_keeps_what_was_typed() {
    let desk = desk();
    let editor = desk.user().join("editor.sh");
    std::fs::create_dir_all(desk.user()).unwrap();
    // The terminal gives it to every program in front: the shell of this test is spared, as it is no part of it.
    let interrupted = "pid=$PPID\n\
        while test \"$(cat /proc/$pid/comm)\" != assent; do pid=$(sed -n 's/^PPid:[^0-9]*//p' /proc/$pid/status); done\n\
        kill -INT $pid\n\
        sed -i s/notes/files/ \"$1\"\n";
    std::fs::write(&editor, interrupted).unwrap();
    let editor = format!("sh '{}'", editor.display());
    let written = typed_with(&desk, &editor, &format!("ask --color never '{MESSAGE}'"), "e\na\n");
    let seen = desk.names.replace(&seen(&written));
    assert!(seen.contains("Find the lines that contain \"berlin\" in all files"), "{seen}");
    assert!(without_costs(&seen, 5).ends_with("\nThe numbers are in counts.md.\n\n"), "{seen}");
}

#[test]
fn progress_and_colours_follow_the_stream_they_are_on() {
    let desk = desk();
    let written = typed(&desk, &format!("ask --approve never-ask '{MESSAGE}' > out.txt"), "");
    assert!(
        written.contains("step 1 of 2: grep") && without_costs(&seen(&written), 5).trim().is_empty(),
        "{written:?}"
    );
    let out = desk.file("out.txt").unwrap();
    assert!(out.contains("The numbers are in counts.md.") && !out.contains('\u{1b}'), "{out:?}");
    typed(&desk, "ask --model special x 2> err.txt; test $? = 64", "");
    assert!(desk.file("err.txt").unwrap().starts_with("assent: \"special\" names no model"));
    let written = typed(&desk, "ask --model special x > out.txt; test $? = 64", "");
    assert!(written.contains("\u{1b}[31massent:\u{1b}[0m"), "{written:?}");
}

#[test]
fn a_plan_that_is_left_for_later_waits() {
    let desk = desk();
    let command = format!("ask --color never '{MESSAGE}'; test $? = 2");
    let written = typed(&desk, &command, "l\n");
    assert!(seen(&written).contains("waits for your word: assent plan approve "), "{written:?}");
    assert_eq!(desk.file("counts.md"), None);
}

#[test]
fn a_key_that_is_typed_is_not_shown() {
    let desk = Desk::new();
    let written = conversed(&desk, "model key office; test $? = 1", &[("(not shown): ", KEY)]);
    assert!(!written.contains(KEY) && !written.contains("secret"), "{written}");
    assert!(written.contains("the key was not kept: this machine's keyring cannot be used"), "{written}");
}

#[test]
fn without_the_chosen_model_those_that_answer_on_this_machine_are_offered() {
    let mut desk = Desk::new();
    desk.serve_by(|request| {
        if request.line.starts_with("GET ") {
            Answer::json(200, &json!({"data": [{"id": "llama3"}, {"id": "qwen3"}]}))
        } else {
            plans(&json!({"title": "A", "answer": "Hello."}))
        }
    });
    desk.run(&["model", "use", "local/starter"]).ends(0);
    let how = "desk/llama3 and 1 more (assent model list) answers on this machine: assent model use desk/llama3";
    let findings = desk.run(&["doctor", "--json"]).ends(1).values();
    let servers = findings.iter().find(|finding| finding["name"] == "local servers").unwrap();
    assert_eq!(servers["detail"], how);
    let asked = desk.run(&["ask", "Hello"]).ends(1);
    assert!(asked.err.starts_with(&format!("the chosen model is not there; {how}\n")), "{}", asked.shown());
    let chat = desk.run_with(&["chat"], "");
    assert!(chat.err.contains(how), "{}", chat.shown());

    let left = typed(&desk, "ask --color never Hello; test $? = 1", "\n");
    assert!(seen(&left).contains("These answer on this machine:\n  1  desk/llama3\n  2  desk/qwen3\n"), "{left:?}");
    let picked = typed(&desk, "ask --color never Hello", "2\n");
    assert!(seen(&picked).contains("new turns use desk/qwen3"), "{picked:?}");
    assert!(without_costs(&seen(&picked), 1).ends_with("\nHello.\n\n"), "{picked:?}");
    assert_eq!(desk.asked().last().unwrap().body["model"], "qwen3");
    assert_eq!(desk.run(&["ask", "Hello"]).ends(0).err, "", "it stays chosen");
}
