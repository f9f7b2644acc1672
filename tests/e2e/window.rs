//! The real window, driven from outside: it opens on a virtual screen and shows the page that was built into it.

#![cfg(target_os = "linux")]

mod desktop;

use anyhow::Result;
use desktop::Desktop;
use serde_json::json;

#[test]
fn the_window_opens_on_its_own_page_and_keeps_to_its_policy() -> Result<()> {
    let desktop = Desktop::start()?;
    let window = desktop.open(env!("CARGO_BIN_EXE_assent-desktop"))?;
    assert_eq!(window.title()?, "Assent");
    assert_eq!(window.evaluate("return document.querySelector('h1').textContent")?, json!("Assent"));
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
