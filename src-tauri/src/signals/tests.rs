use assent_core::run::{Content, Purpose, TurnStatus};

use super::*;

fn turn() -> Place {
    Place { session: "s".into(), turn: Some("t".into()), run: None, step: None }
}

fn step(id: &str) -> Place {
    Place { run: Some("r".into()), step: Some(id.into()), ..turn() }
}

fn text(at: Place, text: &str) -> Signal {
    Signal::Text { place: at, kind: TextKind::Text, text: text.to_owned() }
}

fn thought(at: Place, text: &str) -> Signal {
    Signal::Text { place: at, kind: TextKind::Thought, text: text.to_owned() }
}

fn planning(progress: PlanningSign) -> Signal {
    Signal::Planning { place: turn(), progress }
}

fn planned(index: usize, description: &str) -> Signal {
    planning(PlanningSign::Step { index, description: description.to_owned(), tool: None })
}

fn call(text: &str) -> Signal {
    Signal::Call { place: step("s1"), call: "c".into(), text: text.to_owned() }
}

fn event(place: Place, kind: EventKind) -> Event {
    Event { seq: 1, place, at: 0, kind }
}

/// What is told of the session once more after all this was told.
fn retold(signals: &Signals) -> Vec<Signal> {
    let mut told = signals.subscribe();
    signals.retell(&"s".into());
    match told.try_recv() {
        Ok(Signal::UnderWay { session, pieces }) if session == "s".into() => pieces,
        other => panic!("{other:?}"),
    }
}

fn work(active: bool) -> Signal {
    Signal::Work { session: "s".into(), active }
}

/// Where something goes on, and all this was told.
fn told(all: impl IntoIterator<Item = Signal>) -> Signals {
    let signals = Signals::new(64);
    signals.tell(work(true));
    all.into_iter().for_each(|signal| signals.tell(signal));
    signals
}

#[test]
fn what_is_being_written_is_told_once_more_from_its_beginning_whoever_writes_beside_it() {
    let elsewhere = Place { session: "other".into(), ..turn() };
    let all = [
        planning(PlanningSign::Title { text: "Count".into() }),
        planned(0, "Sea"),
        planned(0, "Search"),
        planned(1, "Write"),
        text(step("s1"), "Two "),
        text(step("s2"), "Ber"),
        text(elsewhere, "Nobody asked for this"),
        thought(step("s1"), "hm"),
        text(step("s2"), "lin"),
        text(step("s1"), "lines"),
        Signal::Text { place: step("s1"), kind: TextKind::Structure, text: "{".into() },
        call("1 of 7\n"),
        call("2 of 7\n"),
    ];
    let expected = [
        planning(PlanningSign::Title { text: "Count".into() }),
        planned(0, "Search"),
        planned(1, "Write"),
        text(step("s1"), "Two "),
        text(step("s2"), "Berlin"),
        thought(step("s1"), "hm"),
        text(step("s1"), "lines"),
        call("1 of 7\n2 of 7\n"),
    ];
    assert_eq!(retold(&told(all)), expected);
    assert_eq!(retold(&told([])), []);
}

#[test]
fn what_comes_after_it_was_told_once_more_is_told_after_it() {
    let signals = told([text(step("s1"), "Two ")]);
    let mut page = signals.subscribe();
    signals.tell(text(step("s1"), "lines"));
    signals.retell(&"s".into());
    signals.tell(text(step("s1"), "."));
    let under_way = Signal::UnderWay { session: "s".into(), pieces: vec![text(step("s1"), "Two lines")] };
    let heard: Vec<Signal> = std::iter::from_fn(|| page.try_recv().ok()).collect();
    assert_eq!(heard, [text(step("s1"), "lines"), under_way, text(step("s1"), ".")]);
}

#[test]
fn what_has_ended_or_is_void_is_not_told_once_more() {
    let all = || told([planned(0, "Search"), text(turn(), "An answer"), text(step("s1"), "Two"), call("1 of 7")]);
    let after = |kind: EventKind, at: Place| {
        let signals = all();
        signals.committed(Arc::new(event(at, kind)));
        retold(&signals)
    };
    let failed = EventKind::ModelFailed {
        purpose: Purpose::Step,
        model: "scripted".into(),
        error: "offline".into(),
        retrying: false,
    };
    assert_eq!(after(failed, step("s1")), [planned(0, "Search"), text(turn(), "An answer"), call("1 of 7")]);
    let answered = EventKind::Answered { text: Content::inline(serde_json::json!("An answer")) };
    // The answer of a run is told with it.
    let of_run = Place { run: Some("r".into()), ..turn() };
    assert_eq!(after(answered, of_run), [planned(0, "Search"), text(step("s1"), "Two"), call("1 of 7")]);
    let ended = EventKind::TurnEnded { status: TurnStatus::Cancelled, error: None };
    assert_eq!(after(ended, turn()), [text(step("s1"), "Two"), call("1 of 7")]);
    assert_eq!(after(EventKind::RunStarted, step("s1")).len(), 4);

    let signals = all();
    signals.tell(Signal::Again { place: step("s1"), reason: "the connection broke".into() });
    signals.tell(planning(PlanningSign::Again));
    assert_eq!(retold(&signals), [text(turn(), "An answer"), call("1 of 7")]);
    signals.tell(work(false));
    assert_eq!(retold(&signals), []);
    // What comes too late belongs to nothing any more.
    signals.tell(planned(1, "Write"));
    assert_eq!(retold(&signals), []);
    let signals = all();
    signals.missed();
    assert_eq!(retold(&signals), []);
}

#[test]
fn of_a_text_without_end_the_end_is_kept() {
    let signals = told([]);
    for _ in 0..40 {
        signals.tell(text(step("s1"), &"ä".repeat(MOST / 64)));
    }
    signals.tell(text(step("s1"), "the end"));
    let [Signal::Text { text, .. }] = &retold(&signals)[..] else { panic!("one text") };
    assert!(text.len() <= MOST && text.starts_with('…') && text.ends_with("äthe end"), "{}", text.len());
}
