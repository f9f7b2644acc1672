//! What a person is told while they do not look, and where a click on it leads.

use anyhow::Result;
use assent_tests::replies::{calls, plans};
use assent_tests::sse::Answer;
use serde_json::json;

use crate::desktop::Desktop;
use crate::engine::Endpoint;

/// A plan that asks a question, as the planner and its step reply.
pub fn asks(words: &str) -> [Answer; 2] {
    let plan = json!({"title": words, "steps": [{"tool": "ask_user", "do": words, "expect": "an answer"}]});
    [plans(&plan), calls("ask_user", &json!({"question": words, "options": ["Yes", "No"]}))]
}

#[test]
fn a_click_on_a_notification_opens_the_session_of_its_question() -> Result<()> {
    let Some(desktop) = Desktop::start()? else { return Ok(()) };
    let endpoint = Endpoint::start(asks("Is it Berlin?").into_iter().chain(asks("Is it <b>Hamburg</b> & co?")))?;
    endpoint.is_used_in(&desktop.data(), &desktop.workspace()?)?;
    let window = desktop.open()?;
    desktop.shown()?;
    desktop.screen.look_away()?;
    window.is_looked_at(false)?;
    for question in ["Is it Berlin?", "Is it <b>Hamburg</b> & co?"] {
        window.ask(&format!("Ask me: {question}"))?;
        window.shows("request", question)?;
    }
    // This desktop reads markup, and a question is none.
    let second = desktop.bus.told("Is it &lt;b&gt;Hamburg&lt;/b&gt; &amp; co?")?;
    let first = desktop.bus.told("Is it Berlin?")?;
    assert_eq!((first.title.as_str(), second.title.as_str()), ("Assent has a question", "Assent has a question"));
    window.click("nav-new", "")?;
    desktop.bus.click(&first)?;
    window.shows("request", "Is it Berlin?")?;
    window.shows("title", "Ask me: Is it Berlin?")?;
    desktop.bus.click(&second)?;
    window.shows("request", "Is it <b>Hamburg</b> & co?")?;
    desktop.bus.click(&first)?;
    window.shows("request", "Is it Berlin?")?;
    Ok(())
}

#[test]
fn who_looks_at_the_window_is_not_told_what_it_shows() -> Result<()> {
    let Some(desktop) = Desktop::start()? else { return Ok(()) };
    let endpoint = Endpoint::start(asks("Is it Berlin?").into_iter().chain(asks("Is it Hamburg?")))?;
    endpoint.is_used_in(&desktop.data(), &desktop.workspace()?)?;
    let window = desktop.open()?;
    desktop.screen.look_at(desktop.shown()?)?;
    window.is_looked_at(true)?;
    window.ask("Ask me: Is it Berlin?")?;
    // Whoever would have to be told of a question is, before the title counts it.
    desktop.entitled("(1) Assent")?;
    desktop.screen.look_away()?;
    window.is_looked_at(false)?;
    window.ask("Ask me: Is it Hamburg?")?;
    let told = desktop.bus.told("Is it Hamburg?")?;
    assert_eq!(desktop.bus.all_told(), [told]);
    Ok(())
}
