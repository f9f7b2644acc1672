//! The page in the window, through WebDriver.

use std::path::Path;
use std::{env, fs};

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::Desktop;
use super::process::until;

/// Keys as WebDriver writes them.
pub const CONTROL: char = '\u{E009}';
pub const ENTER: char = '\u{E007}';

/// One opened window; closed when dropped.
pub struct Window<'d> {
    pub(super) desktop: &'d Desktop,
    pub(super) session: String,
}

impl Window<'_> {
    pub fn title(&self) -> Result<String> {
        let title = self.send("GET", "title", &Value::Null)?;
        Ok(title.as_str().context("a title is text")?.to_owned())
    }

    /// Runs `script` in the page; what it returns.
    pub fn evaluate(&self, script: &str) -> Result<Value> {
        self.send("POST", "execute/sync", &json!({ "script": script, "args": [] }))
    }

    /// Runs `script` again and again until it returns `true`. A script of its own that waits would be lost when the
    /// page it began in is left.
    pub fn wait_for(&self, script: &str) -> Result<()> {
        until(script, || Ok((self.evaluate(script)? == json!(true)).then_some(())))
    }

    /// Waits for an element of a `data-testid` whose words, or those of its label, hold `words`; gives them all.
    pub fn shows(&self, testid: &str, words: &str) -> Result<String> {
        let script = format!("{} return found ? words(found) : null", found(testid, words));
        let seen =
            until(&format!("{testid} shows {words:?}"), || Ok(self.evaluate(&script)?.as_str().map(str::to_owned)));
        seen.or_else(|error| {
            let page = self.evaluate("return document.body.innerText")?;
            Err(error.context(format!("the page says:\n{}", page.as_str().unwrap_or_default())))
        })
    }

    /// Whether there is such an element at the moment.
    pub fn has(&self, testid: &str, words: &str) -> Result<bool> {
        Ok(self.evaluate(&format!("{} return found !== undefined", found(testid, words)))? == json!(true))
    }

    /// Clicks such an element, as a mouse would.
    pub fn click(&self, testid: &str, words: &str) -> Result<()> {
        let element = self.element(testid, words)?;
        self.send("POST", &format!("element/{element}/click"), &json!({}))?;
        Ok(())
    }

    /// Clicks the first element that a selector finds, with a button: 0 is the left one, 1 the middle one.
    pub fn click_selected(&self, selector: &str, button: u8) -> Result<()> {
        self.wait_for(&format!("return document.querySelector({}) !== null", json!(selector)))?;
        let found = self.send("POST", "element", &json!({ "using": "css selector", "value": selector }))?;
        let steps = json!([
            { "type": "pointerMove", "origin": found, "x": 0, "y": 0 },
            { "type": "pointerDown", "button": button },
            { "type": "pointerUp", "button": button },
        ]);
        self.act("pointer", &steps)
    }

    /// Presses keys together, on whatever has the focus.
    pub fn press(&self, keys: &[char]) -> Result<()> {
        let down = keys.iter().map(|key| json!({ "type": "keyDown", "value": key }));
        let up = keys.iter().rev().map(|key| json!({ "type": "keyUp", "value": key }));
        self.act("key", &down.chain(up).collect())
    }

    /// Sends a message as a request of its own.
    pub fn ask(&self, message: &str) -> Result<()> {
        self.click("nav-new", "")?;
        self.write("composer", message)?;
        self.click("send", "")
    }

    /// Types into an element, key by key.
    pub fn write(&self, testid: &str, text: &str) -> Result<()> {
        let element = self.element(testid, "")?;
        self.send("POST", &format!("element/{element}/value"), &json!({ "text": text }))?;
        Ok(())
    }

    /// Types in the place of what a field holds.
    pub fn rewrite(&self, testid: &str, text: &str) -> Result<()> {
        self.click(testid, "")?;
        self.press(&[CONTROL, 'a'])?;
        let keys = text.chars();
        let steps = keys.flat_map(|key| ["keyDown", "keyUp"].map(|kind| json!({ "type": kind, "value": key })));
        self.act("key", &steps.collect())
    }

    fn act(&self, device: &str, steps: &Value) -> Result<()> {
        self.send("POST", "actions", &json!({ "actions": [{ "type": device, "id": device, "actions": steps }] }))?;
        Ok(())
    }

    fn element(&self, testid: &str, words: &str) -> Result<String> {
        self.shows(testid, words)?;
        let element = self.evaluate(&format!("{} return found", found(testid, words)))?;
        let named = element.as_object().and_then(|named| named.values().next()).and_then(Value::as_str);
        Ok(named.with_context(|| format!("{testid} is there"))?.to_owned())
    }

    /// Keeps a picture, in base64, where the variable `ASSENT_PICTURE` says; without it, nothing.
    pub fn save_picture(&self) -> Result<()> {
        let Some(target) = env::var_os("ASSENT_PICTURE") else { return Ok(()) };
        let picture = self.send("GET", "screenshot", &Value::Null)?;
        fs::write(Path::new(&target), picture.as_str().context("a picture is text in base64")?)?;
        Ok(())
    }

    fn send(&self, method: &str, command: &str, body: &Value) -> Result<Value> {
        self.desktop.send(method, &format!("/session/{}/{command}", self.session), body)
    }
}

/// A script that sets `found` to the first element of a `data-testid` whose words hold these.
fn found(testid: &str, words: &str) -> String {
    format!(
        "const words = (element) => (element.closest('label') ?? element).innerText;
        const found = [...document.querySelectorAll('[data-testid=' + JSON.stringify({}) + ']')]
            .find((element) => words(element).includes({}));",
        json!(testid),
        json!(words)
    )
}

impl Drop for Window<'_> {
    fn drop(&mut self) {
        let _closed = self.desktop.send("DELETE", &format!("/session/{}", self.session), &Value::Null);
    }
}
