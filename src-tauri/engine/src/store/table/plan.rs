//! Plans, their versions, comments beside them and drafts of the next version.

use assent_core::ids::{PlanId, SessionId, TurnId};
use assent_core::plan::Plan;
use assent_core::run::{Event, EventKind, PlanRef};
use rusqlite::{Connection, OptionalExtension as _, params};

use super::blob::{digest_at, raw};
use super::counter::signed;
use super::event::{Names, by_seq};
use super::{key_of, optional_word_at, word, word_at};
use crate::store::failure::Failure;
use crate::store::{Comment, PlanDraft, PlanStanding, PlanStatus, VersionRow};

/// Where a version stands.
#[derive(Debug, Clone, Copy)]
pub(in crate::store) struct Version {
    pub(in crate::store) key: i64,
    pub(in crate::store) plan: i64,
    pub(in crate::store) status: PlanStatus,
}

/// Adds a proposed version, and with its first one the plan.
pub(in crate::store) fn propose(
    tx: &Connection,
    session: i64,
    plan: &PlanRef,
    document: &Plan,
    seq: u64,
) -> Result<(), Failure> {
    tx.prepare_cached("INSERT OR IGNORE INTO plan (id, session) VALUES (?1, ?2)")?
        .execute(params![plan.id.as_str(), session])?;
    let key = key(tx, &plan.id)?;
    let added = tx
        .prepare_cached(
            "INSERT OR IGNORE INTO plan_version (plan, version, digest, status, proposed, document)
             VALUES (?1, ?2, ?3, 'proposed', ?4, ?5)",
        )?
        .execute(params![key, plan.version, raw(&plan.digest)?, signed(seq), serde_json::to_string(document)?])?;
    if added > 0 {
        Ok(())
    } else {
        Err(Failure::Conflict(format!("plan {} already has a version {}", plan.id, plan.version)))
    }
}

/// The version that a reference binds; another content, or none, is a conflict.
pub(in crate::store) fn version(connection: &Connection, plan: &PlanRef) -> Result<Version, Failure> {
    let mut statement = connection.prepare_cached(
        "SELECT plan_version.key, plan.key, status, digest FROM plan_version JOIN plan ON plan.key = plan_version.plan
          WHERE plan.id = ?1 AND version = ?2",
    )?;
    let found = statement.query_row(params![plan.id.as_str(), plan.version], |row| {
        Ok((Version { key: row.get(0)?, plan: row.get(1)?, status: word_at(row, 2)? }, digest_at(row, 3)?))
    });
    match found.optional()? {
        Some((version, digest)) if digest == plan.digest => Ok(version),
        Some(_) => Err(Failure::Conflict(format!("version {} of plan {} has another content", plan.version, plan.id))),
        None => Err(Failure::Conflict(format!("plan {} has no version {}", plan.id, plan.version))),
    }
}

/// How a version stands.
pub(in crate::store) fn status(connection: &Connection, version: i64) -> Result<PlanStatus, Failure> {
    let mut statement = connection.prepare_cached("SELECT status FROM plan_version WHERE key = ?1")?;
    Ok(statement.query_row(params![version], |row| word_at(row, 0))?)
}

/// Gives a version another status, where the states of a plan version allow it.
pub(in crate::store) fn settle(tx: &Connection, plan: &PlanRef, status: PlanStatus) -> Result<(), Failure> {
    let version = version(tx, plan)?;
    if !version.status.may_become(status) {
        let stands = word(&version.status)?;
        return Err(Failure::Conflict(format!("version {} of plan {} is already {stands}", plan.version, plan.id)));
    }
    tx.prepare_cached("UPDATE plan_version SET status = ?2 WHERE key = ?1")?
        .execute(params![version.key, word(&status)?])?;
    Ok(())
}

/// Adds a comment; its text stands in the event.
pub(in crate::store) fn comment(tx: &Connection, plan: &PlanRef, seq: u64) -> Result<(), Failure> {
    let version = version(tx, plan)?;
    tx.prepare_cached("INSERT INTO comment (seq, plan, version) VALUES (?1, ?2, ?3)")?.execute(params![
        signed(seq),
        version.plan,
        version.key
    ])?;
    Ok(())
}

/// The document of a version by its key.
pub(in crate::store) fn document(connection: &Connection, version: i64) -> Result<Plan, Failure> {
    let text: String = connection
        .prepare_cached("SELECT document FROM plan_version WHERE key = ?1")?
        .query_row([version], |row| row.get(0))?;
    Ok(serde_json::from_str(&text)?)
}

/// The key of the plan of exactly this id.
pub(in crate::store) fn key(connection: &Connection, id: &PlanId) -> Result<i64, Failure> {
    let mut statement = connection.prepare_cached("SELECT key FROM plan WHERE id = ?1")?;
    let key = statement.query_row([id.as_str()], |row| row.get(0)).optional()?;
    key.ok_or_else(|| Failure::NotFound("plan", id.to_string()))
}

/// A version, or the latest one, of the plan whose id begins like this.
pub(in crate::store) fn find(connection: &Connection, beginning: &str, version: Option<u32>) -> Result<Plan, Failure> {
    let key = key_of(connection, "plan", beginning)?;
    let mut statement = connection.prepare_cached(
        "SELECT document FROM plan_version WHERE plan = ?1 AND (?2 IS NULL OR version = ?2)
          ORDER BY version DESC LIMIT 1",
    )?;
    let text: Option<String> = statement.query_row(params![key, version], |row| row.get(0)).optional()?;
    let missing = || match version {
        Some(version) => no_version(beginning, version),
        None => Failure::NotFound("plan", beginning.to_owned()),
    };
    Ok(serde_json::from_str(&text.ok_or_else(missing)?)?)
}

fn no_version(plan: &str, version: u32) -> Failure {
    Failure::NotFound("plan", format!("{plan} with version {version}"))
}

fn documents(connection: &Connection, rest: &str, values: impl rusqlite::Params) -> Result<Vec<Plan>, Failure> {
    let mut statement = connection.prepare_cached(&format!("SELECT document FROM plan_version {rest}"))?;
    let texts = statement.query_map(values, |row| row.get::<_, String>(0))?;
    texts.map(|text| Ok(serde_json::from_str(&text?)?)).collect()
}

/// The latest version of each plan of a session, or of all, newest first.
pub(in crate::store) fn latest(connection: &Connection, session: Option<&SessionId>) -> Result<Vec<Plan>, Failure> {
    let session = session.map(|id| super::session::key(connection, id)).transpose()?;
    let rest = "WHERE (?1 IS NULL OR plan IN (SELECT key FROM plan WHERE session = ?1))
                  AND version = (SELECT max(version) FROM plan_version AS other WHERE other.plan = plan_version.plan)
                ORDER BY proposed DESC";
    documents(connection, rest, params![session])
}

/// How the latest version of each plan stands, newest first.
pub(in crate::store) fn standings(connection: &Connection) -> Result<Vec<PlanStanding>, Failure> {
    let mut statement = connection.prepare_cached(
        "SELECT plan.id, version, session.id, status,
                (SELECT run.status FROM run WHERE run.session = plan.session AND run.plan_version = plan_version.key
                  ORDER BY run.key DESC LIMIT 1)
           FROM plan_version
           JOIN plan ON plan.key = plan_version.plan
           JOIN session ON session.key = plan.session
          WHERE version = (SELECT max(version) FROM plan_version AS other WHERE other.plan = plan_version.plan)
          ORDER BY proposed DESC",
    )?;
    let rows = statement.query_map([], |row| {
        Ok(PlanStanding {
            plan: word_at(row, 0)?,
            version: row.get(1)?,
            session: word_at(row, 2)?,
            status: word_at(row, 3)?,
            run: optional_word_at(row, 4)?,
        })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// The session of the plan that a version is one of.
pub(in crate::store) fn session_of(connection: &Connection, plan: &PlanRef) -> Result<SessionId, Failure> {
    let mut statement = connection.prepare_cached(
        "SELECT session.id FROM plan_version
           JOIN plan ON plan.key = plan_version.plan
           JOIN session ON session.key = plan.session
          WHERE plan.id = ?1 AND version = ?2",
    )?;
    let found = statement.query_row(params![plan.id.as_str(), plan.version], |row| word_at(row, 0)).optional()?;
    found.ok_or_else(|| no_version(plan.id.as_str(), plan.version))
}

/// The turn in which a version was made, or else the latest version before it that was made in one.
pub(in crate::store) fn turn_of(connection: &Connection, plan: &PlanRef) -> Result<Option<TurnId>, Failure> {
    let mut statement = connection.prepare_cached(
        "SELECT turn.id FROM plan_version
           JOIN event ON event.seq = plan_version.proposed
           JOIN turn ON turn.key = event.turn
          WHERE plan = ?1 AND version <= ?2 ORDER BY version DESC LIMIT 1",
    )?;
    let found = statement.query_row(params![key(connection, &plan.id)?, plan.version], |row| word_at(row, 0));
    Ok(found.optional()?)
}

/// All versions of a plan, oldest first.
pub(in crate::store) fn versions(connection: &Connection, id: &PlanId) -> Result<Vec<Plan>, Failure> {
    documents(connection, "WHERE plan = ?1 ORDER BY version", [key(connection, id)?])
}

/// The version of a session that was proposed last, where it waits for approval.
pub(in crate::store) fn waiting(connection: &Connection, session: &SessionId) -> Result<Option<PlanRef>, Failure> {
    let mut statement = connection.prepare_cached(
        "SELECT plan.id, version, digest, status FROM plan_version JOIN plan ON plan.key = plan_version.plan
          WHERE session = ?1 ORDER BY proposed DESC LIMIT 1",
    )?;
    let found = statement.query_row([super::session::key(connection, session)?], |row| {
        let plan = PlanRef { id: word_at(row, 0)?, version: row.get(1)?, digest: digest_at(row, 2)? };
        Ok((plan, word_at::<PlanStatus>(row, 3)?))
    });
    Ok(found.optional()?.filter(|(_, status)| *status == PlanStatus::Proposed).map(|(plan, _)| plan))
}

/// How each version of a plan stands, oldest first.
pub(in crate::store) fn history(connection: &Connection, id: &PlanId) -> Result<Vec<VersionRow>, Failure> {
    let mut statement = connection.prepare_cached(
        "SELECT version, digest, status, event.at FROM plan_version JOIN event ON event.seq = proposed
          WHERE plan = ?1 ORDER BY version",
    )?;
    let rows = statement.query_map([key(connection, id)?], |row| {
        let plan = PlanRef { id: id.clone(), version: row.get(0)?, digest: digest_at(row, 1)? };
        Ok(VersionRow { plan, status: word_at(row, 2)?, proposed_at: row.get(3)? })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// The comments on a plan, oldest first.
pub(in crate::store) fn comments(connection: &Connection, id: &PlanId) -> Result<Vec<Comment>, Failure> {
    let seqs = connection
        .prepare_cached("SELECT seq FROM comment WHERE plan = ?1 ORDER BY seq")?
        .query_map([key(connection, id)?], |row| row.get(0))?
        .collect::<rusqlite::Result<Vec<i64>>>()?;
    let mut names = Names::default();
    let read = |seq| {
        let event = by_seq(connection, &mut names, seq)?;
        comment_of(event).ok_or_else(|| Failure::Broken(format!("event {seq} is no comment")))
    };
    seqs.into_iter().map(read).collect()
}

/// What a person said of a version, its approval included, oldest first.
pub(in crate::store) fn said_of(connection: &Connection, plan: &PlanRef) -> Result<Vec<Comment>, Failure> {
    let seqs = connection
        .prepare_cached(
            "SELECT seq FROM comment WHERE plan = ?1
              UNION
             SELECT seq FROM event
              WHERE session = (SELECT session FROM plan WHERE key = ?1)
                AND kind = 8 -- plan_approved, written out so that its index counts
                AND seq > (SELECT min(proposed) FROM plan_version WHERE plan = ?1)
              ORDER BY seq",
        )?
        .query_map([key(connection, &plan.id)?], |row| row.get(0))?
        .collect::<rusqlite::Result<Vec<i64>>>()?;
    let mut names = Names::default();
    let events = seqs.into_iter().map(|seq| by_seq(connection, &mut names, seq)).collect::<Result<Vec<_>, _>>()?;
    let of_it = |said: &Comment| said.plan.version <= plan.version;
    let said = events.into_iter().filter_map(|event| match event.kind {
        EventKind::PlanApproved { plan: approved, note, .. } if approved == *plan => {
            Some(Comment { plan: approved, step: None, text: note?, at: event.at })
        }
        _ => comment_of(event).filter(of_it),
    });
    Ok(said.filter(|said| !said.text.trim().is_empty()).collect())
}

fn comment_of(event: Event) -> Option<Comment> {
    match event.kind {
        EventKind::Commented { plan, on, text } => Some(Comment { plan, step: on, text, at: event.at }),
        _ => None,
    }
}

/// The draft of a plan's next version.
pub(in crate::store) fn draft(connection: &Connection, id: &PlanId) -> Result<Option<PlanDraft>, Failure> {
    let mut statement = connection.prepare_cached("SELECT document, updated_at FROM plan_draft WHERE plan = ?1")?;
    let found = statement.query_row([key(connection, id)?], |row| Ok((row.get::<_, String>(0)?, row.get(1)?)));
    match found.optional()? {
        Some((text, updated_at)) => Ok(Some(PlanDraft { plan: serde_json::from_str(&text)?, updated_at })),
        None => Ok(None),
    }
}

/// Keeps a draft, or with `None` throws it away.
pub(in crate::store) fn keep_draft(tx: &Connection, id: &PlanId, draft: Option<(&str, i64)>) -> Result<(), Failure> {
    let key = key(tx, id)?;
    match draft {
        Some((document, at)) => tx
            .prepare_cached("INSERT OR REPLACE INTO plan_draft (plan, document, updated_at) VALUES (?1, ?2, ?3)")?
            .execute(params![key, document, at])?,
        None => tx.prepare_cached("DELETE FROM plan_draft WHERE plan = ?1")?.execute([key])?,
    };
    Ok(())
}
