//! Earlier contents of files, the latest on top.

use rusqlite::{Connection, OptionalExtension as _, params};

use super::blob;
use crate::store::TakenBack;
use crate::store::failure::Failure;
use assent_core::ids::Digest;

/// How many contents are kept of one file.
const KEPT: i64 = 50;

/// Puts a content on top of a file's pile, with the digest of what took its place; `None`: the file was not there. The
/// oldest beyond fifty go.
pub(in crate::store) fn push(
    tx: &Connection,
    session: i64,
    path: &str,
    before: Option<&[u8]>,
    written: &Digest,
    at: i64,
) -> Result<(), Failure> {
    let blob = match before {
        Some(bytes) => {
            let key = blob::put(tx, &Digest::of_bytes(bytes), bytes)?;
            blob::retain(tx, key)?;
            Some(key)
        }
        None => None,
    };
    tx.prepare_cached("INSERT INTO file_history (path, session, blob, written, at) VALUES (?1, ?2, ?3, ?4, ?5)")?
        .execute(params![path, session, blob, written.as_str(), at])?;
    let old = "DELETE FROM file_history WHERE key IN
                 (SELECT key FROM file_history WHERE path = ?1 ORDER BY key DESC LIMIT -1 OFFSET ?2) RETURNING blob";
    remove(tx, old, params![path, KEPT])
}

/// Takes the latest content of a file from the pile, if the file is as that change left it; one that is gone (`None`) has
/// nothing that could be lost.
pub(in crate::store) fn pop(tx: &Connection, path: &str, now: Option<&Digest>) -> Result<TakenBack, Failure> {
    let mut statement =
        tx.prepare_cached("SELECT key, blob, written FROM file_history WHERE path = ?1 ORDER BY key DESC LIMIT 1")?;
    let top: Option<(i64, Option<i64>, Option<String>)> =
        statement.query_row([path], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).optional()?;
    let Some((key, blob, written)) = top else { return Ok(TakenBack::Nothing) };
    if now.is_some_and(|now| written.as_deref() != Some(now.as_str())) {
        return Ok(TakenBack::ChangedSince);
    }
    let content = blob.map(|blob| blob::read_key(tx, blob)).transpose()?;
    remove(tx, "DELETE FROM file_history WHERE key = ?1 RETURNING blob", [key])?;
    Ok(TakenBack::Content(content))
}

/// What a file held before the first change of a session from a moment on; `None`: nothing is kept of that.
pub(in crate::store) fn before(
    connection: &Connection,
    session: i64,
    path: &str,
    since: i64,
) -> Result<Option<Option<Vec<u8>>>, Failure> {
    let mut statement = connection.prepare_cached(
        "SELECT blob FROM file_history WHERE path = ?1 AND session = ?2 AND at >= ?3 ORDER BY key LIMIT 1",
    )?;
    let first: Option<Option<i64>> = statement.query_row(params![path, session, since], |row| row.get(0)).optional()?;
    first.map(|blob| blob.map(|blob| blob::read_key(connection, blob)).transpose()).transpose()
}

/// Forgets what was remembered in a session.
pub(in crate::store) fn forget_session(tx: &Connection, session: i64) -> Result<(), Failure> {
    remove(tx, "DELETE FROM file_history WHERE session = ?1 RETURNING blob", [session])
}

fn remove(tx: &Connection, sql: &str, values: impl rusqlite::Params) -> Result<(), Failure> {
    let mut statement = tx.prepare_cached(sql)?;
    let blobs = statement.query_map(values, |row| row.get(0))?.collect::<rusqlite::Result<Vec<Option<i64>>>>()?;
    blobs.into_iter().flatten().try_for_each(|blob| blob::release(tx, blob))
}
