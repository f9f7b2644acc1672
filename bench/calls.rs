//! Model calls of a turn on the scripted scenarios of the seeds, each beside the most that it may take: two for the turn,
//! one more for each step that thinks, and for each step with tools one more than it has rounds of calls.
//!
//! Run with `cargo run --release -p assent-tests --example bench-calls`; prints one JSON object.

use anyhow::{Result, bail, ensure};
use assent_core::ids::SessionId;
use assent_core::run::{Answer, EventKind, Purpose, Reach};
use assent_engine::model::scripted::{Scripted, ScriptedModel};
use assent_engine::model::{ModelProfile, PlannerProfile};
use assent_engine::turn::{ApprovalPolicy, TurnEnd};
use assent_tests::desk::Desk;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

const URL: &str = "https://example.com/search?q=1";

/// What is asked, what a planner makes of it, and how the steps go.
struct Scenario {
    name: &'static str,
    message: String,
    plan: Value,
    replies: Vec<Scripted>,
    /// Steps that think.
    thinking: usize,
    /// Rounds of calls of each step with tools.
    rounds: &'static [usize],
    /// Whether the planner answers without a plan.
    answered: bool,
}

impl Scenario {
    fn most(&self) -> usize {
        match (self.answered, self.thinking, self.rounds) {
            (true, ..) => 1,
            (false, 1, []) => 2,
            (false, 0, [1]) => 3,
            (false, thinking, rounds) => 2 + thinking + rounds.iter().map(|rounds| rounds + 1).sum::<usize>(),
        }
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let mut all = Vec::new();
    for (planner, profile) in [(PlannerProfile::Full, "large"), (PlannerProfile::Compact, "small")] {
        let own = if planner == PlannerProfile::Full { of_the_seeds() } else { Vec::new() };
        for scenario in of_both().into_iter().chain(own) {
            let calls = played(planner, &scenario).await?;
            all.push(json!({"profile": profile, "scenario": scenario.name, "calls": calls, "most": scenario.most()}));
        }
    }
    println!("{}", serde_json::to_string_pretty(&json!({"scenarios": all}))?);
    Ok(())
}

fn look() -> Scripted {
    Scripted::call("grep", json!({"pattern": "Berlin"}))
}

fn says() -> Scripted {
    Scripted::text("That is so.")
}

/// Scenarios of a message without studio, in the compact shape, which planners of both profiles may write.
fn of_both() -> Vec<Scenario> {
    let message = || "What is there, and what does it mean?".to_owned();
    let plan = |tools: &[&str]| {
        let step = |tool: &&str| json!({"tool": tool, "do": format!("Do {tool}"), "expect": "it is done"});
        json!({"title": "T", "steps": tools.iter().map(step).collect::<Vec<_>>()})
    };
    let other = Scripted::call("grep", json!({"pattern": "Hamburg"}));
    let list = Scripted::call("glob", json!({"pattern": "*.txt"}));
    let usual = |name, plan, replies| Scenario {
        name,
        message: message(),
        plan,
        replies,
        thinking: 0,
        rounds: &[],
        answered: false,
    };
    vec![
        Scenario { answered: true, ..usual("a plain question", json!({"title": "T", "answer": "Nothing."}), vec![]) },
        Scenario { thinking: 1, ..usual("one reasoning step", plan(&["none"]), vec![says()]) },
        Scenario { rounds: &[1], ..usual("one tool step with one call", plan(&["grep"]), vec![look(), says()]) },
        Scenario {
            thinking: 1,
            rounds: &[2, 1],
            ..usual(
                "a tool step with two rounds, a reasoning step, a tool step",
                plan(&["grep", "none", "glob"]),
                vec![look(), other, says(), says(), list, says()],
            )
        },
    ]
}

/// The list of four steps of one seed, and the requests of the others for agents and workflows.
fn of_the_seeds() -> Vec<Scenario> {
    let step = |id: &str, text: &str, tools: &[&str], after: &[&str]| {
        let mut step = json!({"id": id, "description": text, "expectedOutcome": "it is done", "dependencies": after});
        step["stepType"] = json!(if tools.is_empty() { "reasoning" } else { "tool" });
        if !tools.is_empty() {
            step["requiredTools"] = json!(tools);
        }
        step
    };
    let four = json!({"title": "Population", "refinedTask": "Find out and summarise after approval.", "todoList": [
        step("step_1", "Search for statistics about Berlin", &["grep"], &[]),
        step("step_2", "Analyze the retrieved data to identify trends", &[], &["step_1"]),
        step("step_3", "Get user confirmation before the summary", &["displayConfirmation"], &["step_2"]),
        step("step_4", "Synthesize findings into a comprehensive summary", &[], &["step_3"]),
    ]});
    let confirm = Scripted::call("displayConfirmation", json!({"action": "write the summary"}));
    let watcher = json!({"name": "watcher", "description": format!("Watches {URL}"), "tools": ["read"]});
    let workflow = json!({"name": "watching", "task": "Watch the search.",
        "steps": [{"do": "Look at what is new", "specialist": "watcher", "expect": "what is new"}]});
    let one = |instructions: &str, order: Value| {
        json!({"title": "One agent", "refinedTask": "Create one agent.", "priorityOrder": order,
            "extractedContext": {"savedSearchUrl": URL}, "instructionsForAgent": instructions})
    };
    let made = || Scripted::call("create_agent", watcher.clone());
    vec![
        Scenario {
            name: "search, analyse, confirm, synthesise",
            message: "Find statistics about Berlin and summarise them once I agree.".to_owned(),
            plan: four,
            replies: vec![look(), says(), says(), confirm, says(), says()],
            thinking: 2,
            rounds: &[1, 1],
            answered: false,
        },
        Scenario {
            name: "create one agent",
            message: format!("Create one agent for {URL}"),
            plan: one("Create exactly one agent.", json!(["agent"])),
            replies: vec![made(), says()],
            thinking: 0,
            rounds: &[1],
            answered: false,
        },
        Scenario {
            name: "create one agent and run it on a schedule",
            message: format!("Create one agent for {URL} and run it every morning"),
            plan: one("Create exactly one agent.", json!(["agent", "workflow"])),
            replies: vec![made(), says(), Scripted::call("create_workflow", workflow), says()],
            thinking: 0,
            rounds: &[1, 1],
            answered: false,
        },
        Scenario {
            name: "run on demand",
            message: "Run On Demand".to_owned(),
            plan: json!({"title": "Run", "refinedTask": "Run the only workflow.", "priorityOrder": ["workflow"],
                "instructionsForWorkflow": "list workflows; if only one, run it"}),
            replies: vec![Scripted::call("list_workflows", json!({})), says()],
            thinking: 0,
            rounds: &[1],
            answered: false,
        },
    ]
}

/// How often a turn asks the model.
async fn played(planner: PlannerProfile, scenario: &Scenario) -> Result<usize> {
    let id = "scripted/bench".to_owned();
    let profile = ModelProfile { id, context_tokens: 32_768, planner, parallel: 1, local: false };
    let desk = Desk::on(ScriptedModel::new(profile), &[("a.txt", "Berlin\n")]);
    ensure!(desk.engine.studio().open()?, "the studio cannot be opened");
    desk.plans(&scenario.plan);
    for reply in &scenario.replies {
        desk.model.push(Purpose::Step, reply.clone());
    }
    desk.model.push(Purpose::Synthesis, Scripted::text("All is done."));
    let session = desk.session().await;
    let mut end = desk.send(&session, &scenario.message, ApprovalPolicy::NeverAsk).await;
    while let TurnEnd::Waiting { .. } = end {
        end = agreed(&desk).await?;
    }
    let name = scenario.name;
    if !matches!(end, TurnEnd::Answered { .. }) {
        let last: Vec<String> =
            desk.events(&session).iter().rev().take(6).map(|event| format!("{:?}", event.kind)).collect();
        bail!("{name}: {end:?}, after {}", last.join("\n"));
    }
    let calls = desk.model.requests().len();
    ensure!(calls == replied(&desk, &session), "{name}: each call is written down");
    Ok(calls)
}

/// The oldest question answered with a yes.
async fn agreed(desk: &Desk) -> Result<TurnEnd> {
    let asked = desk.engine.requests().open()?.remove(0).request;
    let yes = Answer::Approve { arguments: None, note: None, reach: Reach::Once };
    Ok(desk.engine.turns().answer(&asked.id, yes, &CancellationToken::new()).await?)
}

fn replied(desk: &Desk, session: &SessionId) -> usize {
    desk.events(session).iter().filter(|event| matches!(event.kind, EventKind::ModelReplied { .. })).count()
}
