//! The real window, driven from outside, with the real engine behind it.

#![cfg(target_os = "linux")]

mod asked;
mod closing;
mod desktop;
mod elsewhere;
mod engine;
mod fetching;
mod keeping;
mod leaving;
mod local;
mod notice;
mod offline;
mod under_way;
mod waiting;
mod work;

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
