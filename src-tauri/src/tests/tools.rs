//! Tools of a folder are at hand as soon as it is added, while the window is open, and gone with it.

use serde_json::{Value, json};

use super::page::Page;

fn names(view: &Value) -> Vec<&str> {
    view["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect()
}

#[test]
fn a_source_is_usable_without_a_restart_and_gone_when_it_is_removed() {
    let page = Page::open();
    let folder = page.workspace.with_file_name("catalogue");
    std::fs::create_dir(&folder).unwrap();
    let greet = json!({
        "name": "greet",
        "description": "Greets somebody by name.",
        "parameters": {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]},
        "command": ["printf", "hello %s", "{name}"]
    });
    std::fs::write(folder.join("greet.json"), greet.to_string()).unwrap();
    std::fs::write(folder.join("broken.json"), "{").unwrap();
    let before = page.gives("tool_list", json!({}));
    assert_eq!((&before["sources"], &before["budget"]), (&json!([]), &json!(3800)));
    // So that its tools join an index that is there.
    let nobody = page.gives("tool_find", json!({"text": "greet somebody by name", "limit": 5}));
    assert!(!nobody.to_string().contains("acme"), "{nobody}");

    let view = page.gives("tool_add_source", json!({"name": "acme", "folder": folder}));
    let source = &view["sources"][0];
    assert_eq!(
        (&source["name"], &source["tools"], &source["problem"]),
        (&json!("acme"), &json!(["acme.greet"]), &json!(null))
    );
    assert_eq!(
        (&source["faults"][0]["file"], source["faults"].as_array().map(Vec::len)),
        (&json!("broken.json"), Some(1))
    );
    assert_eq!(names(&view).last(), Some(&"acme.greet"));
    let tokens = view["tokens"].as_array().unwrap();
    assert_eq!(tokens.len(), names(&view).len());
    assert!(tokens.iter().all(|count| count.as_u64().unwrap() > 10), "{tokens:?}");
    assert_eq!(page.fails("tool_add_source", json!({"name": "acme", "folder": folder})), "invalid");
    assert_eq!(page.fails("tool_add_source", json!({"name": "Not This", "folder": folder})), "invalid");
    assert_eq!(page.fails("tool_add_source", json!({"name": "b", "folder": "/no/such/folder"})), "folder_unusable");

    let found = page.gives("tool_find", json!({"text": "greet somebody by name", "limit": 5}));
    let first = &found["tools"][0];
    assert_eq!(first["name"], "acme.greet");
    assert_eq!(
        (&first["source"], &first["owner"], &first["risk"], &first["callable"]),
        (&json!("catalogue"), &view["owners"][names(&view).len() - 1], &json!("execute"), &json!(true))
    );
    assert!(first["owner"].is_string(), "{first}");
    let sum: f64 = first["reasons"].as_array().unwrap().iter().map(|reason| reason["adds"].as_f64().unwrap()).sum();
    assert!((sum - first["score"].as_f64().unwrap()).abs() < 1e-3, "{first}");

    let mut told = page.listen();
    let session = page.session();
    page.gives("tool_call", json!({"session": session, "tool": "acme.greet", "arguments": {"name": "Ada"}}));
    let end = told.event("call_ended");
    assert!(end.to_string().contains("hello Ada"), "{end}");

    let page = page.reopened();
    let after = page.gives("tool_remove_source", json!({"name": "acme"}));
    assert_eq!(after, before);
    assert_eq!(page.fails("tool_remove_source", json!({"name": "acme"})), "not_found");
    let session = page.session();
    let call = json!({"session": session, "tool": "acme.greet", "arguments": {"name": "Ada"}});
    assert_eq!(page.fails("tool_call", call), "no_tool");
}

#[test]
fn a_search_is_narrowed_down_says_why_nothing_is_left_and_what_only_models_call() {
    let page = Page::open();
    let view = page.gives("tool_list", json!({}));
    let grep = names(&view).iter().position(|name| *name == "grep").unwrap();
    assert_eq!(view["owners"][grep], "workspace");
    let find = |text: &str, filter: Value| page.gives("tool_find", json!({"text": text, "limit": 5, "filter": filter}));
    let found = |filter: Value| {
        let found = find("change the text of a file", filter);
        let risks = found["tools"].as_array().unwrap().iter().map(|tool| tool["risk"].as_str().unwrap().to_owned());
        (risks.collect::<Vec<_>>(), found["nothing"].clone())
    };
    let (risks, nothing) = found(json!({"risks": ["read"]}));
    assert!(!risks.is_empty() && risks.iter().all(|risk| risk == "read") && nothing == json!(null), "{risks:?}");
    let (none, nothing) = found(json!({"sources": ["mcp"], "servers": ["github"]}));
    assert!(none.is_empty() && nothing.as_str().unwrap().ends_with("but the filter leaves them out."), "{nothing}");
    let meta = find("tool_explain", json!({}));
    assert_eq!((&meta["tools"][0]["name"], &meta["tools"][0]["callable"]), (&json!("tool_explain"), &json!(false)));
    assert_eq!(meta["lacks"], json!([]), "without anything to compare meanings, nothing of the sort is missed");
}

/// Adds a source whose one tool sends a key to a host.
fn add_tickets(page: &Page) -> Value {
    let folder = page.workspace.with_file_name("tickets");
    std::fs::create_dir(&folder).unwrap();
    let tool = json!({
        "name": "get", "description": "Gets a ticket.",
        "parameters": {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]},
        "http": {"url": "https://Tickets.example.com/{id}", "headers": {"Authorization": "Bearer {$key}"}}
    });
    std::fs::write(folder.join("get.json"), tool.to_string()).unwrap();
    page.gives("tool_add_source", json!({"name": "tickets", "folder": folder}))
}

#[test]
fn a_source_says_which_host_wants_a_key_and_takes_none_for_another() {
    let page = Page::open();
    let view = add_tickets(&page);
    assert_eq!(view["sources"][0]["hosts"], json!(["tickets.example.com"]));
    let keys = page.gives("tool_keys", json!({"source": "tickets"}));
    let locked = "this machine's keyring cannot be used: it is locked";
    let key = json!({"place": "unknown", "reason": locked});
    assert_eq!(keys, json!([{"host": "tickets.example.com", "key": key}]));
    assert_eq!(page.fails("tool_keys", json!({"source": "nobody"})), "not_found");
    for (source, host) in
        [("tickets", "example.com"), ("tickets", "tickets.example.com:444"), ("nobody", "tickets.example.com")]
    {
        let key = json!({"source": source, "host": host, "key": "secret"});
        assert_eq!(page.fails("tool_set_key", key), "not_found", "{source} {host}");
        assert_eq!(page.fails("tool_forget_key", json!({"source": source, "host": host})), "not_found");
    }
    let empty = json!({"source": "tickets", "host": "tickets.example.com", "key": "  "});
    assert_eq!(page.fails("tool_set_key", empty), "invalid");
    assert_eq!(page.gives("tool_list", json!({}))["sources"], view["sources"]);
}

#[test]
fn the_list_of_tools_is_there_whatever_the_keyring_does() {
    let page = Page::open();
    add_tickets(&page);
    page.gives("tool_list", json!({}));
    assert_eq!(page.asked_keyring(), 0, "what is locked would hold the list up");
    page.gives("tool_keys", json!({"source": "tickets"}));
    assert_eq!(page.asked_keyring(), 1);
}

#[test]
fn the_studio_is_opened_and_closed_while_the_window_is_open() {
    let page = Page::open();
    let specialists = |view: &Value| view["specialists"].as_array().unwrap().len();
    let before = page.gives("tool_list", json!({}));
    assert_eq!(before["studio"], false);
    let open = page.gives("tool_set_studio", json!({"open": true}));
    assert_eq!(open["studio"], true);
    assert!(names(&open).contains(&"create_agent") && specialists(&open) > specialists(&before), "{open}");
    assert_eq!(page.gives("tool_list", json!({}))["studio"], true);
    let heap = &open["heap"];
    let of = |id: &str| heap["specialists"].as_array().unwrap().iter().find(|one| one["id"] == id).unwrap().clone();
    assert!(of("agent")["tools"].as_array().unwrap().contains(&json!("create_agent")), "{heap}");
    assert_eq!((&of("agent")["parent"], &of("agent")["from"]), (&json!(null), &json!(null)));
    assert_eq!((&heap["mostTools"], &heap["mostBelow"], &heap["faults"]), (&json!(8), &json!(7), &json!([])));
    let closed = page.gives("tool_set_studio", json!({"open": false}));
    assert_eq!((&closed["studio"], names(&closed)), (&json!(false), names(&before)));
}

#[test]
fn contracts_are_listed_and_read_field_by_field() {
    let page = Page::open();
    let all = page.gives("tool_contracts", json!({}));
    let of = |name: &str| all.as_array().unwrap().iter().find(|one| one["name"] == name).unwrap().clone();
    assert_eq!(of("grep")["isAgent"], false);
    let grep = page.gives("tool_contract", json!({"name": "grep", "agent": false}));
    let pattern = grep["input"]["fields"].as_array().unwrap().iter().find(|one| one["name"] == "pattern").unwrap();
    assert_eq!((&pattern["required"], &pattern["depth"]), (&json!(true), &json!(0)));
    assert_eq!((&grep["output"], &grep["input"]["cut"]), (&json!(null), &json!(false)));
    for is_agent in [true, false] {
        let asked = json!({"name": "toString", "agent": is_agent});
        assert_eq!(page.fails("tool_contract", asked), "not_found");
    }
}
