//! Contracts: who has them, and their fields.

use assent_core::contract::{Field, Fields};
use assent_engine::engine::{ContractLine, ContractView};

use crate::terminal::{Style, Terminal, clip, plain};

/// One who has contracts.
pub fn line(terminal: &Terminal, line: &ContractLine) -> String {
    let from = line.pack.as_ref().map(|pack| format!(" [{}]", plain(pack))).unwrap_or_default();
    let room = terminal.width.saturating_sub(line.name.chars().count() + from.len() + 2);
    format!("{}{from}  {}", terminal.paint(Style::Name, &plain(&line.name)), clip(&plain(&line.description), room))
}

/// The contracts of one.
pub fn whole(terminal: &Terminal, view: &ContractView) {
    terminal.line(&line(terminal, &view.line));
    if let Some(model) = &view.model {
        terminal.line(&format!("asks the model {}", plain(model)));
    }
    for (title, fields) in [("Input", &view.input), ("Output", &view.output)] {
        terminal.line("");
        match fields {
            Some(fields) => list(terminal, title, fields),
            None if view.line.is_agent => terminal.line(&format!("{title}: no contract, anything goes")),
            None => terminal.line(&format!("{title}: not described")),
        }
    }
    if let Some(prompt) = &view.prompt {
        terminal.line("");
        terminal.line("What it is told of an example");
        prompt.lines().for_each(|one| terminal.line(&format!("  {}", plain(one))));
    }
}

fn list(terminal: &Terminal, title: &str, fields: &Fields) {
    terminal.line(title);
    fields.fields.iter().for_each(|field| one(terminal, field));
    if fields.fields.is_empty() {
        terminal.line("  it names no fields");
    }
    if fields.cut {
        terminal.note("there are more fields than are shown");
    }
}

fn one(terminal: &Terminal, field: &Field) {
    let indent = "  ".repeat(field.depth + 1);
    let required = if field.required { " (required)" } else { "" };
    let name = terminal.paint(Style::Name, &plain(&field.name));
    terminal.line(&format!("{indent}{name}{required}  {}", plain(&field.takes)));
    let told = [
        Some(field.description.clone()).filter(|text| !text.is_empty()),
        field.default.as_ref().map(|value| format!("default {value}")),
        field.example.as_ref().map(|value| format!("for example {value}")),
    ];
    for text in told.into_iter().flatten() {
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        terminal.line(&terminal.paint(Style::Quiet, &format!("{indent}    {}", plain(&text))));
    }
}
