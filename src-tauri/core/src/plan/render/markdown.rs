//! The plan as Markdown.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::line;
use crate::plan::{Effects, ExecutorKind, Plan, Step, StepType};

/// Characters of one text.
const MAX_TEXT: usize = 1_000;

/// The plan as Markdown: title, task, context, a numbered list of steps, and what it may do where that is given.
pub fn to_markdown(plan: &Plan, effects: Option<&Effects>) -> String {
    let title = if plan.title.trim().is_empty() { "Plan" } else { &plan.title };
    let mut out = format!("# {}\n\n", text(title));
    if !plan.refined_task.trim().is_empty() {
        paragraph(&mut out, &format!("**Task:** {}", text(&plan.refined_task)));
    }
    if plan.read_only {
        paragraph(&mut out, "**Only looks:** the message says that nothing may be changed.");
    }
    if plan.fallback.used {
        let reason = plan.fallback.reason.as_deref().unwrap_or("no reason was kept");
        paragraph(&mut out, &format!("**Made without a planner:** {}", text(reason)));
    }
    if !plan.extracted_context.is_empty() {
        out.push_str("## Context\n\n");
        for (name, value) in &plan.extracted_context {
            let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            bullet(&mut out, 0, &format!("{}: {}", text(name), code(&value)));
        }
        out.push('\n');
    }
    out.push_str("## Steps\n\n");
    for (at, step) in plan.steps.iter().enumerate() {
        step_item(&mut out, at, step);
    }
    if let Some(effects) = effects {
        out.push_str("\n## What it may do\n\n");
        may(&mut out, effects);
    }
    out
}

fn paragraph(out: &mut String, content: &str) {
    out.push_str(content);
    out.push_str("\n\n");
}

fn bullet(out: &mut String, depth: usize, content: &str) {
    out.push_str(&" ".repeat(3 * depth));
    out.push_str("- ");
    out.push_str(content);
    out.push('\n');
}

fn step_item(out: &mut String, at: usize, step: &Step) {
    let _ = writeln!(out, "{}. **{}** {}", at + 1, text(step.id.as_str()), text(&step.description));
    let by = match step.executor.kind {
        ExecutorKind::Single => None,
        ExecutorKind::Specialist => Some(step.executor.id.clone()),
        ExecutorKind::Agent => Some(format!("agent {}", step.executor.id)),
    };
    if let Some(by) = by {
        bullet(out, 1, &format!("by: {}", text(&by)));
    }
    match step.effective_type() {
        StepType::Reasoning => bullet(out, 1, "no tools"),
        StepType::Tool if step.required_tools.is_empty() => bullet(out, 1, "tools: looked for when it runs"),
        StepType::Tool => bullet(out, 1, &format!("tools: {}", codes(step.required_tools.iter()))),
    }
    if let Some(outcome) = &step.expected_outcome {
        bullet(out, 1, &format!("outcome: {}", text(outcome)));
    }
    if !step.dependencies.is_empty() {
        let after: Vec<String> = step.dependencies.iter().map(|id| text(id.as_str())).collect();
        bullet(out, 1, &format!("after: {}", after.join(", ")));
    }
}

fn may(out: &mut String, effects: &Effects) {
    let listed = |paths: &BTreeSet<String>| {
        let names = paths.iter().map(|path| if path == "." { "the whole workspace".to_owned() } else { code(path) });
        if paths.is_empty() { "nothing".to_owned() } else { names.collect::<Vec<_>>().join(", ") }
    };
    bullet(out, 0, &format!("may read: {}", listed(&effects.reads)));
    bullet(out, 0, &format!("may write: {}", listed(&effects.writes)));
    let network = match (effects.network, effects.hosts.is_empty()) {
        (false, _) => "none".to_owned(),
        (true, true) => "asks for every host".to_owned(),
        (true, false) => codes(effects.hosts.iter()),
    };
    bullet(out, 0, &format!("network: {network}"));
    bullet(out, 0, if effects.commands { "commands: in the sandbox, without network" } else { "commands: none" });
    if !effects.destructive.is_empty() {
        bullet(out, 0, &format!("asks each time for: {}", codes(effects.destructive.iter())));
    }
    if !effects.open.is_empty() {
        let open: Vec<String> = effects.open.iter().map(|id| text(id.as_str())).collect();
        bullet(out, 0, &format!("looks for a tool, and asks before any effect: {}", open.join(", ")));
    }
}

/// A text that stays a text: nothing in it is markup, HTML or a list.
fn text(raw: &str) -> String {
    let flat = line(raw, MAX_TEXT);
    let mut out = String::with_capacity(flat.len() + 8);
    for (at, letter) in flat.chars().enumerate() {
        let opens_block = at == 0 && matches!(letter, '#' | '>' | '-' | '+' | '=' | '~');
        if opens_block
            || matches!(letter, '\\' | '`' | '*' | '[' | ']' | '<' | '|' | '&' | '$')
            || is_list_number(&flat, at, letter)
        {
            out.push('\\');
        }
        out.push(letter);
    }
    // A bare address would become a link.
    out.replace("://", ":\\//")
}

fn is_list_number(flat: &str, at: usize, letter: char) -> bool {
    matches!(letter, '.' | ')') && at > 0 && flat.chars().take(at).all(|c| c.is_ascii_digit())
}

/// A text as code, in more backticks than it holds in a row.
fn code(raw: &str) -> String {
    let flat = line(raw, MAX_TEXT);
    let longest = flat.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    let pad = if longest > 0 || flat.is_empty() { " " } else { "" };
    format!("{fence}{pad}{flat}{pad}{fence}")
}

fn codes<'a>(names: impl Iterator<Item = &'a String>) -> String {
    names.map(|name| code(name)).collect::<Vec<_>>().join(", ")
}
