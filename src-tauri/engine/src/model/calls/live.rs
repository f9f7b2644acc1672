//! A reply while it comes: which pieces are thoughts, text for a person, or structure.

use tokio::sync::mpsc::UnboundedSender;

use super::table::begins_call;
use super::thoughts::MARKS;
use crate::model::{Delta, DeltaKind};

/// What the text part of a reply may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Expect {
    /// Text.
    Text,
    /// Text, or a call of the protocol.
    Protocol,
    /// One JSON document.
    Structure,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Start,
    Thought,
    Body,
    Text,
    Structure,
    Done { escaped: bool },
}

/// Sends pieces on, each as what it is.
pub(crate) struct Live<'a> {
    deltas: &'a UnboundedSender<Delta>,
    expect: Expect,
    state: State,
    /// What ends the thoughts.
    close: &'static str,
    /// The last character that was shown as text.
    shown: Option<char>,
    waiting: String,
}

const DONE: &str = "{\"done\":\"";

impl<'a> Live<'a> {
    pub(crate) fn new(deltas: &'a UnboundedSender<Delta>, expect: Expect) -> Self {
        Self { deltas, expect, state: State::Start, close: "", shown: None, waiting: String::new() }
    }

    /// A piece of a part that the endpoint itself has named.
    pub(crate) fn named(&self, kind: DeltaKind, text: &str) {
        if !text.is_empty() {
            // A receiver that is gone never stops the call.
            let _ = self.deltas.send(Delta { kind, text: text.to_owned() });
        }
    }

    /// A piece of the text part.
    pub(crate) fn text(&mut self, piece: &str) {
        self.waiting.push_str(piece);
        while self.step() {}
    }

    /// The end: what was held back is sent.
    pub(crate) fn end(&mut self) {
        let rest = std::mem::take(&mut self.waiting);
        let kind = match self.state {
            State::Thought => DeltaKind::Thought,
            State::Structure => DeltaKind::Structure,
            _ => DeltaKind::Text,
        };
        self.named(kind, &rest);
    }

    /// Takes as much of what waits as can be told; whether there may be more to take.
    fn step(&mut self) -> bool {
        let trimmed = self.waiting.trim_start();
        let undecided = |mark: &str| trimmed.len() < mark.len() && mark.starts_with(trimmed);
        match self.state {
            State::Start if MARKS.iter().any(|(open, _)| undecided(open)) => false,
            State::Start => match MARKS.iter().find_map(|(open, close)| Some((close, trimmed.strip_prefix(open)?))) {
                Some((close, inside)) => {
                    self.close = close;
                    self.waiting = inside.to_owned();
                    self.become_state(State::Thought)
                }
                None => self.become_state(State::Body),
            },
            State::Thought => self.thought(),
            State::Body if begins_call(trimmed).is_none() => false,
            State::Body if begins_call(trimmed) == Some(true) => self.become_state(State::Structure),
            State::Body if self.expect == Expect::Text => self.become_state(State::Text),
            State::Body if self.expect == Expect::Structure => self.become_state(State::Structure),
            State::Body if undecided(DONE) => false,
            State::Body if trimmed.starts_with(DONE) => {
                self.waiting = trimmed[DONE.len()..].to_owned();
                self.become_state(State::Done { escaped: false })
            }
            State::Body if trimmed.starts_with(['{', '[', '`']) => self.become_state(State::Structure),
            State::Body => self.become_state(State::Text),
            State::Text => self.words(),
            State::Structure => {
                let text = std::mem::take(&mut self.waiting);
                self.named(DeltaKind::Structure, &text);
                false
            }
            State::Done { escaped } => self.done(escaped),
        }
    }

    fn become_state(&mut self, state: State) -> bool {
        self.state = state;
        true
    }

    fn thought(&mut self) -> bool {
        if let Some(at) = self.waiting.find(self.close) {
            let rest = self.waiting.split_off(at + self.close.len());
            self.named(DeltaKind::Thought, &self.waiting[..at]);
            self.waiting = rest;
            return self.become_state(State::Body);
        }
        // The end of what waits may be the beginning of the closing mark.
        let mut safe = self.waiting.len().saturating_sub(self.close.len());
        while !self.waiting.is_char_boundary(safe) {
            safe -= 1;
        }
        let rest = self.waiting.split_off(safe);
        self.named(DeltaKind::Thought, &self.waiting);
        self.waiting = rest;
        false
    }

    /// Text up to a mark that begins a call; one between backticks is spoken of.
    fn words(&mut self) -> bool {
        let mut from = 0;
        let mut end = self.waiting.len();
        let mut is_call = false;
        while let Some(at) = self.waiting[from..].find(['<', '[']).map(|offset| from + offset) {
            let before = self.waiting[..at].chars().next_back().or(self.shown);
            match begins_call(&self.waiting[at..]) {
                _ if before == Some('`') => from = at + 1,
                Some(false) => from = at + 1,
                found => {
                    is_call = found.is_some();
                    end = at;
                    break;
                }
            }
        }
        let rest = self.waiting.split_off(end);
        self.named(DeltaKind::Text, &self.waiting);
        self.shown = self.waiting.chars().next_back().or(self.shown);
        self.waiting = rest;
        is_call && self.become_state(State::Structure)
    }

    /// The inside of the string of `{"done":"…"}`, as a person reads it.
    fn done(&mut self, mut escaped: bool) -> bool {
        let mut text = String::new();
        let waiting = std::mem::take(&mut self.waiting);
        let mut characters = waiting.chars();
        for character in characters.by_ref() {
            match (escaped, character) {
                (false, '\\') => escaped = true,
                (false, '"') => {
                    self.named(DeltaKind::Text, &text);
                    self.waiting = characters.as_str().to_owned();
                    return self.become_state(State::Structure);
                }
                (false, plain) => text.push(plain),
                (true, character) => {
                    escaped = false;
                    text.push(match character {
                        'n' => '\n',
                        't' => '\t',
                        'r' => '\r',
                        other => other,
                    });
                }
            }
        }
        self.named(DeltaKind::Text, &text);
        self.state = State::Done { escaped };
        false
    }
}
