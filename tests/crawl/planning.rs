use std::collections::BTreeMap;

use assent_crawl::discover::{Discovery, Proposed, discover};
use assent_crawl::fetch::{Fetcher, Rules};
use assent_crawl::follow::{Bounds, follow};
use assent_crawl::html::{Dom, Pick};
use assent_crawl::make::{Made, Wanted, make};
use assent_crawl::measure::Property;
use assent_crawl::plan::{Barred, Config, read, read_samples};
use assent_crawl::supervise::supervise;
use assent_crawl::{address, fetch::Pages};
use assent_site::{Answer, Article, Section, Site, articles, made};

use super::{at, fetcher, wanted};

pub(super) async fn planned(site: &Site) -> (Fetcher, Discovery, Made) {
    let fetcher = fetcher(Rules::default());
    let discovery = discover(&at(site, "/"), &fetcher, &Proposed::default()).await.unwrap();
    let made = make(&discovery, &wanted("All articles of the paper."), &fetcher).await;
    (fetcher, discovery, made)
}

#[tokio::test]
async fn every_section_is_found_with_the_way_in_which_it_goes_on() {
    let site = Site::serve(made::answer).await;
    let (_, discovery, _) = planned(&site).await;
    let found: BTreeMap<&str, &str> =
        discovery.lists.iter().map(|list| (list.listing.url.path(), list.listing.pagination.name())).collect();
    let expected = [
        (Section::Archive, "date archive"),
        (Section::Blog, "numbered pages"),
        (Section::News, "next link"),
        (Section::Reports, "load more"),
        (Section::Stream, "infinite scroll"),
    ];
    assert_eq!(found, expected.map(|(section, name)| (section.path(), name)).into(), "{:?}", discovery.barred);
    let barred: BTreeMap<&str, String> =
        discovery.barred.iter().map(|(url, why)| (url.path(), serde_json::to_string(why).unwrap())).collect();
    let expected = [
        ("/app/", "{\"kind\":\"needs_browser\"}"),
        ("/blank", "{\"kind\":\"empty\"}"),
        ("/members/", "{\"kind\":\"login\"}"),
        ("/private/", "\"robots\""),
    ];
    assert_eq!(barred, expected.map(|(path, why)| (path, why.to_owned())).into());
}

/// What a program that has the plan alone finds, on a site that it has not seen.
async fn found_by(plan: &str) -> (Fetcher, BTreeMap<String, String>) {
    let fetcher = fetcher(Rules::default());
    let followed = follow(&read(plan).unwrap(), &fetcher, Bounds::default()).await;
    (fetcher, followed.articles.into_iter().map(|(key, list)| (key, list.path().to_owned())).collect())
}

#[tokio::test]
async fn the_written_plan_finds_every_article_and_reads_it_as_it_is() {
    let site = Site::serve(made::answer).await;
    let (_, _, Made { plan, test, test_set, verdict, .. }) = planned(&site).await;
    assert!(verdict.valid, "{verdict:#?}\n{plan}");
    assert_eq!((verdict.articles, verdict.found, verdict.right), (articles().len(), verdict.samples, verdict.values));
    assert!(test.contains("from 5 lists"), "{test}");

    let (fetcher, found) = found_by(&plan).await;
    let expected: BTreeMap<String, String> = articles()
        .iter()
        .map(|article| (address::key(&at(&site, &article.path)), article.section.path().to_owned()))
        .collect();
    assert_eq!(found, expected);

    let config = read(&plan).unwrap();
    for Article { path, title, date, author, body, section, .. } in articles() {
        let page = fetcher.page(&at(&site, &path)).await.unwrap();
        let dom = Dom::parse(&page.text);
        let value = |property: Property| property.by_chain(config.chain(property), &dom).unwrap_or_default();
        let read = [Property::Title, Property::Date, Property::Author, Property::Body].map(value);
        assert_eq!(read, [title, date, author, body], "{section:?} {path}\n{plan}");
    }
    assert!(!site.asked().iter().any(|path| path.starts_with("/private")), "robots.txt was kept");
    let samples = read_samples(&test_set).unwrap();
    assert!(samples.len() >= 20 && samples.iter().all(|sample| sample.expected.len() == 4), "{test_set}");
}

#[tokio::test]
async fn a_plan_with_a_fault_is_refused_with_the_section_that_has_it() {
    let site = Site::serve(made::answer).await;
    let (fetcher, _, Made { plan, test_set, .. }) = planned(&site).await;
    let config = read(&plan).unwrap();
    let json = |config: &Config| serde_json::to_string_pretty(config).unwrap();
    let changed = |change: &dyn Fn(&mut Config)| {
        let mut other = config.clone();
        change(&mut other);
        assert!(plan.contains(&json(&config)) && other != config);
        plan.replace(&json(&config), &json(&other))
    };
    let list =
        |config: &mut Config, path: &str| config.listings.iter().position(|list| list.url.path() == path).unwrap();
    let picks = |text: &str| -> Vec<Pick> { vec![text.parse().unwrap()] };
    for (plan, section, why) in [
        (
            changed(&|config| {
                let news = list(config, "/news/");
                config.listings[news].items = picks("a.nothing@href");
            }),
            3,
            "no article was found in",
        ),
        (plan.replace("page={}", "pagina={}"), 4, "followed by numbered pages"),
        (
            changed(&|config| {
                let news = list(config, "/news/");
                config.listings.remove(news);
            }),
            3,
            "which is no list of the plan",
        ),
        (
            changed(&|config| {
                let title = config.detail.iter().position(|one| one.property == Property::Title).unwrap();
                config.detail[title].selectors = picks("nav li");
            }),
            5,
            "the title is",
        ),
        (plan.replace("## 6. Data Model", "## 6. Data"), 6, "it is missing"),
        (
            plan.replace(&site.url("/archive/"), &site.url("/nowhere")),
            2,
            "a page that the server does not give (status 404)",
        ),
        (plan.replace(&site.url("/archive/"), &site.url("/private/")), 2, "robots.txt"),
    ] {
        let verdict = supervise(&plan, &test_set, &fetcher, Bounds::default()).await;
        assert!(!verdict.valid, "{why}");
        let told = verdict.faults.iter().any(|fault| fault.section == section && fault.message.contains(why));
        assert!(told, "{why}: {:#?}", verdict.faults);
    }
    let none = supervise(&plan, "", &fetcher, Bounds::default()).await;
    assert_eq!((none.valid, none.faults[0].section), (false, 9));
}

#[tokio::test]
async fn what_is_proposed_counts_where_it_holds() {
    let hidden = |path: &str| match path {
        "/" => Answer::page("<h1>Nothing leads on</h1><p>but one page knows</p>"),
        other => made::answer(other),
    };
    let site = Site::serve(hidden).await;
    let fetcher = fetcher(Rules::default());
    let none = discover(&at(&site, "/"), &fetcher, &Proposed::default()).await.unwrap();
    assert_eq!(none.lists, []);
    let items: Vec<Pick> =
        ["nav a@href", "div.row a.more@href", "p.none@href"].map(|text| text.parse().unwrap()).into();
    let listings = vec![at(&site, "/blog/"), at(&site, "/about"), at(&site, "/private/")];
    let found = discover(&at(&site, "/"), &fetcher, &Proposed { listings, items }).await.unwrap();
    let lists: Vec<(&str, String)> =
        found.lists.iter().map(|list| (list.listing.url.path(), list.listing.items[0].to_string())).collect();
    assert_eq!(lists, [("/blog/", "div.row a.more@href".to_owned())], "the menu was proposed, and leads to no article");
}

/// A page with three articles that are named in words, twelve that are not, and other pages as many.
fn numbers(path: &str) -> Answer {
    let links = |class: &str, folder: &str, name: &dyn Fn(usize) -> String, count: usize| -> String {
        (1..=count).map(|n| format!("<p class={class}><a href=/{folder}/{n}>{}</a></p>", name(n))).collect()
    };
    let told = |n: usize| format!("A long story about the number {n} and its friends");
    match path.strip_prefix("/a/") {
        Some(n) => {
            Answer::page(format!("<title>Story {n}</title><h1>Story {n}</h1><p>{}</p>", "It was so. ".repeat(40)))
        }
        None if path == "/" => Answer::page(
            links("t", "a", &told, 3)
                + &links("n", "a", &|n| format!("#{n}"), 12)
                + &links("o", "o", &|n| format!("({n})"), 12),
        ),
        None => Answer::page("<h1>Another page</h1><p>with little on it</p>"),
    }
}

#[tokio::test]
async fn a_proposed_list_wins_only_where_it_leads_to_more_articles_and_to_nothing_else() {
    let site = Site::serve(numbers).await;
    let fetcher = fetcher(Rules::default());
    let found = async |items: &[&str]| {
        let items: Vec<Pick> = items.iter().map(|text| text.parse().unwrap()).collect();
        let proposed = Proposed { listings: Vec::new(), items };
        let found = discover(&at(&site, "/"), &fetcher, &proposed).await.unwrap();
        let list = &found.lists[0];
        let items: Vec<String> = list.listing.items.iter().map(Pick::to_string).collect();
        (found.lists.len(), list.read.articles.len(), items, found.ignored)
    };
    let own = vec!["p.t a@href".to_owned()];
    assert_eq!(found(&[]).await, (1, 3, own.clone(), vec![]));
    let (none, all) = ("p.none a@href", "a@href");
    let told = |pick: &str| format!("{pick:?} leads to no more articles than what is found without it");
    assert_eq!(found(&[none, all]).await, (1, 3, own.clone(), vec![told(none), told(all)]));
    let better = vec!["p.n a@href".to_owned(), own[0].clone()];
    assert_eq!(found(&[all, "p.n a@href"]).await, (1, 12, better, vec![told(all)]));
}

#[tokio::test]
async fn a_site_without_articles_has_no_plan_that_can_be_saved() {
    let site = Site::serve(|_| Answer::page("<h1>Closed</h1>")).await;
    let (_, discovery, made) = planned(&site).await;
    assert_eq!((discovery.lists.len(), made.verdict.valid), (0, false));
    assert_eq!(made.verdict.faults[0].section, 3, "{:?}", made.verdict);
}

/// A blog of two pages with ten articles each, where some addresses answer otherwise.
pub(super) fn blog(path: &str, otherwise: &dyn Fn(&str) -> Option<Answer>) -> Answer {
    let links = |from: usize| -> String {
        let link = |n: usize| format!("<li class=t><a href=/a/{n}>A long story about the number {n}</a></li>");
        (from..from + 10).map(link).collect()
    };
    if let Some(answer) = otherwise(path) {
        return answer;
    }
    match path.strip_prefix("/a/") {
        Some(n) => {
            Answer::page(format!("<title>Story {n}</title><h1>Story {n}</h1><p>{n} {}</p>", "It was so. ".repeat(40)))
        }
        None if path == "/" => Answer::page(format!("<ul>{}</ul><a rel=next class=next href=/2>Next</a>", links(0))),
        None if path == "/2" => Answer::page(format!("<ul>{}</ul><a rel=next class=next href=/3>Next</a>", links(10))),
        None => Answer::missing(),
    }
}

#[tokio::test]
async fn what_a_site_fails_to_give_is_told_in_its_plan_which_is_given_all_the_same() {
    let failing = |path: &str| (path == "/3").then(|| Answer::page("try later").status(503));
    let site = Site::serve(move |path| blog(path, &failing)).await;
    let (_, _, made) = planned(&site).await;
    let third = site.url("/3");
    let told = format!("{third} is a page that the server does not give (status 503).");
    assert_eq!((made.verdict.valid, made.verdict.articles), (true, 20), "{:#?}", made.verdict);
    assert!(matches!(&made.verdict.left_out[..], [one] if one.ends_with(&told)), "{:?}", made.verdict.left_out);
    assert!(made.plan.ends_with(&format!("{told}\n")), "{}", made.plan);

    // Where a list is at its end, there is nothing to tell.
    let site = Site::serve(|path| blog(path, &|_| None)).await;
    let (_, _, made) = planned(&site).await;
    assert_eq!((made.verdict.articles, made.verdict.left_out), (20, vec![]));
    assert!(!made.plan.contains("may have more articles"), "{}", made.plan);
}

/// A blog whose pages lead back before they lead on, by links that only their words tell apart.
fn both_ways(path: &str, first: &'static str) -> Answer {
    let list = |path: &str| {
        let number: usize = match path {
            "/" => 1,
            _ => path.strip_prefix("/p/").or_else(|| path.strip_prefix("/?p="))?.parse().ok()?,
        };
        let link = |n: usize| format!("<li class=t><a href=/a/{n}>A long story about the number {n}</a></li>");
        let links: String = (number * 3 - 3..number * 3).map(link).collect();
        let at = |number: usize| if number == 1 { first.to_owned() } else { format!("/p/{number}") };
        let back = if number > 1 { format!("<a href='{}'>Previous</a> ", at(number - 1)) } else { String::new() };
        let on = if number < 9 { format!("<a href='{}'>Next</a>", at(number + 1)) } else { String::new() };
        Some(Answer::page(format!("<ul>{links}</ul><p class=pages>{back}{on}</p>")))
    };
    blog(path, &list)
}

#[tokio::test]
async fn links_that_lead_back_as_well_are_followed_to_what_was_not_read_yet() {
    for first in ["/", "/?p=1"] {
        let site = Site::serve(move |path| both_ways(path, first)).await;
        let (_, _, Made { plan, verdict, .. }) = planned(&site).await;
        assert_eq!((verdict.valid, verdict.articles, verdict.left_out), (true, 27, vec![]), "{first}\n{plan}");
    }
}

/// A blog with an archive of six months; some of them fail, or go on on a page of their own.
pub(super) fn archive(path: &str, otherwise: &dyn Fn(&str) -> Option<Answer>) -> Answer {
    let list = |path: &str| {
        if let Some(answer) = otherwise(path) {
            return Some(answer);
        }
        if path == "/" {
            let month = |n: usize| format!("<li><a href=/2024/0{n}/>0{n}/2024</a></li>");
            let months: String = (1..7).rev().map(month).collect();
            return Some(Answer::page(format!("<h2>Archive</h2><ul class=months>{months}</ul>")));
        }
        let number: usize = path.strip_prefix("/2024/0")?.strip_suffix('/')?.parse().ok()?;
        let link = |n: usize| format!("<li class=t><a href=/a/{n}>A long story about the number {n}</a></li>");
        Some(Answer::page(format!("<ul>{}</ul>", (number * 3 - 3..number * 3).map(link).collect::<String>())))
    };
    blog(path, &list)
}

#[tokio::test]
async fn a_month_that_is_not_there_or_goes_on_takes_none_of_the_others_away_and_is_told() {
    let whole = Site::serve(|path| archive(path, &|_| None)).await;
    let (_, _, made) = planned(&whole).await;
    assert_eq!((made.verdict.valid, made.verdict.articles), (true, 18), "{}", made.plan);
    let config = read(&made.plan).unwrap();

    let gone = |path: &str| (path == "/2024/05/").then(Answer::missing);
    let site = Site::serve(move |path| archive(path, &gone)).await;
    let followed = |site: &Site| {
        let mut config = config.clone();
        config.listings[0].url = at(site, "/");
        async move { follow(&config, &fetcher(Rules::default()), Bounds::default()).await }
    };
    let found = followed(&site).await;
    let told = format!("{} is not there", site.url("/2024/05/"));
    assert_eq!((found.lists[0].articles.len(), found.lists[0].left_out.as_deref()), (15, Some(told.as_str())));

    let long = |path: &str| {
        let page =
            "<ul><li class=t><a href=/a/12>A long story about it</a></li></ul><a rel=next href=/2024/05/2>Next</a>";
        (path == "/2024/05/").then(|| Answer::page(page))
    };
    let site = Site::serve(move |path| archive(path, &long)).await;
    let found = followed(&site).await;
    let told = format!("{} goes on at {}, where nobody looks", site.url("/2024/05/"), site.url("/2024/05/2"));
    assert_eq!((found.lists[0].articles.len(), found.lists[0].left_out.as_deref()), (16, Some(told.as_str())));
}

/// A blog of thirty pages with three articles each.
fn long(path: &str) -> Answer {
    let list = |path: &str| {
        let number: usize = if path == "/" { 1 } else { path.strip_prefix('/')?.parse().ok()? };
        let link = |n: usize| format!("<li class=t><a href=/a/{n}>A long story about the number {n}</a></li>");
        let links: String = (number * 3 - 3..number * 3).map(link).collect();
        let next = if number < 30 { format!("<link rel=next href=/{}>", number + 1) } else { String::new() };
        Some(Answer::page(format!("<ul>{links}</ul>{next}")))
    };
    blog(path, &list)
}

#[tokio::test]
async fn a_list_that_goes_on_beyond_the_bounds_of_its_plan_says_so() {
    let site = Site::serve(long).await;
    let fetcher = fetcher(Rules::default());
    let discovery = discover(&at(&site, "/"), &fetcher, &Proposed::default()).await.unwrap();
    let bounds = Bounds { pages: 12, articles: 2_000 };
    let made = make(&discovery, &Wanted { bounds, ..wanted("All of it.") }, &fetcher).await;
    // That it was tried on some pages only is no fault of the plan, which says itself how far it goes.
    let Made { plan, test_set, verdict, .. } = made;
    assert_eq!((verdict.articles, verdict.unended, &verdict.left_out[..]), (36, 1, &[][..]), "{verdict:?}");
    assert!(plan.contains("- Read at most 200 pages of a list, and say which lists go on beyond that."), "{plan}");

    let short = plan.replace("\"max_pages\": 200", "\"max_pages\": 20");
    let told = "only the first 20 pages of a list are read";
    let followed = follow(&read(&short).unwrap(), &fetcher, Bounds::default()).await;
    assert_eq!((followed.articles.len(), followed.lists[0].left_out.as_deref()), (60, Some(told)));
    let verdict = supervise(&short, &test_set, &fetcher, Bounds::default()).await;
    let left_out = format!("{} may have more articles than were found: {told}.", site.url("/"));
    assert_eq!((verdict.valid, verdict.left_out), (true, vec![left_out]));

    let few = Bounds { articles: 40, ..Bounds::default() };
    let followed = follow(&read(&plan).unwrap(), &fetcher, few).await;
    let told = "only the first 40 articles are taken";
    assert_eq!((followed.articles.len(), followed.lists[0].left_out.as_deref()), (40, Some(told)));
    // All of it is nothing to tell.
    let followed = follow(&read(&plan).unwrap(), &fetcher, Bounds::default()).await;
    assert_eq!((followed.articles.len(), &followed.lists[0].left_out, &followed.lists[0].bound), (90, &None, &None));
}

#[tokio::test]
async fn a_plan_says_how_many_articles_can_be_read_and_leaves_out_the_odd_one() {
    let otherwise = |path: &str| match path {
        "/a/9" => Some(Answer::page("<form action=/in><input type=password name=p></form><p>Please sign in")),
        "/a/19" => Some(Answer::page(format!("<nav>{}</nav>", "<a href=/x>a picture</a> ".repeat(60)))),
        _ => None,
    };
    let site = Site::serve(move |path| blog(path, &otherwise)).await;
    let (_, _, Made { plan, test_set, verdict, .. }) = planned(&site).await;
    assert!(verdict.valid, "{verdict:#?}\n{plan}");
    assert!(plan.contains("19 of 20 articles that were looked at can be read without a browser"), "{plan}");
    assert!(plan.contains(&format!("<{}>: a page that needs a login; it is left out", site.url("/a/9"))), "{plan}");
    assert!(plan.contains(&format!("{} has neither a title nor a text", site.url("/a/19"))), "{plan}");
    let samples = read_samples(&test_set).unwrap();
    assert_eq!(samples.len(), 18, "{test_set}");
}

#[tokio::test]
async fn sections_that_fail_and_those_that_are_not_looked_at_are_told() {
    let menu = |path: &str| match path {
        "/" => {
            let links = (0..20).map(|n| format!("<a href=/m{n}>Menu {n}</a>")).collect::<String>();
            let list =
                (0..10).map(|n| format!("<li class=t><a href=/a/{n}>A long story about the number {n}</a></li>"));
            Some(Answer::page(format!("<nav>{links}</nav><ul>{}</ul>", list.collect::<String>())))
        }
        "/m1" => Some(Answer::page("oh").status(500)),
        "/m2" => Some(Answer::to("http://other.example/news")),
        "/m3" => Some(Answer::page("no").status(403)),
        "/m4" => Some(Answer::page("no").status(401)),
        "/m5" => Some(Answer::page("no").status(407)),
        _ => None,
    };
    let site = Site::serve(move |path| blog(path, &menu)).await;
    let (_, discovery, Made { plan, .. }) = planned(&site).await;
    assert_eq!(discovery.barred.len(), 5, "what is not there is no page: {:?}", discovery.barred);
    let elsewhere = Barred::Elsewhere("other.example".to_owned());
    assert!(discovery.barred.contains(&(at(&site, "/m2"), elsewhere)), "{:?}", discovery.barred);
    for (path, why) in [
        ("/m1", "a page that the server does not give"),
        ("/m2", "it leads to another site, other.example, and is not followed"),
        ("/m3", "a page that the server refuses to programs"),
        ("/m4", "a page that needs a login"),
        ("/m5", "a page behind a proxy that wants a login"),
    ] {
        let told = format!("<{}>: {why}; it is left out", site.url(path));
        assert!(plan.contains(&told), "{told} in {plan}");
    }
    let unseen: Vec<&str> = discovery.unseen.iter().map(|url| url.path()).collect();
    assert_eq!(unseen, ["/m15", "/m16", "/m17", "/m18", "/m19"]);
    assert!(plan.contains("5 further pages that menus name were not looked at, whether they list articles"), "{plan}");
}
