//! What the fake endpoint answers, in the form of chat completions.

use crate::sse::{Answer, Part};
use assent_engine::model::scripted::Gate;
use serde_json::{Value, json};

/// A reply that is this text.
pub fn says(text: &str) -> Answer {
    stream(Answer::events([]), text)
}

/// A reply that comes only after the test has opened the gate.
pub fn says_behind(gate: &Gate, text: &str) -> Answer {
    stream(Answer::events([]).part(Part::Gate(gate.clone())), text)
}

fn stream(beginning: Answer, text: &str) -> Answer {
    let piece = json!({"choices": [{"index": 0, "delta": {"role": "assistant", "content": text}}]});
    end(beginning.event(&piece.to_string()), "stop")
}

/// A reply that asks for a call, and comes only after the test has opened the gate.
pub fn calls_behind(gate: &Gate, tool: &str, arguments: &Value) -> Answer {
    asks_for(Answer::events([]).part(Part::Gate(gate.clone())), &[(tool, arguments.clone())])
}

/// A plan or an answer of the planner.
pub fn plans(output: &Value) -> Answer {
    says(&output.to_string())
}

/// A reply that asks for a call.
pub fn calls(tool: &str, arguments: &Value) -> Answer {
    all_calls(&[(tool, arguments.clone())])
}

/// A reply that asks for several calls.
pub fn all_calls(calls: &[(&str, Value)]) -> Answer {
    asks_for(Answer::events([]), calls)
}

fn asks_for(beginning: Answer, calls: &[(&str, Value)]) -> Answer {
    let calls: Vec<Value> = calls
        .iter()
        .enumerate()
        .map(|(index, (tool, arguments))| {
            let function = json!({"name": tool, "arguments": arguments.to_string()});
            json!({"index": index, "id": format!("call_{index}"), "type": "function", "function": function})
        })
        .collect();
    let piece = json!({"choices": [{"index": 0, "delta": {"role": "assistant", "tool_calls": calls}}]});
    end(beginning.event(&piece.to_string()), "tool_calls")
}

fn end(answer: Answer, reason: &str) -> Answer {
    let last = json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]});
    let usage = json!({"choices": [], "usage": {"prompt_tokens": 100, "completion_tokens": 10}});
    answer.event(&last.to_string()).event(&usage.to_string()).event("[DONE]")
}

/// A plan that finds lines and writes a file: s1 reads, s2 has an effect.
pub fn count_and_write() -> Answer {
    plans(&json!({"title": "Count Berlin", "steps": [
        {"tool": "grep", "do": "Find the lines that contain \"berlin\" in all notes", "expect": "counts"},
        {"tool": "create_file", "do": "Write counts.md with the numbers", "expect": "counts.md"},
    ]}))
}

/// What carries that plan out.
pub fn counting() -> Vec<Answer> {
    vec![
        calls("grep", &json!({"pattern": "berlin"})),
        says("two files searched"),
        calls("create_file", &json!({"path": "counts.md", "content": "a.txt 2\n"})),
        says("The numbers are in counts.md."),
    ]
}

/// The message that it is for.
pub const MESSAGE: &str = "How many lines mention Berlin? Write the numbers to counts.md.";
