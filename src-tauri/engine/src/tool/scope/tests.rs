use std::sync::Arc;

use assent_core::contract::{Risk, Source, ToolSpec};
use assent_core::run::SessionKind;
use async_trait::async_trait;
use serde_json::{Value, json};

use super::super::{CallContext, Catalogue, Effects, Outcome, Tool, ToolStop, core_tools};
use super::{ActiveSet, LeftOut, Scope, Wanted, active_set};

struct Named(ToolSpec);

#[async_trait]
impl Tool for Named {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }
    fn effects(&self, _: &Value) -> Effects {
        Effects::none(self.0.risk)
    }
    async fn call(&self, _: Value, _: &CallContext) -> Result<Outcome, ToolStop> {
        Ok(Outcome::Success(Value::Null))
    }
}

fn named(name: &str, source: Source) -> Arc<dyn Tool> {
    Arc::new(Named(ToolSpec::new(name, "Does something.", json!({"type": "object"}), source, Risk::Read)))
}

/// Core tools, both human channels, meta-tools, and `t1` … `t20`.
fn catalogue() -> Catalogue {
    let mut catalogue = Catalogue::default();
    catalogue.add_all(core_tools()).unwrap();
    for name in ["ask_user", "displayConfirmation", "std-request-user-help"] {
        catalogue.add(named(name, Source::Human)).unwrap();
    }
    for name in ["tool_search", "tool_explain"] {
        catalogue.add_meta(named(name, Source::Core)).unwrap();
    }
    for number in 1..=20 {
        catalogue.add(named(&format!("t{number}"), Source::Mcp)).unwrap();
    }
    catalogue
}

fn texts(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// Every tool costs 100 tokens.
fn set(required: &[&str], scope: Scope<'_>, channel: SessionKind, budget: usize) -> ActiveSet {
    let required = texts(required);
    active_set(&Wanted { required: &required, scope, channel, budget }, &catalogue(), |_| true, |_| 100)
}

/// Nothing, because these are not to be had, and the rest for want of them.
fn nothing(names: &[&str], reason: LeftOut, rest: &[&str]) -> ActiveSet {
    let without = |names: &[&str], reason| ActiveSet::without(&texts(names), reason).left_out;
    ActiveSet { specs: Vec::new(), left_out: [without(names, reason), without(rest, LeftOut::Required)].concat() }
}

fn leaf<'a>(tools: &'a [String]) -> Scope<'a> {
    Scope::Specialist { tools, discovery: None }
}

// covers: L9 L20 L21 L22 L48
#[test]
fn the_single_agent_has_the_core_tools_in_their_order_and_what_was_discovered() {
    let found = texts(&["t3", "bash", "gone"]);
    let set = set(&[], Scope::Single { tools: &[], discovery: Some(&found) }, SessionKind::Chat, 3800);
    let core =
        ["bash", "edit_file", "create_file", "undo_edit", "glob", "grep", "finder", "tool_search", "tool_explain"];
    assert_eq!(set.names(), [&core[..], &["t3"]].concat());
    assert_eq!(set.left_out, [("gone".to_owned(), LeftOut::Unknown)]);
}

// covers: L20
#[test]
fn core_tools_keep_the_order_of_the_catalogue_and_nothing_else_is_among_them() {
    let mut turned = Catalogue::default();
    turned.add_all(core_tools().into_iter().rev()).unwrap();
    let scope = Scope::Single { tools: &[], discovery: None };
    let wanted = Wanted { required: &[], scope, channel: SessionKind::Chat, budget: 3800 };
    let set = active_set(&wanted, &turned, |_| true, |_| 100);
    assert_eq!(set.names(), ["finder", "grep", "glob", "undo_edit", "create_file", "edit_file", "bash"]);
    let copies: Vec<&ToolSpec> = turned.specs().filter(|spec| set.names().contains(&spec.name.as_str())).collect();
    assert_eq!(set.specs.iter().collect::<Vec<_>>(), copies);
}

// covers: L22
#[test]
fn a_core_tool_that_is_not_registered_is_absent_and_no_fault() {
    let mut few = Catalogue::default();
    few.add_all(core_tools().into_iter().filter(|tool| tool.spec().name != "grep")).unwrap();
    let scope = Scope::Single { tools: &[], discovery: Some(&[]) };
    let wanted = Wanted { required: &[], scope, channel: SessionKind::Chat, budget: 3800 };
    let set = active_set(&wanted, &few, |_| true, |_| 100);
    assert_eq!(set.names(), ["bash", "edit_file", "create_file", "undo_edit", "glob", "finder"]);
    assert_eq!(set.left_out, []);
}

#[test]
fn a_specialist_has_required_then_human_then_its_own_tools_and_never_more_than_ten() {
    let own: Vec<String> = (1..=12).map(|number| format!("t{number}")).collect();
    let set = set(&["t20", "t2"], leaf(&own), SessionKind::Chat, 3800);
    let expected = ["t20", "t2", "ask_user", "displayConfirmation", "t1", "t3", "t4", "t5", "t6", "t7"];
    assert_eq!(set.names(), expected);
    let left: Vec<&str> = set.left_out.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(left, ["t8", "t9", "t10", "t11", "t12"]);
    assert!(set.left_out.iter().all(|(_, reason)| *reason == LeftOut::Cap));
}

#[test]
fn the_channel_decides_how_a_person_is_asked_at_every_depth() {
    let own = texts(&["ask_user", "std-request-user-help", "t1"]);
    let chat = set(&[], leaf(&own), SessionKind::Chat, 3800);
    assert_eq!(chat.names(), ["ask_user", "displayConfirmation", "t1"]);
    let workflow = set(&[], leaf(&own), SessionKind::Workflow, 3800);
    assert_eq!(workflow.names(), ["displayConfirmation", "std-request-user-help", "t1"]);
    // What the leaf names itself and cannot have is told, the other channel's that comes by itself is not.
    assert_eq!(chat.left_out, [("std-request-user-help".to_owned(), LeftOut::Channel)]);
    assert_eq!(workflow.left_out, [("ask_user".to_owned(), LeftOut::Channel)]);
    let bare = set(&[], leaf(&own[2..]), SessionKind::Chat, 3800);
    assert_eq!(bare.left_out, []);
    let none = set(&["ask_user", "t1"], leaf(&own), SessionKind::Workflow, 3800);
    let rest = ["t1", "displayConfirmation", "std-request-user-help"];
    assert_eq!(none, nothing(&["ask_user"], LeftOut::Channel, &rest));
}

#[test]
fn meta_tools_and_found_tools_are_there_only_where_the_scope_allows_discovery() {
    let own = texts(&["tool_search", "tool_explain", "t1"]);
    let found = texts(&["t9"]);
    let off = set(&[], leaf(&own), SessionKind::Chat, 3800);
    assert_eq!(off.names(), ["ask_user", "displayConfirmation", "t1"]);
    let scope = Scope::Specialist { tools: &own, discovery: Some(&found) };
    let on = set(&[], scope, SessionKind::Chat, 3800);
    assert_eq!(on.names(), ["ask_user", "displayConfirmation", "tool_search", "tool_explain", "t1", "t9"]);
}

// covers: L18
#[test]
fn the_budget_takes_discovered_tools_first_then_declared_then_core_and_required_never() {
    let found = texts(&["t1", "t2"]);
    let scope = || Scope::Single { tools: &[], discovery: Some(&found) };
    // Of what was discovered the oldest goes first: the model is about to call the newest.
    let short = set(&["t5"], scope(), SessionKind::Chat, 1100);
    assert_eq!(short.left_out, [("t1".to_owned(), LeftOut::Budget)]);
    let shorter = set(&["finder", "t5"], scope(), SessionKind::Chat, 300);
    assert_eq!(shorter.names(), ["bash", "finder", "t5"]);
    let own = texts(&["t1", "t2"]);
    let leaf = set(&["t5"], leaf(&own), SessionKind::Chat, 400);
    assert_eq!(leaf.names(), ["t5", "ask_user", "displayConfirmation", "t1"]);
    let none = set(&["t1", "t2", "t3"], scope(), SessionKind::Chat, 250);
    let core =
        ["bash", "edit_file", "create_file", "undo_edit", "glob", "grep", "finder", "tool_search", "tool_explain"];
    assert_eq!(none, nothing(&["t1", "t2", "t3"], LeftOut::Budget, &core));
}

#[test]
fn without_a_required_tool_or_with_an_eleventh_there_is_nothing_and_the_reason_is_told() {
    let none = Vec::new();
    let set_of = |required: &[&str]| set(required, leaf(&none), SessionKind::Chat, 3800);
    let human = ["ask_user", "displayConfirmation"];
    let rest = [&["t1"][..], &human].concat();
    assert_eq!(set_of(&["t1", "missing"]), nothing(&["missing"], LeftOut::Unknown, &rest));
    let eleven: Vec<String> = (1..=11).map(|number| format!("t{number}")).collect();
    let names: Vec<&str> = eleven.iter().map(String::as_str).collect();
    assert_eq!(set_of(&names), nothing(&names, LeftOut::Cap, &human));
}

#[test]
fn what_a_step_may_not_have_takes_no_room_and_is_told_apart_from_what_has_none() {
    let found = texts(&["t1"]);
    let scope = Scope::Single { tools: &[], discovery: Some(&found) };
    let wanted = Wanted { required: &[], scope, channel: SessionKind::Chat, budget: 700 };
    let set = active_set(&wanted, &catalogue(), |spec| !spec.risk.writes(), |_| 100);
    assert_eq!(set.names(), ["bash", "glob", "grep", "finder", "tool_search", "tool_explain", "t1"]);
    let forbidden = ["edit_file", "create_file", "undo_edit"].map(|name| (name.to_owned(), LeftOut::Forbidden));
    assert_eq!(set.left_out, forbidden);
}

// covers: L5 L6
#[test]
fn a_catalogue_of_three_hundred_tools_does_not_make_the_set_larger() {
    let mut large = catalogue();
    for number in 0..300 {
        large.add(named(&format!("mcp.server.tool{number}"), Source::Mcp)).unwrap();
    }
    let wanted = Wanted {
        required: &[],
        scope: Scope::Single { tools: &[], discovery: Some(&[]) },
        channel: SessionKind::Chat,
        budget: 3800,
    };
    let small = active_set(&wanted, &catalogue(), |_| true, ToolSpec::estimated_tokens);
    assert_eq!(active_set(&wanted, &large, |_| true, ToolSpec::estimated_tokens), small);
    let tokens: usize = small.specs.iter().map(ToolSpec::estimated_tokens).sum();
    assert!(tokens <= 3800 && small.left_out.is_empty());
}
