//! The store behind the narrow traits that readers ask for.

use std::path::Path;
use std::sync::Arc;

use assent_core::ids::{Digest, PlanId, RequestId, RunId, SessionId, TurnId};
use assent_core::plan::Plan;
use assent_core::run::{AnswerDraft, Event, PlanRef};
use serde_json::Value;
use tokio::sync::broadcast;

use super::table::{blob, counter, event, file_history, plan, request, run, session, setting, step, turn};
use super::writer::{Job, Writer};
use super::{
    Blobs, Changes, Comment, FileHistory, Hit, ListFilter, PlanDraft, PlanStanding, Plans, RequestRow, Requests,
    RunRow, Runs, SessionRow, Sessions, Settings, StepRow, Store, StoreError, TakenBack, TurnRow, VersionRow, search,
};

impl Sessions for Store {
    fn sessions(&self, filter: &ListFilter) -> Result<Vec<SessionRow>, StoreError> {
        self.read(|connection| session::list(connection, filter))
    }

    fn workflows(&self) -> Result<Vec<SessionRow>, StoreError> {
        self.read(session::workflows)
    }

    fn session(&self, id: &str) -> Result<SessionRow, StoreError> {
        self.read(|connection| session::find(connection, id))
    }

    fn session_events(&self, id: &SessionId, after: u64) -> Result<Vec<Event>, StoreError> {
        self.read(|connection| event::of_session(connection, session::key(connection, id)?, after))
    }

    fn unended_turns(&self) -> Result<Vec<TurnRow>, StoreError> {
        self.read(turn::unended)
    }

    fn delete_session(&self, id: &SessionId) -> Result<(), StoreError> {
        let id = id.clone();
        self.write(move |writer| writer.delete_session(&id))
    }

    fn search(&self, text: &str, within: Option<&SessionId>, limit: usize) -> Result<Vec<Hit>, StoreError> {
        let Some(query) = search::Query::new(text) else { return Ok(Vec::new()) };
        let indexed = self.index_all();
        let hits = self.read(|connection| search::find(connection, &query, within, limit))?;
        // What cannot be indexed now, because the disk is full or the file is held, is found the next time; but
        // "nothing" is only said where everything was looked at.
        if hits.is_empty() { indexed.map(|()| hits) } else { Ok(hits) }
    }
}

impl Store {
    /// Indexes everything that is not indexed yet, a portion at a time: whatever else is to be written comes in between.
    fn index_all(&self) -> Result<(), StoreError> {
        while self.write(Writer::index_portion)? {}
        Ok(())
    }
}

impl Runs for Store {
    fn run(&self, id: &RunId) -> Result<RunRow, StoreError> {
        self.read(|connection| run::find(connection, id))
    }

    fn run_events(&self, id: &RunId) -> Result<Vec<Event>, StoreError> {
        self.read(|connection| {
            let place = run::known_place(connection, id)?;
            event::of_run(connection, &place, 0)
        })
    }

    fn last_event(&self, id: &RunId) -> Result<u64, StoreError> {
        self.read(|connection| {
            let place = run::known_place(connection, id)?;
            Ok(place.last.unsigned_abs())
        })
    }

    fn turns_of(&self, id: &RunId) -> Result<Vec<(TurnId, bool)>, StoreError> {
        self.read(|connection| {
            let place = run::known_place(connection, id)?;
            turn::of_run(connection, &place)
        })
    }

    fn steps(&self, id: &RunId) -> Result<Vec<StepRow>, StoreError> {
        self.read(|connection| {
            let place = run::known_place(connection, id)?;
            step::of_run(connection, place.key)
        })
    }

    fn runs_of(&self, session: &SessionId) -> Result<Vec<RunRow>, StoreError> {
        self.read(|connection| run::of_session(connection, session))
    }

    fn latest_runs(&self, session: &SessionId, limit: usize) -> Result<Vec<RunRow>, StoreError> {
        self.read(|connection| run::latest(connection, session, limit))
    }

    fn unended(&self) -> Result<Vec<RunRow>, StoreError> {
        self.read(run::unended)
    }
}

impl Plans for Store {
    fn plan(&self, id: &str, version: Option<u32>) -> Result<Plan, StoreError> {
        self.read(|connection| plan::find(connection, id, version))
    }

    fn plans(&self, session: Option<&SessionId>) -> Result<Vec<Plan>, StoreError> {
        self.read(|connection| plan::latest(connection, session))
    }

    fn standings(&self) -> Result<Vec<PlanStanding>, StoreError> {
        self.read(plan::standings)
    }

    fn versions(&self, id: &PlanId) -> Result<Vec<Plan>, StoreError> {
        self.read(|connection| plan::versions(connection, id))
    }

    fn waiting(&self, session: &SessionId) -> Result<Option<PlanRef>, StoreError> {
        self.read(|connection| plan::waiting(connection, session))
    }

    fn history(&self, id: &PlanId) -> Result<Vec<VersionRow>, StoreError> {
        self.read(|connection| plan::history(connection, id))
    }

    fn session_of(&self, plan: &PlanRef) -> Result<SessionId, StoreError> {
        self.read(|connection| plan::session_of(connection, plan))
    }

    fn turn_of(&self, plan: &PlanRef) -> Result<Option<TurnId>, StoreError> {
        self.read(|connection| plan::turn_of(connection, plan))
    }

    fn comments(&self, id: &PlanId) -> Result<Vec<Comment>, StoreError> {
        self.read(|connection| plan::comments(connection, id))
    }

    fn said_of(&self, plan: &PlanRef) -> Result<Vec<Comment>, StoreError> {
        self.read(|connection| plan::said_of(connection, plan))
    }

    fn draft(&self, id: &PlanId) -> Result<Option<PlanDraft>, StoreError> {
        self.read(|connection| plan::draft(connection, id))
    }

    fn keep_draft(&self, id: &PlanId, draft: Option<&PlanDraft>) -> Result<(), StoreError> {
        let id = id.clone();
        let document = draft.map(|draft| serde_json::to_string(&draft.plan).map(|text| (text, draft.updated_at)));
        let document = document.transpose().map_err(|error| StoreError::Other(error.to_string()))?;
        self.write(move |writer| {
            let draft = document.as_ref().map(|(text, at)| (text.as_str(), *at));
            writer.change(|tx| plan::keep_draft(tx, &id, draft))
        })
    }
}

impl Requests for Store {
    fn open_requests(&self) -> Result<Vec<RequestRow>, StoreError> {
        self.read(request::open)
    }

    fn request(&self, id: &str) -> Result<RequestRow, StoreError> {
        self.read(|connection| request::find(connection, id))
    }

    fn keep_answer_draft(&self, id: &RequestId, draft: &AnswerDraft) -> Result<(), StoreError> {
        let (id, draft) = (id.clone(), draft.clone());
        self.write(move |writer| writer.change(|tx| request::keep_draft(tx, &id, &draft)))
    }
}

impl Blobs for Store {
    fn blob(&self, digest: &Digest) -> Result<Vec<u8>, StoreError> {
        self.read(|connection| blob::read(connection, digest))
    }
}

impl Settings for Store {
    fn setting(&self, key: &str) -> Result<Option<Value>, StoreError> {
        self.read(|connection| setting::get(connection, key))
    }

    fn set_setting(&self, key: &str, value: Option<&Value>) -> Result<(), StoreError> {
        let (key, value) = (key.to_owned(), value.map(Value::to_string));
        self.write(move |writer| writer.change(|tx| setting::set(tx, &key, value.as_deref())))
    }

    fn replace_setting(&self, key: &str, seen: Option<&Value>, value: Option<&Value>) -> Result<bool, StoreError> {
        let (key, seen, value) = (key.to_owned(), seen.cloned(), value.map(Value::to_string));
        self.write(move |writer| {
            writer.change(|tx| {
                let is_seen = setting::get(tx, &key)? == seen;
                if is_seen {
                    setting::set(tx, &key, value.as_deref())?;
                }
                Ok(is_seen)
            })
        })
    }
}

impl Changes for Store {
    fn subscribe(&self) -> broadcast::Receiver<Arc<Event>> {
        let receiver = self.changes.subscribe();
        // Read before this returns, so that nothing of another process is missed that commits afterwards.
        if let Ok(next) = self.read(counter::next) {
            // A writer that is gone has nothing more to tell.
            let _ = self.push(Job::Listen(next));
        }
        receiver
    }
}

/// Earlier contents of files, remembered for a session.
pub(super) struct SessionFiles {
    pub(super) store: Arc<Store>,
    pub(super) session: SessionId,
}

impl FileHistory for SessionFiles {
    fn remember(&self, path: &Path, before: Option<&[u8]>, written: &[u8]) -> Result<(), StoreError> {
        let (session, at, written) = (self.session.clone(), self.store.clock.now(), Digest::of_bytes(written));
        let (path, before) = (name_of(path)?, before.map(<[u8]>::to_vec));
        self.store.write(move |writer| {
            writer.change(|tx| {
                let session = session::key(tx, &session)?;
                file_history::push(tx, session, &path, before.as_deref(), &written, at)
            })
        })
    }

    fn take_back(&self, path: &Path, now: Option<&[u8]>) -> Result<TakenBack, StoreError> {
        let (path, now) = (name_of(path)?, now.map(Digest::of_bytes));
        self.store.write(move |writer| writer.change(|tx| file_history::pop(tx, &path, now.as_ref())))
    }
}

/// A path as text. One that is none could not be told from another.
pub(super) fn name_of(path: &Path) -> Result<String, StoreError> {
    path.to_str().map(str::to_owned).ok_or_else(|| StoreError::Folder {
        path: path.display().to_string(),
        reason: "its name is not valid UTF-8, so that its earlier contents cannot be kept".to_owned(),
    })
}
