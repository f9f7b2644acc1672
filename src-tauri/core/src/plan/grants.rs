//! What approving a plan allows each step to do: derived from what the plan says literally, never from what a model
//! would like.
//!
//! A step is granted its required tools; a step that hands a whole task to a specialist, that specialist's tools
//! except destructive ones. Tools that write get the paths named anywhere in the plan, or the workspace when none is;
//! commands get the workspace and no host; tools that only read get the paths the step itself names, or the workspace.

use super::literals::Literals;
use super::{ExecutorKind, Grants, Known, Origin, Plan, Step, StepType};
use crate::contract::{Risk, Source, ToolSpec};

/// The whole workspace.
pub(super) const WORKSPACE: &str = ".";
/// Parameters by which a tool is known to work on files.
const PATH_PARAMETERS: &[&str] =
    &["path", "paths", "file", "files", "file_path", "filePath", "directory", "dir", "working_dir"];

/// The grants of every step, in the plan's order.
pub(super) fn derive(plan: &Plan, known: &Known) -> Vec<Grants> {
    let workspace = known.workspace.as_deref();
    let mut shared = Literals::default();
    shared.add_text(&plan.user_message, workspace);
    plan.extracted_context.values().for_each(|value| shared.add_value(value, workspace));
    plan.steps.iter().map(|step| of_step(step, plan, &shared, known)).collect()
}

fn of_step(step: &Step, plan: &Plan, shared: &Literals, known: &Known) -> Grants {
    let names = granted_tools(step, known);
    let tools: Vec<&ToolSpec> = names.iter().filter_map(|name| known.tools.get(name)).collect();
    let own = own_literals(step, plan, known.workspace.as_deref());
    let has = |test: &dyn Fn(&ToolSpec) -> bool| tools.iter().any(|tool| test(tool));
    let paths = if known.workspace.is_none() {
        Vec::new()
    } else if has(&|tool| writes_files(tool)) {
        named_or_workspace(own.paths.iter().chain(&shared.paths))
    } else if has(&|tool| tool.risk == Risk::Execute) {
        vec![WORKSPACE.to_owned()]
    } else if has(&works_on_files) {
        named_or_workspace(own.paths.iter())
    } else {
        Vec::new()
    };
    let mut hosts: Vec<String> = Vec::new();
    if has(&|tool| tool.risk == Risk::Network) {
        hosts.extend(own.hosts.union(&shared.hosts).cloned());
    }
    Grants { tools: names, paths, hosts }
}

/// The tools that a step may call without asking: what it requires, or, where it requires nothing and hands a task to a
/// specialist, what that specialist has.
fn granted_tools(step: &Step, known: &Known) -> Vec<String> {
    if !step.required_tools.is_empty() {
        return step.required_tools.clone();
    }
    let hands_over = step.executor.kind == ExecutorKind::Specialist
        && (step.origin == Origin::Route || step.effective_type() == StepType::Tool);
    let specialist = known.specialists.get(&step.executor.id).filter(|_| hands_over);
    let tools = specialist.into_iter().flat_map(|specialist| &specialist.tools);
    tools.filter(|name| known.tools.get(*name).is_some_and(|tool| tool.risk != Risk::Destructive)).cloned().collect()
}

fn own_literals(step: &Step, plan: &Plan, workspace: Option<&str>) -> Literals {
    let mut own = Literals::default();
    own.add_text(&step.description, workspace);
    let instructions = step.instructions.as_deref().or_else(|| plan.instructions_for(&step.executor.id));
    instructions.into_iter().for_each(|text| own.add_text(text, workspace));
    step.input.context.values().for_each(|value| own.add_value(value, workspace));
    own
}

fn named_or_workspace<'a>(paths: impl Iterator<Item = &'a String>) -> Vec<String> {
    let mut named: Vec<String> = paths.cloned().collect();
    named.sort();
    named.dedup();
    if named.is_empty() || named.iter().any(|path| path == WORKSPACE) { vec![WORKSPACE.to_owned()] } else { named }
}

fn writes_files(tool: &ToolSpec) -> bool {
    tool.risk == Risk::Write || (tool.risk == Risk::Destructive && works_on_files(tool))
}

fn works_on_files(tool: &ToolSpec) -> bool {
    let properties = tool.parameters.get("properties").and_then(|properties| properties.as_object());
    tool.source == Source::Core
        && properties.is_some_and(|all| PATH_PARAMETERS.iter().any(|name| all.contains_key(*name)))
}
