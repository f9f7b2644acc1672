//! What registries are tried on.

mod building_tests;
mod searching_tests;

use std::collections::VecDeque;
use std::future::Future;
use std::pin::pin;
use std::sync::Mutex;
use std::task::{Context, Poll, Waker};

use super::{Caps, Chooser, ChooserFailed, ChooserFailure, Choosing, Question, Registry, SpecialistSpec, build};

/// `count` tools called `prefix0` …
fn tools(prefix: &str, count: usize) -> Vec<String> {
    (0..count).map(|n| format!("{prefix}{n}")).collect()
}

/// A top-level specialist with tools of its own.
fn spec(id: &str, tool_names: Vec<String>) -> SpecialistSpec {
    SpecialistSpec {
        id: id.into(),
        description: format!("does {id}"),
        tool_names,
        top_level: true,
        ..SpecialistSpec::default()
    }
}

fn parent(id: &str, children: &[&str]) -> SpecialistSpec {
    SpecialistSpec { children: children.iter().map(|id| (*id).to_owned()).collect(), ..spec(id, vec![]) }
}

/// A registry without faults.
fn sound(specs: &[SpecialistSpec]) -> Registry {
    let (registry, faults) = build(specs, Caps::default());
    assert_eq!(faults, []);
    registry
}

/// Gives the scripted answers one by one and keeps every question; without an answer it fails.
#[derive(Default)]
struct Script {
    answers: Mutex<VecDeque<Result<Vec<String>, ChooserFailed>>>,
    asked: Mutex<Vec<Question>>,
}

impl Script {
    fn of(answers: &[&[&str]]) -> Self {
        let own = |ids: &&[&str]| Ok(ids.iter().map(|id| (*id).to_owned()).collect());
        Self { answers: Mutex::new(answers.iter().map(own).collect()), ..Self::default() }
    }

    /// For each question its parent and the ids of its options.
    fn asked(&self) -> Vec<(Option<String>, Vec<String>)> {
        let asked = self.asked.lock().unwrap();
        asked
            .iter()
            .map(|one| (one.parent.clone(), one.options.iter().map(|option| option.id.clone()).collect()))
            .collect()
    }

    fn calls(&self) -> usize {
        self.asked.lock().unwrap().len()
    }
}

impl Chooser for Script {
    fn choose(&self, question: Question) -> Choosing<'_> {
        self.asked.lock().unwrap().push(question);
        let answer = self.answers.lock().unwrap().pop_front();
        Box::pin(async move { answer.unwrap_or_else(|| Err(failed("no answer"))) })
    }
}

fn failed(reason: &str) -> ChooserFailed {
    ChooserFailed { reason: reason.to_owned(), failure: ChooserFailure::NoAnswer }
}

/// Runs a future that never has to wait.
fn now<T>(future: impl Future<Output = T>) -> T {
    let mut future = pin!(future);
    match future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => panic!("the future waits"),
    }
}
