//! A plan as a table.

use std::collections::BTreeSet;

use assent_core::plan::{Effects, ExecutorKind, Plan, Step, StepType};

use crate::show::short;
use crate::terminal::{Style, Terminal, clip, plain, wrap};

/// The plan with its steps and what approving it allows.
pub fn table(terminal: &Terminal, plan: &Plan, status: &str, effects: &Effects) -> String {
    let mut lines = vec![format!(
        "{} {}  {}",
        terminal.paint(Style::Strong, &clip(title(plan), terminal.width - 30)),
        terminal.paint(Style::Quiet, &format!("{} v{}", short(plan.id.as_str()), plan.version)),
        terminal.paint(Style::Name, status)
    )];
    if !plan.refined_task.is_empty() && plan.refined_task != plan.title {
        lines.extend(wrap(&plan.refined_task, terminal.width));
    }
    lines.push(String::new());
    let column = plan.steps.iter().map(|step| tools(step).chars().count()).max().unwrap_or(0).min(28);
    for (index, step) in plan.steps.iter().enumerate() {
        lines.extend(row(terminal, index + 1, step, column));
    }
    if plan.read_only {
        let said = "  only looks: you said that nothing may be changed";
        lines.push(terminal.paint(Style::Quiet, said));
    }
    if plan.fallback.used {
        let reason = plan.fallback.reason.as_deref().unwrap_or("no usable plan came back");
        lines.push(terminal.paint(Style::Warn, &format!("  made without a planner: {}", plain(reason))));
    }
    lines.push(String::new());
    lines.push(terminal.paint(Style::Quiet, &allowed(effects)));
    lines.join("\n")
}

/// A plan on one line, for lists.
pub fn line(terminal: &Terminal, plan: &Plan) -> String {
    let steps = if plan.steps.len() == 1 { "1 step".to_owned() } else { format!("{} steps", plan.steps.len()) };
    format!(
        "{}  v{}  {:<9} {}",
        terminal.paint(Style::Name, short(plan.id.as_str())),
        plan.version,
        steps,
        clip(title(plan), terminal.width.saturating_sub(32))
    )
}

fn title(plan: &Plan) -> &str {
    [&plan.title, &plan.refined_task, &plan.user_message].into_iter().find(|text| !text.is_empty()).map_or("", |v| v)
}

fn row(terminal: &Terminal, number: usize, step: &Step, column: usize) -> Vec<String> {
    let tools = clip(&tools(step), column);
    let head = format!(
        "{number:>3}  {:<4} {}{}  ",
        step.id.as_str(),
        terminal.paint(Style::Name, &tools),
        " ".repeat(column - tools.chars().count())
    );
    let indent = 3 + 2 + 5 + column + 2;
    let mut text = step.description.clone();
    if let Some(outcome) = &step.expected_outcome {
        text.push_str(&format!(" → {outcome}"));
    }
    let mut lines = wrap(&text, terminal.width.saturating_sub(indent).max(20)).into_iter();
    let mut rows = vec![format!("{head}{}", lines.next().unwrap_or_default())];
    rows.extend(lines.map(|line| format!("{}{line}", " ".repeat(indent))));
    if let Some(notes) = notes(step) {
        rows.push(format!("{}{}", " ".repeat(indent), terminal.paint(Style::Quiet, &notes)));
    }
    rows
}

fn tools(step: &Step) -> String {
    match step.effective_type() {
        StepType::Tool if step.required_tools.is_empty() => "finds a tool".to_owned(),
        StepType::Tool => plain(&step.required_tools.join(", ")),
        StepType::Reasoning => "thinks".to_owned(),
    }
}

fn notes(step: &Step) -> Option<String> {
    let mut notes = Vec::new();
    if !step.dependencies.is_empty() {
        let ids: Vec<&str> = step.dependencies.iter().map(|id| id.as_str()).collect();
        notes.push(format!("after {}", plain(&ids.join(", "))));
    }
    if step.executor.kind != ExecutorKind::Single && !step.executor.id.is_empty() {
        notes.push(format!("by {}", plain(&step.executor.id)));
    }
    (!notes.is_empty()).then(|| notes.join("  "))
}

fn allowed(effects: &Effects) -> String {
    let list = |items: &BTreeSet<String>| match items.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => "nothing".to_owned(),
        // With whatever else is in it.
        ref some if some.contains(&".") => "this folder".to_owned(),
        ref some => plain(&some.join(", ")),
    };
    let network = match (effects.network, effects.hosts.is_empty()) {
        (_, false) => list(&effects.hosts),
        (true, true) => "yes, asks whom it talks to".to_owned(),
        (false, true) => "no".to_owned(),
    };
    let commands = if effects.commands { "in the sandbox" } else { "no" };
    let mut lines = vec![format!(
        "  may read {}   write {}   run commands: {commands}   network: {network}",
        list(&effects.reads),
        list(&effects.writes)
    )];
    if !effects.destructive.is_empty() {
        lines.push(format!("  cannot be undone, asks each time: {}", list(&effects.destructive)));
    }
    if !effects.open.is_empty() {
        let steps: Vec<&str> = effects.open.iter().map(|id| id.as_str()).collect();
        lines.push(format!("  looks for a tool, which asks before it has effects: {}", plain(&steps.join(", "))));
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use assent_core::plan::Effects;

    use super::allowed;

    #[test]
    fn a_plan_that_talks_to_others_deletes_or_looks_for_a_tool_says_so() {
        let none = Effects::default();
        assert_eq!(allowed(&none), "  may read nothing   write nothing   run commands: no   network: no");
        let talks = Effects { network: true, ..Effects::default() };
        assert!(allowed(&talks).ends_with("network: yes, asks whom it talks to"));
        let named = Effects { hosts: BTreeSet::from(["a.example".to_owned()]), ..talks };
        assert!(allowed(&named).ends_with("network: a.example"));
        let writes = BTreeSet::from([".".to_owned(), "out.md".to_owned()]);
        assert!(allowed(&Effects { writes, ..Effects::default() }).contains("   write this folder   "));
        let destructive = BTreeSet::from(["delete_agent".to_owned()]);
        let worst = Effects { destructive, open: vec!["s2".into()], ..Effects::default() };
        let told = allowed(&worst);
        let more: Vec<&str> = told.lines().skip(1).collect();
        let [deletes, looks] = more[..] else { panic!("{told}") };
        assert_eq!(deletes, "  cannot be undone, asks each time: delete_agent");
        assert_eq!(looks, "  looks for a tool, which asks before it has effects: s2");
    }
}
