//! Sessions in lists.

use assent_core::ids::SessionId;
use assent_core::run::{RunStatus, SessionKind};
use rusqlite::{Connection, OptionalExtension as _, Row, params};

use super::{key_of, optional_word_at, word, word_at};
use crate::store::failure::Failure;
use crate::store::{ListFilter, SessionRow};

/// What the writer keeps of a session; only what changes is written back.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::store) struct SessionEntry {
    pub(in crate::store) key: i64,
    pub(in crate::store) title: String,
    pub(in crate::store) archived: bool,
    pub(in crate::store) updated_at: i64,
    /// The key of the latest run.
    pub(in crate::store) run: Option<i64>,
    pub(in crate::store) run_status: Option<RunStatus>,
    pub(in crate::store) open_requests: u32,
}

/// Opens a session.
pub(in crate::store) fn insert(
    tx: &Connection,
    id: &SessionId,
    title: &str,
    kind: SessionKind,
    workspace: Option<&str>,
    at: i64,
) -> Result<(), Failure> {
    tx.prepare_cached(
        "INSERT INTO session (id, title, kind, workspace, archived, created_at, updated_at, open_requests)
         VALUES (?1, ?2, ?3, ?4, 0, ?5, ?5, 0)",
    )?
    .execute(params![id.as_str(), title, word(&kind)?, workspace, at])?;
    Ok(())
}

/// The session of exactly this id.
pub(in crate::store) fn entry(tx: &Connection, id: &SessionId) -> Result<Option<SessionEntry>, Failure> {
    let mut statement = tx.prepare_cached(
        "SELECT key, title, archived, updated_at, run, run_status, open_requests FROM session WHERE id = ?1",
    )?;
    let entry = statement.query_row([id.as_str()], |row| {
        Ok(SessionEntry {
            key: row.get(0)?,
            title: row.get(1)?,
            archived: row.get(2)?,
            updated_at: row.get(3)?,
            run: row.get(4)?,
            run_status: optional_word_at(row, 5)?,
            open_requests: row.get(6)?,
        })
    });
    Ok(entry.optional()?)
}

/// Writes what has changed of a session.
pub(in crate::store) fn update(tx: &Connection, entry: &SessionEntry) -> Result<(), Failure> {
    let status = entry.run_status.as_ref().map(word).transpose()?;
    tx.prepare_cached(
        "UPDATE session SET title = ?2, archived = ?3, updated_at = ?4, run = ?5, run_status = ?6, open_requests = ?7
          WHERE key = ?1",
    )?
    .execute(params![
        entry.key,
        entry.title,
        entry.archived,
        entry.updated_at,
        entry.run,
        status,
        entry.open_requests
    ])?;
    Ok(())
}

const COLUMNS: &str = "SELECT id, title, kind, workspace, archived, created_at, updated_at,
    (SELECT run.id FROM run WHERE run.key = session.run), run_status, open_requests FROM session";

fn row(row: &Row<'_>) -> rusqlite::Result<SessionRow> {
    Ok(SessionRow {
        id: word_at(row, 0)?,
        title: row.get(1)?,
        kind: word_at(row, 2)?,
        workspace: row.get(3)?,
        archived: row.get(4)?,
        created_at: row.get(5)?,
        updated_at: row.get(6)?,
        run: optional_word_at(row, 7)?,
        run_status: optional_word_at(row, 8)?,
        open_requests: row.get(9)?,
    })
}

/// The sessions, last used first.
pub(in crate::store) fn list(connection: &Connection, filter: &ListFilter) -> Result<Vec<SessionRow>, Failure> {
    let limit = if filter.limit == 0 { -1 } else { i64::try_from(filter.limit).unwrap_or(-1) };
    let sql = format!("{COLUMNS} WHERE archived <= ?1 ORDER BY updated_at DESC, key DESC LIMIT ?2 OFFSET ?3");
    let mut statement = connection.prepare_cached(&sql)?;
    let offset = i64::try_from(filter.offset).unwrap_or(i64::MAX);
    let rows = statement.query_map(params![filter.archived, limit, offset], row)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// The sessions of workflows that were not put away, the oldest first.
pub(in crate::store) fn workflows(connection: &Connection) -> Result<Vec<SessionRow>, Failure> {
    let sql = format!("{COLUMNS} WHERE kind = ?1 AND archived = 0 ORDER BY key");
    let mut statement = connection.prepare_cached(&sql)?;
    let rows = statement.query_map([word(&SessionKind::Workflow)?], row)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// A session by the beginning of its id.
pub(in crate::store) fn find(connection: &Connection, beginning: &str) -> Result<SessionRow, Failure> {
    let key = key_of(connection, "session", beginning)?;
    Ok(connection.prepare_cached(&format!("{COLUMNS} WHERE key = ?1"))?.query_row([key], row)?)
}

/// The key of the session of exactly this id.
pub(in crate::store) fn key(connection: &Connection, id: &SessionId) -> Result<i64, Failure> {
    let mut statement = connection.prepare_cached("SELECT key FROM session WHERE id = ?1")?;
    let key = statement.query_row([id.as_str()], |row| row.get(0)).optional()?;
    key.ok_or_else(|| Failure::NotFound("session", id.to_string()))
}
