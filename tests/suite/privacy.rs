//! What leaves the machine, and what no model is told.

use assent_engine::model::scripted::ScriptedModel;
use assent_engine::model::{ModelProfile, PlannerProfile, Request};
use assent_engine::turn::{ApprovalPolicy, TurnEnd};
use assent_tests::desk::Desk;
use serde_json::json;

const FILES: [(&str, &str); 5] = [
    ("people.csv", "name,age\nAda Lovelace,36\n"),
    ("config.json", "{\"owner\": \"Grace Hopper\", \"port\": 8080}"),
    ("notes.md", "The code word is swordfish.\n"),
    ("id_rsa", "-----BEGIN KEY-----\n"),
    ("credentials.json", "{\"password\": \"hunter2\"}"),
];

fn text_of(request: &Request) -> String {
    format!("{:?}", request.messages)
}

/// Everything that a planner and a step are sent for a message about the files.
async fn sent(local: bool) -> (String, String) {
    let profile = ModelProfile {
        id: "scripted/elsewhere".into(),
        context_tokens: 32_768,
        planner: PlannerProfile::Full,
        parallel: 4,
        local,
    };
    let desk = Desk::on(ScriptedModel::new(profile), &FILES);
    desk.plans(&json!({"title": "Find", "todoList": [
        {"id": "s1", "description": "Look for the owner", "stepType": "tool", "requiredTools": ["grep"], "dependencies": []}
    ]}));
    desk.calls("grep", json!({"pattern": "owner"}));
    desk.says("It is in config.json.");
    let session = desk.session().await;
    let end = desk.send(&session, "Where is the owner named?", ApprovalPolicy::NeverAsk).await;
    assert_eq!(end, TurnEnd::Answered { session });
    let requests = desk.model.requests();
    (text_of(&requests[0]), text_of(&requests[1]))
}

#[tokio::test]
async fn a_model_elsewhere_is_sent_names_and_shapes_before_any_call_and_no_value_of_a_file() {
    let (planner, step) = sent(false).await;
    for told in ["people.csv: 2 lines, columns: name, age", "notes.md: 1 lines"] {
        assert!(planner.contains(told), "{planner}");
    }
    for value in ["Ada", "Grace", "8080", "swordfish", "id_rsa", "credentials.json", "hunter2"] {
        assert!(!planner.contains(value) && !step.contains(value), "{value}: {planner}\n{step}");
    }
}

#[tokio::test]
async fn a_model_on_this_machine_sees_a_first_row_and_never_a_file_of_keys() {
    let (planner, _) = sent(true).await;
    assert!(planner.contains("next line: Ada Lovelace,36"), "{planner}");
    assert!(!planner.contains("id_rsa") && !planner.contains("credentials.json"), "{planner}");
}

#[tokio::test]
async fn the_data_folder_inside_a_workspace_is_told_to_nobody() {
    let desk = Desk::with(&[("a.txt", "x\n")]);
    let outer = desk.workspace.parent().unwrap().to_path_buf();
    let session = desk.engine.sessions().create(&outer).await.unwrap();
    desk.plans(&json!({"title": "Find", "steps": [{"tool": "glob", "do": "List the files", "expect": "names"}]}));
    let end = desk.send(&session, "Which files are there?", ApprovalPolicy::AlwaysAsk).await;
    assert!(matches!(end, TurnEnd::AwaitingApproval { .. }), "{end:?}");
    let told = text_of(&desk.model.requests()[0]);
    assert!(told.contains("workspace/a.txt: 1 lines") && !told.contains("assent.db"), "{told}");
}
