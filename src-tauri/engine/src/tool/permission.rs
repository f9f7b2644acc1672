//! Whether a call may be made without asking.
//!
//! Approving a plan grants what it says literally: tools, paths, hosts. Everything else asks, and some things ask
//! whatever was granted: what cannot be undone, secrets, commands without walls, and values that came from a tool's
//! result and from nobody's own words.

mod commands;
mod lookers;
mod overwrites;

use std::path::{Component, Path, PathBuf};

use assent_core::contract::{Fault, Risk, Stage, ToolSpec};
use assent_core::ids::{Digest, RunId, StepId};
use assent_core::plan::Grants;
use serde_json::Value;

use super::Effects;
use super::grounding::{Origin, Seen, is_mail, mailboxes, urls, values};
use super::sandbox::Unavailable;
use super::secrets::holds_secrets;

pub use commands::{Danger, danger_of};
pub use lookers::{changes_nothing, programs, runs_script};
pub use overwrites::overwritten;

/// What a person allowed before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Allowance {
    /// The tool.
    pub tool: String,
    /// Of what it did then, where that is written down beside its description.
    pub template: Option<Digest>,
    /// For how long.
    pub extent: Extent,
}

/// How far a permission reaches. One that was given once is not kept: its call is made at once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Extent {
    /// This step.
    Step(RunId, StepId),
    /// This run.
    Run(RunId),
    /// This tool, in this folder and until it is taken back.
    Workspace(PathBuf),
}

/// A call, and what is known about it.
#[derive(Debug, Clone)]
pub struct Case<'a> {
    /// The tool.
    pub spec: &'a ToolSpec,
    /// What the call would touch.
    pub effects: &'a Effects,
    /// Its arguments.
    pub arguments: &'a Value,
    /// The run.
    pub run: &'a RunId,
    /// The step.
    pub step: &'a StepId,
    /// What approving the plan granted the step.
    pub grants: &'a Grants,
    /// What a person allowed before.
    pub allowances: &'a [Allowance],
    /// What the step has seen.
    pub seen: &'a Seen,
    /// Paths of its effects that the person means by a pattern or an ending, and that were listed.
    pub meant: &'a [String],
    /// Files with something in them that its command writes anew, and that nobody has named.
    pub replaced: &'a [String],
    /// The folder of the run.
    pub workspace: &'a Path,
    /// Whether the person said that nothing may be changed.
    pub read_only: bool,
    /// Whether commands can be shut in here.
    pub sandbox: &'a Result<(), Unavailable>,
}

/// What is decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It may be made.
    Allowed,
    /// A person has to say.
    Ask(Question),
    /// It may not be made, whatever a person says; the model is told why.
    Refused(Box<Fault>),
}

/// What a person is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// Why it is asked, in a sentence.
    pub reason: String,
    /// The worst that the call can do.
    pub risk: Risk,
    /// Where a value came from that nobody said.
    pub origin: Option<Origin>,
    /// Whether a kept permission would have been enough. Some things ask whatever was allowed before.
    pub standing: bool,
}

/// Decides about a call that is in scope, fits its parameters and is grounded.
pub fn decide(case: &Case<'_>) -> Verdict {
    if let Some(path) = case.effects.writes.iter().find(|path| leads_out(path, case.workspace)) {
        let fault = Fault::new(Stage::Permission, format!("{path} is outside the workspace"));
        return Verdict::Refused(Box::new(fault.hint("Use a path relative to the workspace.")));
    }
    let danger = case.effects.command.as_deref().map(danger_of).unwrap_or_default();
    let risk = case.spec.risk.max(case.effects.risk).max(danger.risk());
    let ask = |reason: String, origin: Option<&Origin>| {
        Verdict::Ask(Question { reason, risk, origin: origin.cloned(), standing: false })
    };
    if risk >= Risk::Destructive {
        let why = danger.reason().unwrap_or("what it does cannot be undone");
        return ask(format!("This always asks: {why}."), None);
    }
    if let Some(path) = case.replaced.first() {
        let reason = format!("This always asks: it writes over {path}, which neither you nor the plan named.");
        return Verdict::Ask(Question { reason, risk: Risk::Destructive, origin: None, standing: false });
    }
    if only_looks(case.spec, case.effects) {
        return Verdict::Allowed;
    }
    if let Some(path) = read_secret(case.effects) {
        return ask(format!("{path} may hold secrets, and what is read there is told to the model."), None);
    }
    if case.read_only {
        return ask("You said that nothing may be changed, and this call may change something.".to_owned(), None);
    }
    if let (Some(_), Err(missing)) = (&case.effects.command, case.sandbox) {
        return ask(format!("Every command asks here, because {missing}."), None);
    }
    if let Some(secret) = secret(case.effects, &danger) {
        return ask(format!("{secret} may hold secrets or run by itself later."), None);
    }
    if let Some((value, origin)) = planted(case) {
        let tool = match origin {
            Origin::Result { tool } | Origin::Failure { tool } => tool.as_str(),
            _ => "",
        };
        return ask(
            format!("Neither you nor the plan said this, it comes from a result of {tool}: {value}"),
            Some(origin),
        );
    }
    if case.allowances.iter().any(|allowance| allowance.covers(case)) {
        return Verdict::Allowed;
    }
    match not_granted(case) {
        Some(reason) => Verdict::Ask(Question { reason, risk, origin: None, standing: true }),
        None => Verdict::Allowed,
    }
}

/// A file of keys or passwords that a call reads.
fn read_secret(effects: &Effects) -> Option<&String> {
    effects.reads.iter().find(|path| holds_secrets(path))
}

/// Whether a call is one that never asks: it reads in the workspace, where no secrets are, and does nothing else.
pub fn only_looks(spec: &ToolSpec, effects: &Effects) -> bool {
    !spec.risk.max(effects.risk).has_effects()
        && effects.hosts.is_empty()
        && effects.writes.is_empty()
        && effects.command.is_none()
        && read_secret(effects).is_none()
}

impl Allowance {
    fn covers(&self, case: &Case<'_>) -> bool {
        self.tool == case.spec.name
            && self.template == case.spec.template
            && match &self.extent {
                Extent::Step(run, step) => run == case.run && step == case.step,
                Extent::Run(run) => run == case.run,
                Extent::Workspace(folder) => folder == case.workspace,
            }
    }
}

impl Case<'_> {
    /// Whether the plan, or the person's own words, let the step write there.
    fn covers(&self, path: &String) -> bool {
        grants_path(self.grants, path, self.workspace) || self.meant.contains(path)
    }
}

/// What the plan's approval does not cover.
fn not_granted(case: &Case<'_>) -> Option<String> {
    if !case.grants.tools.contains(&case.spec.name) {
        return Some(format!("The approved plan does not let this step call {}.", case.spec.name));
    }
    let path = case.effects.writes.iter().find(|path| !case.covers(path));
    if let Some(path) = path {
        return Some(format!("The approved plan does not let this step write {path}."));
    }
    let host = case.effects.hosts.iter().find(|host| !grants_host(case.grants, host));
    host.map(|host| format!("The approved plan does not let this step talk to {host}."))
}

/// A value that only a tool's result named: an address, a recipient, a command, or a path that was not granted.
fn planted<'a>(case: &'a Case<'_>) -> Option<(String, &'a Origin)> {
    let hosts = case.effects.hosts.iter().filter(|host| !grants_host(case.grants, host)).cloned();
    let paths = case.effects.writes.iter().filter(|path| !case.covers(path)).cloned();
    let command = case.effects.command.as_deref().unwrap_or_default();
    let addresses = urls(command).into_iter().map(str::to_owned);
    let spelled = paths.chain(commands::parts(command)).map(|value| (case.seen.origin_of(&value), value));
    // A host or a mailbox is the same in capitals.
    let named = hosts.chain(recipients(case.arguments)).chain(addresses);
    let named = named.map(|value| (case.seen.origin_in_any_case(&value), value));
    named.chain(spelled).find_map(|(origin, value)| {
        let origin = origin?;
        matches!(origin, Origin::Result { .. } | Origin::Failure { .. }).then_some((value, origin))
    })
}

/// Who gets something, one by one: what stands below such a name, at any depth, and mailboxes wherever they stand.
fn recipients(arguments: &Value) -> Vec<String> {
    const KEYS: [&str; 9] = ["to", "cc", "bcc", "recipient", "recipients", "email", "address", "account", "channel"];
    let mut found = Vec::new();
    for (place, value) in values(arguments) {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let is_named = place.iter().any(|key| KEYS.contains(&key.to_lowercase().as_str()));
        if is_named || is_mail(&text, None) {
            found.extend(mailboxes(&text).map(str::to_owned));
        }
        if is_named && !text.is_empty() {
            found.push(text);
        }
    }
    found
}

/// Names of files that hold keys or passwords, and of files that programs run by themselves.
fn secret(effects: &Effects, danger: &Danger) -> Option<String> {
    let path = effects.writes.iter().find(|path| is_secret(path));
    path.cloned().or_else(|| danger.touches_secrets().then(|| "What this command names".to_owned()))
}

/// Whether a path is that of a file that holds secrets, or that git runs by itself.
pub(crate) fn is_secret(path: &str) -> bool {
    let lower = path.to_lowercase();
    holds_secrets(path) || lower.contains(".git/hooks") || lower.ends_with(".git/config")
}

fn leads_out(path: &str, workspace: &Path) -> bool {
    let path = Path::new(path);
    if path.is_absolute() && !path.starts_with(workspace) {
        return true;
    }
    let mut depth = 0_i32;
    let inside = path.strip_prefix(workspace).unwrap_or(path);
    inside.components().any(|part| {
        depth += match part {
            Component::ParentDir => -1,
            Component::Normal(_) => 1,
            _ => 0,
        };
        depth < 0
    })
}

/// Whether a path is granted, or a folder above it. Steps back (`..`) are taken before it is compared.
pub(crate) fn grants_path(grants: &Grants, path: &str, workspace: &Path) -> bool {
    let wanted = plain(path, workspace);
    grants.paths.iter().map(|granted| plain(granted, workspace)).any(|granted| {
        granted.is_empty()
            || wanted == granted
            || wanted.strip_prefix(&granted).is_some_and(|rest| rest.starts_with('/'))
    })
}

/// A path of a call as it stands in the workspace, by its words alone: `./a//b/../c` is `a/c`.
pub(crate) fn plain(path: &str, workspace: &Path) -> String {
    let path = Path::new(path);
    let inside = path.strip_prefix(workspace).unwrap_or(path);
    let mut parts: Vec<String> = Vec::new();
    for part in inside.components() {
        match part {
            Component::Normal(name) => parts.push(name.to_string_lossy().into_owned()),
            Component::ParentDir => {
                parts.pop();
            }
            _ => {}
        }
    }
    parts.join("/")
}

/// Whether a host is granted.
pub(crate) fn grants_host(grants: &Grants, host: &str) -> bool {
    grants.hosts.iter().any(|granted| granted == "*" || granted.eq_ignore_ascii_case(host))
}

#[cfg(test)]
mod tests;
