//! Where repetition ends: the replies of a step, and the calls and tokens of its branch, which is the outermost step
//! above it with all that hangs below. Reaching a limit is an event; where work would be lost, a person decides.

use assent_core::plan::{Origin, StepType};
use assent_core::run::{CallState, Durability, EventKind, Exchange, RunState, StepStatus, Usage};

use super::calls::Ready;
use super::error::Stop;
use super::step::Worker;
use super::verify::Judgement;
use super::{left_behind, suspend, verify, words};

const STEP_ITERATIONS: &str = "stepIterations";
const BRANCH_TOKENS: &str = "branchTokens";
const BRANCH_CALLS: &str = "branchCalls";

impl Worker<'_> {
    /// How many replies this attempt may still ask for. One that had an agent called is not counted: the agent has
    /// replies of its own, and how many are called has a limit of its own.
    pub(super) fn replies_left(&self) -> u32 {
        let limit = self.carrier.step_iterations(self.at);
        let state = self.carrier.state();
        let step = state.step(self.at);
        let agents = step.children().iter().filter(|child| self.carrier.step(**child).origin == Origin::AgentCall);
        let agents = u32::try_from(agents.count()).unwrap_or(u32::MAX);
        let allowed = limit.saturating_mul(1 + step.extensions(STEP_ITERATIONS));
        allowed.saturating_add(agents).saturating_sub(step.iterations)
    }

    /// The end of a step that has had as many replies as it may have.
    pub(super) async fn at_limit(&self) -> Result<(), Stop> {
        let limit = self.carrier.step_iterations(self.at);
        let used = self.carrier.state().step(self.at).iterations;
        let reached = reached(STEP_ITERATIONS, limit);
        let words = self.last_words()?;
        let (satisfied, made_calls) = {
            let state = self.carrier.state();
            let step = self.plan_step();
            // What a reasoning step is there for are its words, whatever it has called.
            let said = step.effective_type() == StepType::Tool || !words::is_filler(&words);
            (said && verify::is_satisfied(&state, self.at, step), state.called(self.at).next().is_some())
        };
        // A result that has to fit a contract, and does not by now, is none.
        if satisfied && made_calls && self.plan_step().contracts.output.is_none() {
            return self.settle_at(reached, used, &words).await;
        }
        if !made_calls {
            if let Some(fault) = self.last_refused() {
                let reason =
                    format!("This step has used its {used} replies, and what it wanted to call was refused: {fault}.");
                return self.put_before_a_person(None, reached, &reason).await;
            }
            let reason = format!("no usable result within {used} replies");
            let ended = self.ending(StepStatus::Failed, None, Some(reason));
            return self.write(vec![reached, ended], Durability::Queued).await;
        }
        let reason = format!("This step has used its {used} replies and is not done.");
        self.put_before_a_person(None, reached, &reason).await
    }

    /// The end of such a step that has called all that it has to: where it has not written what it names, its work is not
    /// done, and a person decides.
    async fn settle_at(&self, reached: EventKind, used: u32, words: &str) -> Result<(), Stop> {
        let mask = self.carrier.parts.vault.mask().await;
        let judgement = {
            let state = self.carrier.state();
            let validation = verify::validation(&state, self.at, self.plan_step());
            let lacking = self.lacking(&state, &mask)?;
            left_behind::settled(self.carrier.plan(), &state, self.at, &lacking, false, validation)
        };
        match judgement {
            Judgement::Fail { reason, .. } => {
                let reason = format!("This step has used its {used} replies. {reason}.");
                self.put_before_a_person(None, reached, &reason).await
            }
            Judgement::Complete { warning, .. } => self.complete_at(reached, warning, words).await,
            Judgement::Reprompt(_) | Judgement::Enforce { .. } => self.complete_at(reached, None, words).await,
        }
    }

    /// Why the last call was refused that this attempt wanted to make.
    fn last_refused(&self) -> Option<String> {
        let state = self.carrier.state();
        let calls = state.step(self.at).exchange.iter().rev().filter_map(|item| match item {
            Exchange::Reply(reply) => Some(&reply.calls),
            _ => None,
        });
        calls.flat_map(|calls| calls.iter().rev()).find_map(|entry| match &state.ledger()[*entry].state {
            CallState::Refused(fault) => Some(fault.message.clone()),
            _ => None,
        })
    }

    /// What the model said last without a call; nothing where it has not.
    fn last_words(&self) -> Result<String, Stop> {
        let said = {
            let state = self.carrier.state();
            let wordy = |item: &Exchange| match item {
                Exchange::Reply(reply) if reply.calls.is_empty() => reply.text.clone(),
                _ => None,
            };
            state.step(self.at).exchange.iter().rev().find_map(wordy)
        };
        Ok(said.map(|said| self.carrier.value(&said).map(|said| words::plain(&said))).transpose()?.unwrap_or_default())
    }

    /// Asks a person where the branch has used up its tokens, or an agent in it its own; whether that is so.
    pub(super) async fn out_of_tokens(&self) -> Result<bool, Stop> {
        let (used, limit) = (self.used(), self.carrier.plan().limits.branch_tokens);
        let (reached, reason) = if used.is_out_of_tokens(limit) {
            let reason = format!("This step and those it belongs to have used {} tokens.", used.tokens);
            (reached(BRANCH_TOKENS, limit), reason)
        } else if let Some((tokens, limit, name)) = self.out_of_its_own() {
            let reason = format!("The agent {name} has used {tokens} tokens, and is to use {limit}.");
            (reached(&tokens_of(&name), limit), reason)
        } else {
            return Ok(false);
        };
        self.put_before_a_person(None, reached, &reason).await?;
        Ok(true)
    }

    /// Asks a person where the branch has made as many calls as it may make; whether it has.
    pub(super) async fn out_of_calls(&self, ready: &Ready) -> Result<bool, Stop> {
        let (used, limit) = (self.used(), self.carrier.plan().limits.branch_calls);
        if !used.is_out_of_calls(limit) {
            return Ok(false);
        }
        let reason = format!("This step and those it belongs to have made {} tool calls.", used.calls);
        self.put_before_a_person(Some(ready), reached(BRANCH_CALLS, limit), &reason).await?;
        Ok(true)
    }

    /// The tokens that an agent has used that this step works for, where its own limit is reached: the innermost.
    fn out_of_its_own(&self) -> Option<(u64, u32, String)> {
        let above = {
            let state = self.carrier.state();
            std::iter::successors(Some(self.at), |at| state.step(*at).parent()).collect::<Vec<_>>()
        };
        above.into_iter().find_map(|at| {
            let agent = self.carrier.agent_of(at)?;
            let limit = agent.limits.branch_tokens?;
            let used = Used::of(&self.carrier.state(), [at], &tokens_of(&agent.name));
            used.is_out_of_tokens(limit).then(|| (used.tokens, limit, agent.name.clone()))
        })
    }

    fn used(&self) -> Used {
        let state = self.carrier.state();
        Used::of(&state, self.carrier.branches.with(state.outermost(self.at)), BRANCH_TOKENS)
    }

    pub(super) async fn put_before_a_person(
        &self,
        ready: Option<&Ready>,
        reached: EventKind,
        reason: &str,
    ) -> Result<(), Stop> {
        let request = suspend::cap(self, ready, reason);
        self.write(vec![reached, suspend::opened(request)], Durability::Committed).await
    }
}

/// What a branch has used.
#[derive(Default)]
struct Used {
    tokens: u64,
    calls: u64,
    /// How often a person has said "keep going" in it, at the limit of tokens that is asked for and at that of calls.
    more_tokens: u64,
    more_calls: u64,
}

impl Used {
    /// That of these steps and all below them, to be held against the limit of tokens of this name. What earlier attempts
    /// have delegated counts as little as what they used themselves.
    fn of(state: &RunState, tops: impl IntoIterator<Item = usize>, tokens: &str) -> Self {
        let mut used = Self::default();
        tops.into_iter().flat_map(|top| state.with_parts(top)).for_each(|at| used.add(state, at, tokens));
        used
    }

    fn add(&mut self, state: &RunState, at: usize, of_tokens: &str) {
        let step = state.step(at);
        // A person who has a step tried again lets it begin anew: what it used before counts against no limit.
        let tokens = |usage: Usage| u64::from(usage.input) + u64::from(usage.output);
        self.tokens += tokens(step.usage) - tokens(step.used_before);
        self.calls += state.entries_of(at).filter(|entry| entry.started_at.is_some()).count() as u64;
        self.more_tokens += u64::from(step.extensions(of_tokens));
        self.more_calls += u64::from(step.extensions(BRANCH_CALLS));
    }

    /// Whether a limit is used up, which counts once more for each time that a person has let the branch go on at it.
    fn is_out_of_tokens(&self, limit: u32) -> bool {
        self.tokens >= u64::from(limit).saturating_mul(1 + self.more_tokens)
    }

    fn is_out_of_calls(&self, limit: u32) -> bool {
        self.calls >= u64::from(limit).saturating_mul(1 + self.more_calls)
    }
}

/// The name of an agent's own limit of tokens: more at it is more at no other.
fn tokens_of(agent: &str) -> String {
    format!("{agent}.{BRANCH_TOKENS}")
}

/// The event of a limit, by its name in the plan.
pub(super) fn reached(limit: &str, value: u32) -> EventKind {
    EventKind::LimitReached { limit: limit.to_owned(), value }
}
