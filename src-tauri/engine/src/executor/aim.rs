//! Whether a call had anything to do with what its step names.
//!
//! A call can fit its schema, be allowed, work, and still be of the wrong thing: `note.txt` written where the step says
//! "write the table to out.md". Such a call is no proof that the step was done. It is only seen where the step names its
//! files, addresses or texts for certain (`named`), and where the call touched none of them, and nobody else did in
//! this run: right work must not be refused. What a person has allowed beyond the plan is what they want.

mod named;

use std::path::Path;

use assent_core::contract::Risk;
use assent_core::plan::{Origin, Step};
use serde_json::Value;

use super::calls::Ready;
use super::step::Worker;
use crate::planner::named_files;
use crate::tool::Changed;
use crate::tool::core::RESULT;
use crate::tool::permission::{grants_host, grants_path, plain};
use crate::tool::workspace::Workspace;
use named::{Named, expected, host, is_among, stems};

/// Milliseconds by which the times of files may be behind the clock.
const SLACK: i64 = 100;

/// Commands that only look, of which all that they look at stands in their text.
const LOOKERS: &str = "ls cat head tail wc grep sort uniq cut tr nl stat file diff cmp md5sum sha256sum jq echo printf true : pwd \
    date sleep whoami hostname uname";
/// Those that look at no file unless it is named.
const IDLE: &str = "echo printf true : pwd date sleep whoami hostname uname";

impl Worker<'_> {
    /// What a step names and a call that worked had nothing to do with; `None` where it had, or nobody can tell.
    pub(super) fn missed(&self, ready: &Ready, output: &Value) -> Option<String> {
        let step = self.plan_step();
        let by_hand = matches!(step.origin, Origin::Call | Origin::AgentCall);
        if ready.granted || by_hand || step.required_tools.is_empty() {
            return None;
        }
        let sought = ready.tool.sought(&ready.arguments);
        let effects = &ready.effects;
        let paths = if effects.writes.is_empty() { &effects.reads } else { &effects.writes };
        // Nearly always the step simply names the file.
        if sought.is_none() && paths.iter().any(|path| step.description.contains(last(path))) {
            return None;
        }
        let aim = Aim { worker: self, step, ready, output, named: Named::of(&step.description) };
        match ready.risk() {
            _ if effects.command.is_some() => aim.command(ready.tool.changed(output).as_ref()),
            Risk::Read => aim.looked(sought.is_some()),
            Risk::Network => aim.talked(),
            _ => aim.wrote(),
        }
    }

    /// When the first call with effects of this run began, in milliseconds.
    fn first_effect(&self) -> Option<i64> {
        let state = self.carrier.state();
        let effects = state.ledger().iter().filter(|entry| entry.risk.is_some_and(Risk::has_effects));
        effects.filter_map(|entry| entry.started_at).min()
    }
}

/// A call that has worked, beside what its step says.
struct Aim<'a> {
    worker: &'a Worker<'a>,
    step: &'a Step,
    ready: &'a Ready,
    output: &'a Value,
    named: Named,
}

impl Aim<'_> {
    /// A call that writes files and says which.
    fn wrote(&self) -> Option<String> {
        let targets = self.targets(true);
        let writes = &self.ready.effects.writes;
        // Beyond what the plan grants it is a person who has allowed it.
        let workspace = &self.worker.carrier.job.workspace;
        let is_granted = writes.iter().all(|path| grants_path(&self.step.grants, path, workspace));
        let has_targets = !targets.is_empty() && !writes.is_empty() && is_granted;
        if !has_targets || self.is_own(writes) || self.are_touched(&targets) {
            return None;
        }
        targets.into_iter().next()
    }

    /// A command, with what it has changed, where that is known.
    fn command(&self, changed: Option<&Changed>) -> Option<String> {
        let command = self.ready.effects.command.as_deref()?;
        let looks = only_looks(command);
        let targets = if self.named.is_conditional { Vec::new() } else { self.targets(false) };
        if targets.is_empty() {
            let files = self.sources();
            let elsewhere = looks && !self.mentions(command) && !self.mentions(&self.told());
            return files.into_iter().next().filter(|_| elsewhere && names_all(command));
        }
        let changed = &changed?.paths;
        // A formatter that finds nothing to do changes nothing, and need not name the file.
        let does_something_else =
            || !self.mentions(command) && (!changed.is_empty() || !targets.iter().any(|file| self.is_there(file)));
        if self.is_own(changed) || !(looks || does_something_else()) || self.are_touched(&targets) {
            return None;
        }
        targets.into_iter().next()
    }

    /// A call that only looks, with a text that is looked for or without.
    fn looked(&self, seeks: bool) -> Option<String> {
        let reads = &self.ready.effects.reads;
        let told = || format!("{} {}", self.ready.arguments, self.told());
        if seeks && let Some(text) = self.named.sought.first() {
            let told = told().to_lowercase();
            let is_about = self.named.sought.iter().flat_map(|text| stems(text)).any(|stem| told.contains(&stem));
            if !is_about {
                return Some(format!("\"{text}\""));
            }
        }
        if reads.is_empty() || self.is_own(reads) || reads.iter().any(|path| path.starts_with(RESULT)) {
            return None;
        }
        let missed = self.sources().into_iter().next()?;
        (!self.mentions(&told())).then_some(missed)
    }

    /// A call that talks to others and says to whom.
    fn talked(&self) -> Option<String> {
        let hosts = &self.ready.effects.hosts;
        let is_granted = hosts.iter().all(|host| grants_host(&self.step.grants, host));
        let missed = self.named.hosts.first().filter(|_| !hosts.is_empty() && is_granted)?;
        let all: Vec<String> = self.said().split_whitespace().filter_map(host).collect();
        let plain = |host: &String| host.strip_prefix("www.").unwrap_or(host).to_lowercase();
        (!hosts.iter().any(|host| all.contains(&plain(host)))).then(|| missed.clone())
    }

    /// The files that the step changes, where they are no invention of a planner; also those that are only expected.
    fn targets(&self, expects: bool) -> Vec<String> {
        let outcome = self.step.expected_outcome.as_deref().filter(|_| expects);
        let expected = outcome.map(expected).unwrap_or_default();
        let plan = self.worker.carrier.plan();
        let said = format!("{} {:?}", plan.user_message, plan.extracted_context);
        let is_meant =
            |file: &String| self.step.origin == Origin::User || said.contains(last(file)) || self.is_there(file);
        let changes = self.named.changes.clone();
        let targets: Vec<String> = changes.into_iter().chain(expected).collect();
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
        let own = named_files(&self.said());
        let workspace = &self.worker.carrier.job.workspace;
        let fits = |path: &String, file: &String| {
            let (path, file) = (plain(path, workspace), plain(file, workspace));
            let around = path.is_empty() || file.strip_prefix(&path).is_some_and(|rest| rest.starts_with('/'));
            around || last(&path).eq_ignore_ascii_case(last(&file))
        };
        paths.iter().any(|path| own.iter().any(|file| fits(path, file)))
    }

    /// Whether a text has the name of a file that the step names.
    fn mentions(&self, text: &str) -> bool {
        let text = text.to_lowercase();
        named_files(&self.said()).iter().any(|file| text.contains(&last(file).to_lowercase()))
    }

    /// What the call gave, as a model reads it.
    fn told(&self) -> String {
        self.ready.tool.present(self.output)
    }

    fn is_there(&self, file: &str) -> bool {
        self.workspace().is_some_and(|workspace| workspace.existing(file).is_ok())
    }

    fn workspace(&self) -> Option<Workspace> {
        let carrier = self.worker.carrier;
        Workspace::at(&carrier.job.workspace, &carrier.parts.hidden).ok()
    }

    /// Whether anything was done to one of the files since the run began to have effects. Where that cannot be known, it
    /// may have been.
    fn are_touched(&self, files: &[String]) -> bool {
        let (Some(since), Some(workspace)) = (self.worker.first_effect(), self.workspace()) else { return true };
        let touched = |file: &String| {
            let place = workspace.existing(file).ok()?;
            Some(last_changed(place.absolute()).is_none_or(|at| at + SLACK >= since))
        };
        files.iter().filter_map(touched).any(|touched| touched)
    }
}

/// When a file, its name or its rights were last changed, in milliseconds.
fn last_changed(path: &Path) -> Option<i64> {
    let state = std::fs::metadata(path).ok()?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        Some(state.ctime() * 1000 + state.ctime_nsec() / 1_000_000)
    }
    #[cfg(not(unix))]
    {
        let since = state.modified().ok()?.duration_since(std::time::UNIX_EPOCH).ok()?;
        i64::try_from(since.as_millis()).ok()
    }
}

/// The name of a file without its folders.
fn last(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or_default()
}

/// Whether a command line is made of programs that change nothing and writes into no file.
fn only_looks(command: &str) -> bool {
    let plain = command.replace("2>&1", "").replace("2>/dev/null", "").replace(">/dev/null", "");
    !plain.contains(['>', '$', '`']) && programs(&plain).all(|program| is_among(LOOKERS, program))
}

/// Whether all files that a command line looks at stand in it: there is one, or none is looked at.
fn names_all(command: &str) -> bool {
    let names = !named_files(command).is_empty();
    !command.contains(['*', '?', '[', '<']) && (names || programs(command).all(|program| is_among(IDLE, program)))
}

fn programs(command: &str) -> impl Iterator<Item = &str> {
    let parts = command.split([';', '|', '&', '\n', '(', ')', '{', '}']);
    parts.filter_map(|part| part.split_whitespace().next())
}

#[cfg(test)]
mod tests {
    use super::{names_all, only_looks};

    #[test]
    fn a_command_that_only_looks_is_told_from_one_that_may_do_more() {
        for command in ["cat a.txt", "wc -l a.txt | sort 2>/dev/null", "echo done", "true && pwd"] {
            assert!(only_looks(command), "{command}");
        }
        for command in ["echo x > a.txt", "sed -i s/a/b/ a.txt", "python3 x.py", "cat $(find .)", "sort -o a.txt; make"]
        {
            assert!(!only_looks(command), "{command}");
        }
        assert!(names_all("cat a.txt") && names_all("echo done"));
        assert!(
            only_looks("ls")
                && !names_all("ls")
                && !names_all("cat *.txt")
                && !names_all("grep -r x")
                && !names_all("grep -r x src")
        );
    }
}
