//! Lists that go on in ways of their own, and those of which not all can be read.

use assent_crawl::fetch::Rules;
use assent_crawl::follow::{Bounds, Followed, follow};
use assent_crawl::make::Made;
use assent_crawl::plan::read;
use assent_site::{Answer, Site};

use super::planning::{archive, blog, planned};
use super::{at, fetcher};

/// Three articles, from this number on.
fn entries(from: usize) -> String {
    let entry = |n: usize| format!("<li class=t><a href=/a/{n}>A long story about the number {n}</a></li>");
    format!("<ul>{}</ul>", (from..from + 3).map(entry).collect::<String>())
}

/// A blog of three pages with numbers, whose first has none: what stands at its number is told.
fn numbered(path: &str, first: &dyn Fn() -> Answer) -> Answer {
    let list = |path: &str| match path {
        "/blog/page1/" => Some(first()),
        "/" => Some(Answer::page("<nav><a href=/blog/>Blog</a></nav><h1>Hello</h1>")),
        "/blog/" => Some(Answer::page(entries(0) + "<a href=/blog/page2/>2</a> <a href=/blog/page3/>3</a>")),
        "/blog/page2/" => Some(Answer::page(entries(3) + "<a href=/blog/>1</a> <a href=/blog/page3/>3</a>")),
        "/blog/page3/" => Some(Answer::page(entries(6) + "<a href=/blog/>1</a> <a href=/blog/page2/>2</a>")),
        _ => None,
    };
    blog(path, &list)
}

#[tokio::test]
async fn numbered_pages_are_read_also_where_none_has_the_first_number() {
    let gone: fn() -> Answer = Answer::missing;
    let empty = || Answer::page("<p>Nothing is here.");
    let alias = || Answer::page("<meta http-equiv=refresh content='0; url=/blog/'>");
    for first in [gone, empty, alias, || Answer::missing().status(410)] {
        let site = Site::serve(move |path| numbered(path, &first)).await;
        let (_, _, Made { plan, verdict, .. }) = planned(&site).await;
        assert_eq!((verdict.valid, verdict.articles, verdict.left_out), (true, 9, vec![]), "{plan}");
        assert!(plan.contains("**numbered pages**"), "{plan}");
    }
}

/// A blog of one page, and what stands behind its list.
async fn with(behind: &'static str) -> Made {
    let site = Site::serve(move |path| {
        let list = |path: &str| match path {
            "/" => Some(Answer::page(entries(0) + behind)),
            "/more" => Some(Answer::of("application/json", b"{\"entries\": [\"<li>\"]}".to_vec())),
            _ => None,
        };
        blog(path, &list)
    });
    planned(&site.await).await.2
}

#[tokio::test]
async fn a_list_that_only_a_script_continues_is_not_taken_for_all_of_it() {
    for behind in [
        "<button class=btn>Load more</button>",
        "<button class='btn load-more' data-url=/more>Load more articles</button>",
        "<a href=/more class=all>Load more</a>",
        "<div role=button tabindex=0>Mehr laden</div>",
        "<a href='#' onclick='more()'>Show more</a>",
        "<button aria-label='Load older posts'><svg></svg></button>",
        "<div class=pagination><button disabled>1</button><button>2</button><button>3</button></div>",
        "<ul class=pagination><li class=page-item><a class=page-link href='javascript:void(0)'>»</a></li></ul>",
        "<nav aria-label=Pagination><a href='#'>Next</a></nav>",
    ] {
        let Made { plan, verdict, .. } = with(behind).await;
        let told = "goes on by a script, for which a browser is needed";
        assert_eq!((verdict.valid, verdict.articles, verdict.left_out.len()), (true, 3, 1), "{behind}\n{plan}");
        assert!(verdict.left_out[0].contains(told), "{:?}", verdict.left_out);
        assert_eq!(plan.matches(told).count(), 2, "its pages and its notes say so: {behind}\n{plan}");
        assert!(!plan.contains("all of it is on one page"), "{behind}\n{plan}");
    }
}

#[tokio::test]
async fn a_list_without_a_sign_of_more_is_all_of_it() {
    for behind in [
        "",
        "<button>Read more</button><button>Menu</button><a href=/about>More about us</a>",
        "<button>Show more</button><button>Show more</button>",
        "<button hidden>Load more</button><button class='more disabled'>Load more</button>",
        "<button style='display: none'>Load more</button>",
        "<div class=pagination><a href='#'>1</a><button disabled>Next</button></div>",
        "<ul class=pagination><li class=disabled><a href='#'>Next</a></li></ul>",
        "<div class=gallery><button>2</button><button>Next</button></div>",
    ] {
        let Made { plan, verdict, .. } = with(behind).await;
        assert_eq!((verdict.articles, verdict.left_out), (3, vec![]), "{behind}\n{plan}");
        assert!(plan.contains("all of it is on one page"), "{behind}\n{plan}");
    }
}

#[tokio::test]
async fn a_link_that_loads_more_is_followed_as_one_to_the_next_page() {
    let site = Site::serve(|path| {
        let list = |path: &str| match path {
            "/" => Some(Answer::page(entries(0) + "<a class=all href='/?from=3'>Load more stories</a>")),
            "/?from=3" => Some(Answer::page(entries(3))),
            _ => None,
        };
        blog(path, &list)
    });
    let (_, _, Made { plan, verdict, .. }) = planned(&site.await).await;
    assert_eq!((verdict.articles, verdict.left_out), (6, vec![]), "{plan}");
    assert!(plan.contains("**next link**: follow `a.all@href`"), "{plan}");
}

#[tokio::test]
async fn a_next_page_that_the_site_does_not_give_is_told() {
    for (next, told) in [("/private/2", "robots.txt"), ("/broken/2", "status 500"), ("/gone/2", "")] {
        let site = Site::serve(move |path| {
            let list = |path: &str| match path {
                "/robots.txt" => Some(Answer::of("text/plain", b"User-agent: *\nDisallow: /private".to_vec())),
                "/" => Some(Answer::page(entries(0) + &format!("<a rel=next href={next}>Older</a>"))),
                "/broken/2" => Some(Answer::page("<h1>Sorry").status(500)),
                _ => None,
            };
            blog(path, &list)
        });
        let (_, _, Made { plan, verdict, .. }) = planned(&site.await).await;
        assert_eq!((verdict.valid, verdict.articles), (true, 3), "{verdict:?}\n{plan}");
        assert_eq!(verdict.left_out.len(), usize::from(!told.is_empty()), "{:?}", verdict.left_out);
        assert!(verdict.left_out.iter().all(|left| left.contains(told) && plan.contains(left)), "{plan}");
    }
}

/// What a plan of the whole archive finds where its fifth month is this page.
async fn with_month(month: &'static str) -> (Site, Followed) {
    let whole = Site::serve(|path| archive(path, &|_| None)).await;
    let mut config = read(&planned(&whole).await.2.plan).unwrap();
    let of = move |path: &str| (path == "/2024/05/").then(|| Answer::page(entries(12) + month));
    let site = Site::serve(move |path| archive(path, &of)).await;
    config.listings[0].url = at(&site, "/");
    let followed = follow(&config, &fetcher(Rules::default()), Bounds::default()).await;
    (site, followed)
}

#[tokio::test]
async fn a_month_that_goes_on_in_any_way_says_so() {
    for (month, told) in [
        ("<b>1</b> <a href=/2024/05/page/2/>2</a> <a href=/2024/05/page/3/>3</a>", "/2024/05/page/2/"),
        // A pager beside a calendar.
        (
            "<td><a href=/2024/05/02/>2</a><td><a href=/2024/05/03/>3</a><td><a href=/2024/05/04/>4</a></table>\
             <a href='?page=2'>2</a> <a href='?page=3'>3</a>",
            "/2024/05/?page=2",
        ),
        ("<button class=load-more data-url=/2024/05/more>Load more</button>", "/2024/05/more"),
    ] {
        let (site, found) = with_month(month).await;
        let told = format!("{} goes on at {}, where nobody looks", site.url("/2024/05/"), site.url(told));
        assert_eq!((found.lists[0].articles.len(), found.lists[0].left_out.as_deref()), (18, Some(told.as_str())));
    }
    let (site, found) = with_month("<button>Load more</button>").await;
    let told = format!("{} goes on by a script, for which a browser is needed", site.url("/2024/05/"));
    assert_eq!(found.lists[0].left_out.as_deref(), Some(told.as_str()));
}

#[tokio::test]
async fn numbers_of_a_month_that_are_no_pages_of_it_say_nothing() {
    for month in [
        "<td><a href=/2024/05/02/>2</a><td><a href=/2024/05/03/>3</a>",
        "<a href=/2023/>2023</a> <a href=/2022/>2022</a>",
        "<a href=/a/12#answers>2</a> <a href=/a/14#answers>3</a>",
        "<a href=/2024/04/>Next</a> <a href=/>Older</a>",
    ] {
        let (_, found) = with_month(month).await;
        assert_eq!((found.lists[0].articles.len(), &found.lists[0].left_out), (18, &None), "{month}");
    }
}

#[tokio::test]
async fn a_list_of_more_tags_than_are_read_says_what_was_left_out() {
    let long = |tags: usize| {
        let list = move |path: &str| {
            let page = || entries(0) + "<nobr>x</nobr>" + &"<br>".repeat(tags) + &entries(3);
            (path == "/").then(|| Answer::page(page()))
        };
        Site::serve(move |path| blog(path, &list))
    };
    let site = long(60_000).await;
    let (_, _, Made { plan, verdict, .. }) = planned(&site).await;
    let told = format!("{} has more than the 60000 tags that are read of a page.", site.url("/"));
    assert_eq!((verdict.valid, verdict.articles, verdict.left_out.len()), (true, 3, 1), "{plan}");
    assert!(verdict.left_out[0].ends_with(&told) && plan.contains(&told), "{:?}\n{plan}", verdict.left_out);
    // A tag that means nothing here is left out of many pages, with nothing lost.
    let (_, _, Made { verdict, .. }) = planned(&long(10).await).await;
    assert_eq!((verdict.articles, verdict.left_out), (6, vec![]));
}

#[tokio::test]
async fn a_plan_waits_as_long_as_its_site_wants_and_no_less_than_is_usual() {
    for (delay, seconds) in [("10", 10.0), ("2.5", 2.5), ("0.2", 1.0), ("none", 1.0)] {
        let robots = move |path: &str| {
            let rules = format!("User-agent: *\nCrawl-delay: {delay}");
            match path {
                "/robots.txt" => Some(Answer::of("text/plain", rules.into_bytes())),
                "/" => Some(Answer::page(entries(0))),
                _ => None,
            }
        };
        let site = Site::serve(move |path| blog(path, &robots)).await;
        let (_, _, Made { plan, verdict, .. }) = planned(&site).await;
        assert!(verdict.valid, "{verdict:?}");
        assert!(plan.contains(&format!("- Wait {seconds} seconds between two requests;")), "{plan}");
        assert_eq!(read(&plan).unwrap().request.wait_seconds, seconds, "{delay}");
    }
}

#[tokio::test]
async fn a_list_beside_which_one_may_sign_in_is_read() {
    let list = |path: &str| {
        let login = "<aside><form action=/in><input name=u><input type=password name=p></form></aside>";
        (path == "/").then(|| Answer::page(login.to_owned() + &entries(0) + &entries(3)))
    };
    let site = Site::serve(move |path| blog(path, &list)).await;
    let (_, discovery, Made { plan, verdict, .. }) = planned(&site).await;
    assert_eq!((verdict.valid, verdict.articles, discovery.barred), (true, 6, vec![]), "{plan}");
}

#[tokio::test]
async fn articles_without_a_paragraph_are_found_and_read() {
    let line = "It was said at length, and in whole sentences, what there is to say. ";
    let old = move |path: &str| match path.strip_prefix("/a/") {
        Some(n) => Some(Answer::page(format!(
            "<title>Story {n}</title><table><tr><td><a href=/>Home</a></td><td><h2>Story {n}</h2><font class=text>{n}. \
             {line}<br><br>{line}{line}{line}</font></td></tr></table>"
        ))),
        None => (path == "/").then(|| Answer::page(entries(0) + &entries(3))),
    };
    let site = Site::serve(move |path| blog(path, &old)).await;
    let (_, _, Made { plan, verdict, .. }) = planned(&site).await;
    assert_eq!((verdict.valid, verdict.articles), (true, 6), "{verdict:?}\n{plan}");
    assert!(plan.contains("font.text"), "{plan}");
}
