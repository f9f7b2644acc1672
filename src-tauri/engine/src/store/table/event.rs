//! The history. A row's columns hold where, when and which kind; its body is the rest of the published JSON.

use std::collections::HashMap;
use std::io::Write as _;

use assent_core::ids::{RunId, SessionId, StepId, TurnId};
use assent_core::run::{Event, EventKind, Place, Usage};
use rusqlite::{Connection, Params, params};

use super::counter::signed;
use super::word_at;
use crate::store::failure::Failure;

/// The published names of the kinds; a kind's code is its place in this list, from 1. A new kind is added at the end,
/// with a migration that adds it to the table `event_kind`. `request_expired` was never written, and keeps its place.
pub(in crate::store) const KINDS: [&str; 35] = [
    "session_created",
    "session_renamed",
    "session_archived",
    "message_received",
    "model_replied",
    "model_failed",
    "plan_proposed",
    "plan_approved",
    "plan_rejected",
    "plan_superseded",
    "commented",
    "run_queued",
    "run_started",
    "step_started",
    "call_started",
    "call_ended",
    "call_suspended",
    "call_refused",
    "enforced",
    "step_ended",
    "step_reset",
    "request_opened",
    "request_answered",
    "request_cancelled",
    "request_expired",
    "limit_reached",
    "warned",
    "run_ended",
    "answered",
    "turn_ended",
    "call_held",
    "reprompted",
    "run_stop_asked",
    "step_expanded",
    "step_delegated",
];

/// The keys of where an event belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::store) struct Keys {
    pub(in crate::store) session: i64,
    pub(in crate::store) turn: Option<i64>,
    pub(in crate::store) run: Option<i64>,
    /// The step's number in its run.
    pub(in crate::store) step: Option<i64>,
}

/// Turns event kinds into codes and bodies, in memory that is used again and again.
#[derive(Debug, Default)]
pub(in crate::store) struct Encoder {
    text: Vec<u8>,
    /// An event's end as it is looked for.
    end: Vec<u8>,
}

impl Encoder {
    fn encode(&mut self, kind: &EventKind) -> Result<(i64, &str), Failure> {
        const START: usize = r#"{"kind":""#.len();
        self.text.clear();
        serde_json::to_writer(&mut self.text, kind)?;
        let unknown = || Failure::Misuse("an event has a kind that the store does not know".to_owned());
        let length = self.text.get(START..).and_then(|rest| rest.iter().position(|byte| *byte == b'"'));
        let end = START + length.ok_or_else(unknown)?;
        let name = &self.text[START..end];
        let code = KINDS.iter().position(|known| known.as_bytes() == name).ok_or_else(unknown)?;
        make_lean(kind, &mut self.text, &mut self.end).map_err(|error| Failure::Misuse(error.to_string()))?;
        // What follows the name is `,"field":…}` or `}`.
        let body = if self.text[end + 1] == b',' {
            self.text[end + 1] = b'{';
            &self.text[end + 1..]
        } else {
            b"{}"
        };
        let body = std::str::from_utf8(body).map_err(|_| unknown())?;
        Ok((code as i64 + 1, body))
    }

    /// Writes an event.
    pub(in crate::store) fn insert(
        &mut self,
        tx: &Connection,
        seq: u64,
        keys: &Keys,
        at: i64,
        kind: &EventKind,
    ) -> Result<(), Failure> {
        let (code, body) = self.encode(kind)?;
        tx.prepare_cached(
            "INSERT INTO event (seq, session, turn, run, step, at, kind, body)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        )?
        .execute(params![signed(seq), keys.session, keys.turn, keys.run, keys.step, at, code, body])?;
        Ok(())
    }
}

/// Leaves out of an event's end what is read as none where it is missing: tokens and milliseconds.
fn make_lean(kind: &EventKind, text: &mut Vec<u8>, end: &mut Vec<u8>) -> std::io::Result<()> {
    end.clear();
    match kind {
        EventKind::ModelReplied { usage: Usage { input, cached, output }, duration_ms, .. } => {
            let lacks = (*input, *cached, *output) == (0, 0, 0);
            if !lacks && *cached > 0 {
                return Ok(());
            }
            write!(end, r#","usage":{{"input":{input},"cached":{cached},"output":{output}}}"#)?;
            write!(end, r#","durationMs":{duration_ms}}}"#)?;
            if take_end(text, end) {
                if !lacks {
                    write!(text, r#","usage":{{"input":{input},"output":{output}}}"#)?;
                }
                if *duration_ms > 0 {
                    write!(text, r#","durationMs":{duration_ms}"#)?;
                }
                text.push(b'}');
            }
        }
        EventKind::CallEnded { duration_ms: 0, .. } if take_end(text, br#","durationMs":0}"#) => text.push(b'}'),
        _ => {}
    }
    Ok(())
}

/// Takes an end off a text; whether it was there.
fn take_end(text: &mut Vec<u8>, end: &[u8]) -> bool {
    let ends = text.ends_with(end);
    if ends {
        text.truncate(text.len() - end.len());
    }
    ends
}

/// Ids by their keys, looked up once.
#[derive(Debug, Default)]
pub(in crate::store) struct Names {
    sessions: HashMap<i64, SessionId>,
    turns: HashMap<i64, TurnId>,
    runs: HashMap<i64, RunId>,
    steps: HashMap<i64, Vec<StepId>>,
}

impl Names {
    fn place(&mut self, connection: &Connection, keys: &Keys) -> Result<Place, Failure> {
        let session = match self.sessions.get(&keys.session) {
            Some(id) => id.clone(),
            None => {
                let id: SessionId = id_of(connection, "SELECT id FROM session WHERE key = ?1", keys.session)?;
                self.sessions.entry(keys.session).or_insert(id).clone()
            }
        };
        let turn = keys.turn.map(|key| match self.turns.get(&key) {
            Some(id) => Ok(id.clone()),
            None => {
                let id: TurnId = id_of(connection, "SELECT id FROM turn WHERE key = ?1", key)?;
                Ok::<_, Failure>(self.turns.entry(key).or_insert(id).clone())
            }
        });
        let run = keys.run.map(|key| match self.runs.get(&key) {
            Some(id) => Ok(id.clone()),
            None => {
                let id: RunId = id_of(connection, "SELECT id FROM run WHERE key = ?1", key)?;
                Ok::<_, Failure>(self.runs.entry(key).or_insert(id).clone())
            }
        });
        let step = match (keys.run, keys.step) {
            (Some(run), Some(number)) => Some(self.step(connection, run, number)?),
            _ => None,
        };
        Ok(Place { session, turn: turn.transpose()?, run: run.transpose()?, step })
    }

    fn step(&mut self, connection: &Connection, run: i64, number: i64) -> Result<StepId, Failure> {
        let place = usize::try_from(number).unwrap_or(usize::MAX);
        if let Some(id) = self.steps.get(&run).and_then(|steps| steps.get(place)) {
            return Ok(id.clone());
        }
        let steps = super::step::of_run(connection, run)?.into_iter().map(|step| step.id).collect::<Vec<_>>();
        let id = steps.get(place).cloned();
        self.steps.insert(run, steps);
        id.ok_or_else(|| Failure::Broken(format!("run {run} has no step {number}")))
    }
}

fn id_of<T: serde::de::DeserializeOwned>(connection: &Connection, sql: &str, key: i64) -> Result<T, Failure> {
    Ok(connection.prepare_cached(sql)?.query_row([key], |row| word_at(row, 0))?)
}

/// Reads events; `rest` is what follows `FROM event`.
pub(in crate::store) fn read(
    connection: &Connection,
    names: &mut Names,
    rest: &str,
    values: impl Params,
) -> Result<Vec<Event>, Failure> {
    let sql = format!("SELECT seq, session, turn, run, step, at, kind, body FROM event {rest}");
    let mut statement = connection.prepare_cached(&sql)?;
    let mut rows = statement.query(values)?;
    let mut events = Vec::new();
    let mut text = String::new();
    while let Some(row) = rows.next()? {
        let seq = row.get::<_, i64>(0)?.unsigned_abs();
        let keys = Keys { session: row.get(1)?, turn: row.get(2)?, run: row.get(3)?, step: row.get(4)? };
        let code = usize::try_from(row.get::<_, i64>(6)?).unwrap_or(0);
        let body = row.get_ref(7)?.as_str().map_err(rusqlite::Error::from)?;
        let kind = decode(code, body, &mut text).map_err(|why| Failure::Broken(format!("event {seq}: {why}")))?;
        events.push(Event { seq, place: names.place(connection, &keys)?, at: row.get(5)?, kind });
    }
    Ok(events)
}

/// The event of a sequence number.
pub(in crate::store) fn by_seq(connection: &Connection, names: &mut Names, seq: i64) -> Result<Event, Failure> {
    let found = read(connection, names, "WHERE seq = ?1", [seq])?;
    found.into_iter().next().ok_or_else(|| Failure::Broken(format!("event {seq} is missing")))
}

/// The event kind of a code and a body; `text` is memory to work in.
fn decode(code: usize, body: &str, text: &mut String) -> Result<EventKind, String> {
    let name = code.checked_sub(1).and_then(|place| KINDS.get(place)).ok_or_else(|| format!("kind {code}"))?;
    let fields = body.strip_prefix('{').ok_or("its body is no object")?;
    text.clear();
    text.push_str(r#"{"kind":""#);
    text.push_str(name);
    text.push('"');
    if fields != "}" {
        text.push(',');
    }
    text.push_str(fields);
    serde_json::from_str(text).map_err(|error| error.to_string())
}

/// The events of a session after a sequence number.
pub(in crate::store) fn of_session(connection: &Connection, session: i64, after: u64) -> Result<Vec<Event>, Failure> {
    let rest = "WHERE session = ?1 AND seq > ?2 ORDER BY seq";
    read(connection, &mut Names::default(), rest, params![session, signed(after)])
}

/// The events of a run, whose place bounds the search, after a sequence number.
pub(in crate::store) fn of_run(
    connection: &Connection,
    run: &super::run::Place,
    after: i64,
) -> Result<Vec<Event>, Failure> {
    let rest = "WHERE session = ?1 AND seq BETWEEN ?2 AND ?3 AND run = ?4 ORDER BY seq";
    let first = run.first.max(after.saturating_add(1));
    read(connection, &mut Names::default(), rest, params![run.session, first, run.last, run.key])
}

#[cfg(test)]
mod tests {
    use assent_core::run::{CallStatus, Content, EventKind, Purpose, Usage};
    use serde_json::json;

    use super::{Encoder, decode};

    fn replied(usage: Usage, duration_ms: u64) -> EventKind {
        EventKind::ModelReplied {
            purpose: Purpose::Step,
            model: "m".to_owned(),
            recipe: None,
            text: Some(Content::inline(r#","usage":{"input":0,"cached":0,"output":0},"durationMs":0}"#)),
            thoughts: None,
            calls: Vec::new(),
            faults: Vec::new(),
            before: 0,
            usage,
            duration_ms,
        }
    }

    fn ended(duration_ms: u64) -> EventKind {
        let output = Content::inline(json!({"cached": 0, "durationMs": 0}));
        let call = "c".into();
        EventKind::CallEnded {
            call,
            status: CallStatus::Success,
            output,
            error: None,
            satisfied: true,
            missed: None,
            met: false,
            by: None,
            duration_ms,
        }
    }

    #[test]
    fn a_row_leaves_out_what_nobody_counted_and_is_read_as_it_was() {
        let usage = |input, cached, output| Usage { input, cached, output };
        let cases = [
            (replied(usage(0, 0, 0), 0), r#"0}"}}"#),
            (replied(usage(0, 0, 0), 7), r#","durationMs":7}"#),
            (replied(usage(100, 0, 10), 0), r#"0}"},"usage":{"input":100,"output":10}}"#),
            (replied(usage(100, 0, 10), 3), r#","usage":{"input":100,"output":10},"durationMs":3}"#),
            (replied(usage(100, 90, 10), 0), r#","usage":{"input":100,"cached":90,"output":10},"durationMs":0}"#),
            (ended(0), r#","satisfied":true}"#),
            (ended(12), r#","satisfied":true,"durationMs":12}"#),
        ];
        for (kind, end) in cases {
            let mut encoder = Encoder::default();
            let (code, body) = encoder.encode(&kind).unwrap();
            assert!(body.ends_with(end), "{body} does not end with {end}");
            let code = usize::try_from(code).unwrap();
            assert_eq!(decode(code, body, &mut String::new()), Ok(kind));
        }
    }
}
