//! What may come up while something is done: a part of a part that asks, a command that is stopped, a plan file with
//! faults, a model server that dies.

use std::fs;
use std::time::Duration;

use anyhow::Result;
use assent_core::run::RunStatus;
use assent_tests::needs::has_programs;
use assent_tests::replies::{MESSAGE, calls, count_and_write, counting, plans, says};
use serde_json::json;

use crate::desktop::Desktop;
use crate::desktop::process::until;
use crate::engine::{Endpoint, open, over_after, propose};

#[test]
fn a_part_of_a_part_asks_in_the_inbox_and_its_answer_reaches_it() -> Result<()> {
    let Some(desktop) = Desktop::start()? else { return Ok(()) };
    let notes = desktop.workspace()?;
    let question = json!({"question": "Which year?", "options": ["1991", "2004"]});
    let endpoint = Endpoint::start([
        says("By year."),
        says("One text has none."),
        calls("ask_user", &question),
        says("It is from 2004."),
    ])?;
    endpoint.is_used_in(&desktop.data(), &notes)?;
    let steps = json!([
        {"id": "s1", "description": "Sort the archive", "stepType": "reasoning"},
        {"id": "s2", "description": "Find the years", "stepType": "reasoning", "parentId": "s1", "origin": "delegate",
            "dependencies": ["s1"]},
        {"id": "s3", "description": "Ask for the year", "stepType": "tool", "requiredTools": ["ask_user"],
            "parentId": "s2", "origin": "delegate", "dependencies": ["s2"]},
    ]);
    propose(&desktop.data(), &notes, "Sort the archive by year", &steps)?;
    let window = desktop.open()?;
    window.click("session", "Sort the archive by year")?;
    window.click("approve", "")?;
    window.shows("request", "Which year?")?;
    window.click("nav-inbox", "")?;
    window.shows("inbox-request", "Which year?")?;
    // Where it comes from is read after what is asked.
    for place in ["Sort the archive by year", "Sort the archive", "Find the years", "Ask for the year"] {
        window.shows("inbox-request", place)?;
    }
    window.save_picture()?;
    window.click("option", "2004")?;
    window.click("request-answer", "")?;
    window.shows("inbox", "Nothing waits for you.")?;
    window.click("session", "Sort the archive by year")?;
    window.shows("answer", "It is from 2004.")?;
    let last = endpoint.received().pop().map(|request| request.body.to_string());
    assert!(last.is_some_and(|body| body.contains("2004")), "the step is told what was answered");
    Ok(())
}

/// Whether a process of this machine has these words in its command line.
fn runs(words: &str) -> Result<bool> {
    let all = fs::read_dir("/proc")?.flatten();
    let mut lines = all.filter_map(|process| fs::read(process.path().join("cmdline")).ok());
    Ok(lines.any(|line| String::from_utf8_lossy(&line).replace('\0', " ").contains(words)))
}

#[test]
fn a_command_that_runs_is_stopped_within_a_second_with_all_it_has_started() -> Result<()> {
    let Some(desktop) = Desktop::start()? else { return Ok(()) };
    if !has_programs(&["bwrap"]) {
        return Ok(());
    }
    let notes = desktop.workspace()?;
    let sleep = format!("sleep 88{}", std::process::id());
    let command = format!("(setsid {sleep} &); touch begun; {sleep}");
    let task = format!("Run {command}");
    let plan = json!({"title": "Wait", "steps": [{"tool": "bash", "do": task, "expect": "it has waited"}]});
    let endpoint = Endpoint::start([plans(&plan), calls("bash", &json!({"command": command, "timeout": 600}))])?;
    endpoint.is_used_in(&desktop.data(), &notes)?;
    let window = desktop.open()?;
    window.ask(&task)?;
    window.click("approve", "")?;
    until("the command runs", || Ok(notes.join("begun").exists().then_some(())))?;
    window.shows("stop-run", "")?;
    let opened = open(&desktop.data())?;
    let sessions = opened.engine.sessions();
    let session =
        sessions.list(&assent_engine::store::ListFilter { archived: false, limit: 1, offset: 0 })?.remove(0).id;

    let asked = window.clicked("stop-run", "")?;
    until("the run is over", || {
        let run = opened.engine.runs().list(&session)?.remove(0);
        Ok((run.status == RunStatus::Cancelled).then_some(()))
    })?;
    assert!(!runs(&sleep)?, "the run's end comes after that of all it has started");
    let took = over_after(&desktop.data(), asked)?;
    assert!(took < Duration::from_secs(1), "{took:?}");
    window.shows("progress", "0 of 1")?;
    Ok(())
}

#[test]
fn a_plan_file_with_faults_is_shown_with_each_at_its_place_and_taken_once_they_are_mended() -> Result<()> {
    let Some(desktop) = Desktop::start()? else { return Ok(()) };
    let endpoint = Endpoint::start([])?;
    endpoint.is_used_in(&desktop.data(), &desktop.workspace()?)?;
    let document = |tool: &str, more: &str| {
        format!(
            "{{\n  \"format\": \"assent.plan/1\",\n  \"title\": \"Count\",\n  \"todoList\": [\n    {{\n      \"id\": \"s1\",\n      \
             \"description\": \"Find the lines\",\n      \"requiredTools\": [\"{tool}\"]{more}\n    }}\n  ]\n}}\n"
        )
    };
    let file = desktop.home().join("plan.json");
    fs::write(&file, document("grep", ",\n      \"dependancies\": [],\n      \"stepType\": \"magic\""))?;
    let window = desktop.open()?;
    window.click("nav-plans", "")?;
    window.click("import", "")?;
    desktop.pick(&file)?;
    let unknown = window.shows("import-fault", "dependancies")?;
    assert!(unknown.starts_with("9") && unknown.contains("dependencies"), "{unknown}");
    let wrong = window.shows("import-fault", "stepType")?;
    assert!(wrong.starts_with("10"), "{wrong}");
    window.click("import-fault", "stepType")?;
    window.wait_for(
        "const area = document.activeElement;
        return (area.value ?? '').slice(area.selectionStart, area.selectionEnd).includes('magic')",
    )?;
    window.save_picture()?;

    // What the format lets pass is checked against what is there.
    window.rewrite("import-text", &document("grepp", ""))?;
    window.click("import-again", "")?;
    let missing = window.shows("import-fault", "Did you mean grep?")?;
    assert!(missing.starts_with("8") && missing.contains("todoList"), "{missing}");
    assert!(!window.has("import-fault", "stepType")?, "what is mended is told no more");
    window.rewrite("import-text", &document("grep", ""))?;
    window.click("import-again", "")?;
    window.shows("plan-card", "Find the lines")?;
    Ok(())
}

#[test]
fn a_run_that_is_over_is_replayed_without_a_call_and_carried_out_again_from_a_step() -> Result<()> {
    let Some(desktop) = Desktop::start()? else { return Ok(()) };
    let notes = desktop.workspace()?;
    fs::write(notes.join("a.txt"), "Berlin\nin berlin\n")?;
    let anew = json!({"path": "counts.md", "content": "a.txt: two\n"});
    let again = [calls("create_file", &anew), says("The numbers are in counts.md, anew.")];
    let endpoint = Endpoint::start([count_and_write()].into_iter().chain(counting()).chain(again))?;
    endpoint.is_used_in(&desktop.data(), &notes)?;
    let window = desktop.open()?;
    window.ask(MESSAGE)?;
    window.click("approve", "")?;
    window.shows("answer", "The numbers are in counts.md.")?;
    let asked = endpoint.received().len();

    window.click("inspector-tab-steps", "")?;
    let slide = "const slider = document.querySelector('[data-testid=replay-slider]');
        slider.value = 2;
        slider.dispatchEvent(new Event('input', { bubbles: true }))";
    window.shows("replay-now", "As it ended")?;
    let done = |count: usize| {
        let signs = "document.querySelectorAll('[data-testid=inspect-step] [aria-label=done]').length";
        window.wait_for(&format!("return {signs} === {count}"))
    };
    done(2)?;
    window.evaluate(slide)?;
    window.shows("replay-place", "2 /")?;
    done(0)?;
    assert_eq!(endpoint.received().len(), asked, "nobody is asked for what was recorded");
    window.save_picture()?;
    window.evaluate(&slide.replace("= 2", "= slider.max"))?;
    window.shows("replay-now", "As it ended")?;

    window.click("inspect-step", "Write counts.md")?;
    window.click("run-from", "")?;
    window.shows("answer", "The numbers are in counts.md, anew.")?;
    assert_eq!(fs::read_to_string(notes.join("counts.md"))?, "a.txt: two\n");
    assert_eq!(endpoint.received().len(), asked + 2, "what was found is taken over");
    Ok(())
}
