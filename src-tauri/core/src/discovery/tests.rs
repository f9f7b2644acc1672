//! Discovery through its public door.

use std::collections::HashMap;
use std::sync::Arc;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::contract::{Risk, Source, ToolSpec};

fn tool(name: &str, description: &str, parameters: Value) -> ToolSpec {
    ToolSpec::new(name, description, parameters, Source::Core, Risk::Read)
}

fn plain(name: &str, description: &str) -> ToolSpec {
    tool(name, description, json!({"type": "object", "properties": {}}))
}

fn of_server(name: &str, description: &str, risk: Risk) -> ToolSpec {
    ToolSpec { source: Source::Mcp, risk, ..plain(name, description) }
}

fn some() -> Vec<ToolSpec> {
    vec![
        plain("read", "Reads the contents of one file."),
        plain("createFile", "Writes a new file with the given contents."),
        of_server("mcp.github.create_pr", "Opens a pull request. Wants a branch.", Risk::Network),
        of_server("mcp.git.git_log", "Shows the commits of a repository, newest first.", Risk::Read),
        of_server("mcp.git.git_drop", "Drops a stash.", Risk::Destructive),
        plain("send_mail", "Sends a message to a recipient."),
        plain("grep", "Searches files for lines that match a pattern."),
        plain("tool_search", "Search for available tools by describing what you want to do."),
        plain("tool_explain", "Get the full schema for a specific tool before calling it. Use after tool_search."),
    ]
}

fn find(tools: &Tools, text: &str, limit: usize) -> Found {
    tools.find(&Query { text, limit, filter: &Filter::default() }, |_| Standing::default())
}

fn names(tools: &Tools, text: &str, limit: usize) -> Vec<String> {
    find(tools, text, limit).tools.into_iter().map(|tool| tool.name).collect()
}

fn first(tools: &Tools, text: &str) -> String {
    names(tools, text, 1).pop().unwrap_or_default()
}

fn empty(tools: &Tools, text: &str, limit: usize, filter: &Filter) -> Option<Nothing> {
    let found = tools.find(&Query { text, limit, filter }, |_| Standing::default());
    assert_eq!(found.tools.is_empty(), found.nothing.is_some(), "nothing is said where nothing was found");
    found.nothing
}

// covers: L10
#[test]
fn what_fits_comes_first_with_what_has_to_be_known_of_it() {
    let tools = Tools::of(&some());
    let standing = |name: &str| Standing { owner: Some(format!("has {name}")), callable: name == "grep" };
    let query = Query { text: "open a pull request on github", limit: 1, filter: &Filter::default() };
    let [found] = tools.find(&query, standing).tools.try_into().unwrap();
    assert_eq!(
        serde_json::to_value(ToolMatch { score: 0.5, ..found }).unwrap(),
        json!({"name": "mcp.github.create_pr", "summary": "Opens a pull request.", "source": "mcp",
            "server": "github", "owner": "has mcp.github.create_pr", "risk": "network", "callable": false,
            "exact": false, "score": 0.5})
    );
    assert_eq!(first(&tools, "look for a pattern in all files"), "grep", "by other words: look for, search");
    assert_eq!(first(&tools, "show me the newest commit"), "mcp.git.git_log");
}

// covers: L10 L55
#[test]
fn an_exact_name_comes_first_with_and_without_its_server_and_is_there_once() {
    let mut tools = Tools::of(&some());
    tools.add(&some()[3]);
    assert_eq!(tools.len(), some().len());
    for text in ["mcp.git.git_log", "GIT_LOG", "read a file, then run `git_log`, please"] {
        let found = find(&tools, text, 9).tools;
        assert_eq!((found[0].name.as_str(), found[0].exact), ("mcp.git.git_log", true), "{text}");
        assert!(found[1..].iter().all(|tool| !tool.exact && tool.name != found[0].name), "{text}");
    }
    assert_eq!(first(&tools, "read"), "read");
    assert!(!find(&tools, "read the files", 1).tools[0].exact, "an ordinary word in a sentence names nothing");
}

// covers: L10
#[test]
fn the_tools_about_tools_are_found_and_so_is_read() {
    let tools = Tools::of(&some());
    assert_eq!(first(&tools, "is there something to search for other tools?"), "tool_search");
    assert_eq!(first(&tools, "how is a tool called, what is its schema"), "tool_explain");
    assert_eq!(first(&tools, "what does notes.txt contain? read it"), "read");
}

#[test]
fn each_part_of_a_request_gets_its_tool() {
    let tools = Tools::of(&some());
    let text =
        "Show me the newest commits of the repository. Then send a message to Ann. Finally read the file plan.md";
    let mut found = names(&tools, text, 3);
    found.sort();
    assert_eq!(found, ["mcp.git.git_log", "read", "send_mail"]);
}

#[test]
fn a_tool_is_found_by_its_parameters_their_texts_and_their_values() {
    let parameters = json!({"type": "object", "properties": {
        "series": {"type": "array", "items": {"type": "object", "properties": {
            "axisLabel": {"type": "string", "description": "What stands at the abscissa."}}}},
        "shape": {"type": "string", "enum": ["histogram", "scatter"]}}});
    let tools = Tools::of(&[tool("plot", "Draws.", parameters), plain("other", "Does something else.")]);
    for text in ["series", "label of an axis", "abscissa", "a histogram of this"] {
        assert_eq!(first(&tools, text), "plot", "{text}");
    }
}

#[test]
fn values_in_the_request_tell_twins_apart() {
    let taking = |name: &str, parameter: &str| {
        tool(name, "Tells the weather.", json!({"properties": {parameter: {"type": "string"}}}))
    };
    let tools = Tools::of(&[taking("weather_a", "station"), taking("weather_b", "date")]);
    assert_eq!(first(&tools, "how is the weather on Friday"), "weather_b");
    let wanting = |name: &str, required: Value| {
        let number = json!({"type": "number"});
        tool(name, "Computes the area.", json!({"properties": {"a": number, "b": number}, "required": required}))
    };
    let tools = Tools::of(&[wanting("area_a", json!(["a", "b"])), wanting("area_b", json!(["a"]))]);
    assert_eq!(first(&tools, "compute the area for 5"), "area_b", "the other one wants two numbers");
}

#[test]
fn a_filter_leaves_out_before_the_limit() {
    let tools = Tools::of(&some());
    let found = |filter: &Filter| {
        let found = tools.find(&Query { text: "git files message", limit: 20, filter }, |_| Standing::default());
        let mut names: Vec<String> = found.tools.into_iter().map(|tool| tool.name).collect();
        names.sort();
        names
    };
    let git = ["mcp.git.git_drop", "mcp.git.git_log"];
    assert_eq!(found(&Filter { servers: vec!["git".into()], ..Filter::default() }), git);
    assert_eq!(found(&Filter { risks: vec![Risk::Destructive], ..Filter::default() }), git[..1]);
    let without = vec!["grep".to_owned(), "read".to_owned()];
    let left = found(&Filter { sources: vec![Source::Core], without, ..Filter::default() });
    assert_eq!(left, ["createFile", "send_mail"]);
    let without = vec!["read".to_owned()];
    let why = empty(&tools, "read", 1, &Filter { without, ..Filter::default() });
    assert_eq!(why, Some(Nothing::LeftOut { left_out: 1 }), "a name that is left out is not found by being named");
}

#[test]
fn an_empty_result_says_why() {
    let tools = Tools::of(&some());
    let all = Filter::default();
    assert_eq!(empty(&Tools::default(), "file", 5, &all), Some(Nothing::NoTools));
    assert_eq!(empty(&tools, "", 5, &all), Some(Nothing::NothingAsked));
    assert_eq!(empty(&tools, "please, the of and …", 5, &all), Some(Nothing::NothingAsked));
    assert_eq!(empty(&tools, "file", 0, &all), Some(Nothing::NoneWanted));
    assert_eq!(empty(&tools, "quantum entanglement", 5, &all), Some(Nothing::NoneFits { tools: 9 }));
    let elsewhere = Filter { servers: vec!["jira".into()], ..Filter::default() };
    let why = empty(&tools, "commits", 5, &elsewhere);
    assert_eq!(why, Some(Nothing::LeftOut { left_out: 1 }));
    assert_eq!(why.unwrap().to_string(), "1 tools would fit, but the filter leaves them out.");
}

#[test]
fn past_runs_teach_and_are_forgotten() {
    let mut tools = Tools::of(&some());
    let text = "what happened in the project lately";
    assert_eq!(names(&tools, text, 1), Vec::<String>::new());
    tools.learned.teach("What happened in the project lately?", "mcp.git.git_log", 3);
    tools.learned.teach("What happened in the project lately?", "grep", 1);
    tools.learned.teach("", "grep", 1);
    tools.learned.teach("the of", "grep", 1);
    tools.learned.teach("send a message", "gone", u32::MAX);
    assert_eq!(names(&tools, text, 5), ["mcp.git.git_log", "grep"]);
    assert_eq!(first(&tools, "send a message"), "send_mail", "a tool that is gone is not found");
    assert!(!names(&tools, "the project", 5).contains(&"grep".to_owned()), "one shared word of four is too little");
    tools.learned.forget("mcp.git.git_log");
    assert_eq!(names(&tools, text, 5), ["grep"]);
    tools.remove("grep");
    assert_eq!(names(&tools, text, 5), Vec::<String>::new());
}

#[test]
fn only_so_much_is_remembered() {
    let mut learned = Learned::default();
    for at in 0..2_100 {
        learned.teach(&format!("word{at}"), "t", 1);
    }
    // Letters and digits are cut apart, so an intent is its number and the word that all share.
    assert_eq!(learned.nearness("word2099"), HashMap::from([("t".to_owned(), 1.0)]));
    // What is asked for again and again stays, however long ago it was first asked for.
    learned.teach("word100", "t", 1);
    learned.teach("unique", "u", 1);
    assert!(!learned.nearness("word100").is_empty() && learned.nearness("word101").is_empty());
    assert_eq!(learned.nearness("unique")["u"], 1.0);
}

#[test]
fn a_score_is_what_its_reasons_add() {
    let tools = Tools::of(&some());
    for found in find(&tools, "search the files for 5 lines, then send mail on Friday", 9).tools {
        let sum: f32 = found.reasons.iter().map(|(_, _, adds)| adds).sum();
        assert_eq!(found.score, sum, "{}", found.name);
        assert!(found.reasons.iter().all(|(_, value, _)| (0.0..=1.0).contains(&value)), "{:?}", found.reasons);
    }
}

#[test]
fn hostile_tools_and_requests_are_bounded() {
    let mut deep = json!({"type": "object"});
    for at in 0..100 {
        deep = json!({"type": "object", "properties": {format!("level{at}"): deep}, "required": ["x", 5, null]});
    }
    let wide: serde_json::Map<String, Value> =
        (0..5_000).map(|at| (format!("p{at}"), json!({"enum": ["v".repeat(5_000)]}))).collect();
    let mut tools = Tools::of(&some());
    tools.add(&tool("deep", &"spam mail ".repeat(20_000), deep));
    tools.add(&tool("wide", &"\u{202e}\0\u{7}\n".repeat(50_000), json!({"properties": wide, "required": "all"})));
    tools.add(&tool("", "", Value::Null));
    tools.add(&tool("...", "\u{feff}", json!({"properties": [1], "items": {"items": 3}})));
    tools.add(&tool(&"n".repeat(100_000), "A long name.", json!(7)));
    assert_eq!(tools.len(), some().len() + 5);
    assert_eq!(first(&tools, "spam"), "deep");
    assert_eq!(first(&tools, "send mail"), "send_mail", "a text that repeats a word does not win by it");
    let told = find(&tools, "spam", 1).tools.remove(0).summary;
    assert!(told.chars().count() <= 200 && told.ends_with('…'), "{told}");
    tools.add(&plain("turned", "Feeds\u{1b}[31m the\u{202e} lemurs\u{2066}\u{200b}of\u{e0041} Berlin"));
    let told = find(&tools, "lemurs", 1).tools.remove(0).summary;
    assert_eq!(told, "Feeds [31m the lemurs of Berlin", "what is not seen is no part of a line");
    for text in ["\0", "....", "é\u{301}\u{202e}", &"mail and find ".repeat(50_000), &"x".repeat(1 << 20)] {
        find(&tools, text, usize::MAX);
    }
    assert!(tools.remove("") && !tools.remove(""));
}

fn words() -> impl Strategy<Value = String> {
    "[a-d]{1,2}(( |_|\\. )[a-d]{1,2}){0,5}"
}

proptest! {
    #[test]
    fn neither_order_nor_what_was_there_before_matters(
        texts in prop::collection::vec((words(), words()), 1..12),
        removed in prop::collection::vec(any::<prop::sample::Index>(), 0..6),
        request in words(),
    ) {
        let all: Vec<ToolSpec> =
            texts.iter().enumerate().map(|(at, (name, text))| plain(&format!("{name}_{at}"), text)).collect();
        let gone: Vec<usize> = removed.iter().map(|at| at.index(all.len())).collect();
        let mut tools = Tools::of(all.iter().rev());
        for at in &gone {
            tools.remove(&all[*at].name);
        }
        tools.add(&ToolSpec { description: "a b c d".to_owned(), ..all[0].clone() });
        tools.add(&all[0]);
        let kept: Vec<ToolSpec> =
            all.iter().enumerate().filter(|(at, _)| *at == 0 || !gone.contains(at)).map(|(_, one)| one.clone()).collect();
        prop_assert_eq!(find(&tools, &request, 20), find(&Tools::of(&kept), &request, 20));
    }

    #[test]
    fn nothing_panics_and_limits_hold(name in any::<String>(), text in any::<String>(), request in any::<String>()) {
        let tools = Tools::of(&[plain(&name, &text), plain("b", &request)]);
        let found = find(&tools, &request, 1);
        prop_assert!(found.tools.len() <= 1);
        prop_assert!(found.tools.iter().all(|tool| tool.score.is_finite()));
    }

    #[test]
    fn a_tool_is_found_by_its_own_name(at in 0..9_usize) {
        let tools = Tools::of(&some());
        prop_assert_eq!(&first(&tools, &some()[at].name), &some()[at].name);
    }
}

fn alike<'a>(values: impl IntoIterator<Item = (&'a str, f32)>) -> Likeness {
    let (ids, cosines): (Vec<Arc<str>>, Vec<f32>) = values.into_iter().map(|(id, one)| (id.into(), one)).unzip();
    Likeness::of(Arc::new(ids.into_iter().collect()), cosines)
}

#[test]
fn what_is_alike_in_meaning_is_found_without_a_common_word_and_what_hardly_is_not() {
    let tools = Tools::of(&some());
    let found = |likeness: f32, filter: &Filter| {
        let alike = alike([("of nobody", 1.0), ("send_mail", likeness)]);
        let query = Query { text: "zählwerk ablesen", limit: 9, filter };
        tools.find_alike(&query, &alike, |_| Standing::default()).tools
    };
    let [mail] = found(0.5, &Filter::default()).try_into().unwrap();
    let meaning = mail.reasons.iter().find(|(reason, ..)| *reason == Reason::Meaning);
    assert_eq!((mail.name.as_str(), meaning.map(|(_, value, _)| value)), ("send_mail", Some(0.5)));
    for hardly in [0.3, 0.0, -1.0, f32::NAN, f32::INFINITY] {
        assert!(found(hardly, &Filter::default()).is_empty(), "{hardly}");
    }
    let without = Filter { without: vec!["send_mail".to_owned()], ..Filter::default() };
    assert!(found(0.9, &without).is_empty());
    let all = some();
    let all = alike(all.iter().map(|tool| (tool.name.as_str(), 0.9)));
    let nothing = Query { text: "the of", limit: 9, filter: &Filter::default() };
    let said = tools.find_alike(&nothing, &all, |_| Standing::default());
    assert_eq!((said.nothing, said.by_meaning), (Some(Nothing::NothingAsked), false));
}

#[test]
fn meaning_adds_to_words_and_without_it_nothing_changes() {
    let tools = Tools::of(&some());
    let filter = Filter::default();
    let query = Query { text: "search the files for a message", limit: 9, filter: &filter };
    let plain = tools.find(&query, |_| Standing::default());
    assert_eq!(tools.find_alike(&query, &Likeness::default(), |_| Standing::default()), plain);
    let alike = alike([("send_mail", 0.95)]);
    let mail = |found: &Found| found.tools.iter().find(|tool| tool.name == "send_mail").map(|tool| tool.score);
    let with = tools.find_alike(&query, &alike, |_| Standing::default());
    assert!(mail(&with).unwrap() > mail(&plain).unwrap_or(0.0) + 0.5, "{with:?}");
    assert_eq!([plain.by_meaning, with.by_meaning], [false, true], "each says how it was compared");
}
