//! The plan's steps as a Mermaid flowchart.

use std::fmt::Write as _;

use super::line;
use crate::plan::{Plan, StepType, graph};

/// Characters of a node's text.
const MAX_LABEL: usize = 80;

/// A flowchart from the first steps down; rectangles act, rounded nodes think. Unknown dependencies are left out.
pub fn to_mermaid(plan: &Plan) -> String {
    let mut out = "flowchart TD\n".to_owned();
    for (at, step) in plan.steps.iter().enumerate() {
        let tools = step.required_tools.join(", ");
        let mut content = label(&format!("{} {}", step.id, step.description), MAX_LABEL);
        if !tools.is_empty() {
            content.push_str("<br/>");
            content.push_str(&label(&tools, MAX_LABEL));
        }
        let (open, close) = if step.effective_type() == StepType::Tool { ('[', ']') } else { ('(', ')') };
        let _ = writeln!(out, "    n{at}{open}\"{content}\"{close}");
    }
    for (at, needed) in graph::dependencies(&plan.steps).into_iter().enumerate() {
        for needed in needed {
            let _ = writeln!(out, "    n{needed} --> n{at}");
        }
    }
    out
}

/// A text in which only letters, digits and harmless signs stand for themselves; the rest are Mermaid's entity codes.
fn label(raw: &str, limit: usize) -> String {
    let mut out = String::new();
    for letter in line(raw, limit).chars() {
        if letter.is_alphanumeric() || " .,:_/-…".contains(letter) {
            out.push(letter);
        } else {
            let _ = write!(out, "#{};", u32::from(letter));
        }
    }
    out
}
