use assent_site::{Site, articles, made};
use serde_json::{Value, json};

use super::*;
use crate::tool::testing::Bench;

fn tool(name: &str) -> Arc<dyn Tool> {
    crawl_tools().into_iter().find(|tool| tool.spec().name == name).unwrap()
}

async fn site() -> (Bench, Site) {
    let mut bench = Bench::new();
    bench.context.hosts = vec!["127.0.0.1".to_owned()];
    (bench, Site::serve(made::answer).await)
}

#[test]
fn they_are_these_four_and_all_talk_to_hosts() {
    let names: Vec<String> = crawl_tools().iter().map(|tool| tool.spec().name.clone()).collect();
    assert_eq!(names, CRAWL_TOOLS);
    assert!(crawl_tools().iter().all(|tool| tool.spec().risk == Risk::Network));
    let arguments = json!({"url": "http://a.org/x", "listings": ["https://b.org:8/y", "no address"], "folder": "out/"});
    let effects = tool("crawl_plan").effects(&arguments);
    assert_eq!(
        (effects.hosts, effects.writes),
        (
            vec!["a.org".to_owned(), "b.org".to_owned()],
            vec!["out/plan.md".to_owned(), "out/test.md".to_owned(), "out/test_set.jsonl".to_owned()]
        )
    );
}

#[tokio::test]
async fn pages_are_told_apart_and_one_is_shown() {
    let (bench, site) = site().await;
    let urls: Vec<String> = ["/news/", "/members/", "/app/", "/private/", "/h/loop"].map(|path| site.url(path)).into();
    let output = bench.output(tool("crawl_fetch").as_ref(), json!({"urls": urls})).await;
    let kinds: Vec<&Value> = output["pages"].as_array().unwrap().iter().map(|page| &page["kind"]).collect();
    assert_eq!(json!(kinds), json!(["content", "login", "needs_browser", "forbidden_by_robots", "not_fetched"]));
    let told = "1 of 5 pages can be read as they are; 1 needs a browser, 1 needs a login, 1 is forbidden by robots.txt, \
         1 was not fetched.";
    let summary = json!({"told": told, "readable": 1, "needs_browser": 1, "requires_browser": true, "needs_login": 1,
        "forbidden_by_robots": 1, "otherwise": 1, "unreadable": urls[1..], "of": 5});
    assert_eq!(output["summary"], summary);
    let one = bench.output(tool("crawl_fetch").as_ref(), json!({"urls": [site.url("/h/hop")]})).await;
    assert_eq!(
        (&one["title"], &one["redirects"], one["final_url"] == json!(site.url("/about"))),
        (&json!("About"), &json!(1), true)
    );
    let plain = json!({"urls": [site.url("/news/"), site.url("/about")]});
    let output = bench.output(tool("crawl_fetch").as_ref(), plain).await;
    assert_eq!(output["summary"]["requires_browser"], json!(false));
    let told = "2 of 2 pages can be read as they are; 0 need a browser, 0 need a login, 0 are forbidden by robots.txt.";
    assert_eq!(output["summary"]["told"], json!(told));
}

#[tokio::test]
async fn every_kind_of_page_is_counted() {
    let (bench, site) = site().await;
    let paths = ["/news/", "/h/401", "/h/403", "/h/403", "/h/407", "/blank", "/h/500", "/h/binary", "/app/"];
    let urls = paths.map(|path| site.url(path));
    let output = bench.output(tool("crawl_fetch").as_ref(), json!({"urls": urls})).await;
    let told = "1 of 9 pages can be read as they are; 1 needs a browser, 1 needs a login, 0 are forbidden by robots.txt, \
        2 are refused to programs, 1 is behind a proxy that wants a login, 1 is empty, 1 is not given by the server, 1 is no text.";
    assert_eq!((&output["summary"]["told"], &output["summary"]["otherwise"]), (&json!(told), &json!(6)));
}

#[tokio::test]
async fn arguments_that_cannot_be_read_are_told_without_what_stands_in_them() {
    let (bench, _site) = site().await;
    let url = "http://me:hunter2@[no";
    for (name, arguments, place) in [
        ("crawl_fetch", json!({"urls": ["http://a.org/", url]}), "urls[1] is no address"),
        ("crawl_discover", json!({"url": url}), "url is no address"),
        ("crawl_discover", json!({"url": "http://a.org/", "listings": url}), "they are not of the form"),
    ] {
        let refusal = bench.refusal(tool(name).as_ref(), arguments).await;
        assert!(refusal.contains(place) && !refusal.contains("hunter2"), "{refusal}");
    }
}

#[tokio::test]
async fn a_host_that_was_not_allowed_is_not_asked() {
    let (mut bench, site) = site().await;
    bench.context.hosts = vec!["example.com".to_owned()];
    for (name, more) in [("crawl_discover", json!({})), ("crawl_plan", json!({"task": "x"}))] {
        let mut arguments = json!({"url": site.url("/")});
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let refusal = bench.refusal(tool(name).as_ref(), arguments).await;
        assert!(refusal.contains("127.0.0.1 is not on the public network"), "{refusal}");
    }
    assert_eq!(site.asked(), Vec::<String>::new());
}

#[tokio::test]
async fn lists_and_selectors_are_given_with_what_was_measured() {
    let (bench, site) = site().await;
    let asked = json!({"url": site.url("/"), "items": ["p.none", "a["]});
    let found = bench.output(tool("crawl_discover").as_ref(), asked).await;
    let lists = found["lists"].as_array().unwrap();
    assert_eq!(lists.len(), 5, "{found}");
    assert!(lists.iter().any(|list| list["pagination"]["kind"] == "cursor"), "{found}");
    assert!(found["ignored"][0].as_str().unwrap().starts_with("items.1: \"a[\" is no CSS selector"), "{found}");
    assert!(found.to_string().len() < 8_000, "it is short enough to be read: {}", found.to_string().len());

    let asked = json!({"urls": found["article_urls"], "selectors": {"title": ["nav",
        {"selector": "h9", "success_rate": 1.0}, {"rate": 1.0}, {"selector": "h1["}], "price": ["b"]}});
    let measured = bench.output(tool("crawl_measure").as_ref(), asked).await;
    let titles = measured["selectors"]["title"].as_array().unwrap();
    assert!(titles.len() >= 3 && titles.iter().all(|one| one["selector"] != "nav"), "{measured}");
    let ignored = [
        "selectors.title.2 is neither a selector nor an object with one in its \"selector\"",
        "selectors.title.3: \"h1[\" is no CSS selector that can be used here: it does not follow the grammar",
        "\"price\" is none of title, date, author and body",
        "\"nav\" is not taken for the title: it reads the same on several pages",
        "\"h9\" is not taken for the title: it reads nothing there that can be the title",
    ];
    assert_eq!(measured["ignored"], json!(ignored));
}

#[tokio::test]
async fn a_plan_is_written_where_it_was_asked_for_and_only_if_it_holds() {
    let (bench, site) = site().await;
    let plan = tool("crawl_plan");
    let output = bench.output(plan.as_ref(), json!({"url": site.url("/"), "task": "All of it", "folder": "out"})).await;
    assert_eq!((&output["articles_found"], &output["samples_found"]), (&json!(articles().len()), &output["samples"]));
    assert!(bench.text("out/plan.md").contains("## 10. Notes & Recommendations"));
    assert!(
        bench.text("out/test.md").contains("from 5 lists") && bench.text("out/test_set.jsonl").lines().count() >= 20
    );
    let told = format!(
        "The plan is written to out/plan.md. A crawler that follows it found {0} of {0} sample articles",
        output["samples"]
    );
    assert!(plan.present(&output).starts_with(&told), "{}", plan.present(&output));

    let asked = site.asked().len();
    for folder in ["../up", "/elsewhere"] {
        let arguments = json!({"url": site.url("/"), "task": "x", "folder": folder});
        let refusal = bench.refusal(plan.as_ref(), arguments).await;
        assert!(refusal.contains("path outside workspace"), "{refusal}");
    }
    assert_eq!(site.asked().len(), asked, "nobody is asked for a plan that has no place");
    let nothing = Site::serve(|_| assent_site::Answer::page("<h1>Closed</h1>")).await;
    let refusal = bench.refusal(plan.as_ref(), json!({"url": nothing.url("/"), "task": "x"})).await;
    assert!(refusal.contains("section 3: there is no list of articles"), "{refusal}");
    assert!(refusal.contains("Look at the pages with crawl_fetch"), "{refusal}");
    assert!(!bench.path("crawl").exists(), "nothing is written of a plan that fails");
}

/// A list of twenty pages with three articles each.
fn long(path: &str) -> assent_site::Answer {
    let text = "It was so, and it was told to whoever asked. ".repeat(10);
    let number = |path: &str| path.trim_start_matches(['/', 'a']).parse::<usize>().ok();
    match (path, number(path)) {
        (path, Some(n)) if path.starts_with("/a") => {
            assent_site::Answer::page(format!("<title>Story {n}</title><h1>Story {n}</h1><p>{n} {text}</p>"))
        }
        ("/", page) | (_, page @ Some(_)) => {
            let page = page.unwrap_or(1);
            let link = |n: usize| format!("<li class=t><a href=/a{n}>A long story about the number {n}</a></li>");
            let links: String = (page * 3 - 3..page * 3).map(link).collect();
            let next = if page < 20 { format!("<link rel=next href=/{}>", page + 1) } else { String::new() };
            assent_site::Answer::page(format!("<ul>{links}</ul>{next}"))
        }
        _ => assent_site::Answer::missing(),
    }
}

#[tokio::test]
async fn how_far_a_plan_was_tried_is_told_where_its_lists_go_on() {
    let (bench, _) = site().await;
    let site = Site::serve(long).await;
    let plan = tool("crawl_plan");
    let output = bench.output(plan.as_ref(), json!({"url": site.url("/"), "task": "All of it"})).await;
    let told = "; 36 articles on the first 12 pages of 1 lists, 1 of which may go on: it was followed no further.";
    assert!(plan.present(&output).ends_with(told), "{}", plan.present(&output));
    assert_eq!((&output["lists_that_go_on"], &output["left_out"]), (&json!(1), &json!([])));
    let whole = bench.output(plan.as_ref(), json!({"url": site.url("/15"), "task": "The rest"})).await;
    assert!(plan.present(&whole).ends_with("; 18 articles in 1 lists."), "{}", plan.present(&whole));
}

#[tokio::test]
async fn a_call_ends_where_it_was_stopped_or_has_taken_too_long_and_says_so() {
    let (mut bench, site) = site().await;
    let fetch = tool("crawl_fetch");
    let one = json!({"urls": [site.url("/")]});
    bench.context.limit = Duration::ZERO;
    let refusal = bench.refusal(fetch.as_ref(), one.clone()).await;
    assert!(refusal.contains("could not be looked at within 0 s") && refusal.contains("call again"), "{refusal}");
    bench.context.cancel.cancel();
    assert!(matches!(bench.call(fetch.as_ref(), one).await, Err(ToolStop::Cancelled)));
    for tool in crawl_tools() {
        assert_eq!(tool.own_limit(&Value::Null), Some(LONGEST), "{}", tool.spec().name);
    }
}

#[tokio::test]
async fn hostile_pages_are_told_and_break_nothing() {
    let (bench, site) = site().await;
    let fetch = tool("crawl_fetch");
    for (path, said) in
        [("/h/loop", "led nowhere"), ("/private/", "robots.txt"), ("/h/to-neighbour", "not on the public network")]
    {
        let refusal = bench.refusal(fetch.as_ref(), json!({"urls": [site.url(path)]})).await;
        assert!(refusal.contains(said), "{path}: {refusal}");
    }
    for address in ["file:///etc/passwd", "http://name:word@127.0.0.1/"] {
        let refusal = bench.refusal(fetch.as_ref(), json!({"urls": [address]})).await;
        assert!(refusal.contains("is no address of the web") || refusal.contains("a name or a password"), "{refusal}");
    }
    let nothing = json!({"urls": [site.url("/h/401"), site.url("/members/")]});
    let refusal = bench.refusal(tool("crawl_measure").as_ref(), nothing).await;
    assert!(refusal.contains("look at one with crawl_fetch"), "{refusal}");
}
