//! Where text goes: colours only where they are wanted, widths that fit, and no panic when a pipe closes.

use std::io::{self, BufRead, ErrorKind, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use assent_core::contract::is_unseen;

use crate::args::Colour;
use crate::status;

/// Nobody reads the output any more, or it cannot be written: no more is tried.
static SILENT: AtomicBool = AtomicBool::new(false);

/// Some of the output could not be written, and somebody may wait for it.
static LOST: AtomicBool = AtomicBool::new(false);

/// A style of text; without colours it is nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// Stands out.
    Strong,
    /// Stands back.
    Quiet,
    /// Went well.
    Good,
    /// Needs attention.
    Warn,
    /// Went wrong.
    Bad,
    /// Names something.
    Name,
}

/// Standard output and error of this process.
#[derive(Debug, Clone, Copy)]
pub struct Terminal {
    colour: bool,
    /// The same for standard error, where notes go.
    colour_of_notes: bool,
    /// Whether a person sits in front of both input and output.
    pub interactive: bool,
    /// Whether values are printed instead of text.
    pub json: bool,
    /// Whether a person sees a line change, wherever the result goes.
    pub live: bool,
    /// Columns.
    pub width: usize,
}

impl Terminal {
    /// Looks at the process's own streams.
    pub fn new(colour: Colour, json: bool) -> Self {
        let (on_screen, live) = (io::stdout().is_terminal(), io::stderr().is_terminal());
        let coloured = |on_screen: bool| match colour {
            Colour::Always => true,
            Colour::Never => false,
            Colour::Auto => on_screen && std::env::var_os("NO_COLOR").is_none(),
        };
        let (colour, colour_of_notes) = (coloured(on_screen) && !json, coloured(live));
        let columns = (on_screen || live).then(|| crossterm::terminal::size().ok()).flatten();
        let width = columns.map_or(100, |(columns, _)| usize::from(columns)).clamp(40, 140);
        let interactive = on_screen && io::stdin().is_terminal();
        Self { colour, colour_of_notes, interactive, json, live, width }
    }

    /// A text for standard output in a style.
    pub fn paint(&self, style: Style, text: &str) -> String {
        if self.colour { painted(style, text) } else { text.to_owned() }
    }

    /// Tells on standard error what went wrong, behind a mark that stands out.
    pub fn problem(&self, mark: &str, text: &str) {
        let mark = if self.colour_of_notes { painted(Style::Bad, mark) } else { mark.to_owned() };
        self.note(&format!("{mark} {text}"));
    }

    /// Whether output was lost other than to a reader who went away.
    pub fn has_lost_output() -> bool {
        LOST.load(Ordering::Relaxed)
    }

    /// Writes a line, unless nobody reads any more. Work that has begun goes on without a reader: what ends is the
    /// talking about it.
    pub fn line(&self, text: &str) {
        self.write(&format!("{text}\n"));
    }

    /// Writes text as it is.
    pub fn write(&self, text: &str) {
        if SILENT.load(Ordering::Relaxed) {
            return;
        }
        status::take_away();
        let mut out = io::stdout().lock();
        let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
        drop(out);
        if let Err(error) = written {
            SILENT.store(true, Ordering::Relaxed);
            if error.kind() != ErrorKind::BrokenPipe {
                LOST.store(true, Ordering::Relaxed);
                self.problem("assent:", &format!("the output cannot be written: {error}"));
            }
        }
        if text.ends_with('\n') {
            status::put_back();
        }
    }

    /// Writes a value of a published format on a line of its own.
    pub fn value<T: serde::Serialize>(&self, value: &T) -> anyhow::Result<()> {
        self.line(&serde_json::to_string(value)?);
        Ok(())
    }

    /// Writes a line beside the result: progress, notes.
    pub fn note(&self, text: &str) {
        status::take_away();
        // Nobody is left to tell when standard error is closed.
        let _closed = writeln!(io::stderr().lock(), "{text}");
        status::put_back();
    }

    /// Asks for a line; `None` at the end of the input.
    pub fn ask(&self, prompt: &str) -> Option<String> {
        self.write(prompt);
        let mut line = String::new();
        match io::stdin().lock().read_line(&mut line) {
            Ok(0) | Err(_) => None,
            Ok(_) => Some(line.trim_end_matches(['\r', '\n']).to_owned()),
        }
    }
}

fn painted(style: Style, text: &str) -> String {
    let code = match style {
        Style::Strong => "1",
        Style::Quiet => "2",
        Style::Good => "32",
        Style::Warn => "33",
        Style::Bad => "31",
        Style::Name => "36",
    };
    format!("\u{1b}[{code}m{text}\u{1b}[0m")
}

/// Text of unknown origin without control characters: a terminal must not be told what to do by a model. Signs that
/// are not seen and turn what is around them are told by their numbers: what is approved is what stands there.
pub fn plain(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' | '\t' => shown.push(c),
            // Between the letters of some scripts, and of signs that are made of several.
            '\u{200c}' | '\u{200d}' => shown.push(c),
            c if c.is_control() => shown.push('\u{fffd}'),
            c if is_unseen(c) => shown.push_str(&format!("⟨U+{:04X}⟩", u32::from(c))),
            c => shown.push(c),
        }
    }
    shown
}

/// The text on one line of at most so many characters.
pub fn clip(text: &str, width: usize) -> String {
    let line: String = plain(text).split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= width {
        return line;
    }
    let mut cut: String = line.chars().take(width.saturating_sub(1)).collect();
    cut.push('…');
    cut
}

/// The text in lines of at most so many characters, broken between words.
pub fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for paragraph in plain(text).lines() {
        let mut line = String::new();
        for word in paragraph.split_whitespace() {
            if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > width {
                lines.push(std::mem::take(&mut line));
            }
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
        lines.push(line);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::{clip, plain, wrap};

    #[test]
    fn control_characters_never_reach_the_terminal() {
        assert_eq!(plain("a\u{1b}[2Jb\u{7}\tc\nd"), "a\u{fffd}[2Jb\u{fffd}\tc\nd");
        assert_eq!(plain("a\u{202e}gnp.exe\u{2066}\u{200b}"), "a⟨U+202E⟩gnp.exe⟨U+2066⟩⟨U+200B⟩");
        assert_eq!(clip("\u{202e}x", 20), "⟨U+202E⟩x");
        // What spells sentences that no person sees and a model reads.
        assert_eq!(plain("a\u{e0041}\u{feff}\u{ad}\u{3164}"), "a⟨U+E0041⟩⟨U+FEFF⟩⟨U+00AD⟩⟨U+3164⟩");
        assert_eq!(plain("👩\u{200d}💻 می\u{200c}خواهم"), "👩\u{200d}💻 می\u{200c}خواهم");
    }

    #[test]
    fn a_long_text_is_cut_to_one_line() {
        assert_eq!(clip("one two\nthree", 9), "one two …");
        assert_eq!(clip("one", 9), "one");
    }

    #[test]
    fn lines_break_between_words_and_long_words_stay_whole() {
        assert_eq!(wrap("aa bb cc", 5), ["aa bb", "cc"]);
        assert_eq!(wrap("aaaaaaaa b", 5), ["aaaaaaaa", "b"]);
        assert_eq!(wrap("a\n\nb", 5), ["a", "", "b"]);
    }
}
