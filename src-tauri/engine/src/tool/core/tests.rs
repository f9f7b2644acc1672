mod commands;
mod files;
mod names;
mod searches;

use super::{CORE_TOOLS, core_tools};

// covers: L19
#[test]
fn the_core_tools_are_these_nine_in_this_order_and_read_comes_beside_them() {
    assert_eq!(
        CORE_TOOLS,
        ["bash", "edit_file", "create_file", "undo_edit", "glob", "grep", "finder", "tool_search", "tool_explain"]
    );
    let tools = core_tools();
    let names: Vec<&str> = tools.iter().map(|tool| tool.spec().name.as_str()).collect();
    assert_eq!(names[..7], CORE_TOOLS[..7]);
    assert_eq!(names[7..], ["read"]);
}

#[test]
fn every_tool_says_in_its_first_sentence_what_it_does_and_has_parameters_that_compile() {
    for tool in core_tools() {
        let spec = tool.spec();
        assert!(spec.summary().len() <= 160 && spec.summary().ends_with('.'), "{}: {}", spec.name, spec.summary());
        assert!(spec.description.len() <= 280, "{}", spec.name);
        assert_eq!(spec.parameters["type"], "object");
        assert_eq!(spec.parameters["additionalProperties"], false);
        assert!(assent_core::contract::Schema::compile(spec.parameters.clone()).is_ok(), "{}", spec.name);
    }
}
