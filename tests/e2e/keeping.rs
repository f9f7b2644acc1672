//! Sessions that a person gives a name, puts away and deletes.

use anyhow::Result;
use assent_engine::store::ListFilter;

use crate::desktop::process::until;
use crate::desktop::{DELETE, Desktop, ENTER, F2, Window};
use crate::engine::{Endpoint, open, propose};

/// The names of all sessions but the one that every endpoint comes with, in order of the alphabet; those that are put
/// away, too, where that is asked for.
fn named(desktop: &Desktop, archived: bool) -> Result<Vec<String>> {
    let rows = open(&desktop.data())?.engine.sessions().list(&ListFilter { archived, limit: 10, offset: 0 })?;
    let mut names: Vec<String> = rows.into_iter().map(|row| row.title).collect();
    names.retain(|name| name != "An earlier session");
    names.sort();
    Ok(names)
}

fn until_gone(window: &Window<'_>, name: &str) -> Result<()> {
    until(&format!("{name} is not listed"), || Ok((!window.has("session", name)?).then_some(())))
}

#[test]
fn sessions_are_renamed_archived_and_deleted_and_stay_so_after_a_restart() -> Result<()> {
    let Some(desktop) = Desktop::start()? else { return Ok(()) };
    let notes = desktop.workspace()?;
    let endpoint = Endpoint::start([])?;
    endpoint.is_used_in(&desktop.data(), &notes)?;
    for title in ["Alpha", "Beta", "Gamma"] {
        propose(&desktop.data(), &notes, title, &serde_json::json!([{"id": "s1", "description": "Think"}]))?;
    }
    let window = desktop.open()?;
    window.click("session", "Alpha")?;
    window.press(&[F2])?;
    window.rewrite("rename-input", "Omega")?;
    window.press(&[ENTER])?;
    window.shows("session", "Omega")?;

    window.click("session", "Beta")?;
    window.click("session-menu", "Beta")?;
    window.click("session-menu-archive", "")?;
    until_gone(&window, "Beta")?;

    window.click("session", "Gamma")?;
    window.press(&[DELETE])?;
    window.shows("delete-session", "Gamma")?;
    window.click("delete-yes", "")?;
    until_gone(&window, "Gamma")?;
    assert_eq!(named(&desktop, false)?, ["Omega"]);
    assert_eq!(named(&desktop, true)?, ["Beta", "Omega"]);
    desktop.close()?;
    desktop.until_ended()?;
    drop(window);
    // What the page keeps lies in the data folder: a window on another one has nothing to do with it.
    assert!(std::fs::read_dir(desktop.data().join("page"))?.next().is_some());

    let window = desktop.open()?;
    window.shows("session", "Omega")?;
    assert!(!window.has("session", "Beta")? && !window.has("session", "Gamma")?);
    window.click("toggle-archived", "")?;
    window.click("session", "Beta")?;
    window.shows("plan-card", "Think")?;
    window.click("session-menu", "Beta")?;
    window.click("session-menu-archive", "")?;
    until("it is listed with the others again", || Ok((named(&desktop, false)? == ["Beta", "Omega"]).then_some(())))
}
