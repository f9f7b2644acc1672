use std::time::{Duration, Instant};

use assent_crawl::article::{is_article, known};
use assent_crawl::fetch::{FetchError, Pages, Rules};
use assent_crawl::follow::{Bounds, follow_list};
use assent_crawl::html::Dom;
use assent_crawl::links::{MOST_LINKS, links};
use assent_crawl::measure::Property;
use assent_crawl::page::Kind;
use assent_crawl::paging::Paging;
use assent_crawl::plan::Listing;
use assent_crawl::{listing, paging};
use assent_site::{Site, made};

use super::{at, fetcher};

#[tokio::test]
async fn what_is_sent_on_for_ever_ends() {
    let site = Site::serve(made::answer).await;
    let fetcher = fetcher(Rules::default());
    for path in ["/h/loop", "/h/ping", "/h/chain"] {
        let error = fetcher.page(&at(&site, path)).await.unwrap_err();
        assert!(matches!(error, FetchError::Redirects { .. }), "{path}: {error}");
        assert!(error.to_string().contains("led nowhere"), "{error}");
    }
    assert!(site.asked().len() <= 1 + 4 + 4 + 11, "{:?}", site.asked());
}

#[tokio::test]
async fn of_a_page_of_a_hundred_megabytes_so_much_is_read() {
    let site = Site::serve(made::answer).await;
    let rules = Rules { most_bytes: 1 << 20, ..Rules::default() };
    for path in ["/h/huge", "/h/endless"] {
        let page = fetcher(rules.clone()).page(&at(&site, path)).await.unwrap();
        assert_eq!((page.was_cut, page.text.len()), (true, 1 << 20), "{path}");
        assert!(page.text.starts_with("<p>words and words"));
    }
}

#[tokio::test]
async fn who_never_answers_is_given_up() {
    let site = Site::serve(
        |path: &str| if path == "/robots.txt" { assent_site::Answer::missing() } else { made::answer(path) },
    )
    .await;
    let rules = Rules { time: Duration::from_millis(300), ..Rules::default() };
    let error = fetcher(rules).page(&at(&site, "/h/silent")).await.unwrap_err();
    assert!(matches!(error, FetchError::TimedOut { .. }), "{error}");
}

#[tokio::test]
async fn lies_about_the_encoding_are_seen() {
    let site = Site::serve(made::answer).await;
    let fetcher = fetcher(Rules::default());
    for (path, encoding, text, lie) in [
        ("/h/latin", "windows-1252", "café", Some("the server says utf-8, it is windows-1252")),
        ("/h/utf8", "UTF-8", "café", Some("the server says iso-8859-1, it is UTF-8")),
        ("/h/sixteen", "UTF-16BE", "zwölf", None),
    ] {
        let page = fetcher.page(&at(&site, path)).await.unwrap();
        assert_eq!((page.encoding, page.lie.as_deref()), (encoding, lie), "{path}");
        assert!(page.text.contains(text), "{path}: {}", page.text);
    }
}

#[tokio::test]
async fn empty_pages_logins_apps_and_failures_are_told_apart() {
    let site = Site::serve(made::answer).await;
    let fetcher = fetcher(Rules::default());
    for (path, kind) in [
        ("/blank", Kind::Empty),
        ("/members/", Kind::Login),
        ("/h/401", Kind::Login),
        ("/h/403", Kind::Forbidden),
        ("/h/407", Kind::Proxy),
        ("/app/", Kind::NeedsBrowser),
        ("/nowhere", Kind::Failed),
        ("/h/500", Kind::Failed),
        ("/h/binary", Kind::Other),
        ("/api/stream", Kind::Data),
        ("/news/", Kind::Content),
    ] {
        assert_eq!(fetcher.page(&at(&site, path)).await.unwrap().kind, kind, "{path}");
    }
}

#[tokio::test]
async fn pages_that_are_made_to_hurt_are_read_within_bounds() {
    read_within_bounds(&[
        "/h/deep",
        "/h/links",
        "/h/attributes",
        "/h/broken",
        "/h/picture",
        "/h/unclosed",
        "/h/quotes",
    ])
    .await;
}

#[tokio::test]
async fn pages_whose_parts_are_many_are_looked_at_within_bounds() {
    read_within_bounds(&["/h/lists", "/h/buttons", "/h/numbers", "/h/classes", "/h/nested", "/h/title"]).await;
}

async fn read_within_bounds(paths: &[&str]) {
    let site = Site::serve(made::answer).await;
    let fetcher = fetcher(Rules::default());
    let begun = Instant::now();
    for path in paths {
        let page = fetcher.page(&at(&site, path)).await.unwrap();
        let dom = Dom::parse(&page.text);
        drop((is_article(&dom), listing::candidates(&dom, &page.url), paging::candidates(&dom, &page.url)));
        // What a crawl looks for in a list that may go on.
        let pagination = Paging::Archive { selector: "a.none@href".parse().unwrap() };
        let list = Listing { url: page.url.clone(), items: vec!["a@href".parse().unwrap()], pagination };
        assert_eq!(follow_list(&list, &fetcher, Bounds::default()).await.pages, 1);
        assert!(links(&dom, &page.url).len() <= MOST_LINKS);
        assert_eq!(known(&[&dom], &[]).len(), Property::ALL.len());
        // Read without bounds, each of them takes minutes; a slow machine has room.
        assert!(begun.elapsed() < Duration::from_secs(60), "{path}: {:?}", begun.elapsed());
    }
}

#[tokio::test]
async fn data_that_are_made_to_hurt_are_understood_within_bounds() {
    let site = Site::serve(made::answer).await;
    let page = fetcher(Rules::default()).page(&at(&site, "/h/keys")).await.unwrap();
    let data = serde_json::from_str(&page.text).unwrap();
    let dom = Dom::parse("<div data-endpoint=/h/keys></div>");
    let way = paging::candidates(&dom, &page.url).remove(0);
    // Each of a hundred thousand values stands below a name of a million letters, and a list of addresses beside them.
    let Some(Paging::Cursor { items, link, .. }) = paging::with_data(&way, &data, &page.url) else { panic!() };
    assert_eq!((items.as_str(), link.as_str()), ("/items", "/url"));
}
