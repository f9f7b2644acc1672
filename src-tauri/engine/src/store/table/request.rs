//! Requests to a person. What was asked and answered stands in the events; here stands how they are.

use assent_core::ids::RequestId;
use assent_core::run::{AnswerDraft, EventKind, RequestStatus};
use rusqlite::{Connection, OptionalExtension as _, params};

use super::counter::signed;
use super::event::{Names, by_seq};
use super::{key_of, word, word_at};
use crate::store::RequestRow;
use crate::store::failure::Failure;

/// Adds an open request.
pub(in crate::store) fn insert(tx: &Connection, id: &RequestId, session: i64, seq: u64) -> Result<(), Failure> {
    let taken: bool = tx
        .prepare_cached("SELECT EXISTS (SELECT 1 FROM request WHERE id = ?1)")?
        .query_row([id.as_str()], |row| row.get(0))?;
    if taken {
        return Err(Failure::Conflict(format!("there is already a request {id}")));
    }
    tx.prepare_cached("INSERT INTO request (id, session, opened, status) VALUES (?1, ?2, ?3, 'open')")?
        .execute(params![id.as_str(), session, signed(seq)])?;
    Ok(())
}

/// Whether a request can be settled. One that is settled, or not there, is a conflict.
pub(in crate::store) fn check_open(connection: &Connection, id: &RequestId) -> Result<(), Failure> {
    let mut find = connection.prepare_cached("SELECT status FROM request WHERE id = ?1")?;
    match find.query_row([id.as_str()], |row| word_at(row, 0)).optional()? {
        Some(RequestStatus::Open) => Ok(()),
        Some(settled) => Err(Failure::Conflict(format!("request {id} is already {}", word(&settled)?))),
        None => Err(Failure::Conflict(format!("there is no request {id}"))),
    }
}

/// Settles an open request. One that is settled, or not there, is a conflict.
pub(in crate::store) fn settle(
    tx: &Connection,
    id: &RequestId,
    status: RequestStatus,
    seq: u64,
) -> Result<(), Failure> {
    check_open(tx, id)?;
    tx.prepare_cached("UPDATE request SET status = ?2, settled = ?3, draft = NULL WHERE id = ?1")?.execute(params![
        id.as_str(),
        word(&status)?,
        signed(seq)
    ])?;
    Ok(())
}

/// Keeps an unfinished answer; an empty one is forgotten.
pub(in crate::store) fn keep_draft(tx: &Connection, id: &RequestId, draft: &AnswerDraft) -> Result<(), Failure> {
    let text = if draft.is_empty() { None } else { Some(serde_json::to_string(draft)?) };
    let kept = tx
        .prepare_cached("UPDATE request SET draft = ?2 WHERE id = ?1 AND status = 'open'")?
        .execute(params![id.as_str(), text])?;
    if kept > 0 { Ok(()) } else { Err(Failure::NotFound("open request", id.to_string())) }
}

/// An unfinished answer as it was kept. What cannot be read as one is its text: a draft must not hide its question.
fn draft_of(kept: String) -> AnswerDraft {
    serde_json::from_str(&kept).unwrap_or_else(|_| AnswerDraft { text: kept, ..AnswerDraft::default() })
}

/// The open requests, oldest first.
pub(in crate::store) fn open(connection: &Connection) -> Result<Vec<RequestRow>, Failure> {
    let keys = connection
        .prepare_cached("SELECT key FROM request WHERE status = 'open' ORDER BY opened")?
        .query_map([], |row| row.get(0))?
        .collect::<rusqlite::Result<Vec<i64>>>()?;
    let mut names = Names::default();
    keys.into_iter().map(|key| by_key(connection, &mut names, key)).collect()
}

/// A request by the beginning of its id.
pub(in crate::store) fn find(connection: &Connection, beginning: &str) -> Result<RequestRow, Failure> {
    let key = key_of(connection, "request", beginning)?;
    by_key(connection, &mut Names::default(), key)
}

fn by_key(connection: &Connection, names: &mut Names, key: i64) -> Result<RequestRow, Failure> {
    let mut statement =
        connection.prepare_cached("SELECT opened, settled, status, draft FROM request WHERE key = ?1")?;
    let (opened, settled, status, draft): (i64, Option<i64>, RequestStatus, Option<String>) =
        statement.query_row([key], |row| Ok((row.get(0)?, row.get(1)?, word_at(row, 2)?, row.get(3)?)))?;
    let event = by_seq(connection, names, opened)?;
    let EventKind::RequestOpened { request } = event.kind else {
        return Err(Failure::Broken(format!("event {opened} opens no request")));
    };
    let answer = match settled.map(|seq| by_seq(connection, names, seq)).transpose()?.map(|event| event.kind) {
        Some(EventKind::RequestAnswered { answer, .. }) => Some(answer),
        _ => None,
    };
    let place = event.place;
    Ok(RequestRow {
        request: *request,
        session: place.session,
        turn: place.turn,
        run: place.run,
        step: place.step,
        status,
        answer,
        draft: draft.map(draft_of),
        opened_at: event.at,
    })
}
