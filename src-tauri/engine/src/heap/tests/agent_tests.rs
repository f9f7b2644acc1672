//! Agents as they lie in packs: what is read of them, and what is told where one is not as it should be.

use std::path::Path;
use std::sync::Arc;

use assent_core::contract::{Field, Risk, Source, Stage, fields_of, sample_of};
use serde_json::{Map, Value, json};

use super::{catalogue, told};
use crate::heap::{Agent, AgentFile, Heap};

fn put(packs: &Path, file: &str, text: &str) {
    let file = packs.join(file);
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(file, text).unwrap();
}

fn heap(files: &[(&str, &str)]) -> (tempfile::TempDir, Heap) {
    let folder = tempfile::tempdir().unwrap();
    for (file, text) in files {
        put(folder.path(), file, text);
    }
    let heap = Heap::new(catalogue(&[]), Some(folder.path().to_owned()));
    (folder, heap)
}

fn shipped() -> Heap {
    let packs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../packs");
    Heap::new(catalogue(&[]), Some(packs))
}

const PLAIN: &str = "description = \"Reads\\n  files.\"\ntools = [\"read\"]\n";
const WITH: &str = "description = \"Plans.\"\ntools = [\"bash\", \"run_reader\"]\ninput = \"in.json\"\nprompt = \"prompt.md\"\nuser_prompt = \"user.md.j2\"\nuser_prompt_needs = [\"url\"]\noutput = \"out.json\"\n";
const INPUT: &str = r#"{"type": "object", "properties": {"url": {"type": "string"}}, "required": ["url"]}"#;

fn planner(more: &[(&'static str, &'static str)]) -> Vec<(&'static str, &'static str)> {
    let mut files = vec![
        ("plans/agent.toml", WITH),
        ("plans/in.json", INPUT),
        ("plans/out.json", r#"{"type": "object"}"#),
        ("plans/prompt.md", "You plan.\n"),
        ("plans/user.md.j2", "# {{ url }}\n{{ task }}\n"),
    ];
    files.retain(|(file, _)| more.iter().all(|(other, _)| other != file));
    files.extend(more.iter().filter(|(_, text)| !text.is_empty()));
    files
}

// covers: C29
#[test]
fn an_agent_is_read_with_all_its_files_and_is_a_tool_with_the_risk_of_the_worst_that_it_may_call() {
    let (_folder, heap) = heap(&[planner(&[]), vec![("help/agents/reader.toml", PLAIN)]].concat());
    let now = heap.now();
    assert_eq!(told(&now.faults), Vec::<String>::new());
    let agent = &now.agents["plans"];
    assert_eq!((agent.prompt.as_deref(), agent.output.is_some()), (Some("You plan."), true));
    let context = |value: Value| -> Map<String, Value> { value.as_object().unwrap().clone() };
    assert!(agent.template_for(&context(json!({"url": "x"}))).is_some());
    assert!(agent.template_for(&context(json!({"other": "x"}))).is_none(), "then the default one is used");
    let specs: Vec<_> = heap.agent_tools().iter().map(|tool| tool.spec().clone()).collect();
    let shown: Vec<_> = specs.iter().map(|spec| (spec.name.as_str(), spec.source, spec.risk)).collect();
    assert_eq!(shown, [("run_reader", Source::Agent, Risk::Read), ("run_plans", Source::Agent, Risk::Execute)]);
    assert_eq!(specs[0].description, "Reads files.");
    assert_eq!(specs[1].description, "Plans.\n\nREQUIRED INPUT: url");
    // One that is called through its contract is planned with through its contract.
    assert_eq!(now.registry.get("plans").unwrap().tool_names, ["run_plans"]);
    assert!(now.registry.get("reader").is_none(), "it is for others to call");
}

#[test]
fn a_file_may_say_the_name_that_its_agent_has() {
    let named = "name = \"reader\"\ndescription = \"Reads.\"\ntools = [\"read\"]\n";
    let main = "name = \"team\"\ndescription = \"Leads.\"\ntools = [\"read\"]\n";
    let (_folder, heap) = heap(&[("team/agents/reader.toml", named), ("team/agent.toml", main)]);
    assert_eq!(told(&heap.now().faults), Vec::<String>::new());
    assert_eq!(heap.now().agents.keys().collect::<Vec<_>>(), ["team", "reader"]);
    // What the studio changes of it leaves that as it is.
    let written = AgentFile::written(Some(named), "Reads well.", &["read".to_owned()]).unwrap().text;
    assert!(written.starts_with("name = \"reader\"\n"), "{written}");
}

#[test]
fn tools_that_come_and_go_leave_what_was_read_of_packs_as_it_is() {
    let (folder, heap) = heap(&planner(&[]));
    let agent = || heap.now().agents["plans"].clone();
    let first = agent();
    assert!(heap.catalogue().connect("more", heap.agent_tools()).is_empty());
    assert!(Arc::ptr_eq(&first, &agent()), "its contracts were compiled when its pack was read");
    put(folder.path(), "plans/prompt.md", "You plan otherwise.\n");
    assert!(!Arc::ptr_eq(&first, &agent()));
}

#[test]
fn whatever_of_an_agent_is_changed_makes_it_another_tool() {
    let (folder, heap) = heap(&planner(&[]));
    let digest = || heap.agent_tools()[0].spec().digest();
    let mut seen = vec![digest()];
    for (file, text) in [
        ("plans/prompt.md", "You plan well, and at length.\n"),
        ("plans/in.json", r#"{"type": "object", "properties": {"url": {}}, "required": ["url"]}"#),
        ("plans/out.json", r#"{"type": ["object", "null"]}"#),
        ("plans/user.md.j2", "{{ task }} of {{ url }}\n"),
        ("plans/agent.toml", Box::leak(format!("{WITH}model = \"step\"\n").into_boxed_str())),
        ("plans/agent.toml", Box::leak(format!("{WITH}limits.call_seconds = 9\n").into_boxed_str())),
        ("plans/agent.toml", Box::leak(format!("{WITH}[[phases]]\ncall = \"bash\"\n").into_boxed_str())),
        (
            "plans/agent.toml",
            Box::leak(format!("{WITH}[[phases]]\ncall = \"bash\"\nwith.command = \"url\"\n").into_boxed_str()),
        ),
    ] {
        put(folder.path(), file, text);
        assert!(!seen.contains(&digest()), "{file}");
        seen.push(digest());
    }
}

#[test]
fn an_agent_is_another_tool_once_one_that_it_calls_at_whatever_distance_is_another() {
    let calls = |tool: &str| format!("description = \"x\"\ntools = [\"{tool}\"]\n");
    let (folder, heap) = heap(&[
        ("team/agents/first.toml", &calls("run_second")),
        ("team/agents/second.toml", &calls("run_third")),
        ("team/agents/third.toml", &calls("run_first")),
        ("team/agents/alone.toml", &calls("read")),
    ]);
    let digests = || -> Vec<_> {
        let names = ["first", "second", "third", "alone"];
        names.map(|name| heap.agent_spec(&heap.now(), &Agent::tool_of(name)).unwrap().digest()).to_vec()
    };
    let before = digests();
    // Of the same risk as before, and with other words.
    put(folder.path(), "team/agents/third.toml", "description = \"y\"\ntools = [\"run_first\", \"glob\"]\n");
    let after = digests();
    let same: Vec<bool> = before.iter().zip(&after).map(|(one, other)| one == other).collect();
    assert_eq!(same, [false, false, false, true]);
    assert_eq!(heap.agent_spec(&heap.now(), "run_nobody"), None);
}

#[test]
fn a_hidden_file_that_an_agent_names_is_told() {
    let hidden = "description = \"x\"\ntools = []\nprompt = \".prompts/main.md\"\n";
    is_told(("plans/agent.toml", hidden), ".prompts/main.md", "hidden files are no part of a pack");
}

#[test]
fn what_is_wrong_with_an_agent_is_told_with_its_file_and_leaves_the_others() {
    const LOOP: &str =
        r##"{"type": "object", "$defs": {"a": {"$ref": "#/$defs/a"}}, "properties": {"x": {"$ref": "#/$defs/a"}}}"##;
    for (more, file, why) in [
        (
            ("plans/agent.toml", "description = \"x\"\ntools = []\nmodels = 1\n"),
            "agent.toml",
            "line 3, models: unknown field `models`",
        ),
        (("plans/agent.toml", "tools = []\n"), "agent.toml", "missing field `description`"),
        (
            ("plans/agent.toml", "description = \"x\"\ntools = [\"bash\"]\nmust_call = [\"read\"]\n"),
            "agent.toml",
            "it must call \"read\", which is none of its tools",
        ),
        (
            ("plans/agent.toml", "description = \"x\"\ntools = [\"bash\"]\n[[phases]]\ncall = \"read\"\n"),
            "agent.toml",
            "phase 1 calls \"read\", which is none of its tools",
        ),
        (
            ("plans/agent.toml", "description = \"x\"\ntools = [\"bash\"]\n[[phases]]\ncall = \"bash\"\nwhen = 1\n"),
            "agent.toml",
            "unknown field `when`",
        ),
        (
            ("plans/agent.toml", "description = \"x\"\ntools = [\"bash\"]\nresult.says = \"text\"\n"),
            "agent.toml",
            "it has no output contract",
        ),
        (("plans/prompt.md", ""), "prompt.md", "No such file"),
        (("plans/in.json", ""), "in.json", "No such file"),
        (("plans/in.json", "{"), "in.json", "it is no JSON"),
        (("plans/in.json", LOOP), "in.json", "go round in a circle"),
        (("plans/in.json", r#"{"$ref": "https://example.com/s.json"}"#), "in.json", "another document"),
        (("plans/in.json", r#"{"type": "array"}"#), "in.json", "the schema of an object"),
        (("plans/in.json", r#"{"properties": {"task": {}}}"#), "in.json", "\"task\" is no value of a context"),
        (("plans/in.json", r#"{"type": "no such type"}"#), "in.json", "the schema cannot be used"),
        (("plans/out.json", r#"{"minimum": "much"}"#), "out.json", "the schema cannot be used"),
        (
            ("plans/user.md.j2", "{{ task }}\n{{ urls }}"),
            "user.md.j2",
            "user.md.j2:2: there is no \"urls\" here, only task, context, url",
        ),
        (("plans/user.md.j2", "{% if %}"), "user.md.j2", "user.md.j2:1: "),
        (
            ("plans/agent.toml", "description = \"x\"\ntools = []\nprompt = \"../../secret\"\n"),
            "../../secret",
            "leads out of the pack",
        ),
        (
            ("plans/agent.toml", "description = \"x\"\ntools = []\nprompt = \"/etc/hostname\"\n"),
            "/etc/hostname",
            "leads out of the pack",
        ),
    ] {
        is_told(more, file, why);
    }
}

#[test]
fn a_file_that_says_another_name_than_its_own_is_told() {
    is_told(
        ("plans/agent.toml", "name = \"planner\"\ndescription = \"x\"\ntools = []\n"),
        "agent.toml",
        "its name is that of its folder or its file, \"plans\", and here it says \"planner\"",
    );
}

#[test]
fn all_that_is_wrong_with_an_agent_is_told_at_once_and_nothing_that_only_follows_from_it() {
    let (_folder, heap) = heap(&planner(&[
        (
            "plans/agent.toml",
            Box::leak(format!("{WITH}must_call = [\"read\"]\nresult.says = \"text\"\n").into_boxed_str()),
        ),
        ("plans/prompt.md", ""),
        ("plans/in.json", "{"),
        ("plans/out.json", "{"),
    ]));
    let faults = told(&heap.now().faults);
    let files = ["agent.toml", "prompt.md", "in.json", "out.json"].map(|file| format!("packs.plans.{file}: "));
    assert_eq!(faults.len(), files.len(), "{faults:#?}");
    assert!(faults.iter().zip(&files).all(|(fault, file)| fault.starts_with(file)), "{faults:#?}");
}

#[test]
fn a_model_or_a_limit_that_makes_no_sense_is_told_with_its_line_and_key() {
    for (more, file, why) in [
        (
            ("plans/agent.toml", "description = \"x\"\ntools = []\nmodel = \"gpt4\"\n"),
            "agent.toml",
            "line 3, model: \"gpt4\" is no role and names no model: write default, planner, step, or PROVIDER/NAME",
        ),
        (("plans/agent.toml", "description = \"x\"\ntools = []\nmodel = 3\n"), "agent.toml", "line 3, model: "),
        (
            ("plans/agent.toml", "description = \"x\"\ntools = []\n[limits]\nstep_iterations = 0\n"),
            "agent.toml",
            "line 4, step_iterations: 0 is no such limit: it is 1 to 200",
        ),
        (
            ("plans/agent.toml", "description = \"x\"\ntools = []\nlimits.branch_tokens = 99999999999999\n"),
            "agent.toml",
            "line 3, limits.branch_tokens: 99999999999999 is no such limit: it is 1000 to 10000000",
        ),
        (
            ("plans/agent.toml", "description = \"x\"\ntools = []\n[limits]\ncall_seconds = -1\n"),
            "agent.toml",
            "line 4, call_seconds: -1 is no such limit: it is 1 to 3600",
        ),
        (
            ("plans/agent.toml", "description = \"x\"\ntools = []\n[limits]\nsteps = 3\n"),
            "agent.toml",
            "line 4, steps: unknown field `steps`",
        ),
        (
            ("plans/agent.toml", "description = \"x\"\ntools = []\n[limits]\ncall_seconds = \"much\"\n"),
            "agent.toml",
            "line 4, call_seconds: invalid type",
        ),
    ] {
        is_told(more, file, why);
    }
}

#[test]
fn a_tool_that_nobody_has_is_told_at_each_agent_that_names_it_and_one_that_comes_later_is_not() {
    let main = "description = \"x\"\ntools = [\"run_helper\", \"crawl_plan\", \"run_gone\", \"toString\"]\n";
    let helper = "description = \"x\"\ntools = [\"grpe\", \"mail.send\", \"grpe\"]\nmust_call = [\"grpe\"]\n";
    let files = [("main/agent.toml", main), ("main/agents/helper.toml", helper)];
    let (_folder, told_of) = heap(&files);
    let now = told_of.now();
    let no = |place: &str, tool: &str| {
        format!("packs.main.{place}.tools: there is no tool {tool:?} (The list of tools names those that there are.)")
    };
    let unknown = [no("agent.toml", "run_gone"), no("agent.toml", "toString"), no("agents/helper.toml", "grpe")];
    assert_eq!(told(&now.faults), unknown);
    let later =
        "packs.main.agents/helper.toml.tools: the tool \"mail.send\" is not there until its source is connected";
    assert_eq!(told(&now.notes), [later]);
    // Once its source is connected, a tool that it does not have is one that nobody has.
    let folder = tempfile::tempdir().unwrap();
    files.iter().for_each(|(file, text)| put(folder.path(), file, text));
    let connected = Heap::new(catalogue(&[("mail.read", Source::Catalogue)]), Some(folder.path().to_owned())).now();
    assert_eq!(told(&connected.faults), [&unknown[..], &[no("agents/helper.toml", "mail.send")]].concat());
    let has = Heap::new(catalogue(&[("mail.send", Source::Catalogue)]), Some(folder.path().to_owned())).now();
    assert_eq!((told(&has.faults), told(&has.notes)), (unknown.to_vec(), vec![]));
}

#[test]
fn a_flood_of_tools_that_are_not_there_is_told_in_part() {
    let tools: Vec<String> = (0..5_000).map(|at| format!("\"t{at}\"")).collect();
    let text = format!("description = \"x\"\ntools = [{}]\n", tools.join(","));
    let (_folder, heap) = heap(&[("main/agents/helper.toml", &text)]);
    let faults = told(&heap.now().faults);
    assert_eq!(faults.len(), 21);
    assert_eq!(faults[20], "packs.main.agents/helper.toml.tools: 4980 further tools are not there");
}

/// One file of a pack is other than it should be: that is told, and another pack is there as ever.
fn is_told(more: (&'static str, &'static str), file: &str, why: &str) {
    let (_folder, heap) = heap(&[planner(&[more]), vec![("other/agents/reader.toml", PLAIN)]].concat());
    let now = heap.now();
    let faults = told(&now.faults);
    assert_eq!(faults.len(), 1, "{why}: {faults:?}");
    assert!(faults[0].starts_with(&format!("packs.plans.{file}: ")) && faults[0].contains(why), "{why}: {faults:?}");
    assert_eq!(now.agents.keys().collect::<Vec<_>>(), ["reader"]);
    assert!(now.registry.get("plans").is_none());
}

#[test]
fn of_two_agents_of_one_name_the_first_stays_and_bad_names_are_told() {
    let other = "description = \"Another.\"\ntools = []\n";
    let (_folder, heap) =
        heap(&[("a/agents/reader.toml", PLAIN), ("b/agents/reader.toml", other), ("b/agents/Bad name.toml", PLAIN)]);
    let now = heap.now();
    let faults = told(&now.faults);
    assert_eq!(faults.len(), 2, "{faults:?}");
    assert!(faults[0].contains("\"Bad name\" was left out: that is no name of an agent"), "{faults:?}");
    let twice = "packs.b.agents/reader.toml: the agent \"reader\" was left out: the pack \"a\" has one of that name (Give one of them another name.)";
    assert_eq!(faults[1], twice);
    assert_eq!(now.agents["reader"].description, "Reads files.");
}

#[cfg(unix)]
#[test]
fn a_link_in_a_pack_leads_nowhere_else() {
    let (folder, heap) = heap(&planner(&[("plans/prompt.md", "")]));
    let secret = tempfile::NamedTempFile::new().unwrap();
    std::os::unix::fs::symlink(secret.path(), folder.path().join("plans/prompt.md")).unwrap();
    let faults = told(&heap.now().faults);
    assert!(faults[0].contains("leads out of the pack"), "{faults:?}");
}

// covers: C28 C30 C31 C34 C35 C36 C37 C38
#[test]
fn the_contract_of_the_one_that_plans_crawls_says_what_it_needs_and_why() {
    let now = shipped().now();
    let faults: Vec<String> = told(&now.faults).into_iter().filter(|fault| fault.contains("crawl")).collect();
    assert_eq!(faults, Vec::<String>::new(), "its agents and the tools of crawls are there for whoever names them");
    let agent: &Agent = &now.agents["plan_generator_agent"];
    assert_eq!(agent.user_prompt.as_ref().unwrap().file, "agents/plan_generator_user.md.j2");
    // Without what was collected the default prompt is used, with it this one.
    let uses_own = |context: Value| agent.template_for(context.as_object().unwrap()).is_some();
    let found = json!({"target_url": "https://example.com", "collected_information": []});
    assert!(uses_own(found) && !uses_own(json!({"target_url": "https://example.com"})));
    let schema = agent.input.as_ref().unwrap().source();
    let collected = &schema["properties"]["collected_information"];
    assert_eq!((&collected["type"], &collected["minItems"]), (&json!("array"), &json!(1)));
    assert_eq!(collected["items"], json!({"$ref": "#/$defs/agentOutput"}));
    let described = collected["description"].as_str().unwrap();
    assert!(described.starts_with("CRITICAL: Array of outputs from sub-agents"));
    assert!(described.contains("This is the PRIMARY data source"));
    assert!(described.contains("Must include at least discovery_agent and selector_agent outputs"));
    let output = &schema["$defs"]["agentOutput"];
    assert_eq!(
        (&output["type"], &output["required"]),
        (&json!("object"), &json!(["agent_name", "output", "description"]))
    );
    assert!(output["description"].is_string());
    let fields = &output["properties"];
    let agents = json!(["discovery_agent", "selector_agent", "accessibility_agent", "data_prep_agent"]);
    assert_eq!((&fields["agent_name"]["type"], &fields["agent_name"]["enum"]), (&json!("string"), &agents));
    assert_eq!(
        (&fields["output"]["type"], &fields["output"]["additionalProperties"]),
        (&json!("object"), &json!(true))
    );
    let whole = fields["output"]["description"].as_str().unwrap();
    assert!(whole.starts_with("The COMPLETE response object") && whole.contains("Do not filter or summarize"));
    let example = "'Selector Agent found 5 listing selectors and 8 detail page selectors with 95%+ success rate'";
    assert_eq!(fields["description"]["type"], "string");
    assert!(fields["description"]["description"].as_str().unwrap().contains(example));
}

#[test]
fn what_is_changed_in_the_studio_keeps_the_contracts_of_an_agent() {
    let tools = ["read".to_owned()];
    let earlier = format!("{WITH}model = \"local/starter\"\n[limits]\nbranch_tokens = 5000\n");
    let written = AgentFile::written(Some(&earlier), "Plans\nbetter.", &tools).unwrap().text;
    let (_folder, heap) = heap(&planner(&[("plans/agent.toml", Box::leak(written.into_boxed_str()))]));
    let agent = heap.now().agents["plans"].clone();
    assert_eq!((agent.description.as_str(), agent.tools.as_slice()), ("Plans better.", tools.as_slice()));
    assert!(agent.input.is_some() && agent.output.is_some() && agent.prompt.is_some() && agent.user_prompt.is_some());
    assert_eq!(agent.model.as_ref().map(ToString::to_string).as_deref(), Some("local/starter"));
    assert_eq!(agent.limits.branch_tokens, Some(5000));
}

/// One pack with an agent for each schema of the official suite, so that all of them go through the door of packs.
#[test]
fn every_schema_of_the_official_suite_can_be_a_contract_of_a_pack() {
    let suite = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/schemas");
    let folder = tempfile::tempdir().unwrap();
    let (mut cases, mut remote) = (Vec::new(), 0);
    for entry in std::fs::read_dir(suite).unwrap() {
        let file = entry.unwrap().path();
        if file.extension().is_none_or(|ending| ending != "json") {
            continue;
        }
        let of_file: Vec<Value> = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
        for case in of_file {
            let name = format!("a{}", cases.len());
            put(folder.path(), &format!("suite/out/{name}.json"), &case["schema"].to_string());
            let text = format!("description = \"x\"\ntools = []\noutput = \"out/{name}.json\"\n");
            put(folder.path(), &format!("suite/agents/{name}.toml"), &text);
            cases.push((name, case));
        }
    }
    let heap = Heap::new(catalogue(&[]), Some(folder.path().to_owned()));
    let now = heap.now();
    let mut tried = 0;
    for (name, case) in &cases {
        let Some(agent) = now.agents.get(name) else {
            // What is in no document of the suite's own is none of a pack's either.
            let mut faults = told(&now.faults).into_iter();
            let fault = faults.find(|fault| fault.contains(&format!("{name:?} was left out"))).unwrap();
            assert!(fault.contains("it refers to another document"), "{case}: {fault}");
            remote += 1;
            continue;
        };
        for test in case["tests"].as_array().unwrap() {
            let is_valid = agent.output.as_ref().unwrap().is_valid(&test["data"]);
            assert_eq!(json!(is_valid), test["valid"], "{}: {}", case["description"], test["description"]);
            tried += 1;
        }
    }
    assert_eq!((cases.len() - remote, remote, tried), (342, 5, 1117));
}

#[test]
fn agents_that_call_each_other_in_a_circle_are_told_once_for_each_circle() {
    let calls = |tools: &[&str]| format!("description = \"Works.\"\ntools = {tools:?}\n");
    let files = [
        ("a/agent.toml", calls(&["read", "run_b", "run_c"])),
        ("b/agent.toml", calls(&["run_c"])),
        ("c/agent.toml", calls(&["run_a"])),
        ("d/agent.toml", calls(&["run_a", "run_e"])),
        ("e/agent.toml", calls(&["read"])),
        ("f/agent.toml", calls(&["run_f"])),
    ];
    let (_folder, heap) = heap(&files.each_ref().map(|(file, text)| (*file, text.as_str())));
    let now = heap.now();
    let circles: Vec<_> = now.faults.iter().map(|fault| (fault.place(), fault.message.as_str())).collect();
    let said = |at: &str, who: &str| (format!("packs.{at}.agent.toml.tools"), who.to_owned());
    let circle = |who: &str| format!("agents call each other in a circle: {who}");
    assert_eq!(
        circles.iter().map(|(place, message)| (place.clone(), (*message).to_owned())).collect::<Vec<_>>(),
        [said("c", &circle("a, b, c, a")), said("f", &circle("f, f"))]
    );
}

#[test]
fn a_step_that_calls_an_agent_is_never_given_to_another_one_that_may_call_it_too() {
    let caller = "description = \"Calls.\"\ntools = [\"grep\", \"run_reader\", \"run_plans\", \"run_helper\"]\n";
    let files =
        [planner(&[]), vec![("a/agent.toml", caller), ("a/agents/helper.toml", PLAIN), ("reader/agent.toml", PLAIN)]];
    let (_folder, heap) = heap(&files.concat());
    let registry = &heap.now().registry;
    let owner = |tool: &str| (registry.root_for(&[tool.to_owned()]), registry.owner_of(tool));
    assert_eq!(owner("run_reader"), (None, None), "whoever does the step calls it");
    assert_eq!(owner("run_plans"), (Some("plans"), Some("plans")), "more than a specialist: its own tool alone");
    assert_eq!(owner("run_helper"), (Some("a"), Some("a")), "a part of its own pack");
    let named = ["run_reader".to_owned()];
    assert_eq!(registry.leaf_for("a", &named), Some("a"), "where a plan names whoever may call it");
}

/// Each of these would be written out in more values than there is memory for.
#[test]
fn a_contract_that_refers_to_itself_everywhere_is_read_like_any_other() {
    let itself = |count: usize| -> Map<String, Value> {
        (0..count).map(|at| (format!("p{at}"), json!({"$ref": "#"}))).collect()
    };
    let many = json!({"type": "object", "properties": itself(300)});
    // Few values, of which each is large.
    let mut large = itself(300);
    large.insert("large".to_owned(), json!({"$ref": "#/$defs/large"}));
    let large = json!({"properties": large, "$defs": {"large": {"default": "x".repeat(100_000)}}});
    for contract in [many, large] {
        let contract = Box::leak(contract.to_string().into_boxed_str());
        let user = "{{ task }}{% for name, value in context | items %}{{ name }}{% endfor %}";
        let with = WITH.replace("user_prompt_needs = [\"url\"]\n", "");
        let agent = Box::leak(with.into_boxed_str());
        let files = [("plans/in.json", &*contract), ("plans/user.md.j2", user), ("plans/agent.toml", &*agent)];
        let (_folder, heap) = heap(&[planner(&files), vec![("help/agents/reader.toml", PLAIN)]].concat());
        let now = heap.now();
        assert_eq!(told(&now.faults), Vec::<String>::new());
        let sample = sample_of(now.agents["plans"].input.as_ref().unwrap().source());
        assert!(sample["p0"].is_object() && sample.to_string().len() < 4 << 20, "{}", sample.to_string().len());
    }
}

// covers: C5
#[test]
fn a_contract_that_refers_to_its_values_at_its_top_makes_the_same_tool_as_one_that_has_them_there() {
    let user = "{{ url }}: {{ task }}";
    for contract in [
        r##"{"$ref": "#/$defs/in", "$defs": {"in": {"type": "object", "required": ["url"], "properties": {"url": {"type": "string"}}}}}"##,
        r##"{"allOf": [{"$ref": "#in"}], "$defs": {"in": {"$anchor": "in", "required": ["url"], "properties": {"url": {"type": "string"}}}}}"##,
    ] {
        let files = planner(&[("plans/in.json", contract), ("plans/user.md.j2", user)]);
        let (_folder, heap) = heap(&[files, vec![("help/agents/reader.toml", PLAIN)]].concat());
        assert_eq!(told(&heap.now().faults), Vec::<String>::new());
        let spec = heap.agent_spec(&heap.now(), "run_plans").unwrap();
        assert_eq!(spec.description, "Plans.\n\nREQUIRED INPUT: url");
        assert_eq!(spec.parameters["required"], json!(["task", "url"]));
        assert_eq!(spec.parameters["properties"]["url"], json!({"type": "string"}));
    }
    let away = r##"{"allOf": [{"$dynamicRef": "#in"}], "$defs": {"a": {"$dynamicAnchor": "in"},
        "b": {"$id": "b", "$defs": {"c": {"$dynamicAnchor": "in", "properties": {"url": {}}}}}}}"##;
    is_told(("plans/in.json", away), "in.json", "its values stand behind \"#in\", which is no place in it");
}

#[test]
fn a_result_is_made_of_parts_also_where_the_output_contract_refers_to_its_fields() {
    let made = "[result]\nsays = \"summary\"\nfrom = { pages = \"read.pages\" }\n";
    let file = format!("description = \"Reads.\"\ntools = [\"read\"]\noutput = \"out.json\"\n{made}");
    let contract = r##"{"$ref": "#/$defs/out", "$defs": {"out": {"type": "object", "required": ["summary", "pages"],
        "allOf": [{"properties": {"pages": {"type": "array"}}}], "properties": {"summary": {"type": "string"}}}}}"##;
    let (_folder, read) = heap(&[("reader/agents/reader.toml", &file), ("reader/out.json", contract)]);
    assert_eq!(told(&read.now().faults), Vec::<String>::new());
    let agent = read.now().agents["reader"].clone();
    assert!(!agent.output.as_ref().unwrap().is_valid(&json!({"summary": "x"})));
    let said = agent.said.as_ref().unwrap().compiled().unwrap();
    assert!(said.is_valid(&json!({"summary": "x"})) && !said.is_valid(&json!({})), "its model writes no pages");

    let (_folder, read) = heap(&[("reader/agents/reader.toml", &file), ("reader/out.json", r#"{"type": "array"}"#)]);
    let faults = told(&read.now().faults);
    assert!(faults[0].contains("its result has \"summary\", which its output contract does not know"), "{faults:?}");
}

#[test]
fn the_example_of_each_shipped_contract_fits_it_and_its_fields_have_their_own() {
    let now = shipped().now();
    let crawl = now.agents.values().filter(|agent| agent.pack == "crawl");
    let mut tried = 0;
    for (name, input, output) in crawl.map(|agent| (&agent.name, &agent.input, &agent.output)) {
        for (which, contract) in [("input", input.as_ref().unwrap()), ("output", output.as_ref().unwrap())] {
            let sample = sample_of(contract.source());
            let faults = contract.check(&sample, Stage::InputContract);
            assert!(faults.is_empty(), "{name}, {which}: {faults:?} in {sample}");
            // Of a sentence that a model is to word itself it is given none to repeat.
            let is_worded = |field: &Field| ["summary", "agent_response_content"].contains(&field.name.as_str());
            let is_listed = |field: &Field| field.takes.starts_with("one of ") || field.name == "*";
            let fields = fields_of(contract.source()).fields.into_iter();
            let without = fields.filter(|field| field.example.is_none() && !is_worded(field) && !is_listed(field));
            assert_eq!(without.map(|field| field.name).collect::<Vec<_>>(), [""; 0], "{name}, {which}");
            tried += 1;
        }
    }
    assert_eq!(tried, 12);
}
