//! Memories and their links.

use std::collections::BTreeMap;

use assent_core::ids::Digest;
use assent_core::order;
use rusqlite::types::Value as Sql;
use rusqlite::{Connection, Row, params, params_from_iter};
use serde_json::Value;

use super::{counter, word, word_at};
use crate::store::failure::Failure;
use crate::store::{Forget, MemoryDraft, MemoryFilter, MemoryRow};

/// Memories that are kept beside those of which a context has only one for all sessions; the oldest go first.
const MOST: i64 = 10_000;

const COLUMNS: &str = "SELECT memory.key, context, memory.kind, source, session.id, at, payload, times
    FROM memory LEFT JOIN session ON session.key = memory.session";

/// A context that begins with the second parameter, whatever signs are in it.
const BEGINS: &str = "substr(context, 1, length(?2)) = ?2";

/// Writes memories; those of a session that is gone are left out.
pub(in crate::store) fn insert_all(tx: &Connection, drafts: &[MemoryDraft]) -> Result<(), Failure> {
    for draft in drafts {
        insert(tx, draft)?;
    }
    let oldest = "DELETE FROM memory WHERE (slot IS NULL OR session IS NOT NULL) AND key <=
        (SELECT key FROM memory WHERE slot IS NULL OR session IS NOT NULL ORDER BY key DESC LIMIT 1 OFFSET ?1)";
    if tx.prepare_cached(oldest)?.execute([MOST])? > 0 {
        drop_links(tx)?;
    }
    counter::remembered(tx)
}

fn insert(tx: &Connection, draft: &MemoryDraft) -> Result<(), Failure> {
    let session: Option<i64> = match &draft.session {
        None => None,
        Some(id) => {
            let mut statement = tx.prepare_cached("SELECT key FROM session WHERE id = ?1")?;
            let Some(key) = statement.query_map([id.as_str()], |row| row.get(0))?.next().transpose()? else {
                return Ok(());
            };
            Some(key)
        }
    };
    let payload = draft.payload.to_string();
    let name = draft.context.split(':').next().unwrap_or_default();
    let sql = "INSERT INTO memory (context, name, kind, source, slot, session, at, version, payload, times)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
        ON CONFLICT (context, slot) DO UPDATE SET kind = excluded.kind, source = excluded.source,
            at = excluded.at, version = excluded.version, payload = excluded.payload,
            times = memory.times + excluded.times
        RETURNING key";
    let key: i64 = tx.prepare_cached(sql)?.query_row(
        params![
            draft.context,
            name,
            word(&draft.kind)?,
            word(&draft.source)?,
            draft.slot,
            session,
            draft.at,
            Digest::of_bytes(payload.as_bytes()).as_str(),
            payload,
            draft.times
        ],
        |row| row.get(0),
    )?;
    for (relation, context) in &draft.links {
        tx.prepare_cached("INSERT OR IGNORE INTO memory_link VALUES (?1, ?2, ?3)")?.execute(params![
            key,
            word(relation)?,
            context
        ])?;
    }
    Ok(())
}

/// Memories, the newest first.
pub(in crate::store) fn list(connection: &Connection, filter: &MemoryFilter) -> Result<Vec<MemoryRow>, Failure> {
    let mut values: Vec<Sql> = Vec::new();
    let mut conditions = vec!["TRUE".to_owned()];
    if !filter.contexts.is_empty() {
        conditions.push(format!("context IN ({})", marks(filter.contexts.len())));
        values.extend(filter.contexts.iter().cloned().map(Sql::from));
    }
    if !filter.types.is_empty() {
        let types = filter.types.iter().map(|(kind, names)| {
            values.push(Sql::from(kind.clone()));
            values.extend(names.iter().cloned().map(Sql::from));
            if names.is_empty() {
                "memory.kind = ?".to_owned()
            } else {
                format!("(memory.kind = ? AND name IN ({}))", marks(names.len()))
            }
        });
        let any: Vec<String> = types.collect();
        conditions.push(format!("({})", any.join(" OR ")));
    }
    if let Some(slot) = &filter.without {
        conditions.push("slot IS NOT ?".to_owned());
        values.push(Sql::from(slot.clone()));
    }
    values.push(Sql::from(i64::try_from(filter.limit).unwrap_or(i64::MAX)));
    let sql = format!("{COLUMNS} WHERE {} ORDER BY memory.key DESC LIMIT ?", conditions.join(" AND "));
    let mut statement = connection.prepare_cached(&sql)?;
    let rows = statement.query_map(params_from_iter(values), read)?;
    let mut rows = rows.collect::<rusqlite::Result<Vec<MemoryRow>>>()?;
    let mut links =
        connection.prepare_cached("SELECT relation, context FROM memory_link WHERE memory = ?1 ORDER BY 1, 2")?;
    for row in &mut rows {
        let found = links.query_map([row.id], |row| Ok((word_at(row, 0)?, row.get(1)?)))?;
        row.links = found.collect::<rusqlite::Result<_>>()?;
    }
    Ok(rows)
}

/// Places for so many values.
fn marks(count: usize) -> String {
    vec!["?"; count].join(", ")
}

/// What stands in a slot, by context.
pub(in crate::store) fn slots(connection: &Connection, slot: &str) -> Result<BTreeMap<String, String>, Failure> {
    let mut statement = connection.prepare_cached("SELECT context, version FROM memory WHERE slot = ?1")?;
    let rows = statement.query_map([slot], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(order::map(rows.collect::<rusqlite::Result<Vec<_>>>()?))
}

/// Forgets, and says how much.
pub(in crate::store) fn forget(tx: &Connection, what: &Forget) -> Result<usize, Failure> {
    let gone = match what {
        Forget::All => tx.execute("DELETE FROM memory", [])?,
        Forget::Context(context) => {
            let below = format!("{context}:");
            tx.execute(&format!("DELETE FROM memory WHERE context = ?1 OR {BEGINS}"), [context, &below])?
        }
        Forget::Source(name) => {
            let tools = format!("tool:{name}.");
            tx.execute(&format!("DELETE FROM memory WHERE {BEGINS}"), params![None::<&str>, tools])?
        }
        Forget::These(ids) => {
            let mut statement = tx.prepare_cached("DELETE FROM memory WHERE key = ?1")?;
            ids.iter().try_fold(0, |gone, id| statement.execute([id]).map(|more| gone + more))?
        }
    };
    drop_links(tx)?;
    counter::remembered(tx)?;
    Ok(gone)
}

/// Forgets what goes with a session. What of it has still to be written, and will not be, was learned already: that is a
/// change too.
pub(in crate::store) fn forget_session(tx: &Connection, key: i64) -> Result<(), Failure> {
    if tx.prepare_cached("DELETE FROM memory WHERE session = ?1")?.execute([key])? > 0 {
        drop_links(tx)?;
    }
    counter::remembered(tx)
}

fn drop_links(tx: &Connection) -> Result<(), Failure> {
    tx.execute("DELETE FROM memory_link WHERE memory NOT IN (SELECT key FROM memory)", [])?;
    Ok(())
}

fn read(row: &Row<'_>) -> rusqlite::Result<MemoryRow> {
    let payload: String = row.get(6)?;
    Ok(MemoryRow {
        id: row.get(0)?,
        context: row.get(1)?,
        kind: word_at(row, 2)?,
        source: word_at(row, 3)?,
        times: row.get(7)?,
        session: row.get::<_, Option<String>>(4)?.map(Into::into),
        at: row.get(5)?,
        // What somebody has written into the file by hand is shown as it stands.
        payload: serde_json::from_str(&payload).unwrap_or(Value::String(payload)),
        links: Vec::new(),
    })
}
