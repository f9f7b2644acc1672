//! What the writer remembers between transactions, so that an event costs the same in a long run as in a short one:
//! keys of ids, rows of sessions, and folded runs. It is a copy of the file: dropped after a failure, brought up to
//! date after another process has written.

use std::collections::{BTreeSet, HashMap, HashSet};

use assent_core::ids::{Digest, RunId, SessionId, TurnId};
use assent_core::plan::Plan;
use assent_core::run::{RunState, RunStatus, StepStatus};
use rusqlite::Connection;

use crate::store::failure::Failure;
use crate::store::table::session::SessionEntry;
use crate::store::table::{event, plan, run, session, step};

/// More than so many runs are not kept: a folded run holds what its events hold.
const RUNS: usize = 16;

/// More than so many small entries of a kind are not kept.
const ENTRIES: usize = 1024;

/// The writer's copy of what it works on.
#[derive(Default)]
pub(super) struct Memory {
    /// `PRAGMA data_version` that this is a copy of.
    version: i64,
    sessions: HashMap<SessionId, KeptSession>,
    /// Sessions whose rows may have to be written before the commit.
    changed_sessions: HashSet<SessionId>,
    turns: HashMap<(i64, TurnId), i64>,
    runs: HashMap<RunId, RunEntry>,
    /// Runs whose rows are to be written before the commit.
    changed_runs: HashSet<RunId>,
    /// Blobs that sessions are known to use.
    blobs: HashSet<(i64, Digest)>,
}

/// A session and how it was last written.
struct KeptSession {
    entry: SessionEntry,
    written: SessionEntry,
}

/// A run and how it was last written.
pub(super) struct RunEntry {
    pub(super) place: run::Place,
    pub(super) state: RunState,
    /// What its row says, as far as this process has written it.
    status: Option<RunStatus>,
    /// What the rows of its steps say, by number.
    written: Vec<(StepStatus, u32)>,
    /// Steps whose rows may be wrong.
    changed: BTreeSet<usize>,
    /// Whether all of them may be.
    all_changed: bool,
    /// Whether another process may have added events.
    outdated: bool,
}

impl Memory {
    /// Whether the file is as this copy knows it.
    pub(super) fn seen(&self, version: i64) -> bool {
        self.version == version
    }

    /// Another process has written: small things are looked up again, runs take in what is new when they are used.
    pub(super) fn outdated(&mut self, version: i64) {
        self.version = version;
        self.sessions.clear();
        self.turns.clear();
        self.blobs.clear();
        self.runs.values_mut().for_each(|run| run.outdated = true);
    }

    /// Drops everything.
    pub(super) fn forget(&mut self) {
        *self = Self::default();
    }

    /// A session that is there, to be changed.
    pub(super) fn session(&mut self, tx: &Connection, id: &SessionId) -> Result<&mut SessionEntry, Failure> {
        if !self.sessions.contains_key(id) {
            let missing = || Failure::Conflict(format!("there is no session {id}"));
            let entry = session::entry(tx, id)?.ok_or_else(missing)?;
            self.sessions.insert(id.clone(), KeptSession { written: entry.clone(), entry });
        }
        if !self.changed_sessions.contains(id) {
            self.changed_sessions.insert(id.clone());
        }
        let missing = || Failure::Misuse(format!("session {id} is not remembered"));
        self.sessions.get_mut(id).map(|kept| &mut kept.entry).ok_or_else(missing)
    }

    /// The key of a turn, which is opened if need be.
    pub(super) fn turn(&mut self, tx: &Connection, session: i64, id: &TurnId, at: i64) -> Result<i64, Failure> {
        let name = (session, id.clone());
        if let Some(key) = self.turns.get(&name) {
            return Ok(*key);
        }
        let key = crate::store::table::turn::key(tx, session, id, at)?;
        self.turns.insert(name, key);
        Ok(key)
    }

    /// Whether a session is not yet known to use a blob; from now on it is.
    pub(super) fn first_use(&mut self, session: i64, digest: &Digest) -> bool {
        self.blobs.insert((session, digest.clone()))
    }

    /// Remembers a run that was just queued.
    pub(super) fn add_run(
        &mut self,
        tx: &Connection,
        id: &RunId,
        place: run::Place,
        plan: &Plan,
    ) -> Result<(), Failure> {
        for (number, planned) in plan.steps.iter().enumerate() {
            step::insert(tx, place.key, number as i64, &planned.id)?;
        }
        self.runs.insert(id.clone(), RunEntry::new(id, place, plan));
        self.changed_runs.insert(id.clone());
        Ok(())
    }

    /// A run that is there, to be changed.
    pub(super) fn run(&mut self, tx: &Connection, id: &RunId) -> Result<&mut RunEntry, Failure> {
        let current = self.runs.get(id).is_some_and(|entry| !entry.outdated);
        if !current {
            let missing = || Failure::Conflict(format!("there is no run {id}"));
            let place = run::place(tx, id)?.ok_or_else(missing)?;
            let kept = self.runs.remove(id).filter(|entry| entry.place.key == place.key);
            let entry = match kept {
                Some(mut entry) => {
                    entry.take_in(tx, place)?;
                    entry
                }
                None => RunEntry::load(tx, id, place)?,
            };
            self.runs.insert(id.clone(), entry);
        }
        if !self.changed_runs.contains(id) {
            self.changed_runs.insert(id.clone());
        }
        self.runs.get_mut(id).ok_or_else(|| Failure::Misuse(format!("run {id} is not remembered")))
    }

    /// Writes the rows of everything that has changed, and forgets what is too much.
    pub(super) fn flush(&mut self, tx: &Connection) -> Result<(), Failure> {
        for id in std::mem::take(&mut self.changed_runs) {
            let Some(entry) = self.runs.get_mut(&id) else { continue };
            let status = entry.flush(tx)?;
            let mut owners = self.sessions.values_mut().map(|kept| &mut kept.entry);
            let owner = owners.find(|session| session.key == entry.place.session);
            if let Some(owner) = owner.filter(|owner| owner.run == Some(entry.place.key)) {
                owner.run_status = Some(status);
            }
        }
        for id in std::mem::take(&mut self.changed_sessions) {
            let changed = self.sessions.get_mut(&id).filter(|kept| kept.entry != kept.written);
            if let Some(kept) = changed {
                session::update(tx, &kept.entry)?;
                kept.written.clone_from(&kept.entry);
            }
        }
        if self.runs.len() > RUNS {
            self.runs.clear();
        }
        if self.sessions.len() > ENTRIES || self.turns.len() > ENTRIES || self.blobs.len() > ENTRIES {
            self.sessions.clear();
            self.turns.clear();
            self.blobs.clear();
        }
        Ok(())
    }
}

impl RunEntry {
    fn new(id: &RunId, place: run::Place, plan: &Plan) -> Self {
        let written = vec![(StepStatus::Pending, 0); plan.steps.len()];
        let state = RunState::new(id.clone(), plan);
        Self { place, state, status: None, written, changed: BTreeSet::new(), all_changed: false, outdated: false }
    }

    fn load(tx: &Connection, id: &RunId, place: run::Place) -> Result<Self, Failure> {
        let plan = plan::document(tx, place.plan_version)?;
        let mut entry = Self::new(id, run::Place { last: place.first - 1, ..place }, &plan);
        entry.take_in(tx, place)?;
        Ok(entry)
    }

    /// Folds the events that this copy does not know yet; their process has written the rows.
    fn take_in(&mut self, tx: &Connection, place: run::Place) -> Result<(), Failure> {
        for event in event::of_run(tx, &place, self.place.last)? {
            let folded = self.state.apply(&event.place, event.at, &event.kind);
            folded.map_err(|conflict| Failure::Broken(format!("event {}: {conflict}", event.seq)))?;
        }
        self.place = place;
        self.outdated = false;
        self.status = None;
        self.written = self.state.steps().iter().map(|step| (step.status, step.attempt)).collect();
        Ok(())
    }

    /// Adds rows for steps that were delegated since the last event.
    pub(super) fn add_rows(&mut self, tx: &Connection) -> Result<(), Failure> {
        for added in self.state.steps().iter().skip(self.written.len()) {
            step::insert(tx, self.place.key, self.written.len() as i64, &added.id)?;
            self.written.push((StepStatus::Pending, 0));
        }
        Ok(())
    }

    /// Notes that an event of a step, or of the whole run, may have changed rows of steps.
    pub(super) fn touch(&mut self, step: Option<usize>) {
        match step {
            Some(step) => {
                self.changed.insert(step);
            }
            None => self.all_changed = true,
        }
    }

    fn flush(&mut self, tx: &Connection) -> Result<RunStatus, Failure> {
        let changed: Vec<usize> = if std::mem::take(&mut self.all_changed) {
            (0..self.written.len()).collect()
        } else {
            self.changed.iter().copied().collect()
        };
        self.changed.clear();
        for number in changed {
            let now = &self.state.steps()[number];
            if self.written[number] != (now.status, now.attempt) {
                step::update(tx, self.place.key, number as i64, now.status, now.attempt)?;
                self.written[number] = (now.status, now.attempt);
            }
        }
        let standing = run::Standing {
            status: self.state.status(),
            steps: self.written.len(),
            completed: self.state.count(StepStatus::Completed),
            updated_at: self.place.updated_at,
            last: self.place.last,
        };
        if self.status == Some(standing.status) {
            run::advance(tx, self.place.key, &standing)?;
        } else {
            run::update(tx, self.place.key, &standing)?;
            self.status = Some(standing.status);
        }
        Ok(standing.status)
    }
}
