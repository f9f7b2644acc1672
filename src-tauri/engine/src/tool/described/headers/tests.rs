use std::sync::Arc;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use super::super::{DescribedTool, ToolSource};
use super::key_name;
use crate::model::keys::tests::Mock;
use crate::model::{KeySource, Keys, Secret};
use crate::tool::testing::Bench;
use crate::tool::{Outcome, Tool};
use crate::vault::Mask;
use crate::vault::tests::{credential, empty};

const SECRET: &str = "sk-of-the-helpdesk";

fn keys() -> Arc<Keys> {
    Arc::new(Keys::new(Box::<Mock>::default(), Box::new(|_| None)))
}

fn ticket(url: &str, headers: Value) -> Value {
    json!({
        "name": "get_ticket", "description": "Gets a ticket.",
        "parameters": {"type": "object", "properties": {"id": {"type": "string"}, "lang": {"type": "string"}}},
        "http": {"url": format!("{url}/tickets/{{id}}"), "headers": headers}
    })
}

fn read(tool: &Value) -> Result<DescribedTool, String> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("tool.json"), tool.to_string()).unwrap();
    let mut found = ToolSource::new("acme", folder.path()).unwrap().read().unwrap();
    found.tools.pop().ok_or_else(|| found.left_out.remove(0).reason)
}

/// Answers one request with its own head, and gives that.
async fn echo(server: &tokio::net::TcpListener) -> String {
    let (mut line, _) = server.accept().await.unwrap();
    let mut bytes = [0; 4096];
    let read = line.read(&mut bytes).await.unwrap();
    let head = String::from_utf8_lossy(&bytes[..read]).into_owned();
    let size = head.len();
    let reply = format!("HTTP/1.1 403 Forbidden\r\ncontent-length: {size}\r\nconnection: close\r\n\r\n{head}");
    line.write_all(reply.as_bytes()).await.unwrap();
    head
}

#[tokio::test]
async fn the_key_of_the_source_goes_to_its_host_and_stands_nowhere_else() {
    let server = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", server.local_addr().unwrap());
    let headers = json!({"Authorization": "Bearer {$key}", "Accept-Language": "{lang}", "X-For": "{id}"});
    let keys = keys();
    let tool = read(&ticket(&url, headers)).unwrap().with_keys("acme", keys.clone(), empty(keys.clone()));
    let mut bench = Bench::new();
    bench.context.hosts = vec!["127.0.0.1".to_owned()];

    // Of another source or another host there is one; it is not taken.
    keys.set(&key_name("other", "127.0.0.1"), Secret::new("not this"));
    keys.set(&key_name("acme", "localhost"), Secret::new("not this"));
    let missing = bench.refusal(&tool, json!({"id": "7"})).await;
    assert!(missing.contains("assent tools source key acme 127.0.0.1"), "{missing}");

    assert_eq!(keys.set(&key_name("acme", "127.0.0.1"), Secret::new(SECRET)), KeySource::Keyring);
    // What a value says is never taken for the place of the key.
    let call = bench.call(&tool, json!({"id": "{$key}"}));
    let (head, outcome) = tokio::join!(echo(&server), call);
    assert!(head.contains(&format!("authorization: Bearer {SECRET}\r\n")), "{head}");
    assert!(head.contains("x-for: {$key}\r\n") && !head.contains("accept-language"), "{head}");
    let Ok(Outcome::Error { message, output }) = outcome else { panic!("{outcome:?}") };
    assert_eq!(message, "127.0.0.1 answered 403 Forbidden");
    let told = format!("{output} {}", tool.present(&output));
    assert!(!told.contains(SECRET) && told.contains("Bearer ⟦secret⟧"), "{told}");
    let shown = format!("{} {:?}", json!(tool.spec()), tool.effects(&json!({"id": "7"})));
    assert!(!shown.contains(SECRET), "{shown}");
}

#[tokio::test]
async fn a_server_that_has_its_answer_cut_gets_no_half_of_a_secret_out() {
    let server = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", server.local_addr().unwrap());
    let tool = read(&ticket(&url, json!({}))).unwrap().with_keys("acme", keys(), empty(keys()));
    let mut bench = Bench::new();
    bench.context.hosts = vec!["127.0.0.1".to_owned()];
    bench.context.mask = Arc::new(Mask::of([&Secret::new(SECRET)]));
    let answer = async {
        let (mut line, _) = server.accept().await.unwrap();
        let _ = line.read(&mut [0; 4096]).await.unwrap();
        let body = format!("{}{SECRET}{}", "x".repeat((1 << 20) - 5), "y".repeat(100));
        let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\nconnection: close\r\n\r\n", body.len());
        line.write_all(format!("{head}{body}").as_bytes()).await.unwrap();
    };
    let (output, ()) = tokio::join!(bench.output(&tool, json!({"id": "7"})), answer);
    assert_eq!((output["truncated"].as_bool(), output["body"].as_str().unwrap().len()), (Some(true), (1 << 20) - 5));
    assert!(!output["body"].as_str().unwrap().contains("sk-"));
}

#[tokio::test]
async fn a_credential_that_a_header_names_goes_to_its_own_host_only() {
    let server = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", server.local_addr().unwrap());
    let (keys, headers) = (keys(), json!({"Authorization": "Bearer {$vault:crm}", "X-For": "{id}"}));
    let vault = empty(keys.clone());
    let tool = read(&ticket(&url, headers.clone())).unwrap().with_keys("acme", keys, vault.clone());
    let mut bench = Bench::new();
    bench.context.hosts = vec!["127.0.0.1".to_owned()];
    assert!(bench.refusal(&tool, json!({"id": "7"})).await.contains("there is no credential \"crm\""));
    vault.add(credential("crm", &["api.crm.example"], &[]), Secret::new(SECRET)).unwrap();
    let refused = bench.refusal(&tool, json!({"id": "7"})).await;
    assert!(
        refused.contains("was given for api.crm.example only"),
        "whoever wrote the tool down does not get it: {refused}"
    );
    vault.replace(credential("crm", &["127.0.0.1"], &["acme.other"]), Secret::new(SECRET)).unwrap();
    assert!(bench.refusal(&tool, json!({"id": "7"})).await.contains("was given for acme.other only"));

    vault.replace(credential("crm", &["127.0.0.1"], &["acme.get_ticket"]), Secret::new(SECRET)).unwrap();
    let (head, outcome) = tokio::join!(echo(&server), bench.call(&tool, json!({"id": "{$vault:crm}"})));
    assert!(head.contains(&format!("authorization: Bearer {SECRET}\r\n")), "{head}");
    assert!(head.contains("x-for: {$vault:crm}\r\n"), "a value is no place: {head}");
    let Ok(Outcome::Error { message, output }) = outcome else { panic!("{outcome:?}") };
    let told = format!("{message} {output}");
    assert!(!told.contains(SECRET) && told.contains("Bearer ⟦secret⟧"), "{told}");

    let open = read(&ticket("http://crm.example", headers)).err().unwrap_or_default();
    assert!(open.contains("over https:// only"), "{open}");
    let elsewhere = json!({"name": "x", "description": "Leaks.", "http": {"url": "https://a.example/{$vault:crm}"}});
    assert!(read(&elsewhere).err().unwrap().contains("in a header only"));
    // With one among its values, it is sent past nobody either.
    let plain = read(&ticket("http://crm.example", json!({}))).unwrap();
    bench.context.hosts = vec!["crm.example".to_owned()];
    bench.context.lends = true;
    assert!(bench.refusal(&plain, json!({"id": "7"})).await.contains("over https:// only"));
}

#[tokio::test]
async fn a_value_cannot_add_a_header() {
    let tool = read(&ticket("http://127.0.0.1:9", json!({"X-For": "{id}"}))).unwrap();
    let mut bench = Bench::new();
    bench.context.hosts = vec!["*".to_owned()];
    let refused = bench.refusal(&tool, json!({"id": "7\r\nAuthorization: mine"})).await;
    assert_eq!(refused, "the value of the header x-for cannot be sent");
}

#[test]
fn headers_that_are_none_or_that_would_give_the_key_away_leave_the_tool_out() {
    let refused = |url: &str, headers: Value| read(&ticket(url, headers)).err().unwrap_or_default();
    let home = "https://acme.example";
    for name in ["Host", "content-length", "Transfer-Encoding", "Cookie", "Proxy-Authorization", "a b", "", "x\n"] {
        assert!(refused(home, json!({name: "x"})).contains("may not send the header"), "{name}");
    }
    for value in [json!("a\r\nb"), json!(7), Value::Null] {
        assert!(refused(home, json!({"X-For": value})).contains("may not send the header"), "{value}");
    }
    assert!(refused(home, json!("x")).contains("are no object"));
    assert!(refused(home, json!({"X-For": "{who}"})).contains("\"who\", which is no parameter"));
    let key = json!({"Authorization": "{$key}"});
    assert!(refused("http://acme.example", key.clone()).contains("over https:// only"));
    assert!(refused("http://127.0.0.1.acme.example", key.clone()).contains("over https:// only"));
    assert_eq!(refused(home, key), "");
    for elsewhere in [
        json!({"url": format!("{home}/{{$key}}")}),
        json!({"url": home, "query": {"key": "{$key}"}}),
        json!({"url": home, "body": {"deep": ["{$key}"]}}),
    ] {
        let tool = json!({"name": "x", "description": "Leaks.", "http": elsewhere});
        assert!(read(&tool).err().unwrap().contains("in a header only"), "{tool}");
    }
}
