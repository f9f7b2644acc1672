//! Reads a call that begins with a mark of the table.

use serde_json::{Map, Value};

use super::json::{Outcome, Room, calls_before_cut, calls_of, document};
use super::python::{self, is_of_name};
use super::table::{Fields, Part, SPELLINGS, may_begin_call, opening};
use super::{RawCall, Tools};

/// Bytes of a name, an id or a header.
const WORD: usize = 128;

/// The end of a header.
const MESSAGE: &str = "<|message|>";

/// How far the end of arguments is looked for that are no JSON.
const UNREADABLE: usize = 4096;

/// The calls that a text begins with, in any spelling of the table.
pub(super) fn calls(text: &str, tools: &Tools, room: &mut Room) -> Outcome<Vec<RawCall>> {
    let mut best = Outcome::No;
    if !may_begin_call(text) {
        return best;
    }
    for spelling in SPELLINGS.iter().filter(|spelling| text.starts_with(opening(spelling))) {
        let mut reader = Reader { text, at: 0, tools, room, name: "", id: None, calls: Vec::new() };
        let found = reader.read(spelling);
        if matches!(found, Outcome::Whole(..)) {
            return found;
        }
        let says_more = match (&found, &best) {
            (_, Outcome::No) | (Outcome::Unreadable(_), Outcome::Cut(_)) => true,
            (Outcome::Cut(more), Outcome::Cut(calls)) => more.len() > calls.len(),
            _ => false,
        };
        if says_more {
            best = found;
        }
    }
    best
}

struct Reader<'a, 'r> {
    text: &'a str,
    at: usize,
    tools: &'r Tools<'r>,
    room: &'r mut Room,
    name: &'a str,
    id: Option<String>,
    calls: Vec<RawCall>,
}

/// The text ends before anything is whole.
const CUT: Outcome<Vec<RawCall>> = Outcome::Cut(Vec::new());

/// How the reading of a piece ends; `None` when it was read.
type Ended = Option<Outcome<Vec<RawCall>>>;

impl<'a> Reader<'a, '_> {
    fn read(&mut self, spelling: &[Part]) -> Outcome<Vec<RawCall>> {
        let last = spelling.iter().rposition(|part| !matches!(part, Part::Mark(_))).unwrap_or(0);
        for (number, part) in spelling.iter().enumerate() {
            let end = spelling[number + 1..].iter().find_map(|part| match part {
                Part::Mark(mark) => Some(*mark),
                _ => None,
            });
            let ended = match part {
                Part::Mark(mark) => match self.mark(mark) {
                    Some(_) if number > last => break,
                    ended => ended,
                },
                Part::Name => self.word().map_or_else(Some, |name| {
                    self.name = name;
                    None
                }),
                Part::Id => self.word().map_or_else(Some, |id| {
                    self.id = Some(id.to_owned());
                    None
                }),
                Part::Header => self.header(end.unwrap_or_default()),
                Part::Arguments => self.arguments(end),
                Part::Calls => self.documents(end),
                Part::Python => self.python(),
                Part::Fields(fields) => self.fields(fields),
            };
            if let Some(outcome) = ended {
                return outcome;
            }
        }
        Outcome::Whole(std::mem::take(&mut self.calls), self.at)
    }

    /// What is left, without white space before it.
    fn rest(&mut self) -> &'a str {
        let rest = self.text[self.at..].trim_start();
        self.at = self.text.len() - rest.len();
        rest
    }

    fn mark(&mut self, mark: &str) -> Ended {
        let before = self.at;
        let rest = self.rest();
        if rest.starts_with(mark) {
            self.at += mark.len();
            return None;
        }
        self.at = before;
        Some(if mark.starts_with(rest) { CUT } else { Outcome::No })
    }

    /// A name or an id, directly behind its mark.
    fn word(&mut self) -> Result<&'a str, Outcome<Vec<RawCall>>> {
        let rest = &self.text[self.at..];
        match rest.find(|character| !is_of_name(character)) {
            Some(1..=WORD) => {}
            None if rest.len() <= WORD => return Err(CUT),
            _ => return Err(Outcome::No),
        }
        let word = &rest[..rest.find(|character| !is_of_name(character)).unwrap_or(rest.len())];
        self.at += word.len();
        Ok(word)
    }

    /// Takes what stands before a mark, in the same header.
    fn header(&mut self, end: &str) -> Ended {
        let rest = self.rest();
        let near = within(rest, WORD);
        let header = near.find(MESSAGE).map_or(near.len(), |at| if end == MESSAGE { at + end.len() } else { at });
        let Some(found) = near[..header].find(end) else {
            let begins = rest.is_empty() || rest.starts_with(|first: char| first.is_ascii_alphabetic() || first == '<');
            return Some(if header == rest.len() && begins { CUT } else { Outcome::No });
        };
        self.at += found;
        None
    }

    fn call(&mut self, arguments: Value) {
        self.calls.push(RawCall { id: self.id.take(), name: self.name.to_owned(), arguments });
    }

    fn arguments(&mut self, end: Option<&str>) -> Ended {
        let rest = self.rest();
        let (near, found) = match document(rest, self.room) {
            Outcome::Whole(value, used) => {
                self.at += used;
                self.call(value);
                return None;
            }
            _ if rest.is_empty() => return Some(CUT),
            Outcome::Cut(_) => (rest.len(), CUT),
            Outcome::Unreadable(used) => (used.saturating_add(UNREADABLE), Outcome::Unreadable(self.at + used)),
            Outcome::No => (UNREADABLE, Outcome::No),
        };
        // What stands up to the end mark is kept: whoever is told that it cannot be read sees what was written.
        let Some(length) = end.and_then(|end| within(rest, near).find(end)) else {
            return Some(found);
        };
        self.at += length;
        self.call(Value::String(rest[..length].trim().to_owned()));
        None
    }

    fn documents(&mut self, end: Option<&str>) -> Ended {
        loop {
            let rest = self.rest();
            let (near, found) = match document(rest, self.room) {
                Outcome::Whole(value, used) => {
                    let calls = calls_of(&value);
                    if calls.is_empty() {
                        (used.saturating_add(UNREADABLE), Outcome::Unreadable(self.at + used))
                    } else {
                        self.calls.extend(calls);
                        self.at += used;
                        if self.goes_on() {
                            continue;
                        }
                        return None;
                    }
                }
                Outcome::No if !rest.is_empty() => return Some(Outcome::No),
                Outcome::Cut(_) | Outcome::No => (rest.len(), Outcome::Cut(calls_before_cut(rest))),
                Outcome::Unreadable(used) => (used.saturating_add(UNREADABLE), Outcome::Unreadable(self.at + used)),
            };
            // Whatever follows whole calls is no matter of this mark.
            if !self.calls.is_empty() {
                return None;
            }
            let length = end.and_then(|end| Some(within(rest, near).find(end)? + end.len()));
            return Some(length.map_or(found, |length| Outcome::Unreadable(self.at + length)));
        }
    }

    /// Goes to the next of several documents, where one follows.
    fn goes_on(&mut self) -> bool {
        let behind = self.text[self.at..].trim_start().trim_start_matches([';', ',']).trim_start();
        if behind.starts_with('{') {
            self.at = self.text.len() - behind.len();
        }
        behind.starts_with('{')
    }

    fn python(&mut self) -> Ended {
        let rest = self.rest();
        match python::calls(rest, true) {
            Outcome::Whole(calls, used) => {
                self.calls = calls;
                self.at += used;
                None
            }
            Outcome::Cut(calls) => Some(Outcome::Cut(calls)),
            Outcome::Unreadable(used) => Some(Outcome::Unreadable(self.at + used)),
            Outcome::No => Some(Outcome::No),
        }
    }

    fn fields(&mut self, fields: &Fields) -> Ended {
        let mut arguments = Map::new();
        loop {
            if self.mark(fields.end).is_none() {
                self.call(Value::Object(arguments));
                return None;
            }
            let began = self.mark(fields.name.0);
            if let Some(outcome) = began {
                let is_end = fields.end.starts_with(self.rest());
                return Some(if is_end { CUT } else { outcome });
            }
            let rest = &self.text[self.at..];
            let Some(end) = within(rest, WORD + fields.name.1.len()).find(fields.name.1) else {
                return Some(if rest.len() <= WORD { CUT } else { Outcome::No });
            };
            let name = rest[..end].trim();
            self.at += end + fields.name.1.len();
            if let Some(outcome) = self.value_mark(fields.value.0) {
                return Some(outcome);
            }
            let Some(value) = self.value(fields) else {
                return Some(CUT);
            };
            arguments.insert(name.to_owned(), typed(value, self.tools.parameter(self.name, name)));
        }
    }

    /// The mark before a value; an empty one takes no white space, which belongs to the value.
    fn value_mark(&mut self, mark: &str) -> Ended {
        if mark.is_empty() { None } else { self.mark(mark) }
    }

    /// A value up to the mark behind which another field begins, or the end: the value itself may hold that mark.
    fn value(&mut self, fields: &Fields) -> Option<&'a str> {
        let start = self.at;
        loop {
            let found = self.text[self.at..].find(fields.value.1)?;
            let end = self.at + found;
            self.at = end + fields.value.1.len();
            let behind = self.text[self.at..].trim_start();
            if behind.starts_with(fields.name.0) || behind.starts_with(fields.end) {
                return Some(&self.text[start..end]);
            }
        }
    }
}

/// The beginning of a text, about so many bytes of it.
fn within(text: &str, bytes: usize) -> &str {
    let mut end = bytes.min(text.len());
    while !text.is_char_boundary(end) {
        end += 1;
    }
    &text[..end]
}

/// A value as its parameter wants it: a text as it stands, without the line breaks of the marks; else what JSON reads
/// in it.
fn typed(raw: &str, schema: Option<&Value>) -> Value {
    let raw = raw.strip_prefix('\n').unwrap_or(raw);
    let raw = raw.strip_suffix('\n').unwrap_or(raw);
    let text = || Value::String(raw.to_owned());
    if schema.is_none_or(takes_text) {
        return text();
    }
    match raw.trim() {
        "True" => Value::Bool(true),
        "False" => Value::Bool(false),
        "None" => Value::Null,
        written => serde_json::from_str(written).unwrap_or_else(|_| text()),
    }
}

/// Whether a parameter may be a text; also where its schema does not say.
fn takes_text(schema: &Value) -> bool {
    let any = |key: &str| schema.get(key).and_then(Value::as_array).map(|options| options.iter().any(takes_text));
    match schema.get("type") {
        Some(Value::String(kind)) => kind == "string",
        Some(Value::Array(kinds)) => kinds.iter().any(|kind| kind == "string"),
        _ => any("anyOf").or_else(|| any("oneOf")).unwrap_or(true),
    }
}
