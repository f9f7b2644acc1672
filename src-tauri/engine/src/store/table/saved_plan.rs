//! Plans that a person keeps.

use assent_core::ids::SavedPlanId;
use assent_core::plan::Plan;
use rusqlite::{Connection, OptionalExtension as _, Row, params};

use super::{key_of, word_at};
use crate::store::failure::Failure;
use crate::store::{SavedDraft, SavedPlanRow};

const COLUMNS: &str = "id, name, tags, title, message, outline, steps, saved_at, used_at, uses";

/// A row, and its lists as they are written.
fn row(row: &Row<'_>) -> rusqlite::Result<(SavedPlanRow, [String; 2])> {
    let read = SavedPlanRow {
        id: word_at(row, 0)?,
        name: row.get(1)?,
        tags: Vec::new(),
        title: row.get(3)?,
        message: row.get(4)?,
        outline: Vec::new(),
        steps: row.get(6)?,
        saved_at: row.get(7)?,
        used_at: row.get(8)?,
        uses: row.get(9)?,
    };
    Ok((read, [row.get(2)?, row.get(5)?]))
}

fn whole((row, [tags, outline]): (SavedPlanRow, [String; 2])) -> Result<SavedPlanRow, Failure> {
    Ok(SavedPlanRow { tags: serde_json::from_str(&tags)?, outline: serde_json::from_str(&outline)?, ..row })
}

/// The name by which it is told whether two are the same.
fn folded(name: &str) -> String {
    name.to_lowercase()
}

/// All of them without their documents, what was saved or used last first.
pub(in crate::store) fn list(connection: &Connection) -> Result<Vec<SavedPlanRow>, Failure> {
    let sql = format!("SELECT {COLUMNS} FROM saved_plan ORDER BY max(saved_at, coalesce(used_at, 0)) DESC, key DESC");
    let mut statement = connection.prepare_cached(&sql)?;
    let rows = statement.query_map([], row)?;
    rows.map(|found| whole(found?)).collect()
}

/// The one of this name or id, or whose id begins like this.
pub(in crate::store) fn find(connection: &Connection, name: &str) -> Result<(SavedPlanRow, Plan), Failure> {
    let key = connection
        .prepare_cached("SELECT key FROM saved_plan WHERE folded = ?1")?
        .query_row([folded(name)], |row| row.get(0))
        .optional()?;
    let key: i64 = match key {
        Some(key) => key,
        None => key_of(connection, "saved plan", name)?,
    };
    let sql = format!("SELECT {COLUMNS}, document FROM saved_plan WHERE key = ?1");
    let found = connection.prepare_cached(&sql)?.query_row([key], |found| {
        let document: String = found.get(10)?;
        Ok((row(found)?, document))
    });
    let (found, document) = found?;
    Ok((whole(found)?, serde_json::from_str(&document)?))
}

/// Keeps a plan, and gives its id; nothing where its name is taken and it replaces none.
pub(in crate::store) fn keep(tx: &Connection, draft: &SavedDraft) -> Result<Option<SavedPlanId>, Failure> {
    let SavedDraft { row, plan, replaces } = draft;
    let taken = tx
        .prepare_cached("SELECT id FROM saved_plan WHERE folded = ?1")?
        .query_row([folded(&row.name)], |row| word_at(row, 0))
        .optional()?;
    if taken.is_some() && !replaces {
        return Ok(None);
    }
    tx.prepare_cached(
        "INSERT INTO saved_plan (id, name, folded, tags, title, message, outline, steps, saved_at, document)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
         ON CONFLICT (folded) DO UPDATE SET name = ?2, tags = ?4, title = ?5, message = ?6, outline = ?7, steps = ?8,
           saved_at = ?9, document = ?10",
    )?
    .execute(params![
        row.id.as_str(),
        row.name,
        folded(&row.name),
        serde_json::to_string(&row.tags)?,
        row.title,
        row.message,
        serde_json::to_string(&row.outline)?,
        row.steps,
        row.saved_at,
        serde_json::to_string(plan)?,
    ])?;
    Ok(Some(taken.unwrap_or_else(|| row.id.clone())))
}

/// Calls it otherwise; whether the name was free. A name may be written otherwise in its own place.
pub(in crate::store) fn rename(tx: &Connection, id: &SavedPlanId, name: &str) -> Result<bool, Failure> {
    let is_taken: bool = tx
        .prepare_cached("SELECT EXISTS (SELECT 1 FROM saved_plan WHERE folded = ?1 AND id <> ?2)")?
        .query_row([&folded(name), id.as_str()], |row| row.get(0))?;
    if is_taken {
        return Ok(false);
    }
    let changed = tx.prepare_cached("UPDATE saved_plan SET name = ?2, folded = ?3 WHERE id = ?1")?.execute(params![
        id.as_str(),
        name,
        folded(name)
    ])?;
    there(changed, id).map(|()| true)
}

/// Gives it other tags.
pub(in crate::store) fn tag(tx: &Connection, id: &SavedPlanId, tags: &[String]) -> Result<(), Failure> {
    let changed = tx
        .prepare_cached("UPDATE saved_plan SET tags = ?2 WHERE id = ?1")?
        .execute(params![id.as_str(), serde_json::to_string(tags)?])?;
    there(changed, id)
}

/// Notes that it was used. One that was removed meanwhile was used all the same.
pub(in crate::store) fn note_use(tx: &Connection, id: &SavedPlanId, at: i64) -> Result<(), Failure> {
    tx.prepare_cached("UPDATE saved_plan SET uses = uses + 1, used_at = ?2 WHERE id = ?1")?
        .execute(params![id.as_str(), at])?;
    Ok(())
}

/// Removes it; whether there was one.
pub(in crate::store) fn remove(tx: &Connection, id: &SavedPlanId) -> Result<bool, Failure> {
    Ok(tx.prepare_cached("DELETE FROM saved_plan WHERE id = ?1")?.execute([id.as_str()])? > 0)
}

fn there(changed: usize, id: &SavedPlanId) -> Result<(), Failure> {
    if changed > 0 { Ok(()) } else { Err(Failure::NotFound("saved plan", id.to_string())) }
}
