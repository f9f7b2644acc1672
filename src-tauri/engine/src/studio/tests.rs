//! What is made of agents on the disk, and what is left alone.

use std::path::Path;
use std::sync::Arc;

use serde_json::json;

use super::{Agent, AgentError, Agents, Listed, agent_tools};
use crate::heap::Heap;
use crate::tool::testing::Bench;
use crate::tool::{Catalogue, Outcome, core_tools, human_tools};

fn heap(folder: &Path) -> Heap {
    let mut tools = Catalogue::default();
    tools.add_all(core_tools()).unwrap();
    tools.add_all(human_tools()).unwrap();
    Heap::new(Arc::new(tools), Some(folder.to_owned()))
}

fn all<const N: usize>(agents: [Agent; N]) -> Listed {
    Listed { agents: agents.to_vec(), unread: Vec::new() }
}

fn agent(name: &str, tools: &[&str]) -> Agent {
    let tools = tools.iter().map(|tool| (*tool).to_owned()).collect();
    Agent { name: name.to_owned(), description: "Reads notes.".to_owned(), tools }
}

#[test]
fn an_agent_is_made_changed_listed_and_removed() {
    let folder = tempfile::tempdir().unwrap();
    let packs = folder.path().join("packs");
    let (agents, heap) = (Agents::new(packs.clone()), heap(&packs));
    assert_eq!(agents.list(), Ok(all([])), "the folder need not be there");
    agents.create(&agent("reader", &["read"]), &heap).unwrap();
    agents.create(&agent("a-2", &["grep"]), &heap).unwrap();
    assert_eq!(heap.now().registry.get("reader").unwrap().tool_names, ["read"], "at once");
    let changed = agent("reader", &["read", "grep"]);
    agents.update(&changed, &heap).unwrap();
    assert_eq!(agents.list(), Ok(all([agent("a-2", &["grep"]), changed.clone()])));
    assert_eq!(heap.now().registry.get("reader").unwrap().tool_names, changed.tools);
    std::fs::write(packs.join("reader/notes.md"), "mine").unwrap();
    agents.delete("reader").unwrap();
    agents.delete("a-2").unwrap();
    assert!(packs.join("reader/notes.md").exists() && !packs.join("a-2").exists(), "what is not ours stays");
    assert_eq!((agents.list(), heap.now().registry.get("reader")), (Ok(all([])), None));
    assert_eq!(agents.delete("reader"), Err(AgentError::Missing("reader".to_owned())));
}

#[test]
fn what_is_no_agent_is_not_made_and_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let packs = folder.path().join("packs");
    let (agents, heap) = (Agents::new(packs.clone()), heap(&packs));
    let long = "x".repeat(41);
    for id in ["", ".", "..", "../x", "a/b", "A", "1a", "a__b", "a b", "é", long.as_str(), "/tmp/x"] {
        let refused = agents.create(&agent(id, &["read"]), &heap);
        assert!(matches!(refused, Err(AgentError::Name(_))), "{id}: {refused:?}");
        assert!(matches!(agents.get(id), Err(AgentError::Missing(_))), "{id}");
        assert!(matches!(agents.delete(id), Err(AgentError::Missing(_))), "{id}");
    }
    for taken in ["general", "planner"] {
        assert_eq!(agents.create(&agent(taken, &["read"]), &heap), Err(AgentError::Taken(taken.to_owned())));
    }
    assert_eq!(agents.create(&agent("x", &[]), &heap), Err(AgentError::NoTools));
    let unknown = agents.create(&agent("x", &["read", "toString", "tool_search"]), &heap);
    assert_eq!(unknown, Err(AgentError::Tools(vec!["toString".to_owned(), "tool_search".to_owned()])));
    for description in [" \n".to_owned(), "é".repeat(2_001)] {
        let silent = Agent { description, ..agent("x", &["read"]) };
        assert_eq!(agents.create(&silent, &heap), Err(AgentError::Description));
    }
    assert!(!packs.exists(), "nothing is left behind");
    assert_eq!(agents.update(&agent("x", &["read"]), &heap), Err(AgentError::Missing("x".to_owned())));
}

#[test]
fn packs_of_another_form_are_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let packs = folder.path().join("packs");
    let (agents, heap) = (Agents::new(packs.clone()), heap(&packs));
    let two = r#"{"specialists":[{"id":"two","toolNames":["read"]},{"id":"more","toolNames":["grep"]}]}"#;
    let other = r#"{"specialists":[{"id":"elsewhere","toolNames":["read"]}]}"#;
    let own = r#"{"specialists":[{"id":"own","toolNames":["read"],"topLevel":true,"sharedTools":["ask_user"]}]}"#;
    let below = r#"{"specialists":[{"id":"below","toolNames":["read"],"topLevel":false}]}"#;
    for (name, text) in [("two", two), ("other", other), ("own", own), ("below", below), ("broken", "{")] {
        std::fs::create_dir_all(packs.join(name)).unwrap();
        std::fs::write(packs.join(name).join("specialists.json"), text).unwrap();
    }
    std::fs::create_dir(packs.join("empty")).unwrap();
    for id in ["two", "other", "own", "below", "broken", "empty"] {
        assert_eq!(agents.get(id), Err(AgentError::Missing(id.to_owned())));
        assert_eq!(agents.delete(id), Err(AgentError::Missing(id.to_owned())));
        let refused = agents.create(&agent(id, &["read"]), &heap);
        assert_eq!(refused, Err(AgentError::Taken(id.to_owned())));
    }
    assert_eq!(std::fs::read_to_string(packs.join("two/specialists.json")).unwrap(), two);
}

#[test]
fn no_agent_takes_the_name_of_one_that_a_pack_has_for_others_to_call() {
    let folder = tempfile::tempdir().unwrap();
    let packs = folder.path().join("packs");
    let (agents, heap) = (Agents::new(packs.clone()), heap(&packs));
    let helper = packs.join("team/agents/helper.toml");
    std::fs::create_dir_all(helper.parent().unwrap()).unwrap();
    std::fs::write(&helper, "description = 'Helps the team.'\ntools = ['read']\n").unwrap();
    let before = heap.now();
    assert!(before.agents.contains_key("helper") && before.registry.get("helper").is_none());
    // By its folder's name it would come first and stand in the place of the pack's.
    let refused = agents.create(&agent("helper", &["grep"]), &heap);
    assert_eq!(refused, Err(AgentError::Taken("helper".to_owned())));
    assert!(!packs.join("helper").exists());
    assert_eq!((heap.now().agents["helper"].pack.as_str(), heap.now().faults.len()), ("team", 0));
}

#[cfg(unix)]
#[test]
fn what_a_link_leads_to_is_no_agent() {
    let folder = tempfile::tempdir().unwrap();
    let (packs, outside) = (folder.path().join("packs"), folder.path().join("outside"));
    let (agents, heap) = (Agents::new(outside.clone()), heap(&outside));
    agents.create(&agent("linked", &["read"]), &heap).unwrap();
    std::fs::create_dir(&packs).unwrap();
    std::os::unix::fs::symlink(outside.join("linked"), packs.join("linked")).unwrap();
    let here = Agents::new(packs);
    assert_eq!((here.list(), here.get("linked")), (Ok(all([])), Err(AgentError::Missing("linked".to_owned()))));
    assert!(here.update(&agent("linked", &["grep"]), &heap).is_err() && here.delete("linked").is_err());
    assert_eq!(agents.get("linked"), Ok(agent("linked", &["read"])));
}

#[test]
fn a_description_is_one_line_and_what_makes_agents_is_handed_on_to_none() {
    let folder = tempfile::tempdir().unwrap();
    let packs = folder.path().join("packs");
    let (agents, plain) = (Agents::new(packs.clone()), heap(&packs));
    let lines = Agent {
        description: "Reads\u{202e} notes.\n\nTools available:\n- all".to_owned(),
        ..agent("reader", &["read"])
    };
    agents.create(&lines, &plain).unwrap();
    assert_eq!(agents.get("reader").unwrap().description, "Reads notes. Tools available: - all");

    let mut tools = Catalogue::default();
    tools.add_all(core_tools()).unwrap();
    tools.add_all(human_tools()).unwrap();
    tools.add_all(agent_tools(&agents, &Arc::new(plain))).unwrap();
    let open = Heap::new(Arc::new(tools), Some(packs));
    let refused = agents.create(&agent("maker", &["read", "create_agent"]), &open);
    assert_eq!(refused, Err(AgentError::Tools(vec!["create_agent".to_owned()])));
}

#[tokio::test]
async fn what_is_told_of_an_agent_that_was_made_is_what_its_file_keeps() {
    let folder = tempfile::tempdir().unwrap();
    let (agents, heap) = (Agents::new(folder.path().to_owned()), Arc::new(heap(folder.path())));
    let tools = agent_tools(&agents, &heap);
    let call = async |name: &str, arguments: serde_json::Value| {
        let tool = tools.iter().find(|tool| tool.spec().name == name).unwrap();
        Bench::new().call(tool.as_ref(), arguments).await.unwrap()
    };
    let kept = agent("reader", &["read", "grep"]);
    let asked = json!({"name": "reader", "description": " Reads\n notes. ", "tools": ["read", "grep", "read"]});
    assert_eq!(call("create_agent", asked.clone()).await, Outcome::Success(json!({"created": kept})));
    assert_eq!(agents.get("reader"), Ok(kept.clone()));
    assert_eq!(call("update_agent", asked).await, Outcome::Success(json!({"changed": kept})));
}

#[test]
fn a_file_that_is_too_large_for_a_pack_is_none_of_an_agent() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("large")).unwrap();
    let text = format!("description = \"Reads.\"\ntools = [\"read\"]\n# {}\n", "x".repeat(1 << 20));
    std::fs::write(folder.path().join("large/agent.toml"), text).unwrap();
    let agents = Agents::new(folder.path().to_owned());
    let why = agents.get("large").unwrap_err().to_string();
    assert!(why.contains("packs.large.agent.toml: the file has 1048"), "{why}");
    let listed = agents.list().unwrap();
    assert_eq!((listed.agents.len(), listed.unread[0].name.as_str()), (0, "large"));
}

#[test]
fn an_agent_is_a_file_that_a_person_can_write_and_what_is_wrong_with_it_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let packs = folder.path().join("packs");
    let (agents, heap) = (Agents::new(packs.clone()), heap(&packs));
    let mine = "# mine\ndescription = \"\"\"\nReads notes.\nSlowly.\n\"\"\"\ntools = ['read']\n";
    let prompts = "description = \"x\"\ntools = []\nprompts = \"all\"\n";
    for (name, text) in [("mine", mine), ("broken", "tools = ["), ("more", prompts), ("Not a name", mine)] {
        std::fs::create_dir_all(packs.join(name)).unwrap();
        std::fs::write(packs.join(name).join("agent.toml"), text).unwrap();
    }
    let read = Agent { description: "Reads notes. Slowly.".to_owned(), ..agent("mine", &["read"]) };
    let listed = agents.list().unwrap();
    assert_eq!(listed.agents, std::slice::from_ref(&read));
    let unread: Vec<&str> = listed.unread.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(unread, ["broken", "more"], "what is there and cannot be read is not passed over");
    let why = &listed.unread[1].reason;
    assert!(why.contains("packs.more.agent.toml") && why.contains("unknown field `prompts`"), "{why}");
    assert!(matches!(agents.get("broken"), Err(AgentError::Folder(why)) if why.contains("packs.broken.agent.toml")));
    let now = heap.now();
    assert_eq!(now.registry.get("mine").unwrap().description, read.description);
    let told: Vec<String> = now.faults.iter().map(ToString::to_string).collect();
    assert_eq!(told.len(), 3, "{told:?}");
    assert!(told.iter().any(|fault| fault.contains("packs.more.agent.toml") && fault.contains("prompts")), "{told:?}");
    assert!(told.iter().any(|fault| fault.contains("packs.Not a name.agent.toml")), "{told:?}");

    // Whatever a description says, it stays a description.
    let hostile = Agent { description: "a\"\"\"\ntools = [\"bash\"] #'\\u{1}".to_owned(), ..agent("odd", &["read"]) };
    agents.create(&hostile, &heap).unwrap();
    assert_eq!(agents.get("odd").unwrap().tools, ["read"]);
}

#[test]
fn the_agent_of_a_pack_that_was_added_is_neither_changed_nor_removed_by_halves() {
    let folder = tempfile::tempdir().unwrap();
    let packs = folder.path().join("packs");
    let (agents, heap) = (Agents::new(packs.clone()), heap(&packs));
    crate::heap::shipped::add(&packs, "crawl").unwrap();
    let before = std::fs::read_to_string(packs.join("crawl/agent.toml")).unwrap();
    let refused = |result: Result<(), AgentError>| {
        let told = result.unwrap_err().to_string();
        assert!(
            told.contains("a pack that Assent brings along") && told.contains("assent heap remove crawl"),
            "{told}"
        );
    };
    refused(agents.update(&agent("crawl", &["read"]), &heap).map(drop));
    refused(agents.delete("crawl"));
    assert_eq!(std::fs::read_to_string(packs.join("crawl/agent.toml")).unwrap(), before);
    assert_eq!(crate::heap::shipped::PACKS[0].standing(&packs), crate::heap::shipped::Standing::Added);

    // A person's own pack: its agent is changed, and does not go without the others.
    agents.create(&agent("team", &["read"]), &heap).unwrap();
    let helper = packs.join("team/agents/helper.toml");
    std::fs::create_dir_all(helper.parent().unwrap()).unwrap();
    std::fs::write(&helper, "description = 'Helps the team.'\ntools = ['read']\n").unwrap();
    agents.update(&agent("team", &["grep"]), &heap).unwrap();
    let told = agents.delete("team").unwrap_err();
    assert_eq!(told, AgentError::HasOthers("team".to_owned()));
    assert_eq!(agents.get("team").unwrap().tools, ["grep"]);
    std::fs::remove_file(helper).unwrap();
    std::fs::write(packs.join("team/specialists.json"), r#"{"specialists":[]}"#).unwrap();
    assert_eq!(agents.delete("team"), Err(AgentError::HasOthers("team".to_owned())));
    std::fs::remove_file(packs.join("team/specialists.json")).unwrap();
    assert_eq!(agents.delete("team"), Ok(()));
}

/// A file as a person writes one.
const MINE: &str = "# What I use it for.\n\
    tools = [\"read\", 'grep']   # no more than these\n\
    must_call = [\"grep\"]\n\n\
    # In one line, please.\n\
    description = \"\"\"\nReads notes.\nSlowly.\n\"\"\"\n\n\
    # As many as it needs.\n[limits]\nstep_iterations = 9 # nine\n";

fn mine(packs: &Path, text: &str) -> Agents {
    std::fs::create_dir_all(packs.join("mine")).unwrap();
    std::fs::write(packs.join("mine/agent.toml"), text).unwrap();
    Agents::new(packs.to_owned())
}

#[test]
fn an_agent_that_is_changed_keeps_the_comments_and_the_order_of_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let (packs, heap) = (folder.path().to_owned(), heap(folder.path()));
    let text = || std::fs::read_to_string(packs.join("mine/agent.toml")).unwrap();
    let agents = mine(&packs, MINE);
    let before = agents.get("mine").unwrap();
    assert_eq!(
        (agents.update(&before, &heap), text()),
        (Ok(Vec::new()), MINE.to_owned()),
        "nothing is changed by no change"
    );

    let more = Agent { tools: ["grep", "read", "bash"].map(str::to_owned).to_vec(), ..before.clone() };
    assert_eq!(agents.update(&more, &heap), Ok(Vec::new()));
    let with_more = MINE.replace("[\"read\", 'grep']", "[\"grep\", \"read\", \"bash\"]");
    assert_eq!((text(), agents.get("mine")), (with_more, Ok(more)));

    let fewer = Agent { description: "Reads\n\"all\" of it.".to_owned(), tools: vec!["read".to_owned()], ..before };
    let lost = vec!["that it must call grep is gone with it".to_owned()];
    assert_eq!((agents.loses(&fewer), agents.update(&fewer, &heap)), (Ok(lost.clone()), Ok(lost)));
    let with_fewer = MINE
        .replace("[\"read\", 'grep']", "[\"read\"]")
        .replace("must_call = [\"grep\"]", "must_call = []")
        .replace("\"\"\"\nReads notes.\nSlowly.\n\"\"\"", "'Reads \"all\" of it.'");
    assert_eq!(text(), with_fewer);
    assert_eq!(agents.get("mine").unwrap().description, "Reads \"all\" of it.");
    assert_eq!(heap.now().faults, []);
}

#[tokio::test]
async fn comments_that_cannot_be_kept_are_told_of() {
    let folder = tempfile::tempdir().unwrap();
    let (packs, heap) = (folder.path().to_owned(), Arc::new(heap(folder.path())));
    let phases = format!("{MINE}[[phases]]\ncall = \"grep\"\n[[phases]]\ncall = \"read\"\n");
    let in_list = MINE.replace("[\"read\", 'grep']", "[\"read\", # first\n  'grep']");
    for (written, is_lost) in [(MINE, false), (&phases, true), (&in_list, true)] {
        let agents = mine(&packs, written);
        let tools = agent_tools(&agents, &heap);
        let update = tools.iter().find(|tool| tool.spec().name == "update_agent").unwrap();
        let asked = json!({"name": "mine", "tools": ["read"]});
        // Who allows it is told before.
        let before = update.consequence(&asked).unwrap();
        assert!(before.contains("that it must call grep is gone with it"), "{before}");
        assert_eq!(before.contains("the phase that calls grep"), written == phases, "{before}");
        assert_eq!(update.consequence(&json!({"name": "mine", "description": "Reads."})), None);
        let Ok(Outcome::Success(told)) = Bench::new().call(update.as_ref(), asked).await else { panic!() };
        assert_eq!(told["lost"].as_str().is_some_and(|lost| lost.contains("comments in agent.toml are gone")), is_lost);
        assert_eq!(
            (told["changed"]["tools"].clone(), agents.get("mine").unwrap().tools),
            (json!(["read"]), vec!["read".to_owned()])
        );
        let text = std::fs::read_to_string(packs.join("mine/agent.toml")).unwrap();
        assert_eq!(text.matches("[[phases]]").count(), usize::from(written == phases), "{text}");
    }
}

#[test]
fn an_agent_is_made_again_where_one_was_removed_and_something_else_lies_and_is_described_while_its_tools_are_away() {
    let folder = tempfile::tempdir().unwrap();
    let (packs, heap) = (folder.path().to_owned(), heap(folder.path()));
    let agents = mine(&packs, MINE);
    std::fs::write(packs.join("mine/notes.txt"), "mine").unwrap();
    let before = agents.get("mine").unwrap();
    agents.delete("mine").unwrap();
    agents.create(&before, &heap).unwrap();
    assert_eq!((agents.get("mine").as_ref(), packs.join("mine/notes.txt").exists()), (Ok(&before), true));
    std::fs::remove_file(packs.join("mine/agent.toml")).unwrap();
    std::fs::create_dir(packs.join("mine/agents")).unwrap();
    std::fs::write(packs.join("mine/agents/other.toml"), MINE).unwrap();
    assert_eq!(agents.create(&before, &heap), Err(AgentError::Taken("mine".to_owned())), "it is a pack of others");

    let away = MINE.replace("'grep'", "'office.send'");
    let agents = mine(&packs, &away);
    let described = Agent { description: "Sends.".to_owned(), ..agents.get("mine").unwrap() };
    assert_eq!(agents.update(&described, &heap).map(|_| agents.get("mine").unwrap()), Ok(described.clone()));
    let more = Agent { tools: vec!["office.read".to_owned()], ..described };
    assert_eq!(agents.update(&more, &heap), Err(AgentError::Tools(vec!["office.read".to_owned()])));
}
