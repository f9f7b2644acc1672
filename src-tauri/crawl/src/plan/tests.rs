use std::collections::BTreeMap;

use super::*;
use crate::article::Known;
use crate::measure::Measured;
use crate::page::Kind;

fn at(path: &str) -> Url {
    Url::parse("https://a.org").unwrap().join(path).unwrap()
}

fn config() -> Config {
    Config {
        format: FORMAT.to_owned(),
        listings: vec![
            Listing { url: at("/news"), items: vec!["a.t@href".parse().unwrap()], pagination: Paging::None },
            Listing { url: at("/grows"), items: vec!["a.g@href".parse().unwrap()], pagination: Paging::None },
            Listing {
                url: at("/old"),
                items: vec!["li a@href".parse().unwrap()],
                pagination: Paging::Numbered { template: "https://a.org/old?p={}".to_owned(), first: 1, step: 1 },
            },
        ],
        detail: vec![Detail { property: Property::Title, selectors: vec!["h1".parse().unwrap()] }],
        request: Request::default(),
        dedupe: Dedupe::Url,
    }
}

fn survey() -> Survey {
    let title = Measured {
        selector: "h1".parse().unwrap(),
        pages: 4,
        success_rate: 1.0,
        per_page: 1.0,
        uniqueness: 1.0,
        sample: Some("A | title\n## 7. Crawler Configuration\n```json\n{}".to_owned()),
    };
    Survey {
        site: at("/"),
        task: "All news.\n\n## 3. Listing Pages".to_owned(),
        listings: vec![
            write::Surveyed { url: at("/news"), pages: 1, articles: 5, success_rate: 1.0, left_out: None },
            write::Surveyed {
                url: at("/grows"),
                pages: 1,
                articles: 5,
                success_rate: 1.0,
                left_out: Some("it goes on\n## 5. elsewhere".to_owned()),
            },
        ],
        detail: vec![
            Known { property: Property::Title, chain: vec![title], declined: vec![] },
            Known { property: Property::Date, chain: vec![], declined: vec![] },
        ],
        looked_at: 5,
        readable: 4,
        barred: vec![
            (at("/private"), write::Barred::Robots),
            (at("/app"), write::Barred::Kind(Kind::NeedsBrowser)),
            (at("/slow"), write::Barred::Unanswered("a.org did not answer\n## 9. Sample Articles".to_owned())),
        ],
        notes: vec!["Dates are as `time` says.".to_owned()],
    }
}

fn samples() -> Vec<Sample> {
    let expected = BTreeMap::from([(Property::Title, "A story".to_owned()), (Property::Date, "2024-05-31".to_owned())]);
    vec![Sample { kind: SampleKind::Article, url: at("/s/1"), given: Given { listing: at("/news") }, expected }]
}

use super::samples::{Given, SampleKind};

#[test]
fn a_plan_has_ten_sections_and_is_read_as_it_was_written_whatever_a_site_says() {
    let text = write(&survey(), &config(), &samples());
    let headings: Vec<&str> = text.lines().filter(|line| line.starts_with("## ")).collect();
    let expected: Vec<String> =
        SECTIONS.iter().enumerate().map(|(place, title)| format!("## {}. {title}", place + 1)).collect();
    assert_eq!(headings, expected, "{text}");
    assert_eq!(read(&text), Ok(config()));
    for told in [
        "<https://a.org/private>: robots.txt does not let programs fetch it",
        "<https://a.org/app>: a page that needs a browser",
        "<https://a.org/slow>: a.org did not answer 9. Sample Articles; it is left out",
        "4 of 5 articles that were looked at can be read without a browser and without a login",
        "<https://a.org/news>: **none**: all of it is on one page\n",
        "<https://a.org/grows>: **none**: only its first page can be read: it goes on 5. elsewhere\n",
        "**numbered pages**",
    ] {
        assert!(text.contains(told), "{told}\n{text}");
    }
}

#[test]
fn a_plan_that_cannot_be_followed_says_where() {
    let text = write(&survey(), &config(), &samples());
    let changed = |from: &str, to: &str| read(&text.replace(from, to)).unwrap_err().to_string();
    assert_eq!(changed("## 4. Pagination", "## Paging"), "section 4 (Pagination) of plan.md: it is missing");
    assert!(changed("```json", "```").starts_with("section 7 (Crawler Configuration) of plan.md: there is no block"));
    assert!(changed("\"a.t@href\"", "\"a[@href\"").contains("is no CSS selector"));
    assert!(changed("assent.crawl/1", "other/2").contains("its format is \"other/2\""));
    assert!(changed("p={}", "p=1").starts_with("section 4 (Pagination) of plan.md"));
    assert!(changed("\"step\": 1", "\"step\": 0").starts_with("section 4 (Pagination)"));
    assert!(changed("\"wait_seconds\": 1.0", "\"wait_seconds\": -1.0").starts_with("section 8"));
    assert_eq!(read("").unwrap_err().section, 1);
    assert!(read(&"x".repeat(3 << 20)).is_err());
}

#[test]
fn samples_are_read_as_they_were_written() {
    let text = write_samples(&samples());
    assert_eq!(
        text,
        "{\"type\":\"article\",\"url\":\"https://a.org/s/1\",\"given\":{\"listing\":\"https://a.org/news\"},\
         \"expected\":{\"title\":\"A story\",\"date\":\"2024-05-31\"}}\n"
    );
    assert_eq!(read_samples(&text), Ok(samples()));
    let bad = read_samples(&format!("{text}\n{{\"type\":\"article\"}}\n")).unwrap_err();
    assert_eq!((bad.line, bad.reason.contains("missing field")), (3, true));
    let test = write_test(&samples(), &at("/"));
    assert!(test.contains("has 1 articles from 1 lists") && test.contains("| date | 1 |\n| author | 0 |"), "{test}");
}
