//! One line at the bottom of a terminal that says what is going on, and is gone when it is over.
//!
//! Whoever writes to the terminal takes the line away before and puts it back after, so that it never stands in the
//! middle of anything else. Without a terminal there is no line.

use std::io::{self, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};

use assent_core::ids::StepId;
use assent_core::plan::{Plan, StepType};
use assent_core::run::{Event, EventKind};
use assent_engine::Engine;
use assent_engine::live::Sign;
use assent_engine::model::local::Loading;
use assent_engine::planner::PlanningProgress;

use crate::terminal::{Terminal, clip};

/// Goes to the beginning of the line and empties it.
const ERASE: &str = "\r\u{1b}[2K";

/// What the line says while somebody works; `None` while nobody does.
static LINE: Mutex<Option<Line>> = Mutex::new(None);

#[derive(Default)]
struct Line {
    text: String,
    shown: bool,
    width: usize,
    /// Whether a plan is being made, so that signs of that are not late.
    planning: bool,
}

/// Somebody works, until this is dropped.
pub struct Working(());

impl Drop for Working {
    fn drop(&mut self) {
        take_away();
        *line() = None;
    }
}

/// Lets the line be there, on a terminal.
pub fn begin(terminal: &Terminal) -> Option<Working> {
    if !terminal.live {
        return None;
    }
    *line() = Some(Line { width: terminal.width - 1, ..Line::default() });
    Some(Working(()))
}

/// Takes the line away before something else is written.
pub fn take_away() {
    if let Some(line) = line().as_mut().filter(|line| line.shown) {
        line.shown = false;
        write(ERASE);
    }
}

/// Puts the line back.
pub fn put_back() {
    if let Some(line) = line().as_mut().filter(|line| !line.shown && !line.text.is_empty()) {
        line.shown = true;
        write(&clip(&line.text, line.width));
    }
}

fn say(text: &str) {
    if let Some(line) = line().as_mut().filter(|line| line.text != text) {
        line.text = text.to_owned();
    } else {
        return;
    }
    take_away();
    put_back();
}

/// Follows the events of the work. `plan` is what is being carried out, as far as it is known.
pub fn follow(engine: &Engine, event: &Event, plan: &mut Option<Plan>) {
    if line().is_none() {
        return;
    }
    if let Some(line) = line().as_mut() {
        line.planning = matches!(event.kind, EventKind::MessageReceived { .. } | EventKind::SessionRenamed { .. });
    }
    let step = event.place.step.as_ref();
    match &event.kind {
        EventKind::MessageReceived { .. } => say("planning…"),
        EventKind::RunQueued { plan: queued } => {
            *plan = engine.plans().get(queued.id.as_str(), Some(queued.version)).ok();
        }
        EventKind::RunStarted if plan.is_none() => {
            let of_session = engine.plans().list(Some(&event.place.session));
            *plan = of_session.ok().and_then(|plans| plans.into_iter().next());
        }
        EventKind::StepStarted { .. } => say(&at_step(plan.as_ref(), step, None)),
        EventKind::CallStarted { tool, .. } => say(&at_step(plan.as_ref(), step, Some(tool))),
        EventKind::CallEnded { .. } => say(&at_step(plan.as_ref(), step, Some("thinking"))),
        EventKind::RequestOpened { .. }
        | EventKind::PlanProposed { .. }
        | EventKind::RunEnded { .. }
        | EventKind::TurnEnded { .. } => say(""),
        _ => {}
    }
}

/// Follows the signs of life; those that come after the event that ends what they tell of change nothing.
pub fn sign(sign: &Sign) {
    let planning = line().as_ref().is_some_and(|line| line.planning);
    match sign {
        Sign::Planning(_, PlanningProgress::Step { index, .. }) if planning => {
            say(&format!(
                "planning… {}",
                if *index == 0 { "1 step".to_owned() } else { format!("{} steps", index + 1) }
            ));
        }
        Sign::Planning(_, PlanningProgress::Answer(_)) if planning => say("answering…"),
        Sign::Planning(_, PlanningProgress::Again) if planning => say("planning once more…"),
        Sign::Writing(place, _) if place.step.is_none() && !planning => say("writing the answer…"),
        Sign::Loading(Loading::Starting) => say("starting the model…"),
        Sign::Loading(Loading::Loading(time)) => say(&format!("loading the model… {} s", time.as_secs())),
        Sign::Loading(Loading::Ready(_) | Loading::Ended) if planning => say("planning…"),
        _ => {}
    }
}

/// `step 2 of 3: grep`.
fn at_step(plan: Option<&Plan>, id: Option<&StepId>, doing: Option<&str>) -> String {
    let id = id.map(StepId::as_str).unwrap_or_default();
    let steps = plan.map(|plan| plan.steps.as_slice()).unwrap_or_default();
    let at = steps.iter().position(|step| step.id.as_str() == id);
    let place = match at {
        Some(at) => format!("step {} of {}", at + 1, steps.len()),
        None => format!("step {id}"),
    };
    let meant = at.map(|at| &steps[at]).and_then(|step| match step.effective_type() {
        StepType::Tool => step.required_tools.first().map(String::as_str),
        StepType::Reasoning => Some("thinking"),
    });
    match doing.or(meant) {
        Some(doing) => format!("{place}: {doing}"),
        None => place,
    }
}

fn line() -> MutexGuard<'static, Option<Line>> {
    LINE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn write(text: &str) {
    let mut out = io::stderr().lock();
    // Nobody is left to see it when standard error is closed.
    let _closed = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

#[cfg(test)]
mod tests {
    use assent_core::plan::import;

    use super::at_step;

    #[test]
    fn a_step_is_named_by_its_place_and_by_what_it_does() {
        let plan = import(
            r#"{"format": "assent.plan/1", "steps": [{"id": "s1", "description": "x", "requiredTools": ["grep"]},
                {"id": "s2", "description": "y", "stepType": "reasoning"}]}"#,
        )
        .unwrap();
        let said = |id: &str, doing| at_step(Some(&plan), Some(&id.into()), doing);
        assert_eq!(said("s1", None), "step 1 of 2: grep");
        assert_eq!(said("s1", Some("read")), "step 1 of 2: read");
        assert_eq!(said("s2", None), "step 2 of 2: thinking");
        assert_eq!(at_step(None, Some(&"s2".into()), None), "step s2");
    }
}
