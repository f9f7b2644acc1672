//! Grammars for llama.cpp (GBNF) that make a reply valid by construction: calls of the active tools, structured text.
//!
//! They are written here and not left to the server's own conversion of schemas, which a large, recursive or merely
//! odd schema can make fail or fall over. What goes in is hostile (tools come from foreign servers): every text is
//! escaped, everything is counted, and what cannot be said becomes something wider. No white space is allowed between
//! tokens: it costs time, and small models fall into loops of it.

mod schema;

use std::collections::HashMap;
use std::fmt::Write;

use assent_core::contract::ToolSpec;
use serde_json::{Map, Value};

use super::calls::{PYTHON, SHELL, Spelling, parameter_of};
use super::{OutputFormat, Request, ToolChoice};

/// Above this, tools get the widest arguments that there are; far below what the server refuses.
const MAX_BYTES: usize = 48_000;

/// Calls in one reply where the spelling allows several.
const MAX_CALLS: usize = 4;

/// The grammar of a reply; `None` where any text is right.
pub(crate) fn of_request(request: &Request, spelling: Option<Spelling>) -> Option<String> {
    let mut rules = Rules::default();
    let mut options = match (&request.choice, spelling) {
        (ToolChoice::None, _) | (_, None) => Vec::new(),
        (choice, Some(spelling)) => calls(&mut rules, request, choice, spelling),
    };
    let must_call = !options.is_empty() && !matches!(request.choice, ToolChoice::Auto);
    if !must_call {
        match (&request.output, spelling) {
            (OutputFormat::Json { schema, .. }, _) => options.push(rules.of_schema(schema)),
            (OutputFormat::Text, Some(spelling)) => options.push(finish(&mut rules, spelling)),
            (OutputFormat::Text, None) => return None,
        }
    }
    Some(rules.write(&options.join(" | ")))
}

fn finish(rules: &mut Rules, spelling: Spelling) -> String {
    let character = rules.character();
    // Not a dot at the beginning: the `"..."` of a prompt is otherwise copied as the answer.
    let text = format!(r#"[^"\\\x00-\x1F\x7F. ] {character}*"#);
    let (open, close) = match spelling {
        Spelling::Short | Spelling::Block => (r#"{"done":""#, r#""}"#),
        Spelling::Seed => (r#"{"content":""#, r#"","nextStepDecision":"continue"}"#),
    };
    rules.add(format!("{} {text} {}", literal(open), literal(close)))
}

/// A call whose long text follows as a block: the line holds only the other required arguments.
fn block_call(rules: &mut Rules, tool: &ToolSpec, parameter: &str, language: &str, only_script: bool) -> String {
    let line = rules.add(r#""\n" | "`"{0,2} [^`\n] [^\n]* "\n" | "`"{1,2} "\n""#.to_owned());
    let required = tool.parameters.get("required").and_then(Value::as_array);
    let others = required.into_iter().flatten().filter_map(Value::as_str).filter(|name| *name != parameter);
    let others: Vec<&str> = others.collect();
    let name = Value::from(tool.name.as_str());
    let tail = |language: &str| literal(&format!("}}\n```{language}\n"));
    if others.is_empty() {
        let script = || literal(&format!("{{\"tool\":\"{PYTHON}\"}}\n```python\n"));
        let block = || literal(&format!("{{\"tool\":{name}}}\n```{language}\n"));
        let options = match (tool.name == SHELL, only_script) {
            (true, true) => vec![script()],
            (true, false) => vec![script(), block()],
            (false, _) => vec![block()],
        };
        return rules.add(format!("({}) {line}+ \"```\"", options.join(" | ")));
    }
    let properties = tool.parameters.get("properties").unwrap_or(&Value::Null);
    let picked: Map<String, Value> =
        others.iter().map(|name| ((*name).to_owned(), properties.get(*name).cloned().unwrap_or_default())).collect();
    let mut parameters = tool.parameters.clone();
    if let Some(fields) = parameters.as_object_mut() {
        // What else is said of the whole may want the text in the line.
        fields.retain(|key, _| ["type", "$defs", "definitions"].contains(&key.as_str()));
    }
    parameters["properties"] = Value::Object(picked);
    parameters["required"] = others.into();
    let arguments = rules.of_arguments(&parameters);
    let open = literal(&format!("{{\"tool\":{name},\"args\":"));
    rules.add(format!("{open} {arguments} {} {line}* \"```\"", tail(language)))
}

/// One alternative for each tool that may be called.
fn calls(rules: &mut Rules, request: &Request, choice: &ToolChoice, spelling: Spelling) -> Vec<String> {
    let tools = request.tools.iter().filter(|tool| match choice {
        ToolChoice::Named(name) | ToolChoice::Script(name) => tool.name == *name,
        _ => true,
    });
    let (name_key, arguments_key) = spelling.keys();
    let mut options = Vec::new();
    for tool in tools {
        if let (Spelling::Block, Some((parameter, language))) = (spelling, parameter_of(tool)) {
            let only_script = matches!(choice, ToolChoice::Script(_));
            options.push(block_call(rules, tool, parameter, language, only_script));
            continue;
        }
        let arguments = rules.of_arguments(&tool.parameters);
        let name = Value::from(tool.name.as_str());
        let open = format!("{{\"{name_key}\":{name},\"{arguments_key}\":");
        options.push(rules.add(format!("{} {arguments} {}", literal(&open), literal("}"))));
    }
    match spelling {
        Spelling::Short | Spelling::Block => options,
        Spelling::Seed if options.is_empty() => options,
        Spelling::Seed => {
            let call = rules.add(options.join(" | "));
            let more = format!("(\",\" {call}){{0,{}}}", MAX_CALLS - 1);
            vec![rules.add(format!("{} {call} {more} {}", literal(r#"{"toolCalls":["#), literal("]}")))]
        }
    }
}

/// A set of rules; a body that is already there is not written again.
#[derive(Default)]
pub(crate) struct Rules {
    bodies: Vec<String>,
    names: HashMap<String, String>,
    bytes: usize,
}

impl Rules {
    /// The name of a rule with this body.
    fn add(&mut self, body: String) -> String {
        if let Some(name) = self.names.get(&body) {
            return name.clone();
        }
        let name = format!("r{}", self.bodies.len());
        self.bytes += body.len() + 12;
        self.names.insert(body.clone(), name.clone());
        self.bodies.push(body);
        name
    }

    fn write(&self, root: &str) -> String {
        let mut text = format!("root ::= {root}\n");
        for (index, body) in self.bodies.iter().enumerate() {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "r{index} ::= {body}");
        }
        text
    }

    /// Any text of a JSON document that fits a schema, or something wider.
    fn of_schema(&mut self, schema: &Value) -> String {
        schema::compile(self, schema)
    }

    /// Arguments: always an object; any object when there is no room for more.
    fn of_arguments(&mut self, parameters: &Value) -> String {
        if self.bytes > MAX_BYTES {
            return self.any_object(2);
        }
        schema::compile_object(self, parameters)
    }

    /// One character inside a string. `\b`, `\f` and `\u` are left out: a model that writes `\b` means a regular
    /// expression and would get a backspace, and half of a surrogate pair is no text.
    fn character(&mut self) -> String {
        self.add(r#"[^"\\\x00-\x1F\x7F] | "\\" ["\\/nrt]"#.to_owned())
    }

    /// A string. Bounds above what the server repeats are left to the reply's token limit.
    fn string(&mut self, least: usize, most: Option<usize>) -> String {
        let character = self.character();
        let repeated = match (least, most) {
            (0, None) => format!("{character}*"),
            (_, None) => format!("{character}+"),
            (least, Some(most)) if most <= MAX_REPEAT => format!("{character}{{{},{most}}}", least.min(most)),
            (0, Some(_)) => format!("{character}*"),
            (_, Some(_)) => format!("{character}+"),
        };
        self.add(format!("\"\\\"\" {repeated} \"\\\"\""))
    }

    fn any_scalar(&mut self) -> String {
        let string = self.string(0, None);
        let number = self.number();
        self.add(format!(r#"{string} | {number} | "true" | "false" | "null""#))
    }

    fn number(&mut self) -> String {
        self.add(r#""-"? ("0" | [1-9] [0-9]{0,15}) ("." [0-9]{1,15})?"#.to_owned())
    }

    /// Any value, with at most this many objects or arrays inside each other: a reader refuses what is nested deeper.
    fn any_value(&mut self, depth: usize) -> String {
        let scalar = self.any_scalar();
        if depth == 0 {
            return scalar;
        }
        let object = self.any_object(depth - 1);
        let item = self.any_value(depth - 1);
        self.add(format!(r#"{scalar} | {object} | "[" ({item} ("," {item})*)? "]""#))
    }

    /// Any object, its values nested at most this deep.
    fn any_object(&mut self, depth: usize) -> String {
        let value = self.any_value(depth);
        self.map_of(&value)
    }

    fn map_of(&mut self, value: &str) -> String {
        let pair = self.pair_of(value);
        self.add(format!(r#""{{" ({pair} ("," {pair})*)? "}}""#))
    }

    /// A field of any name.
    fn pair_of(&mut self, value: &str) -> String {
        let key = self.string(1, Some(100));
        self.add(format!(r#"{key} ":" {value}"#))
    }
}

/// The server refuses repetitions above 2,000, nested ones multiplied; this leaves room.
const MAX_REPEAT: usize = 1024;

/// A text as a grammar's literal.
fn literal(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 8);
    quoted.push('"');
    for character in text.chars() {
        match character {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            control if control.is_control() => {
                let _ = write!(quoted, "\\U{:08X}", u32::from(control));
            }
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests;
