//! What a step of a chat may call, and with which arguments: scope, arguments, grounding and permission, put together.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use assent_core::contract::{AgentCall, Fault, Risk, Source, Stage, ToolSpec};
use assent_core::plan::{ExecutorKind, Origin, Step, StepType};
use assent_core::run::Reach;
use serde_json::Value;

use crate::executor::{Asker, Job, Permit, Proposal, Rules, Verdict, lending};
use crate::heap::Heap;
use crate::model::PlannerProfile;
use crate::planner::{AlreadyThere, already_there};
use crate::store::{AllowanceRow, Allowances};
use crate::tool::arguments::{fit, joined};
use crate::tool::core::EDIT_FILE;
use crate::tool::grounding::{Seen, ungrounded};
use crate::tool::human::{ASK_USER, REQUEST_USER_HELP};
use crate::tool::meant::Meant;
use crate::tool::meta::{is_meta, meta_arguments};
use crate::tool::permission::{self, Allowance, Case, Extent};
use crate::tool::scope::{ActiveSet, Scope, Wanted, active_set};
use crate::tool::workspace::{Kind, Workspace};
use crate::tool::{Catalogue, sandbox};
use crate::vault::{Credentials, HIDDEN};

/// What the rules of a chat are made of.
pub struct RuleParts {
    /// Every tool.
    pub catalogue: Arc<Catalogue>,
    /// The specialists.
    pub heap: Arc<Heap>,
    /// Folders that no tool may see.
    pub hidden: Vec<PathBuf>,
    /// What a person has allowed before.
    pub kept: Arc<dyn Allowances>,
    /// The person's credentials.
    pub vault: Arc<Credentials>,
}

/// The rules of a chat.
pub struct PlanRules {
    catalogue: Arc<Catalogue>,
    heap: Arc<Heap>,
    hidden: Vec<PathBuf>,
    kept: Arc<dyn Allowances>,
    vault: Arc<Credentials>,
}

impl PlanRules {
    /// The rules over a catalogue.
    pub fn new(parts: RuleParts) -> Self {
        let RuleParts { catalogue, heap, hidden, kept, vault } = parts;
        Self { catalogue, heap, hidden, kept, vault }
    }

    /// Why a call is refused whatever a person says: its tool does so by itself, it names a credential that was given for
    /// another place, or it asks a person for one that the vault has.
    fn withheld(&self, proposal: &Proposal<'_>) -> Option<Fault> {
        let spec = proposal.tool.spec();
        if let Some(why) = proposal.tool.refuses(proposal.arguments) {
            return Some(Fault::new(Stage::Permission, why));
        }
        let lending = lending(spec, proposal.effects);
        let beside =
            || proposal.tool.credentials().into_iter().try_for_each(|name| self.vault.goes_into(name, &lending));
        if let Err(not_lent) = self.vault.allows(proposal.arguments, &lending).and_then(|_| beside()) {
            return Some(Fault::new(Stage::Permission, not_lent.to_string()));
        }
        if spec.risk.max(proposal.effects.risk).has_effects() && proposal.arguments.to_string().contains(HIDDEN) {
            let message = format!("{HIDDEN} stands where a secret of the person is hidden, which would be lost");
            let hint = "Leave such lines as they are: change others with edit_file, copy or move files as a whole.";
            return Some(Fault::new(Stage::Permission, message).hint(hint));
        }
        if ![ASK_USER, REQUEST_USER_HELP].contains(&spec.name.as_str()) {
            return None;
        }
        let question = proposal.arguments["question"].as_str().unwrap_or_default();
        let fault = match already_there(&self.vault, proposal.plan, proposal.step, question)? {
            AlreadyThere::Certain(fault) => fault,
            // A step that has to ask was planned to, by somebody who was told of the vault.
            AlreadyThere::Perhaps(_) if proposal.told || proposal.step.required_tools.contains(&spec.name) => {
                return None;
            }
            AlreadyThere::Perhaps(fault) => fault,
        };
        Some(Fault { stage: Stage::Permission, ..fault })
    }

    /// The tools of the leaf that does a step; none of a specialist that only hands on, or that is not there.
    fn own(&self, step: &Step, leaf: Option<&str>) -> Vec<String> {
        let specialists = self.heap.now();
        match step.executor.kind {
            ExecutorKind::Specialist => {}
            ExecutorKind::Agent => {
                let agent = specialists.agents.get(&step.executor.id);
                return agent.map(|agent| agent.tools.clone()).unwrap_or_default();
            }
            ExecutorKind::Single => return Vec::new(),
        }
        let entry = specialists.registry.get(leaf.unwrap_or(&step.executor.id));
        entry.map(|entry| entry.tool_names.clone()).unwrap_or_default()
    }

    /// The files of a call's effects that are there, that a tool of the workspace has listed, and that the person means
    /// by a pattern or an ending.
    fn meant(&self, proposal: &Proposal<'_>, seen: &Seen) -> Vec<String> {
        let meant = Meant::of(seen.own_words());
        if meant.is_empty() || proposal.effects.writes.is_empty() {
            return Vec::new();
        }
        let Ok(workspace) = Workspace::at(proposal.workspace, &self.hidden) else { return Vec::new() };
        let is_meant = |written: &&String| {
            let Ok(place) = workspace.existing(written) else { return false };
            let path = place.shown();
            matches!(workspace.kind(&place), Ok(Some(Kind::File(_)))) && meant.covers(&path) && seen.lists(&path)
        };
        proposal.effects.writes.iter().filter(is_meant).cloned().collect()
    }

    /// The files with something in them that a command writes anew and that neither the person nor the plan has named, nor
    /// an earlier call of the step.
    fn replaced(&self, proposal: &Proposal<'_>, seen: &Seen) -> Vec<String> {
        let named = proposal.effects.command.as_deref().map(permission::overwritten).unwrap_or_default();
        if named.is_empty() {
            return named;
        }
        let Ok(workspace) = Workspace::at(proposal.workspace, &self.hidden) else { return Vec::new() };
        let folder = proposal.effects.reads.first().map(String::as_str).unwrap_or(".");
        let is_replaced = |path: &String| {
            let place = workspace.existing(&Path::new(folder).join(path).to_string_lossy()).ok()?;
            let has_content = matches!(workspace.kind(&place), Ok(Some(Kind::File(size))) if size > 0);
            let name = place.relative().file_name()?.to_string_lossy().into_owned();
            (has_content && !seen.is_wanted(&name)).then(|| place.shown())
        };
        named.iter().filter_map(is_replaced).collect()
    }

    /// What a step may call that is to think and turns out to need something: tools that only look, of a specialist its own
    /// and discovered ones, also those that Assent brings along to look at pages. What nobody approved is asked first.
    fn looking(&self, step: &Step, own: &[String], discovered: &[String]) -> Vec<ToolSpec> {
        let looks = |spec: &&ToolSpec| match step.executor.kind {
            ExecutorKind::Specialist => {
                let looks = match spec.source {
                    Source::Core => matches!(spec.risk, Risk::Read | Risk::Network),
                    Source::Human => false,
                    _ => spec.risk == Risk::Read,
                };
                looks && (own.contains(&spec.name) || discovered.contains(&spec.name))
            }
            ExecutorKind::Single | ExecutorKind::Agent => spec.source == Source::Core && spec.risk == Risk::Read,
        };
        self.catalogue.specs().filter(looks).cloned().collect()
    }

    /// Whether there are tools beside those that Assent brings along.
    fn has_connected(&self) -> bool {
        self.catalogue.specs().any(|spec| !matches!(spec.source, Source::Core | Source::Human))
    }

    /// What a person has allowed before, in this process or another. What cannot be read is asked again.
    fn allowances(&self) -> Vec<Allowance> {
        let rows = self.kept.allowances().unwrap_or_default();
        let kept =
            |row: AllowanceRow| Some(Allowance { extent: extent(&row)?, tool: row.tool, template: row.template });
        rows.into_iter().filter_map(kept).collect()
    }
}

/// What a small model, and one that works alone, may call beside what it must: a file is looked at before it is changed.
/// Nothing else: offered a question a small one asks it, however clear the task is.
fn beside(required: &[String]) -> Vec<String> {
    let changes = required.iter().any(|tool| tool == EDIT_FILE);
    if changes { vec!["read".to_owned()] } else { Vec::new() }
}

/// Whether a step is the single agent's, with the core tools: for a small model only where none is required.
fn is_single(step: &Step, small: bool) -> bool {
    let alone = step.executor.kind == ExecutorKind::Single;
    alone && step.effective_type() == StepType::Tool && (step.required_tools.is_empty() || !small)
}

impl Rules for PlanRules {
    fn discovers(&self, _job: &Job, step: &Step, profile: PlannerProfile) -> bool {
        let small = profile == PlannerProfile::Compact;
        // The planner has shown a small model everything that Assent brings along.
        is_single(step, small) && (!small || self.has_connected())
    }

    fn active(&self, job: &Job, step: &Step, asker: &Asker<'_>) -> ActiveSet {
        let plan = job.plan.plan();
        let own = self.own(step, asker.leaf);
        let small = asker.profile == PlannerProfile::Compact;
        let budget = usize::try_from(plan.limits.tool_token_budget).unwrap_or(usize::MAX);
        let is_human = |name: &String| self.catalogue.get(name).is_none_or(|tool| tool.spec().source == Source::Human);
        // Offered a question, a small model asks it, however clear the task is.
        let works =
            (step.origin == Origin::AgentCall || step.is_handed_over()) && (!small || !own.iter().all(is_human));
        if step.effective_type() == StepType::Reasoning && !works {
            // Offered a tool, a small model calls it instead of thinking.
            if small {
                return ActiveSet::default();
            }
            return ActiveSet::within(budget, self.looking(step, &own, asker.discovered), asker.tokens);
        }
        let mut beside = match (small, step.executor.kind) {
            (true, _) | (false, ExecutorKind::Single) => beside(&step.required_tools),
            // An agent has what its file names.
            (false, ExecutorKind::Agent) => Vec::new(),
            // Its own tools, and what it reads on with once a result was cut.
            (false, ExecutorKind::Specialist) => asker.discovered.to_vec(),
        };
        if !small || step.required_tools.is_empty() {
            beside.splice(0..0, own);
        }
        let scope = if is_single(step, small) {
            let discovery = self.discovers(job, step, asker.profile).then_some(asker.discovered);
            Scope::Single { tools: if small { &[] } else { &beside }, discovery }
        } else {
            Scope::Specialist { tools: &beside, discovery: None }
        };
        let wanted = Wanted { required: &step.required_tools, scope, channel: job.kind, budget };
        let may = |spec: &ToolSpec| {
            let asks = small && spec.source == Source::Human && !step.required_tools.contains(&spec.name);
            !(asks || plan.read_only && spec.risk.writes())
        };
        // A checked plan names tools that exist and that fit; where one has gone meanwhile none is shown, and the step
        // fails for want of its calls.
        active_set(&wanted, &self.catalogue, may, asker.tokens)
    }

    fn arguments(&self, spec: &ToolSpec, arguments: Value) -> Result<Value, Box<Fault>> {
        if is_meta(&spec.name) {
            return Ok(meta_arguments(&spec.name, &arguments));
        }
        let arguments = match arguments {
            // What does not fit an agent's contract is told as that, and not as arguments that do not fit.
            Value::Object(fields) if spec.source == Source::Agent => {
                return Ok(Value::Object(AgentCall::as_meant(fields)));
            }
            other => other,
        };
        let Some(parameters) = self.catalogue.parameters(&spec.name) else {
            return Err(Box::new(Fault::new(Stage::Scope, format!("there is no tool {}", spec.name))));
        };
        fit(parameters, arguments).map_err(|faults| Box::new(joined(faults)))
    }

    fn grounded(&self, proposal: &Proposal<'_>, seen: &Seen) -> Result<(), Box<Fault>> {
        // The name of a tool that was made up is told to be unknown, and does no harm.
        if is_meta(&proposal.tool.spec().name) {
            return Ok(());
        }
        let workspace = || {
            Workspace::at(proposal.workspace, &self.hidden).map_err(|error| {
                let message = format!("the workspace {} cannot be used: {error}", proposal.workspace.display());
                Box::new(Fault::new(Stage::Grounding, message))
            })
        };
        let faults = ungrounded(proposal.tool, proposal.effects, proposal.arguments, seen, workspace);
        if faults.is_empty() { Ok(()) } else { Err(Box::new(joined(faults))) }
    }

    fn permitted(&self, proposal: &Proposal<'_>, seen: &Seen) -> Verdict {
        if let Some(fault) = self.withheld(proposal) {
            return Verdict::Refused(Box::new(fault));
        }
        // What follows is looked up: not for the calls of which there are most.
        if permission::only_looks(proposal.tool.spec(), proposal.effects) {
            return Verdict::Allowed;
        }
        let verdict = permission::decide(&Case {
            spec: proposal.tool.spec(),
            effects: proposal.effects,
            arguments: proposal.arguments,
            run: proposal.run,
            step: &proposal.step.id,
            grants: &proposal.step.grants,
            allowances: &self.allowances(),
            seen,
            meant: &self.meant(proposal, seen),
            replaced: &self.replaced(proposal, seen),
            workspace: proposal.workspace,
            read_only: proposal.plan.read_only,
            sandbox: &sandbox::available(),
        });
        match verdict {
            permission::Verdict::Allowed => Verdict::Allowed,
            permission::Verdict::Ask(question) => {
                let permission::Question { reason, risk, standing, .. } = question;
                Verdict::Permit(Permit { reason, risk, standing })
            }
            permission::Verdict::Refused(fault) => Verdict::Refused(fault),
        }
    }
}

fn extent(row: &AllowanceRow) -> Option<Extent> {
    match (row.reach, &row.run, &row.step) {
        (Reach::Workspace, ..) => {
            let folder = PathBuf::from(&row.workspace);
            Some(Extent::Workspace(folder.canonicalize().unwrap_or(folder)))
        }
        (Reach::Run, Some(run), _) => Some(Extent::Run(run.clone())),
        (Reach::Step, Some(run), Some(step)) => Some(Extent::Step(run.clone(), step.clone())),
        _ => None,
    }
}
