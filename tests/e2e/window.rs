//! The real window, driven from outside, with the real engine behind it; only the model is a fake endpoint.

#![cfg(target_os = "linux")]

mod desktop;
mod engine;

use std::fs;

use anyhow::Result;
use assent_tests::replies::{MESSAGE, calls, count_and_write, counting, plans, says};
use desktop::Desktop;
use engine::Endpoint;
use serde_json::json;

const PROGRAM: &str = env!("CARGO_BIN_EXE_assent-desktop");

#[test]
fn the_window_opens_on_its_own_page_and_keeps_to_its_policy() -> Result<()> {
    let desktop = Desktop::start()?;
    let window = desktop.open(PROGRAM)?;
    assert!(window.title()?.contains("Assent"), "{}", window.title()?);
    let inline = "const script = document.createElement('script');
        script.textContent = 'window.ranInline = true';
        document.body.append(script);
        return window.ranInline ?? false";
    assert_eq!(window.evaluate(inline)?, json!(false), "the policy let an inline script run");
    let foreign = "document.addEventListener('securitypolicyviolation', (event) => { window.refused = event.effectiveDirective });
        new Image().src = 'https://example.org/picture.png'";
    window.evaluate(foreign)?;
    window.wait_for("return window.refused === 'img-src'")?;
    window.save_picture()
}

#[test]
fn a_message_becomes_a_plan_that_is_approved_done_and_there_after_a_crash() -> Result<()> {
    let desktop = Desktop::start()?;
    let notes = desktop.workspace()?;
    fs::write(notes.join("a.txt"), "Berlin\nin berlin\n")?;
    let endpoint = Endpoint::start([count_and_write()].into_iter().chain(counting()))?;
    endpoint.is_used_in(&desktop.data(), &notes)?;

    let window = desktop.open(PROGRAM)?;
    window.click("nav-new", "")?;
    window.write("composer", MESSAGE)?;
    window.click("send", "")?;
    window.shows("plan-card", "Find the lines that contain \"berlin\" in all notes")?;
    window.shows("plan-card", "Write counts.md with the numbers")?;
    assert!(!notes.join("counts.md").exists(), "nothing happens before the plan is approved");
    window.click("approve", "")?;
    window.shows("answer", "The numbers are in counts.md.")?;
    assert_eq!(fs::read_to_string(notes.join("counts.md"))?, "a.txt 2\n");
    window.save_picture()?;

    desktop.kill(PROGRAM)?;
    drop(window);
    let window = desktop.open(PROGRAM)?;
    window.click("session", "How many lines mention Berlin?")?;
    window.shows("message", MESSAGE)?;
    window.shows("plan-card", "v1")?;
    window.shows("answer", "The numbers are in counts.md.")?;
    Ok(())
}

#[test]
fn an_open_question_is_there_after_a_crash_and_its_answer_goes_on() -> Result<()> {
    let desktop = Desktop::start()?;
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

    let window = desktop.open(PROGRAM)?;
    window.click("nav-new", "")?;
    window.write("composer", "How many lines mention the city?")?;
    window.click("send", "")?;
    window.shows("plan-card", "Ask which city is meant")?;
    window.shows("request", "Which city?")?;
    desktop.kill(PROGRAM)?;
    drop(window);

    let window = desktop.open(PROGRAM)?;
    window.click("session", "How many lines mention the city?")?;
    window.shows("request", "Which city?")?;
    window.click("option", "Berlin")?;
    window.click("request-answer", "")?;
    window.shows("answer", "One line mentions Berlin.")?;
    window.save_picture()
}
