//! One file for each table: its row, its statements, and how one becomes the other.

pub(super) mod allowance;
pub(super) mod blob;
pub(super) mod counter;
pub(super) mod event;
pub(super) mod file_history;
pub(super) mod memory;
pub(super) mod plan;
pub(super) mod request;
pub(super) mod run;
pub(super) mod saved_plan;
pub(super) mod session;
pub(super) mod setting;
pub(super) mod step;
pub(super) mod turn;

use rusqlite::types::{FromSqlError, FromSqlResult};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde::de::value::StrDeserializer;

use super::failure::Failure;

/// The published name of a status or kind, as it stands in a column.
pub(super) fn word<T: Serialize>(value: &T) -> Result<String, Failure> {
    match serde_json::to_value(value)? {
        serde_json::Value::String(word) => Ok(word),
        other => Err(Failure::Misuse(format!("{other} is not a word"))),
    }
}

/// The status or kind of a published name.
pub(super) fn unword<T: DeserializeOwned>(word: &str) -> FromSqlResult<T> {
    T::deserialize(StrDeserializer::<serde::de::value::Error>::new(word))
        .map_err(|error| FromSqlError::Other(Box::new(error)))
}

/// A column that holds a published name, or an id.
pub(super) fn word_at<T: DeserializeOwned>(row: &rusqlite::Row<'_>, column: usize) -> rusqlite::Result<T> {
    let word = row.get_ref(column)?.as_str()?;
    Ok(unword(word)?)
}

/// A column that may hold a published name.
pub(super) fn optional_word_at<T: DeserializeOwned>(
    row: &rusqlite::Row<'_>,
    column: usize,
) -> rusqlite::Result<Option<T>> {
    match row.get_ref(column)?.as_str_or_null()? {
        Some(word) => Ok(Some(unword(word)?)),
        None => Ok(None),
    }
}

/// Finds the one row whose id is, or begins with, a text.
pub(super) fn key_of(connection: &rusqlite::Connection, kind: &'static str, beginning: &str) -> Result<i64, Failure> {
    let (table, id) = match kind {
        "session" => ("session", "id"),
        "plan" => ("plan", "id"),
        "request" => ("request", "id"),
        "permission" => ("allowance", "request"),
        "saved plan" => ("saved_plan", "id"),
        _ => ("run", "id"),
    };
    // No character sorts after the last one, so that this is the range of all ids that begin like this.
    let sql =
        format!("SELECT key, {id} FROM {table} WHERE {id} >= ?1 AND {id} <= ?1 || char(1114111) ORDER BY {id} LIMIT 2");
    let mut statement = connection.prepare_cached(&sql)?;
    let rows = statement.query_map([beginning], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?)))?;
    let found = rows.collect::<rusqlite::Result<Vec<_>>>()?;
    match found.as_slice() {
        _ if beginning.is_empty() => Err(Failure::NotFound(kind, beginning.to_owned())),
        [] => Err(Failure::NotFound(kind, beginning.to_owned())),
        [(key, _)] => Ok(*key),
        [(key, id), ..] if id == beginning => Ok(*key),
        _ => Err(Failure::Ambiguous(kind, beginning.to_owned())),
    }
}
