//! The registry of specialists: a forest in which delegators have children and leaves have tools, and the search in it.
//!
//! Invariants of a [`Registry`]: a leaf has at most the cap of tools and no children, a delegator has at most the cap of
//! children and no tools, parents are stored and never read out of names, there is no cycle, and what a cap would cut is
//! split or reported. Whoever has neither is left out and reported. The planner is an entry that never runs.

mod spec;

mod build;
mod registry;

mod delegate;
mod empty;
mod expand;
mod overlay;
mod search;

#[cfg(test)]
mod tests;

pub use build::build;
pub use delegate::child_steps;
pub use expand::{Decision, Expanded, Expansion, Settled, expand_step, expand_to_leaves};
pub use overlay::{Merged, Overlay, merge};
pub use registry::{HeapSnapshot, Owned, Registry};
pub use search::{
    ChoiceOption, Chooser, ChooserFailed, ChooserFailure, Choosing, PathEnd, Question, Search, option, question_at,
    search_from_node, search_heap_path, whole_ids,
};
pub use spec::{
    Caps, EMIT_PLAN, ID_CHARS, OptionGroup, Part, Specialist, SpecialistSpec, TOLD_CHARS, told_in_part, told_of,
};
