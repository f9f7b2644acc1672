//! Kept permissions.

use assent_core::ids::Digest;
use assent_core::run::Reach;
use rusqlite::{Connection, Row, params};

use super::{key_of, word, word_at};
use crate::store::failure::Failure;
use crate::store::{AllowanceRow, RequestRow};

const COLUMNS: &str = "SELECT allowance.request, tool, reach, allowance.workspace, run.id, step, allowance.at,
    template
    FROM allowance LEFT JOIN run ON run.key = allowance.run";

/// Keeps what the answer to a request allows from now on.
pub(in crate::store) fn insert(
    tx: &Connection,
    request: &RequestRow,
    reach: Reach,
    run: Option<i64>,
    at: i64,
) -> Result<(), Failure> {
    let Some(tool) = &request.request.tool else { return Ok(()) };
    let run = run.filter(|_| reach != Reach::Workspace);
    let step = request.step.as_ref().filter(|_| reach == Reach::Step);
    tx.prepare_cached(
        "INSERT INTO allowance (request, tool, reach, workspace, run, step, at, template)
         SELECT ?1, ?2, ?3, coalesce(workspace, ''), ?4, ?5, ?6, ?8 FROM session WHERE id = ?7",
    )?
    .execute(params![
        request.request.id.as_str(),
        tool,
        word(&reach)?,
        run,
        step.map(|step| step.as_str()),
        at,
        request.session.as_str(),
        request.request.template.as_ref().map(Digest::as_str)
    ])?;
    Ok(())
}

/// Those that still count for something, the newest first.
pub(in crate::store) fn standing(connection: &Connection) -> Result<Vec<AllowanceRow>, Failure> {
    let sql = format!(
        "{COLUMNS} WHERE allowance.run IS NULL
            OR run.status NOT IN ('completed', 'completed_with_warnings', 'failed', 'cancelled')
         ORDER BY allowance.key DESC"
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let rows = statement.query_map([], read)?;
    Ok(rows.collect::<rusqlite::Result<Vec<_>>>()?)
}

/// Takes one back.
pub(in crate::store) fn revoke(tx: &Connection, beginning: &str) -> Result<AllowanceRow, Failure> {
    let key = key_of(tx, "permission", beginning)?;
    let row = tx.query_row(&format!("{COLUMNS} WHERE allowance.key = ?1"), [key], read)?;
    tx.execute("DELETE FROM allowance WHERE key = ?1", [key])?;
    Ok(row)
}

fn read(row: &Row<'_>) -> rusqlite::Result<AllowanceRow> {
    Ok(AllowanceRow {
        id: row.get::<_, String>(0)?.into(),
        tool: row.get(1)?,
        reach: word_at(row, 2)?,
        workspace: row.get(3)?,
        run: row.get::<_, Option<String>>(4)?.map(Into::into),
        step: row.get::<_, Option<String>>(5)?.map(Into::into),
        at: row.get(6)?,
        template: row.get::<_, Option<String>>(7)?.and_then(|digest| Digest::parse(&digest)),
    })
}
