//! Where specialists come from, and what becomes of packs that are not as they should be.

use std::path::Path;
use std::sync::Arc;

use assent_core::contract::{Fault, Risk, Source, ToolSpec};
use async_trait::async_trait;
use serde_json::{Value, json};

use super::Heap;
use crate::tool::{CallContext, Catalogue, Effects, Outcome, Tool, ToolStop, core_tools, human_tools};

mod agent_tests;

struct Named(ToolSpec);

#[async_trait]
impl Tool for Named {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    fn effects(&self, _: &Value) -> Effects {
        Effects::none(Risk::Read)
    }

    async fn call(&self, _: Value, _: &CallContext) -> Result<Outcome, ToolStop> {
        Ok(Outcome::Success(json!("done")))
    }
}

fn catalogue(more: &[(&str, Source)]) -> Arc<Catalogue> {
    let mut tools = Catalogue::default();
    tools.add_all(core_tools()).unwrap();
    tools.add_all(human_tools()).unwrap();
    for (name, source) in more {
        let spec = ToolSpec::new(*name, format!("Does {name}."), json!({"type": "object"}), *source, Risk::Read);
        tools.add(Arc::new(Named(spec))).unwrap();
    }
    Arc::new(tools)
}

fn write(packs: &Path, name: &str, text: &str) {
    std::fs::create_dir_all(packs.join(name)).unwrap();
    std::fs::write(packs.join(name).join("specialists.json"), text).unwrap();
}

fn pack(id: &str, tools: &[&str]) -> String {
    let specialist = json!({"id": id, "description": format!("Does {id}."), "toolNames": tools, "topLevel": true});
    json!({"specialists": [specialist]}).to_string()
}

fn told(faults: &[Fault]) -> Vec<String> {
    faults.iter().map(Fault::to_string).collect()
}

#[test]
fn what_assent_brings_along_has_all_its_tools_and_nothing_is_wrong() {
    let heap = Heap::new(catalogue(&[]), None).now();
    assert_eq!(told(&heap.faults), Vec::<String>::new());
    assert_eq!(heap.registry.top_level_ids(), ["general", "workspace"]);
    assert!(heap.registry.get("workspace").unwrap().is_leaf(), "eight tools and the two that ask are ten");
    let shown: Vec<Value> = heap.lines.iter().map(|line| json!(line)).collect();
    let groups: Vec<&Value> = shown.iter().map(|line| &line["groups"]).collect();
    assert_eq!(
        groups,
        [
            &json!([{"label": "Ask the user", "count": 2}]),
            &json!([{"label": "Find and read", "count": 4}, {"label": "Write and change", "count": 3}, {"label": "Commands and scripts", "count": 1}]),
        ]
    );
}

#[test]
fn each_source_of_connected_tools_is_a_specialist_of_its_own_name() {
    let tools = [
        ("mcp.mail.send", Source::Mcp),
        ("general.read", Source::Catalogue),
        ("mcp.mail.read", Source::Mcp),
        ("planner.x", Source::Catalogue),
        ("odd__name.x", Source::Catalogue),
    ];
    let heap = Heap::new(catalogue(&tools), None).now();
    assert_eq!(told(&heap.faults), Vec::<String>::new());
    let own = |id: &str| heap.registry.get(id).unwrap().tool_names.clone();
    assert_eq!(own("mail"), ["mcp.mail.send", "mcp.mail.read"]);
    assert_eq!(own("general_tools"), ["general.read"], "no source takes the place of a specialist that is there");
    assert_eq!(own("planner_tools"), ["planner.x"]);
    assert_eq!(own("odd_name"), ["odd__name.x"]);
    assert_eq!(own("general"), ["ask_user", "displayConfirmation"]);
}

#[test]
fn a_pack_of_the_name_of_a_source_hides_none_of_its_tools_and_stands_for_it_where_it_has_them() {
    let folder = tempfile::tempdir().unwrap();
    let packs = folder.path().join("packs");
    let tools = [("mcp.mail.send", Source::Mcp), ("mcp.mail.read", Source::Mcp)];
    let heap = Heap::new(catalogue(&tools), Some(packs.clone()));
    let own = |id: &str| heap.now().registry.get(id).map(|one| one.tool_names.clone());
    write(&packs, "mail", &pack("mail", &["grep"]));
    assert_eq!(
        (own("mail"), own("mail_tools")),
        (Some(vec!["grep".to_owned()]), Some(vec!["mcp.mail.send".to_owned(), "mcp.mail.read".to_owned()]))
    );
    write(&packs, "mail", &pack("mail", &["mcp.mail.send", "grep"]));
    assert_eq!(own("mail"), Some(vec!["mcp.mail.send".to_owned(), "grep".to_owned()]));
    assert_eq!(own("mail_tools"), None, "a person has said who has these tools");
    assert!(told(&heap.now().notes).iter().any(|note| note.contains("mcp.mail.read")), "{:?}", heap.now().notes);

    let below = |id: &str, tool: &str| json!({"id": id, "description": "Part.", "toolNames": [tool]});
    let above =
        json!({"id": "mail", "description": "Mail.", "topLevel": true, "children": ["mail_read", "mail_write"]});
    let all = [above, below("mail_read", "mcp.mail.read"), below("mail_write", "mcp.mail.send")];
    write(&packs, "mail", &json!({"specialists": all}).to_string());
    assert_eq!((own("mail_tools"), own("mail")), (None, Some(vec![])), "those below it have them");
    assert_eq!(heap.now().registry.root_for(&["mcp.mail.send".to_owned()]), Some("mail"));
}

#[test]
fn packs_are_added_changed_and_removed_while_the_program_runs() {
    let folder = tempfile::tempdir().unwrap();
    let packs = folder.path().join("packs");
    let heap = Heap::new(catalogue(&[]), Some(packs.clone()));
    let before = heap.now();
    assert_eq!(before.registry.top_level_ids(), ["general", "workspace"]);
    assert!(Arc::ptr_eq(&before, &heap.now()), "nothing is built anew where nothing was changed");

    write(&packs, "mine", &pack("notes", &["read", "grep"]));
    let added = heap.now();
    assert_eq!(added.registry.top_level_ids(), ["general", "workspace", "notes"]);
    assert_eq!(added.from.get("notes").map(String::as_str), Some("mine"));
    assert!(added.known.contains_key("notes") && !before.known.contains_key("notes"));
    assert_eq!(added.snapshot().overlay_ids, ["notes"]);

    write(&packs, "mine", &pack("workspace", &["read"]));
    let changed = heap.now();
    assert_eq!(changed.registry.get("workspace").unwrap().tool_names, ["read"]);
    assert_eq!(changed.registry.get("notes"), None);
    let note = "specialists.workspace: \"workspace\" comes from \"mine\" now, no longer from Assent";
    assert_eq!((told(&added.notes), told(&changed.notes)[0].as_str()), (vec![], note));
    assert_eq!(added.registry.get("workspace").unwrap().tool_names.len(), 8, "whoever has one keeps it");

    std::fs::remove_dir_all(packs.join("mine")).unwrap();
    assert_eq!(*heap.now(), *before);
}

#[test]
fn a_pack_that_cannot_be_used_is_told_and_leaves_the_others() {
    let folder = tempfile::tempdir().unwrap();
    let packs = folder.path();
    write(packs, "a", "{\"specialists\": [");
    write(packs, "b", &json!({"specialists": [{"id": "x", "shell": "rm -rf /"}]}).to_string());
    write(packs, "c", &pack("good", &["read", "gone"]));
    write(packs, "d", &pack("planner", &["create_file"]));
    write(packs, "e", &pack("good", &["grep"]));
    write(packs, "f", &format!("{}{}", " ".repeat(1 << 20), pack("large", &[])));
    std::fs::create_dir(packs.join("empty")).unwrap();
    std::fs::write(packs.join("file"), "no folder").unwrap();
    let heap = Heap::new(catalogue(&[]), Some(packs.to_owned())).now();
    assert_eq!(heap.registry.top_level_ids(), ["general", "workspace", "good"]);
    assert_eq!(heap.registry.get("good").unwrap().tool_names, ["grep"]);
    assert_eq!(heap.registry.get("planner").unwrap().tool_names, ["emit_plan"]);
    let packed = heap.packed();
    let whose: Vec<_> = packed.iter().map(|(id, pack)| (id.as_str(), pack.as_str())).collect();
    assert_eq!(
        (whose, heap.snapshot().overlay_ids),
        (vec![("good", "e")], vec!["good".to_owned()]),
        "of nobody refused"
    );
    let told = told(&heap.faults);
    let beginnings = [
        "packs.a.specialists.json: its specialists were left out: EOF",
        "packs.b.specialists.json: its specialists were left out: unknown field `shell`",
        "packs.empty: it is no pack: there is no agent.toml, no agents/NAME.toml and no specialists.json in it",
        "packs.f.specialists.json: its specialists were left out: the file has",
        "specialists.good: \"good\" comes from \"e\" now, no longer from \"c\"",
        "specialists.planner.id: the planner cannot be replaced",
    ];
    assert_eq!(told.len(), beginnings.len(), "{told:#?}");
    for (told, beginning) in told.iter().zip(beginnings) {
        assert!(told.starts_with(beginning), "{told}");
    }
}

#[cfg(unix)]
#[test]
fn what_is_there_and_cannot_be_read_is_told_and_counts_once_it_can() {
    use std::os::unix::fs::symlink;
    let folder = tempfile::tempdir().unwrap();
    let packs = folder.path().join("packs");
    for pack in ["a", "c", "d/agents/x.toml", "e/specialists.json", ".git"] {
        std::fs::create_dir_all(packs.join(pack)).unwrap();
    }
    let later = folder.path().join("later.toml");
    symlink(&later, packs.join("a/agent.toml")).unwrap();
    symlink(folder.path().join("nowhere"), packs.join("b")).unwrap();
    std::fs::write(packs.join("c/agents"), "no folder").unwrap();
    let heap = Heap::new(catalogue(&[]), Some(packs.clone()));
    let faults = told(&heap.now().faults);
    let beginnings = [
        "packs.a.agent.toml: it cannot be read: it is a link that leads nowhere",
        "packs.c.agents: it cannot be read: Not a directory",
        "packs.d.agents/x.toml: it cannot be read: it is no file",
        "packs.e.specialists.json: its specialists were left out: it is no file",
        "packs.b: it cannot be read: it is a link that leads nowhere",
    ];
    assert_eq!(faults.len(), beginnings.len(), "{faults:#?}");
    for (fault, beginning) in faults.iter().zip(beginnings) {
        assert!(fault.starts_with(beginning), "{fault}");
    }
    std::fs::write(later, "description = 'Reads.'\ntools = ['read']\n").unwrap();
    assert!(heap.now().agents.contains_key("a") && heap.now().faults.len() == 4);
    // Nothing in a folder, and nothing of it any more.
    std::fs::create_dir(packs.join("new")).unwrap();
    assert!(
        told(&heap.now().faults).contains(
            &"packs.new: it is no pack: there is no agent.toml, no agents/NAME.toml and no specialists.json in it"
                .to_owned()
        )
    );
    std::fs::remove_dir(packs.join("new")).unwrap();
    assert_eq!(heap.now().faults.len(), 4);
}

#[cfg(unix)]
#[test]
fn an_agent_is_read_anew_also_in_a_pack_of_very_many_files_and_behind_a_link() {
    use std::os::unix::fs::symlink;
    let folder = tempfile::tempdir().unwrap();
    let (packs, aside) = (folder.path().join("packs"), folder.path().join("aside"));
    for part in [packs.join("large/a-notes/more"), packs.join("large/contracts"), packs.join("linked"), aside.clone()] {
        std::fs::create_dir_all(part).unwrap();
    }
    for number in 0..250 {
        std::fs::write(packs.join(format!("large/{number}.txt")), "note").unwrap();
        std::fs::write(packs.join(format!("large/a-notes/more/{number}.txt")), "note").unwrap();
    }
    symlink(&aside, packs.join("linked/agents")).unwrap();
    // A circle of links ends somewhere.
    symlink(packs.join("large"), packs.join("large/round")).unwrap();
    let agent = |said: &str| format!("description = \"{said}\"\ntools = [\"read\"]\n");
    std::fs::write(packs.join("large/agent.toml"), agent("Reads.")).unwrap();
    std::fs::write(aside.join("helper.toml"), agent("Helps.")).unwrap();
    let heap = Heap::new(catalogue(&[]), Some(packs.clone()));
    let said = |name: &str| heap.now().agents[name].description.clone();
    assert_eq!((said("large"), said("helper")), ("Reads.".to_owned(), "Helps.".to_owned()));
    let before = heap.now();
    assert!(Arc::ptr_eq(&before, &heap.now()), "nothing is built anew where nothing was changed");
    std::fs::write(packs.join("large/agent.toml"), agent("Reads everything.")).unwrap();
    std::fs::write(aside.join("helper.toml"), agent("Helps everybody.")).unwrap();
    assert_eq!((said("large"), said("helper")), ("Reads everything.".to_owned(), "Helps everybody.".to_owned()));
}

#[test]
fn a_large_source_is_split_and_a_planner_sees_how_much_there_is_and_no_name() {
    let names: Vec<String> = (0..300).map(|at| format!("big.tool_{at}")).collect();
    let tools: Vec<(&str, Source)> = names.iter().map(|name| (name.as_str(), Source::Mcp)).collect();
    let heap = Heap::new(catalogue(&tools), None).now();
    let big = heap.registry.get("big").unwrap();
    assert!(big.is_delegator() && heap.registry.leaves_below("big").all(|leaf| leaf.tool_names.len() <= 8));
    assert_eq!(heap.registry.tools_below("big").count(), 300);
    let line = heap.lines.iter().find(|line| line.id == "big").unwrap();
    assert_eq!(json!(line.groups), json!([{"label": "tools", "count": 300}]));
    assert!(!json!(heap.lines).to_string().contains("tool_1"));
}

#[test]
fn a_planner_is_shown_as_much_of_hundreds_of_sources_as_of_a_few() {
    let shown = |sources: usize| {
        let names: Vec<String> = (0..sources * 2).map(|at| format!("mcp.source{}.tool{at}", at % sources)).collect();
        let tools: Vec<(&str, Source)> = names.iter().map(|name| (name.as_str(), Source::Mcp)).collect();
        let heap = Heap::new(catalogue(&tools), None).now();
        assert_eq!(heap.registry.tools_below("more").count(), (sources - 5) * 2);
        json!(heap.lines).to_string().len()
    };
    let (few, many) = (shown(7), shown(500));
    assert!(many < few + 150, "{few} bytes of 7 sources, {many} of 500");
}
