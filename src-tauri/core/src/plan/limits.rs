//! Where repetition and waiting end.

use serde::{Deserialize, Serialize};

const USUAL_BRANCH_CALLS: u32 = 100;
const USUAL_BRANCH_TOKENS: u32 = 1_000_000;
const USUAL_CALL_SECONDS: u32 = 600;

// Usual values are not written: plans that were approved before there were such limits keep their digest.
fn is_usual_calls(calls: &u32) -> bool {
    *calls == USUAL_BRANCH_CALLS
}

fn is_usual_tokens(tokens: &u32) -> bool {
    *tokens == USUAL_BRANCH_TOKENS
}

fn is_usual_seconds(seconds: &u32) -> bool {
    *seconds == USUAL_CALL_SECONDS
}

/// Where repetition and waiting end. Reaching one is an event and leaves a definite status.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "bindings", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", default)]
pub struct Limits {
    /// Further planner calls after one that could not be used.
    pub planner_retries: u32,
    /// Further model calls in a step whose required tools are missing.
    pub tool_validation_retries: u32,
    /// Further model calls for an output that breaks its contract.
    pub output_retries: u32,
    /// Further calls of an agent after an input that breaks its contract.
    pub input_retries: u32,
    /// Model calls in one attempt of a step.
    pub step_iterations: u32,
    /// Levels of delegation: how many steps may stand above one.
    pub depth: u32,
    /// Tool calls of a step and all steps below it, before a person is asked.
    #[serde(skip_serializing_if = "is_usual_calls")]
    #[cfg_attr(feature = "bindings", ts(optional, as = "Option<_>"))]
    pub branch_calls: u32,
    /// Tokens of a step and all steps below it, read and written, before a person is asked.
    #[serde(skip_serializing_if = "is_usual_tokens")]
    #[cfg_attr(feature = "bindings", ts(optional, as = "Option<_>"))]
    pub branch_tokens: u32,
    /// Seconds that one tool call may take. The time in which it waits for a person does not count.
    #[serde(skip_serializing_if = "is_usual_seconds")]
    #[cfg_attr(feature = "bindings", ts(optional, as = "Option<_>"))]
    pub call_seconds: u32,
    /// Steps at the same time; the endpoint's own limit also holds.
    pub max_parallel_steps: u32,
    /// Estimated tokens of all tool schemas in one request.
    pub tool_token_budget: u32,
    /// Characters of one tool result that a model is shown; the whole is kept.
    pub tool_result_max_length: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            planner_retries: 1,
            tool_validation_retries: 2,
            output_retries: 3,
            input_retries: 3,
            step_iterations: 5,
            depth: 5,
            branch_calls: USUAL_BRANCH_CALLS,
            branch_tokens: USUAL_BRANCH_TOKENS,
            call_seconds: USUAL_CALL_SECONDS,
            max_parallel_steps: 4,
            tool_token_budget: 3800,
            tool_result_max_length: 60_000,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::Limits;

    #[test]
    fn limits_that_came_later_are_written_only_where_they_are_not_usual() {
        let written = |limits: &Limits| serde_json::to_value(limits).unwrap();
        let usual = written(&Limits::default());
        for (name, value) in [("branchCalls", 7), ("branchTokens", 7_000), ("callSeconds", 7)] {
            assert_eq!(usual.get(name), None, "plans that were approved without it keep their digest");
            let mut changed = usual.clone();
            changed[name] = json!(value);
            let read: Limits = serde_json::from_value(changed.clone()).unwrap();
            assert_eq!(written(&read), changed);
        }
        assert_eq!(serde_json::from_value::<Limits>(Value::Object(Default::default())).unwrap(), Limits::default());
    }
}
