//! Steps of runs as they stand.

use assent_core::ids::StepId;
use assent_core::run::StepStatus;
use rusqlite::{Connection, params};

use super::{word, word_at};
use crate::store::StepRow;
use crate::store::failure::Failure;

/// Adds a step to a run.
pub(in crate::store) fn insert(tx: &Connection, run: i64, number: i64, id: &StepId) -> Result<(), Failure> {
    tx.prepare_cached("INSERT INTO step (run, number, id, status, attempt) VALUES (?1, ?2, ?3, 'pending', 0)")?
        .execute(params![run, number, id.as_str()])?;
    Ok(())
}

/// Writes how a step stands.
pub(in crate::store) fn update(
    tx: &Connection,
    run: i64,
    number: i64,
    status: StepStatus,
    attempt: u32,
) -> Result<(), Failure> {
    tx.prepare_cached("UPDATE step SET status = ?3, attempt = ?4 WHERE run = ?1 AND number = ?2")?.execute(params![
        run,
        number,
        word(&status)?,
        attempt
    ])?;
    Ok(())
}

/// The steps of a run; the place in the list is the number.
pub(in crate::store) fn of_run(connection: &Connection, run: i64) -> Result<Vec<StepRow>, Failure> {
    let mut statement =
        connection.prepare_cached("SELECT id, status, attempt FROM step WHERE run = ?1 ORDER BY number")?;
    let rows = statement
        .query_map([run], |row| Ok(StepRow { id: word_at(row, 0)?, status: word_at(row, 1)?, attempt: row.get(2)? }))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}
