//! How a registry is built, and what is said of what it cannot hold.

use proptest::prelude::*;
use serde_json::json;

use super::{parent, sound, spec, tools};
use crate::contract::Fault;
use crate::heap::{
    Caps, EMIT_PLAN, OptionGroup, Overlay, Owned, Part, Registry, Specialist, SpecialistSpec, build, merge,
};
use crate::plan::{ExecutorKind, Plan};

fn ids(registry: &Registry) -> Vec<&str> {
    registry.specialists().map(|entry| entry.id.as_str()).collect()
}

fn built(specs: &[SpecialistSpec]) -> (Registry, Vec<String>) {
    let (registry, faults) = build(specs, Caps::default());
    (registry, faults.iter().map(Fault::to_string).collect())
}

fn leaves(registry: &Registry, node: &str) -> Vec<(String, usize)> {
    registry.leaves_below(node).map(|leaf| (leaf.id.clone(), leaf.tool_names.len())).collect()
}

#[test]
fn a_chain_that_is_endlessly_long_is_cut_whichever_way_it_is_written_and_that_is_told() {
    let link = |at: usize| {
        let children = if at < 19_999 { vec![format!("a{}", at + 1)] } else { vec![] };
        SpecialistSpec { children, ..spec(&format!("a{at}"), tools(&format!("t{at}_"), 1)) }
    };
    let forwards: Vec<SpecialistSpec> = (0..20_000).map(link).collect();
    let backwards: Vec<SpecialistSpec> = forwards.iter().rev().cloned().collect();
    for specs in [forwards, backwards] {
        let (registry, faults) = built(&specs);
        assert!(faults.iter().any(|fault| fault.contains("more than 64 levels deep")), "{:?}", faults.first());
        assert!(registry.get("a0").is_some());
    }
}

// covers: H42 H47 H55 H70
#[test]
fn more_tools_than_the_cap_become_parts_below_a_delegator() {
    let registry = sound(&[spec("small", tools("a", 10)), spec("big", tools("b", 11)), spec("one", tools("c", 1))]);
    assert_eq!(ids(&registry), ["small", "big__part1", "big__part2", "big", "one", "planner"]);
    let big = registry.get("big").unwrap();
    assert_eq!((big.is_delegator(), big.is_leaf()), (true, false));
    assert_eq!(big.delegate_targets, ["big__part1", "big__part2"]);
    let part = Specialist {
        id: "big__part2".into(),
        description: "does big (part 2)".into(),
        tool_names: vec!["b10".into()],
        parent: Some("big".into()),
        ..Specialist::default()
    };
    assert_eq!(registry.get("big__part2"), Some(&part));
    assert!(registry.get("small").unwrap().is_leaf());
}

#[test]
fn many_parts_become_groups_of_groups() {
    for (count, entries, parts, children) in [
        (70, 8, 7, vec!["big__part1"]),
        (71, 11, 8, vec!["big__lvl1_group1", "big__lvl1_group2"]),
        (491, 61, 50, vec!["big__lvl2_group1", "big__lvl2_group2"]),
    ] {
        let registry = sound(&[spec("big", tools("t", count))]);
        assert_eq!(ids(&registry).len() - 1, entries, "{count}");
        assert_eq!(registry.leaves_below("big").count(), parts, "{count}");
        assert!(
            registry
                .children_of(Some("big"))
                .starts_with(&children.iter().map(|id| (*id).to_owned()).collect::<Vec<_>>()[..])
        );
        assert_eq!(registry.tools_below("big").count(), count, "no tool is lost");
        assert!(registry.specialists().all(|entry| entry.tool_names.len() <= 10 && entry.delegate_targets.len() <= 7));
        assert_eq!(registry.root_of("big__part8").unwrap_or("big"), "big");
    }
}

#[test]
fn shared_tools_are_in_every_part_and_named_parts_keep_their_tools() {
    let mut workflow = spec("workflow", tools("w", 13));
    workflow.shared_tools = vec!["ask_user".into()];
    workflow.parts = vec![
        Part {
            id: "workflow_design".into(),
            description: "designs".into(),
            tool_names: vec!["w12".into(), "w3".into()],
        },
        Part { id: "other".into(), description: String::new(), tool_names: tools("x", 10) },
    ];
    let (registry, faults) = built(&[workflow]);
    let shown: Vec<(&str, Vec<String>)> =
        registry.leaves_below("workflow").map(|leaf| (leaf.id.as_str(), leaf.tool_names.clone())).collect();
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    assert_eq!(
        shown,
        [
            ("workflow_design", names(&["w12", "w3", "ask_user"])),
            ("workflow__part2", [tools("x", 9), names(&["ask_user"])].concat()),
            ("workflow__part3", names(&["x9", "ask_user"])),
            ("workflow__part4", names(&["w0", "w1", "w2", "w4", "w5", "w6", "w7", "w8", "w9", "ask_user"])),
            ("workflow__part5", names(&["w10", "w11", "ask_user"])),
        ]
    );
    assert_eq!(faults, ["specialists.workflow.parts: a part cannot be called \"other\"; it is workflow__part2"]);
}

#[test]
fn no_part_takes_the_id_of_another_specialist_whichever_comes_first() {
    let mut mail = spec("mail", tools("m", 11));
    mail.parts = vec![Part { id: "mail_read".into(), description: "reads".into(), tool_names: tools("m", 3) }];
    let own = spec("mail_read", tools("r", 2));
    for specs in [[mail.clone(), own.clone()], [own, mail]] {
        let (registry, faults) = built(&specs);
        assert_eq!(faults, ["specialists.mail.parts: a part cannot be called \"mail_read\"; it is mail__part1"]);
        assert_eq!(registry.get("mail_read").unwrap().tool_names, tools("r", 2));
        assert_eq!(registry.get("mail__part1").unwrap().tool_names, tools("m", 3));
        assert_eq!(registry.tools_below("mail").count(), 11, "no tool is lost");
    }
}

#[test]
fn a_part_with_shared_tools_alone_is_one_and_a_part_with_none_is_told() {
    let part = |id: &str, tool_names: Vec<String>| Part { id: id.into(), description: format!("is {id}"), tool_names };
    let mut desk = spec("desk", tools("d", 12));
    desk.shared_tools = vec!["ask".into()];
    desk.parts = vec![
        part("desk_ask", vec!["ask".into()]),
        part("desk_twice", vec!["d0".into(), "d0".into()]),
        part("desk_none", vec![]),
    ];
    let (registry, faults) = built(&[desk.clone()]);
    assert_eq!(faults, Vec::<String>::new(), "all parts are there: an empty one has the shared tools");
    let names = |id: &str| registry.get(id).unwrap().tool_names.clone();
    assert_eq!((names("desk_ask"), names("desk_none")), (vec!["ask".to_owned()], vec!["ask".to_owned()]));
    assert_eq!(names("desk_twice"), ["d0", "ask"]);
    desk.shared_tools.clear();
    let (registry, faults) = built(&[desk]);
    assert_eq!(faults, ["specialists.desk.parts: the part \"desk_none\" has no tools; it was left out"]);
    assert_eq!(registry.get("desk_none"), None);
}

#[test]
fn who_is_neither_on_top_nor_below_another_is_told() {
    let alone = SpecialistSpec { top_level: false, ..spec("alone", tools("a", 11)) };
    let below = SpecialistSpec { top_level: false, ..spec("below", tools("b", 1)) };
    let (registry, faults) = built(&[alone, below, parent("on", &["below"])]);
    assert_eq!(
        faults,
        ["specialists.alone: this is neither on top nor below another specialist; whoever plans is not shown it (Say \
          \"topLevel\": true, or name it among another's children.)"]
    );
    assert!(registry.runs("alone"), "a plan may name it nevertheless");
}

#[test]
fn what_is_said_of_hundreds_of_specialists_does_not_grow_with_them() {
    let many = |count: usize| -> Vec<SpecialistSpec> {
        (0..count).map(|n| spec(&format!("source-number-{n}"), tools(&format!("t{n}_"), 2))).collect()
    };
    let descriptions = |count: usize| {
        let (registry, _) = build(&many(count), Caps::default());
        let owner = registry.root_for(&["t7_0".to_owned(), "t7_1".to_owned()]);
        assert_eq!(owner, Some("source-number-7"), "not the one that only gathers");
        let gathering = |id: &str| id.starts_with("more");
        let found = registry.specialists().filter(|entry| gathering(&entry.id));
        let found: Vec<(String, String)> = found.map(|entry| (entry.id.clone(), entry.description.clone())).collect();
        for id in many(count).iter().map(|spec| &spec.id) {
            assert_eq!(registry.root_of(id), Some(id.as_str()));
            assert!(
                registry.leaves_below("more").any(|leaf| leaf.id == *id) || registry.children_of(None).contains(id)
            );
        }
        found
    };
    let few = descriptions(9);
    assert_eq!(few, [("more".to_owned(), "Further specialists: source-number-7, source-number-8".to_owned())]);
    let all = descriptions(600);
    assert!(all.len() > 80 && all.iter().all(|(_, told)| told.len() <= 220), "{all:?}");
    let told = |id: &str| &all.iter().find(|(one, _)| one == id).unwrap().1;
    assert!(told("more").starts_with("Further specialists: source-number-7, ") && told("more").ends_with(" others"));
    let first = (7..14).map(|n| format!("source-number-{n}")).collect::<Vec<_>>().join(", ");
    assert_eq!(told("more__lvl1_group1"), &format!("Further specialists: {first}"));
}

#[test]
fn whoever_chooses_is_shown_the_beginning_of_what_a_pack_says() {
    let mut long = spec("long", tools("l", 11));
    long.description = "ö".repeat(1 << 20);
    let group = |n: usize| (n.to_string(), OptionGroup { label: "x".repeat(1000), tool_ids: vec!["l0".into()] });
    long.option_groups = (0..500).map(group).collect();
    let (registry, faults) = built(&[long]);
    assert_eq!(faults.len(), 1, "that its steps are told a part of it: {faults:?}");
    let shown = crate::heap::option(&registry, "long");
    assert_eq!((shown.description.chars().count(), shown.groups.len()), (301, 10));
    assert!(shown.groups.iter().all(|(label, count)| label.chars().count() == 61 && *count == 1));
}

#[test]
fn a_specialist_may_have_tools_and_children() {
    let mut agent = parent("agent", &["agent_openclaw"]);
    agent.tool_names = tools("a", 3);
    let registry = sound(&[agent, spec("agent_openclaw", tools("o", 2))]);
    assert_eq!(registry.children_of(Some("agent")), ["agent_openclaw", "agent__part1"]);
    assert_eq!(registry.children_of(None), ["agent"]);
    assert_eq!(registry.root_of("agent_openclaw"), Some("agent"));
}

#[test]
fn parents_are_stored_and_never_read_out_of_names() {
    let registry = sound(&[spec("agent", tools("a", 2)), spec("agent_tools", tools("t", 2))]);
    assert_eq!(registry.children_of(None), ["agent", "agent_tools"]);
    assert_eq!((registry.root_of("agent_tools"), registry.children_of(Some("agent"))), (Some("agent_tools"), &[][..]));
}

#[test]
fn top_level_specialists_beyond_the_cap_are_one_level_further_down() {
    let specs: Vec<SpecialistSpec> = (0..10).map(|n| spec(&format!("s{n}"), tools(&format!("t{n}_"), 11))).collect();
    let (registry, faults) = built(&specs);
    assert_eq!(registry.top_level_ids(), ["s0", "s1", "s2", "s3", "s4", "s5", "s6", "more"]);
    assert_eq!(registry.children_of(Some("more")), ["s7", "s8", "s9"]);
    assert_eq!(
        faults,
        ["specialists.more.topLevelIds: only 8 specialists can be on top; these are below \"more\": s7, s8, s9"]
    );
    assert_eq!(registry.root_of("s9__part1"), Some("s9"), "instructions and scope stay those of s9");
}

// covers: P1 P27 P28 P30 P59 P60 P61
#[test]
fn the_planner_is_in_the_registry_and_nowhere_else() {
    let (registry, faults) = built(&[spec("general", tools("g", 1)), spec("planner", vec!["create_agent".into()])]);
    assert_eq!(registry.get("planner").unwrap().tool_names, [EMIT_PLAN]);
    assert_eq!((registry.runs("planner"), registry.top_level_ids()), (false, &["general".to_owned()][..]));
    assert_eq!(faults, ["specialists.planner.id: the planner cannot be replaced; the specialist was left out"]);
}

#[test]
fn what_cannot_be_built_is_said_and_the_rest_is_built() {
    let mut grouped = spec("grouped", tools("g", 2));
    let group =
        |ids: &[&str]| OptionGroup { label: "G".into(), tool_ids: ids.iter().map(|id| (*id).to_owned()).collect() };
    grouped.option_groups = [("one".to_owned(), group(&["g0", "zz"]))].into_iter().collect();
    let mut sharing = spec("sharing", tools("s", 12));
    sharing.shared_tools = tools("s", 10);
    let (registry, faults) = built(&[
        parent("a", &["b", "missing"]),
        parent("b", &["c"]),
        parent("c", &["a", "leaf"]),
        parent("d", &["leaf", "d"]),
        spec("leaf", tools("l", 1)),
        spec("leaf", tools("m", 1)),
        spec("x__part1", tools("x", 1)),
        spec(" ", tools("x", 1)),
        grouped,
        sharing,
    ]);
    assert_eq!(
        faults,
        [
            "specialists.leaf.id: the id is taken; the later specialist was left out",
            "specialists.x__part1.id: an id is not empty and holds no \"__\"; the specialist was left out",
            "specialists. .id: an id is not empty and holds no \"__\"; the specialist was left out",
            "specialists.a.children: there is no specialist \"missing\"; it was left out",
            "specialists.c.children: \"a\" is above itself; this child was left out",
            "specialists.d.children: \"leaf\" is a child of \"c\" already; it stays there",
            "specialists.d.children: \"d\" is above itself; this child was left out",
            "specialists.d.toolNames: it has neither tools nor anybody below it; the specialist was left out",
            "specialists.grouped.optionGroups: \"one\" names \"zz\", which is none of its tools",
            "specialists.sharing.sharedTools: so many shared tools leave no room for others; they are split like those",
        ]
    );
    assert_eq!(registry.top_level_ids(), ["a", "grouped", "sharing"]);
    assert_eq!(leaves(&registry, "a"), [("leaf".to_owned(), 1)]);
    assert_eq!(leaves(&registry, "sharing"), [("sharing__part1".to_owned(), 10), ("sharing__part2".to_owned(), 2)]);
    assert_eq!(registry.get("grouped").unwrap().option_groups["one"], group(&["g0"]));
    assert_eq!((registry.get("toString"), registry.runs("constructor")), (None, false));
}

// covers: H47 H58
#[test]
fn who_has_neither_tools_nor_anybody_below_is_said_and_is_no_leaf() {
    let said = |id: &str| {
        format!("specialists.{id}.toolNames: it has neither tools nor anybody below it; the specialist was left out")
    };
    let (registry, faults) = built(&[
        parent("top", &["middle", "other"]),
        parent("middle", &["bottom"]),
        spec("bottom", vec![]),
        spec("other", tools("o", 1)),
        SpecialistSpec { shared_tools: tools("s", 1), ..spec("sharing", vec![]) },
    ]);
    assert_eq!(faults, [said("middle"), said("bottom")]);
    assert_eq!(registry.top_level_ids(), ["top", "sharing"]);
    assert_eq!(registry.children_of(Some("top")), ["other"]);
    assert!(registry.specialists().all(|entry| entry.is_leaf() || entry.is_delegator()));
    assert!(!registry.runs("bottom") && !registry.runs("middle"));
    // As long a chain as a file can hold is no work.
    let chain: Vec<SpecialistSpec> =
        (0..5_000).rev().map(|n| parent(&format!("n{n}"), &[&format!("n{}", n + 1)])).collect();
    assert_eq!(built(&chain).0.top_level_ids(), [""; 0]);
}

#[test]
fn what_a_search_cannot_reach_is_said() {
    let chain: Vec<SpecialistSpec> = (0..8)
        .map(|n| if n == 7 { spec("n7", tools("t", 1)) } else { parent(&format!("n{n}"), &[&format!("n{}", n + 1)]) })
        .collect();
    assert_eq!(built(&chain).1, ["specialists.n6: this is more than 5 levels down; a search does not reach it"]);
}

// covers: H11
#[test]
fn option_groups_stay_on_the_specialist_that_is_chosen_from() {
    let mut agent = spec("agent", tools("a", 12));
    let group = OptionGroup { label: "Create".into(), tool_ids: vec!["a0".into(), "a11".into()] };
    agent.option_groups = [("create".to_owned(), group.clone())].into_iter().collect();
    let registry = sound(&[agent]);
    assert_eq!(registry.get("agent").unwrap().option_groups["create"], group);
}

#[test]
fn tools_of_one_intent_stay_together_when_a_specialist_is_split() {
    let group = |label: &str, ids: Vec<String>| OptionGroup { label: label.into(), tool_ids: ids };
    let mut mail = spec("mail", [tools("r", 4), tools("w", 5), tools("x", 3)].concat());
    mail.option_groups = [
        ("read".to_owned(), group("Read", vec!["r0".into(), "x0".into(), "r2".into()])),
        ("write".to_owned(), group("Write", tools("w", 5))),
        ("rest".to_owned(), group("Clean up", vec!["r0".into(), "r3".into(), "x1".into(), "r1".into()])),
    ]
    .into_iter()
    .collect();
    let registry = sound(&[mail]);
    let parts: Vec<(&str, String)> =
        registry.leaves_below("mail").map(|leaf| (leaf.description.as_str(), leaf.tool_names.join(" "))).collect();
    assert_eq!(
        parts,
        [
            ("does mail: Read, Write (part 1)", "r0 r2 x0 w0 w1 w2 w3 w4".to_owned()),
            ("does mail: Clean up (part 2)", "r1 r3 x1 x2".to_owned()),
        ]
    );
}

#[test]
fn caps_that_hold_nothing_or_hide_children_are_mended() {
    let caps = Caps { tools: 0, top_level: 90, children: 90, options: 4, depth: 0 };
    let (registry, _) = build(&[spec("big", tools("b", 40))], caps);
    assert_eq!(registry.caps(), Caps { tools: 2, top_level: 4, children: 4, options: 4, depth: 1 });
    for entry in registry.specialists() {
        let node = Some(entry.id.as_str());
        assert_eq!(registry.options_at_node(node, None), registry.children_of(node), "every child is an option");
    }
    assert_eq!(registry.tools_below("big").count(), 40);
}

#[test]
fn tools_that_nobody_has_are_said() {
    let registry = sound(&[spec("general", vec!["ask_user".into(), "gone".into()])]);
    let told = registry.unowned([
        ("ask_user", Owned::BySpecialists),
        ("nobodys", Owned::BySpecialists),
        ("help", Owned::ByAll),
    ]);
    assert_eq!((registry.owner_of("ask_user"), registry.owner_of("nobodys")), (Some("general"), None));
    assert_eq!(
        told.iter().map(Fault::to_string).collect::<Vec<_>>(),
        [
            "tools.nobodys: no specialist has the tool \"nobodys\" (It can be found by a search, and by the single agent.)"
        ]
    );
}

#[test]
fn an_approval_grants_the_tools_of_a_specialist_as_far_as_a_person_reads_them() {
    let registry = sound(&[spec("small", tools("s", 12)), spec("large", tools("l", 41))]);
    let known = registry.known_specialists();
    assert_eq!(known["small"].tools, tools("s", 12));
    assert_eq!(known["large"].tools, Vec::<String>::new());
    assert_eq!(known["large__part5"].tools, ["l40"]);
}

#[test]
fn the_owner_of_a_steps_tools_is_found() {
    let mut big = spec("big", tools("b", 12));
    big.shared_tools = vec!["ask_user".into()];
    let registry = sound(&[big, spec("general", vec!["ask_user".into(), "format".into()])]);
    let owner = |tools: &[&str]| registry.root_for(&tools.iter().map(|tool| (*tool).to_owned()).collect::<Vec<_>>());
    assert_eq!(owner(&["b11"]), Some("big"));
    assert_eq!(registry.leaf_for("big", &["b11".into(), "ask_user".into()]), Some("big__part2"));
    assert_eq!(registry.leaf_for("big", &["ask_user".into()]), None, "both parts have it");
    assert_eq!(
        (owner(&["format", "ask_user"]), owner(&["b0", "b11"]), owner(&[]), owner(&["zz"])),
        (Some("general"), None, None, None)
    );

    // Asking a person is nobody's own: who is told apart by another tool is found by that one.
    let mut asking = sound(&[spec("big", tools("b", 12)), spec("general", vec!["format".into()])]);
    let b11 = ["ask_user".to_owned(), "b11".to_owned()];
    assert_eq!((asking.root_for(&b11), asking.leaf_for("big", &b11)), (None, None));
    asking.give_to_all(["ask_user".to_owned()]);
    assert_eq!((asking.root_for(&b11), asking.leaf_for("big", &b11)), (Some("big"), Some("big__part2")));
    assert_eq!(asking.root_for(&b11[..1]), None, "by it alone nobody is");

    let mut plan: Plan = serde_json::from_value(json!({"format": "assent.plan/1", "id": "p", "version": 1, "sessionId": "c", "steps": [
        {"id": "s1", "description": "x", "requiredTools": ["b3", "grep"]},
        {"id": "s2", "description": "x", "requiredTools": ["b3"]},
        {"id": "s3", "description": "x", "requiredTools": ["grep"]},
        {"id": "s4", "description": "x"},
        {"id": "s5", "description": "x", "stepType": "tool"},
        {"id": "s6", "description": "x", "requiredTools": ["b3"], "executor": {"kind": "specialist", "id": "general"}}
    ]}))
    .unwrap();
    registry.assign_owners(&mut plan, |tool| tool == "grep");
    let executors: Vec<_> = plan.steps.iter().map(|step| (step.executor.kind, step.executor.id.as_str())).collect();
    let alone = (ExecutorKind::Single, "");
    assert_eq!(
        executors,
        [alone, (ExecutorKind::Specialist, "big"), alone, alone, alone, (ExecutorKind::Specialist, "general")]
    );
}

#[test]
fn an_overlay_adds_and_changes_specialists_and_is_told_apart() {
    let base = [spec("general", tools("g", 1)), spec("agent", tools("a", 1))];
    let overlay = |source: &str, specs: Vec<SpecialistSpec>| Overlay { source: source.into(), specialists: specs };
    let merged = merge(
        &base,
        &[
            overlay("mine", vec![spec("agent", tools("x", 12)), spec("new", tools("n", 1))]),
            overlay("yours", vec![spec("new", tools("m", 2)), spec("new", tools("m", 2))]),
        ],
    );
    let registry = sound(&merged.specs);
    assert_eq!(registry.tools_below("agent").count(), 12);
    assert_eq!(
        merged.faults.iter().map(Fault::to_string).collect::<Vec<_>>(),
        [
            "specialists.new: \"new\" comes from \"yours\" now, no longer from \"mine\"",
            "specialists.new: \"new\" stands in \"yours\" twice; the later one counts (Give one of them another id.)",
        ]
    );
    // What is built in may be replaced, and is not in silence.
    assert_eq!(
        merged.notes.iter().map(Fault::to_string).collect::<Vec<_>>(),
        ["specialists.agent: \"agent\" comes from \"mine\" now, no longer from Assent"]
    );
    let snapshot = registry.snapshot(merged.from.keys().cloned().collect());
    assert_eq!(snapshot.overlay_ids, ["agent", "new"]);
    let order: Vec<&str> = snapshot.specialists.iter().map(|entry| entry.id.as_str()).collect();
    assert_eq!(order, ["general", "agent", "agent__part1", "agent__part2", "new", "planner"]);
}

proptest! {
    #[test]
    fn nothing_is_lost_and_every_cap_holds(
        sizes in proptest::collection::vec((0usize..90, 0usize..4, proptest::collection::vec(0usize..12, 0..4)), 1..12),
    ) {
        let specs: Vec<SpecialistSpec> = sizes
            .iter()
            .enumerate()
            .map(|(n, (count, shared, children))| SpecialistSpec {
                shared_tools: tools("shared", *shared),
                children: children.iter().map(|child| format!("s{child}")).collect(),
                ..spec(&format!("s{n}"), tools(&format!("t{n}_"), *count))
            })
            .collect();
        let caps = Caps::default();
        let (registry, faults) = build(&specs, caps);
        let told: Vec<String> = faults.iter().map(Fault::to_string).collect();
        let is_left_out = |id: &str| {
            told.contains(&format!("specialists.{id}.toolNames: it has neither tools nor anybody below it; the specialist was left out"))
        };
        for entry in registry.specialists() {
            prop_assert!(entry.is_leaf() || entry.is_delegator(), "{} can do nothing", entry.id);
            prop_assert!(entry.tool_names.len() <= caps.tools && entry.delegate_targets.len() <= caps.children);
            prop_assert!(!entry.is_leaf() || entry.delegate_targets.is_empty());
            prop_assert!(entry.delegate_targets.iter().all(|child| registry.get(child).unwrap().parent.as_ref() == Some(&entry.id)));
        }
        prop_assert!(registry.top_level_ids().len() <= caps.top_level);
        for spec in &specs {
            prop_assert_eq!(registry.get(&spec.id).is_none(), is_left_out(&spec.id), "{}", spec.id);
            if is_left_out(&spec.id) {
                prop_assert!(spec.tool_names.is_empty() && spec.shared_tools.is_empty());
                continue;
            }
            let below: Vec<&str> = registry.tools_below(&spec.id).collect();
            prop_assert!(spec.tool_names.iter().all(|tool| below.contains(&tool.as_str())));
            for leaf in registry.leaves_below(&spec.id).filter(|leaf| leaf.id.starts_with(&format!("{}__", spec.id))) {
                prop_assert!(spec.shared_tools.iter().all(|tool| leaf.tool_names.contains(tool)));
            }
            let mut above = Some(spec.id.as_str());
            let mut levels = 0;
            while let Some(id) = above {
                above = registry.get(id).unwrap().parent.as_deref();
                levels += 1;
                prop_assert!(levels < 100, "a cycle above {}", spec.id);
            }
        }
    }
}

#[test]
fn a_description_without_an_end_is_told_in_part_and_says_so() {
    let mut loud = spec("loud", tools("l", 12));
    loud.description = "é".repeat(2_001);
    loud.parts = vec![Part { id: "loud_one".into(), description: "w".repeat(3_000), tool_names: vec!["l0".into()] }];
    loud.option_groups = [("g".to_owned(), OptionGroup { label: "x".repeat(90), tool_ids: vec!["l1".into()] })].into();
    let (registry, faults) = built(&[loud]);
    let cut = |text: &str, more: usize| format!("{}… (cut here, {more} more characters)", text.repeat(2_000));
    assert_eq!(registry.get("loud").unwrap().description, cut("é", 1));
    let parts: Vec<&str> = registry.leaves_below("loud").map(|leaf| leaf.description.as_str()).collect();
    assert_eq!(parts[0], format!("{} (part 1)", cut("w", 1_000)));
    assert_eq!(parts[1], format!("{}: {}… (part 2)", cut("é", 1), "x".repeat(60)));
    let counts = [2_001, 3_000].map(|count| {
        format!(
            "specialists.loud.description: the description has {count} characters, of which the first 2000 are told"
        )
    });
    assert_eq!(faults, counts);
    let whole = SpecialistSpec { description: "é".repeat(2_000), ..spec("whole", tools("w", 1)) };
    assert_eq!(sound(std::slice::from_ref(&whole)).get("whole").unwrap().description, whole.description);
}

#[test]
fn an_id_that_fits_on_no_line_of_a_list_is_left_out() {
    let (registry, faults) = built(&[spec(&"x".repeat(101), tools("a", 1)), spec("a\nb", tools("b", 1))]);
    assert_eq!((ids(&registry), faults.len()), (vec!["planner"], 2));
    assert!(
        faults.iter().all(|fault| fault.contains("an id has at most 100 characters") && fault.len() < 300),
        "{faults:?}"
    );
    let mut mail = spec("mail", tools("m", 11));
    mail.parts =
        vec![Part { id: format!("mail_{}", "x".repeat(100)), description: String::new(), tool_names: tools("m", 3) }];
    let (registry, faults) = built(&[mail]);
    assert!(registry.get("mail__part1").is_some() && faults[0].contains("a part cannot be called"), "{faults:?}");
}
