//! The real window, driven from outside, with the real engine behind it.

#![cfg(target_os = "linux")]

mod asked;
mod closing;
mod desktop;
mod elsewhere;
mod engine;
mod fetching;
mod growing;
mod keeping;
mod leaving;
mod local;
mod notice;
mod offline;
mod under_way;
mod waiting;
mod work;

use std::fs;

use anyhow::Result;
use desktop::Desktop;
use serde_json::json;

#[test]
fn the_window_opens_on_its_own_page_and_keeps_to_its_policy() -> Result<()> {
    let Some(desktop) = Desktop::start()? else { return Ok(()) };
    let window = desktop.open()?;
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
fn a_window_that_could_not_start_says_why_takes_no_words_and_starts_once_it_can() -> Result<()> {
    let Some(desktop) = Desktop::start()? else { return Ok(()) };
    let database = desktop.data().join("assent.db");
    fs::create_dir_all(&database)?;
    let window = desktop.open()?;
    let said = window.shows("not-started", "Assent could not start")?;
    assert!(said.contains(&database.display().to_string()) && said.contains("What to do"), "{said}");
    for testid in ["composer", "sidebar", "main"] {
        assert!(!window.has(testid, "")?, "there is no {testid} without an engine");
    }
    window.click("start-open-data", "")?;
    desktop::process::until("the data folder is opened", || {
        Ok(desktop.opened().contains(&desktop.data().display().to_string()).then_some(()))
    })?;
    window.save_picture()?;
    // Aimed at by a script: the page is left by it, and with it whatever aims.
    let again = "document.querySelector('[data-testid=start-again]').click()";
    window.load_again(again)?;
    window.shows("not-started", "Assent could not start")?;
    fs::remove_dir(&database)?;
    window.load_again(again)?;
    window.shows("welcome", "Welcome to Assent")?;
    window.shows_no("not-started")
}
