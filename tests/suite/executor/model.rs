//! A model that answers by what it is told.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use assent_core::run::Purpose;
use assent_engine::model::scripted::Gate;
use assent_engine::model::{
    Delta, Finish, Message, Model, ModelError, ModelProfile, PlannerProfile, Reply, Request, ToolCall,
};
use async_trait::async_trait;
use serde_json::json;
use tokio::sync::mpsc::UnboundedSender;
use tokio_util::sync::CancellationToken;

type Answering = dyn Fn(&Request, &str, usize) -> Result<Reply, ModelError> + Send + Sync;

/// A model that answers by the request, the task of its step, and how many replies it has given in it.
pub struct TestModel {
    profile: ModelProfile,
    answering: Box<Answering>,
    /// Replies about this task come when its gate is opened.
    late: Option<(String, Gate)>,
    pub requests: Mutex<Vec<Request>>,
}

impl TestModel {
    pub fn new(answering: impl Fn(&Request, &str, usize) -> Reply + Send + Sync + 'static) -> Arc<Self> {
        Self::of(PlannerProfile::Compact, move |request, task, replies| match request.purpose {
            Purpose::Synthesis => text("the answer"),
            _ => answering(request, task, replies),
        })
    }

    /// Gives these replies one after the other.
    pub fn script(planner: PlannerProfile, replies: Vec<Reply>) -> Arc<Self> {
        let left = Mutex::new(replies.into_iter());
        Self::of(planner, move |_, _, _| left.lock().unwrap().next().unwrap())
    }

    /// Answers, or fails, by the number of requests before.
    pub fn counting(answering: impl Fn(usize) -> Result<Reply, ModelError> + Send + Sync + 'static) -> Arc<Self> {
        let asked = AtomicUsize::new(0);
        Self::trying(PlannerProfile::Compact, move |_, _, _| answering(asked.fetch_add(1, Ordering::SeqCst)))
    }

    fn of(
        planner: PlannerProfile,
        answering: impl Fn(&Request, &str, usize) -> Reply + Send + Sync + 'static,
    ) -> Arc<Self> {
        Self::trying(planner, move |request, task, replies| Ok(answering(request, task, replies)))
    }

    fn trying(
        planner: PlannerProfile,
        answering: impl Fn(&Request, &str, usize) -> Result<Reply, ModelError> + Send + Sync + 'static,
    ) -> Arc<Self> {
        let profile =
            ModelProfile { id: "scripted/test".to_owned(), context_tokens: 8192, planner, parallel: 8, local: true };
        Arc::new(Self { profile, answering: Box::new(answering), late: None, requests: Mutex::default() })
    }

    /// The obedient one, whose replies about this task stand at a gate.
    pub fn late_for(task: &str) -> (Arc<Self>, Gate) {
        let gate = Gate::default();
        let mut model = Arc::into_inner(Self::obedient()).unwrap();
        model.late = Some((task.to_owned(), gate.clone()));
        (Arc::new(model), gate)
    }

    /// Does what the task says: `TOOL TEXT, TOOL TEXT` one call after the other, then a text.
    pub fn obedient() -> Arc<Self> {
        Self::new(|_, task, replies| match task.split(", ").nth(replies) {
            Some(order) if order.contains(' ') => {
                let (tool, text) = order.split_once(' ').unwrap();
                call(&[(tool, text)])
            }
            _ => text(&format!("did {task}")),
        })
    }
}

#[async_trait]
impl Model for TestModel {
    fn profile(&self) -> &ModelProfile {
        &self.profile
    }

    async fn reply(
        &self,
        request: &Request,
        _deltas: &UnboundedSender<Delta>,
        _cancel: &CancellationToken,
    ) -> Result<Reply, ModelError> {
        self.requests.lock().unwrap().push(request.clone());
        let told: String = request.messages.iter().filter_map(user_text).collect();
        let after = told.split("Your step now: ").nth(1).unwrap_or_default();
        let task = after.lines().next().unwrap_or_default();
        if let Some((_, gate)) = self.late.as_ref().filter(|(late, _)| late == task) {
            gate.pass().await;
        }
        let replies = request.messages.iter().filter(|message| matches!(message, Message::Assistant { .. })).count();
        (self.answering)(request, task, replies)
    }

    async fn count_tokens(&self, _text: &str) -> Option<u32> {
        None
    }
}

fn user_text(message: &Message) -> Option<&str> {
    match message {
        Message::User { text } => Some(text),
        _ => None,
    }
}

pub fn text(text: &str) -> Reply {
    Reply { text: text.to_owned(), ..Reply::default() }
}

pub fn call(calls: &[(&str, &str)]) -> Reply {
    let calls = calls.iter().enumerate().map(|(at, (tool, text))| ToolCall {
        id: at.to_string(),
        name: (*tool).to_owned(),
        arguments: json!({"text": text}),
    });
    Reply { calls: calls.collect(), finish: Finish::Calls, ..Reply::default() }
}
