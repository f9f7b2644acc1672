//! The two tools about tools: what they are called, how they are described, and how their arguments are read.
//!
//! They stand before the catalogue and not in it: no list of tools has them, a call of one never reaches a listed tool,
//! and no source can take their names.

use assent_core::contract::{Risk, Source, ToolSpec};
use serde_json::{Value, json};

use crate::texts::literal;

/// Finds tools by what is to be done.
pub const TOOL_SEARCH: &str = "tool_search";
/// Tells everything about one tool; from then on the run may call it.
pub const TOOL_EXPLAIN: &str = "tool_explain";
/// Both, in the order in which they are shown.
pub const META_TOOLS: [&str; 2] = [TOOL_SEARCH, TOOL_EXPLAIN];

/// Results of a search that names no number.
const USUAL_RESULTS: usize = 5;
/// Results of a search at most, so that it never fills a model's context.
const MOST_RESULTS: usize = 50;

/// Whether this is the name of a tool about tools.
pub fn is_meta(name: &str) -> bool {
    META_TOOLS.contains(&name)
}

/// The descriptions of the meta-tools, in the order of [`META_TOOLS`].
pub fn meta_tool_definitions() -> Vec<ToolSpec> {
    vec![
        spec(
            TOOL_SEARCH,
            "Search for available tools by describing what you want to do. Returns tool names and summaries.",
            literal!({
                "type": "object",
                "properties": {
                    "query": {
                        "type": "string",
                        "description": "Describe what you want to do, e.g. 'create a GitHub pull request'"
                    },
                    "max_results": {"type": "integer", "description": "Maximum results to return (default: 5)"}
                },
                "required": ["query"]
            }),
        ),
        spec(
            TOOL_EXPLAIN,
            "Get the full schema for a specific tool before calling it. Use after tool_search.",
            literal!({
                "type": "object",
                "properties": {
                    "tool_id": {"type": "string", "description": "The tool name from tool_search results"}
                },
                "required": ["tool_id"]
            }),
        ),
    ]
}

fn spec(name: &str, description: &str, parameters: Value) -> ToolSpec {
    ToolSpec::new(name, description, parameters, Source::Core, Risk::Read)
}

/// The arguments of a meta-tool as it takes them. What is missing or of the wrong type has its default: to look for a
/// tool must not fail for want of a number.
pub fn meta_arguments(name: &str, arguments: &Value) -> Value {
    let text = |key: &str| arguments.get(key).and_then(Value::as_str).unwrap_or_default();
    if name == TOOL_SEARCH {
        json!({"query": text("query"), "max_results": results(arguments)})
    } else {
        json!({"tool_id": text("tool_id").trim()})
    }
}

fn results(arguments: &Value) -> usize {
    let wanted = arguments.get("max_results").and_then(Value::as_f64).filter(|wanted| *wanted >= 0.0);
    // A number beyond all bounds becomes the largest there is.
    wanted.map_or(USUAL_RESULTS, |wanted| wanted as usize).min(MOST_RESULTS)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{TOOL_EXPLAIN, TOOL_SEARCH, meta_arguments, meta_tool_definitions};

    // covers: L40 L41 L42 L43 L44
    #[test]
    fn the_meta_tools_are_described_in_the_agreed_words() {
        let told: Vec<_> = meta_tool_definitions()
            .into_iter()
            .map(|spec| json!({"name": spec.name, "description": spec.description, "parameters": spec.parameters}))
            .collect();
        let expected = json!([
            {
                "name": "tool_search",
                "description":
                    "Search for available tools by describing what you want to do. Returns tool names and summaries.",
                "parameters": {
                    "type": "object",
                    "properties": {
                        "query": {
                            "type": "string",
                            "description": "Describe what you want to do, e.g. 'create a GitHub pull request'"
                        },
                        "max_results": {"type": "integer", "description": "Maximum results to return (default: 5)"}
                    },
                    "required": ["query"]
                }
            },
            {
                "name": "tool_explain",
                "description": "Get the full schema for a specific tool before calling it. Use after tool_search.",
                "parameters": {
                    "type": "object",
                    "properties": {
                        "tool_id": {"type": "string", "description": "The tool name from tool_search results"}
                    },
                    "required": ["tool_id"]
                }
            }
        ]);
        assert_eq!(json!(told), expected);
    }

    // covers: L29 L35
    #[test]
    fn what_is_missing_or_of_another_type_has_its_default() {
        let usual = json!({"query": "", "max_results": 5});
        for odd in [json!({}), json!(null), json!("text"), json!({"query": 7, "max_results": "many"}), json!([1])] {
            assert_eq!(meta_arguments(TOOL_SEARCH, &odd), usual, "{odd}");
            assert_eq!(meta_arguments(TOOL_EXPLAIN, &odd), json!({"tool_id": ""}), "{odd}");
        }
        let read =
            |number| meta_arguments(TOOL_SEARCH, &json!({"query": "x", "max_results": number}))["max_results"].clone();
        assert_eq!([read(json!(3)), read(json!(3.9)), read(json!(0))], [json!(3), json!(3), json!(0)]);
        assert_eq!([read(json!(-1)), read(json!(1e300)), read(json!(u64::MAX))], [json!(5), json!(50), json!(50)]);
        assert_eq!(meta_arguments(TOOL_EXPLAIN, &json!({"tool_id": " grep "})), json!({"tool_id": "grep"}));
    }
}
