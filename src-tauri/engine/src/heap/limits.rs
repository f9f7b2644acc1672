//! Where an agent ends, as its file says. An agent may have more replies than a plan gives a step, but never more time
//! for a call, and its tokens count against those of its branch as well: what a pack says spends nothing of a person's.

use std::ops::RangeInclusive;

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};

const REPLIES: RangeInclusive<u32> = 1..=200;
const TOKENS: RangeInclusive<u32> = 1_000..=10_000_000;
const SECONDS: RangeInclusive<u32> = 1..=3_600;

/// Limits of an agent, by the names of a plan's; what is not said is as the plan has it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgentLimits {
    /// Replies in one attempt of its step, 1 to 200, in the place of the plan's `stepIterations`.
    #[serde(default, deserialize_with = "replies", skip_serializing_if = "Option::is_none")]
    pub step_iterations: Option<u32>,
    /// Tokens, read and written, of its step and all below it, 1,000 to 10,000,000, before a person is asked.
    #[serde(default, deserialize_with = "tokens", skip_serializing_if = "Option::is_none")]
    pub branch_tokens: Option<u32>,
    /// Seconds that one of its tool calls may take, 1 to 3,600, where that is less than the plan's `callSeconds`.
    #[serde(default, deserialize_with = "seconds", skip_serializing_if = "Option::is_none")]
    pub call_seconds: Option<u32>,
}

impl AgentLimits {
    /// Whether nothing is said.
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }
}

fn replies<'de, D: Deserializer<'de>>(from: D) -> Result<Option<u32>, D::Error> {
    within(from, &REPLIES)
}

fn tokens<'de, D: Deserializer<'de>>(from: D) -> Result<Option<u32>, D::Error> {
    within(from, &TOKENS)
}

fn seconds<'de, D: Deserializer<'de>>(from: D) -> Result<Option<u32>, D::Error> {
    within(from, &SECONDS)
}

fn within<'de, D: Deserializer<'de>>(from: D, range: &RangeInclusive<u32>) -> Result<Option<u32>, D::Error> {
    let value = i64::deserialize(from)?;
    let fits = u32::try_from(value).ok().filter(|value| range.contains(value));
    let wrong = || D::Error::custom(format!("{value} is no such limit: it is {} to {}", range.start(), range.end()));
    fits.map(Some).ok_or_else(wrong)
}
