use serde_json::json;

use super::*;

fn at(text: &str) -> Url {
    Url::parse(text).unwrap()
}

fn found(page: &str, url: &str) -> Vec<Paging> {
    candidates(&Dom::parse(page), &at(url))
}

fn pick(text: &str) -> Pick {
    text.parse().unwrap()
}

#[test]
fn a_next_link_is_found_by_relation_class_word_and_sign() {
    let next = |selector: &str| vec![Paging::NextLink { selector: pick(selector) }];
    let url = "https://a.org/news?page=3";
    assert_eq!(found("<link rel=next href='?page=4'>", url), next("link[rel=next]@href"));
    assert_eq!(found("<a rel='nofollow next' href='?page=4'>x</a>", url), next("a[rel~=next]@href"));
    assert_eq!(
        found("<p><a class=newer href='?page=2'>Newer</a><a class=older href='?page=4'>Older posts »</a>", url),
        next("a.older@href")
    );
    assert_eq!(found("<p class=pg><a class=next-page href=/x>go</a>", url), next("a.next-page@href"));
    assert_eq!(found("<a href=/p>‹</a><div class=fwd><a href=/x>›</a></div>", url), next("div.fwd a@href"));
    assert_eq!(found("<a rel=next href='?page=3'>here</a>", url), [], "it leads to itself");
    assert_eq!(found("<a href=/x>The next big thing</a>", url), []);
}

#[test]
fn a_button_that_names_an_address_loads_more() {
    let page =
        "<ul><li data-url='/item/1'>x</li></ul><button class='load-more' data-url='/list?offset=10'>Load more</button>";
    assert_eq!(found(page, "https://a.org/"), [Paging::LoadMore { selector: pick("button.load-more@data-url") }]);
    let page = "<div data-next='/list?offset=10'></div>";
    assert_eq!(found(page, "https://a.org/"), [Paging::LoadMore { selector: pick("div[data-next]@data-next") }]);
    assert_eq!(found("<button data-url='/buy'>Buy</button>", "https://a.org/"), []);
}

#[test]
fn numbered_pages_are_told_with_their_first_and_their_step() {
    let pages = |links: &[(&str, &str)]| {
        links.iter().map(|(to, text)| format!("<a href='{to}'>{text}</a>")).collect::<String>()
    };
    let numbered = |template: &str, first, step| vec![Paging::Numbered { template: template.to_owned(), first, step }];
    let url = "https://a.org/news";
    let links = [("?page=1", "1"), ("?page=2", "2"), ("?page=9", "9")];
    assert_eq!(found(&pages(&links), url), numbered("https://a.org/news?page={}", 1, 1));
    let links = [("/news?q=7&start=20", "2"), ("/news?q=7&start=40", "3")];
    assert_eq!(found(&pages(&links), url), numbered("https://a.org/news?q=7&start={}", 0, 20));
    assert_eq!(found(&pages(&[("/news/page/2/", "2")]), url), numbered("https://a.org/news/page/{}/", 1, 1));
    assert_eq!(found(&pages(&[("?p=1", "2"), ("?p=2", "3")]), url), numbered("https://a.org/news?p={}", 0, 1));
    assert_eq!(found(&pages(&[("/a/10", "3"), ("/b/17", "4")]), url), []);
    assert_eq!(found(&pages(&[("/x/99999999999999999999999", "2"), ("/x/0", "18446744073709551615")]), url), []);
}

#[test]
fn of_thousands_of_numbers_in_thousands_of_links_the_page_is_the_last() {
    let folder = "1/".repeat(990);
    let links: String = (1..=5_000).map(|n| format!("<a href={n}>{n}</a>")).collect();
    let template = format!("https://a.org/{folder}{{}}");
    let page = format!("<base href='/{folder}'>{links}");
    assert_eq!(found(&page, "https://a.org/"), [Paging::Numbered { template, first: 1, step: 1 }]);
    // The links to pages may stand behind all others that have a number.
    let others: String = (1..=4_000).map(|n| format!("<a href='/c/{}'>{n}</a>", n * n)).collect();
    let page = format!("{others}<a href='/news?p=2'>2</a><a href='/news?p=3'>3</a>");
    let template = "https://a.org/news?p={}".to_owned();
    assert_eq!(found(&page, "https://a.org/news"), [Paging::Numbered { template, first: 1, step: 1 }]);
}

#[test]
fn an_endpoint_of_a_list_that_grows_is_tried_and_its_data_understood() {
    let page = "<div id=feed data-endpoint='/api/items?limit=5' data-cursor='' data-param=after></div>";
    let paging = found(page, "https://a.org/live").remove(0);
    let url = paging.at("a b").unwrap();
    assert_eq!(url.as_str(), "https://a.org/api/items?limit=5&after=a+b");
    let data =
        json!({"meta": {"next": "m2", "tags": ["x"]}, "data": [{"id": 1, "url": "/s/1"}, {"id": 2, "url": "/s/2"}]});
    let whole = with_data(&paging, &data, &url).unwrap();
    let Paging::Cursor { items, link, next, .. } = &whole else { panic!() };
    assert_eq!((items.as_str(), link.as_str(), next.as_str()), ("/data", "/url", "/meta/next"));
    let places = Data { items: items.clone(), link: link.clone(), next: next.clone() };
    let (urls, mark) = read_data(&data, &places, &url).unwrap();
    assert_eq!((urls[1].as_str(), mark.as_deref()), ("https://a.org/s/2", Some("m2")));
    let last = json!({"meta": {"next": null}, "data": []});
    assert_eq!(read_data(&last, &places, &url), Some((vec![], None)));
    assert_eq!(read_data(&json!([]), &places, &url), None);
    assert_eq!(with_data(&paging, &json!({"items": [1, 2]}), &url), None);
}

#[test]
fn archives_are_told_from_articles() {
    let page = "<ul class=months><li><a href='/2024/05/'>May</a><li><a href='/2024/04/'>April</a></ul>\
                <a href='/2024/05/31/a-story'>A story</a><a href='/2024/05/30/b-story'>B</a>";
    assert_eq!(found(page, "https://a.org/"), [Paging::Archive { selector: pick("li a@href") }]);
    let page = "<div class=m><a href='?m=2024-05'>May</a><a href='?m=2024-04'>April</a></div>";
    assert_eq!(found(page, "https://a.org/b"), [Paging::Archive { selector: pick("div.m a@href") }]);
    assert_eq!(found("<a href=/story/2024>x</a>", "https://a.org/"), [], "one is no archive");
}

#[test]
fn it_is_written_as_it_is_read() {
    for paging in [
        Paging::None,
        Paging::NextLink { selector: pick("a.next@href") },
        Paging::Numbered { template: "https://a.org/?p={}".to_owned(), first: 1, step: 1 },
    ] {
        let text = serde_json::to_string(&paging).unwrap();
        assert_eq!(serde_json::from_str::<Paging>(&text).unwrap(), paging, "{text}");
    }
    assert!(serde_json::from_str::<Paging>(r#"{"kind": "next_link", "selector": "a[@href"}"#).is_err());
    assert!(serde_json::from_str::<Paging>(r#"{"kind": "telepathy"}"#).is_err());
}
