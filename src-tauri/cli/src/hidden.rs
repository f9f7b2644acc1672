//! A line that is typed and not shown.

use std::io::{self, Write as _};

use crossterm::event::{Event, KeyCode, KeyEventKind, KeyModifiers, read};
use crossterm::terminal::{disable_raw_mode, enable_raw_mode};

use crate::terminal::Terminal;

/// The terminal as it is while keys are read one by one; as it was when this is dropped.
struct Raw;

impl Drop for Raw {
    fn drop(&mut self) {
        // A terminal that is gone needs no mending.
        let _gone = disable_raw_mode();
    }
}

/// Asks for a line on standard error and shows nothing of it; `None` where the person leaves with Ctrl-C or Ctrl-D.
///
/// # Errors
/// The terminal cannot be read key by key.
pub fn ask(terminal: &Terminal, prompt: &str) -> io::Result<Option<String>> {
    let raw = enable_raw_mode().map(|()| Raw)?;
    // Only now, so that nothing typed after it can be seen.
    write!(io::stderr(), "{prompt}")?;
    let line = keys(read);
    drop(raw);
    terminal.note("");
    line
}

fn keys(mut next: impl FnMut() -> io::Result<Event>) -> io::Result<Option<String>> {
    let mut line = String::new();
    loop {
        match next()? {
            Event::Paste(text) => line.push_str(&text),
            Event::Key(key) if key.kind != KeyEventKind::Release => match key.code {
                KeyCode::Enter => return Ok(Some(line)),
                KeyCode::Char('c' | 'd') if key.modifiers.contains(KeyModifiers::CONTROL) => return Ok(None),
                KeyCode::Char('u') if key.modifiers.contains(KeyModifiers::CONTROL) => line.clear(),
                KeyCode::Char(sign) => line.push(sign),
                KeyCode::Backspace => drop(line.pop()),
                _ => {}
            },
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers};

    use super::keys;

    fn typed(events: impl IntoIterator<Item = Event>) -> Option<String> {
        let mut events = events.into_iter();
        keys(|| Ok(events.next().unwrap())).unwrap()
    }

    fn key(code: KeyCode) -> Event {
        Event::Key(KeyEvent::new(code, KeyModifiers::NONE))
    }

    #[test]
    fn a_line_is_what_was_typed_pasted_and_taken_back() {
        let text = |text: &str| Event::Paste(text.to_owned());
        assert_eq!(
            typed([text("sk-"), key(KeyCode::Char('x')), key(KeyCode::Backspace), text("1"), key(KeyCode::Enter)]),
            Some("sk-1".to_owned())
        );
        let leave = Event::Key(KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL));
        assert_eq!(typed([text("sk-"), leave]), None);
    }
}
