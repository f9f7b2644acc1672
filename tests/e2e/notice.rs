//! What a person is told while they do not look, and where a click on it leads.

use anyhow::Result;
use assent_tests::replies::{calls, plans};
use serde_json::json;

use crate::desktop::Desktop;
use crate::engine::Endpoint;

#[test]
fn a_click_on_a_notification_opens_the_session_of_its_question() -> Result<()> {
    let Some(desktop) = Desktop::start()? else { return Ok(()) };
    let asks = |words: &str| {
        let plan = json!({"title": words, "steps": [{"tool": "ask_user", "do": words, "expect": "an answer"}]});
        [plans(&plan), calls("ask_user", &json!({"question": words, "options": ["Yes", "No"]}))]
    };
    let endpoint = Endpoint::start(asks("Is it Berlin?").into_iter().chain(asks("Is it Hamburg?")))?;
    endpoint.is_used_in(&desktop.data(), &desktop.workspace()?)?;
    let window = desktop.open()?;
    desktop.shown()?;
    desktop.screen.look_away()?;
    for question in ["Is it Berlin?", "Is it Hamburg?"] {
        window.ask(&format!("Ask me: {question}"))?;
        window.shows("request", question)?;
    }
    let (first, second) = (desktop.bus.told("Is it Berlin?")?, desktop.bus.told("Is it Hamburg?")?);
    assert_eq!((first.title.as_str(), second.title.as_str()), ("Assent has a question", "Assent has a question"));
    window.click("nav-new", "")?;
    desktop.bus.click(&first)?;
    window.shows("request", "Is it Berlin?")?;
    window.shows("title", "Ask me: Is it Berlin?")?;
    desktop.bus.click(&second)?;
    window.shows("request", "Is it Hamburg?")?;
    desktop.bus.click(&first)?;
    window.shows("request", "Is it Berlin?")?;
    Ok(())
}
