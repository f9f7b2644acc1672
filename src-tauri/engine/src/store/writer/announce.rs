//! Telling listeners what was committed, here and by other processes.

use std::sync::Arc;

use assent_core::run::Event;

use super::{Pending, Writer, data_version};
use crate::store::failure::Failure;
use crate::store::table::{counter, event};

/// No version of the data: the next look reads.
const NEVER: i64 = i64::MIN;

impl Writer {
    /// Tells listeners of a group that is committed, after what others have committed before it; then those who wait.
    pub(super) fn announce(&mut self, first: u64, group: Vec<Pending>) {
        let is_behind = self.announced.is_some_and(|announced| announced + 1 < first);
        // Where what came before cannot be read, what follows waits for the next look: listeners are told of no gap.
        let waits = is_behind && self.announce_stored(first).is_err();
        if waits {
            self.looked = NEVER;
        }
        let mut seq = first;
        self.unindexed = true;
        for pending in group {
            for draft in pending.batch.events {
                if self.announced.is_some() && !waits {
                    let event = Event { seq, place: draft.place, at: draft.at, kind: draft.kind };
                    // Nobody listening any more is no failure.
                    let _ = self.changes.send(Arc::new(event));
                    self.announced = Some(seq);
                }
                seq += 1;
            }
            if let Some(done) = pending.done {
                let _ = done.send(Ok(()));
            }
        }
    }

    /// Tells listeners what other processes have committed.
    pub(super) fn look(&mut self) -> Result<(), Failure> {
        let version = data_version(&self.connection)?;
        if self.announced.is_none() || self.looked == version {
            return Ok(());
        }
        let next = counter::next(&self.connection)?;
        self.announce_stored(next)?;
        self.looked = version;
        Ok(())
    }

    fn announce_stored(&mut self, before: u64) -> Result<(), Failure> {
        let mut names = event::Names::default();
        while let Some(announced) = self.announced.filter(|announced| announced + 1 < before) {
            let rest = "WHERE seq > ?1 AND seq < ?2 ORDER BY seq LIMIT 1000";
            let range = [counter::signed(announced), counter::signed(before)];
            let events = event::read(&self.connection, &mut names, rest, range)?;
            // What a person has removed in the meantime is not told.
            let last = events.last().map_or(before - 1, |event| event.seq);
            for event in events {
                let _ = self.changes.send(Arc::new(event));
            }
            self.announced = Some(last);
        }
        Ok(())
    }
}
