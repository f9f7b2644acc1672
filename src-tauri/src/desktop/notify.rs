//! What the system tells a person who does not look at the window: questions, plans that wait, work that is done.

use assent_core::ids::SessionId;
use assent_core::run::{Event, EventKind};
use assent_engine::turn::TurnEnd;
use tauri::{AppHandle, Manager, Runtime};
use tauri_plugin_notification::{ActionPerformed, NotificationExt};
use tokio::sync::broadcast::error::RecvError;

use super::window;
use crate::commands::settings::notifies;
use crate::shell::Shell;
use crate::wire::Signal;

/// Characters of a question that are shown.
const MOST: usize = 160;
/// Under which name a notification carries its session.
const SESSION: &str = "session";

/// Something that a person should know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// Where.
    pub session: SessionId,
    /// In a few words.
    pub title: &'static str,
    /// In a sentence.
    pub body: String,
}

/// What an event is worth to a person who looks elsewhere.
pub fn of_event(event: &Event) -> Option<Notice> {
    match &event.kind {
        EventKind::RequestOpened { request } => Some(Notice {
            session: event.place.session.clone(),
            title: "Assent has a question",
            body: shortened(&request.prompt),
        }),
        _ => None,
    }
}

/// What the end of a turn is worth to that person.
pub fn of_end(end: &TurnEnd) -> Option<Notice> {
    let (session, title, body) = match end {
        TurnEnd::AwaitingApproval { session, .. } => (session, "A plan waits for you", "Look at it and approve it."),
        TurnEnd::Answered { session } => (session, "Assent is done", "The answer is there."),
        TurnEnd::Failed { session } => (session, "Assent could not finish", "See what went wrong."),
        // The question itself was told; and who stops something knows it.
        TurnEnd::Waiting { .. } | TurnEnd::Cancelled { .. } => return None,
    };
    Some(Notice { session: session.clone(), title, body: body.to_owned() })
}

/// Begins to tell.
pub fn begin<R: Runtime>(app: &AppHandle<R>) {
    let shell = app.state::<Shell>();
    let Ok(opened) = shell.opened() else { return };
    let (mut events, mut ends) = (opened.engine.changes(), shell.work().ends());
    show_when_clicked(app);
    let app = app.clone();
    tauri::async_runtime::spawn(async move {
        loop {
            let notice = tokio::select! {
                event = events.recv() => match event {
                    Ok(event) => of_event(&event),
                    Err(RecvError::Lagged(_)) => None,
                    Err(RecvError::Closed) => return,
                },
                end = ends.recv() => match end {
                    Ok(end) => of_end(&end),
                    Err(RecvError::Lagged(_)) => None,
                    Err(RecvError::Closed) => return,
                },
            };
            if let Some(notice) = notice
                && !window::is_in_front(&app)
                && app.state::<Shell>().ask(|engine| Ok(notifies(engine))).await.unwrap_or(true)
            {
                tell(&app, notice);
            }
        }
    });
}

fn tell<R: Runtime>(app: &AppHandle<R>, notice: Notice) {
    let Notice { session, title, body } = notice;
    let shown = app.notification().builder().title(title).body(body).extra(SESSION, session).show();
    if let Err(error) = shown {
        tracing::warn!("nobody could be told: {error}");
    }
}

fn show_when_clicked<R: Runtime>(app: &AppHandle<R>) {
    let clicked = app.clone();
    let told = app.notification().on_action(move |performed| {
        window::show(&clicked);
        if let Some(session) = session_of(performed) {
            clicked.state::<Shell>().tell(Signal::Show { session });
        }
    });
    if let Err(error) = told {
        tracing::warn!("clicks on notifications are not told: {error}");
    }
}

/// The session that a notification was about: its own, not that of the latest one.
fn session_of(performed: &ActionPerformed) -> Option<SessionId> {
    performed.notification()?.extra().get(SESSION)?.as_str().map(SessionId::from)
}

fn shortened(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= MOST {
        return line;
    }
    let cut: String = line.chars().take(MOST - 1).collect();
    format!("{cut}…")
}

#[cfg(test)]
mod tests {
    use assent_core::run::{Input, InputKind, Place, Request, RequestKind};
    use serde_json::json;

    use super::*;

    fn event(kind: EventKind) -> Event {
        let place = Place { session: "s".into(), turn: None, run: None, step: None };
        Event { seq: 1, place, at: 0, kind }
    }

    fn question(prompt: &str) -> Request {
        Request {
            id: "q".into(),
            kind: RequestKind::Question,
            path: Vec::new(),
            call: None,
            asked_by: String::new(),
            prompt: prompt.to_owned(),
            reason: None,
            step_index: None,
            step_total: None,
            input: Input { kind: InputKind::Text, options: Vec::new(), allow_edit: false, allow_text: true },
            tool: None,
            arguments: None,
            risk: None,
            reaches: Vec::new(),
        }
    }

    #[test]
    fn a_question_is_told_in_its_own_words_on_one_short_line() {
        let asked = |prompt: &str| of_event(&event(EventKind::RequestOpened { request: Box::new(question(prompt)) }));
        let notice = |body: String| Some(Notice { session: "s".into(), title: "Assent has a question", body });
        assert_eq!(asked("Which\n city?"), notice("Which city?".into()));
        assert_eq!(asked(&"ä".repeat(500)), notice(format!("{}…", "ä".repeat(159))));
        assert_eq!(of_event(&event(EventKind::RunStarted)), None);
    }

    #[test]
    fn the_end_of_a_turn_is_told_unless_the_person_knows_it() {
        let title = |end: TurnEnd| of_end(&end).map(|notice| notice.title);
        assert_eq!(title(TurnEnd::Answered { session: "s".into() }), Some("Assent is done"));
        assert_eq!(title(TurnEnd::Failed { session: "s".into() }), Some("Assent could not finish"));
        assert_eq!(title(TurnEnd::Cancelled { session: "s".into() }), None);
        assert_eq!(title(TurnEnd::Waiting { session: "s".into(), run: "r".into() }), None);
    }

    #[test]
    fn a_click_leads_to_the_session_that_its_own_notification_was_about() {
        let clicked = |notification: serde_json::Value| {
            let performed = json!({"actionId": "tap", "inputValue": null, "notification": notification});
            session_of(&serde_json::from_value(performed).unwrap())
        };
        assert_eq!(clicked(json!({"id": 1, "extra": {"session": "first"}})), Some("first".into()));
        assert_eq!(clicked(json!({"id": 2, "extra": {"session": "second"}})), Some("second".into()));
        assert_eq!(clicked(json!({"id": 3, "extra": {}})), None);
        assert_eq!(clicked(json!("something else")), None);
    }
}
