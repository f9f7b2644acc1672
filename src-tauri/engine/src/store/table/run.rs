//! Runs in lists.

use assent_core::ids::{RunId, SessionId};
use assent_core::run::{PlanRef, RunStatus, SessionKind};
use rusqlite::{Connection, OptionalExtension as _, Row, params};

use super::blob::digest_at;
use super::counter::signed;
use super::{optional_word_at, word, word_at};
use crate::store::RunRow;
use crate::store::failure::Failure;

/// What never changes of a run.
#[derive(Debug, Clone, Copy)]
pub(in crate::store) struct NewRun<'a> {
    pub(in crate::store) id: &'a RunId,
    pub(in crate::store) session: i64,
    pub(in crate::store) turn: Option<i64>,
    pub(in crate::store) plan_version: i64,
    pub(in crate::store) at: i64,
    pub(in crate::store) seq: u64,
}

/// Where a run's events are.
#[derive(Debug, Clone, Copy)]
pub(in crate::store) struct Place {
    pub(in crate::store) key: i64,
    pub(in crate::store) session: i64,
    pub(in crate::store) plan_version: i64,
    pub(in crate::store) first: i64,
    pub(in crate::store) last: i64,
    pub(in crate::store) updated_at: i64,
}

/// Adds a run and returns its key.
pub(in crate::store) fn insert(tx: &Connection, new: &NewRun<'_>) -> Result<i64, Failure> {
    tx.prepare_cached(
        "INSERT INTO run (id, session, turn, plan_version, status, steps, completed, created_at, updated_at,
                          first_seq, last_seq)
         VALUES (?1, ?2, ?3, ?4, 'queued', 0, 0, ?5, ?5, ?6, ?6)",
    )?
    .execute(params![new.id.as_str(), new.session, new.turn, new.plan_version, new.at, signed(new.seq)])?;
    Ok(tx.last_insert_rowid())
}

/// How a run stands.
#[derive(Debug, Clone, Copy)]
pub(in crate::store) struct Standing {
    pub(in crate::store) status: RunStatus,
    pub(in crate::store) steps: usize,
    pub(in crate::store) completed: usize,
    pub(in crate::store) updated_at: i64,
    pub(in crate::store) last: i64,
}

/// Writes how far a run has come whose status is as it was written last. Apart from [`update`], because an index over
/// runs by their status makes that one cost as much as ten of these.
pub(in crate::store) fn advance(tx: &Connection, key: i64, now: &Standing) -> Result<(), Failure> {
    tx.prepare_cached("UPDATE run SET steps = ?2, completed = ?3, updated_at = ?4, last_seq = ?5 WHERE key = ?1")?
        .execute(params![key, signed(now.steps as u64), signed(now.completed as u64), now.updated_at, now.last])?;
    Ok(())
}

/// Writes how a run stands.
pub(in crate::store) fn update(tx: &Connection, key: i64, now: &Standing) -> Result<(), Failure> {
    tx.prepare_cached(
        "UPDATE run SET status = ?2, steps = ?3, completed = ?4, updated_at = ?5, last_seq = ?6 WHERE key = ?1",
    )?
    .execute(params![
        key,
        word(&now.status)?,
        signed(now.steps as u64),
        signed(now.completed as u64),
        now.updated_at,
        now.last
    ])?;
    Ok(())
}

/// Where the events of a run are, if there is such a run.
pub(in crate::store) fn place(connection: &Connection, id: &RunId) -> Result<Option<Place>, Failure> {
    let mut statement = connection
        .prepare_cached("SELECT key, session, plan_version, first_seq, last_seq, updated_at FROM run WHERE id = ?1")?;
    let place = statement.query_row([id.as_str()], |row| {
        Ok(Place {
            key: row.get(0)?,
            session: row.get(1)?,
            plan_version: row.get(2)?,
            first: row.get(3)?,
            last: row.get(4)?,
            updated_at: row.get(5)?,
        })
    });
    Ok(place.optional()?)
}

/// Where the events of a run are.
pub(in crate::store) fn known_place(connection: &Connection, id: &RunId) -> Result<Place, Failure> {
    place(connection, id)?.ok_or_else(|| Failure::NotFound("run", id.to_string()))
}

const COLUMNS: &str =
    "SELECT run.id, session.id, turn.id, plan.id, plan_version.version, plan_version.digest, run.status, run.steps,
            run.completed, run.created_at, run.updated_at
       FROM run
       JOIN session ON session.key = run.session
       JOIN plan_version ON plan_version.key = run.plan_version
       JOIN plan ON plan.key = plan_version.plan
       LEFT JOIN turn ON turn.key = run.turn";

fn row(row: &Row<'_>) -> rusqlite::Result<RunRow> {
    Ok(RunRow {
        id: word_at(row, 0)?,
        session: word_at(row, 1)?,
        turn: optional_word_at(row, 2)?,
        plan: PlanRef { id: word_at(row, 3)?, version: row.get(4)?, digest: digest_at(row, 5)? },
        status: word_at(row, 6)?,
        steps: row.get(7)?,
        completed: row.get(8)?,
        created_at: row.get(9)?,
        updated_at: row.get(10)?,
    })
}

/// One run.
pub(in crate::store) fn find(connection: &Connection, id: &RunId) -> Result<RunRow, Failure> {
    let mut statement = connection.prepare_cached(&format!("{COLUMNS} WHERE run.id = ?1"))?;
    let found = statement.query_row([id.as_str()], row).optional()?;
    found.ok_or_else(|| Failure::NotFound("run", id.to_string()))
}

/// The runs of a session, oldest first.
pub(in crate::store) fn of_session(connection: &Connection, session: &SessionId) -> Result<Vec<RunRow>, Failure> {
    let key = super::session::key(connection, session)?;
    let mut statement = connection.prepare_cached(&format!("{COLUMNS} WHERE run.session = ?1 ORDER BY run.key"))?;
    let rows = statement.query_map([key], row)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// The newest runs of a session, the newest first.
pub(in crate::store) fn latest(
    connection: &Connection,
    session: &SessionId,
    limit: usize,
) -> Result<Vec<RunRow>, Failure> {
    let key = super::session::key(connection, session)?;
    let sql = format!("{COLUMNS} WHERE run.session = ?1 ORDER BY run.key DESC LIMIT ?2");
    let mut statement = connection.prepare_cached(&sql)?;
    let rows = statement.query_map(params![key, signed(limit as u64)], row)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// As the index over them has it.
const NOT_OVER: &str = "run.status NOT IN ('completed', 'completed_with_warnings', 'failed', 'cancelled')";

/// The run that stands in the way of another one, which may be there already: of the same version, or any of a workflow,
/// whose runs come one after the other.
pub(in crate::store) fn in_the_way(
    tx: &Connection,
    session: i64,
    plan_version: i64,
    other: &RunId,
) -> Result<Option<RunId>, Failure> {
    let mut statement = tx.prepare_cached(&format!(
        "SELECT run.id FROM run JOIN session ON session.key = run.session
          WHERE {NOT_OVER} AND run.session = ?1 AND (run.plan_version = ?2 OR session.kind = ?3) AND run.id != ?4"
    ))?;
    let values = params![session, plan_version, word(&SessionKind::Workflow)?, other.as_str()];
    Ok(statement.query_row(values, |row| word_at(row, 0)).optional()?)
}

/// The runs that are not over, oldest first.
pub(in crate::store) fn unended(connection: &Connection) -> Result<Vec<RunRow>, Failure> {
    let mut statement = connection.prepare_cached(&format!("{COLUMNS} WHERE {NOT_OVER} ORDER BY run.key"))?;
    let rows = statement.query_map([], row)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}
