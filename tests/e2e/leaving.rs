//! Ways out of the window: links, drops, scripts that should not be there, and the clipboard.

use anyhow::Result;
use assent_tests::replies::{MESSAGE, calls, count_and_write, plans, says};
use serde_json::json;

use crate::desktop::process::until;
use crate::desktop::{Desktop, Window};
use crate::engine::Endpoint;

/// Writes a mark on the page, which is gone when the page is left.
const MARK: &str = "window.stayed = location.href";
const STAYED: &str = "return window.stayed === location.href && document.querySelector('main') !== null";

const ANSWER: &str = "See [the page](https://example.org/page), write to [Ada](mailto:ada@example.org), \
    or [look](file:///etc/passwd) and [run](javascript:alert(1)).\n\n```sh\necho 'Grüße & <b>'\n```\n";

/// A window with a session in which this was answered.
fn answered<'d>(desktop: &'d Desktop, endpoint: &Endpoint) -> Result<Window<'d>> {
    endpoint.is_used_in(&desktop.data(), &desktop.workspace()?)?;
    let window = desktop.open()?;
    window.ask("Where is it?")?;
    window.shows("answer", "See the page")?;
    window.evaluate(MARK)?;
    Ok(window)
}

fn until_opened(desktop: &Desktop, all: &[&str]) -> Result<()> {
    until(&format!("the system is asked for {all:?}, not {:?}", desktop.opened()), || {
        Ok((desktop.opened() == all).then_some(()))
    })
}

#[test]
fn links_of_an_answer_are_opened_by_the_system_and_never_in_the_window() -> Result<()> {
    let Some(desktop) = Desktop::start()? else { return Ok(()) };
    let endpoint = Endpoint::start([plans(&json!({"title": "Said", "answer": ANSWER}))])?;
    let window = answered(&desktop, &endpoint)?;
    let hrefs = "return [...document.querySelectorAll('[data-testid=answer] a')].map((a) => a.getAttribute('href'))";
    assert_eq!(window.evaluate(hrefs)?, json!(["https://example.org/page", "mailto:ada@example.org"]));
    window.click_selected("a[href^=https]", 0)?;
    until_opened(&desktop, &["https://example.org/page"])?;
    window.click_selected("a[href^=https]", 1)?;
    until_opened(&desktop, &["https://example.org/page", "https://example.org/page"])?;
    window.click_selected("a[href^=mailto]", 0)?;
    let mut opened = vec!["https://example.org/page", "https://example.org/page", "mailto:ada@example.org"];
    until_opened(&desktop, &opened)?;
    window.click_selected("a[href^=https]", 2)?;
    window.click("link-open", "https://example.org/page")?;
    opened.push("https://example.org/page");
    until_opened(&desktop, &opened)?;
    // Of the second button nothing is pressed by it.
    window.click_selected("[data-testid=nav-inbox]", 2)?;
    assert_eq!(window.evaluate("return document.querySelector('[data-testid=inbox]') === null")?, json!(true));
    window.click_selected("a[href^=mailto]", 2)?;
    window.click("link-copy", "")?;
    until("the address is copied", || Ok((desktop.screen.clipboard()? == "mailto:ada@example.org").then_some(())))?;
    assert_eq!(window.evaluate(STAYED)?, json!(true));
    Ok(())
}

#[test]
fn a_page_that_lost_its_hold_on_links_is_still_not_led_away() -> Result<()> {
    let Some(desktop) = Desktop::start()? else { return Ok(()) };
    let endpoint = Endpoint::start([plans(&json!({"title": "Said", "answer": ANSWER}))])?;
    let window = answered(&desktop, &endpoint)?;
    window.evaluate(
        "for (const kind of ['click', 'auxclick', 'dragover', 'drop'])
            window.addEventListener(kind, (event) => event.stopImmediatePropagation(), true);
        const links = { web: 'https://example.org/', file: 'file:///etc/passwd', data: 'data:text/html,hello' };
        for (const [id, href] of Object.entries(links)) {
            for (const target of ['', '_blank', '_top']) {
                const link = Object.assign(document.createElement('a'), { href, target, id: id + target });
                link.textContent = id + target;
                document.querySelector('[data-testid=answer]').append(' ', link);
            }
        }",
    )?;
    for script in
        ["location.href = 'https://example.org/'", "location = 'file:///etc/passwd'", "window.open('about:blank')"]
    {
        window.evaluate(script)?;
        assert_eq!(window.evaluate(STAYED)?, json!(true), "{script}");
    }
    for link in ["web", "web_top", "file", "file_top", "file_blank", "data", "data_top", "data_blank"] {
        window.click_selected(&format!("#{link}"), 0)?;
        assert_eq!(window.evaluate(STAYED)?, json!(true), "{link}");
    }
    window.click_selected("#web", 1)?;
    assert_eq!(window.evaluate(STAYED)?, json!(true));
    assert_eq!(desktop.opened(), [""; 0], "none of these was a wish to open something");
    window.click_selected("#web_blank", 0)?;
    until_opened(&desktop, &["https://example.org/"])?;
    assert_eq!(window.evaluate(STAYED)?, json!(true));
    Ok(())
}

#[test]
fn what_is_dropped_onto_the_window_does_not_lead_it_away() -> Result<()> {
    let Some(desktop) = Desktop::start()? else { return Ok(()) };
    let endpoint = Endpoint::start([plans(&json!({"title": "Said", "answer": ANSWER}))])?;
    let window = answered(&desktop, &endpoint)?;
    let shown = desktop.shown()?;
    assert!(desktop.screen.takes_drops(shown)?);
    for is_held in [true, false] {
        if !is_held {
            window.evaluate(
                "for (const kind of ['dragenter', 'dragover', 'drop'])
                    window.addEventListener(kind, (event) => event.stopImmediatePropagation(), true)",
            )?;
        }
        for (kind, address) in [
            ("text/uri-list", "file:///etc/hostname"),
            ("text/uri-list", "https://example.org/"),
            ("_NETSCAPE_URL", "https://example.org/\nA page"),
        ] {
            desktop.screen.drop_onto(shown, kind, address)?;
            assert_eq!(window.evaluate(STAYED)?, json!(true), "{kind} {address}");
        }
    }
    assert_eq!(desktop.opened(), [""; 0]);
    Ok(())
}

#[test]
fn what_is_copied_can_be_pasted_elsewhere() -> Result<()> {
    let Some(desktop) = Desktop::start()? else { return Ok(()) };
    let endpoint = Endpoint::start([plans(&json!({"title": "Said", "answer": ANSWER}))])?;
    let window = answered(&desktop, &endpoint)?;
    assert_eq!(desktop.screen.clipboard()?, "");
    window.click("copy-code", "")?;
    until("the code is copied", || Ok((desktop.screen.clipboard()? == "echo 'Grüße & <b>'\n").then_some(())))?;
    window.click("copy-answer", "")?;
    until("the answer is copied", || Ok((desktop.screen.clipboard()? == ANSWER.trim_end()).then_some(())))?;
    Ok(())
}

#[test]
fn a_file_that_a_run_wrote_is_opened_by_the_system_and_shown_in_its_folder() -> Result<()> {
    let Some(desktop) = Desktop::start()? else { return Ok(()) };
    let notes = desktop.workspace()?;
    std::fs::write(notes.join("a.txt"), "Berlin\nin berlin\n")?;
    let endpoint = Endpoint::start([
        count_and_write(),
        calls("grep", &json!({"pattern": "berlin"})),
        says("one file searched"),
        calls("create_file", &json!({"path": "counts.md", "content": "a.txt 2\n"})),
        says("The numbers are in counts.md."),
    ])?;
    endpoint.is_used_in(&desktop.data(), &notes)?;
    let window = desktop.open()?;
    window.ask(MESSAGE)?;
    window.click("approve", "")?;
    window.shows("file", "created, 1 line")?;
    let (file, folder) = (notes.join("counts.md").canonicalize()?, notes.canonicalize()?);
    let (file, folder) = (file.display().to_string(), folder.display().to_string());
    window.click("file-open", "counts.md")?;
    until_opened(&desktop, &[&file])?;
    // Nobody on this desktop can point at a file: its folder is opened.
    window.click("file-show", "")?;
    until_opened(&desktop, &[&file, &folder])?;
    assert_eq!(window.evaluate("return document.querySelector('main') !== null")?, json!(true));
    Ok(())
}
