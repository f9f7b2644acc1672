//! The planner's request. What never changes stands first: rules, the heap's top level, core tools; then the
//! conversation; then what was found for this message; the message last.

use assent_core::contract::ToolSpec;
use assent_core::discovery::{Filter, Query, Standing};
use assent_core::ids::Digest;
use assent_core::plan::{PlannerOutput, StepType, parse_value};
use assent_core::run::{Purpose, StepStatus};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::conversation::{floor, recent, shortened};
use super::creators::{AGENT, CREATE_AGENT};
use super::library::named_data;
use super::scheduled::{CREATE_WORKFLOW, WORKFLOW, timed};
use super::{After, FullTemplate, PlanningError, PlanningRequest, Progress, ToolsTold, credentials, values};
use crate::model::{
    Message, Model, ModelProfile, OutputFormat, PLAN_FORM, PlannerProfile, Request, ToolChoice, tokens_of,
};
use crate::prompt::{
    ExampleLine, PlanSchema, PlanSoFar, PlannerCompact, PlannerRoute, PlannerSteps, PlannerUser, PromptError, Rendered,
    StepSoFar, Templates, ToolLine, Turn, within,
};
use crate::tool::meta::META_TOOLS;

/// Tools that are found for a message.
const FOUND: usize = 12;
/// Examples that are put before it.
const EXAMPLES: usize = 2;
/// Steps of an earlier plan, and bytes of a result; a small model is shown fewer.
const STEPS: usize = 40;
const FEW_STEPS: usize = 8;
const RESULT: usize = 400;
const SHORT_RESULT: usize = 200;
/// Characters of what a person said of it.
const SAID: usize = 4_000;
const LITTLE_SAID: usize = 1_000;
/// The temperature of a small model's further tries.
const VARIED: f32 = 0.7;
/// Instead of a tool: a step that thinks, and one that looks for a tool which is not shown.
const NO_TOOL: [&str; 2] = [NONE, FIND];
const NONE: &str = "none";
const FIND: &str = "find";
/// The tool that runs scripts, and the core tools that fit every plan.
const SCRIPTS: &str = "bash";
const ALWAYS: [&str; 3] = [SCRIPTS, "ask_user", "displayConfirmation"];
/// Tools that the rules of a small planner name where the studio is open: they are there whatever the message's words, and
/// whatever its language.
const OF_STUDIO: [&str; 4] = [CREATE_AGENT, "list_workflows", "run_workflow", CREATE_WORKFLOW];

/// A request with where its texts come from.
pub(super) struct Prompt {
    pub(super) request: Request,
    /// The shape of plan that it asks for.
    pub(super) profile: PlannerProfile,
    /// The template of each system and user message, in order.
    pub(super) templates: Vec<Digest>,
    /// Every text in which a value of the plan may occur, beside the message.
    pub(super) seen: Vec<String>,
    /// What it tells of tools.
    pub(super) told: ToolsTold,
}

impl Prompt {
    /// A short question: no tools, the most likely answer, in this shape.
    pub(super) fn short(
        purpose: Purpose,
        profile: PlannerProfile,
        (system, user): (Rendered, Rendered),
        output: OutputFormat,
        max_tokens: u32,
    ) -> Self {
        let messages = vec![Message::System { text: system.text }, Message::User { text: user.text }];
        let request = Request {
            purpose,
            messages,
            tools: [].into(),
            choice: ToolChoice::None,
            output,
            max_tokens,
            temperature: 0.0,
            seed: Some(1),
            avoid: Vec::new(),
        };
        let templates = vec![system.template, user.template];
        Self { request, profile, templates, seen: Vec::new(), told: ToolsTold::default() }
    }

    /// Says what was wrong with a reply. A small model is not shown its reply again, which it would copy, and draws
    /// the next one otherwise.
    pub(super) fn repair(&mut self, said: String, wrong: Rendered) {
        match self.profile {
            PlannerProfile::Full => self.request.messages.push(Message::Assistant { text: said, calls: Vec::new() }),
            PlannerProfile::Compact => {
                self.request.temperature = VARIED;
                self.request.seed = self.request.seed.map(|seed| seed.wrapping_add(1));
            }
        }
        self.request.messages.push(Message::User { text: wrong.text });
        self.templates.push(wrong.template);
    }
}

/// What a query begins with. Small planners write one into a step, and a wrong one is then copied; told in words what
/// is wanted, the step's own model writes a better one, because it sees the tables.
const SQL_WORDS: [&str; 4] = ["SELECT", " SELECT", "select", " select"];

/// The request of a first try, or of a further one, which is shown the next nearest examples.
pub(super) async fn compose(
    templates: &Templates,
    model: &dyn Model,
    request: &PlanningRequest<'_>,
    tries: usize,
    cancel: &CancellationToken,
) -> Result<Prompt, PlanningError> {
    let profile = model.profile();
    let listed = listed(request, model, cancel).await;
    let system = system(templates, profile.planner, request, &listed)?;
    let (user, seen) = user(templates, profile.planner, request, &listed, tries)?;
    let (output, max_tokens) = match profile.planner {
        PlannerProfile::Compact => {
            let fits = fitting(profile, request, tries);
            (compact_output(templates, request, &listed, fits)?, 700)
        }
        PlannerProfile::Full => (OutputFormat::Text, 4_000),
    };
    let mut prompt = Prompt::short(Purpose::Plan, profile.planner, (system, user), output, max_tokens);
    if profile.planner == PlannerProfile::Compact {
        prompt.request.avoid = SQL_WORDS.map(str::to_owned).to_vec();
    }
    Ok(Prompt { seen, told: listed.told, ..prompt })
}

/// The tools that a request lists.
struct Listed<'a> {
    /// Those that every request does.
    core: Vec<&'a ToolSpec>,
    /// Those that the message brings up.
    found: Vec<&'a ToolSpec>,
    /// What that takes of the budget, and for which it has no tokens.
    told: ToolsTold,
}

/// The tools of a request as far as the budget goes, as the model counts them: first those that every request has.
async fn listed<'a>(request: &PlanningRequest<'a>, model: &dyn Model, cancel: &CancellationToken) -> Listed<'a> {
    let core: Vec<&ToolSpec> = core(request).collect();
    let (mut found, by_meaning) = found(request);
    if model.profile().planner == PlannerProfile::Compact && has_studio(request) {
        let is_found = |name: &str| found.iter().any(|tool| tool.name == name);
        let others: Vec<&str> = OF_STUDIO.into_iter().filter(|name| !is_found(name)).collect();
        found.extend(others.into_iter().filter_map(|name| request.known.tools.get(name)));
    }
    let texts: Vec<String> = core.iter().chain(&found).map(|tool| told(tool, model.profile().planner)).collect();
    let mut tokens = tokens_of(model, &texts, cancel).await.into_iter();
    let mut told = ToolsTold { by_meaning: Some(by_meaning), ..ToolsTold::within(request.limits.tool_token_budget) };
    let mut fits = |tool: &&ToolSpec| told.takes(&tool.name, tokens.next().unwrap_or(u32::MAX));
    let core = core.into_iter().filter(&mut fits).collect();
    let found = found.into_iter().filter(&mut fits).collect();
    Listed { core, found, told }
}

/// All that a request tells of a tool.
fn told(tool: &ToolSpec, profile: PlannerProfile) -> String {
    let ToolLine { name, line } = line(tool);
    match profile {
        // The reply is held to a schema that names them once more.
        PlannerProfile::Compact => format!("- {name}: {line}\n{name:?},"),
        // As an entry of a list in JSON.
        PlannerProfile::Full => format!("  {{\n    \"name\": {name:?},\n    \"line\": {line:?}\n  }},\n"),
    }
}

/// The tools that the message brings up, beside those that are always shown, and whether they were compared with it by
/// meaning.
fn found<'a>(request: &PlanningRequest<'a>) -> (Vec<&'a ToolSpec>, bool) {
    let shown = request.core.iter().chain(&NO_TOOL).chain(&META_TOOLS).map(|name| (*name).to_owned());
    let filter = Filter { without: shown.collect(), ..Filter::default() };
    let query = Query { text: &request.header.user_message, limit: FOUND, filter: &filter };
    let found = request.tools.find(&query, |_| Standing::default());
    let known = found.tools.iter().filter_map(|tool| request.known.tools.get(&tool.name));
    (known.collect(), found.by_meaning)
}

fn core<'a>(request: &PlanningRequest<'a>) -> impl Iterator<Item = &'a ToolSpec> {
    let known = request.known;
    request.core.iter().filter_map(move |name| known.tools.get(*name))
}

/// Whether there are tools beside those that every request lists: without, there is nothing to look for.
fn has_more(request: &PlanningRequest<'_>, listed: &Listed<'_>) -> bool {
    !listed.told.left_out.is_empty() || request.known.tools.keys().any(|name| !request.core.contains(&name.as_str()))
}

/// Whether workflows can be made.
fn has_workflows(request: &PlanningRequest<'_>) -> bool {
    request.known.runs(WORKFLOW)
}

/// Whether agents and workflows can be made.
fn has_studio(request: &PlanningRequest<'_>) -> bool {
    [AGENT, WORKFLOW].iter().any(|id| request.known.runs(id))
}

fn line(tool: &ToolSpec) -> ToolLine<'_> {
    ToolLine { name: &tool.name, line: tool.line() }
}

fn template(request: &PlanningRequest<'_>) -> FullTemplate {
    if request.specialists.is_empty() { FullTemplate::Steps } else { request.template }
}

fn system(
    templates: &Templates,
    profile: PlannerProfile,
    request: &PlanningRequest<'_>,
    listed: &Listed<'_>,
) -> Result<Rendered, PromptError> {
    let tools: Vec<ToolLine<'_>> = listed.core.iter().map(|tool| line(tool)).collect();
    let specialists = request.specialists;
    match (profile, template(request)) {
        // The compact shape names tools and not specialists: a specialist is found by the tool that it owns.
        (PlannerProfile::Compact, _) => {
            let (studio, find) = (has_studio(request), has_more(request, listed));
            templates.render(&PlannerCompact { specialists: &[], tools: &tools, find, studio })
        }
        (PlannerProfile::Full, FullTemplate::Steps) => templates.render(&PlannerSteps { specialists, tools: &tools }),
        (PlannerProfile::Full, FullTemplate::Route) => templates.render(&PlannerRoute { specialists, tools: &tools }),
    }
}

fn user(
    templates: &Templates,
    profile: PlannerProfile,
    request: &PlanningRequest<'_>,
    listed: &Listed<'_>,
    tries: usize,
) -> Result<(Rendered, Vec<String>), PromptError> {
    let message = &request.header.user_message;
    let said = recent(request.conversation);
    let conversation: Vec<Turn<'_>> = said.iter().map(|(role, text)| Turn { role, text }).collect();
    let tools: Vec<ToolLine<'_>> = listed.found.iter().map(|tool| line(tool)).collect();
    let pending = so_far(templates, profile, &request.after)?;
    let plans: Vec<(&str, Value)> = match (profile, template(request)) {
        (PlannerProfile::Full, FullTemplate::Route) => Vec::new(),
        (PlannerProfile::Compact, _) => {
            let shown = |plan: &Value| if has_workflows(request) { timed(plan) } else { plan.clone() };
            nearest(request, tries).map(|(text, plan)| (text, shown(plan))).collect()
        }
        (PlannerProfile::Full, FullTemplate::Steps) => {
            nearest(request, 0).map(|(text, plan)| (text, widened(plan))).collect()
        }
    };
    let examples: Vec<ExampleLine<'_>> = plans.iter().map(|(message, plan)| ExampleLine { message, plan }).collect();
    let rendered = templates.render(&PlannerUser {
        conversation: &conversation,
        pending: pending.as_deref(),
        tools: &tools,
        examples: &examples,
        files: request.files,
        credentials: &credentials::lines(request),
        message,
    })?;
    let mut seen: Vec<String> = request.conversation.iter().map(|one| one.text.clone()).collect();
    seen.extend(pending);
    seen.extend(request.files.iter().cloned());
    Ok((rendered, seen))
}

fn nearest<'a>(request: &PlanningRequest<'a>, tries: usize) -> impl Iterator<Item = (&'a str, &'a Value)> {
    let nearest = |skip| request.library.nearest(&request.header.user_message, request.files, skip, EXAMPLES);
    let others = nearest(EXAMPLES * tries);
    let found = if others.is_empty() { nearest(0) } else { others };
    found.into_iter().map(|example| (example.message.as_str(), &example.plan))
}

/// A compact example in the shape that the full profile writes.
fn widened(plan: &Value) -> Value {
    let Some(PlannerOutput::Plan(outline)) = parse_value(plan).0 else {
        return plan.clone();
    };
    let steps = outline.steps.iter().enumerate().map(|(at, step)| {
        let after: Vec<String> = if at == 0 { Vec::new() } else { vec![format!("step_{at}")] };
        let mut wide = json!({"id": format!("step_{}", at + 1), "description": step.description, "stepType": "tool"});
        if step.required_tools.is_empty() && step.step_type.is_none_or(|kind| kind == StepType::Reasoning) {
            wide["stepType"] = json!("reasoning");
        }
        if !step.required_tools.is_empty() {
            wide["requiredTools"] = json!(step.required_tools);
        }
        wide["expectedOutcome"] = json!(step.expected_outcome);
        wide["dependencies"] = json!(after);
        wide
    });
    json!({"title": outline.title, "todoList": steps.collect::<Vec<Value>>()})
}

/// A plan as it stands, for whoever is to go on from it: the latest steps and the beginnings of what they gave.
pub(super) fn so_far(
    templates: &Templates,
    profile: PlannerProfile,
    after: &After<'_>,
) -> Result<Option<String>, PromptError> {
    let (most_steps, most_result, most_said) = match profile {
        PlannerProfile::Full => (STEPS, RESULT, SAID),
        PlannerProfile::Compact => (FEW_STEPS, SHORT_RESULT, LITTLE_SAID),
    };
    let (progress, question): (&Progress<'_>, Option<&str>) = match after {
        After::Nothing | After::Comment => return Ok(None),
        After::Question { plan, question } => (plan, Some(question)),
        After::Finished(plan) => (plan, None),
    };
    let all = &progress.plan.steps;
    let steps: Vec<StepSoFar<'_>> = all[all.len().saturating_sub(most_steps)..]
        .iter()
        .map(|step| {
            let settled = progress.settled.iter().find(|one| *one.step == step.id);
            let result =
                settled.map(|one| &one.result[..floor(one.result, most_result)]).filter(|text| !text.is_empty());
            let status = settled.map_or(StepStatus::Pending, |one| one.status);
            StepSoFar {
                id: step.id.as_str(),
                task: &step.description,
                tool: step.required_tools.first().map(String::as_str),
                status: word(status),
                result,
            }
        })
        .collect();
    let remarks = within(progress.remarks, most_said, shortened);
    Ok(Some(templates.render(&PlanSoFar { question, steps: &steps, remarks: &remarks })?.text))
}

fn word(status: StepStatus) -> &'static str {
    match status {
        StepStatus::Pending | StepStatus::InProgress => "not done",
        StepStatus::Waiting => "waits for the user",
        StepStatus::Completed => "completed",
        StepStatus::Failed => "failed",
        StepStatus::Skipped => "skipped",
        StepStatus::Cancelled => "cancelled",
    }
}

/// Which of the core tools, and of a step without one, a small planner may take: those of the examples that it is shown,
/// and those that fit every plan. A script can do whatever the others do; left to choose freely, a small model looks for
/// lines where something is to be computed, and writes the file that is wanted out of its head. A model that is not held
/// to the shape may take what it likes: its plan is not refused for a tool that is there.
fn fitting(profile: &ModelProfile, request: &PlanningRequest<'_>, tries: usize) -> impl Fn(&str) -> bool {
    let examples: Vec<&Value> = nearest(request, tries).map(|(_, plan)| plan).collect();
    let named = !named_data(&request.header.user_message, request.files).is_empty();
    let unlike = examples.is_empty() && !named;
    let is_free = !profile.is_held_to_shapes() || !request.core.contains(&SCRIPTS) || unlike;
    let shown: Vec<String> = examples
        .into_iter()
        .flat_map(|plan| plan["steps"].as_array().into_iter().flatten())
        .filter_map(|step| step["tool"].as_str().map(str::to_owned))
        .collect();
    move |tool| is_free || ALWAYS.contains(&tool) || shown.iter().any(|one| one == tool)
}

/// The shape of a compact plan with the tools that may stand in it.
fn compact_output(
    templates: &Templates,
    request: &PlanningRequest<'_>,
    listed: &Listed<'_>,
    fits: impl Fn(&str) -> bool,
) -> Result<OutputFormat, PlanningError> {
    let message = &request.header.user_message;
    let core = listed.core.iter().map(|tool| tool.name.as_str()).filter(|tool| fits(tool));
    let mut tools: Vec<&str> = core.chain(listed.found.iter().map(|tool| tool.name.as_str())).collect();
    if fits(NONE) || tools.is_empty() {
        tools.push(NONE);
    }
    if has_more(request, listed) {
        tools.push(FIND);
    }
    // A message that names a file cannot be answered without a plan; a small model would try.
    let answer = values::named_files(message).is_empty();
    let schema = templates.render(&PlanSchema { tools: &tools, answer, when: has_workflows(request) })?.text;
    let schema: Value = serde_json::from_str(&schema).map_err(|error| PromptError::Broken {
        file: "planner_compact.schema.json".to_owned(),
        line: error.line(),
        reason: error.to_string(),
    })?;
    Ok(OutputFormat::Json { name: PLAN_FORM.to_owned(), schema: schema.into() })
}
