//! Whatever is appended, in whatever batches and across restarts, the rows are those that the events fold to.

use assent_core::ids::{SessionId, StepId};
use assent_core::plan::Step;
use assent_core::run::{RequestKind, RunState};
use proptest::prelude::*;

use super::*;
use crate::store::{ListFilter, Plans as _, Runs as _, Sessions as _};

const TABLES: [&str; 7] = [
    "SELECT * FROM session ORDER BY key",
    "SELECT * FROM turn ORDER BY key",
    "SELECT * FROM run ORDER BY key",
    "SELECT * FROM step ORDER BY run, number",
    "SELECT * FROM request ORDER BY key",
    "SELECT * FROM plan_version ORDER BY key",
    "SELECT * FROM event ORDER BY seq",
];

fn dump(folder: &Folder) -> Vec<String> {
    let connection = rusqlite::Connection::open(folder.home.database()).unwrap();
    let mut lines = Vec::new();
    for sql in TABLES {
        let mut statement = connection.prepare(sql).unwrap();
        let columns = statement.column_count();
        let mut rows = statement.query([]).unwrap();
        while let Some(row) = rows.next().unwrap() {
            let values: Vec<String> = (0..columns).map(|at| format!("{:?}", row.get_ref(at).unwrap())).collect();
            lines.push(values.join("|"));
        }
    }
    lines
}

/// A part of a step that was handed on.
fn part(step: usize, number: usize) -> StepId {
    StepId::new(format!("s{step}/{}", number % 3))
}

/// What may happen next, lawful or not.
fn happens(choice: u8, session: &str, step: usize, number: usize) -> (Place, EventKind) {
    let run = format!("r-{session}");
    let at = in_run(session, &run, Some(step));
    let call = format!("call-{session}-{}", number % 5);
    let request = format!("q-{session}-{}", number % 3);
    match choice {
        0 => (place(session), EventKind::SessionRenamed { title: format!("Title {number}") }),
        1 => (place(session), EventKind::SessionArchived { archived: number.is_multiple_of(2) }),
        2 => (in_run(session, &run, None), turn_ended()),
        3 | 4 => (at, step_started(u32::try_from(number % 3).unwrap() + 1)),
        5 => (at, replied(&call)),
        6 => (at, call_started(&call)),
        7 => (at, call_ended(&call, Content::inline("ok"))),
        8 | 9 => (at, step_ended(if number.is_multiple_of(4) { StepStatus::Failed } else { StepStatus::Completed })),
        10 => (at, asked(&request, RequestKind::Question)),
        11 | 12 => (at, said(&request, "yes")),
        13 => (at, EventKind::StepReset { stale: Vec::new() }),
        14 => (in_run(session, &run, None), run_ended(RunStatus::Cancelled)),
        15 => (in_run(session, &run, None), run_ended(RunStatus::Completed)),
        18 => {
            let steps =
                vec![Step::new(part(step, number), "do a part"), Step::new(part(step, number + 2), "and another")];
            (
                at,
                EventKind::StepDelegated {
                    summary: "In parts.".to_owned(),
                    steps,
                    by: None,
                    call: None,
                    prompt: None,
                    does: None,
                },
            )
        }
        19 => (Place { step: Some(part(step, number)), ..at }, step_started(1)),
        20 => (Place { step: Some(part(step, number)), ..at }, step_ended(StepStatus::Completed)),
        16 => (place(&format!("{session}-unknown")), message("lost")),
        _ => (place(session), message(&format!("Message {number}"))),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]
    #[test]
    fn rows_are_what_the_events_fold_to(
        choices in prop::collection::vec((0_u8..21, 0_usize..2, 0_usize..3, 0_usize..20, 0_u8..8), 1..120)
    ) {
        let folder = Folder::new();
        let mut store = folder.open();
        let mut beside = folder.open();
        for session in ["c", "d"] {
            started(&store, session, &format!("r-{session}"), 3);
        }
        for (number, (choice, session, step, detail, how)) in choices.into_iter().enumerate() {
            let (place, kind) = happens(choice, ["c", "d"][session], step, detail);
            let batch = events(vec![draft(place, 100 + 400 * number as i64, kind)]);
            match how {
                // Two writers on one file take turns; their memory has to follow.
                0 => drop(append(&beside, batch)),
                1 => {
                    drop(store);
                    store = folder.open();
                    drop(append(&store, batch));
                }
                2 => drop(append(&store, batch)),
                3 => std::mem::swap(&mut store, &mut beside),
                _ => {
                    block_on(store.append(batch, Durability::Queued)).unwrap();
                    if detail > 10 {
                        block_on(store.append(Batch::default(), Durability::Committed)).unwrap();
                    }
                }
            }
        }
        block_on(store.append(Batch::default(), Durability::Committed)).unwrap();
        block_on(beside.append(Batch::default(), Durability::Committed)).unwrap();

        // One writer that gets everything at once comes to the same rows.
        let mut all: Vec<_> = ["c", "d"]
            .iter()
            .flat_map(|session| store.session_events(&SessionId::from(*session), 0).unwrap())
            .collect();
        all.sort_by_key(|event| event.seq);
        let fresh = Folder::new();
        let drafts = all.into_iter().map(|event| draft(event.place, event.at, event.kind)).collect();
        let plans = store.plans(None).unwrap();
        append(&fresh.open(), Batch { plans, ..events(drafts) }).unwrap();
        for row in store.sessions(&ListFilter { archived: true, ..ListFilter::default() }).unwrap() {
            let run = &store.runs_of(&row.id).unwrap()[0];
            let mut state = RunState::new(run.id.clone(), &store.plan(run.plan.id.as_str(), None).unwrap());
            for event in store.run_events(&run.id).unwrap() {
                state.apply(&event.place, event.at, &event.kind).unwrap();
            }
            prop_assert_eq!(run.status, state.status());
            prop_assert_eq!((row.run, row.run_status), (Some(run.id.clone()), Some(state.status())));
            prop_assert_eq!(row.open_requests as usize, state.open_requests().count());
            prop_assert_eq!(run.completed as usize, state.count(StepStatus::Completed));
        }
        drop((store, beside));
        prop_assert_eq!(dump(&folder), dump(&fresh));
    }
}
