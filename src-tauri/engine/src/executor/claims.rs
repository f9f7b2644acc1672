//! What a text says was done, held against the ledger.
//!
//! A model that says "I have saved the table to out.md" and has called nothing is believed by nobody else: its step is
//! marked. Only plain reports in English are recognised (`report`); what is not recognised is not marked, and nothing is
//! ever refused for its words.

mod report;

use assent_core::contract::Risk;
use assent_core::run::{CallState, RunState, StepState};

use super::aim::has_name;
use super::carrier::Carrier;
use super::touched::touched_since;
use crate::tool::Changed;
use crate::tool::workspace::{Workspace, is_made_by_tools};
use report::{Kind, Report, reports};

/// A report of an effect that no call stands behind.
pub(super) struct Unproven {
    kind: Kind,
    /// What of it is told, as part of a sentence.
    pub(super) why: String,
}

impl Unproven {
    /// Whether a call of this risk could have done what is reported.
    pub(super) fn is_within(&self, risk: Risk) -> bool {
        proves(risk, self.kind)
    }
}

/// A call that has done its work.
struct Deed {
    risk: Option<Risk>,
    /// The files that it was to write, where its arguments tell.
    written: Vec<String>,
    /// The command that it ran.
    command: Option<String>,
    /// When it began, in milliseconds.
    began: Option<i64>,
    /// What it has really changed, where somebody has looked.
    changed: Option<Changed>,
}

impl Deed {
    /// Whether it can have done what is reported: where all that it changed is known, that is what counts; a call that
    /// writes, and tells what, is no other file's. A command that may have changed something elsewhere may have done what
    /// names no file, or a file that it names itself; of one that nobody has looked after, a file tells that lies there
    /// as it was before.
    fn stands_behind(&self, report: &Report<'_>, workspace: Option<&Workspace>) -> bool {
        let Some(risk) = self.risk else { return true };
        let files = report.files();
        let is_among = |paths: &[String]| paths.iter().any(|path| files.iter().any(|file| is_same_file(path, file)));
        if let Some(changed) = &self.changed {
            return match report.kind {
                Kind::Sent => changed.reaches_out,
                Kind::Changed => changed.reaches_out || !changed.is_all || !changed.paths.is_empty(),
                Kind::ChangedFile if files.is_empty() => !changed.is_all || !changed.paths.is_empty(),
                Kind::ChangedFile => {
                    let is_elsewhere = |file: &String| is_unseen(file) || (!changed.is_all && self.says(file));
                    is_among(&changed.paths) || files.iter().any(is_elsewhere)
                }
            };
        }
        if self.command.is_some() && !files.is_empty() && files.iter().all(|file| self.left_alone(file, workspace)) {
            return false;
        }
        let elsewhere = !files.is_empty() && !self.written.is_empty() && !is_among(&self.written);
        proves(risk, report.kind) && !(risk == Risk::Write && elsewhere)
    }

    /// Whether its command names a file.
    fn says(&self, file: &str) -> bool {
        let name = file.rsplit(['/', '\\']).next().unwrap_or_default();
        self.command.as_deref().is_some_and(|command| has_name(&command.to_lowercase(), &name.to_lowercase()))
    }

    /// Whether a file is there, and as it was when the call began.
    fn left_alone(&self, file: &str, workspace: Option<&Workspace>) -> bool {
        let since = self.began.zip(workspace);
        since.is_some_and(|(began, workspace)| touched_since(workspace, file, began) == Some(false))
    }
}

/// Why a text of a step is marked: it reports an effect, and no call of what the step can know of has had one like it.
pub(super) fn unproven(carrier: &Carrier, state: &RunState, at: usize, text: &str) -> Option<Unproven> {
    unproven_by(carrier, state, || behind(state, at), text)
}

/// Why the answer of a run is marked: it reports an effect, and no call of the run has had one like it.
pub(super) fn unproven_answer(carrier: &Carrier, state: &RunState, text: &str) -> Option<Unproven> {
    unproven_by(carrier, state, || vec![true; state.steps().len()], text)
}

/// `known` says of each step whether the text may report its work. Most texts report nothing, and it is not asked.
fn unproven_by(carrier: &Carrier, state: &RunState, known: impl FnOnce() -> Vec<bool>, text: &str) -> Option<Unproven> {
    let mut reports = reports(text).peekable();
    reports.peek()?;
    // What cannot be looked at may have done anything.
    let deeds = deeds(carrier, state, known())?;
    let workspace = Workspace::at(&carrier.job.workspace, &carrier.parts.hidden).ok();
    let report = reports.find(|report| !deeds.iter().any(|deed| deed.stands_behind(report, workspace.as_ref())))?;
    let Report { sentence, kind } = report;
    Some(Unproven { kind, why: format!("it says \"{sentence}\", and no call stands behind that") })
}

/// What the calls of these steps have done, those of an earlier run too from which a step was taken over; `None` where
/// that cannot be read any more.
fn deeds(carrier: &Carrier, state: &RunState, known: Vec<bool>) -> Option<Vec<Deed>> {
    let mut earlier = state.taken_over(|at| known[at]);
    // Some other step of this run has done the work of one that was taken over from the run itself.
    let known = if earlier.remove(state.run()).is_some() { vec![true; known.len()] } else { known };
    let mut deeds = done_by(carrier, state, &known)?;
    for (run, steps) in earlier {
        let earlier = carrier.parts.state_of(&carrier.parts.runs.run(run).ok()?).ok()?;
        let begun = steps.into_iter().map(|step| earlier.index_of(step)).collect::<Option<Vec<usize>>>()?;
        let known = reached(&earlier, begun, |step| step.children().to_vec());
        deeds.extend(done_by(carrier, &earlier, &known)?);
    }
    Some(deeds)
}

fn done_by(carrier: &Carrier, state: &RunState, known: &[bool]) -> Option<Vec<Deed>> {
    let mut deeds = Vec::new();
    for entry in state.ledger().iter().filter(|entry| known[entry.step]) {
        if !matches!(&entry.state, CallState::Ended(end) if end.satisfied) {
            continue;
        }
        let CallState::Ended(end) = &entry.state else { continue };
        let mut deed =
            Deed { risk: entry.risk, written: Vec::new(), command: None, began: entry.started_at, changed: None };
        let tool = carrier.parts.catalogue.get(&entry.tool);
        if let Some(tool) = tool.filter(|_| entry.has_effects()) {
            let (arguments, output) = (carrier.value(&entry.arguments).ok()?, carrier.value(&end.output).ok()?);
            let effects = tool.effects(arguments.as_ref());
            deed.written = if entry.risk == Some(Risk::Write) { effects.writes } else { Vec::new() };
            deed.command = effects.command;
            deed.changed = tool.changed(arguments.as_ref(), output.as_ref());
        }
        deeds.push(deed);
    }
    Some(deeds)
}

/// Whether a path and a name in a sentence may mean one file: people and models leave folders out.
fn is_same_file(path: &str, said: &str) -> bool {
    let name = |path: &str| path.rsplit(['/', '\\']).next().unwrap_or_default().to_lowercase();
    name(path) == name(said)
}

/// Whether a file that is named with its folders lies where nobody looks.
fn is_unseen(said: &str) -> bool {
    said.split(['/', '\\']).rev().skip(1).any(is_made_by_tools)
}

/// Whether a call of this risk can have done what is reported. What a command does, nobody knows beforehand; where it was
/// not looked at afterwards either, it may have done anything.
fn proves(risk: Risk, kind: Kind) -> bool {
    match (risk, kind) {
        (Risk::Read, _) | (Risk::Network, Kind::ChangedFile) | (Risk::Write, Kind::Sent) => false,
        (Risk::Write | Risk::Network, _) | (Risk::Execute | Risk::Destructive, _) => true,
    }
}

/// The steps whose work a step may report: itself, what it was handed on to, and what it or the step that handed it on
/// builds on, by their places.
fn behind(state: &RunState, at: usize) -> Vec<bool> {
    let mut left = vec![at];
    let mut above = state.step(at).parent();
    while let Some(parent) = above {
        left.extend(state.step(parent).dependencies());
        above = state.step(parent).parent();
    }
    reached(state, left, |step| [step.dependencies(), step.children()].concat())
}

/// These steps and all that leads on from them, by their places.
fn reached(state: &RunState, mut left: Vec<usize>, next: impl Fn(&StepState) -> Vec<usize>) -> Vec<bool> {
    let mut known = vec![false; state.steps().len()];
    while let Some(step) = left.pop() {
        if !std::mem::replace(&mut known[step], true) {
            left.extend(next(state.step(step)));
        }
    }
    known
}
