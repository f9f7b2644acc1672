//! How families of models spell calls in a text: one table, read by one matcher.
//!
//! The spellings are those of the families' own chat templates and documentation; `tests/cassettes/written` names the
//! source of each. Calls without a mark of their own (bare or fenced JSON, lists of Python calls) are not in the table:
//! `scan` knows them by their form.

use std::sync::LazyLock;

/// A piece of a spelling. White space may stand before each.
#[derive(Debug, Clone, Copy)]
pub(super) enum Part {
    /// These words. Behind the last piece that is none they may be missing: endpoints cut end tokens off.
    Mark(&'static str),
    /// A name; the last one is the tool's.
    Name,
    /// The call's id.
    Id,
    /// A few words of a header up to the next mark.
    Header,
    /// The arguments as a JSON object.
    Arguments,
    /// Whole calls as JSON: one, a list, or several after each other.
    Calls,
    /// Calls as Python: a list, or one alone.
    Python,
    /// The arguments as text between marks, and the mark that ends them.
    Fields(&'static Fields),
}

/// Arguments as text between marks.
#[derive(Debug)]
pub(super) struct Fields {
    /// Around a name.
    pub(super) name: (&'static str, &'static str),
    /// Around a value.
    pub(super) value: (&'static str, &'static str),
    /// Behind the last field.
    pub(super) end: &'static str,
}

const QWEN: Fields = Fields { name: ("<parameter=", ">"), value: ("", "</parameter>"), end: "</function>" };
const INVOKE: Fields = Fields { name: ("<parameter name=\"", "\""), value: (">", "</parameter>"), end: "</invoke>" };
const GLM: Fields =
    Fields { name: ("<arg_key>", "</arg_key>"), value: ("<arg_value>", "</arg_value>"), end: "</tool_call>" };

use Part::{Arguments, Calls, Header, Id, Mark, Name, Python};

/// The spellings. The first piece of each is a mark; where several fit, the first one counts.
pub(super) const SPELLINGS: &[&[Part]] = &[
    // Qwen 2.5 and 3, Hermes.
    &[Mark("<tool_call>"), Calls, Mark("</tool_call>")],
    // Qwen3-Coder, which now and then leaves the outer mark out.
    &[Mark("<tool_call>"), Mark("<function="), Name, Mark(">"), Part::Fields(&QWEN), Mark("</tool_call>")],
    &[Mark("<function="), Name, Mark(">"), Part::Fields(&QWEN)],
    // GLM 4.5.
    &[Mark("<tool_call>"), Name, Part::Fields(&GLM)],
    // Claude and MiniMax.
    &[Mark("<invoke name=\""), Name, Mark("\">"), Part::Fields(&INVOKE)],
    // Llama 3.1: tools of one's own by JSON or by a tag, built-in ones as Python.
    &[Mark("<function="), Name, Mark(">"), Arguments, Mark("</function>")],
    &[Mark("<|python_tag|>"), Calls],
    &[Mark("<|python_tag|>"), Python],
    // Llama 4.
    &[Mark("<|python_start|>"), Python, Mark("<|python_end|>")],
    // LFM 2, and MiniCPM 3, which puts them into a code block.
    &[Mark("<|tool_call_start|>"), Python, Mark("<|tool_call_end|>")],
    &[Mark("<|tool_call_start|>"), Mark("```python"), Python, Mark("```"), Mark("<|tool_call_end|>")],
    // Phi-4, Granite.
    &[Mark("<|tool_call|>"), Calls, Mark("<|/tool_call|>")],
    // Mistral, from its third tokenizer on, then from its eleventh on.
    &[Mark("[TOOL_CALLS]"), Calls],
    &[Mark("[TOOL_CALLS]"), Name, Mark("[CALL_ID]"), Id, Mark("[ARGS]"), Arguments],
    &[Mark("[TOOL_CALLS]"), Name, Mark("[ARGS]"), Arguments],
    &[Mark("[TOOL_CALLS]"), Name, Arguments],
    // DeepSeek R1 and V3: the first name says that it is a function.
    &[
        Mark("<｜tool▁call▁begin｜>"),
        Name,
        Mark("<｜tool▁sep｜>"),
        Name,
        Mark("```json"),
        Arguments,
        Mark("```"),
        Mark("<｜tool▁call▁end｜>"),
    ],
    // DeepSeek V3.1.
    &[Mark("<｜tool▁call▁begin｜>"), Name, Mark("<｜tool▁sep｜>"), Arguments, Mark("<｜tool▁call▁end｜>")],
    // Kimi K2.
    &[
        Mark("<|tool_call_begin|>"),
        Name,
        Mark(":"),
        Id,
        Mark("<|tool_call_argument_begin|>"),
        Arguments,
        Mark("<|tool_call_end|>"),
    ],
    // gpt-oss. Whom a message is to may stand beside the role or beside the channel.
    &[Mark("<|channel|>"), Header, Mark("to="), Name, Header, Mark("<|message|>"), Arguments, Mark("<|call|>")],
    &[Mark("<|start|>assistant"), Header, Mark("to="), Name, Header, Mark("<|message|>"), Arguments, Mark("<|call|>")],
];

/// Marks around calls and at the end of a text, which say nothing to a person.
pub(super) const NOISE: &[&str] = &[
    "<|start|>assistant",
    "<|end|>",
    "<|call|>",
    "<|return|>",
    "<|eot_id|>",
    "<|eom_id|>",
    "<|eot|>",
    "<|eom|>",
    "<|im_end|>",
    "</s>",
    "</tool_call>",
    "<｜tool▁call▁end｜>",
    "<|tool_call_start|>",
    "<|tool_call_end|>",
    "<｜tool▁calls▁begin｜>",
    "<｜tool▁calls▁end｜>",
    "<｜end▁of▁sentence｜>",
    "<|tool_calls_section_begin|>",
    "<|tool_calls_section_end|>",
    "<minimax:tool_call>",
    "</minimax:tool_call>",
    "<function_calls>",
    "</function_calls>",
];

/// The mark that a spelling begins with.
pub(super) fn opening(spelling: &[Part]) -> &'static str {
    match spelling.first() {
        Some(Part::Mark(mark)) => mark,
        _ => "",
    }
}

/// Second bytes of the marks that spellings begin with.
static SECOND: LazyLock<[bool; 256]> = LazyLock::new(|| {
    let mut second = [false; 256];
    for byte in SPELLINGS.iter().filter_map(|spelling| opening(spelling).as_bytes().get(1)) {
        second[usize::from(*byte)] = true;
    }
    second
});

/// Whether it is worth to compare the beginning of a text with every mark: it hardly ever is.
pub(super) fn may_begin_call(text: &str) -> bool {
    text.as_bytes().get(1).is_some_and(|byte| SECOND[usize::from(*byte)])
}

/// Whether a text begins with a mark of a spelling; `None` when more of it has to be seen.
pub(super) fn begins_call(text: &str) -> Option<bool> {
    let openings = || SPELLINGS.iter().map(|spelling| opening(spelling)).chain(NOISE.iter().copied());
    if openings().any(|mark| text.starts_with(mark)) {
        return Some(true);
    }
    if openings().any(|mark| mark.starts_with(text)) { None } else { Some(false) }
}
