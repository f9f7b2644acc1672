//! Collects one file's matching lines with the lines around them.

use std::collections::VecDeque;
use std::io;

use grep_matcher::Matcher;
use grep_regex::RegexMatcher;
use grep_searcher::{Searcher, Sink, SinkContext, SinkFinish, SinkMatch};

use super::Match;
use crate::tool::present::window;
use crate::vault::Mask;

/// Characters of a line that are given.
const LONGEST_SHOWN: usize = 400;

/// Counts all matching lines of a file and keeps the first.
pub(super) struct Lines<'a> {
    file: String,
    matcher: &'a RegexMatcher,
    mask: &'a Mask,
    context: usize,
    room: usize,
    count: u64,
    kept: Vec<Match>,
    /// The lines just before, without a gap.
    before: VecDeque<String>,
    binary: bool,
}

impl<'a> Lines<'a> {
    pub(super) fn new(file: String, matcher: &'a RegexMatcher, mask: &'a Mask, context: usize, room: usize) -> Self {
        let (kept, before) = (Vec::new(), VecDeque::new());
        Self { file, matcher, mask, context, room, count: 0, kept, before, binary: false }
    }

    pub(super) fn matcher(&self) -> &'a RegexMatcher {
        self.matcher
    }

    pub(super) fn is_binary(&self) -> bool {
        self.binary
    }

    pub(super) fn into_parts(self) -> (u64, Vec<Match>) {
        (self.count, self.kept)
    }

    fn keep(&mut self, number: u64, bytes: &[u8]) {
        let (start, end) = self.matcher.find(bytes).ok().flatten().map_or((0, 0), |at| (at.start(), at.end()));
        let characters = |to: usize| String::from_utf8_lossy(&bytes[..to]).chars().count();
        let (from, to) = (characters(start), characters(end));
        let (line, moved) = window(&String::from_utf8_lossy(bytes), from, LONGEST_SHOWN);
        let length = line.chars().count();
        self.kept.push(Match {
            file: self.file.clone(),
            line_number: number,
            column: from + 1,
            context_before: self.before.iter().cloned().collect(),
            context_after: Vec::new(),
            match_start: from - moved,
            match_end: (to - moved).min(length),
            line,
        });
    }

    /// Gives a line to the matches before it and remembers it for those after it.
    fn pass(&mut self, number: u64, bytes: &[u8]) {
        if self.context == 0 {
            return;
        }
        let text = window(&String::from_utf8_lossy(bytes), 0, LONGEST_SHOWN).0;
        let reach = self.context as u64;
        for earlier in self.kept.iter_mut().rev() {
            if earlier.line_number + reach < number {
                break;
            }
            if earlier.line_number < number {
                earlier.context_after.push(text.clone());
            }
        }
        if self.before.len() == self.context {
            self.before.pop_front();
        }
        self.before.push_back(text);
    }
}

impl Sink for Lines<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, line: &SinkMatch<'_>) -> Result<bool, io::Error> {
        self.count += 1;
        let (number, bytes) = (line.line_number().unwrap_or(0), self.mask.bytes(without_end(line.bytes())));
        let bytes = bytes.as_ref();
        if self.kept.len() < self.room {
            self.keep(number, bytes);
        }
        self.pass(number, bytes);
        Ok(true)
    }

    fn context(&mut self, _: &Searcher, line: &SinkContext<'_>) -> Result<bool, io::Error> {
        let bytes = self.mask.bytes(without_end(line.bytes()));
        self.pass(line.line_number().unwrap_or(0), &bytes);
        Ok(true)
    }

    fn context_break(&mut self, _: &Searcher) -> Result<bool, io::Error> {
        self.before.clear();
        Ok(true)
    }

    fn binary_data(&mut self, _: &Searcher, _: u64) -> Result<bool, io::Error> {
        self.binary = true;
        Ok(false)
    }

    fn finish(&mut self, _: &Searcher, finish: &SinkFinish) -> Result<(), io::Error> {
        self.binary |= finish.binary_byte_offset().is_some();
        Ok(())
    }
}

fn without_end(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}
