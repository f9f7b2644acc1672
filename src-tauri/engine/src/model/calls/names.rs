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

/// The tools that may be called, however a model writes their names.
pub(crate) struct Tools<'a> {
    specs: &'a [ToolSpec],
    names: Names,
}

impl<'a> Tools<'a> {
    pub(crate) fn of(specs: &'a [ToolSpec]) -> Self {
        Self { specs, names: Names::of(specs) }
    }

    /// The tool of a name: ours, that of the wire, or either as some families dress it.
    pub(crate) fn spec(&self, written: &str) -> Option<&'a ToolSpec> {
        let of = |name: &str| {
            let ours = self.names.by_wire.get(name).map_or(name, String::as_str);
            self.specs
                .iter()
                .find(|spec| spec.name == name)
                .or_else(|| self.specs.iter().find(|spec| spec.name == ours))
        };
        // gpt-oss and Kimi put functions in a space of names; built-in tools of Llama are objects with one method.
        let bare = written.strip_prefix("functions.").unwrap_or(written);
        // Now and then gpt-oss writes what its arguments are without a space behind the name.
        let forms = [written, bare].into_iter().chain(bare.strip_suffix("json")).chain(written.strip_suffix(".call"));
        forms.into_iter().find_map(of)
    }

    /// Our name of what was written; what is no tool keeps its name.
    pub(crate) fn ours(&self, written: &str) -> String {
        self.spec(written).map_or(written, |spec| spec.name.as_str()).to_owned()
    }

    /// The schema of a tool's parameter.
    pub(crate) fn parameter(&self, tool: &str, name: &str) -> Option<&'a serde_json::Value> {
        self.spec(tool)?.parameters.get("properties")?.get(name)
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
