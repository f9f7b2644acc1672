//! Whether a call had anything to do with what its step names.
//!
//! A call can fit its schema, be allowed, work, and still be of the wrong thing: `note.txt` written where the step says
//! "write the table to out.md". Such a call is no proof that the step was done. It is only seen where the step names its
//! files, addresses or texts for certain (`named`), and where the call touched none of them, and nobody else did in
//! this run: right work must not be refused. What a person has allowed beyond the plan, or changed, is what they want; a
//! yes to what the plan lets the step do, because nothing shuts commands in here, is a yes to nothing else.

mod beside;
mod idle;
mod named;
mod unwritten;

use assent_core::contract::Risk;
use assent_core::plan::{Origin, Step};
use assent_core::run::{RunState, StepStatus};
use serde_json::Value;

use super::calls::Ready;
use super::step::Worker;
use super::touched::{Before, touched_since};
use super::verify::SHELL;
use crate::planner::named_files;
use crate::tool::Changed;
use crate::tool::core::RESULT;
use crate::tool::permission::{changes_nothing, grants_host, grants_path, plain, programs};
use crate::tool::present::one_line;
use crate::tool::workspace::Workspace;
use idle::idles;
use named::{Named, expected, host, is_among, is_file_name, is_plain, makes, stems};
pub(super) use unwritten::Unwritten;

/// Commands that look at no file unless it is named.
const IDLE: &str = "echo printf true : pwd date sleep whoami hostname uname seq";

/// What a call that worked had to do with what its step names.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Aim {
    /// Nobody can tell.
    Open,
    /// A file that the step is to change was changed.
    Met,
    /// Nothing: not with this file, address or text.
    Missed(String),
    /// Nothing, because it does nothing: of this task.
    Idle(String),
}

impl Aim {
    pub(super) fn missed(self) -> Option<String> {
        match self {
            Self::Missed(named) | Self::Idle(named) => Some(named),
            Self::Open | Self::Met => None,
        }
    }

    fn missed_if(named: Option<String>, is_missed: impl FnOnce() -> bool) -> Self {
        named.filter(|_| is_missed()).map_or(Self::Open, Self::Missed)
    }
}

impl Worker<'_> {
    /// What a call that worked had to do with what its step names.
    pub(super) fn aim(&self, ready: &Ready, output: &Value) -> Aim {
        let step = self.plan_step();
        let by_hand = matches!(step.origin, Origin::Call | Origin::AgentCall);
        if by_hand || step.required_tools.is_empty() {
            return Aim::Open;
        }
        let shot = Shot { worker: self, step, ready, output, named: Named::of(&step.description) };
        let aim = match ready.risk() {
            _ if shot.idles() => Aim::Idle(format!("\"{}\"", one_line(&step.description))),
            _ if ready.effects.command.is_some() => shot.ran(ready.tool.changed(&ready.arguments, output).as_ref()),
            Risk::Read => shot.looked(),
            Risk::Network => shot.talked(),
            _ => shot.wrote(),
        };
        match aim {
            Aim::Missed(_) | Aim::Idle(_) if ready.granted && !shot.is_as_planned() => Aim::Open,
            aim => aim,
        }
    }

    /// The files that the step is to change, as they are now; `None` where it has called something before, so that
    /// nobody can tell any more how it found them.
    pub(super) fn found(&self, state: &RunState) -> Option<Before> {
        let step = self.plan_step();
        if step.required_tools.is_empty() || !state.step(self.at).calls.is_empty() {
            return None;
        }
        let Named { changes, puts, replies, .. } = Named::of(&step.description);
        let expected = step.expected_outcome.as_deref().map(expected).unwrap_or_default();
        let files = [changes, puts, replies, expected].concat();
        Some(Before::of(&self.workspace().filter(|_| !files.is_empty())?, files))
    }

    /// Whether anything was done to a file in this step, and not by one beside it. What was done to it before counts too,
    /// in this run, unless it was for a step that says so of itself. Where that cannot be known, it may have been.
    fn is_touched(&self, state: &RunState, workspace: &Workspace, file: &str) -> bool {
        let Some(since) = Self::first_effect(state) else { return true };
        let in_this_step = || self.before.as_ref().and_then(|before| before.is_touched(workspace, file));
        match touched_since(workspace, file, since) {
            Some(true) if in_this_step() == Some(false) => !self.is_changed_before(state, file),
            Some(true) => !self.is_written_beside(state, file),
            touched => touched.unwrap_or_default(),
        }
    }

    /// Whether a step that is completed says that it changes a file.
    fn is_changed_before(&self, state: &RunState, file: &str) -> bool {
        let plan = self.carrier.plan();
        let is_of = |step: &Step| {
            let Named { changes, puts, .. } = Named::of(&step.description);
            changes.iter().chain(&puts).any(|other| same_name(other, file))
        };
        let done = |at: usize| at != self.at && state.step(at).status == StepStatus::Completed;
        (0..state.steps().len()).filter(|at| done(*at)).any(|at| is_of(state.document(plan, at)))
    }

    /// The files that a later step makes: this one need not have written what is in the end to be there.
    fn made_later(&self) -> Vec<String> {
        let (id, steps) = (&self.plan_step().id, self.carrier.plan().steps.iter());
        let later = steps.skip_while(|step| step.id != *id).skip(1);
        later.flat_map(|step| makes(&step.description)).collect()
    }

    /// Whether a file is a person's word, and no invention of a planner.
    fn named_by_person(&self) -> impl Fn(&str) -> bool {
        let plan = self.carrier.plan();
        let (is_own, said) =
            (self.plan_step().origin == Origin::User, format!("{} {:?}", plan.user_message, plan.extracted_context));
        move |file| is_own || said.contains(last(file))
    }

    fn workspace(&self) -> Option<Workspace> {
        Workspace::at(&self.carrier.job.workspace, &self.carrier.parts.hidden).ok()
    }

    /// When the first call with effects of this run began, in milliseconds.
    fn first_effect(state: &RunState) -> Option<i64> {
        let effects = state.ledger().iter().filter(|entry| entry.has_effects());
        effects.filter_map(|entry| entry.started_at).min()
    }
}

/// A call that has worked, beside what its step says.
struct Shot<'a> {
    worker: &'a Worker<'a>,
    step: &'a Step,
    ready: &'a Ready,
    output: &'a Value,
    named: Named,
}

impl Shot<'_> {
    /// Whether it is a call as its model made it, and one that the plan lets the step make.
    fn is_as_planned(&self) -> bool {
        let is_known = self.step.grants.tools.contains(&self.ready.tool.spec().name);
        is_known && self.writes_as_planned() && !self.ready.changed && self.ready.risk() < Risk::Destructive
    }

    fn writes_as_planned(&self) -> bool {
        let mut writes = self.ready.effects.writes.iter();
        writes.all(|path| grants_path(&self.step.grants, path, self.folder()))
    }

    /// A call that writes files and says which.
    fn wrote(&self) -> Aim {
        let targets = self.targets(true);
        let writes = &self.ready.effects.writes;
        // Beyond what the plan grants it is a person who has allowed it.
        if writes.is_empty() || !self.writes_as_planned() {
            return Aim::Open;
        }
        if targets.is_empty() {
            return Aim::missed_if(self.only_file(), || !self.is_own(writes));
        }
        self.changed(writes, &targets, || true)
    }

    /// The one file that the step names, where it is a person's word and is not there after a call that says nothing of it.
    /// In whatever language, nothing can be read there: it is what the step is to write.
    fn only_file(&self) -> Option<String> {
        let (plan, id) = (self.worker.carrier.plan(), &self.step.id);
        let file = match named_files(&self.step.description).as_slice() {
            [file] if is_file_name(file) && is_plain(&self.step.description) => file.clone(),
            _ => return None,
        };
        let is_for_later = || {
            let later = plan.steps.iter().skip_while(|step| step.id != *id).skip(1);
            later.flat_map(|step| named_files(&step.description)).any(|other| same_name(&other, &file))
        };
        let is_told = || has_name(&self.ready.arguments.to_string().to_lowercase(), &last(&file).to_lowercase());
        let is_open = !self.worker.named_by_person()(&file) || self.is_there(&file) || is_told() || is_for_later();
        (!is_open).then_some(file)
    }

    /// Whether it is a command line that does nothing, where one is required that does something.
    fn idles(&self) -> bool {
        let (step, ready) = (self.step, self.ready);
        let is_required = ready.tool.spec().name == SHELL && step.required_tools.iter().any(|tool| tool == SHELL);
        let task = format!("{} {}", step.description, step.instructions.as_deref().unwrap_or_default());
        is_required && ready.effects.command.as_deref().is_some_and(|command| idles(command, &task))
    }

    /// A command, with what it has changed, where that is known.
    fn ran(&self, changed: Option<&Changed>) -> Aim {
        let Some(command) = self.ready.effects.command.as_deref() else { return Aim::Open };
        let looks = changes_nothing(command);
        let targets = if self.named.is_conditional { Vec::new() } else { self.targets(false) };
        if targets.is_empty() {
            let is_elsewhere =
                || looks && names_all(command) && !self.mentions(command) && !self.mentions(&self.told());
            return Aim::missed_if(self.sources().into_iter().next(), is_elsewhere);
        }
        let Some(paths) = changed.map(|changed| &changed.paths) else {
            return if self.are_touched(&targets) { Aim::Met } else { Aim::Open };
        };
        // A formatter that finds nothing to do changes nothing, and need not name the file.
        let does_something_else =
            || !self.mentions(command) && (!paths.is_empty() || !targets.iter().any(|file| self.is_there(file)));
        self.changed(paths, &targets, || looks || does_something_else())
    }

    /// What has changed these paths, of which a step is to change some.
    fn changed(&self, paths: &[String], targets: &[String], is_beside: impl FnOnce() -> bool) -> Aim {
        let is_target = |path: &String| targets.iter().any(|file| same_name(path, file));
        if paths.iter().any(is_target) || self.are_touched(targets) {
            return Aim::Met;
        }
        Aim::missed_if(targets.first().cloned(), || is_beside() && !self.is_own(paths))
    }

    /// A call that only looks, with a text that is looked for or without.
    fn looked(&self) -> Aim {
        let reads = &self.ready.effects.reads;
        let told = || format!("{} {}", self.ready.arguments, self.told());
        let seeks = self.ready.tool.sought(&self.ready.arguments).is_some();
        if let Some(text) = self.named.sought.first().filter(|_| seeks) {
            let told = told().to_lowercase();
            let is_about = self.named.sought.iter().flat_map(|text| stems(text)).any(|stem| told.contains(&stem));
            if !is_about {
                return Aim::Missed(format!("\"{text}\""));
            }
        }
        let is_kept = reads.iter().any(|path| path.starts_with(RESULT));
        if reads.is_empty() || is_kept || self.is_own(reads) {
            return Aim::Open;
        }
        Aim::missed_if(self.sources().into_iter().next(), || !self.mentions(&told()))
    }

    /// A call that talks to others and says to whom.
    fn talked(&self) -> Aim {
        let hosts = &self.ready.effects.hosts;
        let is_granted = hosts.iter().all(|host| grants_host(&self.step.grants, host));
        let named = self.named.hosts.first().filter(|_| !hosts.is_empty() && is_granted);
        let all: Vec<String> = self.said().split_whitespace().filter_map(host).collect();
        let plain = |host: &String| host.strip_prefix("www.").unwrap_or(host).to_lowercase();
        Aim::missed_if(named.cloned(), || !hosts.iter().any(|host| all.contains(&plain(host))))
    }

    /// The files that the step changes, where they are no invention of a planner; also those that are only expected.
    fn targets(&self, expects: bool) -> Vec<String> {
        let outcome = self.step.expected_outcome.as_deref().filter(|_| expects);
        let expected = outcome.map(expected).unwrap_or_default();
        let later =
            if self.named.puts.is_empty() && expected.is_empty() { Vec::new() } else { self.worker.made_later() };
        let is_for_now = |file: &&String| !later.iter().any(|other| same_name(other, file));
        // "A reply to letter.txt" is put there only where there is no letter yet.
        let replies = self.named.replies.iter().filter(|file| !self.is_there(file));
        let put = self.named.puts.iter().chain(replies).chain(&expected).filter(is_for_now);
        let is_file = |file: &&String| is_file_name(file) || self.is_there(file);
        let targets: Vec<String> = self.named.changes.iter().chain(put).filter(is_file).cloned().collect();
        let by_person = self.worker.named_by_person();
        let is_meant = |file: &String| by_person(file) || self.is_there(file);
        if targets.iter().all(is_meant) { targets } else { Vec::new() }
    }

    /// The files that the step looks at, where they are there.
    fn sources(&self) -> Vec<String> {
        self.named.reads.iter().filter(|file| self.is_there(file)).cloned().collect()
    }

    /// All that the step says of itself.
    fn said(&self) -> String {
        let step = self.step;
        let outcome = step.expected_outcome.as_deref().unwrap_or_default();
        let instructions = step.instructions.as_deref().unwrap_or_default();
        let input = serde_json::to_string(&step.input).unwrap_or_default();
        format!("{} {outcome} {instructions} {input}", step.description)
    }

    /// Whether one of the paths is a file that the step names in any way, or a folder around one.
    fn is_own(&self, paths: &[String]) -> bool {
        let said = self.said();
        let (own, lower) = (named_files(&said), said.to_lowercase());
        // "Makefile" and "the new data.csv" are names too; a file "hello" where hello is to be written is none.
        let writes = self.ready.risk() != Risk::Read;
        let is_word = |name: &str| writes && !name.contains(['.', ' ']) && !name.contains(char::is_uppercase);
        let is_said = |name: &str| !is_word(name) && has_name(&lower, &name.to_lowercase());
        paths.iter().map(|path| plain(path, self.folder())).any(|path| {
            let around =
                |file: &str| path.is_empty() || file.strip_prefix(&path).is_some_and(|rest| rest.starts_with('/'));
            own.iter().any(|file| around(&plain(file, self.folder()))) || is_said(last(&path))
        })
    }

    /// Whether a text has the name of a file that the step names.
    fn mentions(&self, text: &str) -> bool {
        let text = text.to_lowercase();
        named_files(&self.said()).iter().any(|file| has_name(&text, &last(file).to_lowercase()))
    }

    /// What the call gave, as a model reads it.
    fn told(&self) -> String {
        self.ready.tool.present(self.output)
    }

    fn is_there(&self, file: &str) -> bool {
        self.worker.workspace().is_some_and(|workspace| workspace.existing(file).is_ok())
    }

    fn folder(&self) -> &std::path::Path {
        &self.worker.carrier.job.workspace
    }

    /// Whether anything was done to one of the files.
    fn are_touched(&self, files: &[String]) -> bool {
        let Some(workspace) = self.worker.workspace() else { return true };
        let state = self.worker.carrier.state();
        files.iter().any(|file| self.worker.is_touched(&state, &workspace, file))
    }
}

/// Whether two paths end in the same name.
fn same_name(one: &str, other: &str) -> bool {
    last(one).eq_ignore_ascii_case(last(other))
}

/// The name of a file without its folders.
fn last(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or_default()
}

/// Whether a text has a name in it that is no part of a longer one.
pub(super) fn has_name(text: &str, name: &str) -> bool {
    let is_part = |sign: char| sign.is_alphanumeric() || sign == '_' || sign == '-';
    let goes_on = |rest: &str| rest.strip_prefix('.').unwrap_or(rest).starts_with(is_part);
    let begins_before = |before: &str| before.ends_with('.') || before.ends_with(is_part);
    let mut found = text.match_indices(name).filter(|_| !name.is_empty());
    found.any(|(at, _)| !begins_before(&text[..at]) && !goes_on(&text[at + name.len()..]))
}

/// Whether all files that a command line looks at stand in it: there is one, or none is looked at.
fn names_all(command: &str) -> bool {
    let is_idle = || programs(command).iter().all(|program| is_among(IDLE, program));
    !command.contains(['*', '?', '[', '<']) && (!named_files(command).is_empty() || is_idle())
}

#[cfg(test)]
mod tests {
    use super::{has_name, names_all};

    #[test]
    fn what_a_command_looks_at_stands_in_it_or_may_be_anything() {
        assert!(names_all("cat a.txt") && names_all("echo done"));
        for command in ["ls", "cat *.txt", "grep -r x", "grep -r x src", "cat < a.txt"] {
            assert!(!names_all(command), "{command}");
        }
    }

    #[test]
    fn a_name_is_found_in_a_text_and_not_in_a_longer_name() {
        for text in ["a.txt", "wc -l a.txt.", "docs/a.txt", "(a.txt)", "'a.txt',", "b.txt a.txt"] {
            assert!(has_name(text, "a.txt"), "{text}");
        }
        for text in ["data.txt", "a.txt.bak", "a.txt2", "my-a.txt", "x.a.txt", "a_txt", ""] {
            assert!(!has_name(text, "a.txt"), "{text}");
        }
        assert!(!has_name("anything", ""));
    }
}
