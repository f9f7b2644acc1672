//! What goes wrong at an endpoint, by meaning; what is asked again and what is not. The bodies are written from public
//! documentation of OpenAI, vLLM and others.

use std::time::Duration;

use assent_engine::model::{DeltaKind, Dialect, Finish, Model, ModelError};
use assent_tests::model::{KEY, ask, asked, openai, profile, request, said};
use assent_tests::sse::{Answer, FakeServer, Part};
use serde_json::{Value, json};

use super::openai::says;

/// The error of one answer, and how often was asked in all.
async fn fault(answer: Answer) -> (ModelError, usize) {
    let server = FakeServer::start([answer]).await;
    let (model, _) = openai(&server.address, Dialect::COMPATIBLE);
    let error = ask(&model, &request("Hello.")).await.unwrap_err();
    for shown in [error.to_string(), format!("{error:?}")] {
        assert!(!shown.contains(KEY), "the key is shown: {shown}");
    }
    (error, server.received().len())
}

fn error(message: &str, code: &str) -> Value {
    json!({"error": {"message": message, "type": "invalid_request_error", "code": code}})
}

#[tokio::test]
async fn a_refused_key_is_said_without_the_key() {
    for status in [401, 403] {
        let said = error(&format!("Incorrect API key provided: {KEY}."), "invalid_api_key");
        let (error, asked) = fault(Answer::json(status, &said)).await;
        let ModelError::Auth { reason, .. } = &error else { panic!("{error:?}") };
        assert_eq!((reason.as_str(), asked), ("Incorrect API key provided: [secret].", 1));
    }
}

#[tokio::test]
async fn a_request_that_is_too_long_is_said_in_every_endpoints_words() {
    let llama = json!({"error": {"code": 400, "message": "the request exceeds the available context size",
        "type": "exceed_context_size_error", "n_prompt_tokens": 9000, "n_ctx": 8192}});
    let answers = [
        (Answer::json(400, &error("too many tokens", "context_length_exceeded")), 0),
        (Answer::json(400, &llama), 8192),
        (Answer::json(400, &json!({"message": "This model's maximum context length is 4096 tokens, however"})), 0),
        (Answer::status(413, "Payload Too Large"), 0),
    ];
    for (answer, limit) in answers {
        assert_eq!(fault(answer).await, (ModelError::ContextTooLong { model: "test".into(), limit }, 1));
    }
}

#[tokio::test]
async fn an_unknown_model_and_a_wrong_request_are_not_asked_again() {
    let (unknown, asked) = fault(Answer::json(404, &error("model \"test\" not found", "model_not_found"))).await;
    assert!(matches!(&unknown, ModelError::NoSuchModel { model, .. } if model == "test"), "{unknown:?}");
    assert_eq!(asked, 1);
    let (wrong, asked) = fault(Answer::json(400, &error("messages are missing", ""))).await;
    assert!(matches!(&wrong, ModelError::BadRequest { reason, .. } if reason == "messages are missing"), "{wrong:?}");
    assert_eq!(asked, 1);
    let (quota, asked) = fault(Answer::json(429, &error("You exceeded your quota", "insufficient_quota"))).await;
    assert!(matches!(quota, ModelError::BadRequest { .. }), "{quota:?}");
    assert_eq!(asked, 1, "a used-up quota does not come back in seconds");
}

#[tokio::test]
async fn what_passes_is_asked_again_after_the_time_that_the_endpoint_asks_for() {
    let busy = Answer::json(429, &error("slow down", "rate_limit_exceeded")).header("retry-after", "3");
    let down = Answer::status(503, "upstream is down");
    let server = FakeServer::start([busy, down, says("at last")]).await;
    let (model, pause) = openai(&server.address, Dialect::COMPATIBLE);
    let (reply, deltas) = asked(&model, &request("Hello.")).await;
    assert_eq!(reply.unwrap().text, "at last");
    assert_eq!(pause.waits(), [Duration::from_secs(3), Duration::from_secs(1)]);
    assert_eq!(deltas.iter().filter(|delta| delta.kind == DeltaKind::Again).count(), 2);
}

#[tokio::test]
async fn an_overloaded_endpoint_is_asked_again_when_it_says_or_not_at_all() {
    let down = |wait: &str| Answer::status(503, "upstream is down").header("retry-after", wait);
    let server = FakeServer::start([down("2"), down("0"), says("at last")]).await;
    let (model, pause) = openai(&server.address, Dialect::COMPATIBLE);
    let (reply, _) = asked(&model, &request("Hello.")).await;
    assert_eq!(reply.unwrap().text, "at last");
    assert_eq!(pause.waits(), [Duration::from_secs(2), Duration::ZERO]);
    let (error, asked) = fault(down("3600")).await;
    let wait = Some(Duration::from_secs(3600));
    assert!(matches!(&error, ModelError::Unavailable { retry_after, .. } if *retry_after == wait), "{error:?}");
    assert!(error.to_string().ends_with("try again in 60 minutes"), "{error}");
    assert_eq!(asked, 1);
}

#[tokio::test]
async fn an_endpoint_that_wants_an_hour_is_left_alone() {
    let busy = Answer::json(429, &error("slow down", "")).header("retry-after", "3600");
    let (error, asked) = fault(busy).await;
    assert!(matches!(error, ModelError::RateLimited { retry_after: Some(time), .. } if time.as_secs() == 3600));
    assert_eq!(asked, 1);
}

#[tokio::test]
async fn an_overloaded_endpoint_is_given_up_after_four_attempts() {
    for status in [500, 502, 529] {
        let (error, asked) = fault(Answer::status(status, "")).await;
        assert!(matches!(error, ModelError::Unavailable { .. }), "{error:?}");
        assert_eq!(asked, 4);
    }
}

#[tokio::test]
async fn a_stream_that_ends_in_the_middle_is_asked_again_and_what_came_is_void() {
    let half = r#"{"choices":[{"delta":{"content":"half"}}]}"#;
    let broken = [Answer::events([half]).part(Part::Break), Answer::events([half])];
    for answer in broken {
        let server = FakeServer::start([answer, says("whole")]).await;
        let (model, _) = openai(&server.address, Dialect::COMPATIBLE);
        let (reply, deltas) = asked(&model, &request("Hello.")).await;
        assert_eq!(reply.unwrap().text, "whole");
        let again = deltas.iter().position(|delta| delta.kind == DeltaKind::Again).unwrap();
        assert_eq!(said(&deltas[..again], DeltaKind::Text), "half");
        assert_eq!(said(&deltas[again..], DeltaKind::Text), "whole");
    }
}

#[tokio::test]
async fn an_error_inside_a_stream_has_its_meaning() {
    let inside = r#"{"error":{"message":"overloaded","code":503}}"#;
    let (error, asked) = fault(Answer::events([inside])).await;
    assert!(matches!(&error, ModelError::Unavailable { reason, .. } if reason == "overloaded"), "{error:?}");
    assert_eq!(asked, 4);
}

#[tokio::test]
async fn nonsense_is_called_nonsense_and_not_asked_again() {
    let page = "<html><body>Welcome to nginx!</body></html>";
    let answers = [
        Answer::status(200, page).header("content-type", "text/html"),
        Answer::status(404, page).header("content-type", "text/html"),
        Answer::events(["{not json"]),
        Answer::status(200, "{}").header("content-type", "application/json"),
        Answer::status(302, "").header("location", "http://127.0.0.1:9/elsewhere"),
        Answer::recorded(""),
    ];
    for answer in answers {
        let (error, asked) = fault(answer).await;
        assert!(matches!(error, ModelError::Nonsense { .. }), "{error:?}");
        assert_eq!(asked, 1, "{error}");
    }
}

#[tokio::test]
async fn an_endless_reply_is_cut_off() {
    let counting: String = (0..12_000).map(|number| format!("{number} ")).collect();
    let line = format!("data: {{\"choices\":[{{\"delta\":{{\"content\":\"{counting}\"}}}}]}}\n\n");
    let endless = Answer::recorded(&line).part(Part::Forever(line.clone()));
    let (error, asked) = fault(endless).await;
    assert!(matches!(&error, ModelError::Nonsense { reason, .. } if reason.contains("longer")), "{error:?}");
    assert_eq!(asked, 1);
    let unending_event = Answer::recorded("data: ").part(Part::Forever("x".repeat(60_000)));
    assert!(matches!(fault(unending_event).await.0, ModelError::Nonsense { .. }));
    let huge_error = Answer::status(400, "").part(Part::Forever("x".repeat(60_000)));
    assert!(fault(huge_error).await.0.to_string().len() < 600);
}

#[tokio::test]
async fn a_reply_that_goes_round_in_circles_is_stopped_and_kept() {
    let piece = "data: {\"choices\":[{\"delta\":{\"content\":\"name ASC, \"}}]}\n\n";
    let server = FakeServer::start([Answer::recorded(piece).part(Part::Forever(piece.to_owned()))]).await;
    let (model, _) = openai(&server.address, Dialect::COMPATIBLE);
    let reply = ask(&model, &request("Hello.")).await.unwrap();
    assert_eq!((reply.text, reply.finish), ("name ASC, ".repeat(48), Finish::Length));
    let faults: Vec<&str> = reply.faults.iter().map(|fault| fault.message.as_str()).collect();
    assert_eq!(faults, ["the reply said the same over and over and was stopped"]);
    assert_eq!(reply.usage.output, 48, "as many as came");
}

#[tokio::test]
async fn nobody_at_the_address_is_offline() {
    // No port that is given to whoever asks for any: a server of another test could have it meanwhile.
    let address = "http://127.0.0.1:9";
    let (model, pause) = openai(address, Dialect::COMPATIBLE);
    let error = ask(&model, &request("Hello.")).await.unwrap_err();
    assert!(
        matches!(&error, ModelError::Offline { endpoint, .. } if *endpoint == format!("{address}/v1")),
        "{error:?}"
    );
    assert_eq!(pause.waits().len(), 3);
    assert_eq!(model.profile(), &profile());
}

#[tokio::test]
async fn credentials_in_an_address_are_not_shown() {
    let server = FakeServer::start([Answer::status(500, "")]).await;
    let address = server.address.replace("http://", "http://user:hunter2@");
    let (model, _) = openai(&address, Dialect::COMPATIBLE);
    let error = ask(&model, &request("Hello.")).await.unwrap_err();
    assert!(!format!("{error} {error:?}").contains("hunter2"), "{error:?}");
}
