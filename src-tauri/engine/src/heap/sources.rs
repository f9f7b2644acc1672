//! A specialist for each source of connected tools, called by the server or folder that stands in front of their names.

use std::collections::HashSet;

use assent_core::contract::Source;
use assent_core::heap::{Overlay, SpecialistSpec};
use assent_core::plan::PLANNER;
use indexmap::IndexMap;

use crate::tool::Catalogue;

/// The specialists of all sources, none of which takes the id of another. One of a pack takes a source's place where it has
/// some of its tools: that is what a person wrote it for. Where it only has the name, both are there.
pub(super) fn specialists(
    catalogue: &Catalogue,
    others: &[SpecialistSpec],
    overlays: &[Overlay],
) -> Vec<SpecialistSpec> {
    let of_packs: Vec<&SpecialistSpec> = overlays.iter().flat_map(|overlay| &overlay.specialists).collect();
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
        let is_another = |one: &&SpecialistSpec| !has_any(one, &of_packs, &tool_names);
        let is_taken = |id: &str, made: &[SpecialistSpec]| {
            let mut others = others.iter().chain(made);
            id == PLANNER
                || others.any(|other| other.id == id)
                || of_packs.iter().copied().filter(is_another).any(|other| other.id == id)
        };
        let mut id = plain.clone();
        while id.is_empty() || is_taken(&id, &made) {
            id.push_str("_tools");
        }
        let description = format!("Has the tools of {plain}, which was connected.");
        made.push(SpecialistSpec { id, description, tool_names, top_level: true, ..SpecialistSpec::default() });
    }
    made
}

/// Whether a specialist or one below it has one of these tools.
fn has_any(one: &SpecialistSpec, all: &[&SpecialistSpec], tools: &[String]) -> bool {
    let (mut open, mut seen) = (vec![one], HashSet::new());
    while let Some(one) = open.pop() {
        if !seen.insert(&one.id) {
            continue;
        }
        let of_parts = one.parts.iter().flat_map(|part| &part.tool_names);
        if one.tool_names.iter().chain(&one.shared_tools).chain(of_parts).any(|tool| tools.contains(tool)) {
            return true;
        }
        open.extend(all.iter().filter(|other| one.children.contains(&other.id)));
    }
    false
}

/// The server or folder that stands in front of the name of a tool.
pub(super) fn source_of(tool: &str) -> Option<&str> {
    bare(tool).split_once('.').map(|(source, _)| source)
}

fn bare(tool: &str) -> &str {
    tool.strip_prefix("mcp.").unwrap_or(tool)
}
