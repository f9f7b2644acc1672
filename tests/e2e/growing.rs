//! Fields that are as high as what is written in them, and what is read that stays where it is, in an engine that cannot do
//! that by itself as the browser of the flows can.

use anyhow::{Result, ensure};
use serde_json::{Value, json};

use crate::desktop::{Desktop, Window};
use crate::engine::{Endpoint, propose};

/// More than a few lines of any field.
const LONG: &str = "Count the lines that mention Berlin in each of the notes, also in those of last year, and leave out what \
    is only quoted from elsewhere; where a note has none, say so, and put the notes with the most lines first, because these \
    are read first. Then look at the letters as well, and at what was written down at the meetings of this summer, and do \
    the same with them.";

/// How much of a field's text is out of its sight, in pixels.
fn hidden(window: &Window<'_>, testid: &str) -> Result<i64> {
    let script = format!(
        "const field = document.querySelector('[data-testid=\"{testid}\"]');
        return Math.round(field.scrollHeight - field.clientHeight)"
    );
    Ok(window.evaluate(&script)?.as_i64().unwrap_or(i64::MAX))
}

#[test]
fn a_field_shows_all_that_is_being_written_and_a_message_moves_no_chat_from_its_end() -> Result<()> {
    let Some(desktop) = Desktop::start()? else { return Ok(()) };
    let notes = desktop.workspace()?;
    let endpoint = Endpoint::start([])?;
    endpoint.is_used_in(&desktop.data(), &notes)?;
    let steps: Vec<Value> = (1..=30)
        .map(|number| json!({"id": format!("s{number}"), "description": format!("Think of {number}")}))
        .collect();
    propose(&desktop.data(), &notes, "Many thoughts", &json!(steps))?;
    let window = desktop.open()?;
    window.click("session", "Many thoughts")?;
    window.shows("plan-card", "Think of 30")?;
    let turns = "const turns = document.querySelector('[data-testid=\"turns\"]');";
    window.evaluate(&format!("{turns} turns.scrollTop = turns.scrollHeight"))?;
    window.write("composer", LONG)?;
    ensure!(hidden(&window, "composer")? <= 1, "the message is cut: {}", hidden(&window, "composer")?);
    window.wait_for(&format!("{turns} return turns.scrollHeight - turns.scrollTop - turns.clientHeight < 32"))?;
    window.click("step", "Think of 1")?;
    window.rewrite("edit-description", LONG)?;
    ensure!(hidden(&window, "edit-description")? <= 1, "a step is cut: {}", hidden(&window, "edit-description")?);
    window.save_picture()
}

#[test]
fn what_is_read_stays_where_it_is_when_what_is_above_it_grows_or_comes() -> Result<()> {
    let Some(desktop) = Desktop::start()? else { return Ok(()) };
    let endpoint = Endpoint::start([])?;
    endpoint.is_used_in(&desktop.data(), &desktop.workspace()?)?;
    let window = desktop.open()?;
    window.click("nav-settings", "")?;
    window.shows("settings", "")?;
    window.evaluate(
        "window.frame = document.getElementById('page');
        window.column = frame.firstElementChild;
        const tall = (height) => Object.assign(document.createElement('p'), { style: `flex: none; height: ${height}px` });
        window.tall = tall;
        column.prepend(tall(300));
        window.read = tall(3000);
        column.append(read, tall(3000));
        frame.scrollTop = read.offsetTop - frame.offsetTop + 100;",
    )?;
    // Only once it has been told of that, too, is it held where it is.
    let told = "const next = requestAnimationFrame;
        return window.told ??= (next(() => next(() => (window.told = true))), false)";
    window.wait_for(told)?;
    // Where it stands is looked at once the page has answered what came meanwhile: between a change and that answer it
    // stands elsewhere. Observers are told in the order in which they were made.
    window.evaluate(
        "window.watcher = new ResizeObserver(() => (window.stood = read.getBoundingClientRect().top));
        watcher.observe(column)",
    )?;
    window.wait_for("return frame.scrollTop > 0 && window.stood < innerHeight")?;
    window.evaluate("watcher.disconnect(); column.prepend(tall(250)); column.children[1].style.height = '500px'")?;
    window.wait_for("return Math.abs(read.getBoundingClientRect().top - window.stood) < 2")?;
    window.evaluate("column.firstElementChild.remove()")?;
    window.wait_for("return Math.abs(read.getBoundingClientRect().top - window.stood) < 2")?;
    // What comes above all of it moves it all, and nothing in it.
    window.evaluate("frame.before(tall(40)); frame.scrollTop += 10; window.told = undefined")?;
    window.wait_for(told)?;
    window.wait_for("return Math.abs(read.getBoundingClientRect().top - window.stood - 30) < 3")
}
