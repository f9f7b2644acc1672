use std::sync::{Arc, Mutex};

use assent_core::run::{Event, Place, RequestKind};
use tokio::sync::{broadcast, mpsc};

use super::*;
use crate::desktop::testing::request;
use crate::wire::ErrorCode;

/// What a follower hears of, and the requests that it finds open.
struct World {
    signals: broadcast::Sender<Signal>,
    ends: broadcast::Sender<TurnEnd>,
    open: Mutex<Vec<RequestRow>>,
    /// So many readings fail.
    failing: Mutex<usize>,
}

impl World {
    fn of(open: Vec<RequestRow>) -> Arc<Self> {
        Arc::new(Self {
            signals: broadcast::Sender::new(2),
            ends: broadcast::Sender::new(2),
            open: Mutex::new(open),
            failing: Mutex::default(),
        })
    }

    /// What a follower says, which begins when the test waits for it.
    fn followed(self: &Arc<Self>) -> mpsc::UnboundedReceiver<News> {
        let (tell, told) = mpsc::unbounded_channel();
        let from = Sources { signals: self.signals.subscribe(), ends: self.ends.subscribe() };
        let world = Arc::clone(self);
        let read = move || std::future::ready(world.read());
        let say = move |news| {
            tell.send(news).unwrap();
            std::future::ready(())
        };
        tokio::spawn(follow(from, read, say));
        told
    }

    fn read(&self) -> Result<Vec<RequestRow>, Failure> {
        let mut failing = self.failing.lock().unwrap();
        match failing.checked_sub(1) {
            Some(left) => {
                *failing = left;
                Err(Failure::new(ErrorCode::Internal, "the disk is away"))
            }
            None => Ok(self.open.lock().unwrap().clone()),
        }
    }

    fn happens(&self, kind: EventKind) {
        let place = Place { session: "s".into(), turn: None, run: None, step: None };
        self.signals.send(Event { seq: 1, place, at: 0, kind }.into()).unwrap();
    }

    fn asks(&self, row: &RequestRow) {
        self.open.lock().unwrap().push(row.clone());
        self.happens(EventKind::RequestOpened { request: Box::new(row.request.clone()) });
    }

    fn settles(&self, row: &RequestRow) {
        self.open.lock().unwrap().retain(|one| one != row);
        let answer = assent_core::run::Answer::Reject { reason: None };
        self.happens(EventKind::RequestAnswered { request: row.request.id.clone(), answer, file: None });
    }
}

fn question(id: &str) -> RequestRow {
    request(id, RequestKind::Question)
}

fn notice(row: &RequestRow) -> Option<News> {
    Some(News::Notice(notify::of_request(row)))
}

fn waiting(count: usize) -> Option<News> {
    Some(News::Waiting(count))
}

/// A world in which nothing waits, and whose follower has said so.
async fn at_rest() -> (Arc<World>, mpsc::UnboundedReceiver<News>) {
    let world = World::of(Vec::new());
    let mut told = world.followed();
    assert_eq!(told.recv().await, waiting(0));
    (world, told)
}

#[tokio::test]
async fn what_waits_since_an_earlier_start_is_counted_and_told_to_nobody() {
    let world = World::of(vec![question("a"), question("b")]);
    let mut told = world.followed();
    assert_eq!(told.recv().await, waiting(2));
    let third = question("c");
    world.asks(&third);
    assert_eq!([told.recv().await, told.recv().await], [notice(&third), waiting(3)]);
}

#[tokio::test]
async fn a_question_is_told_and_counted_and_an_answer_is_counted() {
    let (world, mut told) = at_rest().await;
    let asked = question("a");
    world.asks(&asked);
    assert_eq!([told.recv().await, told.recv().await], [notice(&asked), waiting(1)]);
    world.settles(&asked);
    assert_eq!(told.recv().await, waiting(0));
}

#[tokio::test]
async fn no_question_is_lost_among_more_events_than_are_kept() {
    let (world, mut told) = at_rest().await;
    let asked = question("a");
    world.asks(&asked);
    // The follower is not at it before the test waits: of these two are kept, and the question is not among them.
    for _ in 0..10 {
        world.happens(EventKind::RunStarted);
    }
    assert_eq!([told.recv().await, told.recv().await], [notice(&asked), waiting(1)]);
}

#[tokio::test]
async fn a_session_that_is_deleted_takes_its_questions_along() {
    let world = World::of(vec![question("a")]);
    let mut told = world.followed();
    assert_eq!(told.recv().await, waiting(1));
    world.open.lock().unwrap().clear();
    world.signals.send(Signal::SessionDeleted { session: "s".into() }).unwrap();
    assert_eq!(told.recv().await, waiting(0));
}

#[tokio::test(start_paused = true)]
async fn requests_that_cannot_be_read_are_looked_up_again_though_nothing_more_happens() {
    let (world, mut told) = at_rest().await;
    *world.failing.lock().unwrap() = 2;
    let asked = question("a");
    world.asks(&asked);
    assert_eq!([told.recv().await, told.recv().await], [notice(&asked), waiting(1)]);
}

#[tokio::test]
async fn the_end_of_a_turn_is_told() {
    let (world, mut told) = at_rest().await;
    let end = TurnEnd::Answered { session: "s".into() };
    world.ends.send(end.clone()).unwrap();
    assert_eq!(told.recv().await, notify::of_end(&end).map(News::Notice));
}
