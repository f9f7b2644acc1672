//! The pack of crawls, from adding it to a plan by which another program finds the articles of a site.

use std::sync::Arc;

use assent_core::discovery::{Filter, Query};
use assent_core::ids::SessionId;
use assent_core::plan::import;
use assent_core::run::{Answer, Decider, EventKind, Purpose, Reach, RequestKind, StepStatus};
use assent_crawl::address::{self, key};
use assent_crawl::fetch::{Fetcher, Pages as _, Rules, SystemClock};
use assent_crawl::follow::{Bounds, follow};
use assent_crawl::html::Dom;
use assent_crawl::measure::Property;
use assent_crawl::plan::read;
use assent_engine::executor::BY_PHASES;
use assent_engine::heap::shipped::{AddError, Standing};
use assent_engine::model::ModelProfile;
use assent_engine::model::PlannerProfile;
use assent_engine::model::scripted::{Scripted, ScriptedModel};
use assent_engine::turn::TurnEnd;
use assent_site::{Answer as Page, Section, Site, articles, folder, made};
use assent_tests::desk::Desk;
use assent_tests::wire::Wire;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

const TASK: &str = "All articles of the paper";

async fn desk() -> (Desk, SessionId) {
    desk_of(PlannerProfile::Full, &[]).await
}

async fn desk_of(planner: PlannerProfile, files: &[(&str, &str)]) -> (Desk, SessionId) {
    let profile =
        ModelProfile { id: "scripted/test".to_owned(), context_tokens: 65_536, planner, parallel: 4, local: false };
    let desk = Desk::on(ScriptedModel::new(profile), files);
    desk.engine.heap().add_pack("crawl").unwrap();
    desk.engine.tools().sources().unwrap();
    let faults = desk.engine.heap().show().faults;
    assert!(faults.is_empty(), "{faults:?}");
    let session = desk.session().await;
    (desk, session)
}

/// One step, done by the pack, as a planner would give it out.
async fn carry_out(desk: &Desk, session: &SessionId, site: &str) -> TurnEnd {
    asked(desk, session, site, &format!("Make a crawl plan of {site} for me.")).await
}

async fn asked(desk: &Desk, session: &SessionId, site: &str, message: &str) -> TurnEnd {
    let document = json!({"format": "assent.plan/1", "id": "p", "version": 1, "sessionId": session.as_str(),
        "title": "A crawl plan", "userMessage": message,
        "defaults": {"toolValidationMode": "strict"},
        "steps": [{"id": "s1", "description": format!("Make the crawl plan of {site}"), "stepType": "tool",
            "requiredTools": ["run_crawl"], "executor": {"kind": "specialist", "id": "crawl"}}]});
    let plan = desk.engine.plans().import(import(&document.to_string()).unwrap(), session).await.unwrap();
    desk.engine.turns().approve(&plan, Decider::User, None, &CancellationToken::new()).await.unwrap()
}

/// What a strong model calls and says until the plan is to be written: what no phase has settled.
fn four_phases(desk: &Desk, site: &Site) {
    let lists = Section::ALL.map(|section| site.url(section.path()));
    let of = |section| articles().into_iter().find(|one| one.section == section).unwrap();
    let shown: Vec<String> = Section::ALL.map(of).iter().map(|article| site.url(&article.path)).collect();
    desk.calls("run_crawl", json!({"task": TASK, "target_url": site.url("/")}));
    let listings: Vec<Value> = lists.iter().map(|url| json!({"url": url})).collect();
    desk.says(&json!({"summary": "Five lists", "listings": listings, "article_urls": shown}).to_string());
    desk.calls("crawl_measure", json!({"urls": shown, "selectors": {"title": ["h1", "h9"]}}));
    let rates = json!({"title": [{"selector": "h1", "success_rate": 1.0}]});
    desk.says(&json!({"summary": "All properties", "pages": 5, "selectors": rates}).to_string());
    let looked = json!({"summary": "All can be read", "requires_browser": false, "pages": 10, "readable": 10});
    desk.says(&looked.to_string());
    desk.says(&json!({"summary": "They hold", "sample_urls": shown, "success_rates": {"title": 1.0}}).to_string());
}

/// The same of several sites, each in a step of its own.
async fn carry_out_all(desk: &Desk, session: &SessionId, sites: &[String]) -> TurnEnd {
    let step = |(number, site): (usize, &String)| {
        json!({"id": format!("s{number}"), "description": format!("Make the crawl plan of {site}"), "stepType": "tool",
            "requiredTools": ["run_crawl"], "executor": {"kind": "specialist", "id": "crawl"}})
    };
    let steps: Vec<Value> = sites.iter().enumerate().map(step).collect();
    let document = json!({"format": "assent.plan/1", "id": "p", "version": 1, "sessionId": session.as_str(),
        "title": "Crawl plans", "userMessage": format!("Make crawl plans of {} for me.", sites.join(" and ")),
        "defaults": {"toolValidationMode": "strict"}, "steps": steps});
    let plan = desk.engine.plans().import(import(&document.to_string()).unwrap(), session).await.unwrap();
    desk.engine.turns().approve(&plan, Decider::User, None, &CancellationToken::new()).await.unwrap()
}

/// What agents have called, in its order, with whether a model asked for it.
fn called(desk: &Desk, session: &SessionId) -> Vec<(String, bool)> {
    let events = desk.events(session).into_iter();
    let calls = events.filter_map(|event| match event.kind {
        EventKind::ModelReplied { model, calls, .. } => Some((model, calls)),
        _ => None,
    });
    let named = calls.flat_map(|(model, calls)| calls.into_iter().map(move |call| (call.tool, model != BY_PHASES)));
    named.collect()
}

/// The articles that a crawler finds which follows nothing but the plan in the workspace, and those that there are.
async fn followed(desk: &Desk, site: &Site) -> (Vec<String>, Vec<String>) {
    let found = found_by(desk).await;
    let mut wanted: Vec<String> =
        articles().iter().map(|article| key(&site.url(&article.path).parse().unwrap())).collect();
    wanted.sort();
    (found, wanted)
}

/// What a crawler finds which follows nothing but the plan in the workspace.
async fn found_by(desk: &Desk) -> Vec<String> {
    let plan = std::fs::read_to_string(desk.workspace.join("crawl/plan.md")).unwrap();
    let fetcher = Fetcher::new(address::Reach::new(["127.0.0.1"]), Rules::default(), Arc::new(SystemClock::default()));
    let followed = follow(&read(&plan).unwrap(), &fetcher.unwrap(), Bounds::default()).await;
    let mut found: Vec<String> = followed.articles.keys().cloned().collect();
    found.sort();
    found
}

fn statuses(desk: &Desk, session: &SessionId) -> Vec<(String, StepStatus)> {
    let events = desk.events(session).into_iter();
    let ended = events.filter_map(|event| match event.kind {
        EventKind::StepEnded { status, .. } => Some((event.place.step?.to_string(), status)),
        _ => None,
    });
    ended.collect()
}

/// Says yes to the one thing that is asked: where the plan is written.
async fn lets_it_write(desk: &Desk, end: TurnEnd) -> TurnEnd {
    assert!(matches!(end, TurnEnd::Waiting { .. }), "{end:?}");
    let open = desk.engine.requests().open().unwrap();
    assert_eq!((open.len(), open[0].request.kind), (1, RequestKind::Permit));
    assert_eq!(open[0].request.tool.as_deref(), Some("crawl_plan"));
    assert!(!desk.workspace.join("crawl/plan.md").exists());
    let yes = Answer::Approve { arguments: None, note: None, reach: Reach::Once };
    desk.engine.turns().answer(&open[0].request.id, yes, &CancellationToken::new()).await.unwrap()
}

#[tokio::test]
async fn five_agents_make_a_plan_by_which_a_crawler_finds_every_article() {
    let site = Site::serve(made::answer).await;
    let (desk, session) = desk().await;
    four_phases(&desk, &site);
    desk.says(
        &json!({"plan_file_path": "crawl/plan.md", "status": "complete", "agent_response_content": "Five lists."})
            .to_string(),
    );
    desk.says("The plan is in crawl/plan.md.");
    let end = carry_out(&desk, &session, &site.url("/")).await;
    let end = lets_it_write(&desk, end).await;
    assert!(matches!(end, TurnEnd::Answered { .. }), "{end:?} {:?}", statuses(&desk, &session));

    // The phases, one after the other, each below the one that has them done.
    let done = |id: &str| (id.to_owned(), StepStatus::Completed);
    let phases = ["s1/1/1", "s1/1/2", "s1/1/3", "s1/1/4", "s1/1/5", "s1/1", "s1"];
    assert_eq!(statuses(&desk, &session), phases.map(done));
    // What all four have found is put before the one that writes.
    let requests = desk.model.requests();
    let told = |request: &assent_engine::model::Request| serde_json::to_string(&request.messages).unwrap();
    let generator = requests.iter().map(told).find(|told| told.contains("# Collected Information for")).unwrap();
    for agent in ["discovery_agent", "selector_agent", "accessibility_agent", "data_prep_agent"] {
        assert!(generator.contains(&format!("## From {agent}")), "{agent}");
    }

    let text = |name: &str| std::fs::read_to_string(desk.workspace.join("crawl").join(name)).unwrap();
    assert_eq!(text("plan.md").lines().filter(|line| line.starts_with("## ")).count(), 10);
    assert!(text("test.md").len() > 100 && text("test_set.jsonl").lines().count() >= 20);
    let (found, wanted) = followed(&desk, &site).await;
    assert_eq!(found, wanted);
    for event in desk.events(&session).iter().filter(|event| matches!(event.kind, EventKind::ModelReplied { .. })) {
        desk.engine.runs().sent(&session, event.seq).unwrap();
    }
}

#[tokio::test]
async fn a_small_model_has_a_whole_plan_made_and_is_asked_for_nothing_that_code_can_say() {
    let site = Site::serve(made::answer).await;
    let (desk, session) = desk_of(PlannerProfile::Compact, &[]).await;
    // As the starter model begins. The name of a value is no task: that of the step stands in its place.
    desk.calls("run_crawl", json!({"task": "target_url", "target_url": site.url("/")}));
    desk.says("The plan is in crawl/plan.md.");
    let end = carry_out(&desk, &session, &site.url("/")).await;
    let end = lets_it_write(&desk, end).await;
    assert!(matches!(end, TurnEnd::Answered { .. }), "{end:?} {:?}", statuses(&desk, &session));
    let by_phases = |tool: &str| (tool.to_owned(), false);
    let expected = [
        "run_discovery_agent",
        "crawl_discover",
        "run_selector_agent",
        "crawl_measure",
        "run_accessibility_agent",
        "crawl_fetch",
        "run_data_prep_agent",
        "crawl_measure",
        "run_plan_generator_agent",
        "crawl_plan",
    ];
    let mut all = vec![("run_crawl".to_owned(), true)];
    all.extend(expected.map(by_phases));
    assert_eq!(called(&desk, &session), all);
    let results: Vec<Value> = results(&desk, &session);
    let said = |at: usize| results[at]["summary"].as_str().unwrap_or_default();
    assert!(said(0).starts_with("5 lists of articles were found: http://"), "{}", results[0]);
    assert_eq!(results[0]["listings"].as_array().map(Vec::len), Some(5));
    // Also the pages that discovery could not read were looked at.
    let counts = ["requires_browser", "pages", "readable", "needs_login", "forbidden_by_robots"];
    assert_eq!(json!(counts.map(|name| &results[2][name])), json!([true, 20, 16, 1, 1]));
    let barred = ["/private/", "/members/", "/app/", "/blank"].map(|path| site.url(path));
    assert_eq!(results[2]["unreadable"], json!(barred), "{}", results[2]);
    assert_eq!((&results[5]["plan_file_path"], &results[5]["status"]), (&json!("crawl/plan.md"), &json!("complete")));
    assert!(said(5).contains("A crawler that follows it found"), "{}", results[5]);
    let plan = std::fs::read_to_string(desk.workspace.join("crawl/plan.md")).unwrap();
    assert!(plan.contains(&format!("Make the crawl plan of {}", site.url("/"))), "{plan}");
    let (found, wanted) = followed(&desk, &site).await;
    assert_eq!(found, wanted);
}

#[tokio::test]
async fn what_the_tools_measured_is_so_whatever_a_model_says_of_it() {
    let of = |section, number| articles().into_iter().filter(|one| one.section == section).nth(number).unwrap().path;
    let (members, app) = (of(Section::News, 1), of(Section::Blog, 1));
    let site = Site::serve(move |asked| match asked {
        asked if asked == members => made::answer("/members/"),
        asked if asked == app => made::answer("/app/"),
        _ => made::answer(asked),
    });
    let site = site.await;
    let (desk, session) = desk().await;
    desk.calls("run_crawl", json!({"task": TASK, "target_url": site.url("/")}));
    let invented = site.url("/invented/");
    desk.says(&json!({"summary": "One.", "listings": [{"url": invented}], "article_urls": [invented]}).to_string());
    let rates = json!({"title": [{"selector": "h9", "success_rate": 1.0}]});
    desk.says(&json!({"summary": "All of it.", "pages": 900, "selectors": rates}).to_string());
    // It looks at one of the pages as well, which takes nothing back of what was counted.
    desk.calls("crawl_fetch", json!({"urls": [site.url("/news/")]}));
    let looked = json!({"summary": "All can be read.", "requires_browser": false, "pages": 900, "readable": 900,
        "needs_login": 0});
    desk.says(&looked.to_string());
    let held = json!({"summary": "They hold.", "sample_urls": [invented, invented], "success_rates": {"title": 0.01}});
    desk.says(&held.to_string());
    let wrote = json!({"plan_file_path": "other/plan.md", "status": "complete", "agent_response_content": "Done."});
    desk.says(&wrote.to_string());
    desk.says("The plan is written.");
    let end = carry_out(&desk, &session, &site.url("/")).await;
    let end = lets_it_write(&desk, end).await;
    assert!(matches!(end, TurnEnd::Answered { .. }), "{end:?} {:?}", statuses(&desk, &session));

    let results = results(&desk, &session);
    let said: Vec<&Value> = results.iter().take(4).map(|one| &one["summary"]).collect();
    assert_eq!(json!(said), json!(["One.", "All of it.", "All can be read.", "They hold."]), "its words are its own");
    assert_eq!(results[0]["listings"].as_array().map(Vec::len), Some(5), "{}", results[0]);
    assert!(!results[0].to_string().contains("invented"), "{}", results[0]);
    let titles = results[1]["selectors"]["title"].as_array().unwrap();
    assert!(results[1]["pages"] == 13 && titles.iter().all(|one| one["selector"] != "h9"), "{}", results[1]);
    let counts = ["requires_browser", "pages", "readable", "needs_login", "forbidden_by_robots"];
    let counts = counts.map(|name| &results[2][name]);
    // The two articles, and the four pages that discovery could not read.
    assert_eq!(json!(counts), json!([true, 20, 14, 2, 1]));
    assert!(!results[3].to_string().contains("invented"), "{}", results[3]);
    assert_ne!(results[3]["success_rates"]["title"], json!(0.01));
    assert_eq!(results[4]["plan_file_path"], json!("crawl/plan.md"));
}

/// The plan of a site on which a strong model proposes selectors, and lists too.
async fn proposed(site: &Site, selectors: Option<Value>, items: Option<Value>) -> (String, Vec<Value>) {
    let (desk, session) = desk().await;
    desk.calls("run_crawl", json!({"task": TASK, "target_url": site.url("/")}));
    if let Some(items) = items {
        desk.calls("crawl_discover", json!({"url": site.url("/"), "listings": [site.url("/news/")], "items": items}));
    }
    desk.says("Five lists.");
    if let Some(selectors) = selectors {
        let of = |section| articles().into_iter().find(|one| one.section == section).unwrap();
        let urls: Vec<String> = Section::ALL.map(of).iter().map(|article| site.url(&article.path)).collect();
        desk.calls("crawl_measure", json!({"urls": urls, "selectors": selectors}));
    }
    for sentence in ["They are read.", "All can be read.", "They hold.", "It is written and tested."] {
        desk.says(sentence);
    }
    desk.says("The plan is in crawl/plan.md.");
    let end = carry_out(&desk, &session, &site.url("/")).await;
    let end = lets_it_write(&desk, end).await;
    assert!(matches!(end, TurnEnd::Answered { .. }), "{end:?} {:?}", statuses(&desk, &session));
    let plan = std::fs::read_to_string(desk.workspace.join("crawl/plan.md")).unwrap();
    (plan, results(&desk, &session))
}

/// How many articles of the site have their author read by a plan.
async fn authors(site: &Site, plan: &str) -> usize {
    let fetcher = Fetcher::new(address::Reach::new(["127.0.0.1"]), Rules::default(), Arc::new(SystemClock::default()));
    let (config, fetcher) = (read(plan).unwrap(), fetcher.unwrap());
    let mut right = 0;
    for article in articles() {
        let page = fetcher.page(&site.url(&article.path).parse().unwrap()).await.unwrap();
        let read = Property::Author.by_chain(config.chain(Property::Author), &Dom::parse(&page.text));
        right += usize::from(read.as_deref() == Some(&article.author));
    }
    right
}

#[tokio::test]
async fn what_a_strong_model_proposes_decides_where_code_finds_nothing_and_garbage_changes_nothing() {
    let site = Site::serve(made::quiet).await;
    let (all, archive) = (articles().len(), articles().iter().filter(|one| one.section == Section::Archive).count());
    let (alone, _) = proposed(&site, None, None).await;
    assert!(!alone.contains("q7"), "{alone}");
    assert_eq!(authors(&site, &alone).await, all - archive);

    // As it is written by hand, and as `crawl_measure` gives it.
    for author in [json!("i.q7"), json!({"selector": "i.q7", "success_rate": 0.01, "pages": 3})] {
        let (helped, results) = proposed(&site, Some(json!({"author": ["h3", author]})), None).await;
        assert!(helped.contains("| author | `i.q7` | 0.2 | 0.2 | 0.75 | Bo Ek |"), "{helped}");
        assert_eq!(authors(&site, &helped).await, all);
        assert!(results[1]["selectors"].to_string().contains("i.q7"), "{}", results[1]);
    }

    let garbage = json!({"title": ["nav li", "em", "td"], "date": ["h1", "nav"], "body": ["nav", "footer", "body"],
        "author": ["nav a", "h3", "td", "footer a", "em.when", ".q8"]});
    let lists = json!(["a", "nav a", "footer a@href", "p"]);
    let (same, _) = proposed(&site, Some(garbage), Some(lists)).await;
    assert_eq!(same, alone);
}

/// What the agents of a run gave, in the order in which they were done.
fn results(desk: &Desk, session: &SessionId) -> Vec<Value> {
    let events = desk.events(session).into_iter();
    let texts = events.filter_map(|event| match event.kind {
        EventKind::ModelReplied { text: Some(text), calls, .. } if calls.is_empty() => Some(text),
        _ => None,
    });
    texts.filter_map(|text| serde_json::from_str(desk.engine.content(&text).unwrap().as_str()?).ok()).collect()
}

/// A documentation set as Debian installs it (`git-doc`), which nobody made to be crawled.
const MANUAL: &str = "/usr/share/doc/git-doc";

/// The manual's pages of commands, as its first page lists them. Where it is not there, that is said; it fails the test
/// where `ASSENT_TEST_STRICT` is set.
fn commands() -> Option<Vec<String>> {
    let Ok(text) = std::fs::read_to_string(format!("{MANUAL}/git.html")) else {
        let strict = std::env::var_os("ASSENT_TEST_STRICT").is_some();
        assert!(!strict, "{MANUAL} is not there: scripts/setup test installs it (git-doc)");
        println!("skipped: {MANUAL} is not there; scripts/setup test installs it");
        return None;
    };
    let terms = text.split("<dt class=\"hdlist1\">").skip(1);
    let links = terms.filter_map(|rest| rest.trim_start().strip_prefix("<a href=\"")?.split('"').next());
    let mut commands: Vec<String> = links.filter(|link| !link.contains(['#', ':'])).map(str::to_owned).collect();
    commands.sort();
    commands.dedup();
    Some(commands)
}

#[tokio::test]
async fn of_a_manual_the_pack_makes_a_plan_by_which_its_pages_are_found_whichever_model_begins() {
    let Some(commands) = commands() else { return };
    if Wire::of_this_program() != Wire::Direct {
        return;
    }
    for (planner, sentences) in [(PlannerProfile::Full, 5), (PlannerProfile::Compact, 0)] {
        let site = Site::serve(folder::of(MANUAL.into())).await;
        let (desk, session) = desk_of(planner, &[]).await;
        let start = site.url("/git.html");
        desk.calls("run_crawl", json!({"task": "All manual pages of the commands", "target_url": start}));
        for _ in 0..sentences {
            desk.says("That is found and done.");
        }
        desk.says("The plan is in crawl/plan.md.");
        let end = carry_out(&desk, &session, &start).await;
        let end = lets_it_write(&desk, end).await;
        assert!(matches!(end, TurnEnd::Answered { .. }), "{end:?} {:?}", statuses(&desk, &session));
        let found = found_by(&desk).await;
        let wanted = commands.iter().map(|name| key(&site.url(&format!("/{name}")).parse().unwrap()));
        let missed: Vec<String> = wanted.filter(|one| !found.contains(one)).collect();
        assert!(missed.is_empty() && commands.len() >= 140, "{missed:?} of {}", commands.len());
        assert!(found.len() <= commands.len() + 10, "{} found", found.len());
    }
}

#[tokio::test]
async fn what_a_phase_did_not_do_is_the_models_to_mend_and_the_phases_behind_it_follow() {
    // Of the front page nothing leads to a list.
    let site = Site::serve(|asked| match asked {
        "/" => Page::page("<h1>Welcome</h1>"),
        _ => made::answer(asked),
    });
    let site = site.await;
    let (desk, session) = desk().await;
    desk.calls("run_crawl", json!({"task": TASK, "target_url": site.url("/")}));
    let listings: Vec<String> = Section::ALL.iter().map(|section| site.url(section.path())).collect();
    desk.calls("crawl_discover", json!({"url": site.url("/"), "listings": listings}));
    for sentence in ["Five lists.", "All four.", "All can be read.", "They hold.", "It is written and tested."] {
        desk.says(sentence);
    }
    desk.says("The plan is in crawl/plan.md.");
    // An address that nobody has named would be refused.
    let message = format!("Make a crawl plan of {} for me, with these lists: {}", site.url("/"), listings.join(" "));
    let end = asked(&desk, &session, &site.url("/"), &message).await;
    let end = lets_it_write(&desk, end).await;
    assert!(matches!(end, TurnEnd::Answered { .. }), "{end:?} {:?}", statuses(&desk, &session));
    let (found, wanted) = followed(&desk, &site).await;
    assert_eq!(found, wanted);
}

#[tokio::test]
async fn two_sites_are_crawled_side_by_side_and_each_plan_has_its_own_folder() {
    let sites = [Site::serve(made::answer).await, Site::serve(made::answer).await];
    let (desk, session) = desk_of(PlannerProfile::Compact, &[]).await;
    for (site, folder) in sites.iter().zip(["plans/one", "plans/two/"]) {
        desk.calls("run_crawl", json!({"task": TASK, "target_url": site.url("/"), "folder": folder}));
    }
    for _ in 0..2 {
        desk.says("The plan is written.");
    }
    desk.model.push(Purpose::Synthesis, Scripted::text("Both plans are written."));
    let mut end = carry_out_all(&desk, &session, &sites.each_ref().map(|site| site.url("/"))).await;
    while let (TurnEnd::Waiting { .. }, Some(open)) = (&end, desk.engine.requests().open().unwrap().first()) {
        assert_eq!(open.request.tool.as_deref(), Some("crawl_plan"));
        let yes = Answer::Approve { arguments: None, note: None, reach: Reach::Once };
        end = desk.engine.turns().answer(&open.request.id, yes, &CancellationToken::new()).await.unwrap();
    }
    assert!(matches!(end, TurnEnd::Answered { .. }), "{end:?} {:?}", statuses(&desk, &session));
    for (at, folder) in ["plans/one", "plans/two"].into_iter().enumerate() {
        for name in ["plan.md", "test.md", "test_set.jsonl"] {
            let text = desk.file(&format!("{folder}/{name}")).unwrap();
            let (own, other) = (sites[at].url("/"), sites[1 - at].url("/"));
            assert!(text.contains(&own) && !text.contains(&other), "{folder}/{name}: {text}");
        }
    }
    assert!(!desk.workspace.join("crawl").exists());
}

#[tokio::test]
async fn no_crawl_begins_whose_plan_would_be_written_outside_of_the_workspace() {
    for folder in ["../up", "/tmp/up", "plans/../../up"] {
        let site = Site::serve(made::answer).await;
        let (desk, session) = desk().await;
        desk.calls("run_crawl", json!({"task": TASK, "target_url": site.url("/"), "folder": folder}));
        for _ in 0..10 {
            desk.says("It is not possible there.");
        }
        let end = carry_out(&desk, &session, &site.url("/")).await;
        assert!(matches!(end, TurnEnd::Failed { .. }), "{end:?}");
        let told = desk.events(&session).into_iter().find_map(|event| match event.kind {
            EventKind::CallEnded { output, .. } => Some(desk.engine.content(&output).unwrap()),
            _ => None,
        });
        assert_eq!(told.unwrap()["path"], json!(["folder"]), "{folder}");
        assert_eq!((site.asked(), desk.workspace.join("crawl").exists()), (vec![], false));
    }
}

#[tokio::test]
async fn no_agent_is_done_that_only_says_so() {
    let site = Site::serve(made::answer).await;
    // Where the plan would be written, there is no room for it.
    let (desk, session) = desk_of(PlannerProfile::Full, &[("crawl", "A file.")]).await;
    four_phases(&desk, &site);
    let lie = json!({"plan_file_path": "crawl/plan.md", "status": "complete", "agent_response_content": "Done."});
    for _ in 0..5 {
        desk.says(&lie.to_string());
    }
    for _ in 0..8 {
        desk.says(&json!({"plan_file_path": "crawl/plan.md", "status": "complete", "summary": "Done."}).to_string());
    }
    let mut end = carry_out(&desk, &session, &site.url("/")).await;
    if matches!(end, TurnEnd::Waiting { .. }) {
        end = lets_it_write(&desk, end).await;
    }
    assert!(matches!(end, TurnEnd::Failed { .. }), "{end:?}");
    let statuses = statuses(&desk, &session);
    let failed = |id: &str| statuses.contains(&(id.to_owned(), StepStatus::Failed));
    assert!(failed("s1/1/5") && failed("s1/1") && failed("s1"), "{statuses:?}");
    assert_eq!(std::fs::read_to_string(desk.workspace.join("crawl")).unwrap(), "A file.");
}

#[tokio::test]
async fn a_site_without_articles_gets_no_plan_and_nothing_is_written() {
    let site = Site::serve(|_| Page::page("<h1>Closed for the winter</h1>")).await;
    let (desk, session) = desk().await;
    desk.calls("run_crawl", json!({"task": TASK, "target_url": site.url("/")}));
    // The contract wants a list, and the site has none.
    for _ in 0..4 {
        desk.says(&json!({"summary": "There are none", "listings": [], "article_urls": []}).to_string());
    }
    for _ in 0..10 {
        desk.says(&json!({"plan_file_path": "none", "status": "incomplete", "summary": "No list."}).to_string());
    }
    let end = carry_out(&desk, &session, &site.url("/")).await;
    assert!(matches!(end, TurnEnd::Failed { .. }), "{end:?}");
    assert!(!desk.workspace.join("crawl").exists());
}

#[tokio::test]
async fn nobody_sees_the_pack_until_it_is_added_and_nothing_of_a_persons_own_is_overwritten() {
    let desk = Desk::with(&[]);
    let seen = |desk: &Desk| {
        desk.engine.tools().sources().unwrap();
        let view = desk.engine.heap().show();
        let specialist = view.heap.specialists.iter().find(|one| one.id == "crawl");
        (specialist.map(|one| one.tool_names.clone()), desk.engine.heap().packs()[0].1)
    };
    assert_eq!(seen(&desk), (None, Standing::Absent));
    let unknown = desk.engine.heap().add_pack("crawls").unwrap_err();
    assert_eq!(unknown.to_string(), "there is no pack \"crawls\" to be added; there are: crawl");
    let folder = desk.engine.heap().add_pack("crawl").unwrap();
    // A planner is shown one line of it, and a search finds the whole: nothing of what is below.
    assert_eq!(seen(&desk), (Some(vec!["run_crawl".to_owned()]), Standing::Added));
    let (text, filter) = ("write the crawl plan of a web site: lists, selectors, test data", Filter::default());
    let found = desk.engine.tools().find(&Query { text, limit: 20, filter: &filter }).tools;
    let names: Vec<&str> = found.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(
        names.iter().filter(|name| name.contains("crawl") || name.ends_with("agent")).collect::<Vec<_>>(),
        [&"run_crawl"],
        "{names:?}"
    );
    let tools = desk.engine.tools();
    assert!(tools.get("run_selector_agent").is_some() && tools.get("crawl_plan").is_some(), "they can be named");
    std::fs::write(folder.join("agents/main.md"), "Another.").unwrap();
    assert_eq!(seen(&desk).1, Standing::Changed);
    assert!(matches!(desk.engine.heap().add_pack("crawl"), Err(AddError::IsThere(there)) if there == folder));
    assert_eq!(std::fs::read_to_string(folder.join("agents/main.md")).unwrap(), "Another.");
    // Gone is gone, with its tools.
    std::fs::remove_dir_all(&folder).unwrap();
    assert_eq!(seen(&desk), (None, Standing::Absent));
}
