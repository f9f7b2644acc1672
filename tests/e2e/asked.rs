//! What a person is asked and begins to answer, across crashes; and what they have done again.

use std::fs;

use anyhow::Result;
use assent_core::run::{AnswerDraft, EventKind};
use assent_tests::needs::has_programs;
use assent_tests::replies::{MESSAGE, calls, count_and_write, counting, plans, says};
use serde_json::json;

use crate::desktop::process::until;
use crate::desktop::{Desktop, Window};
use crate::engine::{Endpoint, open};

/// Waits until an answer to the only open request is kept as wanted.
fn until_kept(desktop: &Desktop, wanted: impl Fn(&AnswerDraft) -> bool) -> Result<()> {
    let opened = open(&desktop.data())?;
    until("the answer is kept", || {
        let open = opened.engine.requests().open()?;
        Ok(open.into_iter().find_map(|row| row.draft).filter(|draft| wanted(draft)).map(drop))
    })
}

fn shows_checked(window: &Window<'_>, testid: &str, words: &str) -> Result<()> {
    window.wait_for(&format!(
        "return [...document.querySelectorAll('[data-testid={testid}]')]
            .some((one) => one.checked && one.closest('label').innerText.includes({}))",
        json!(words)
    ))
}

#[test]
fn an_answer_that_was_begun_is_there_after_a_crash() -> Result<()> {
    let Some(desktop) = Desktop::start()? else { return Ok(()) };
    let plan = json!({"title": "Ask", "steps": [{"tool": "ask_user", "do": "Ask for the city", "expect": "a city"}]});
    let question = json!({"question": "Which city?", "options": ["Berlin", "Hamburg"]});
    let endpoint = Endpoint::start([plans(&plan), calls("ask_user", &question), says("Hamburg it is.")])?;
    endpoint.is_used_in(&desktop.data(), &desktop.workspace()?)?;
    let window = desktop.open()?;
    window.ask("Which city is meant?")?;
    window.click("option", "Hamburg")?;
    let wanted = AnswerDraft { chosen: vec!["Hamburg".to_owned()], ..AnswerDraft::default() };
    until_kept(&desktop, |draft| *draft == wanted)?;
    desktop.kill()?;
    drop(window);

    let window = desktop.open()?;
    window.click("session", "Which city is meant?")?;
    window.shows("request", "Which city?")?;
    shows_checked(&window, "option", "Hamburg")?;
    window.click("request-answer", "")?;
    window.shows("answer", "Hamburg it is.")?;
    Ok(())
}

#[test]
fn a_permission_shows_what_would_change_and_what_was_begun_of_it_is_there_after_a_crash() -> Result<()> {
    let Some(desktop) = Desktop::start()? else { return Ok(()) };
    let notes = desktop.workspace()?;
    fs::write(notes.join("a.txt"), "Berlin\nin berlin\n")?;
    let plan = json!({"title": "Write", "steps": [{"tool": "create_file", "do": "Write b.md", "expect": "a file"}]});
    let other = json!({"path": "a.txt", "content": "Berlin\nin Hamburg\n"});
    let endpoint = Endpoint::start([plans(&plan), calls("create_file", &other), says("It is written.")])?;
    endpoint.is_used_in(&desktop.data(), &notes)?;
    let window = desktop.open()?;
    window.ask("Write b.md")?;
    window.click("approve", "")?;
    let change = window.shows("file-change", "in Hamburg")?;
    assert!(change.contains("in berlin") && change.contains("+1") && change.contains("−1"), "{change}");
    window.click("reach-run", "")?;
    window.click("edit-arguments", "")?;
    window.rewrite("field-path", "c.md")?;
    window.shows("file-change", "A new file")?;
    let fields = json!({"path": "c.md"});
    until_kept(&desktop, |draft| draft.fields.as_ref() == fields.as_object())?;
    desktop.kill()?;
    drop(window);

    let window = desktop.open()?;
    window.click("session", "Write b.md")?;
    window.shows("file-change", "A new file")?;
    shows_checked(&window, "reach-run", "")?;
    window.click("request-approve", "Approve with changes")?;
    window.shows("answer", "It is written.")?;
    assert_eq!(fs::read_to_string(notes.join("c.md"))?, "Berlin\nin Hamburg\n");
    assert_eq!(fs::read_to_string(notes.join("a.txt"))?, "Berlin\nin berlin\n");
    Ok(())
}

#[test]
fn a_command_that_was_under_way_in_a_crash_is_asked_about_and_done_on_a_persons_word() -> Result<()> {
    let Some(desktop) = Desktop::start()? else { return Ok(()) };
    if !has_programs(&["bwrap"]) {
        return Ok(());
    }
    let notes = desktop.workspace()?;
    let plan = json!({"title": "Copy", "steps": [
        {"tool": "bash", "do": "Run touch begun && sleep 600", "expect": "it is copied"},
    ]});
    let command = json!({"command": "touch begun && sleep 600"});
    let endpoint = Endpoint::start([plans(&plan), calls("bash", &command), says("It is copied.")])?;
    endpoint.is_used_in(&desktop.data(), &notes)?;
    let window = desktop.open()?;
    window.ask("Run touch begun && sleep 600")?;
    window.click("approve", "")?;
    until("the command runs", || Ok(notes.join("begun").exists().then_some(())))?;
    desktop.kill()?;
    drop(window);

    let window = desktop.open()?;
    window.click("session", "Run touch begun")?;
    window.shows("request", "bash was under way when Assent ended")?;
    window.shows("request", "The step goes on as if the call had succeeded.")?;
    // The arguments, in full, are read after what is asked.
    window.shows("request", "touch begun && sleep 600")?;
    window.click("option", "done")?;
    window.click("request-answer", "")?;
    window.shows("answer", "It is copied.")?;
    Ok(())
}

#[test]
fn a_step_is_done_again_and_what_was_built_on_it_is_out_of_date() -> Result<()> {
    let Some(desktop) = Desktop::start()? else { return Ok(()) };
    let notes = desktop.workspace()?;
    fs::write(notes.join("a.txt"), "Berlin\nin berlin\n")?;
    let again = [calls("grep", &json!({"pattern": "berlin"})), says("two files searched anew")];
    let endpoint = Endpoint::start([count_and_write()].into_iter().chain(counting()).chain(again))?;
    endpoint.is_used_in(&desktop.data(), &notes)?;
    let window = desktop.open()?;
    window.ask(MESSAGE)?;
    window.click("approve", "")?;
    window.shows("answer", "The numbers are in counts.md.")?;
    window.click("inspector-tab-steps", "")?;
    window.click("inspect-step", "Find the lines")?;
    window.click("retry-step", "")?;
    window.shows("step-detail", "attempt 2")?;
    window.shows("attempt", "Attempt 2")?;
    assert!(!window.has("stale", "")?, "the step that is done again is not out of date");
    window.click("step-back", "")?;
    window.click("inspect-step", "Write counts.md")?;
    window.shows("stale", "Step 1 was done again after this one was done")?;
    let latest = open(&desktop.data())?;
    until("the run is over again", || {
        let sessions = latest.engine.sessions();
        let rows = sessions.list(&assent_engine::store::ListFilter { archived: false, limit: 1, offset: 0 })?;
        let events = sessions.events(&rows[0].id, 0)?;
        let ends = events.iter().filter(|event| matches!(event.kind, EventKind::RunEnded { .. })).count();
        Ok((ends == 2).then_some(()))
    })
}
