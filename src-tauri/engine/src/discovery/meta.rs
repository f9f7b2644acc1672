//! The tools about tools at work: looking for a tool, and telling everything about one.

use std::sync::Arc;
use std::time::Duration;

use assent_core::contract::ToolSpec;
use async_trait::async_trait;
use serde_json::{Value, json};

use super::Directory;
use super::directory::TOOL_FACTS;
use crate::memory::{Recall, Recalled, Recalls};
use crate::tool::meta::{TOOL_EXPLAIN, TOOL_SEARCH, meta_arguments, meta_tool_definitions};
use crate::tool::{CallContext, Effects, Outcome, Tool, ToolStop};

/// Whether tools were compared by meaning: recorded for a person, and nothing that a model can do anything about.
const BY_MEANING: &str = "by_meaning";

/// So long a search waits for the memory.
const PATIENCE: Duration = Duration::from_secs(2);

/// Both tools, in the order in which they are shown: found are the tools that the memory holds, explained are those of
/// the directory.
pub fn meta_tools(memory: Arc<dyn Recalls>, directory: Arc<Directory>) -> Vec<Arc<dyn Tool>> {
    let tools = meta_tool_definitions().into_iter().filter_map(|spec| -> Option<Arc<dyn Tool>> {
        match spec.name.as_str() {
            TOOL_SEARCH => Some(Arc::new(ToolSearch { spec, memory: memory.clone() })),
            TOOL_EXPLAIN => Some(Arc::new(ToolExplain { spec, directory: directory.clone() })),
            _ => None,
        }
    });
    tools.collect()
}

struct ToolSearch {
    spec: ToolSpec,
    memory: Arc<dyn Recalls>,
}

#[async_trait]
impl Tool for ToolSearch {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn effects(&self, _arguments: &Value) -> Effects {
        Effects::none(self.spec.risk)
    }

    async fn call(&self, arguments: Value, context: &CallContext) -> Result<Outcome, ToolStop> {
        let arguments = meta_arguments(TOOL_SEARCH, &arguments);
        let query = arguments["query"].as_str().unwrap_or_default();
        let limit = arguments["max_results"].as_u64().and_then(|limit| usize::try_from(limit).ok());
        let (kind, name) = TOOL_FACTS;
        let recall = Recall::about(query).limit(limit.unwrap_or_default()).of(kind, name);
        // A memory that hangs or is down finds nothing; the step goes on with the tools that it has.
        let recalled = tokio::time::timeout(PATIENCE, self.memory.recall(&recall)).await;
        Ok(Outcome::Success(results(recalled.unwrap_or_else(|_| Recalled::degraded()), &context.callable)))
    }

    fn present(&self, output: &Value) -> String {
        let mut shown = output.clone();
        if let Value::Object(fields) = &mut shown {
            fields.shift_remove(BY_MEANING);
        }
        shown.to_string()
    }
}

fn results(recalled: Recalled, callable: &[String]) -> Value {
    let Recalled { mut memories, items_found, degraded, nothing, by_meaning, cut: _ } = recalled;
    for row in &mut memories {
        let can = row.get("name").and_then(Value::as_str).is_some_and(|name| callable.iter().any(|one| one == name));
        if let Value::Object(row) = row {
            row.insert("callable".to_owned(), Value::Bool(can));
        }
    }
    let mut output = json!({"results": memories, "items_found": items_found});
    let why = nothing.or_else(|| degraded.then(|| "The memory of tools cannot be asked now.".to_owned()));
    if let Some(why) = why.filter(|_| items_found == 0) {
        output["reason"] = Value::String(why);
    }
    if degraded {
        output["degraded"] = Value::Bool(true);
    }
    if let Some(by_meaning) = by_meaning {
        output[BY_MEANING] = Value::Bool(by_meaning);
    }
    output
}

struct ToolExplain {
    spec: ToolSpec,
    directory: Arc<Directory>,
}

#[async_trait]
impl Tool for ToolExplain {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn effects(&self, _arguments: &Value) -> Effects {
        Effects::none(self.spec.risk)
    }

    async fn call(&self, arguments: Value, _context: &CallContext) -> Result<Outcome, ToolStop> {
        let arguments = meta_arguments(TOOL_EXPLAIN, &arguments);
        let name = arguments["tool_id"].as_str().unwrap_or_default();
        Ok(Outcome::Success(match self.directory.get(name) {
            Some(spec) => {
                json!({"tool_id": spec.name, "description": spec.description, "parameters": spec.parameters})
            }
            None => json!({"error": format!("Tool '{name}' not found")}),
        }))
    }
}

#[cfg(test)]
mod tests;
