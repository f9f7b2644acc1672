//! Closing the window in every state, and how it comes back.

use std::fs;

use anyhow::Result;
use assent_core::run::TurnStatus;
use assent_engine::model::scripted::Gate;
use assent_tests::replies::{MESSAGE, calls, calls_behind, count_and_write, plans, says, says_behind};
use serde_json::json;

use crate::desktop::process::until;
use crate::desktop::{CONTROL, Desktop, ENTER, Window};
use crate::engine::{Endpoint, closing_stops, last_end, open, propose, until_over};

fn sends<'d>(desktop: &'d Desktop, message: &str) -> Result<Window<'d>> {
    let window = desktop.open()?;
    window.ask(message)?;
    window.shows("message", message)?;
    Ok(window)
}

#[test]
fn without_work_the_program_ends_however_closing_is_set() -> Result<()> {
    let Some(desktop) = Desktop::start()? else { return Ok(()) };
    for stops in [false, true] {
        if stops {
            closing_stops(&desktop.data())?;
        }
        let _window = desktop.open()?;
        desktop.close()?;
        desktop.until_ended()?;
    }
    Ok(())
}

#[test]
fn planning_goes_on_behind_a_closed_window_and_a_second_start_brings_it_back() -> Result<()> {
    let Some(desktop) = Desktop::start()? else { return Ok(()) };
    let gate = Gate::default();
    let plan =
        json!({"title": "Note", "steps": [{"tool": "create_file", "do": "Write counts.md", "expect": "counts.md"}]});
    let endpoint = Endpoint::start([says_behind(&gate, &plan.to_string())])?;
    endpoint.is_used_in(&desktop.data(), &desktop.workspace()?)?;
    let window = sends(&desktop, MESSAGE)?;
    window.shows("stop", "")?;
    until("the planner asks", || Ok((endpoint.received().len() == 1).then_some(())))?;
    desktop.close()?;
    desktop.until_hidden()?;
    gate.open();
    let plans = open(&desktop.data())?.engine;
    until("the plan is written", || Ok((!plans.plans().list(None)?.is_empty()).then_some(())))?;
    assert!(!desktop.is_shown()?, "nobody asked for the window");
    assert!(desktop.start_again()?.success());
    desktop.shown()?;
    window.shows("plan-card", "Write counts.md")?;
    Ok(())
}

#[test]
fn a_run_goes_on_behind_a_closed_window_and_the_tray_brings_it_back() -> Result<()> {
    let Some(desktop) = Desktop::start()? else { return Ok(()) };
    let notes = desktop.workspace()?;
    fs::write(notes.join("a.txt"), "Berlin\nin berlin\n")?;
    let gate = Gate::default();
    let endpoint = Endpoint::start([
        count_and_write(),
        calls("grep", &json!({"pattern": "berlin"})),
        says("one file searched"),
        calls_behind(&gate, "create_file", &json!({"path": "counts.md", "content": "a.txt 2\n"})),
        says("The numbers are in counts.md."),
    ])?;
    endpoint.is_used_in(&desktop.data(), &notes)?;
    let window = sends(&desktop, MESSAGE)?;
    window.click("approve", "")?;
    until("the second step asks", || Ok((endpoint.received().len() == 4).then_some(())))?;
    desktop.close()?;
    desktop.until_hidden()?;
    assert!(desktop.runs()?);
    gate.open();
    until("the file is written", || Ok(fs::read_to_string(notes.join("counts.md")).ok()))?;
    until_over(&desktop.data())?;
    desktop.bus.choose_in_tray("Show Assent")?;
    desktop.shown()?;
    window.shows("answer", "The numbers are in counts.md.")?;
    desktop.bus.choose_in_tray("Quit Assent")?;
    desktop.until_ended()
}

#[test]
fn without_a_tray_a_closed_window_stays_in_reach_while_it_works_and_says_why() -> Result<()> {
    let Some(desktop) = Desktop::start()? else { return Ok(()) };
    desktop.bus.lose_tray();
    let gate = Gate::default();
    let endpoint = Endpoint::start([says_behind(&gate, "{}")])?;
    endpoint.is_used_in(&desktop.data(), &desktop.workspace()?)?;
    let window = sends(&desktop, "Plan something")?;
    until("the planner asks", || Ok((endpoint.received().len() == 1).then_some(())))?;
    desktop.close()?;
    assert_eq!(desktop.bus.told("this desktop has no tray")?.title, "Assent goes on working");
    // Nobody manages the windows of this desktop: what is asked to be minimised stays where it is, what is hidden goes.
    assert!(desktop.is_shown()?);
    window.click("stop", "")?;
    window.shows_no("stop")?;
    window.rests()?;
    desktop.close()?;
    desktop.until_ended()
}

#[test]
fn where_closing_stops_planning_and_runs_are_over_when_the_program_has_ended() -> Result<()> {
    let Some(desktop) = Desktop::start()? else { return Ok(()) };
    let notes = desktop.workspace()?;
    let gates = [Gate::default(), Gate::default()];
    let endpoint = Endpoint::start([
        says_behind(&gates[0], "{}"),
        count_and_write(),
        calls_behind(&gates[1], "grep", &json!({"pattern": "berlin"})),
    ])?;
    endpoint.is_used_in(&desktop.data(), &notes)?;
    closing_stops(&desktop.data())?;

    let window = sends(&desktop, "Plan something")?;
    window.shows("stop", "")?;
    until("the planner asks", || Ok((endpoint.received().len() == 1).then_some(())))?;
    desktop.close()?;
    desktop.until_ended()?;
    assert_eq!(last_end(&desktop.data())?, Some(TurnStatus::Cancelled));
    drop(window);

    let window = sends(&desktop, MESSAGE)?;
    window.click("approve", "")?;
    until("the first step asks", || Ok((endpoint.received().len() == 3).then_some(())))?;
    desktop.close()?;
    desktop.until_ended()?;
    assert_eq!(last_end(&desktop.data())?, Some(TurnStatus::Cancelled));
    drop(window);

    let window = desktop.open()?;
    window.click("session", "How many lines mention Berlin?")?;
    window.shows("plan-card", "stopped")?;
    window.shows_no("stop")?;
    assert!(!notes.join("counts.md").exists());
    Ok(())
}

#[test]
fn a_question_waits_for_the_window_to_be_opened_again() -> Result<()> {
    let Some(desktop) = Desktop::start()? else { return Ok(()) };
    let plan = json!({"title": "Ask", "steps": [{"tool": "ask_user", "do": "Ask for the city", "expect": "a city"}]});
    let question = json!({"question": "Which city?", "options": ["Berlin", "Hamburg"]});
    let endpoint = Endpoint::start([plans(&plan), calls("ask_user", &question), says("Berlin it is.")])?;
    endpoint.is_used_in(&desktop.data(), &desktop.workspace()?)?;
    let window = sends(&desktop, "Which city is meant?")?;
    window.shows("request", "Which city?")?;
    window.rests()?;
    desktop.close()?;
    desktop.until_ended()?;
    drop(window);
    closing_stops(&desktop.data())?;
    let window = desktop.open()?;
    window.click("session", "Which city is meant?")?;
    window.shows("request", "Which city?")?;
    desktop.close()?;
    desktop.until_ended()?;
    drop(window);
    let window = desktop.open()?;
    window.click("session", "Which city is meant?")?;
    window.click("option", "Berlin")?;
    window.click("request-answer", "")?;
    window.shows("answer", "Berlin it is.")?;
    Ok(())
}

#[test]
fn what_stands_in_an_open_field_is_there_after_the_window_was_closed() -> Result<()> {
    let Some(desktop) = Desktop::start()? else { return Ok(()) };
    let notes = desktop.workspace()?;
    let endpoint = Endpoint::start([])?;
    endpoint.is_used_in(&desktop.data(), &notes)?;
    let steps = json!([{"id": "s1", "description": "Think about Berlin"}, {"id": "s2", "description": "Think again"}]);
    propose(&desktop.data(), &notes, "Think", &steps)?;

    let window = desktop.open()?;
    window.click("session", "Think")?;
    window.write("composer", "And what about Hamburg?")?;
    window.click("step", "Think again")?;
    window.rewrite("edit-description", "Think of something else")?;
    desktop.close()?;
    desktop.until_ended()?;
    drop(window);

    let window = desktop.open()?;
    window.click("session", "Think")?;
    window.shows("plan-version", "v1, changed")?;
    window.shows("step", "Think of something else")?;
    window.wait_for("return document.getElementById('composer').value === 'And what about Hamburg?'")
}

#[test]
fn a_permission_waits_for_the_window_to_be_opened_again() -> Result<()> {
    let Some(desktop) = Desktop::start()? else { return Ok(()) };
    let notes = desktop.workspace()?;
    fs::write(notes.join("a.txt"), "Berlin\n")?;
    let plan = json!({"title": "Write", "steps": [{"tool": "create_file", "do": "Write b.md", "expect": "a file"}]});
    let other = json!({"path": "a.txt", "content": "Hamburg\n"});
    let endpoint = Endpoint::start([plans(&plan), calls("create_file", &other)])?;
    endpoint.is_used_in(&desktop.data(), &notes)?;
    let window = sends(&desktop, "Write b.md")?;
    window.click("approve", "")?;
    window.shows("file-change", "Hamburg")?;
    window.rests()?;
    desktop.close()?;
    desktop.until_ended()?;
    drop(window);

    let window = desktop.open()?;
    window.click("session", "Write b.md")?;
    window.shows("file-change", "Hamburg")?;
    assert_eq!(fs::read_to_string(notes.join("a.txt"))?, "Berlin\n", "nobody allowed it");
    Ok(())
}

#[test]
fn a_message_that_waits_for_a_run_is_there_after_closing_has_stopped_the_run() -> Result<()> {
    let Some(desktop) = Desktop::start()? else { return Ok(()) };
    let gate = Gate::default();
    let endpoint = Endpoint::start([count_and_write(), calls_behind(&gate, "grep", &json!({"pattern": "berlin"}))])?;
    endpoint.is_used_in(&desktop.data(), &desktop.workspace()?)?;
    closing_stops(&desktop.data())?;
    let window = sends(&desktop, MESSAGE)?;
    window.click("approve", "")?;
    until("the first step asks", || Ok((endpoint.received().len() == 2).then_some(())))?;
    window.write("composer", "Then look at Hamburg")?;
    window.press(&[ENTER])?;
    window.shows("queued", "Then look at Hamburg")?;
    desktop.close()?;
    desktop.until_ended()?;
    drop(window);

    let window = desktop.open()?;
    window.click("session", "How many lines mention Berlin?")?;
    window.shows("queued", "Then look at Hamburg")?;
    assert_eq!(endpoint.received().len(), 2, "it goes when a person says so");
    Ok(())
}

#[test]
fn the_window_is_as_large_as_it_was_left_and_so_is_all_in_it() -> Result<()> {
    let Some(desktop) = Desktop::start()? else { return Ok(()) };
    let window = desktop.open()?;
    desktop.screen.resize(desktop.shown()?, 1000, 700)?;
    window.wait_for("return innerWidth === 1000 && innerHeight === 700")?;
    for _ in 0..3 {
        window.press(&[CONTROL, '+'])?;
    }
    // 1000 pixels of the screen at 150 %.
    window.wait_for("return Math.abs(innerWidth - 667) < 2")?;
    desktop.close()?;
    desktop.until_ended()?;
    drop(window);
    let window = desktop.open()?;
    window.wait_for("return Math.abs(innerWidth - 667) < 2 && Math.abs(innerHeight - 467) < 2")?;
    window.press(&[CONTROL, '0'])?;
    window.wait_for("return innerWidth === 1000 && innerHeight === 700")
}

#[test]
fn quitting_from_the_tray_stops_what_goes_on_however_closing_is_set_and_leaves_questions_waiting() -> Result<()> {
    let Some(desktop) = Desktop::start()? else { return Ok(()) };
    let notes = desktop.workspace()?;
    let gates = [Gate::default(), Gate::default()];
    let asking = json!({"title": "Ask", "steps": [{"tool": "ask_user", "do": "Ask for the city", "expect": "a city"}]});
    let endpoint = Endpoint::start([
        says_behind(&gates[0], "{}"),
        count_and_write(),
        calls_behind(&gates[1], "grep", &json!({"pattern": "berlin"})),
        plans(&asking),
        calls("ask_user", &json!({"question": "Which city?", "options": ["Berlin", "Hamburg"]})),
    ])?;
    endpoint.is_used_in(&desktop.data(), &notes)?;
    let quit = |window: Window<'_>| -> Result<()> {
        desktop.bus.choose_in_tray("Quit Assent")?;
        desktop.until_ended()?;
        drop(window);
        Ok(())
    };

    // While it plans, with the window closed: closing leaves it in the tray, quitting does not.
    let window = sends(&desktop, "Plan something")?;
    until("the planner asks", || Ok((endpoint.received().len() == 1).then_some(())))?;
    desktop.close()?;
    desktop.until_hidden()?;
    quit(window)?;
    assert_eq!(last_end(&desktop.data())?, Some(TurnStatus::Cancelled));

    let window = sends(&desktop, MESSAGE)?;
    window.click("approve", "")?;
    until("the first step asks", || Ok((endpoint.received().len() == 3).then_some(())))?;
    quit(window)?;
    assert_eq!(last_end(&desktop.data())?, Some(TurnStatus::Cancelled));
    assert_eq!(open(&desktop.data())?.engine.runs().unended()?, [], "nothing is left to be carried on");
    assert!(!notes.join("counts.md").exists());

    closing_stops(&desktop.data())?;
    for stops in [true, false] {
        let window = if stops { sends(&desktop, "Which city is meant?")? } else { desktop.open()? };
        if !stops {
            window.click("session", "Which city is meant?")?;
        }
        window.shows("request", "Which city?")?;
        window.rests()?;
        quit(window)?;
        assert_eq!(open(&desktop.data())?.engine.requests().open()?.len(), 1, "the question waits");
    }
    Ok(())
}
