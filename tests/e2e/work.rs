//! From a message to a file on disk, and what is left after a crash.

use std::fs;

use anyhow::Result;
use assent_engine::model::scripted::Gate;
use assent_tests::replies::{MESSAGE, calls, count_and_write, counting, plans, says, says_behind};
use serde_json::json;

use crate::desktop::process::until;
use crate::desktop::{CONTROL, Desktop, ENTER, ESCAPE};
use crate::engine::Endpoint;

#[test]
fn a_plan_is_seen_changed_approved_by_key_done_found_and_exported() -> Result<()> {
    let Some(desktop) = Desktop::start()? else { return Ok(()) };
    let notes = desktop.workspace()?;
    fs::write(notes.join("a.txt"), "Berlin\nin berlin\n")?;
    let endpoint = Endpoint::start([count_and_write()].into_iter().chain(counting()))?;
    endpoint.is_used_in(&desktop.data(), &notes)?;

    let window = desktop.open()?;
    window.ask(MESSAGE)?;
    window.shows("plan-card", "Find the lines that contain \"berlin\" in all notes")?;
    window.click("step", "Write counts.md with the numbers")?;
    window.rewrite("edit-description", "Write counts.md with the numbers of each note")?;
    window.press(&[ENTER])?;
    window.shows("plan-version", "v1, changed")?;
    assert!(!notes.join("counts.md").exists(), "nothing happens before the plan is approved");
    window.wait_for("return document.querySelector('[data-approve]:not([aria-disabled])') !== null")?;
    // What it allows stands below what is seen of it: that is shown first.
    window.press(&[CONTROL, ENTER])?;
    window.wait_for(
        "const [approve, turns] = ['approve', 'turns'].map((name) => document.querySelector(`[data-testid=${name}]`));
        return approve.getBoundingClientRect().bottom <= turns.getBoundingClientRect().bottom",
    )?;
    assert!(!notes.join("counts.md").exists(), "nobody has seen yet what it allows");
    window.press(&[CONTROL, ENTER])?;
    window.shows("answer", "The numbers are in counts.md.")?;
    assert_eq!(fs::read_to_string(notes.join("counts.md"))?, "a.txt 2\n");
    window.shows("plan-version", "v2")?;
    window.save_picture()?;

    window.write("session-filter", "each note")?;
    window.press(&[ENTER])?;
    window.click("hit", "each note")?;
    window.shows("plan-version", "v2")?;
    window.wait_for(
        "const said = ({ startContainer, startOffset, endOffset }) => startContainer.data.slice(startOffset, endOffset);
        const marked = [...(CSS.highlights.get('sought') ?? [])].map(said);
        return ['each', 'note'].every((word) => marked.includes(word))",
    )?;
    window.press(&[ESCAPE])?;
    window.wait_for("return !CSS.highlights.has('sought')")?;

    window.click("nav-plans", "")?;
    window.click("export", "")?;
    window.click("export-markdown", "")?;
    desktop.pick_proposed()?;
    window.shows("exported", "count-berlin.md")?;
    let exported = until("the file is there", || {
        let places = [desktop.home(), std::env::current_dir()?, desktop.home().join("Documents")];
        Ok(places.iter().map(|place| place.join("count-berlin.md")).find(|file| file.exists()))
    })?;
    let text = fs::read_to_string(&exported)?;
    fs::remove_file(&exported)?;
    assert!(text.contains("# Count Berlin") && text.contains("of each note"), "{text}");
    window.click("export", "")?;
    window.click("export-copy", "")?;
    until("the plan is copied", || Ok((desktop.screen.clipboard()? == text).then_some(())))
}

#[test]
fn what_was_done_is_there_after_a_crash() -> Result<()> {
    let Some(desktop) = Desktop::start()? else { return Ok(()) };
    let notes = desktop.workspace()?;
    fs::write(notes.join("a.txt"), "Berlin\nin berlin\n")?;
    let endpoint = Endpoint::start([count_and_write()].into_iter().chain(counting()))?;
    endpoint.is_used_in(&desktop.data(), &notes)?;

    let window = desktop.open()?;
    window.ask(MESSAGE)?;
    window.click("approve", "")?;
    window.shows("answer", "The numbers are in counts.md.")?;
    desktop.kill()?;
    drop(window);

    let window = desktop.open()?;
    window.click("session", "How many lines mention Berlin?")?;
    window.shows("message", MESSAGE)?;
    window.shows("plan-card", "v1")?;
    window.shows("answer", "The numbers are in counts.md.")?;
    Ok(())
}

#[test]
fn an_open_question_is_there_after_a_crash_and_its_answer_goes_on() -> Result<()> {
    let Some(desktop) = Desktop::start()? else { return Ok(()) };
    let notes = desktop.workspace()?;
    fs::write(notes.join("a.txt"), "Berlin\n")?;
    let plan = json!({"title": "Ask", "steps": [
        {"tool": "ask_user", "do": "Ask which city is meant", "expect": "a city"},
        {"tool": "grep", "do": "Find the lines with that city", "expect": "counts"},
    ]});
    let question = json!({"question": "Which city?", "options": ["Berlin", "Hamburg"]});
    let endpoint = Endpoint::start([
        plans(&plan),
        calls("ask_user", &question),
        says("Berlin it is."),
        calls("grep", &json!({"pattern": "Berlin"})),
        says("One line mentions Berlin."),
    ])?;
    endpoint.is_used_in(&desktop.data(), &notes)?;

    let window = desktop.open()?;
    window.ask("How many lines mention the city?")?;
    window.shows("plan-card", "Ask which city is meant")?;
    window.shows("request", "Which city?")?;
    desktop.kill()?;
    drop(window);

    let window = desktop.open()?;
    window.click("session", "How many lines mention the city?")?;
    window.shows("request", "Which city?")?;
    window.click("option", "Berlin")?;
    window.click("request-answer", "")?;
    window.shows("answer", "One line mentions Berlin.")?;
    window.save_picture()
}

#[test]
fn stop_ends_what_goes_on_in_the_session_that_is_shown_and_nothing_else() -> Result<()> {
    let Some(desktop) = Desktop::start()? else { return Ok(()) };
    let notes = desktop.workspace()?;
    let (first, never) = (Gate::default(), Gate::default());
    let hamburg = json!({"title": "City", "answer": "It is Hamburg."});
    let endpoint = Endpoint::start([
        says_behind(&first, &json!({"title": "City", "answer": "It is Berlin."}).to_string()),
        says_behind(&never, &hamburg.to_string()),
        plans(&hamburg),
    ])?;
    endpoint.is_used_in(&desktop.data(), &notes)?;
    let window = desktop.open()?;
    for (words, at) in [("Which city is the first?", 1), ("Which city is the second?", 2)] {
        window.ask(words)?;
        window.shows("message", words)?;
        window.shows("stop", "")?;
        until("the endpoint is asked", || Ok((endpoint.received().len() == at).then_some(())))?;
    }
    window.click("stop", "")?;
    window.shows("turn-stopped", "Stopped")?;
    window.click("send-again", "")?;
    window.shows("answer", "It is Hamburg.")?;
    window.click("session", "Which city is the first?")?;
    window.shows("stop", "")?;
    first.open();
    window.shows("answer", "It is Berlin.")?;
    Ok(())
}
