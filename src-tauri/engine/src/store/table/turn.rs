//! Turns: from a message to the answer or the question that ends it.

use assent_core::ids::TurnId;
use assent_core::run::{EventKind, TurnState, TurnStatus};
use rusqlite::{Connection, OptionalExtension as _, params};

use super::{optional_word_at, word, word_at};
use crate::store::TurnRow;
use crate::store::failure::Failure;

/// The key of a turn, which is opened by the first event that names it.
pub(in crate::store) fn key(tx: &Connection, session: i64, id: &TurnId, at: i64) -> Result<i64, Failure> {
    let mut find = tx.prepare_cached("SELECT key FROM turn WHERE session = ?1 AND id = ?2")?;
    if let Some(key) = find.query_row(params![session, id.as_str()], |row| row.get(0)).optional()? {
        return Ok(key);
    }
    tx.prepare_cached("INSERT INTO turn (session, id, at) VALUES (?1, ?2, ?3)")?.execute(params![
        session,
        id.as_str(),
        at
    ])?;
    Ok(tx.last_insert_rowid())
}

/// Writes how a turn stands after an event of it: only whether it is over has a place in its row.
pub(in crate::store) fn advance(tx: &Connection, key: i64, kind: &EventKind) -> Result<(), Failure> {
    if !TurnState::is_moved_by(kind) {
        return Ok(());
    }
    let mut find = tx.prepare_cached("SELECT status FROM turn WHERE key = ?1")?;
    let over: Option<TurnStatus> = find.query_row([key], |row| optional_word_at(row, 0))?;
    let after = match over.map_or(TurnState::Planning, TurnState::Over).after(kind) {
        TurnState::Over(status) => Some(status),
        TurnState::Planning | TurnState::Proposed | TurnState::Running => None,
    };
    if after != over {
        let word = after.as_ref().map(word).transpose()?;
        tx.prepare_cached("UPDATE turn SET status = ?2 WHERE key = ?1")?.execute(params![key, word])?;
    }
    Ok(())
}

/// The turns that a run has a part in, oldest first, each with whether it is not over.
pub(in crate::store) fn of_run(
    connection: &Connection,
    run: &super::run::Place,
) -> Result<Vec<(TurnId, bool)>, Failure> {
    let mut statement = connection.prepare_cached(
        "SELECT id, status IS NULL FROM turn WHERE key IN
           (SELECT turn FROM event WHERE session = ?1 AND seq BETWEEN ?2 AND ?3 AND run = ?4) ORDER BY key",
    )?;
    let rows = statement
        .query_map(params![run.session, run.first, run.last, run.key], |row| Ok((word_at(row, 0)?, row.get(1)?)))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// The turns that are not over, oldest first.
pub(in crate::store) fn unended(connection: &Connection) -> Result<Vec<TurnRow>, Failure> {
    let mut statement = connection.prepare_cached(
        "SELECT turn.id, session.id, turn.at FROM turn JOIN session ON session.key = turn.session
          WHERE turn.status IS NULL ORDER BY turn.key",
    )?;
    let rows = statement
        .query_map([], |row| Ok(TurnRow { id: word_at(row, 0)?, session: word_at(row, 1)?, opened_at: row.get(2)? }))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}
