//! Whether a tool still is what an approval binds, looked at once more before it is called: files change while a run waits,
//! and those of an agent are read when it begins.

use assent_core::contract::ToolSpec;
use assent_core::plan::Origin;

use super::calls::Ready;
use super::step::Worker;
use crate::heap::Agent;

impl Worker<'_> {
    /// Whether the plan was approved with another tool of this name.
    pub(super) fn is_bound_otherwise(&self, tool: &ToolSpec) -> bool {
        let bound = self.carrier.job.plan.checked().bound(&tool.name);
        bound.is_some_and(|bound| *bound != tool.digest())
    }

    /// Whether an agent, or one that it calls, is another by now than the one that was asked about; or one that calls it is
    /// another than the one that the plan was approved with.
    pub(super) fn agent_has_changed(&self, ready: &Ready) -> bool {
        let heap = &self.carrier.parts.heap;
        let now = heap.now();
        let was = ready.tool.spec();
        let differs = |spec: ToolSpec| spec.template != was.template || self.is_bound_otherwise(&spec);
        if heap.agent_spec(&now, &was.name).is_none_or(differs) {
            return true;
        }
        let is_other = |tool: &str| heap.agent_spec(&now, tool).is_none_or(|spec| self.is_bound_otherwise(&spec));
        let state = self.carrier.state();
        let callers = std::iter::successors(Some(self.at), |at| state.step(*at).parent());
        let mut agents =
            callers.map(|at| state.document(self.carrier.plan(), at)).filter(|step| step.origin == Origin::AgentCall);
        agents.any(|step| is_other(&Agent::tool_of(&step.executor.id)))
    }
}
