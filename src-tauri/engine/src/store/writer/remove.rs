//! What the writer does beside appending: removing a session whole, and filling the search index.

use assent_core::ids::{SavedPlanId, SessionId};
use rusqlite::Connection;

use super::Writer;
use crate::store::failure::Failure;
use crate::store::search;
use crate::store::table::{blob, counter, file_history, memory, saved_plan, session};

/// So many events are indexed in one transaction, so that nobody waits long for the file.
const PORTION: usize = 200;

/// What is removed of a session, the last first of what others refer to. Plan versions that runs of other sessions
/// carry out stay, and so does what was allowed for its whole folder.
const STATEMENTS: [&str; 11] = [
    "DELETE FROM comment WHERE plan IN (SELECT key FROM plan WHERE session = ?1)
        OR seq IN (SELECT seq FROM event WHERE session = ?1)",
    "DELETE FROM plan_draft WHERE plan IN (SELECT key FROM plan WHERE session = ?1)",
    "DELETE FROM allowance WHERE run IN (SELECT key FROM run WHERE session = ?1)",
    "DELETE FROM step WHERE run IN (SELECT key FROM run WHERE session = ?1)",
    "DELETE FROM run WHERE session = ?1",
    "DELETE FROM plan_version WHERE plan IN (SELECT key FROM plan WHERE session = ?1)
        AND key NOT IN (SELECT plan_version FROM run)",
    "DELETE FROM plan WHERE session = ?1 AND key NOT IN (SELECT plan FROM plan_version)",
    "DELETE FROM request WHERE session = ?1",
    "DELETE FROM turn WHERE session = ?1",
    "DELETE FROM event WHERE session = ?1",
    "DELETE FROM session WHERE key = ?1",
];

impl Writer {
    /// Removes a session whole. Nothing of it stays in the file or its log: freed space is overwritten.
    pub(in crate::store) fn delete_session(&mut self, id: &SessionId) -> Result<(), Failure> {
        self.change(|tx| {
            let key = session::key(tx, id)?;
            counter::keep(tx)?;
            search::forget_session(tx, key)?;
            file_history::forget_session(tx, key)?;
            blob::forget_session(tx, key)?;
            memory::forget_session(tx, key)?;
            STATEMENTS.iter().try_for_each(|sql| run(tx, sql, key))
        })?;
        self.memory.forget();
        self.overwrite_log();
        Ok(())
    }

    /// Removes a saved plan, of which nothing stays either; whether there was one.
    pub(in crate::store) fn remove_saved_plan(&mut self, id: &SavedPlanId) -> Result<bool, Failure> {
        let removed = self.change(|tx| saved_plan::remove(tx, id))?;
        self.overwrite_log();
        Ok(removed)
    }

    /// With a reader in the way the log is overwritten later; what was removed is gone all the same.
    fn overwrite_log(&self) {
        let _ = self.connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
    }

    /// Indexes some of what is not indexed yet; whether more of that is left.
    pub(in crate::store) fn index_portion(&mut self) -> Result<bool, Failure> {
        self.index_from(1)
    }

    /// Indexes a portion, if there is enough to be worth it; whether there is for another one.
    pub(super) fn index_idly(&mut self) -> Result<bool, Failure> {
        self.index_from(PORTION as u64)
    }

    /// Indexes a portion where at least so many events are not indexed yet; whether there are as many after it.
    fn index_from(&mut self, least: u64) -> Result<bool, Failure> {
        if search::behind(&self.connection)? < least {
            return Ok(false);
        }
        self.change(|tx| search::index_some(tx, PORTION))?;
        Ok(search::behind(&self.connection)? >= least)
    }
}

#[cfg(test)]
impl Writer {
    /// Lets the file grow by so many pages and no more, as a full disk would.
    pub(in crate::store) fn leave_room(&mut self, pages: u32) -> Result<(), Failure> {
        let now: u32 = self.connection.query_row("PRAGMA page_count", [], |row| row.get(0))?;
        let limit = format!("PRAGMA max_page_count = {}", now + pages);
        Ok(self.connection.query_row(&limit, [], |_| Ok(()))?)
    }
}

fn run(tx: &Connection, sql: &str, key: i64) -> Result<(), Failure> {
    tx.prepare_cached(sql)?.execute([key])?;
    Ok(())
}
