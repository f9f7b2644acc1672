//! What a person sets is there after a restart.

use serde_json::{Value, json};

use super::page::Page;

#[test]
fn settings_models_and_endpoints_are_kept() {
    let page = Page::open();
    page.session();
    let changed = page.gives("settings_change", json!({"change": {"policy": "never-ask", "closing": "stop"}}));
    assert_eq!((&changed["policy"], &changed["closing"]), (&json!("never-ask"), &json!("stop")));
    assert_eq!((&changed["workspace"], &changed["delegation"]), (&json!(null), &json!("expand")));
    let changed = page.gives("settings_change", json!({"change": {"delegation": "runtime"}}));
    assert_eq!(changed["delegation"], json!("runtime"));
    let changed = page.gives("settings_change", json!({"change": {"workspace": page.workspace}}));
    assert_eq!(changed["workspace"], json!({"path": page.workspace, "name": "workspace", "usable": true}));
    assert_eq!(changed["toolBudget"], json!(3800));
    let changed = page.gives("settings_change", json!({"change": {"toolBudget": 2000}}));
    assert_eq!(changed["toolBudget"], json!(2000));
    assert_eq!(page.fails("settings_change", json!({"change": {"toolBudget": 99}})), "invalid");
    let nowhere = json!({"change": {"workspace": "/no/such/folder"}});
    assert_eq!(page.fails("settings_change", nowhere), "folder_unusable");
    let provider = json!({"id": "mine", "baseUrl": "http://127.0.0.1:9/v1", "protocol": "openai", "contextTokens": 4096, "plain": true});
    page.gives("provider_add", json!({"provider": provider, "replaces": false}));
    let moved = json!({"id": "mine", "baseUrl": "http://127.0.0.1:8/v1", "protocol": "openai"});
    assert_eq!(page.fails("provider_add", json!({"provider": moved, "replaces": false})), "name_taken");
    page.gives("provider_add", json!({"provider": moved, "replaces": true}));
    page.gives("provider_add", json!({"provider": provider, "replaces": true}));
    let keyed = json!({"id": "mine", "baseUrl": "http://me:key@127.0.0.1:9/v1", "protocol": "openai"});
    let keyed = json!({"provider": keyed, "replaces": true});
    assert_eq!(page.fails("provider_add", keyed), "invalid");
    page.gives("model_choose", json!({"role": "planner", "id": "mine/small"}));
    assert_eq!(page.fails("model_choose", json!({"role": "default", "id": "nobody/x"})), "model_missing");
    assert_eq!(page.fails("model_choose", json!({"role": "default", "id": "x"})), "invalid");

    let page = page.reopened();
    let first = page.gives("stream_open", json!({"packets": "__CHANNEL__:1"}));
    assert_eq!(first["settings"], changed);
    let sessions = page.gives("session_list", json!({"filter": {"archived": true, "limit": 0, "offset": 0}}));
    assert_eq!((first["sessions"].as_array().map(Vec::len), &first["sessions"]), (Some(1), &sessions));
    assert_eq!(first["requests"], json!([]));
    let models = page.gives("model_list", json!({}));
    assert_eq!(first["models"], models);
    assert_eq!(models["chosen"], json!({"default": "local/starter", "planner": "mine/small", "step": null}));
    let ids: Vec<&Value> = models["models"].as_array().unwrap().iter().map(|model| &model["id"]).collect();
    assert!(ids.contains(&&json!("local/starter")) && ids.contains(&&json!("mine/small")), "{ids:?}");
    let providers = page.gives("provider_list", json!({}));
    let mine = providers.as_array().unwrap().iter().find(|view| view["provider"]["id"] == "mine").unwrap();
    assert_eq!((&mine["own"], &mine["local"]), (&json!(true), &json!(true)));
    assert_eq!(first["workspaces"], json!([{"path": page.workspace, "name": "workspace", "usable": true}]));
    // A model of an endpoint that is no more can be asked nothing, and stays chosen until another one is.
    let state = |page: &Page| {
        let models = page.gives("model_list", json!({}))["models"].as_array().unwrap().clone();
        models.into_iter().find(|model| model["id"] == "mine/small").unwrap()["state"].clone()
    };
    assert_eq!(state(&page), "unknown");
    assert_eq!(page.fails("provider_remove", json!({"id": "mine"})), "no_keyring");
    assert_eq!(state(&page), "unknown");
    page.unlock_keyring();
    page.gives("provider_remove", json!({"id": "mine"}));
    assert_eq!(state(&page), "missing");
    let cleared = page.gives("settings_change", json!({"change": {"workspace": ""}}));
    assert_eq!(cleared["workspace"], json!(null));
    let usual = page.gives("settings_change", json!({"change": {"toolBudget": 0}}));
    assert_eq!(usual["toolBudget"], json!(3800));
    assert!(first["tools"].as_array().unwrap().iter().any(|tool| tool["name"] == "grep"), "{}", first["tools"]);
    assert_eq!(first["specialists"][0]["executor"], json!({"kind": "self", "id": ""}));
}
