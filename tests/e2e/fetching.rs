//! Closing the window while a model is fetched.

use std::fs;
use std::path::Path;

use anyhow::Result;
use assent_engine::model::scripted::Gate;
use assent_tests::sse::{Answer, Part};

use crate::desktop::Desktop;
use crate::desktop::process::until;
use crate::engine::{Endpoint, closing_stops};

/// What comes of the file before the test lets go.
const FIRST: usize = 1 << 20;
const FILE: &str = "models/qwen2.5-coder-1.5b-instruct-q4_k_m.gguf.partial";

/// A hub that gives the beginning of the file, waits for the gate, and then breaks off.
fn hub(gate: &Gate) -> Result<Endpoint> {
    let beginning = Answer::status(200, "").part(Part::Bytes(vec![b'x'; FIRST]));
    Endpoint::start([beginning.part(Part::Gate(gate.clone())).part(Part::Break)])
}

fn until_begun(data: &Path) -> Result<()> {
    let size = || fs::metadata(data.join(FILE)).map_or(0, |file| file.len());
    until("the beginning of the file is there", || Ok((size() == FIRST as u64).then_some(())))
}

/// Whether a fetch goes on where the one before ended.
fn goes_on(hub: &Endpoint) -> Result<()> {
    let range = format!("bytes={FIRST}-");
    until("the rest is asked for", || {
        Ok(hub.received().get(1).and_then(|asked| asked.header("range").map(|asked| asked == range)))
    })
    .map(|is_rest| assert!(is_rest, "{:?}", hub.received()))
}

#[test]
fn a_fetch_goes_on_behind_a_closed_window_and_when_it_breaks_off_later_from_there() -> Result<()> {
    let gate = Gate::default();
    let hub = hub(&gate)?;
    let Some(desktop) = Desktop::with(&[("HF_ENDPOINT", hub.address())])? else { return Ok(()) };
    let window = desktop.open()?;
    window.click("pull", "")?;
    window.shows("stop-pull", "")?;
    until_begun(&desktop.data())?;
    desktop.close()?;
    desktop.until_hidden()?;
    assert!(desktop.runs()?);
    gate.open();
    assert!(desktop.start_again()?.success());
    desktop.shown()?;
    window.shows("pull-failure", "goes on where it stopped")?;
    window.click("pull", "")?;
    goes_on(&hub)
}

#[test]
fn without_a_tray_a_window_that_fetches_stays_in_reach_and_says_why() -> Result<()> {
    let gate = Gate::default();
    let hub = hub(&gate)?;
    let Some(desktop) = Desktop::with(&[("HF_ENDPOINT", hub.address())])? else { return Ok(()) };
    desktop.bus.lose_tray();
    let window = desktop.open()?;
    window.click("pull", "")?;
    until_begun(&desktop.data())?;
    desktop.close()?;
    assert_eq!(desktop.bus.told("this desktop has no tray")?.title, "Assent goes on working");
    assert!(desktop.is_shown()?);
    gate.open();
    window.shows("pull-failure", "goes on where it stopped")?;
    desktop.close()?;
    desktop.until_ended()
}

#[test]
fn where_closing_stops_a_fetch_ends_and_goes_on_after_the_next_start() -> Result<()> {
    let gate = Gate::default();
    let hub = hub(&gate)?;
    let Some(desktop) = Desktop::with(&[("HF_ENDPOINT", hub.address())])? else { return Ok(()) };
    closing_stops(&desktop.data())?;
    let window = desktop.open()?;
    window.click("pull", "")?;
    until_begun(&desktop.data())?;
    desktop.close()?;
    desktop.until_ended()?;
    assert_eq!(fs::metadata(desktop.data().join(FILE))?.len(), FIRST as u64);
    drop(window);
    let window = desktop.open()?;
    window.click("pull", "")?;
    goes_on(&hub)
}
