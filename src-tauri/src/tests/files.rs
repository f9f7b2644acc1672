//! The files that a run wrote, as its person finds them: from the ledger, inside the folder, and no others.

use assent_core::run::Purpose;
use assent_engine::model::scripted::Scripted;
use serde_json::{Value, json};

use super::page::Page;

/// A run that makes a file, writes over one that is there, and says that it wrote a third.
fn wrote(page: &Page) -> Value {
    let session = page.session();
    let mut told = page.listen();
    let plan = json!({"title": "Write", "steps": [
        {"tool": "create_file", "do": "Write new.md and a.txt", "expect": "files"},
    ]});
    page.model.push(Purpose::Plan, Scripted::text(plan.to_string()));
    for (path, content) in [("new.md", "one\ntwo\n"), ("a.txt", "Berlin\nin Hamburg\n")] {
        page.model.push(Purpose::Step, Scripted::call("create_file", json!({"path": path, "content": content})));
    }
    page.model.push(Purpose::Step, Scripted::text("I have written new.md, a.txt and /etc/passwd."));
    page.gives("message_send", json!({"session": session, "text": "Write new.md and a.txt", "policy": "never-ask"}));
    told.event("run_ended");
    told.rest();
    page.gives("run_list", json!({"session": session}))[0]["id"].clone()
}

#[test]
fn the_files_of_a_run_are_those_that_its_calls_wrote_also_after_a_restart() {
    let page = Page::open();
    let run = wrote(&page);
    let made = json!({"path": "new.md", "made": true, "bytes": 8, "lines": 2});
    let changed = json!({"path": "a.txt", "made": false, "bytes": 18, "lines": 2});
    let page = page.reopened();
    let files = |page: &Page| page.gives("file_list", json!({"run": run}));
    assert_eq!(files(&page), json!([made, changed]));
    let change = |path: &str| page.gives("file_change", json!({"run": run, "path": path}));
    assert_eq!(change("new.md"), json!({"type": "new", "path": "new.md"}));
    let lines = &change("a.txt")["lines"];
    assert_eq!((&lines["added"], &lines["removed"]), (&json!(1), &json!(1)));
    assert_eq!(lines["blocks"][0][1]["text"], "in berlin");

    std::fs::write(page.workspace.join("a.txt"), "Berlin\nin berlin\n").unwrap();
    assert_eq!(files(&page), json!([made]), "a file that is as it was before is none that the run wrote");
    std::fs::remove_file(page.workspace.join("new.md")).unwrap();
    assert_eq!(files(&page), json!([]));
    for command in ["file_open", "file_show"] {
        assert_eq!(page.fails(command, json!({"run": run, "path": "new.md"})), "not_found", "{command}");
    }
}

#[test]
fn no_other_file_is_opened_shown_or_compared() {
    let page = Page::open();
    let run = wrote(&page);
    std::fs::write(page.workspace.join("other.md"), "mine\n").unwrap();
    for path in ["other.md", "/etc/passwd", "../home/assent.db", "./new.md", "", "."] {
        for command in ["file_open", "file_show", "file_change"] {
            assert_eq!(page.fails(command, json!({"run": run, "path": path})), "not_found", "{command} {path}");
        }
    }
    assert_eq!(page.fails("file_list", json!({"run": "nobody"})), "not_found");
}

#[cfg(unix)]
#[test]
fn a_file_that_became_a_link_out_of_the_folder_is_none_of_the_run() {
    let page = Page::open();
    let run = wrote(&page);
    let file = page.workspace.join("new.md");
    std::fs::remove_file(&file).unwrap();
    std::os::unix::fs::symlink("/etc/passwd", &file).unwrap();
    let files = page.gives("file_list", json!({"run": run}));
    assert_eq!(files.as_array().unwrap().iter().map(|one| &one["path"]).collect::<Vec<_>>(), ["a.txt"]);
    for command in ["file_open", "file_show", "file_change"] {
        assert_eq!(page.fails(command, json!({"run": run, "path": "new.md"})), "not_found", "{command}");
    }
}

#[test]
fn a_file_that_the_run_took_back_is_left_out() {
    let page = Page::open();
    let session = page.session();
    let mut told = page.listen();
    let plan = json!({"title": "Write", "steps": [
        {"tool": "create_file", "do": "Write new.md", "expect": "a file"},
        {"tool": "undo_edit", "do": "Take the change of new.md back", "expect": "no file"},
    ]});
    page.model.push(Purpose::Plan, Scripted::text(plan.to_string()));
    page.model.push(Purpose::Step, Scripted::call("create_file", json!({"path": "new.md", "content": "one\n"})));
    page.model.push(Purpose::Step, Scripted::text("Written."));
    page.model.push(Purpose::Step, Scripted::call("undo_edit", json!({"path": "new.md"})));
    page.model.push(Purpose::Step, Scripted::text("Taken back."));
    page.gives(
        "message_send",
        json!({"session": session, "text": "Write new.md, take it back", "policy": "never-ask"}),
    );
    told.event("run_ended");
    told.rest();
    let run = page.gives("run_list", json!({"session": session}))[0]["id"].clone();
    assert!(!page.workspace.join("new.md").exists(), "it was taken back");
    assert_eq!(page.gives("file_list", json!({"run": run})), json!([]));
}
