//! Goes through a text once and finds the calls in it, in whatever spelling.

use serde_json::Value;

use super::json::{self, Outcome, Room, document};
use super::{RawCall, Tools, alone, blocks, python, spelled, table};

/// Something found in a text.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) what: What,
    /// Whether a mark of a family's spelling said what it is.
    pub(super) marked: bool,
    /// Whether it stands in a code block or between backticks.
    pub(super) quoted: bool,
}

/// What was found.
#[derive(Debug)]
pub(super) enum What {
    /// A call.
    Call(RawCall),
    /// A text of the protocol.
    Said(String),
    /// The beginning of a call or an object, in which the text ends.
    Cut,
    /// A call that breaks the form it begins with.
    Unreadable,
}

/// What a text holds.
#[derive(Debug, Default)]
pub(super) struct Scan {
    pub(super) found: Vec<Found>,
    /// Whether there are words before what was found, and behind it.
    pub(super) prose: (bool, bool),
}

/// Finds everything. The time is proportional to the length of the text.
pub(super) fn scan(text: &str, tools: &Tools) -> Scan {
    let mut room = Room::of(text);
    if let Some(calls) = alone::calls(text, tools, &mut room) {
        let found = |call| Found { what: What::Call(call), marked: false, quoted: false };
        return Scan { found: calls.into_iter().map(found).collect(), ..Scan::default() };
    }
    let mut scanner =
        Scanner { text, tools, at: 0, told: 0, words: false, fence: 0, inline: 0, room, scan: Scan::default() };
    while let Some(offset) = text[scanner.at..].find(['{', '[', '<', '`']) {
        scanner.at += offset;
        match text.as_bytes()[scanner.at] {
            b'`' => scanner.backticks(),
            b'<' => scanner.mark(),
            _ => scanner.bracket(),
        }
    }
    scanner.scan.prose.1 = scanner.words_before(text.len());
    scanner.scan
}

struct Scanner<'a> {
    text: &'a str,
    tools: &'a Tools<'a>,
    at: usize,
    /// Up to where words have been counted.
    told: usize,
    /// Whether there were words since the last find.
    words: bool,
    /// The backticks that opened a code block; none where none is open.
    fence: usize,
    /// Up to where text stands between backticks.
    inline: usize,
    room: Room,
    scan: Scan,
}

impl<'a> Scanner<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn words_before(&self, end: usize) -> bool {
        self.words || self.text[self.told..end].contains(char::is_alphanumeric)
    }

    /// Goes past something that is neither words nor a find.
    fn pass(&mut self, bytes: usize) {
        self.words = self.words_before(self.at);
        self.at += bytes;
        self.told = self.at;
    }

    /// Goes past finds.
    fn take(&mut self, finds: impl IntoIterator<Item = What>, marked: bool, bytes: usize) {
        if self.scan.found.is_empty() {
            self.scan.prose.0 = self.words_before(self.at);
        }
        let quoted = self.fence > 0 || self.at < self.inline;
        self.scan.found.extend(finds.into_iter().map(|what| Found { what, marked, quoted }));
        self.words = false;
        self.at += bytes;
        self.told = self.at;
    }

    /// The text ends in the middle of something, of which these calls are whole.
    fn cut(&mut self, calls: Vec<RawCall>, marked: bool) {
        let finds = calls.into_iter().map(What::Call).chain([What::Cut]);
        self.take(finds, marked, self.text.len() - self.at);
    }

    fn backticks(&mut self) {
        let rest = self.rest();
        let count = rest.len() - rest.trim_start_matches('`').len();
        if self.fence > 0 {
            // A longer fence may hold shorter ones.
            if count >= self.fence {
                self.fence = 0;
            }
            return self.pass(count);
        }
        if count >= 3 {
            self.fence = count;
            let language = rest[count..].find(|character: char| !character.is_alphanumeric() && character != '_');
            return self.pass(count + language.unwrap_or(0));
        }
        let behind = &rest[count..];
        let line = behind.find('\n').map_or(behind, |end| &behind[..end]);
        if self.at >= self.inline
            && let Some(end) = line.find(&rest[..count])
        {
            self.inline = self.at + count + end + count;
        }
        self.at += count;
    }

    /// Whether a spelling of the table was found here, or something of it that cannot be read.
    fn spelled(&mut self) -> bool {
        match spelled::calls(self.rest(), self.tools, &mut self.room) {
            Outcome::Whole(calls, used) => self.take(calls.into_iter().map(What::Call), true, used),
            Outcome::Unreadable(used) => self.take([What::Unreadable], true, used),
            Outcome::Cut(calls) => self.cut(calls, true),
            Outcome::No => return false,
        }
        true
    }

    fn mark(&mut self) {
        if self.spelled() {
            return;
        }
        let rest = self.rest();
        match table::NOISE.iter().find(|mark| rest.starts_with(**mark)) {
            Some(mark) => self.pass(mark.len()),
            None => self.at += 1,
        }
    }

    fn bracket(&mut self) {
        let rest = self.rest();
        if rest.starts_with('[') && (self.spelled() || self.python()) {
            return;
        }
        match document(rest, &mut self.room) {
            Outcome::Whole(value, used) if is_document(&value) => self.document(&value, used),
            Outcome::Whole(..) | Outcome::No => self.at += 1,
            Outcome::Unreadable(used) if json::begins_as_call(rest) => self.take([What::Unreadable], false, used),
            Outcome::Unreadable(used) => self.at += used,
            Outcome::Cut(_) if json::begins_as_call(rest) || !self.words_before(self.at) => {
                self.cut(json::calls_before_cut(rest), false);
            }
            Outcome::Cut(_) => self.at = self.text.len(),
        }
    }

    /// A list of calls as Python. Without a mark it is one only when it begins with the name of a tool.
    fn python(&mut self) -> bool {
        let rest = self.rest();
        if python::first_name(rest).and_then(|name| self.tools.spec(name)).is_none() {
            return false;
        }
        match python::calls(rest, false) {
            Outcome::Whole(calls, used) => self.take(calls.into_iter().map(What::Call), false, used),
            Outcome::Cut(calls) => self.cut(calls, false),
            Outcome::Unreadable(_) | Outcome::No => return false,
        }
        true
    }

    fn document(&mut self, value: &Value, used: usize) {
        let calls = json::calls_of(value);
        if calls.is_empty() {
            match json::text_of(value) {
                Some(text) => self.take([What::Said(text)], false, used),
                None => self.at += used,
            }
            return;
        }
        let takes = value.as_object().and_then(json::call_of).is_some_and(|call| blocks::takes_block(&call.name));
        if !takes {
            return self.take(calls.into_iter().map(What::Call), false, used);
        }
        let behind = &self.rest()[used..];
        // The end of the call's own fence is not the beginning of a block.
        let below = behind.trim_start().strip_prefix("```").filter(|_| self.fence > 0).unwrap_or(behind);
        match blocks::leading(below) {
            Some((block, after)) => {
                let with_block = |call: RawCall| {
                    let (name, arguments) = blocks::with_block(call.name, call.arguments, Some(block.clone()));
                    What::Call(RawCall { name, arguments, ..call })
                };
                self.take(calls.into_iter().map(with_block), false, self.rest().len() - after.len());
                self.fence = 0;
            }
            // The block has no end: neither it nor its call is whole.
            None if below.trim_start().starts_with("```") && is_open(below) => self.cut(Vec::new(), false),
            None => self.take(calls.into_iter().map(What::Call), false, used),
        }
    }
}

/// Whether a fence is opened here and more than its end follows: ` ``` ` alone only closes the call's own fence.
fn is_open(text: &str) -> bool {
    text.trim_start().trim_start_matches('`').split_once('\n').is_some_and(|(_, body)| !body.trim().is_empty())
}

/// Whether a document can be something that is looked for.
fn is_document(value: &Value) -> bool {
    value.is_object() || value.as_array().is_some_and(|list| json::is_list_of_objects(list))
}

/// The largest JSON object, or list of objects, of a text.
pub(super) fn largest_document(text: &str) -> Option<Value> {
    let mut room = Room::of(text);
    let mut largest: Option<(usize, Value)> = None;
    let mut at = 0;
    while let Some(offset) = text[at..].find(['{', '[']) {
        at += offset;
        match document(&text[at..], &mut room) {
            Outcome::Whole(value, used) if is_document(&value) => {
                if largest.as_ref().is_none_or(|(most, _)| used >= *most) {
                    largest = Some((used, value));
                }
                at += used;
            }
            _ => at += 1,
        }
    }
    largest.map(|(_, value)| value)
}
