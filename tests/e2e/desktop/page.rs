//! The page in the window, through WebDriver.

use std::path::Path;
use std::time::Duration;
use std::{env, fs};

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::Desktop;
use super::process::{until, until_within};

/// Keys as WebDriver writes them.
pub const CONTROL: char = '\u{E009}';
pub const DELETE: char = '\u{E017}';
pub const ENTER: char = '\u{E007}';
pub const ESCAPE: char = '\u{E00C}';
pub const F2: char = '\u{E032}';

/// Watches the next click at what was `found`: what is pressed beside it reaches nobody. `assentAim` tells when it was hit, and
/// watches no more.
const AIM: &str = "const wanted = found?.closest('label') ?? found;
    const kinds = ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click'];
    let hit = null;
    const watch = (event) => {
        if (!wanted?.contains(event.target)) {
            event.preventDefault();
            event.stopImmediatePropagation();
        } else if (event.type === 'click') {
            hit = Date.now();
        }
    };
    for (const kind of kinds) window.addEventListener(kind, watch, true);
    window.assentAim = () => {
        for (const kind of kinds) window.removeEventListener(kind, watch, true);
        return hit;
    };";

/// Keeps the texts of an element in `window.assentShown`.
const FOLLOW: &str = "const shown = (window.assentShown = []);
    const look = () => {
        const text = document.querySelector(`[data-testid=${arguments[0]}]`)?.textContent;
        if (text && text !== shown.at(-1)) shown.push(text);
    };
    new MutationObserver(look).observe(document.body, { childList: true, characterData: true, subtree: true });
    look();";

/// Whether texts with these words were kept, in this order.
const SHOWN: &str = "let at = -1;
    return arguments[0].every((words) => {
        at = window.assentShown.findIndex((text, place) => place > at && text.includes(words));
        return at >= 0;
    });";

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
        self.execute(script, &json!([]))
    }

    fn execute(&self, script: &str, arguments: &Value) -> Result<Value> {
        self.send("POST", "execute/sync", &json!({ "script": script, "args": arguments }))
    }

    /// Runs `script` again and again until it returns `true`. A script of its own that waits would be lost when the
    /// page it began in is left.
    pub fn wait_for(&self, script: &str) -> Result<()> {
        until(script, || Ok((self.evaluate(script)? == json!(true)).then_some(()))).map_err(|error| {
            // What went wrong in the window is most of why it did not come to that.
            let told =
                "return [...document.querySelectorAll('[role=alert], [role=status]')].map((one) => one.textContent)";
            match self.evaluate(told) {
                Ok(told) => error.context(format!("the window says {told}")),
                Err(_) => error,
            }
        })
    }

    /// Runs a script that has the page loaded anew, and waits until the new one is there: until then, what is looked at
    /// is the page of before, which may look the same.
    pub fn load_again(&self, script: &str) -> Result<()> {
        self.evaluate(&format!("window.assentBefore = true; {script}"))?;
        let is_new = "return window.assentBefore === undefined && document.querySelector('main') !== null";
        let mut left = None;
        let loaded = until("the page is loaded anew", || {
            // A look into a page that is just left fails.
            let looked = self.evaluate(is_new).map_err(|error| left = Some(error));
            Ok((looked.ok() == Some(json!(true))).then_some(()))
        });
        loaded.map_err(|error| left.map_or(error, |left| left.context("the page is not loaded anew")))
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

    /// Waits until there is no element of a `data-testid`.
    pub fn shows_no(&self, testid: &str) -> Result<()> {
        until(&format!("{testid} is gone"), || Ok((!self.has(testid, "")?).then_some(())))
    }

    /// Waits until nothing goes on in the session that is shown. What is asked or answered is shown a moment before the
    /// work on it has ended, and closing the window while there is work leaves it in the tray.
    pub fn rests(&self) -> Result<()> {
        self.shows_no("stop")
    }

    /// Waits until the page knows whether a person looks at it.
    pub fn is_looked_at(&self, looked: bool) -> Result<()> {
        self.wait_for(&format!("return document.hasFocus() === {looked}"))
    }

    /// Whether there is such an element at the moment.
    pub fn has(&self, testid: &str, words: &str) -> Result<bool> {
        Ok(self.evaluate(&format!("{} return found !== undefined", found(testid, words)))? == json!(true))
    }

    /// Clicks such an element, as a mouse would, once it can be used. What moves away before the button is down is not
    /// hit: whatever lies there instead is told nothing, and the element is aimed at again.
    pub fn click(&self, testid: &str, words: &str) -> Result<()> {
        self.clicked(testid, words).map(drop)
    }

    /// As [`Window::click`]; when it was hit, in milliseconds since 1970.
    pub fn clicked(&self, testid: &str, words: &str) -> Result<i64> {
        // What cannot be used yet takes the click and does nothing.
        let usable = "if (found?.closest('[aria-disabled=true], :disabled')) return null;";
        let aim = format!("{} {usable} {AIM} return found", found(testid, words));
        let mut missed = None;
        let clicked = until(&format!("{testid} with {words:?} is hit"), || {
            self.shows(testid, words)?;
            let element = self.evaluate(&aim)?;
            let Ok(id) = id_of(&element) else { return Ok(None) };
            missed = self.send("POST", &format!("element/{id}/click"), &json!({})).err();
            Ok(self.evaluate("return window.assentAim()")?.as_i64())
        });
        match missed {
            Some(missed) => clicked.map_err(|error| error.context(missed)),
            None => clicked,
        }
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
        self.shows("new-request", "")?;
        self.write("composer", message)?;
        self.click("send", "")
    }

    /// Types into a field, key by key, behind what it holds; and waits until it holds that, too.
    pub fn write(&self, testid: &str, text: &str) -> Result<()> {
        self.shows(testid, "")?;
        let field = self.evaluate(&format!("{} return [found, found.value]", found(testid, "")))?;
        self.send("POST", &format!("element/{}/value", id_of(&field[0])?), &json!({ "text": text }))?;
        self.holds(testid, &format!("{}{text}", field[1].as_str().context("a field holds text")?))
    }

    /// Types in the place of what a field holds. Keys go to whatever has the focus by then, so it is waited for, and so
    /// is what was typed.
    pub fn rewrite(&self, testid: &str, text: &str) -> Result<()> {
        self.click(testid, "")?;
        self.wait_for(&format!("return document.activeElement?.dataset.testid === {}", json!(testid)))?;
        self.press(&[CONTROL, 'a'])?;
        let keys = text.chars().map(|sign| if sign == '\n' { ENTER } else { sign });
        let steps = keys.flat_map(|key| ["keyDown", "keyUp"].map(|kind| json!({ "type": kind, "value": key })));
        self.act("key", &steps.collect())?;
        self.holds(testid, text)
    }

    /// Waits until a field holds this.
    pub fn holds(&self, testid: &str, text: &str) -> Result<()> {
        let held = format!("{} return found?.value", found(testid, ""));
        let mut holds = Value::Null;
        until(&format!("{testid} holds {text:?}"), || {
            holds = self.evaluate(&held)?;
            Ok((holds == json!(text)).then_some(()))
        })
        .with_context(|| format!("it holds {holds}"))
    }

    /// Keeps every text that an element of a `data-testid` shows from now on, however briefly.
    pub fn follow(&self, testid: &str) -> Result<()> {
        self.execute(FOLLOW, &json!([testid]))?;
        Ok(())
    }

    /// Waits until what is followed has shown texts with these words, in this order.
    pub fn has_shown(&self, patience: Duration, words: &[&str]) -> Result<()> {
        let seen = || Ok((self.execute(SHOWN, &json!([words]))? == json!(true)).then_some(()));
        until_within(patience, &format!("{words:?} were shown"), seen)
    }

    fn act(&self, device: &str, steps: &Value) -> Result<()> {
        self.send("POST", "actions", &json!({ "actions": [{ "type": device, "id": device, "actions": steps }] }))?;
        Ok(())
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

/// What an element is called on the wire.
fn id_of(element: &Value) -> Result<&str> {
    let named = element.as_object().and_then(|named| named.values().next()).and_then(Value::as_str);
    named.context("the element is there no more")
}

/// A script that sets `found` to the first element of a `data-testid` whose words hold these; of a sign without words,
/// its name does.
fn found(testid: &str, words: &str) -> String {
    format!(
        "const words = (element) => (element.closest('label') ?? element).innerText || (element.ariaLabel ?? '');
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
