//! Texts of commands and files as fenced blocks.
//!
//! Small models break code inside a JSON string again and again, and write it right at once as a block. So a call may
//! be one line of JSON with its long text below it. `python` is no tool: it is `bash` with a script, under the name
//! that models expect.

use assent_core::contract::ToolSpec;
use serde_json::Value;

/// The tools with a long text: tool, parameter, the fence's language.
const TEXTS: [(&str, &str, &str); 2] = [("bash", "command", "sh"), ("create_file", "content", "")];

/// The name under which `bash` takes a script.
pub(crate) const PYTHON: &str = "python";

/// The tool behind [`PYTHON`].
pub(crate) const SHELL: &str = "bash";

const SCRIPT: &str = "python3 - <<'";
const END: &str = "ASSENT_EOF";

/// The parameter of a tool that may come as a block, and the block's language.
pub(crate) fn parameter_of(tool: &ToolSpec) -> Option<(&'static str, &'static str)> {
    let (_, parameter, language) = TEXTS.iter().find(|(name, _, _)| *name == tool.name)?;
    let kind = tool.parameters.get("properties")?.get(*parameter)?.get("type")?;
    (kind == "string").then_some((*parameter, *language))
}

/// Whether a call of this name may be followed by a block.
pub(super) fn takes_block(name: &str) -> bool {
    name == PYTHON || TEXTS.iter().any(|(tool, _, _)| *tool == name)
}

/// A call with the text of its block put where it belongs. A given text stays.
pub(super) fn with_block(name: String, mut arguments: Value, block: Option<String>) -> (String, Value) {
    let Some(text) = block else {
        return (name, arguments);
    };
    if arguments.is_null() {
        arguments = Value::Object(serde_json::Map::new());
    }
    let Some(fields) = arguments.as_object_mut() else {
        return (name, arguments);
    };
    if name == PYTHON {
        fields.entry("command").or_insert_with(|| script(&text).into());
        return (SHELL.to_owned(), arguments);
    }
    if let Some((_, parameter, _)) = TEXTS.iter().find(|(tool, _, _)| *tool == name) {
        fields.entry(*parameter).or_insert_with(|| text.into());
    }
    (name, arguments)
}

/// A shell command that runs a script; its end mark occurs nowhere in it.
fn script(text: &str) -> String {
    let mut end = END.to_owned();
    while text.contains(&end) {
        end.push('_');
    }
    let line = if text.ends_with('\n') { "" } else { "\n" };
    format!("{SCRIPT}{end}'\n{text}{line}{end}")
}

/// A call as the model would have written it: the line, and the block where its text has one.
pub(super) fn written(name: &str, arguments: &Value) -> Option<String> {
    let (_, parameter, language) = TEXTS.iter().find(|(tool, _, _)| *tool == name)?;
    let mut fields = arguments.as_object()?.clone();
    let text = fields.shift_remove(*parameter)?.as_str()?.to_owned();
    let (name, language, text) = match unscripted(&text) {
        Some(script) if name == SHELL => (PYTHON, "python", script.to_owned()),
        _ => (name, *language, text),
    };
    let line = if text.ends_with('\n') { "" } else { "\n" };
    let arguments = if fields.is_empty() { String::new() } else { format!(",\"args\":{}", Value::Object(fields)) };
    Some(format!("{{\"tool\":{}{arguments}}}\n```{language}\n{text}{line}```", Value::from(name)))
}

fn unscripted(command: &str) -> Option<&str> {
    let (end, rest) = command.strip_prefix(SCRIPT)?.split_once("'\n")?;
    rest.strip_suffix(end).filter(|_| end.starts_with(END))
}

/// The block that a text begins with, after white space, and what follows it; a block without its end is none.
pub(super) fn leading(text: &str) -> Option<(String, &str)> {
    let inside = text.trim_start().strip_prefix("```")?;
    let (_, body) = inside.split_once('\n')?;
    let mut at = 0;
    for line in body.split_inclusive('\n') {
        if line.starts_with("```") {
            return Some((body[..at].to_owned(), &body[at + 3..]));
        }
        at += line.len();
    }
    None
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_call_with_a_block_is_read_as_it_is_written() {
        let scripts = ["print(1)\n", "for x in y:\n    print('ASSENT_EOF')\n"];
        for text in scripts {
            let (name, arguments) = with_block("python".into(), Value::Null, Some(text.into()));
            assert_eq!(name, "bash");
            let back = written(&name, &arguments).unwrap();
            assert_eq!(back, format!("{{\"tool\":\"python\"}}\n```python\n{text}```"));
        }
        let call = written("create_file", &json!({"path": "a.md", "content": "| x |\n"})).unwrap();
        assert_eq!(call, "{\"tool\":\"create_file\",\"args\":{\"path\":\"a.md\"}}\n```\n| x |\n```");
        assert_eq!(written("read", &json!({"path": "a"})), None);
    }

    #[test]
    fn an_end_mark_inside_a_script_does_not_end_it() {
        let (_, arguments) = with_block("python".into(), json!({}), Some("x = '''\nASSENT_EOF\nrm -r .\n'''\n".into()));
        let command = arguments["command"].as_str().unwrap();
        assert!(command.starts_with("python3 - <<'ASSENT_EOF_'\n") && command.ends_with("\nASSENT_EOF_"), "{command}");
    }

    #[test]
    fn a_block_ends_at_the_first_line_of_backticks_and_an_open_one_is_none() {
        assert_eq!(leading("\n```sh\nls `x`\n```\nmore"), Some(("ls `x`\n".into(), "\nmore")));
        assert_eq!(leading("```\n```"), Some((String::new(), "")));
        assert_eq!(leading("```sh\nls"), None);
        assert_eq!(leading("text ```sh\nls\n```"), None);
    }
}
