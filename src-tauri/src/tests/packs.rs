//! A pack of a person's own by way of the page: looked at, added with its agents, removed.

use serde_json::{Value, json};

use super::page::Page;

fn own(view: &Value) -> Vec<Value> {
    view["packs"].as_array().unwrap().iter().filter(|pack| pack["standing"] == "own").cloned().collect()
}

#[test]
fn a_folder_is_looked_at_and_becomes_a_pack_whose_agents_are_there_at_once() {
    let page = Page::open();
    let folder = page.workspace.with_file_name("letters");
    std::fs::create_dir(&folder).unwrap();
    let agent = |more: &str| format!("description = \"Writes letters.\"\ntools = [\"read\"]\n{more}");
    std::fs::write(folder.join("agent.toml"), agent("models = 1\n")).unwrap();
    let given = json!({"name": "letters", "folder": folder});
    let found = page.gives("tool_check_pack", given.clone());
    assert_eq!((&found["files"], &found["agents"]), (&json!(["agent.toml"]), &json!([])));
    assert_eq!((found["faults"].as_array().unwrap().len(), &found["faults"][0]["file"]), (1, &json!("agent.toml")));
    assert!(found["faults"][0]["reason"].as_str().unwrap().contains("unknown field `models`"), "{found}");
    assert_eq!(page.fails("tool_add_own_pack", given.clone()), "invalid");
    assert_eq!(own(&page.gives("tool_list", json!({}))), [] as [Value; 0]);

    std::fs::write(folder.join("agent.toml"), agent("").replace("read", "raed")).unwrap();
    let found = page.gives("tool_check_pack", given.clone());
    let reason = "tools: there is no tool \"raed\" (The list of tools names those that there are.)";
    assert_eq!(found["faults"], json!([{"file": "agent.toml", "reason": reason}]));
    let general = r#"{"specialists": [{"id": "general", "toolNames": ["read"]}, {"id": "idle"}]}"#;
    std::fs::write(folder.join("specialists.json"), general).unwrap();
    let found = page.gives("tool_check_pack", given.clone());
    let idle = "idle.toolNames: it has neither tools nor anybody below it; the specialist was left out";
    assert_eq!(found["faults"][0], json!({"file": "specialists.json", "reason": idle}));
    let taken = "general: \"general\" comes from \"letters\" now, no longer from Assent";
    assert_eq!(found["notes"][0], json!({"file": "specialists.json", "reason": taken}));
    std::fs::remove_file(folder.join("specialists.json")).unwrap();

    std::fs::write(folder.join("agent.toml"), agent("")).unwrap();
    let found = page.gives("tool_check_pack", given.clone());
    assert_eq!((&found["agents"], &found["faults"]), (&json!(["letters"]), &json!([])));
    let view = page.gives("tool_add_own_pack", given.clone());
    assert_eq!(own(&view), [json!({"name": "letters", "description": "", "standing": "own", "files": ["agent.toml"]})]);
    let specialists = view["heap"]["specialists"].as_array().unwrap();
    assert!(specialists.iter().any(|one| one["id"] == "letters" && one["from"] == "letters"), "{view}");
    // It is an agent, and no tool of its name.
    let contract = page.gives("tool_contract", json!({"name": "letters", "agent": true}));
    assert_eq!((&contract["entry"]["isAgent"], &contract["entry"]["pack"]), (&json!(true), &json!("letters")));
    assert_eq!(page.fails("tool_contract", json!({"name": "letters", "agent": false})), "not_found");
    assert_eq!(page.fails("tool_check_pack", given), "conflict");
    for (name, folder, code) in [
        ("No Name", folder.to_str().unwrap(), "invalid"),
        ("crawl", folder.to_str().unwrap(), "invalid"),
        ("other", "/no/such/folder", "folder_unusable"),
    ] {
        assert_eq!(page.fails("tool_check_pack", json!({"name": name, "folder": folder})), code, "{name}");
    }

    assert_eq!(page.fails("tool_remove_pack", json!({"name": "letters", "changed": false})), "conflict");
    let view = page.gives("tool_remove_pack", json!({"name": "letters", "changed": true}));
    assert_eq!(own(&view), [] as [Value; 0]);
    assert!(!view["heap"].to_string().contains("\"letters\""), "{view}");
    assert!(folder.join("agent.toml").exists());
}
