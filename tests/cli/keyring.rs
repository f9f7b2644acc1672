//! API keys in a real keyring: a Secret Service on a session bus of the test's own.
#![cfg(target_os = "linux")]

use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Stdio;

use serde_json::json;

use crate::desk::{ASSENT, Desk, Ran};
use crate::replies::{calls, plans, says};

/// Not the key of the environment, so that it can only come from the keyring.
const KEPT: &str = "sk-kept-in-the-keyring";

/// What a shell does in a session with a keyring that was opened with an empty password; `input` is what it reads.
fn in_session(desk: &Desk, script: &str, input: &str) -> Ran {
    let runtime = desk.user().join("runtime");
    std::fs::create_dir_all(&runtime).unwrap();
    std::fs::set_permissions(&runtime, std::fs::Permissions::from_mode(0o700)).unwrap();
    let opened = "printf '\\n' | gnome-keyring-daemon --unlock --components=secrets > /dev/null";
    let mut child = desk
        .command("dbus-run-session")
        .args(["--", "sh", "-ec", &format!("{opened}\n{script}")])
        .env("XDG_RUNTIME_DIR", &runtime)
        .env_remove("ASSENT_KEY_DESK")
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    desk.ran(child.wait_with_output().unwrap())
}

#[test]
fn a_key_in_the_keyring_is_there_for_the_next_process_until_it_is_forgotten() {
    let desk = Desk::with([says(r#"{"colour": "blue"}"#)]);
    let kept = in_session(&desk, &format!("{ASSENT} model key desk; {ASSENT} model test"), KEPT).ends(0);
    assert!(kept.out.starts_with("the key is in the system's keyring\ndesk/test answered"), "{}", kept.shown());
    let sent = || desk.asked().last().unwrap().header("authorization").map(str::to_owned);
    assert_eq!(sent(), Some(format!("Bearer {KEPT}")));

    // Another session, as on another day.
    in_session(&desk, &format!("{ASSENT} model test"), "").ends(0);
    assert_eq!((desk.asked().len(), sent()), (2, Some(format!("Bearer {KEPT}"))));

    in_session(&desk, &format!("{ASSENT} model key desk --forget; {ASSENT} model test"), "").ends(0);
    assert_eq!((desk.asked().len(), sent()), (3, None));
}

#[test]
fn a_key_in_the_keyring_stands_in_no_file() {
    let desk = Desk::new();
    in_session(&desk, &format!("{ASSENT} model key office"), KEPT).ends(0);
    let found = std::process::Command::new("grep").args(["-rl", KEPT]).arg(desk.home()).arg(desk.user()).output();
    assert_eq!(String::from_utf8(found.unwrap().stdout).unwrap(), "");
}

#[test]
fn the_key_of_a_source_of_tools_is_kept_and_forgotten_like_that_of_a_model() {
    let desk = Desk::new();
    std::fs::create_dir(desk.workspace().join("tools")).unwrap();
    desk.run(&["tools", "source", "add", "office", "tools"]).ends(0);
    let give = format!("{ASSENT} tools source key office helpdesk.example");
    let kept = in_session(&desk, &give, KEPT).ends(0);
    assert_eq!(kept.out, "the key is in the system's keyring\n");
    let found = std::process::Command::new("grep").args(["-rl", KEPT]).arg(desk.home()).arg(desk.user()).output();
    assert_eq!(String::from_utf8(found.unwrap().stdout).unwrap(), "");
    let forgotten = in_session(&desk, &format!("{give} --forget --json"), "").ends(0);
    assert_eq!(forgotten.out, "{\"source\":\"office for helpdesk.example\",\"kept\":null}\n");
    in_session(&desk, &format!("{ASSENT} tools source key nobody helpdesk.example"), KEPT).ends(1);
}

#[test]
fn a_credential_of_the_vault_is_kept_listed_and_forgotten_and_stands_in_no_file() {
    let desk = Desk::new();
    let add = format!("{ASSENT} vault add crm --host API.crm.example --tool office.send");
    let kept = in_session(&desk, &add, KEPT).ends(0);
    assert_eq!(kept.out, "crm is in the system's keyring\n");
    assert_eq!(desk.run(&["vault", "list"]).ends(0).out, "crm                  api.crm.example  only office.send\n");
    let listed = desk.run(&["vault", "list", "--json"]).ends(0).values();
    assert_eq!(listed, [serde_json::json!({"name": "crm", "hosts": ["api.crm.example"], "tools": ["office.send"]})]);
    let found = std::process::Command::new("grep").args(["-rl", KEPT]).arg(desk.home()).arg(desk.user()).output();
    assert_eq!(String::from_utf8(found.unwrap().stdout).unwrap(), "");
    let other = format!("{ASSENT} vault add crm --host crm.example.org");
    let taken = in_session(&desk, &other, "another-of-it").ends(1);
    assert!(
        taken.err.contains("\"crm\" for api.crm.example is kept already") && taken.err.contains("--replace"),
        "{}",
        taken.err
    );
    in_session(&desk, &format!("{other} --replace"), "another-of-it").ends(0);
    assert_eq!(desk.run(&["vault", "list"]).ends(0).out, "crm                  crm.example.org\n");
    let removed = in_session(&desk, &format!("{ASSENT} vault remove crm"), "").ends(0);
    assert_eq!(removed.out, "crm is forgotten\n");
    assert_eq!(desk.run(&["vault", "list", "--json"]).ends(0).values(), Vec::<serde_json::Value>::new());
    in_session(&desk, &format!("{ASSENT} vault remove crm"), "").ends(1);
}

#[test]
fn without_a_keyring_a_credential_is_not_kept_and_that_is_said() {
    let desk = Desk::new();
    for wrong in [&["vault", "add", "crm"][..], &["vault", "add", "Crm", "--host", "a.example"]] {
        desk.run_with(wrong, KEPT).ends(64);
    }
    desk.run_with(&["vault", "add", "crm", "--host", "https://a.example/x"], KEPT).ends(64);
    desk.run_with(&["vault", "add", "crm", "--host", "a.example"], "12345").ends(64);
    let said = desk.run_with(&["vault", "add", "crm", "--host", "a.example"], KEPT).ends(1);
    assert!(said.err.contains("not its secret") && said.err.contains("ASSENT_KEY_VAULT__CRM"), "{}", said.err);
    assert!(!said.err.contains(KEPT));
}

#[test]
fn a_question_for_a_secret_is_answered_by_the_name_of_a_credential() {
    let ask = json!({"title": "Ask", "steps": [{"tool": "ask_user", "do": "Ask for the key", "expect": "a key"}]});
    let question = json!({"question": "Which API key does https://api.crm.example/ want?"});
    let desk = Desk::with([plans(&ask), calls("ask_user", &question), says("It is there.")]);
    desk.run(&["ask", "--approve", "never-ask", "Read the contacts"]).ends(2);
    let listed = desk.run(&["requests"]).ends(0).out;
    let how = "assent vault add crm --host api.crm.example, then assent answer";
    assert!(listed.contains("This asks for a secret.") && listed.contains(how), "{listed}");
    let request = desk.requests().remove(0);
    let missing = desk.run(&["answer", &request, "--credential", "crm"]).ends(1);
    assert!(missing.err.contains("there is no credential \"crm\" in the vault"), "{}", missing.err);
    let script = format!("{ASSENT} vault add crm --host api.crm.example; {ASSENT} answer {request} --credential crm");
    in_session(&desk, &script, KEPT).ends(0);
    let told = desk.asked().last().unwrap().body.to_string();
    assert!(told.contains("write {$vault:crm} where it goes") && !told.contains(KEPT), "{told}");
    let found = std::process::Command::new("grep").args(["-rl", KEPT]).arg(desk.home()).arg(desk.user()).output();
    assert_eq!(String::from_utf8(found.unwrap().stdout).unwrap(), "");
}
