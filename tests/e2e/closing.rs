//! Closing the window in every state, and how it comes back.

use std::fs;

use anyhow::Result;
use assent_core::run::TurnStatus;
use assent_engine::model::scripted::Gate;
use assent_tests::replies::{MESSAGE, calls, calls_behind, count_and_write, plans, says, says_behind};
use serde_json::json;

use crate::desktop::process::until;
use crate::desktop::{CONTROL, Desktop, Window};
use crate::engine::{Endpoint, closing_stops, last_end, open};

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
    desktop.close()?;
    desktop.until_hidden()?;
    gate.open();
    until("the plan is written", || Ok((!open(&desktop.data())?.engine.plans().list(None)?.is_empty()).then_some(())))?;
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
    until("the turn is over", || last_end(&desktop.data()))?;
    desktop.bus.choose_in_tray("Show Assent")?;
    desktop.shown()?;
    window.shows("answer", "The numbers are in counts.md.")?;
    desktop.bus.choose_in_tray("Quit Assent")?;
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
