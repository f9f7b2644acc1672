//! Names of tools on the wire: vendors take letters, digits, `_` and `-` only, our names may have dots.

use std::collections::BTreeMap;

use assent_core::contract::ToolSpec;

const MAX_NAME: usize = 64;

/// The wire names of a request's tools, one to one.
#[derive(Debug, Default)]
pub(crate) struct Names {
    by_wire: BTreeMap<String, String>,
}

impl Names {
    pub(crate) fn of(tools: &[ToolSpec]) -> Self {
        let mut names = Self::default();
        for tool in tools {
            let mut wire = plain(&tool.name);
            let mut number = 2;
            while names.by_wire.contains_key(&wire) {
                let suffix = format!("_{number}");
                wire.truncate(MAX_NAME - suffix.len());
                wire.push_str(&suffix);
                number += 1;
            }
            names.by_wire.insert(wire, tool.name.clone());
        }
        names
    }

    /// How a tool is called on the wire; also for tools that are no longer active.
    pub(crate) fn wire(&self, name: &str) -> String {
        let known = self.by_wire.iter().find(|(_, ours)| *ours == name);
        known.map_or_else(|| plain(name), |(wire, _)| wire.clone())
    }

    /// Our name of what the model called.
    pub(crate) fn ours(&self, wire: &str) -> String {
        self.by_wire.get(wire).cloned().unwrap_or_else(|| wire.to_owned())
    }
}

fn plain(name: &str) -> String {
    let allowed = |character: char| character.is_ascii_alphanumeric() || character == '_' || character == '-';
    let mut wire: String =
        name.chars().map(|character| if allowed(character) { character } else { '_' }).take(MAX_NAME).collect();
    if wire.is_empty() {
        wire.push('_');
    }
    wire
}
