//! A run that another program on the same data folder carries on: said to be, followed, stopped from here, and taken
//! over when that program is gone.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, Result};
use assent_core::run::TurnStatus;
use assent_engine::model::scripted::Gate;
use assent_tests::replies::{MESSAGE, calls, calls_behind, count_and_write, plans, says};
use assent_tests::sse::Answer;
use serde_json::json;

use crate::desktop::process::{Running, until};
use crate::desktop::{Desktop, Window};
use crate::engine::{Endpoint, over_after, until_over};

const TITLE: &str = "How many lines mention Berlin?";

/// A folder with something to count, and a model whose last step waits at the gate before it writes.
fn waiting(desktop: &Desktop, gate: &Gate, after: Vec<Answer>) -> Result<(Endpoint, PathBuf)> {
    let notes = desktop.workspace()?;
    fs::write(notes.join("a.txt"), "Berlin\nin berlin\n")?;
    let write = json!({"path": "counts.md", "content": "a.txt 2\n"});
    let counts = [calls("grep", &json!({"pattern": "berlin"})), says("two files searched")];
    let writes = [calls_behind(gate, "create_file", &write)];
    let endpoint = Endpoint::start([count_and_write()].into_iter().chain(counts).chain(writes).chain(after))?;
    endpoint.is_used_in(&desktop.data(), &notes)?;
    Ok((endpoint, notes))
}

fn says_who(window: &Window<'_>) -> Result<()> {
    window.click("session", TITLE)?;
    window.shows("holder", "Another window or a command carries this out")?;
    assert!(!window.has("session-error", "")?, "it is no error");
    window.shows("strip", "1 of 2")?;
    Ok(())
}

#[test]
fn a_run_of_another_program_is_said_to_be_its_own_and_followed_to_its_end() -> Result<()> {
    let Some(desktop) = Desktop::start()? else { return Ok(()) };
    let gate = Gate::default();
    let next = plans(&json!({"title": "Files", "answer": "Only in a.txt."}));
    let (endpoint, notes) = waiting(&desktop, &gate, vec![says("The numbers are in counts.md."), next])?;
    let window = desktop.open()?;
    let _other = endpoint.answers_elsewhere(&desktop.data(), &notes, MESSAGE)?;
    says_who(&window)?;
    window.write("composer", "And in which files?")?;
    window.click("send", "")?;
    window.shows("queue", "And in which files?")?;
    gate.open();
    window.shows("answer", "The numbers are in counts.md.")?;
    window.shows("answer", "Only in a.txt.")?;
    window.shows_no("holder")?;
    assert_eq!(fs::read_to_string(notes.join("counts.md"))?, "a.txt 2\n");
    window.save_picture()
}

#[test]
fn a_run_of_another_program_is_stopped_from_here_within_a_second() -> Result<()> {
    let Some(desktop) = Desktop::start()? else { return Ok(()) };
    let gate = Gate::default();
    let (endpoint, notes) = waiting(&desktop, &gate, Vec::new())?;
    let window = desktop.open()?;
    let _other = endpoint.answers_elsewhere(&desktop.data(), &notes, MESSAGE)?;
    says_who(&window)?;
    let asked = window.clicked("stop-run", "")?;
    assert_eq!(until_over(&desktop.data())?, TurnStatus::Cancelled);
    let took = over_after(&desktop.data(), asked)?;
    assert!(took < Duration::from_secs(1), "{took:?}");
    window.shows_no("holder")?;
    assert!(!notes.join("counts.md").exists());
    Ok(())
}

#[test]
fn what_another_program_left_behind_when_it_died_goes_on_here_on_a_persons_word() -> Result<()> {
    let Some(desktop) = Desktop::start()? else { return Ok(()) };
    let write = json!({"path": "counts.md", "content": "a.txt 2\n"});
    let again = vec![calls("create_file", &write), says("The numbers are in counts.md.")];
    let (endpoint, notes) = waiting(&desktop, &Gate::default(), again)?;
    let window = desktop.open()?;
    let other = endpoint.answers_elsewhere(&desktop.data(), &notes, MESSAGE)?;
    says_who(&window)?;
    until("the other one waits for its model", || Ok((endpoint.received().len() == 4).then_some(())))?;
    other.abort();
    window.shows("holder", "Nobody carries this out any more")?;
    assert!(!notes.join("counts.md").exists(), "nothing goes on before the person says so");
    window.click("carry-on", "")?;
    window.shows("answer", "The numbers are in counts.md.")?;
    window.shows_no("holder")?;
    assert_eq!(fs::read_to_string(notes.join("counts.md"))?, "a.txt 2\n");
    Ok(())
}

#[test]
fn the_window_and_three_commands_that_start_together_carry_an_interrupted_run_on_once() -> Result<()> {
    let Some(desktop) = Desktop::start()? else { return Ok(()) };
    let gate = Gate::default();
    let write = json!({"path": "counts.md", "content": "a.txt 2\n"});
    let again = vec![calls("create_file", &write), says("The numbers are in counts.md.")];
    let (endpoint, notes) = waiting(&desktop, &gate, again)?;
    let Some(asked) = desktop.command(&["ask", "--approve", "never-ask", "--workspace", path(&notes)?, MESSAGE])?
    else {
        return Ok(());
    };
    until("the command waits for its model", || Ok((endpoint.received().len() == 4).then_some(())))?;
    drop(asked);
    assert!(!notes.join("counts.md").exists());
    let resumed: Vec<Option<Running>> = (0..3).map(|_| desktop.command(&["resume"])).collect::<Result<_>>()?;
    let window = desktop.open()?;
    for command in resumed {
        let Some(mut command) = command else { return Ok(()) };
        let ended = until("the command ends", || Ok(command.0.try_wait()?))?;
        let said = command.complaints()?;
        assert_eq!(ended.code(), Some(0), "who does not carry the run on has nothing to complain of: {said}");
    }
    window.click("session", TITLE)?;
    window.shows("answer", "The numbers are in counts.md.")?;
    assert_eq!(fs::read_to_string(notes.join("counts.md"))?, "a.txt 2\n");
    assert_eq!(endpoint.received().len(), 6, "what was asked before, the step once more, and its end");
    Ok(())
}

fn path(folder: &Path) -> Result<&str> {
    folder.to_str().context("the path is text")
}
