//! Searches, expansions and levels, with a chooser that is a script.

use std::collections::HashSet;

use proptest::prelude::*;
use serde_json::json;

use super::{Script, failed, now, parent, sound, spec, tools};
use crate::contract::Fault;
use crate::heap::{
    Caps, Decision, Expanded, Expansion, OptionGroup, PathEnd, Registry, Search, Settled, Specialist, build,
    child_steps, expand_step, expand_to_leaves, option, search_from_node, search_heap_path, whole_ids,
};
use crate::plan::{Route, RouteStep, Step};

/// `general` (a leaf), `big` (8 parts in 2 groups), `tools` → `files` → two leaves.
fn registry() -> Registry {
    let mut files = parent("files", &["reader", "writer"]);
    files.top_level = false;
    sound(&[
        spec("general", tools("g", 2)),
        spec("big", tools("b", 71)),
        parent("tools", &["files"]),
        files,
        spec("reader", tools("r", 2)),
        spec("writer", tools("w", 2)),
    ])
}

fn one(id: &str) -> RouteStep {
    RouteStep::One(id.into())
}

fn parallel(ids: &[&str]) -> RouteStep {
    RouteStep::Parallel { parallel: ids.iter().map(|id| (*id).to_owned()).collect() }
}

fn expanded(route: &[RouteStep], script: &Script) -> Expansion {
    now(expand_to_leaves(route, &registry(), "the task", script, 5))
}

fn step(id: &str, required: &[&str], script: &Script) -> Expanded {
    let required: Vec<String> = required.iter().map(|tool| (*tool).to_owned()).collect();
    now(expand_step(&registry(), id, &required, "t", script, 5)).unwrap()
}

// covers: H45 H46 H48 H73
#[test]
fn the_options_at_a_node_are_its_children_and_at_the_root_the_top_level() {
    let registry = registry();
    assert_eq!(registry.options_at_node(None, None), ["general", "big", "tools"]);
    assert_eq!(registry.options_at_node(None, Some(2)), ["general", "big"]);
    assert_eq!(registry.options_at_node(Some("big"), None), ["big__lvl1_group1", "big__lvl1_group2"]);
    assert_eq!(registry.options_at_node(Some("big__lvl1_group1"), Some(1)), ["big__part1"]);
    for nothing in ["general", "toString", "planner", ""] {
        assert_eq!(registry.options_at_node(Some(nothing), None), Vec::<String>::new(), "{nothing}");
    }
}

// covers: H49 H50 H74
#[test]
fn a_path_from_the_root_asks_once_a_level_and_may_end_at_a_delegator() {
    let script = Script::of(&[&["big"], &["big__lvl1_group2"], &[]]);
    let path = now(search_heap_path(&registry(), "the task", Search::to(5), &script));
    assert_eq!(path, ["big", "big__lvl1_group2"]);
    let own = |ids: &[&str]| ids.iter().map(|id| (*id).to_owned()).collect::<Vec<_>>();
    assert_eq!(
        script.asked(),
        [
            (None, own(&["general", "big", "tools"])),
            (Some("big".into()), own(&["big__lvl1_group1", "big__lvl1_group2"])),
            (Some("big__lvl1_group2".into()), own(&["big__part8"])),
        ]
    );
    let asked = script.asked.lock().unwrap();
    assert_eq!((asked[1].depth, asked[1].task.as_str()), (1, "the task"));
    let option = &asked[0].options[1];
    assert_eq!((option.description.as_str(), &option.tools), ("does big", &tools("b", 12)));
    assert_eq!(option.groups, []);
}

// covers: H5 H59 H61 H75
#[test]
fn a_path_from_a_node_goes_on_from_its_children() {
    let from = |start: &str, search: Search, answers: &[&[&str]]| {
        let script = Script::of(answers);
        (now(search_from_node(&registry(), start, "t", search, &script)), script.calls())
    };
    let all = Search::to(5);
    assert_eq!(from("tools", all, &[&["files"], &["writer"]]), (vec!["files".into(), "writer".into()], 2));
    assert_eq!(from("writer", all, &[]), (vec![], 0), "a leaf has no path");
    assert_eq!(from("nobody", all, &[]), (vec![], 0));
    assert_eq!(from("tools", all, &[&["files"], &["general"]]), (vec!["files".into()], 2), "an unknown answer stops");
    assert_eq!(from("tools", all, &[&["files"], &["reader", "writer"]]), (vec!["files".into()], 2), "so do several");
    assert_eq!(from("tools", Search::to(1), &[&["files"], &["writer"]]), (vec!["files".into()], 1));
    assert_eq!(from("tools", Search::to(0), &[&["files"]]), (vec![], 0), "no choice is allowed");
    let capped = Search { options_cap: Some(1), ..all };
    assert_eq!(from("files", capped, &[&["writer"]]), (vec![], 1), "what the cap hides cannot be chosen");
    for (cap, shown) in [(Some(1), &["reader"][..]), (None, &["reader", "writer"])] {
        let script = Script::of(&[&["reader"]]);
        let search = Search { options_cap: cap, ..all };
        assert_eq!(now(search_from_node(&registry(), "files", "t", search, &script)), ["reader"]);
        let shown: Vec<String> = shown.iter().map(|id| (*id).to_owned()).collect();
        assert_eq!(script.asked(), [(Some("files".into()), shown)], "the chooser is shown no more");
    }
}

// covers: H60
#[test]
fn a_path_may_stop_at_the_first_leaf() {
    let script = Script::of(&[&["files"], &["writer"]]);
    let search = Search { end: PathEnd::FirstLeaf, ..Search::to(5) };
    assert_eq!(now(search_from_node(&registry(), "tools", "t", search, &script)), ["files", "writer"]);
    assert_eq!(script.calls(), 2);

    // Somebody with tools and others below, as no registry is built, tells the two apart.
    let entry = |id: &str, tool_names: Vec<String>, below: &[&str]| {
        let delegate_targets = below.iter().map(|id| (*id).to_owned()).collect();
        (id.to_owned(), Specialist { id: id.into(), tool_names, delegate_targets, ..Specialist::default() })
    };
    let entries = [
        entry("top", vec![], &["both", "other"]),
        entry("both", tools("b", 1), &["below", "beside"]),
        entry("below", tools("c", 1), &[]),
        entry("beside", tools("d", 1), &[]),
        entry("other", tools("e", 1), &[]),
    ];
    let registry = Registry::of(entries.into_iter().collect(), vec!["top".into()], &HashSet::new(), Caps::default());
    let found = |search: Search| {
        let script = Script::of(&[&["both"], &["below"]]);
        (now(search_from_node(&registry, "top", "t", search, &script)), script.calls())
    };
    assert_eq!(found(search), (vec!["both".into()], 1));
    assert_eq!(found(Search::to(5)), (vec!["both".into(), "below".into()], 2), "without the option it goes on");
}

// covers: H44 H54 H56 H57 H58 H62 H76
#[test]
fn a_delegator_becomes_a_leaf_level_by_level() {
    let script = Script::of(&[&["big__lvl1_group1"], &["big__part3"]]);
    let expansion = expanded(&[one("big")], &script);
    let decision =
        |parent: &str, chosen: &str| Decision { parent: parent.into(), chosen: chosen.into(), by: Settled::Chooser };
    assert_eq!(
        expansion,
        Expansion {
            route: vec![one("big__part3")],
            steps: vec![Expanded {
                from: "big".into(),
                root: "big".into(),
                leaf: "big__part3".into(),
                path: vec![decision("big", "big__lvl1_group1"), decision("big__lvl1_group1", "big__part3")],
                calls: 2,
            }],
            faults: vec![],
        }
    );
}

// covers: H57
#[test]
fn each_level_of_delegators_costs_one_call() {
    let (registry, _) = build(&[spec("big", tools("t", 491))], Caps::default());
    for (from, answers) in [
        ("big", &["big__lvl2_group1", "big__lvl1_group3", "big__part15"][..]),
        ("big__lvl2_group1", &["big__lvl1_group3", "big__part15"]),
        ("big__lvl1_group3", &["big__part15"]),
        ("big__part15", &[]),
    ] {
        let answers: Vec<[&str; 1]> = answers.iter().map(|id| [*id]).collect();
        let script = Script::of(&answers.iter().map(<[&str; 1]>::as_slice).collect::<Vec<_>>());
        let expansion = now(expand_to_leaves(&[one(from)], &registry, "t", &script, 5));
        assert_eq!(expansion.route, [one("big__part15")], "{from}");
        assert_eq!((expansion.calls(), script.calls()), (answers.len(), answers.len()), "{from}");
    }
}

// covers: H63 H64
#[test]
fn leaves_stay_and_parallel_groups_stay_where_they_are() {
    let script = Script::of(&[&["big__lvl1_group1"], &["big__part1"], &["writer"]]);
    let expansion = expanded(&[one("general"), parallel(&["big", "tools"]), one("general")], &script);
    assert_eq!(expansion.route, [one("general"), parallel(&["big__part1", "writer"]), one("general")]);
    assert_eq!(expansion.steps.iter().map(|step| step.calls).collect::<Vec<_>>(), [0, 2, 1, 0]);
    assert_eq!(expansion.calls(), 3);
}

#[test]
fn one_leaf_stands_once_in_a_group() {
    let script = Script::of(&[&["writer"], &["writer"], &["reader"]]);
    let expansion = expanded(&[parallel(&["tools", "files", "writer"]), parallel(&["files"])], &script);
    assert_eq!(expansion.route, [one("writer"), one("reader")]);
}

// covers: P48
#[test]
fn a_leaf_that_is_named_itself_knows_its_root() {
    let script = Script::default();
    let found = step("big__part3", &[], &script);
    assert_eq!((found.root.as_str(), found.leaf.as_str(), found.path), ("big", "big__part3", vec![]));
    assert_eq!(step("reader", &["w0"], &script).root, "tools", "three levels up");
    assert_eq!(script.calls(), 0);
}

#[test]
fn what_a_chooser_is_shown_has_the_groups_of_an_option() {
    let mut mail = spec("mail", tools("m", 3));
    let group = OptionGroup { label: "Read".into(), tool_ids: tools("m", 2) };
    mail.option_groups = [("read".to_owned(), group)].into_iter().collect();
    let registry = sound(&[mail]);
    assert_eq!(option(&registry, "mail").groups, [("Read".to_owned(), 2)]);
    let nobody = option(&registry, "toString");
    assert_eq!((nobody.description.as_str(), nobody.tools.len()), ("", 0));
}

#[test]
fn required_tools_and_single_options_cost_no_call() {
    let script = Script::default();
    let found = step("big", &["b42"], &script);
    assert_eq!((found.leaf.as_str(), found.path[0].by.clone()), ("big__part5", Settled::RequiredTools));
    let script = Script::of(&[&["reader"]]);
    let found = step("tools", &[], &script);
    assert_eq!((found.leaf.as_str(), found.calls), ("reader", 1));
    assert_eq!(found.path[0], Decision { parent: "tools".into(), chosen: "files".into(), by: Settled::OnlyOption });
    assert_eq!(script.asked()[0].0.as_deref(), Some("files"));
}

#[test]
fn an_answer_that_cannot_be_used_is_the_first_option_and_recorded() {
    for (answer, reason) in [
        (Ok(vec![]), "none was chosen"),
        (Ok(vec!["reader".to_owned(), "writer".to_owned()]), "several were chosen"),
        (Ok(vec!["general".to_owned()]), "an unknown one was chosen"),
        (Err(failed("too slow")), "the chooser failed: too slow"),
    ] {
        let script = Script::default();
        script.answers.lock().unwrap().push_back(answer);
        let found = step("files", &["r0", "w0"], &script);
        let by = Settled::Fallback { reason: reason.into() };
        assert_eq!(found.path, [Decision { parent: "files".into(), chosen: "reader".into(), by }]);
        assert_eq!((found.leaf.as_str(), found.calls), ("reader", 1));
    }
}

// covers: H66
#[test]
fn a_deep_or_cyclic_registry_ends_at_a_leaf() {
    let mut chain: Vec<_> =
        (0..9).map(|n| parent(&format!("n{n}"), &[&format!("n{}", n + 1), &format!("x{n}")])).collect();
    chain.extend((0..9).map(|n| spec(&format!("x{n}"), tools(&format!("x{n}_"), 1))));
    chain.push(parent("n9", &["n0", "last"]));
    chain.push(spec("last", tools("l", 1)));
    let (registry, _) = build(&chain, Caps::default());
    let script = Script::default();
    let found = now(expand_step(&registry, "n0", &[], "t", &script, 3)).unwrap();
    assert!(registry.get(&found.leaf).unwrap().is_leaf());
    assert_eq!((found.calls, found.path.last().unwrap().by.clone()), (3, Settled::DepthLimit));

    let (empty, _) = build(&[parent("a", &["b"]), parent("b", &["a"])], Caps::default());
    let found = now(expand_step(&empty, "a", &[], "t", &script, 5)).unwrap_err().to_string();
    assert_eq!(found, "\"a\" is no specialist that can run", "b lost its child, and a the only one below it");
}

#[test]
fn unknown_specialists_and_the_planner_are_left_out() {
    let script = Script::default();
    let expansion = expanded(&[one("planner"), parallel(&["toString", "general"]), one("nobody")], &script);
    assert_eq!(expansion.route, [one("general")]);
    let faults: Vec<String> = expansion.faults.iter().map(Fault::to_string).collect();
    assert_eq!(
        faults,
        [
            "route[0]: \"planner\" is no specialist that can run",
            "route[1]: \"toString\" is no specialist that can run",
            "route[2]: \"nobody\" is no specialist that can run",
        ]
    );
}

#[test]
fn a_delegation_that_names_a_child_for_ever_is_cut() {
    let parent: Step = serde_json::from_value(json!({
        "id": "s2", "description": "Tidy up", "executor": {"kind": "specialist", "id": "files"},
    }))
    .unwrap();
    let many: Vec<RouteStep> = (0..100).map(|_| one("reader")).collect();
    let (steps, faults) = child_steps(&parent, &many, None, 0, &registry());
    assert_eq!(steps.len(), Caps::default().children);
    assert_eq!(faults.len(), 1, "{faults:?}");
}

#[test]
fn a_delegation_becomes_child_steps() {
    let parent: Step = serde_json::from_value(json!({
        "id": "s2", "description": "Tidy up", "executor": {"kind": "specialist", "id": "files"}, "input": {"context": {"a": 1}},
        "requiredTools": ["w1", "r0", "w0", "zz"], "toolValidationMode": "strict", "instructions": "Gently.",
        "grants": {"tools": ["w0", "w1", "r0"], "paths": ["."], "hosts": []}
    }))
    .unwrap();
    let (steps, faults) =
        child_steps(&parent, &[one("reader"), parallel(&["writer", "general"])], None, 0, &registry());
    let expected: Vec<Step> = serde_json::from_value(json!([
        {"id": "s2/1", "parentId": "s2", "origin": "delegate", "description": "Tidy up",
         "executor": {"kind": "specialist", "id": "reader"}, "input": {"context": {"a": 1}}, "requiredTools": ["r0"],
         "toolValidationMode": "strict", "instructions": "Gently.",
         "grants": {"tools": ["w0", "w1", "r0"], "paths": ["."], "hosts": []}},
        {"id": "s2/2", "parentId": "s2", "origin": "delegate", "description": "Tidy up", "dependencies": ["s2/1"],
         "executor": {"kind": "specialist", "id": "writer"}, "input": {"context": {"a": 1}},
         "requiredTools": ["w1", "w0"], "toolValidationMode": "strict", "instructions": "Gently.",
         "grants": {"tools": ["w0", "w1", "r0"], "paths": ["."], "hosts": []}}
    ]))
    .unwrap();
    assert_eq!(steps, expected);
    assert_eq!(
        faults.iter().map(Fault::to_string).collect::<Vec<_>>(),
        ["delegateHeap[1]: \"general\" is no child of \"files\"; it was left out (Its children are reader, writer.)"]
    );
    let (again, _) =
        child_steps(&parent, &[parallel(&["writer", "reader"]), one("reader")], Some("Look"), 2, &registry());
    let told: Vec<_> =
        again.iter().map(|step| (step.id.as_str(), step.dependencies.len(), step.description.as_str())).collect();
    assert_eq!(told, [("s2/3", 0, "Look"), ("s2/4", 0, "Look"), ("s2/5", 2, "Look")]);
    assert_eq!(again[2].dependencies, [again[0].id.clone(), again[1].id.clone()]);
}

// covers: T46
#[test]
fn what_nobody_of_a_delegation_has_is_handed_to_a_child_that_has_it() {
    let of = |required: &[&str]| -> Step {
        let step = json!({"id": "s2", "description": "Tidy up", "executor": {"kind": "specialist", "id": "files"}, "requiredTools": required});
        serde_json::from_value(step).unwrap()
    };
    let mut registry = registry();
    registry.give_to_all(["ask".to_owned()]);
    let parts = |required: &[&str], heap: &[RouteStep]| {
        let (steps, faults) = child_steps(&of(required), heap, None, 0, &registry);
        let told = steps.iter().map(|step| format!("{} {}", step.executor.id, step.required_tools.join(" ")));
        (told.collect::<Vec<_>>(), faults.iter().map(Fault::to_string).collect::<Vec<_>>(), steps)
    };
    let (told, faults, steps) = parts(&["ask", "w1", "r0", "w0"], &[one("reader")]);
    assert_eq!(told, ["reader ask r0", "writer w1 w0"]);
    assert_eq!(
        faults,
        ["delegateHeap: \"writer\" does a part too: w1 is required, and nobody who was named has it"],
        "once for both tools"
    );
    assert_eq!(steps[1].dependencies, [steps[0].id.clone()], "it sees what the others gave");
    // Nothing is added for what a child that was named has, for what all have, or for what no child has.
    for (required, heap, expected) in [
        (vec!["w1"], parallel(&["reader", "writer"]), vec!["reader ", "writer w1"]),
        (vec!["ask"], one("reader"), vec!["reader ask"]),
        (vec!["g0"], one("reader"), vec!["reader "]),
    ] {
        let (told, faults, _) = parts(&required, &[heap]);
        assert_eq!((told, faults), (expected.into_iter().map(str::to_owned).collect(), vec![]));
    }
    // Never more parts than there may be.
    let (told, faults, _) = parts(&["w0"], &vec![one("reader"); Caps::default().children]);
    assert_eq!((told.len(), faults), (Caps::default().children, vec![]));
}

#[test]
fn ids_are_found_as_whole_words() {
    let options: Vec<String> = ["x__part1", "x__part10", "mcp.files", "mcp"].map(str::to_owned).to_vec();
    for (text, expected) in [
        ("I choose x__part10.", vec!["x__part10"]),
        ("`x__part1`, not ax__part10 or x__part1_", vec!["x__part1"]),
        ("{\"id\": \"mcp.files\"}", vec!["mcp.files"]),
        ("first mcp, then x__part10 and x__part1.", vec!["mcp", "x__part10", "x__part1"]),
        ("none", vec![]),
        ("", vec![]),
    ] {
        assert_eq!(whole_ids(text, &options), expected, "{text}");
    }
}

fn any_route() -> impl Strategy<Value = Route> {
    let id =
        proptest::sample::select(vec!["general", "big", "tools", "files", "writer", "planner", "nobody", "big__part2"]);
    let group = proptest::collection::vec(id, 1..4);
    proptest::collection::vec(group.prop_map(|ids| if ids.len() == 1 { one(ids[0]) } else { parallel(&ids) }), 0..6)
}

proptest! {
    #[test]
    fn an_expanded_route_holds_only_leaves_once_a_group(
        route in any_route(),
        answers in proptest::collection::vec(proptest::option::of(proptest::sample::select(vec!["reader", "writer", "big__lvl1_group2", "big__part4", "files", "zz"])), 0..12),
    ) {
        let script = Script::default();
        for answer in answers {
            let answer = answer.map(|id| vec![id.to_owned()]).ok_or(failed("x"));
            script.answers.lock().unwrap().push_back(answer);
        }
        let expansion = expanded(&route, &script);
        for element in &expansion.route {
            let ids = element.ids();
            prop_assert!(ids.iter().all(|id| registry().get(id).unwrap().is_leaf()));
            prop_assert!((1..ids.len()).all(|at| !ids[..at].contains(&ids[at])));
        }
        prop_assert_eq!(expansion.calls(), script.calls());
        let known = route.iter().flat_map(|element| element.ids()).filter(|id| registry().runs(id)).count();
        prop_assert_eq!(expansion.steps.len(), known);
    }
}
