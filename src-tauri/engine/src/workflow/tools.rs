//! The tools by which workflows are shown, made, changed, run, answered and removed.

use std::sync::{Arc, Weak};
use std::time::Duration;

use assent_core::contract::{Risk, ToolSpec};
use assent_core::run::{Decider, PlanStatus, RunStatus};
use async_trait::async_trait;
use serde::Deserialize;
use serde_json::{Value, json};

use super::runs::Followed;
use super::{Begun, Ended, Workflow, WorkflowError, Workflows};
use crate::studio::spec;
use crate::texts::literal;
use crate::tool::{CallContext, Effects, Outcome, Tool, ToolStop};

/// So long before its time is up a call stops waiting for a run, which goes on.
const MARGIN: Duration = Duration::from_secs(5);
/// So long a run may take to end that is stopped.
const STOPPING: Duration = Duration::from_millis(400);
/// Runs that are told of a workflow.
const RUNS: usize = 10;

/// What a tool does with workflows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Act {
    List,
    Get,
    Create,
    Update,
    Delete,
    Run,
    Respond,
}

struct WorkflowTool {
    spec: ToolSpec,
    act: Act,
    workflows: Weak<Workflows>,
}

/// The tools about workflows. To run a version that nobody has approved always asks a person, who is shown what it may
/// do; so does a reply to a run, because only a person's word settles what it asked.
pub fn workflow_tools(workflows: &Arc<Workflows>) -> Vec<Arc<dyn Tool>> {
    let Parameters { nothing, name, version, document, reply } = parameters();
    let made = |act: Act, called: &str, risk: Risk, description: &str, parameters: Value| -> Arc<dyn Tool> {
        let spec = spec(called, risk, description, parameters);
        Arc::new(WorkflowTool { spec, act, workflows: Arc::downgrade(workflows) })
    };
    vec![
        made(
            Act::List,
            "list_workflows",
            Risk::Read,
            "Lists the workflows that were saved here, with how their latest runs went.",
            nothing,
        ),
        made(
            Act::Get,
            "get_workflow",
            Risk::Read,
            "Shows one workflow: its steps, what it may do, its runs.",
            name.clone(),
        ),
        made(
            Act::Create,
            "create_workflow",
            Risk::Write,
            "Saves steps as a workflow that can be run again and again. It runs nothing, and nothing starts it at a time; a name \
             that is taken is refused.",
            document.clone(),
        ),
        made(
            Act::Update,
            "update_workflow",
            Risk::Write,
            "Saves a workflow's next version, all of its steps anew. It runs once a person has approved it.",
            document,
        ),
        made(
            Act::Delete,
            "delete_workflow",
            Risk::Destructive,
            "Removes a workflow with all its runs. It cannot be undone.",
            name,
        ),
        made(
            Act::Run,
            "run_workflow",
            Risk::Execute,
            "Runs a workflow now. A person is asked when that version was never approved.",
            version,
        ),
        made(
            Act::Respond,
            "respond_to_run",
            Risk::Destructive,
            "Gives a run of a workflow that waits for help the person's reply, and goes on with it.",
            reply,
        ),
    ]
}

/// The schemas of what the tools take.
struct Parameters {
    nothing: Value,
    name: Value,
    version: Value,
    document: Value,
    reply: Value,
}

fn parameters() -> Parameters {
    let name = literal!({"type": "string", "description": "the workflow's name, such as weekly-report"});
    let task = literal!({"type": "string", "description": "what it does, in one sentence, with the URLs it needs"});
    let title = literal!({"type": "string", "description": "a few words for lists"});
    let version =
        literal!({"type": "integer", "minimum": 1, "description": "the version; the latest where none is said"});
    let step = literal!({
        "type": "object",
        "properties": {
            "do": {"type": "string", "description": "what the step does"},
            "tools": {"type": "array", "items": {"type": "string"}, "description": "tools that it has to call; none: it thinks"},
            "specialist": {"type": "string", "description": "who does it; an agent, for instance"},
            "expect": {"type": "string", "description": "what is there afterwards"},
            "after": {"type": "array", "items": {"type": "integer"}, "description": "numbers of the steps it builds on, from 1"}
        },
        "required": ["do"],
        "additionalProperties": false
    });
    let steps = json!({"type": "array", "items": step, "minItems": 1});
    let when = json!({"type": "string", "description": "when it is to run, in the person's words, such as every Monday at 8; it is \
        kept and shown, and starts nothing"});
    let object = |properties: Value, required: Value| json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false});
    let document = json!({"name": name, "task": task, "steps": steps, "title": title, "when": when});
    let reply = literal!({"type": "string", "description": "the person's words"});
    let request = literal!({"type": "string", "description": "the request, where several wait"});
    Parameters {
        nothing: object(json!({}), json!([])),
        name: object(json!({"name": name}), json!(["name"])),
        version: object(json!({"name": name, "version": version}), json!(["name"])),
        document: object(document, json!(["name", "task", "steps"])),
        reply: object(json!({"name": name, "reply": reply, "request": request}), json!(["name", "reply"])),
    }
}

#[derive(Deserialize)]
struct Arguments {
    #[serde(default)]
    name: String,
    #[serde(default)]
    task: String,
    title: Option<String>,
    #[serde(default)]
    steps: Value,
    when: Option<String>,
    version: Option<u32>,
    #[serde(default)]
    reply: String,
    request: Option<String>,
}

impl WorkflowTool {
    fn asked(&self, arguments: &Value) -> Option<(Arc<Workflows>, Arguments)> {
        Some((self.workflows.upgrade()?, serde_json::from_value(arguments.clone()).ok()?))
    }

    async fn act(
        &self,
        workflows: Arc<Workflows>,
        asked: Arguments,
        context: &CallContext,
    ) -> Result<Value, WorkflowError> {
        let name = asked.name.as_str();
        match self.act {
            Act::List => Ok(json!({"workflows": workflows.list()?})),
            Act::Get => {
                let runs = workflows.runs(name, RUNS)?.into_iter();
                let runs: Vec<Value> =
                    runs.map(|run| json!({"run": run.id, "version": run.plan.version, "status": run.status})).collect();
                let plan = workflows.shown(name, asked.version)?;
                Ok(json!({"workflow": workflows.get(name)?, "plan": plan, "runs": runs}))
            }
            Act::Create => {
                let when = asked.when.as_deref();
                let plan = workflows.written(asked.title.as_deref(), &asked.task, &asked.steps, when)?;
                let made = workflows.create(name, plan, &context.workspace).await?;
                let starts = starts(&made);
                Ok(json!({"created": made.name, "version": made.plan.version, "status": made.status, "starts": starts}))
            }
            Act::Update => {
                let when = asked.when.or(workflows.get(name)?.when);
                let plan = workflows.written(asked.title.as_deref(), &asked.task, &asked.steps, when.as_deref())?;
                let made = workflows.update(name, Some(plan)).await?;
                let starts = starts(&made);
                Ok(json!({"changed": made.name, "version": made.plan.version, "status": made.status, "starts": starts}))
            }
            Act::Delete => {
                workflows.delete(name).await?;
                Ok(json!({"deleted": name}))
            }
            // A version that is not approved has a consequence that a person was told, word for word, before a call gets
            // as far as this: the executor sees to it. That one they were shown.
            Act::Run => {
                let word = asked.version.map(|_| Decider::User);
                let begun = workflows.begin(name, asked.version, word).await?;
                follow(workflows, begun, context).await
            }
            Act::Respond => {
                let begun = workflows.reply(name, asked.request.as_deref(), &asked.reply).await?;
                follow(workflows, begun, context).await
            }
        }
    }
}

#[async_trait]
impl Tool for WorkflowTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn effects(&self, arguments: &Value) -> Effects {
        let asks = match (self.act, self.asked(arguments)) {
            (Act::Run, Some((workflows, asked))) => asked.version.is_some_and(|version| {
                !matches!(workflows.status(&asked.name, Some(version)), Ok(PlanStatus::Approved))
            }),
            _ => false,
        };
        Effects::none(if asks { Risk::Destructive } else { self.spec.risk })
    }

    fn consequence(&self, arguments: &Value) -> Option<String> {
        let (workflows, asked) = self.asked(arguments)?;
        match self.act {
            Act::Run if self.effects(arguments).risk == Risk::Destructive => {
                let (name, version) = (&asked.name, asked.version?);
                let shown = workflows.shown(name, Some(version)).unwrap_or_else(|error| error.to_string());
                Some(format!(
                    "It runs version {version} of the workflow {name}, which was never approved. Allowing it approves \
                     that version, now and for later runs.\n\n{shown}"
                ))
            }
            Act::Respond => {
                let row = workflows.help(&asked.name, asked.request.as_deref()).ok()?;
                // Its id, because the same words may be asked once more, and what a person allows is the reply to this one.
                let (name, id, asks) = (&asked.name, &row.request.id, &row.request.prompt);
                Some(format!("The workflow {name} asks (request {id}): {asks}\nIt would be told: {}", asked.reply))
            }
            _ => None,
        }
    }

    async fn call(&self, arguments: Value, context: &CallContext) -> Result<Outcome, ToolStop> {
        let failed = |message: String| Ok(Outcome::Error { message, output: Value::Null });
        let Some((workflows, asked)) = self.asked(&arguments) else {
            return failed("the arguments cannot be read, or the program is ending".to_owned());
        };
        let acted = self.act(workflows, asked, context).await;
        if context.cancel.is_cancelled() {
            return Err(ToolStop::Cancelled);
        }
        match acted {
            Ok(output)
                if output["status"] == json!(RunStatus::Failed) || output["status"] == json!(RunStatus::Cancelled) =>
            {
                let (run, why) = (&output["run"], output["error"].as_str().unwrap_or("it was stopped"));
                failed(format!("the run {run} did not come to its end: {why}"))
            }
            Ok(output) => Ok(Outcome::Success(output)),
            Err(error) => failed(error.to_string()),
        }
    }
}

/// What starts a workflow: who is told that it will run every morning would wait for it.
fn starts(made: &Workflow) -> String {
    let kept = made
        .when
        .as_ref()
        .map(|when| format!(" That it is to run {when:?} is kept with it and shown."))
        .unwrap_or_default();
    format!(
        "Only when somebody runs it.{kept} Nothing starts it at a time by itself: tell the person so, and that a timer of their \
         system can call: assent workflow run {}",
        made.name
    )
}

/// Carries a run on beside the call, which tells how it ended, or that it goes on where that takes longer than the call
/// may. Who stops the call stops the run.
async fn follow(workflows: Arc<Workflows>, begun: Begun, context: &CallContext) -> Result<Value, WorkflowError> {
    let Followed { mut carrying, stop } = workflows.follow(&begun);
    let patience = context.limit.saturating_sub(MARGIN).max(context.limit / 2);
    let carried = tokio::select! {
        carried = &mut carrying => Some(carried),
        () = context.cancel.cancelled() => {
            stop.cancel();
            tokio::time::timeout(STOPPING, &mut carrying).await.ok()
        }
        () = tokio::time::sleep(patience) => None,
    };
    match carried {
        Some(Ok(end)) => drop(end?),
        Some(Err(broken)) => return Err(WorkflowError::Request(format!("the run broke: {broken}"))),
        None => {}
    }
    let told: Ended = workflows.told(&begun)?;
    Ok(json!(told))
}
