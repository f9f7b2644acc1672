//! A forgiving reader of one JSON value inside a longer text. It reads every byte at most twice and nests at most
//! [`MAX_DEPTH`] levels, whatever the text.
//!
//! Strict JSON is read as it is. Beyond that: comments, commas too many or missing, single quotes, bare keys, line
//! breaks and quotes inside strings, Python's literals; and where the text ends or stops making sense, everything
//! complete before that place.

use serde_json::{Map, Number, Value};

use crate::contract::PathPart;

/// Deeper values are broken.
const MAX_DEPTH: usize = 48;

/// How much of a value could be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Quality {
    /// It stops making sense somewhere.
    Broken,
    /// The text ends inside it.
    Truncated,
    /// All of it, after mending its spelling.
    Mended,
    /// All of it.
    Whole,
}

/// A value that begins at a given place of a text.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Found {
    pub(super) value: Value,
    /// The byte after the last one that was read.
    pub(super) end: usize,
    pub(super) quality: Quality,
    /// Where in the value reading stopped, if it did before the value's end.
    pub(super) path: Vec<PathPart>,
    /// The first key that stands twice in one object and says something else the second time.
    pub(super) twice: Option<Vec<PathPart>>,
}

/// Reads the object or list that begins at byte `start`.
pub(super) fn read_at(text: &str, start: usize) -> Found {
    let (bytes, quality) = (text.as_bytes(), Quality::Whole);
    let mut reader = Reader { text, bytes, at: start, quality, path: Vec::new(), twice: None };
    let value = match reader.value(0) {
        Ok(value) => value,
        Err(Cut(partial)) => partial.unwrap_or(Value::Null),
    };
    let Reader { at, quality, path, twice, .. } = reader;
    Found { value, end: at.max(start + 1), quality, path, twice }
}

/// Reading ended too early; what was complete until then.
struct Cut(Option<Value>);

struct Reader<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    quality: Quality,
    /// The keys and places that lead to what is being read; once reading has stopped they stay.
    path: Vec<PathPart>,
    twice: Option<Vec<PathPart>>,
}

impl<'a> Reader<'a> {
    fn value(&mut self, depth: usize) -> Result<Value, Cut> {
        self.skip();
        match self.peek() {
            None => Err(self.truncated(None)),
            Some(b'{') if depth < MAX_DEPTH => self.object(depth),
            Some(b'[') if depth < MAX_DEPTH => self.list(depth),
            Some(quote @ (b'"' | b'\'')) => self.string(quote, Position::Value).map(Value::String),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(_) => self.literal(),
        }
    }

    fn object(&mut self, depth: usize) -> Result<Value, Cut> {
        self.at += 1;
        let mut members = Map::new();
        loop {
            self.skip();
            match self.peek() {
                None => return Err(self.truncated(Some(Value::Object(members)))),
                Some(b'}') => {
                    self.at += 1;
                    return Ok(Value::Object(members));
                }
                Some(b',') => self.comma(members.is_empty(), b'}'),
                Some(_) => match self.member(depth) {
                    Ok((key, value)) => {
                        if members.get(&key).is_some_and(|earlier| *earlier != value) {
                            let place = || self.path.iter().cloned().chain([key.as_str().into()]).collect();
                            self.twice.get_or_insert_with(place);
                        }
                        members.insert(key, value);
                        self.expect_separator(b'}');
                    }
                    Err((key, Cut(partial))) => {
                        members.extend(key.zip(partial));
                        return Err(Cut(Some(Value::Object(members))));
                    }
                },
            }
        }
    }

    fn member(&mut self, depth: usize) -> Result<(String, Value), (Option<String>, Cut)> {
        let key = match self.peek() {
            Some(quote @ (b'"' | b'\'')) => self.string(quote, Position::Key),
            _ => self.bare_key(),
        };
        let key = key.map_err(|_| (None, Cut(None)))?;
        self.skip();
        match self.peek() {
            Some(b':') => self.at += 1,
            None => return Err((None, self.truncated(None))),
            Some(_) => return Err((None, self.broken())),
        }
        self.path.push(key.as_str().into());
        match self.value(depth + 1) {
            Ok(value) => {
                self.path.pop();
                Ok((key, value))
            }
            Err(cut) => Err((Some(key), cut)),
        }
    }

    fn list(&mut self, depth: usize) -> Result<Value, Cut> {
        self.at += 1;
        let mut items = Vec::new();
        loop {
            self.skip();
            match self.peek() {
                None => return Err(self.truncated(Some(Value::Array(items)))),
                Some(b']') => {
                    self.at += 1;
                    return Ok(Value::Array(items));
                }
                Some(b',') => self.comma(items.is_empty(), b']'),
                Some(_) => {
                    self.path.push(items.len().into());
                    match self.value(depth + 1) {
                        Ok(value) => items.push(value),
                        // Half an element is worse than none: a step whose tool is cut off would become another step.
                        Err(Cut(partial)) => {
                            if items.is_empty() {
                                items.extend(partial);
                            }
                            return Err(Cut(Some(Value::Array(items))));
                        }
                    }
                    self.path.pop();
                    self.expect_separator(b']');
                }
            }
        }
    }

    fn comma(&mut self, first: bool, close: u8) {
        self.at += 1;
        self.skip();
        if first || matches!(self.peek(), Some(byte) if byte == close || byte == b',') {
            self.mend();
        }
    }

    /// After an element: a comma or the end, else a comma is missing.
    fn expect_separator(&mut self, close: u8) {
        self.skip();
        if !matches!(self.peek(), None | Some(b',')) && self.peek() != Some(close) {
            self.mend();
        }
    }

    fn string(&mut self, quote: u8, position: Position) -> Result<String, Cut> {
        if quote == b'\'' {
            self.mend();
        }
        self.at += 1;
        let mut out = String::new();
        let mut plain = self.at;
        while let Some(byte) = self.peek() {
            match byte {
                b'\\' => {
                    out.push_str(&self.text[plain..self.at]);
                    self.escape(&mut out);
                    plain = self.at;
                }
                _ if byte == quote && self.closes(position) => {
                    out.push_str(&self.text[plain..self.at]);
                    self.at += 1;
                    return Ok(out);
                }
                _ => {
                    if byte < 0x20 || byte == quote {
                        self.mend();
                    }
                    self.at += 1;
                }
            }
        }
        Err(self.truncated(None))
    }

    /// Whether the quote here ends its string, judged by what follows: a quote in the middle was not escaped.
    fn closes(&self, position: Position) -> bool {
        let after = self.bytes[self.at + 1..].trim_ascii_start();
        match (position, after.first()) {
            (_, None) | (Position::Key, Some(b':')) => true,
            (Position::Key, Some(_)) => false,
            (Position::Value, Some(b'/')) => after.starts_with(b"//") || after.starts_with(b"/*"),
            (Position::Value, Some(next)) => matches!(next, b',' | b'}' | b']' | b'"' | b'\''),
        }
    }

    fn escape(&mut self, out: &mut String) {
        self.at += 1;
        let Some(letter) = self.text[self.at..].chars().next() else { return };
        self.at += letter.len_utf8();
        match letter {
            '"' | '\\' | '/' => out.push(letter),
            'b' => out.push('\u{8}'),
            'f' => out.push('\u{c}'),
            'n' => out.push('\n'),
            'r' => out.push('\r'),
            't' => out.push('\t'),
            'u' => self.unicode(out),
            other => {
                self.mend();
                out.push('\\');
                out.push(other);
            }
        }
    }

    fn unicode(&mut self, out: &mut String) {
        let high = self.hex();
        let code = match high {
            Some(unit @ 0xD800..=0xDBFF) if self.bytes[self.at..].starts_with(b"\\u") => {
                self.at += 2;
                match self.hex() {
                    Some(low @ 0xDC00..=0xDFFF) => Some(0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00)),
                    _ => None,
                }
            }
            other => other,
        };
        match code.and_then(char::from_u32) {
            Some(letter) => out.push(letter),
            None => {
                self.mend();
                out.push(char::REPLACEMENT_CHARACTER);
            }
        }
    }

    fn hex(&mut self) -> Option<u32> {
        let digits = self.bytes.get(self.at..self.at + 4)?;
        let text = std::str::from_utf8(digits).ok().filter(|text| text.bytes().all(|b| b.is_ascii_hexdigit()))?;
        self.at += 4;
        u32::from_str_radix(text, 16).ok()
    }

    fn number(&mut self) -> Result<Value, Cut> {
        let digits = self.take(|byte| matches!(byte, b'-' | b'+' | b'.' | b'e' | b'E' | b'0'..=b'9'));
        match serde_json::from_str::<Number>(digits) {
            Ok(_) if self.at == self.bytes.len() => Err(self.truncated(None)),
            Ok(number) => Ok(Value::Number(number)),
            Err(_) => Err(self.broken()),
        }
    }

    fn literal(&mut self) -> Result<Value, Cut> {
        let start = self.at;
        let word = self.take(|byte| byte.is_ascii_alphabetic()).to_owned();
        match word.as_str() {
            "true" => return Ok(Value::Bool(true)),
            "false" => return Ok(Value::Bool(false)),
            "null" => return Ok(Value::Null),
            _ => {}
        }
        self.mend();
        match word.as_str() {
            "True" => Ok(Value::Bool(true)),
            "False" => Ok(Value::Bool(false)),
            "None" | "undefined" => Ok(Value::Null),
            _ if !word.is_empty() && self.at == self.bytes.len() => Err(self.truncated(None)),
            _ => {
                self.at = start;
                Err(self.broken())
            }
        }
    }

    fn bare_key(&mut self) -> Result<String, Cut> {
        let start = self.at;
        let key = self.take(|byte| byte.is_ascii_alphanumeric() || byte == b'_').to_owned();
        if key.is_empty() || self.peek() != Some(b':') {
            self.at = start;
            return Err(self.broken());
        }
        self.mend();
        Ok(key)
    }

    fn take(&mut self, belongs: impl Fn(u8) -> bool) -> &'a str {
        let start = self.at;
        while self.peek().is_some_and(&belongs) {
            self.at += 1;
        }
        &self.text[start..self.at]
    }

    /// Skips white space and comments.
    fn skip(&mut self) {
        loop {
            while self.peek().is_some_and(|byte| byte.is_ascii_whitespace()) {
                self.at += 1;
            }
            let rest = &self.bytes[self.at..];
            let length = if rest.starts_with(b"//") {
                rest.iter().position(|byte| *byte == b'\n')
            } else if rest.starts_with(b"/*") {
                self.text[self.at..].find("*/").map(|end| end + 2)
            } else {
                return;
            };
            self.mend();
            self.at = length.map_or(self.bytes.len(), |length| self.at + length);
        }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn mend(&mut self) {
        self.quality = self.quality.min(Quality::Mended);
    }

    fn truncated(&mut self, partial: Option<Value>) -> Cut {
        self.at = self.bytes.len();
        self.quality = self.quality.min(Quality::Truncated);
        Cut(partial)
    }

    fn broken(&mut self) -> Cut {
        self.quality = Quality::Broken;
        Cut(None)
    }
}

/// What a string is, which decides what may follow it.
#[derive(Clone, Copy)]
enum Position {
    Key,
    Value,
}
