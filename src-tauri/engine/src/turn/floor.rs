//! Who speaks next in a session that several processes have open: one message at a time is worked on.

use assent_core::ids::{RunId, SessionId};

use super::{TurnError, Turns};

/// The right to send the next message of a session. Until it is dropped, nobody who asks for it gets it.
pub struct Floor(#[expect(dead_code, reason = "what counts is how long it is held")] Box<dyn Send>);

impl Turns {
    /// Takes the floor of a session; nothing while somebody works there, or waits to send a message and was first. What
    /// waits for a person is no work: a message may answer it, or turn to something else.
    ///
    /// # Errors
    /// The database or a lock cannot be read.
    pub fn floor(&self, session: &SessionId) -> Result<Option<Floor>, TurnError> {
        // A session's id is no run's: they never stand for one another.
        let Some(held) = self.parts.locks.try_lock(&RunId::from(session.as_str()))? else { return Ok(None) };
        for row in self.unended()?.iter().filter(|row| row.session == *session) {
            if self.parts.locks.is_held(&RunId::from(row.id.as_str()))? {
                return Ok(None);
            }
        }
        for row in self.parts.runs.unended()?.iter().filter(|row| row.session == *session) {
            if self.parts.executor.is_carried_on(&row.id)? {
                return Ok(None);
            }
        }
        Ok(Some(Floor(held)))
    }
}
