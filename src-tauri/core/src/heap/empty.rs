//! Specialists who could do nothing: without tools, and with nobody below them who has any.

use std::collections::{HashMap, HashSet};

use indexmap::IndexMap;

use super::spec::SpecialistSpec;

/// Takes out those who have neither tools nor anybody below them, then whoever had nobody else below; gives their ids.
pub(super) fn take_empty(
    specs: &mut IndexMap<&str, &SpecialistSpec>,
    children: &mut HashMap<String, Vec<String>>,
) -> Vec<String> {
    let mut below: HashMap<&str, usize> = HashMap::new();
    let mut parent_of: HashMap<&str, &str> = HashMap::new();
    for (id, own) in children.iter() {
        below.insert(id, own.len());
        parent_of.extend(own.iter().map(|child| (child.as_str(), id.as_str())));
    }
    let has_tools = |id: &str| specs.get(id).is_some_and(|spec| has_tools(spec));
    let nobody = |id: &&str| below.get(id).is_none_or(|count| *count == 0);
    let mut open: Vec<&str> = specs.keys().copied().filter(|id| !has_tools(id) && nobody(id)).collect();
    let mut empty: HashSet<String> = HashSet::new();
    while let Some(id) = open.pop() {
        empty.insert(id.to_owned());
        if let Some(above) = parent_of.get(id)
            && let Some(count) = below.get_mut(above)
        {
            *count -= 1;
            open.extend((*count == 0 && !has_tools(above)).then_some(*above));
        }
    }
    let taken = specs.keys().filter(|id| empty.contains(**id)).map(|id| (*id).to_owned()).collect();
    specs.retain(|id, _| !empty.contains(*id));
    children.values_mut().for_each(|own| own.retain(|child| !empty.contains(child)));
    taken
}

fn has_tools(spec: &SpecialistSpec) -> bool {
    let in_parts = || spec.parts.iter().any(|part| !part.tool_names.is_empty());
    !spec.tool_names.is_empty() || !spec.shared_tools.is_empty() || in_parts()
}
