//! Which sequence number comes next: the one after the last event, or after the last that there ever was, which the one
//! row of its table keeps where events were removed. So a commit of events need not write that row. Beside it, how often
//! what is remembered has changed.

use rusqlite::Connection;

use crate::store::failure::Failure;

/// The sequence number that the next event gets.
pub(in crate::store) fn next(connection: &Connection) -> Result<u64, Failure> {
    let sql = "SELECT max(next_seq, (SELECT coalesce(max(seq), 0) + 1 FROM event)) FROM counter";
    let next: i64 = connection.prepare_cached(sql)?.query_row([], |row| row.get(0))?;
    u64::try_from(next).map_err(|_| Failure::Broken(format!("the next sequence number is {next}")))
}

/// Keeps the numbers of the events that are there from being given out again, before some of them are removed.
pub(in crate::store) fn keep(connection: &Connection) -> Result<(), Failure> {
    let next = next(connection)?;
    connection.prepare_cached("UPDATE counter SET next_seq = ?1")?.execute([signed(next)])?;
    Ok(())
}

/// Changes the file, so that the commit reaches the disk although nothing else is written.
pub(in crate::store) fn touch(connection: &Connection) -> Result<(), Failure> {
    connection.prepare_cached("UPDATE counter SET barrier = 1 - barrier")?.execute([])?;
    Ok(())
}

/// Counts a change of what is remembered.
pub(in crate::store) fn remembered(connection: &Connection) -> Result<(), Failure> {
    connection.prepare_cached("UPDATE counter SET memory_changes = memory_changes + 1")?.execute([])?;
    Ok(())
}

/// How often what is remembered has changed.
pub(in crate::store) fn memory_changes(connection: &Connection) -> Result<u64, Failure> {
    let changes: i64 =
        connection.prepare_cached("SELECT memory_changes FROM counter")?.query_row([], |row| row.get(0))?;
    u64::try_from(changes).map_err(|_| Failure::Broken(format!("the memory was changed {changes} times")))
}

/// A number as the database holds it.
pub(in crate::store) fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
