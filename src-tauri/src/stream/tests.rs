use assent_core::run::{Event, EventKind, Place};

use super::*;
use crate::wire::TextKind;

fn place() -> Place {
    Place { session: "s".into(), turn: None, run: Some("r".into()), step: Some("s1".into()) }
}

fn event(seq: u64) -> Signal {
    Event { seq, place: place(), at: 0, kind: EventKind::RunStarted }.into()
}

fn text(text: &str) -> Signal {
    Signal::Text { place: place(), kind: TextKind::Text, text: text.to_owned() }
}

fn work(active: bool) -> Signal {
    Signal::Work { session: "s".into(), active }
}

#[test]
fn what_comes_together_leaves_together_after_the_window() {
    let mut outbox = Outbox::default();
    assert_eq!(outbox.due(), None);
    outbox.push(event(1), 100);
    outbox.push(text("Two "), 104);
    outbox.push(text("lines"), 120);
    outbox.push(event(2), 124);
    outbox.push(text("."), 124);
    assert_eq!(outbox.due(), Some(125));
    let signals = vec![event(1), text("Two lines"), event(2), text(".")];
    assert_eq!(outbox.packet(), Packet { number: 1, signals });
    assert_eq!(outbox.due(), None);
    outbox.push(event(3), 200);
    assert_eq!((outbox.due(), outbox.packet()), (Some(225), Packet { number: 2, signals: vec![event(3)] }));
}

#[test]
fn pieces_of_one_text_become_one_and_others_stay_apart() {
    let mut outbox = Outbox::default();
    let thought = |text: &str| Signal::Text { place: place(), kind: TextKind::Thought, text: text.to_owned() };
    let planning = |progress| Signal::Planning { place: place(), progress };
    let answer = |text: &str| planning(PlanningSign::Answer { text: text.to_owned() });
    for signal in [text("a"), text("b"), thought("c"), text("d"), answer("e"), answer("f")] {
        outbox.push(signal, 0);
    }
    outbox.push(planning(PlanningSign::Again), 0);
    outbox.push(answer("g"), 0);
    let expected = [text("ab"), thought("c"), text("d"), answer("ef"), planning(PlanningSign::Again), answer("g")];
    assert_eq!(outbox.packet().signals, expected);
}

#[test]
fn what_a_call_puts_out_is_told_as_one_and_of_fetches_the_newest_sign_alone() {
    let mut outbox = Outbox::default();
    let call = |call: &str, text: &str| Signal::Call { place: place(), call: call.into(), text: text.to_owned() };
    let pull = |done| Signal::Pull { model: "local/starter".into(), done, total: 10 };
    for signal in [call("a", "1"), pull(1), call("b", "1"), call("a", "2"), pull(2)] {
        outbox.push(signal, 0);
    }
    assert_eq!(outbox.packet().signals, [call("a", "12"), pull(2), call("b", "1")]);
    // A flood is no reason to tell a page that it has missed something.
    for _ in 0..=4096 {
        outbox.push(call("a", &"x".repeat(1024)), 0);
    }
    let [Signal::Call { text, .. }] = &outbox.packet().signals[..] else { panic!("one call") };
    assert!(text.starts_with('…') && (MOST_OUTPUT / 2..=MOST_OUTPUT).contains(&text.len()), "{}", text.len());
}

#[test]
fn what_a_call_puts_out_after_it_was_told_once_more_is_told_after_that() {
    let mut outbox = Outbox::default();
    let call = |text: &str| Signal::Call { place: place(), call: "a".into(), text: text.to_owned() };
    let again = || Signal::UnderWay { session: "s".into(), pieces: vec![call("wx")] };
    for signal in [call("x"), again(), call("y"), text("b"), call("z")] {
        outbox.push(signal, 0);
    }
    assert_eq!(outbox.packet().signals, [call("x"), again(), call("yz"), text("b")]);
}

#[test]
fn where_events_were_missed_before_they_came_here_the_page_reads_again() {
    let mut outbox = Outbox::default();
    outbox.push(event(3), 0);
    outbox.packet();
    outbox.push(text("a"), 10);
    outbox.push(Signal::Behind { after: 0 }, 10);
    outbox.push(event(5), 10);
    assert_eq!(outbox.packet().signals, [Signal::Behind { after: 3 }]);
}

#[test]
fn a_page_that_stops_reading_is_sent_no_more_and_told_from_where_to_read_again() {
    let mut outbox = Outbox::default();
    for seq in 1..=UNDER_WAY {
        outbox.push(event(seq), seq);
        assert!(outbox.due().is_some());
        outbox.packet();
    }
    for seq in 17..=17 + MOST as u64 {
        outbox.push(event(seq), 50);
        assert_eq!(outbox.due(), None, "nothing leaves while the page does not read");
    }
    outbox.push(work(false), 60);
    outbox.push(event(9999), 60);
    assert!(outbox.pending.len() < 3, "what waits is bounded");
    outbox.taken(4);
    assert_eq!(outbox.due(), Some(50 + WINDOW));
    let packet = outbox.packet();
    assert_eq!(packet, Packet { number: 17, signals: vec![Signal::Behind { after: 16 }, work(false)] });
    outbox.push(event(10_000), 90);
    assert_eq!(outbox.packet().signals, [event(10_000)], "what follows is complete again");
}

#[test]
fn a_text_without_end_is_bounded_too() {
    let mut outbox = Outbox::default();
    outbox.push(event(1), 0);
    outbox.packet();
    for _ in 0..=64 {
        outbox.push(text(&"x".repeat(MOST_TEXT / 64)), 1);
    }
    assert_eq!(outbox.packet().signals, [Signal::Behind { after: 1 }]);
}

#[test]
fn a_page_cannot_take_what_was_not_sent() {
    let mut outbox = Outbox::default();
    outbox.taken(1000);
    for seq in 1..=UNDER_WAY {
        outbox.push(event(seq), 0);
        outbox.packet();
    }
    outbox.push(event(99), 0);
    assert_eq!(outbox.due(), None);
}

/// A pump with its ends.
struct Ends {
    signals: broadcast::Sender<Signal>,
    taken: mpsc::UnboundedSender<u64>,
    packets: mpsc::UnboundedReceiver<Packet>,
    stop: CancellationToken,
}

fn pumping(room: usize) -> Ends {
    let signals = broadcast::Sender::new(room);
    let (taken, numbers) = mpsc::unbounded_channel();
    let (packets_in, packets) = mpsc::unbounded_channel();
    let stop = CancellationToken::new();
    let sources = Sources { signals: signals.subscribe(), taken: numbers };
    tokio::spawn(pump(sources, move |packet| packets_in.send(packet).is_ok(), stop.clone()));
    Ends { signals, taken, packets, stop }
}

#[tokio::test(start_paused = true)]
async fn the_pump_brings_every_event_in_order_and_ends_when_it_is_stopped() {
    let mut ends = pumping(64);
    let mut seen = Vec::new();
    for seq in 1..=100 {
        ends.signals.send(event(seq)).unwrap();
        ends.signals.send(text("x")).unwrap();
        if seq % 10 == 0 {
            let packet = ends.packets.recv().await.unwrap();
            ends.taken.send(packet.number).unwrap();
            let seqs = packet.signals.iter().filter_map(|signal| match signal {
                Signal::Committed { event } => Some(event.seq),
                _ => None,
            });
            seen.extend(seqs);
        }
    }
    assert_eq!(seen, (1..=100).collect::<Vec<u64>>());
    ends.stop.cancel();
    assert_eq!(ends.packets.recv().await, None);
}

#[tokio::test(start_paused = true)]
async fn events_that_came_faster_than_they_could_be_taken_are_told_as_a_gap() {
    let mut ends = pumping(4);
    for seq in 1..=10 {
        ends.signals.send(event(seq)).unwrap();
    }
    let first = ends.packets.recv().await.unwrap();
    assert_eq!(first.signals[0], Signal::Behind { after: 0 });
    ends.signals.send(event(11)).unwrap();
    let next = ends.packets.recv().await.unwrap();
    assert_eq!(next.signals, [event(11)]);
}
