//! What the person has chosen: JSON by a key.

use rusqlite::{Connection, OptionalExtension as _};
use serde_json::Value;

use crate::store::failure::Failure;

/// What was chosen last.
pub(in crate::store) fn get(connection: &Connection, key: &str) -> Result<Option<Value>, Failure> {
    let mut statement = connection.prepare_cached("SELECT value FROM setting WHERE key = ?1")?;
    let text: Option<String> = statement.query_row([key], |row| row.get(0)).optional()?;
    Ok(text.map(|text| serde_json::from_str(&text)).transpose()?)
}

/// Chooses; `None` goes back to the default.
pub(in crate::store) fn set(tx: &Connection, key: &str, value: Option<&str>) -> Result<(), Failure> {
    match value {
        Some(value) => tx
            .prepare_cached("INSERT INTO setting VALUES (?1, ?2) ON CONFLICT (key) DO UPDATE SET value = ?2")?
            .execute([key, value])?,
        None => tx.prepare_cached("DELETE FROM setting WHERE key = ?1")?.execute([key])?,
    };
    Ok(())
}
