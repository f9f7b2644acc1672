//! Large contents, named by their digest and stored once.
//!
//! A session that names a blob uses it, and so does an entry of the file history; with its last use a blob goes.

use std::io::{Read as _, Write as _};

use assent_core::ids::Digest;
use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use rusqlite::types::{FromSqlError, ValueRef};
use rusqlite::{Connection, OptionalExtension as _, Row, params};

use super::counter::signed;
use super::unword;
use crate::store::failure::Failure;

/// Below this length compressing saves less than a page.
const WORTH_COMPRESSING: usize = 4096;

/// The key of a blob, which is written if it is not there.
pub(in crate::store) fn put(tx: &Connection, digest: &Digest, bytes: &[u8]) -> Result<i64, Failure> {
    if let Some(key) = key(tx, digest)? {
        return Ok(key);
    }
    let small = compressed(bytes);
    let (encoding, stored) = match &small {
        Some(small) => ("deflate", small.as_slice()),
        None => ("plain", bytes),
    };
    tx.prepare_cached("INSERT INTO blob (digest, uses, size, encoding, bytes) VALUES (?1, 0, ?2, ?3, ?4)")?
        .execute(params![raw(digest)?, signed(bytes.len() as u64), encoding, stored])?;
    Ok(tx.last_insert_rowid())
}

/// The key of a blob that is there.
pub(in crate::store) fn key(connection: &Connection, digest: &Digest) -> Result<Option<i64>, Failure> {
    let mut statement = connection.prepare_cached("SELECT key FROM blob WHERE digest = ?1")?;
    Ok(statement.query_row([raw(digest)?], |row| row.get(0)).optional()?)
}

/// Notes that a session names a blob.
pub(in crate::store) fn used_by_session(tx: &Connection, session: i64, blob: i64) -> Result<(), Failure> {
    let new = tx.prepare_cached("INSERT OR IGNORE INTO blob_use VALUES (?1, ?2)")?.execute([session, blob])?;
    if new > 0 {
        retain(tx, blob)?;
    }
    Ok(())
}

/// Notes one more use.
pub(in crate::store) fn retain(tx: &Connection, blob: i64) -> Result<(), Failure> {
    tx.prepare_cached("UPDATE blob SET uses = uses + 1 WHERE key = ?1")?.execute([blob])?;
    Ok(())
}

/// Notes one use less; after the last one the blob is gone.
pub(in crate::store) fn release(tx: &Connection, blob: i64) -> Result<(), Failure> {
    tx.prepare_cached("UPDATE blob SET uses = uses - 1 WHERE key = ?1")?.execute([blob])?;
    tx.prepare_cached("DELETE FROM blob WHERE key = ?1 AND uses <= 0")?.execute([blob])?;
    Ok(())
}

/// Forgets what a session names.
pub(in crate::store) fn forget_session(tx: &Connection, session: i64) -> Result<(), Failure> {
    let mut statement = tx.prepare_cached("DELETE FROM blob_use WHERE session = ?1 RETURNING blob")?;
    let blobs = statement.query_map([session], |row| row.get(0))?.collect::<rusqlite::Result<Vec<i64>>>()?;
    blobs.into_iter().try_for_each(|blob| release(tx, blob))
}

/// The bytes of a blob.
pub(in crate::store) fn read(connection: &Connection, digest: &Digest) -> Result<Vec<u8>, Failure> {
    match key(connection, digest)? {
        Some(key) => read_key(connection, key),
        None => Err(Failure::NotFound("blob", digest.to_string())),
    }
}

/// The bytes of a blob by its key.
pub(in crate::store) fn read_key(connection: &Connection, key: i64) -> Result<Vec<u8>, Failure> {
    let mut statement = connection.prepare_cached("SELECT encoding, size, bytes FROM blob WHERE key = ?1")?;
    let (encoding, size, stored): (String, i64, Vec<u8>) =
        statement.query_row([key], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    let size = u64::try_from(size).unwrap_or(0);
    let bytes = match encoding.as_str() {
        "plain" => stored,
        "deflate" => {
            let mut bytes = Vec::new();
            // One byte more than there should be is enough to tell a damaged blob from a whole one.
            let mut decoder = DeflateDecoder::new(stored.as_slice()).take(size.saturating_add(1));
            decoder.read_to_end(&mut bytes).map_err(|error| Failure::Broken(format!("blob {key}: {error}")))?;
            bytes
        }
        other => return Err(Failure::Broken(format!("blob {key} is stored as {other}"))),
    };
    if bytes.len() as u64 == size { Ok(bytes) } else { Err(Failure::Broken(format!("blob {key} is cut off"))) }
}

/// The smaller form, where it saves at least a quarter.
fn compressed(bytes: &[u8]) -> Option<Vec<u8>> {
    if bytes.len() < WORTH_COMPRESSING {
        return None;
    }
    let mut encoder = DeflateEncoder::new(Vec::with_capacity(bytes.len() / 2), Compression::fast());
    encoder.write_all(bytes).ok()?;
    encoder.finish().ok().filter(|small| small.len() < bytes.len() / 4 * 3)
}

/// The thirty-two bytes of a digest.
pub(in crate::store) fn raw(digest: &Digest) -> Result<[u8; 32], Failure> {
    let text = digest.as_str().as_bytes();
    let mut raw = [0; 32];
    let nibble = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    for (place, pair) in raw.iter_mut().zip(text.chunks_exact(2)) {
        match (nibble(pair[0]), nibble(pair[1])) {
            (Some(high), Some(low)) => *place = (high << 4) | low,
            _ => return Err(Failure::NotFound("blob", digest.to_string())),
        }
    }
    if text.len() == 64 { Ok(raw) } else { Err(Failure::NotFound("blob", digest.to_string())) }
}

/// A digest from a column.
pub(in crate::store) fn digest_at(row: &Row<'_>, column: usize) -> rusqlite::Result<Digest> {
    let ValueRef::Blob(raw) = row.get_ref(column)? else { return Err(FromSqlError::InvalidType.into()) };
    let digit = |nibble: u8| char::from(b"0123456789abcdef"[usize::from(nibble)]);
    let text: String = raw.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect();
    Ok(unword(&text)?)
}
