use assent_core::ids::Digest;
use assent_core::run::Blob;

use super::*;
use crate::store::{Blobs, StoreError};

const PLAN: &str = r#"{"title":"Count","steps":[{"tool":"grep","do":"Find \"patent\"","expect":"counts"},{"tool":"none","do":"Think","expect":"order"},{"tool":"find","do":"Draw","expect":"chart"},{"tool":"create_file","do":"Write patents.md","expect":"patents.md"}]}"#;
const MESSAGE: &str = "Count the lines that mention patents\tper licence & write <patents.md>, please\n";

// covers: P13 P14
#[tokio::test]
async fn one_call_makes_a_plan_that_can_be_approved() {
    let world = World::new();
    let model = model(PlannerProfile::Compact, [Scripted::text(PLAN)]);
    let planned = planned(&model, &world.request(MESSAGE)).await;
    let plan = the_plan(&planned);
    assert_eq!(
        outline(plan),
        [
            ("Find \"patent\"", vec!["grep"], StepType::Tool, vec![]),
            ("Think", vec![], StepType::Reasoning, vec!["s1"]),
            ("Draw", vec![], StepType::Tool, vec!["s2"]),
            ("Write patents.md", vec!["create_file"], StepType::Tool, vec!["s3"]),
        ]
    );
    assert_eq!((plan.title.as_str(), plan.user_message.as_str(), plan.created_at), ("Count", MESSAGE, 7));
    assert!(plan.steps.iter().all(|step| step.executor.kind == ExecutorKind::Single));
    assert!(!plan.fallback.used);
    let requests = model.requests();
    assert_eq!(requests.len(), 1);
    assert!(texts(&requests[0])[1].ends_with(&format!("User message:\n{MESSAGE}")));
}

#[tokio::test]
async fn the_request_has_the_shape_that_small_models_need() {
    let mut world = World::new();
    world.files = vec!["MIT: 21 lines".to_owned()];
    let model = model(PlannerProfile::Compact, [Scripted::text(PLAN)]);
    planned(&model, &world.request("Send an invoice to each customer, list in patents.md")).await;
    let request = &model.requests()[0];
    let texts = texts(request);
    assert!(texts[0].contains("- grep: Finds and counts lines.\n"), "{}", texts[0]);
    assert!(!texts[0].contains("send_invoice"), "found tools stand behind the cached prefix");
    let order = [
        "Examples of other messages",
        "More tools that may fit:\n- send_invoice",
        "MIT: 21 lines",
        "User message:\nSend",
    ];
    let places: Vec<usize> =
        order.iter().map(|part| texts[1].find(part).unwrap_or_else(|| panic!("{part}\n{}", texts[1]))).collect();
    assert!(places.is_sorted(), "{}", texts[1]);
    assert!(texts[1].contains("- send_invoice: Sends") && !texts[1].contains("get_weather"));
    let OutputFormat::Json { name, schema } = &request.output else { panic!("{:?}", request.output) };
    let schema = schema.to_string();
    assert_eq!(name, "plan");
    assert!(
        schema.contains(r#"["bash","grep","read","create_file","ask_user","displayConfirmation","send_invoice","list_invoices","none","find"]"#),
        "{schema}"
    );
    assert!(!schema.contains("answer"), "a named file needs a plan: {schema}");
    assert_eq!((request.temperature, request.purpose, request.tools.len()), (0.0, Purpose::Plan, 0));
}

#[tokio::test]
async fn a_value_of_a_sample_row_that_nobody_said_is_asked_for_anew() {
    let mut world = World::new();
    world.files = vec!["jobs.csv: 9 lines, first line: job,end; next line: print,2026-09-30".to_owned()];
    let plan = |when: &str| {
        let step =
            json!({"tool": "bash", "do": format!("take the rows of jobs.csv that end {when}"), "expect": "rows"});
        Scripted::text(json!({"title": "Jobs", "steps": [step]}).to_string())
    };
    let model = model(PlannerProfile::Compact, [plan("on 2026-09-30"), plan("in 2026")]);
    let planned = planned(&model, &world.request("Which jobs of jobs.csv end in 2026?")).await;
    assert_eq!(outline(the_plan(&planned))[0].0, "take the rows of jobs.csv that end in 2026");
    let asked = texts(&model.requests()[1]).join("\n");
    assert!(asked.contains("the message does not say 2026-09-30"), "{asked}");
}

/// The tools that a plan of a model for a message may name.
async fn offered(id: &str, world: &World, message: &str) -> Vec<String> {
    let model = called(id, PlannerProfile::Compact, [Scripted::text(PLAN)]);
    let _ = run(&model, &world.request(message)).await;
    let OutputFormat::Json { schema, .. } = &model.requests()[0].output else { panic!() };
    let found = schema.to_string();
    let (_, after) = found.split_once(r#""tool":{"enum":"#).unwrap();
    serde_json::from_str(&after[..=after.find(']').unwrap()]).unwrap()
}

#[tokio::test]
async fn a_small_planner_may_take_what_the_nearest_examples_take_and_scripts() {
    let mut world = World::new();
    world.known.tools.retain(|name, _| CORE.contains(&name.as_str()));
    world.tools = Directory::of(world.known.tools.values());
    let always = ["bash", "ask_user", "displayConfirmation"];
    assert_eq!(offered("local/starter", &world, "Rename all .txt files to .md").await, always);
    let searched =
        offered("local/starter", &world, "How many lines of each text mention timeouts? Make a table in timeouts.md")
            .await;
    assert!(searched.contains(&"grep".to_owned()) && searched.contains(&"create_file".to_owned()), "{searched:?}");
    let other = offered("desk/other", &world, "Rename all .txt files to .md").await;
    assert!(other.contains(&"create_file".to_owned()), "a model that is not held to the shape takes what it likes");
    // Nothing is like it: everything may be taken.
    let free = offered("local/starter", &world, "Zxqv").await;
    assert_eq!(free, ["bash", "grep", "read", "create_file", "ask_user", "displayConfirmation", "none"]);
    // Rows are worked on by scripts, whatever the words.
    world.files = vec!["timeouts.csv: 9 lines, first line: log,lines".to_owned()];
    assert_eq!(
        offered("local/starter", &world, "How many lines of timeouts.csv mention a log? Make a table in t.md").await,
        always
    );
    assert_eq!(offered("local/starter", &world, "Zxqv timeouts.csv").await, always);
}

#[tokio::test]
async fn a_small_planner_can_name_what_makes_agents_whatever_the_language_while_the_studio_is_open() {
    let mut world = World::new();
    for name in ["create_agent", "run_workflow"] {
        let spec = tool(name, "Makes or runs something.", Risk::Write);
        world.known.tools.insert(spec.name.clone(), spec);
    }
    let message = "Erstelle bitte jemanden, der den Ordner beobachtet";
    let shut = offered("local/starter", &world, message).await;
    assert!(!shut.contains(&"create_agent".to_owned()), "{shut:?}");
    let open = offered("local/starter", &world.with_heap(&["agent"]), message).await;
    for name in ["create_agent", "run_workflow"] {
        assert_eq!(open.iter().filter(|one| *one == name).count(), 1, "{open:?}");
    }
    assert!(!open.contains(&"list_workflows".to_owned()), "what is not there is not offered: {open:?}");
}

#[tokio::test]
async fn where_every_tool_is_shown_no_step_can_look_for_another() {
    let mut world = World::new();
    world.known.tools.retain(|name, _| CORE.contains(&name.as_str()));
    world.tools = Directory::of(world.known.tools.values());
    let plan = PLAN.replace(r#""tool":"find""#, r#""tool":"none""#);
    let model = model(PlannerProfile::Compact, [Scripted::text(&plan)]);
    planned(&model, &world.request("Draw a chart")).await;
    let request = &model.requests()[0];
    let OutputFormat::Json { schema, .. } = &request.output else { panic!("{:?}", request.output) };
    assert!(schema.to_string().contains(r#""displayConfirmation","none"]"#), "{schema:?}");
    assert!(!texts(request)[0].contains("- find"), "{}", texts(request)[0]);
}

// covers: H7 L5
#[tokio::test]
async fn of_three_hundred_tools_only_a_few_are_shown() {
    let world = World::new();
    let model = model(PlannerProfile::Compact, [Scripted::text(PLAN), Scripted::text(PLAN)]);
    planned(&model, &world.request("Do the native thing")).await;
    let shown = texts(&model.requests()[0]).join("\n").matches("- std-native-").count();
    assert_eq!(shown, 12);
    planned(&model, &world.request("Whistle a tune")).await;
    assert!(!texts(&model.requests()[1]).join("\n").contains("std-native-"));
}

#[tokio::test]
async fn a_message_that_needs_no_plan_is_answered_by_the_same_call() {
    let world = World::new();
    let reply = Scripted::text(r#"{"title":"Greeting","answer":"Hello!\nHow can I help?"}"#).in_pieces([
        r#"{"title":"Gree"#,
        r#"ting","answer":"Hello!\"#,
        r#"nHow can I"#,
        r#" help?"}"#,
    ]);
    let model = model(PlannerProfile::Compact, [reply]);
    let (planned, progress) = run(&model, &world.request("Hi there")).await;
    let planned = planned.unwrap();
    assert_eq!(planned.outcome, PlanningOutcome::Answer { text: "Hello!\nHow can I help?".to_owned() });
    assert_eq!(planned.trace.calls, 1);
    let OutputFormat::Json { schema, .. } = &model.requests()[0].output else { panic!() };
    assert!(schema.to_string().contains("\"answer\""));
    assert_eq!(
        progress,
        [
            PlanningProgress::Title("Greeting".to_owned()),
            PlanningProgress::Answer("Hello!".to_owned()),
            PlanningProgress::Answer("\nHow can I".to_owned()),
            PlanningProgress::Answer(" help?".to_owned()),
        ]
    );
}

#[tokio::test]
async fn steps_are_shown_while_they_are_written() {
    let world = World::new();
    let cut = PLAN.find(",{\"tool\":\"find\"").unwrap();
    let reply = Scripted::text(PLAN).in_pieces([&PLAN[..cut], &PLAN[cut..]]);
    let (_, progress) = run(&model(PlannerProfile::Compact, [reply]), &world.request(MESSAGE)).await;
    let shown: Vec<(usize, &str, Option<&str>)> = progress
        .iter()
        .filter_map(|one| match one {
            PlanningProgress::Step { index, description, tool } => {
                Some((*index, description.as_str(), tool.as_deref()))
            }
            _ => None,
        })
        .collect();
    let expected = [
        (0, "Find \"patent\"", Some("grep")),
        (1, "Think", None),
        (2, "Draw", None),
        (3, "Write patents.md", Some("create_file")),
    ];
    assert_eq!(shown, expected);
}

/// The blobs of a trace as the store would have them.
struct Kept(Vec<Blob>);

impl Blobs for Kept {
    fn blob(&self, digest: &Digest) -> Result<Vec<u8>, StoreError> {
        Ok(self.0.iter().find(|blob| blob.digest == *digest).unwrap().bytes.clone())
    }
}

#[tokio::test]
async fn what_was_asked_and_answered_is_to_be_journaled_so_that_it_can_be_rebuilt() {
    let world = World::new();
    let model = model(PlannerProfile::Compact, [Scripted::text(PLAN)]);
    let planned = planned(&model, &world.request(MESSAGE)).await;
    let [EventKind::ModelReplied { purpose: Purpose::Plan, model: named, recipe, text, faults, usage, .. }] =
        planned.trace.events.as_slice()
    else {
        panic!("{:?}", planned.trace.events)
    };
    assert_eq!((named.as_str(), faults.len(), *usage), ("scripted/test", 0, planned.trace.usage));
    assert_eq!(text, &Some(Content::inline(PLAN)));
    let Some(Content::Inline { inline: recipe }) = recipe else { panic!("{recipe:?}") };
    let (rebuilt, told) = request_of(recipe, &Kept(planned.trace.blobs.clone())).unwrap().unwrap();
    assert_eq!(Some(&rebuilt), model.requests().first());
    let named =
        told.tools.iter().all(|(name, tokens)| *tokens > 0 && json!(rebuilt.messages).to_string().contains(name));
    assert!(!told.tools.is_empty() && named, "with what it told of tools, and the tokens of that: {told:?}");
    assert_eq!((told.left_out.len(), told.budget, told.by_meaning), (0, 3800, Some(false)));
    assert_eq!(request_of(&json!({"base": "x"}), &Kept(Vec::new())), Ok(None), "a step's recipe is another one");
    assert!(recipe["messages"][0]["template"].is_string());
}

// covers: H12
#[tokio::test]
async fn the_conversation_is_shown_and_the_prefix_stays_the_same_from_turn_to_turn() {
    let world =
        World::new().said(Speaker::User, "My feed is https://example.com/f?id=7").said(Speaker::Assistant, "Noted.");
    let model = model(PlannerProfile::Compact, [Scripted::text(PLAN), Scripted::text(PLAN)]);
    planned(&model, &world.request("Count patents")).await;
    let world = world.said(Speaker::User, "Count patents").said(Speaker::Assistant, "12");
    planned(&model, &world.request("And now something about invoices")).await;
    let requests = model.requests();
    let (first, second) = (texts(&requests[0]), texts(&requests[1]));
    assert_eq!(first[0], second[0]);
    let talk = "User: My feed is https://example.com/f?id=7\nAssistant: Noted.\n";
    let same = first[1].find(talk).unwrap() + talk.len();
    assert_eq!(&first[1][..same], &second[1][..same]);
}

// covers: H32 H36 H37 H80
#[tokio::test]
async fn a_small_planner_is_told_to_act_on_what_was_said_where_there_are_workflows() {
    let said = |world: World| world.said(Speaker::User, "We made workflow W1.");
    let model = model(PlannerProfile::Compact, [Scripted::text(PLAN), Scripted::text(PLAN), Scripted::text(PLAN)]);
    planned(&model, &said(World::new().with_heap(&["workflow"])).request("Run On Demand")).await;
    planned(&model, &said(World::new()).request("Run On Demand")).await;
    planned(&model, &World::new().request("Run On Demand")).await;
    let requests = model.requests();
    let (open, closed, first) = (texts(&requests[0]), texts(&requests[1]), texts(&requests[2]));
    let rules = open[0].split_once("Rules:\n").unwrap().1;
    for needed in [
        "Use the recent conversation to see what is meant. When it is clear, act: list workflows; if only one, run it.",
        "Ask which workflow or agent only when it is genuinely ambiguous.",
        "\"Create one agent\" is one step",
    ] {
        assert!(rules.contains(needed), "{needed}: {rules}");
    }
    assert!(!closed[0].contains("workflow"), "of what is not there nothing is said: {}", closed[0]);
    assert_eq!(closed[0], first[0], "the beginning stays the same from turn to turn");
    assert!(closed[1].contains("(use it to fill in what the message leaves out and to see what is meant)"));
    assert!(!first[1].contains("Recent conversation"));
}

// covers: P25 H13
#[tokio::test]
async fn values_of_the_conversation_are_kept_and_invented_ones_dropped() {
    let mut world = World::new().said(Speaker::User, "My feed is https://example.com/f?id=7");
    world.files = vec!["data/sales.csv: 12 lines".to_owned()];
    let reply = r#"{"title":"T","context":{"feed":"https://example.com/f?id=7","file":"data/sales.csv","id":"A-17","path":"path/to/licences"},"steps":[{"tool":"grep","do":"Find","expect":"x"}]}"#;
    let model = model(PlannerProfile::Compact, [Scripted::text(reply)]);
    let planned = planned(&model, &world.request("Use ticket A-17")).await;
    assert_eq!(
        Value::Object(the_plan(&planned).extracted_context.clone()),
        json!({"feed": "https://example.com/f?id=7", "file": "data/sales.csv", "id": "A-17"})
    );
    assert!(notes(&planned).contains("extractedContext.path"), "{}", notes(&planned));
}

#[tokio::test]
async fn a_plan_that_lost_a_file_of_the_message_is_asked_for_again_and_used_at_last() {
    let world = World::new();
    let lost = r#"{"title":"T","steps":[{"tool":"grep","do":"Find it","expect":"x"}]}"#;
    let message = "Find \"it\" in AB-12 and save it as out/found.txt";
    let model = model(
        PlannerProfile::Compact,
        [Scripted::text(lost), Scripted::text(lost), Scripted::text(lost), Scripted::text("?")],
    );
    let kept = planned(&model, &world.request(message)).await;
    assert_eq!(the_plan(&kept).steps.len(), 1);
    assert!(notes(&kept).contains("no step mentions out/found.txt"));
    assert!(texts(&model.requests()[1])[2].contains("no step mentions out/found.txt"));
    assert_eq!(
        Value::Object(the_plan(&kept).extracted_context.clone()),
        json!({"files": ["out/found.txt"], "ids": ["AB-12"], "quoted": ["it"]})
    );
    let worse = planned(&model, &world.request(message)).await;
    assert!(!the_plan(&worse).fallback.used, "a usable plan is not given up for an unreadable one");
}

#[tokio::test]
async fn a_further_try_is_shown_other_examples() {
    let world = World::new();
    let lost = r#"{"title":"T","steps":[{"tool":"grep","do":"Find it","expect":"x"}]}"#;
    let right = r#"{"title":"T","steps":[{"tool":"grep","do":"Find it for out.md","expect":"x"}]}"#;
    let model = model(PlannerProfile::Compact, [Scripted::text(lost), Scripted::text(right)]);
    planned(&model, &world.request("Count the lines that mention a word in every file and write a table to out.md"))
        .await;
    let examples = |request: usize| -> Vec<String> {
        let requests = model.requests();
        let text = texts(&requests[request])[1];
        text.lines().filter(|line| line.starts_with("User message: ")).map(str::to_owned).collect()
    };
    let (first, second) = (examples(0), examples(1));
    assert!(!first.is_empty() && !second.is_empty());
    assert!(second.iter().all(|example| !first.contains(example)), "{first:?} {second:?}");
}
