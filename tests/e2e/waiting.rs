//! What waits for a person, where they see it without looking at the page: in the window's title and in the tray.

use anyhow::Result;
use assent_tests::replies::says;

use crate::desktop::Desktop;
use crate::engine::Endpoint;
use crate::notice::asks;

#[test]
fn the_title_and_the_tray_say_how_much_waits_after_a_restart_and_after_answers_too() -> Result<()> {
    let Some(desktop) = Desktop::start()? else { return Ok(()) };
    let questions = asks("Is it Berlin?").into_iter().chain(asks("Is it Hamburg?"));
    let endpoint = Endpoint::start(questions.chain([says("It is Hamburg."), says("It is not Berlin.")]))?;
    endpoint.is_used_in(&desktop.data(), &desktop.workspace()?)?;
    let window = desktop.open()?;
    desktop.entitled("Assent")?;
    window.ask("Ask me: Is it Berlin?")?;
    desktop.entitled("(1) Assent")?;
    window.ask("Ask me: Is it Hamburg?")?;
    desktop.entitled("(2) Assent")?;
    window.shows("request", "Is it Hamburg?")?;
    window.click("option", "Yes")?;
    window.click("request-answer", "")?;
    desktop.entitled("(1) Assent")?;
    window.shows("answer", "It is Hamburg.")?;
    window.rests()?;
    desktop.close()?;
    desktop.until_ended()?;
    drop(window);

    let window = desktop.open()?;
    desktop.entitled("(1) Assent")?;
    assert!(desktop.bus.all_told().is_empty(), "what waited before is told to nobody: {:?}", desktop.bus.all_told());
    desktop.bus.choose_in_tray("Inbox (1)")?;
    window.shows("inbox-request", "Is it Berlin?")?;
    window.click("option", "No")?;
    window.click("request-answer", "")?;
    desktop.entitled("Assent")?;
    desktop.bus.choose_in_tray("Inbox")?;
    window.shows("inbox", "Nothing waits for you.")?;
    Ok(())
}
