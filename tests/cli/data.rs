//! Workspaces, data folders, databases, models and disks that cannot be used: told, and left as they are.

use std::path::PathBuf;
use std::process::Command;

use assent_tests::needs;
use expect_test::expect;
use rusqlite::Connection;
use serde_json::json;

use crate::desk::{ASSENT, Desk, all};
use crate::replies::plans;

/// A desk with one answered message in its history.
fn used() -> Desk {
    let desk = Desk::with([plans(&json!({"title": "A", "answer": "Hello."}))]);
    desk.run(&["ask", "Hello"]).ends(0);
    desk
}

fn database(desk: &Desk) -> PathBuf {
    desk.home().join("assent.db")
}

#[test]
fn a_workspace_that_cannot_be_used_is_told_and_no_session_is_left_behind() {
    let desk = used();
    expect![[r#"
        exit 1
        --- err
        assent: the workspace missing cannot be used: No such file or directory (os error 2); name a folder that can be read

        exit 1
        --- err
        assent: the workspace a.txt cannot be used: Not a directory (os error 20); name a folder that can be read

        exit 1
        --- err
        assent: the workspace missing cannot be used: No such file or directory (os error 2); name a folder that can be read

        exit 1
        --- err
        assent: the workspace missing cannot be used: No such file or directory (os error 2); name a folder that can be read

        exit 0
        --- out
        ID1  just now                 Hello
    "#]].assert_eq(&all([
        desk.run(&["ask", "--workspace", "missing", "Hello"]),
        desk.run(&["ask", "--workspace", "a.txt", "Hello"]),
        desk.run(&["plan", "new", "--workspace", "missing", "Hello"]),
        desk.run(&["tools", "call", "glob", "--workspace", "missing", r#"{"pattern": "*"}"#]),
        desk.run(&["sessions"]),
    ]));
}

/// The program without root's right to read everything, where the test has it.
#[cfg(target_os = "linux")]
fn without_privileges(desk: &Desk, arguments: &[&str]) -> crate::desk::Ran {
    let id = Command::new("id").arg("--user").output().unwrap();
    let mut command = if id.stdout == b"0\n" {
        let mut command = desk.command("setpriv");
        let rights = "-dac_override,-dac_read_search";
        command.args(["--inh-caps", rights, "--bounding-set", rights, ASSENT]);
        command
    } else {
        desk.command(ASSENT)
    };
    desk.ran(command.args(arguments).output().unwrap())
}

#[test]
#[cfg(target_os = "linux")]
fn a_workspace_that_may_not_be_read_is_told_and_no_session_is_left_behind() {
    use std::os::unix::fs::PermissionsExt as _;

    let desk = used();
    let locked = desk.workspace().join("locked");
    std::fs::create_dir(&locked).unwrap();
    std::fs::set_permissions(&locked, std::fs::Permissions::from_mode(0o000)).unwrap();
    expect![[r#"
        exit 1
        --- err
        assent: the workspace locked cannot be used: Permission denied (os error 13); name a folder that can be read

        exit 1
        --- err
        assent: the workspace locked/inner cannot be used: Permission denied (os error 13); name a folder that can be read

        exit 0
        --- out
        ID1  just now                 Hello
    "#]]
    .assert_eq(&all([
        without_privileges(&desk, &["ask", "--workspace", "locked", "Hello"]),
        without_privileges(&desk, &["ask", "--workspace", "locked/inner", "Hello"]),
        desk.run(&["sessions"]),
    ]));
}

#[test]
fn a_workspace_that_went_away_is_told_and_the_history_still_opens() {
    let desk = used();
    let events = desk.run(&["sessions", "--json"]).ends(0).values();
    let id = events[0]["id"].as_str().unwrap();
    std::fs::rename(desk.workspace(), desk.user().join("moved")).unwrap();
    std::fs::create_dir(desk.workspace()).unwrap();
    let mut gone = desk.command(ASSENT);
    gone.args(["ask", "--session", id, "Once more"]).current_dir(desk.user());
    std::fs::remove_dir(desk.workspace()).unwrap();
    let gone = desk.ran(gone.output().unwrap());
    let mut show = desk.command(ASSENT);
    let show = desk.ran(show.args(["sessions", "show", id]).current_dir(desk.user()).output().unwrap());
    expect![[r#"
        exit 1
        --- err
        assent: /workspace cannot be used: No such file or directory (os error 2); this session works there: put the folder back, or begin a session in another

        exit 0
        --- out
        › Hello

        Hello.

        1 model call · 110 tokens · 0 ms
    "#]]
    .assert_eq(&all([gone, show]));
}

#[test]
fn a_model_file_that_is_missing_or_damaged_is_told() {
    let desk = Desk::new();
    let ask = |server: &str| {
        let mut command = desk.command(ASSENT);
        desk.ran(command.args(["ask", "Hello"]).env("ASSENT_LLAMA_SERVER", server).output().unwrap())
    };
    let without = [ask("/nowhere/llama-server"), ask("/bin/true")];
    assert_eq!(desk.run(&["model", "list", "--json"]).ends(0).values()[0]["state"], "missing");
    let models = desk.user().join(".local/share/assent/models");
    std::fs::create_dir_all(&models).unwrap();
    std::fs::write(models.join("qwen2.5-coder-1.5b-instruct-q4_k_m.gguf"), "not a model").unwrap();
    let damaged = ask("/bin/true");
    expect![[r#"
        exit 1
        --- err
        ✗ the embedded model cannot be used: ASSENT_LLAMA_SERVER names /nowhere/llama-server, which is no file; correct or unset it

        exit 1
        --- err
        ✗ local/starter cannot be used: its file qwen2.5-coder-1.5b-instruct-q4_k_m.gguf is not there; fetch it in the settings, or with `assent model pull starter`

        exit 1
        --- err
        ✗ local/starter cannot be used: /user/.local/share/assent/models/qwen2.5-coder-1.5b-instruct-q4_k_m.gguf is not the file it should be: it has 11 bytes instead of 1117320768; fetch it anew in the settings, or with `assent model pull starter`

        exit 0
        --- out
        * local/starter                damaged  Qwen2.5-Coder 1.5B Instruct (Q4_K_M), /user/.local/share/assent/models/qwen2.5-coder-1.5b-instruct-q4_k_m.gguf: it has 11 bytes instead of 1117320768
          local/smoke                  missing  SmolLM2 135M Instruct (Q4_1), fetch it: assent model pull smoke
          local/meaning                missing  all-MiniLM-L6-v2, finds tools by meaning, fetch it: assent model pull meaning
        --- err
        providers: ollama, lmstudio, openai, anthropic, openrouter; assent model use PROVIDER/NAME chooses any of their models

        exit 1
        --- err
        testing local/starter …
        assent: local/starter cannot be used: /user/.local/share/assent/models/qwen2.5-coder-1.5b-instruct-q4_k_m.gguf is not the file it should be: it has 11 bytes instead of 1117320768; fetch it anew in the settings, or with `assent model pull starter`

        exit 1
        --- err
        testing local/nothing …
        assent: local/nothing cannot be used: there is no embedded model of that name; the settings and `assent model list` show those there are

        exit 64
        --- err
        assent: there is no embedded model "nothing"; there are starter, smoke, meaning
    "#]].assert_eq(&all(without.into_iter().chain([
        damaged,
        desk.run(&["model", "list"]),
        desk.run(&["model", "test", "local/starter"]),
        desk.run(&["model", "test", "local/nothing"]),
        desk.run(&["model", "pull", "nothing"]),
    ])));
}

#[test]
fn a_database_that_another_program_holds_is_told_and_opens_again_afterwards() {
    let desk = used();
    let other = Connection::open(database(&desk)).unwrap();
    other.execute_batch("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE").unwrap();
    let locked = desk.run(&["sessions"]);
    drop(other);
    expect![[r#"
        exit 1
        --- err
        assent: the database /home/assent.db is locked by another program: close it and try again

        exit 0
        --- out
        ID1  just now                 Hello
    "#]]
    .assert_eq(&all([locked, desk.run(&["sessions"])]));
}

#[test]
fn a_database_that_another_program_writes_is_read_all_the_same() {
    let desk = used();
    let other = Connection::open(database(&desk)).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let both = [desk.run(&["sessions"]), desk.run(&["ask", "Once more"])];
    other.execute_batch("ROLLBACK").unwrap();
    expect![[r#"
        exit 0
        --- out
        ID1  just now                 Hello

        exit 1
        --- err
        assent: the database is locked by another program: close it and try again
    "#]]
    .assert_eq(&all(both));
    desk.run(&["ask", "Once more"]).ends(0);
}

#[test]
fn a_database_that_is_damaged_newer_or_somebody_elses_is_told_and_left_as_it_is() {
    let spoil: [&dyn Fn(&Desk); 5] = [
        &|desk| {
            let mut bytes = std::fs::read(database(desk)).unwrap();
            bytes[..100].fill(b'x');
            std::fs::write(database(desk), bytes).unwrap();
        },
        &|desk| {
            let bytes = std::fs::read(database(desk)).unwrap();
            std::fs::write(database(desk), &bytes[..8192]).unwrap();
        },
        &|desk| std::fs::write(database(desk), "").unwrap(),
        &|desk| Connection::open(database(desk)).unwrap().execute_batch("PRAGMA user_version = 99").unwrap(),
        &|desk| {
            std::fs::remove_file(database(desk)).unwrap();
            Connection::open(database(desk)).unwrap().execute_batch("CREATE TABLE mine (x)").unwrap();
        },
    ];
    let mut shown = Vec::new();
    for spoil in spoil {
        let desk = used();
        let whole = std::fs::read(database(&desk)).unwrap();
        spoil(&desk);
        let spoilt = std::fs::read(database(&desk)).unwrap();
        shown.extend([desk.run(&["sessions"]), desk.run(&["ask", "Hello"])]);
        assert_eq!(desk.run(&["doctor"]).ends(1).out.matches('✗').count(), 2 + usize::from(no_server(&desk)));
        assert_eq!(std::fs::read(database(&desk)).unwrap(), spoilt);
        std::fs::write(database(&desk), whole).unwrap();
        desk.run(&["ask", "Once more"]).ends(0);
    }
    expect![[r#"
        exit 1
        --- err
        assent: the database /home/assent.db is damaged: file is not a database; it was left as it is; put a copy of it back, or move it away to begin anew

        exit 1
        --- err
        assent: the database /home/assent.db is damaged: file is not a database; it was left as it is; put a copy of it back, or move it away to begin anew

        exit 1
        --- err
        assent: the database /home/assent.db is damaged: database disk image is malformed; it was left as it is; put a copy of it back, or move it away to begin anew

        exit 1
        --- err
        assent: the database /home/assent.db is damaged: database disk image is malformed; it was left as it is; put a copy of it back, or move it away to begin anew

        exit 1
        --- err
        assent: the database /home/assent.db is damaged: it is empty; it was left as it is; put a copy of it back, or move it away to begin anew

        exit 1
        --- err
        assent: the database /home/assent.db is damaged: it is empty; it was left as it is; put a copy of it back, or move it away to begin anew

        exit 1
        --- err
        assent: the database /home/assent.db was written by a newer version of Assent (format 99, this one knows 14): update Assent; nothing was changed

        exit 1
        --- err
        assent: the database /home/assent.db was written by a newer version of Assent (format 99, this one knows 14): update Assent; nothing was changed

        exit 1
        --- err
        assent: the database /home/assent.db is damaged: it is a database of another program; it was left as it is; put a copy of it back, or move it away to begin anew

        exit 1
        --- err
        assent: the database /home/assent.db is damaged: it is a database of another program; it was left as it is; put a copy of it back, or move it away to begin anew
    "#]].assert_eq(&all(shown));
}

#[test]
#[cfg(target_os = "linux")]
fn a_database_that_may_only_be_read_is_told_and_left_as_it_is() {
    use std::os::unix::fs::PermissionsExt as _;

    let desk = used();
    let whole = std::fs::read(database(&desk)).unwrap();
    let rights = |mode| std::fs::set_permissions(database(&desk), std::fs::Permissions::from_mode(mode)).unwrap();
    rights(0o400);
    let both = [without_privileges(&desk, &["sessions"]), without_privileges(&desk, &["ask", "Once more"])];
    assert_eq!(std::fs::read(database(&desk)).unwrap(), whole);
    rights(0o600);
    desk.run(&["ask", "Once more"]).ends(0);
    expect![[r#"
        exit 1
        --- err
        assent: /home/assent.db cannot be used: it may only be read (Permission denied (os error 13)); allow writing to it, or name another folder in ASSENT_HOME

        exit 1
        --- err
        assent: /home/assent.db cannot be used: it may only be read (Permission denied (os error 13)); allow writing to it, or name another folder in ASSENT_HOME
    "#]].assert_eq(&all(both));
}

/// Whether the model server is missing here, which is no matter of the database.
fn no_server(desk: &Desk) -> bool {
    let findings = desk.run(&["doctor", "--json"]).values();
    findings.iter().any(|finding| finding["name"] == "model server" && finding["ok"] == false)
}

#[test]
fn a_data_folder_that_cannot_be_made_is_told() {
    let desk = Desk::new();
    let run = |home: &str| {
        let mut command = desk.command(ASSENT);
        desk.ran(command.arg("sessions").env("ASSENT_HOME", home).output().unwrap())
    };
    let nowhere =
        desk.ran(desk.command(ASSENT).arg("sessions").env_remove("ASSENT_HOME").env_remove("HOME").output().unwrap());
    expect![[r#"
        exit 1
        --- err
        assent: a.txt cannot be used: File exists (os error 17); choose another folder with ASSENT_HOME

        exit 1
        --- err
        assent: a.txt/data cannot be used: Not a directory (os error 20); choose another folder with ASSENT_HOME

        exit 1
        --- err
        assent: /proc/assent cannot be used: No such file or directory (os error 2); choose another folder with ASSENT_HOME

        exit 1
        --- err
        assent: the data folder cannot be used: neither ASSENT_HOME nor HOME is set; set ASSENT_HOME to a folder
    "#]].assert_eq(&all([run("a.txt"), run("a.txt/data"), run("/proc/assent"), nowhere]));
}

/// A message while the disk is full, a look into the history, and the message again when there is room.
const ON_A_SMALL_DISK: &str = r#"
mount -t tmpfs -o size=2m tmpfs "$ASSENT_HOME" || exit 77
"$0" model add desk --url "$1" > /dev/null && "$0" model use desk/test > /dev/null || exit 78
"$0" ask "Hello"; echo "first: $?"
cat /dev/zero > "$ASSENT_HOME/ballast" 2> /dev/null
"$0" ask "And now?"; echo "full: $?"
"$0" sessions; echo "listed: $?"
"$0" search "Hello"; echo "found: $?"
rm "$ASSENT_HOME/ballast"
"$0" ask "And again?"; echo "again: $?"
"$0" sessions; echo "listed: $?"
"#;

#[test]
fn a_full_disk_is_told_and_everything_before_it_is_there() {
    let desk = used();
    let address = desk.asked_at();
    std::fs::create_dir_all(desk.home()).unwrap();
    let output = desk
        .command("unshare")
        .args(["--user", "--map-root-user", "--mount", "sh", "-c", ON_A_SMALL_DISK, ASSENT, &address])
        .output()
        .unwrap();
    if output.status.code() != Some(0) {
        let allowed = Command::new("unshare").args(["--user", "--map-root-user", "--mount", "true"]).status();
        assert!(!allowed.unwrap().success(), "{}", desk.ran(output).shown());
        return needs::missing("this machine lets nobody mount a file system of their own");
    }
    expect![[r#"
        exit 0
        --- out

        Hello.

        first: 0
        full: 1
        ID1  just now                 Hello
        listed: 0
        found: 1

        Hello.

        again: 0
        ID2  just now                 And again?
        ID1  just now                 Hello
        listed: 0
        --- err
        assent: the disk is full: nothing was lost, free some space and try again
        assent: the disk is full: nothing was lost, free some space and try again
    "#]]
    .assert_eq(&desk.ran(output).shown());
}
