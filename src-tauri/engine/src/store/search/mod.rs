//! Full-text search over messages, answers, plans, calls, results, questions and comments.
//!
//! The index holds words alone and is filled behind the events, before a search and when the writer has nothing else
//! to do: no event waits for it. What is shown of a hit is read from where it was written.

mod text;
mod words;

use std::collections::BTreeSet;

use assent_core::ids::SessionId;
use assent_core::order::sort_by_key;
use rusqlite::{Connection, params};

use super::failure::Failure;
use super::table::event::{self, Names};
use super::table::{counter, session};
use super::{Hit, HitKind};
pub use text::MOST_SEARCHED;
use text::{Found, Reading};
use words::words;

/// More words than anybody looks for.
const MOST_WORDS: usize = 32;

/// Of more matches than this only the newest are ranked: of what was said, and of all.
const MOST_MATCHES: usize = 400;

/// Of one session so many of the newest are ranked, of what was said and of all.
const MOST_WITHIN: usize = 5_000;

/// What was said is looked for among so many of the newest matches.
const MOST_LOOKED_AT: usize = 50_000;

/// Of what tools took and gave so many bytes are read to be ranked and shown, the newest first: of the rest its kind counts, and
/// its beginning is shown.
const MOST_READ: usize = 6_000_000;

/// A portion of events is indexed at once up to so many bytes of text: whatever else is to be written waits for it.
const PORTION_BYTES: usize = 2_000_000;

/// Characters of a snippet before and after its first match.
const BEFORE: usize = 40;
const AFTER: usize = 120;

/// Words that all have to be there, the last one as a beginning.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Query {
    words: Vec<String>,
}

impl Query {
    /// The words of a text; `None` if there are none.
    pub(super) fn new(text: &str) -> Option<Self> {
        let words: Vec<String> = words(text).map(|(_, word)| word).take(MOST_WORDS).collect();
        if words.is_empty() { None } else { Some(Self { words }) }
    }

    /// As the index is asked. Words hold letters and digits alone, so that the quotes hold.
    fn expression(&self) -> String {
        let quoted: Vec<String> = self.words.iter().map(|word| format!("\"{word}\"")).collect();
        format!("{}*", quoted.join(" "))
    }

    fn matches(&self, word: &str) -> bool {
        let last = self.words.last();
        self.words.iter().any(|wanted| wanted == word) || last.is_some_and(|last| word.starts_with(last.as_str()))
    }
}

/// The best matches: of all sessions the best first, within one in the order in which they came.
pub(super) fn find(
    connection: &Connection,
    query: &Query,
    within: Option<&SessionId>,
    limit: usize,
) -> Result<Vec<Hit>, Failure> {
    let place = match within.map(|id| session::key(connection, id)).transpose() {
        Ok(place) => place,
        // In a session that was removed there is nothing.
        Err(Failure::NotFound(..)) => return Ok(Vec::new()),
        Err(failure) => return Err(failure),
    };
    let mut names = Names::default();
    let (mut ranked, mut read) = (Vec::new(), 0);
    for seq in matches(connection, query, place, limit)? {
        // Between the statements a person may have removed the session.
        let Some(event) = event::read(connection, &mut names, "WHERE seq = ?1", [seq])?.pop() else { continue };
        let is_whole = read < MOST_READ || !text::is_of_call(&event.kind);
        let reading = if is_whole { Reading::Whole } else { Reading::Beginnings };
        let Some(Some(found)) = if_there(text::text_of(connection, &event.kind, reading))? else { continue };
        read += found.read;
        let score = if is_whole { score(query, &found) } else { weight(found.kind) };
        ranked.push((score, found.kind, snippet(query, &found.text), event));
    }
    // The sort is stable, so that of equals the newest comes first.
    sort_by_key(&mut ranked, |(score, ..)| std::cmp::Reverse(*score));
    ranked.truncate(limit);
    if within.is_some() {
        sort_by_key(&mut ranked, |(.., event)| event.seq);
    }
    let mut hits = Vec::new();
    for (_, kind, snippet, event) in ranked {
        let Some(session) = if_there(session::find(connection, event.place.session.as_str()))? else { continue };
        hits.push(Hit {
            session: event.place.session,
            title: session.title,
            kind,
            seq: event.seq,
            snippet,
            at: event.at,
        });
    }
    Ok(hits)
}

/// What was found, if it is still there.
fn if_there<T>(found: Result<T, Failure>) -> Result<Option<T>, Failure> {
    match found {
        Err(Failure::NotFound(..)) => Ok(None),
        found => found.map(Some),
    }
}

/// The newest matches, newest first. One run may give more of them than anybody looks at: what was said is not lost among
/// what its tools took and gave. Within a session all of its own are looked at.
fn matches(connection: &Connection, query: &Query, within: Option<i64>, limit: usize) -> Result<Vec<i64>, Failure> {
    let number = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
    let ranked = if within.is_some() { MOST_WITHIN } else { MOST_MATCHES };
    let (most, all) = (number(ranked.max(limit)), number(MOST_LOOKED_AT.max(limit)));
    let mut found = BTreeSet::new();
    for (kinds, looked_at) in [(text::condition(), most), (text::said(), all)] {
        let mut statement = connection.prepare_cached(&format!(
            "SELECT seq FROM (
               SELECT rowid FROM search WHERE search MATCH ?1
                 AND rowid BETWEEN coalesce((SELECT min(seq) FROM event WHERE session = ?2), 0)
                   AND coalesce((SELECT max(seq) FROM event WHERE session = ?2), 9223372036854775807)
               ORDER BY rowid DESC LIMIT ?3
             ) AS newest CROSS JOIN event ON seq = newest.rowid
             WHERE (?2 IS NULL OR session = ?2) AND {kinds} ORDER BY seq DESC LIMIT ?4"
        ))?;
        let looked_at = if within.is_some() { -1 } else { looked_at };
        let seqs = statement.query_map(params![query.expression(), within, looked_at, most], |row| row.get(0))?;
        for seq in seqs {
            found.insert(seq?);
        }
    }
    Ok(found.into_iter().rev().collect())
}

/// What a person wrote counts more than what a tool gave.
const fn weight(kind: HitKind) -> u32 {
    match kind {
        HitKind::Title => 5,
        HitKind::Message | HitKind::Plan => 4,
        HitKind::Answer | HitKind::Question | HitKind::Comment => 3,
        HitKind::Call => 2,
        HitKind::Result => 1,
    }
}

/// The words side by side count more than apart.
fn score(query: &Query, Found { kind, text, .. }: &Found) -> u32 {
    let found: Vec<String> = words(text).map(|(_, word)| word).collect();
    let together = query.words.len() > 1 && found.windows(query.words.len()).any(|window| window == query.words);
    let whole = query.words.iter().all(|wanted| found.contains(wanted));
    weight(*kind) + if together { 6 } else { 0 } + if whole { 2 } else { 0 }
}

/// The surroundings of the first match on one line, with every match in them between `⟦` and `⟧`.
fn snippet(query: &Query, text: &str) -> String {
    let mut matches = words(text).filter(|(_, word)| query.matches(word)).map(|(place, _)| place).peekable();
    let first = matches.peek().map_or(0, |place| place.start);
    let start = text[..first].char_indices().rev().nth(BEFORE - 1).map_or(0, |(at, _)| at);
    let end = text[first..].char_indices().nth(AFTER).map_or(text.len(), |(at, _)| first + at);
    let mut shown = String::new();
    let mut at = start;
    for place in matches.take_while(|place| place.end <= end) {
        push_plain(&mut shown, &text[at..place.start]);
        shown.push('⟦');
        push_plain(&mut shown, &text[place.clone()]);
        shown.push('⟧');
        at = place.end;
    }
    push_plain(&mut shown, &text[at..end]);
    let (before, after) = (if start > 0 { "…" } else { "" }, if end < text.len() { "…" } else { "" });
    format!("{before}{}{after}", shown.trim())
}

/// Adds text on one line, in which nothing can be taken for a mark of a match.
fn push_plain(shown: &mut String, text: &str) {
    for symbol in text.chars() {
        match symbol {
            '⟦' => shown.push('['),
            '⟧' => shown.push(']'),
            space if space.is_whitespace() || space.is_control() => {
                if !shown.ends_with(' ') {
                    shown.push(' ');
                }
            }
            other => shown.push(other),
        }
    }
}

/// How many events are not looked at yet.
pub(super) fn behind(connection: &Connection) -> Result<u64, Failure> {
    let indexed: i64 =
        connection.prepare_cached("SELECT indexed FROM search_state")?.query_row([], |row| row.get(0))?;
    Ok((counter::next(connection)? - 1).saturating_sub(u64::try_from(indexed).unwrap_or(0)))
}

/// Indexes some of the events that are not indexed yet, the oldest first.
pub(super) fn index_some(tx: &Connection, most: usize) -> Result<(), Failure> {
    let indexed: i64 = tx.prepare_cached("SELECT indexed FROM search_state")?.query_row([], |row| row.get(0))?;
    let rest = format!("WHERE seq > ?1 AND {} ORDER BY seq LIMIT ?2", text::condition());
    let limit = i64::try_from(most).unwrap_or(i64::MAX);
    let events = event::read(tx, &mut Names::default(), &rest, [indexed, limit])?;
    let mut insert = tx.prepare_cached("INSERT INTO search (rowid, text) VALUES (?1, ?2)")?;
    let (mut spaced, mut read, mut looked_at) = (String::new(), 0, 0);
    for event in &events {
        looked_at += 1;
        let Some(Found { text, .. }) = text::text_of(tx, &event.kind, Reading::Whole)? else { continue };
        spaced.clear();
        for (_, word) in words(&text) {
            spaced.push_str(&word);
            spaced.push(' ');
        }
        if !spaced.is_empty() {
            insert.execute(params![counter::signed(event.seq), spaced])?;
        }
        read += text.len();
        if read >= PORTION_BYTES {
            break;
        }
    }
    let all = looked_at < most && looked_at == events.len();
    let last = if all { counter::next(tx)? - 1 } else { events[..looked_at].last().map_or(0, |event| event.seq) };
    tx.prepare_cached("UPDATE search_state SET indexed = ?1")?.execute([counter::signed(last)])?;
    Ok(())
}

/// Takes a session's events out of the index, so that no word of them stays in the file.
pub(super) fn forget_session(tx: &Connection, session: i64) -> Result<(), Failure> {
    let sql = format!(
        "DELETE FROM search WHERE rowid IN (SELECT seq FROM event WHERE session = ?1 AND {}
           AND seq <= (SELECT indexed FROM search_state))",
        text::condition()
    );
    tx.prepare_cached(&sql)?.execute([session])?;
    // A removed row is only marked until its words are merged away.
    tx.prepare_cached("INSERT INTO search (search) VALUES ('optimize')")?.execute([])?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{Query, snippet};

    #[test]
    fn a_snippet_shows_the_surroundings_with_the_matches_marked() {
        let query = Query::new("LICENCE pat").unwrap();
        assert_eq!(snippet(&query, "Which licence\n mentions patents?"), "Which ⟦licence⟧ mentions ⟦patents⟧?");
        let long = format!("{} patent {}", "ä".repeat(200), "ö ".repeat(200));
        let shown = snippet(&query, &long);
        assert!(shown.starts_with("…ä") && shown.contains(" ⟦patent⟧ ö") && shown.ends_with('…'), "{shown}");
        assert_eq!(snippet(&query, "⟦fake⟧ licence"), "[fake] ⟦licence⟧");
    }

    #[test]
    fn no_text_is_syntax() {
        let expression = |text| Query::new(text).map(|query| query.expression());
        assert_eq!(expression("\"a\" OR b*"), Some("\"a\" \"or\" \"b\"*".to_owned()));
        assert_eq!(expression("NEAR(x, 5) -y text:z"), Some(r#""near" "x" "5" "y" "text" "z"*"#.to_owned()));
        assert_eq!(expression("* \" ^ -"), None);
    }
}
