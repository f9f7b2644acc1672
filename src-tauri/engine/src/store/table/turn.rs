//! Turns: from a message to the answer or the question that ends it.

use assent_core::ids::TurnId;
use assent_core::run::TurnStatus;
use rusqlite::{Connection, OptionalExtension as _, params};

use super::{word, word_at};
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

/// Writes how a turn ended.
pub(in crate::store) fn end(tx: &Connection, key: i64, status: TurnStatus) -> Result<(), Failure> {
    tx.prepare_cached("UPDATE turn SET status = ?2 WHERE key = ?1")?.execute(params![key, word(&status)?])?;
    Ok(())
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
