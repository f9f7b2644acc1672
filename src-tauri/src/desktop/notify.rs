//! What the system tells a person who does not look at the window: questions, plans that wait, work that is done.

use assent_core::contract::Risk;
use assent_core::ids::SessionId;
use assent_core::run::RequestKind;
use assent_engine::store::RequestRow;
use assent_engine::turn::TurnEnd;
use tauri::{AppHandle, Manager, Runtime};

use super::{system, window};
use crate::commands::settings::notifies;
use crate::shell::Shell;
use crate::wire::{ErrorCode, Signal};

/// Characters of a question that are shown.
const MOST: usize = 160;

/// Something that a person should know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// What a click on it leads to.
    pub about: About,
    /// In a few words.
    pub title: &'static str,
    /// In a sentence.
    pub body: String,
}

/// What a person is told of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum About {
    /// Something in a session.
    Session(SessionId),
    /// The program as a whole.
    Program,
}

/// What a request is worth to a person who looks elsewhere.
pub fn of_request(row: &RequestRow) -> Notice {
    let request = &row.request;
    let title = match request.kind {
        RequestKind::Confirm | RequestKind::Permit if request.risk == Some(Risk::Destructive) => {
            "Assent asks before it does what cannot be undone"
        }
        RequestKind::Question => "Assent has a question",
        RequestKind::Confirm => "Assent waits for your yes or no",
        RequestKind::Permit => "Assent asks for permission",
        RequestKind::UnknownOutcome => "Assent does not know whether something was done",
        RequestKind::Cap => "Assent asks whether to keep going",
        RequestKind::Help => "Assent needs your help to go on",
    };
    Notice { about: About::Session(row.session.clone()), title, body: shortened(&request.prompt) }
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
    Some(Notice { about: About::Session(session.clone()), title, body: body.to_owned() })
}

/// What else is worth a word to that person: work that broke off, and a model that has come or will not come.
pub fn of_signal(signal: &Signal) -> Option<Notice> {
    let (about, title, body) = match signal {
        Signal::Trouble { session, failure } => {
            (About::Session(session.clone()), "Assent could not go on", shortened(&failure.message))
        }
        Signal::PullEnded { model, failure: None } => {
            (About::Program, "A model is there", format!("{model} can be used now."))
        }
        // Who stopped it knows it.
        Signal::PullEnded { failure: Some(failure), .. } if failure.code != ErrorCode::Cancelled => {
            (About::Program, "A model could not be fetched", shortened(&failure.message))
        }
        _ => return None,
    };
    Some(Notice { about, title, body })
}

/// Tells a person who looks elsewhere, unless they do not want to be told.
pub async fn tell<R: Runtime>(app: &AppHandle<R>, notice: Notice) {
    if !window::is_in_front(app) {
        tell_in_any_case(app, notice).await;
    }
}

/// Tells a person who has closed the window that the work goes on, and where the window is.
pub async fn tell_of_going_on<R: Runtime>(app: &AppHandle<R>, has_tray: bool) {
    // It may be a model that is fetched, which is no session's.
    let about = app.state::<Shell>().work().active().into_iter().next().map_or(About::Program, About::Session);
    let body = if has_tray {
        "Its sign in the tray brings the window back. What closing does can be set under Settings."
    } else {
        "The window is only minimised, as this desktop has no tray. Close it again once the work is done."
    };
    tell_in_any_case(app, Notice { about, title: "Assent goes on working", body: body.to_owned() }).await;
}

async fn tell_in_any_case<R: Runtime>(app: &AppHandle<R>, notice: Notice) {
    if app.state::<Shell>().ask(|engine| Ok(notifies(engine))).await.unwrap_or(true) {
        system::tell(app, notice);
    }
}

/// Leads a person who clicked a notification to what it is about.
pub fn lead_to<R: Runtime>(app: &AppHandle<R>, about: About) {
    window::show(app);
    if let About::Session(session) = about {
        app.state::<Shell>().signals().tell(Signal::Show { session });
    }
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
    use super::*;
    use crate::desktop::testing::request;
    use crate::wire::Failure;

    #[test]
    fn a_question_is_told_in_its_own_words_on_one_short_line() {
        let asked = |prompt: &str| {
            let mut row = request("q", RequestKind::Question);
            row.request.prompt = prompt.to_owned();
            of_request(&row)
        };
        let about = || About::Session("s".into());
        let notice = |body: String| Notice { about: about(), title: "Assent has a question", body };
        assert_eq!(asked("Which\n city?"), notice("Which city?".into()));
        assert_eq!(asked(&"ä".repeat(500)), notice(format!("{}…", "ä".repeat(159))));
    }

    #[test]
    fn the_title_says_what_kind_of_word_is_wanted_and_warns_of_what_cannot_be_undone() {
        let title = |kind, risk| {
            let mut row = request("q", kind);
            row.request.risk = risk;
            of_request(&row).title
        };
        let undoable = "Assent asks before it does what cannot be undone";
        for kind in [RequestKind::Permit, RequestKind::Confirm] {
            assert_eq!(title(kind, Some(Risk::Destructive)), undoable);
        }
        assert_eq!(title(RequestKind::Permit, Some(Risk::Execute)), "Assent asks for permission");
        assert_eq!(title(RequestKind::Confirm, Some(Risk::Write)), "Assent waits for your yes or no");
        // A call that can have done harm is not one that is about to do it.
        let unknown = title(RequestKind::UnknownOutcome, Some(Risk::Destructive));
        assert_eq!(unknown, "Assent does not know whether something was done");
        let all = [RequestKind::Cap, RequestKind::Help, RequestKind::Question].map(|kind| title(kind, None));
        let expected =
            ["Assent asks whether to keep going", "Assent needs your help to go on", "Assent has a question"];
        assert_eq!(all, expected);
    }

    #[test]
    fn work_that_breaks_off_and_the_end_of_a_fetch_are_told_unless_a_person_stopped_it() {
        let told = |signal: Signal| of_signal(&signal).map(|notice| (notice.about, notice.title, notice.body));
        let failure = |code| Failure::new(code, "no room\nleft");
        let trouble = Signal::Trouble { session: "s".into(), failure: failure(ErrorCode::DiskFull) };
        let about = About::Session("s".into());
        assert_eq!(told(trouble), Some((about, "Assent could not go on", "no room left".to_owned())));
        let ended = |failure| Signal::PullEnded { model: "local/starter".to_owned(), failure };
        let there = "local/starter can be used now.".to_owned();
        assert_eq!(told(ended(None)), Some((About::Program, "A model is there", there)));
        let failed = told(ended(Some(failure(ErrorCode::Pull))));
        assert_eq!(failed, Some((About::Program, "A model could not be fetched", "no room left".to_owned())));
        assert_eq!(told(ended(Some(failure(ErrorCode::Cancelled)))), None);
        assert_eq!(told(Signal::Work { session: "s".into(), active: false }), None);
    }

    #[test]
    fn the_end_of_a_turn_is_told_unless_the_person_knows_it() {
        let title = |end: TurnEnd| of_end(&end).map(|notice| notice.title);
        assert_eq!(title(TurnEnd::Answered { session: "s".into() }), Some("Assent is done"));
        assert_eq!(title(TurnEnd::Failed { session: "s".into() }), Some("Assent could not finish"));
        assert_eq!(title(TurnEnd::Cancelled { session: "s".into() }), None);
        assert_eq!(title(TurnEnd::Waiting { session: "s".into(), run: "r".into() }), None);
    }
}
