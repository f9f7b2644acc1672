//! The one row that gives out sequence numbers.

use rusqlite::Connection;

use crate::store::failure::Failure;

/// The sequence number that the next event gets.
pub(in crate::store) fn next(connection: &Connection) -> Result<u64, Failure> {
    let next: i64 = connection.prepare_cached("SELECT next_seq FROM counter")?.query_row([], |row| row.get(0))?;
    u64::try_from(next).map_err(|_| Failure::Broken(format!("the next sequence number is {next}")))
}

/// Gives out the numbers below `next`.
pub(in crate::store) fn set_next(connection: &Connection, next: u64) -> Result<(), Failure> {
    connection.prepare_cached("UPDATE counter SET next_seq = ?1")?.execute([signed(next)])?;
    Ok(())
}

/// Changes the file, so that the commit reaches the disk although nothing else is written.
pub(in crate::store) fn touch(connection: &Connection) -> Result<(), Failure> {
    connection.prepare_cached("UPDATE counter SET barrier = 1 - barrier")?.execute([])?;
    Ok(())
}

/// A number as the database holds it.
pub(in crate::store) fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
