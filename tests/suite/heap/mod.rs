//! The heap of specialists in a real turn: whoever is named is brought to a leaf before anything runs, no model sees the
//! tools of others, and what was chosen is kept.

mod again;
mod agents;
mod channels;
mod compiled;
mod crawl;
mod delegating;
mod expanding;
mod general;
mod handed;
mod kept;
mod made_here;
mod next_steps;
mod on_demand;
mod own_limits;
mod parallel;
mod stopping;
pub mod studio;
mod thinking;
