//! What a session's events say of its turns.

use assent_core::ids::{RunId, TurnId};
use assent_core::plan::PlanRef;
use assent_core::run::{Content, Event, EventKind, RequestKind};
use serde_json::Value;

use super::before::Words;
use crate::planner::{Said, Speaker};
use crate::prompt::Remark;
use crate::store::{Blobs, Comment, StoreError};

/// What was said before a turn, oldest first: messages, questions and answers.
///
/// # Errors
/// An answer that is kept apart cannot be read.
pub fn said_before(events: &[Event], turn: &TurnId, blobs: &dyn Blobs) -> Result<Vec<Said>, StoreError> {
    let mut said = Vec::new();
    for event in events.iter().filter(|event| event.place.turn.as_ref() != Some(turn)) {
        match &event.kind {
            EventKind::MessageReceived { text, .. } => said.push(Said { by: Speaker::User, text: text.clone() }),
            EventKind::Answered { text } => said.push(Said { by: Speaker::Assistant, text: whole(text, blobs)? }),
            // What a step may do and where it ends is asked of the person, and is no part of what they talk about.
            EventKind::RequestOpened { request }
                if [RequestKind::Question, RequestKind::Help].contains(&request.kind) =>
            {
                said.push(Said { by: Speaker::Assistant, text: request.prompt.clone() });
            }
            _ => {}
        }
    }
    Ok(said)
}

/// What a person said of a plan, as models are told.
pub fn remarks_of(said: impl IntoIterator<Item = Comment>) -> Vec<Remark> {
    said.into_iter().map(|one| Remark { step: one.step.map(|step| step.to_string()), text: one.text }).collect()
}

/// The message of a turn that was interrupted before there was a plan, an answer or an end.
pub fn unplanned<'a>(events: &'a [Event], turn: &TurnId) -> Option<Words<'a>> {
    let mut message = None;
    for event in events.iter().filter(|event| event.place.turn.as_ref() == Some(turn)) {
        match &event.kind {
            EventKind::MessageReceived { text, answers, replans } => {
                message = Some(Words { text, answers: answers.as_ref(), replans: replans.as_ref() });
            }
            EventKind::PlanProposed { .. } | EventKind::RequestAnswered { .. } | EventKind::TurnEnded { .. } => {
                return None;
            }
            _ => {}
        }
    }
    message
}

/// The plan that was approved last in a turn and is to be carried out, where nothing came of it yet.
pub fn to_begin<'a>(events: &'a [Event], turn: &TurnId) -> Option<&'a PlanRef> {
    let last = events.iter().rev().find(|event| event.place.turn.as_ref() == Some(turn))?;
    match &last.kind {
        EventKind::PlanApproved { plan, starts: true, .. } => Some(plan),
        _ => None,
    }
}

/// The run that went on last in a turn, whichever turn began it.
pub fn latest_run<'a>(events: &'a [Event], turn: &TurnId) -> Option<&'a RunId> {
    let of_turn = events.iter().rev().filter(|event| event.place.turn.as_ref() == Some(turn));
    of_turn.filter_map(|event| event.place.run.as_ref()).next()
}

/// The text of a content, wherever it is kept.
///
/// # Errors
/// It is kept apart and cannot be read.
pub fn whole(content: &Content, blobs: &dyn Blobs) -> Result<String, StoreError> {
    let value = match content {
        Content::Inline { inline } => inline.as_ref().clone(),
        Content::Blob { blob, .. } => Content::decode(&blobs.blob(blob)?),
    };
    Ok(match value {
        Value::String(text) => text,
        other => other.to_string(),
    })
}

#[cfg(test)]
mod tests {
    use assent_core::ids::Digest;
    use assent_core::run::{Content, Event, EventKind, Input, InputKind, Place, Request, RequestKind, TurnStatus};

    use super::{Words, said_before, unplanned};
    use crate::planner::{Said, Speaker};
    use crate::store::{Blobs, StoreError};

    struct OneBlob;

    impl Blobs for OneBlob {
        fn blob(&self, _digest: &Digest) -> Result<Vec<u8>, StoreError> {
            Ok(b"\"the long answer\"".to_vec())
        }
    }

    fn event(turn: &str, kind: EventKind) -> Event {
        let place = Place { session: "s".into(), turn: Some(turn.into()), run: None, step: None };
        Event { seq: 0, place, at: 0, kind }
    }

    fn exchange() -> Vec<Event> {
        let preview = "the".into();
        let text = Content::Blob { blob: Digest::of_bytes(b"x"), bytes: 17, preview };
        vec![
            event("t1", EventKind::MessageReceived { text: "q".into(), answers: None, replans: None }),
            event("t1", EventKind::Answered { text }),
            event("t1", EventKind::TurnEnded { status: TurnStatus::Answered, error: None }),
            event("t2", EventKind::MessageReceived { text: "now".into(), answers: None, replans: None }),
        ]
    }

    #[test]
    fn what_was_said_before_holds_whole_answers_and_not_the_turn_itself() {
        let said = said_before(&exchange(), &"t2".into(), &OneBlob).unwrap();
        let expected = [
            Said { by: Speaker::User, text: "q".into() },
            Said { by: Speaker::Assistant, text: "the long answer".into() },
        ];
        assert_eq!(said, expected);
    }

    #[test]
    fn a_turn_without_plan_and_end_was_interrupted_while_it_was_planned() {
        let words = Words { text: "now", answers: None, replans: None };
        assert_eq!(unplanned(&exchange(), &"t2".into()), Some(words));
        assert_eq!(unplanned(&exchange(), &"t1".into()), None);
    }

    #[test]
    fn what_was_asked_about_calls_is_no_part_of_what_was_said() {
        let asked = |kind: RequestKind| {
            let input = Input { kind: InputKind::Text, options: Vec::new(), allow_edit: false, allow_text: false };
            let request = Request::new("r".into(), kind, format!("{kind:?}?"), input);
            event("t1", EventKind::RequestOpened { request: Box::new(request) })
        };
        let kinds = [RequestKind::Permit, RequestKind::Question, RequestKind::Cap, RequestKind::UnknownOutcome];
        let said = said_before(&kinds.map(asked), &"t2".into(), &OneBlob).unwrap();
        assert_eq!(said, [Said { by: Speaker::Assistant, text: "Question?".into() }]);
    }
}
