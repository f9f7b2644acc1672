//! A plan in the words of a planner: what a continuation or a refinement shows it, and what the seeds' tools read.

use serde_json::{Map, Value, json};

use crate::plan::{ExecutorKind, Plan, Step, keys};

/// The plan as a planner of the full profile would have written it: order, task, context, `instructionsFor…` and the
/// list of steps. [`parse`](crate::plan::parse) reads it back.
pub fn to_outline_json(plan: &Plan) -> Value {
    let mut out = Map::new();
    let mut text = |key: &str, value: &str| {
        if !value.is_empty() {
            out.insert(key.to_owned(), Value::String(value.to_owned()));
        }
    };
    text("title", &plan.title);
    text("intent", &plan.intent);
    text("refinedTask", &plan.refined_task);
    if !plan.route.is_empty() {
        out.insert("priorityOrder".to_owned(), json!(plan.route));
    }
    out.insert("extractedContext".to_owned(), Value::Object(plan.extracted_context.clone()));
    for (specialist, instructions) in &plan.instructions {
        out.insert(keys::instructions_key(specialist), Value::String(instructions.clone()));
    }
    out.insert("todoList".to_owned(), Value::Array(plan.steps.iter().map(step_json).collect()));
    Value::Object(out)
}

fn step_json(step: &Step) -> Value {
    let mut out = Map::new();
    out.insert("id".to_owned(), json!(step.id));
    out.insert("description".to_owned(), json!(step.description));
    out.insert("stepType".to_owned(), json!(step.effective_type()));
    if !step.required_tools.is_empty() {
        out.insert("requiredTools".to_owned(), json!(step.required_tools));
    }
    if let Some(outcome) = &step.expected_outcome {
        out.insert("expectedOutcome".to_owned(), json!(outcome));
    }
    if let Some(mode) = step.tool_validation_mode {
        out.insert("toolValidationMode".to_owned(), json!(mode));
    }
    if !step.dependencies.is_empty() {
        out.insert("dependencies".to_owned(), json!(step.dependencies));
    }
    if step.executor.kind == ExecutorKind::Specialist {
        out.insert("specialist".to_owned(), json!(step.executor.id));
    }
    Value::Object(out)
}
