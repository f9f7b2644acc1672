//! A specialist for each source of connected tools, called by the server or folder that stands in front of their names.

use assent_core::contract::Source;
use assent_core::heap::SpecialistSpec;
use assent_core::plan::PLANNER;
use indexmap::IndexMap;

use crate::tool::Catalogue;

/// The specialists of all sources, none of which takes the id of another.
pub(super) fn specialists(catalogue: &Catalogue, others: &[SpecialistSpec]) -> Vec<SpecialistSpec> {
    let mut sources: IndexMap<&str, Vec<String>> = IndexMap::new();
    let connected = catalogue.specs().filter(|spec| matches!(spec.source, Source::Mcp | Source::Catalogue));
    for spec in connected {
        let source = source_of(&spec.name).unwrap_or_else(|| bare(&spec.name));
        sources.entry(source).or_default().push(spec.name.clone());
    }
    let mut made: Vec<SpecialistSpec> = Vec::with_capacity(sources.len());
    for (source, tool_names) in sources {
        let mut plain = source.to_owned();
        while plain.contains("__") {
            plain = plain.replace("__", "_");
        }
        let is_taken =
            |id: &str, made: &[SpecialistSpec]| id == PLANNER || others.iter().chain(made).any(|other| other.id == id);
        let mut id = plain.clone();
        while id.is_empty() || is_taken(&id, &made) {
            id.push_str("_tools");
        }
        let description = format!("Has the tools of {plain}, which was connected.");
        made.push(SpecialistSpec { id, description, tool_names, top_level: true, ..SpecialistSpec::default() });
    }
    made
}

/// The server or folder that stands in front of the name of a tool.
pub(super) fn source_of(tool: &str) -> Option<&str> {
    bare(tool).split_once('.').map(|(source, _)| source)
}

fn bare(tool: &str) -> &str {
    tool.strip_prefix("mcp.").unwrap_or(tool)
}
