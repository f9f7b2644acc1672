use std::sync::Arc;
use std::time::Duration;

use assent_crawl::address::{Reach, Refused};
use assent_crawl::fetch::{FetchError, Fetcher, Pages, Rules};
use assent_crawl::page::Kind;
use assent_site::{Answer, Site, made};
use url::Url;

use super::{Fake, at, fetcher};

#[tokio::test]
async fn a_page_is_fetched_once_and_followed_to_where_it_is() {
    let site = Site::serve(made::answer).await;
    let fetcher = fetcher(Rules::default());
    let page = fetcher.page(&at(&site, "/h/hop")).await.unwrap();
    assert_eq!((page.url.path(), page.redirects, page.status, page.kind), ("/about", 1, 200, Kind::Content));
    assert_eq!((page.encoding, page.content_type.as_str(), page.was_cut), ("UTF-8", "text/html", false));
    fetcher.page(&at(&site, "/h/hop#again")).await.unwrap();
    assert_eq!(site.asked(), ["/robots.txt", "/h/hop", "/about"]);
}

#[tokio::test]
async fn what_robots_forbid_is_not_asked_for_also_not_by_a_redirect() {
    let site = Site::serve(made::answer).await;
    let fetcher = fetcher(Rules::default());
    for path in ["/private/x", "/h/to-forbidden", "/news/?print=1"] {
        let error = fetcher.page(&at(&site, path)).await.unwrap_err();
        assert!(matches!(error, FetchError::Robots { .. }), "{path}: {error}");
    }
    assert_eq!(site.asked(), ["/robots.txt", "/h/to-forbidden"]);
}

#[tokio::test]
async fn a_site_whose_robots_cannot_be_read_is_left_alone_and_one_without_them_is_not() {
    let without =
        Site::serve(|path| if path == "/robots.txt" { Answer::missing() } else { Answer::page("<p>Hello there</p>") })
            .await;
    assert!(fetcher(Rules::default()).page(&at(&without, "/")).await.is_ok());
    let failing = Site::serve(|path| Answer::page("x").status(if path == "/robots.txt" { 503 } else { 200 })).await;
    let error = fetcher(Rules::default()).page(&at(&failing, "/")).await.unwrap_err();
    assert!(matches!(error, FetchError::Robots { .. }), "{error}");
    assert_eq!(failing.asked(), ["/robots.txt"]);
}

#[tokio::test]
async fn a_site_is_asked_no_more_often_than_it_wants() {
    let robots = || Answer::of("text/plain", b"User-agent: *\nCrawl-delay: 3".to_vec());
    let site = Site::serve(move |path| if path == "/robots.txt" { robots() } else { Answer::page("<p>x</p>") }).await;
    let clock = Arc::new(Fake::default());
    let fetcher = Fetcher::new(Reach::new(["127.0.0.1"]), Rules::default(), clock.clone()).unwrap();
    for path in ["/1", "/2", "/3", "/1"] {
        fetcher.page(&at(&site, path)).await.unwrap();
    }
    assert_eq!(*clock.waited.lock().unwrap(), [Duration::from_secs(3), Duration::from_secs(3)]);
}

#[tokio::test]
async fn nobody_leads_into_a_network_that_was_not_named() {
    let site = Site::serve(made::answer).await;
    let fetcher = fetcher(Rules::default());
    let private = |host: &str| FetchError::Refused(Refused::Private(host.to_owned()));
    assert_eq!(fetcher.page(&at(&site, "/h/to-private")).await.unwrap_err(), private("169.254.169.254"));
    assert_eq!(fetcher.page(&at(&site, "/h/to-neighbour")).await.unwrap_err(), private("127.0.0.2"));
    let file = fetcher.page(&at(&site, "/h/to-file")).await.unwrap_err();
    assert_eq!(file, FetchError::Refused(Refused::Scheme("file".to_owned())));

    let stranger = Fetcher::new(Reach::new(["*"]), Rules::default(), Arc::<Fake>::default()).unwrap();
    assert_eq!(stranger.page(&at(&site, "/")).await.unwrap_err(), private("127.0.0.1"));
    // A name that is not public where it leads: the address that was looked up is what counts.
    let named = Fetcher::new(Reach::new(["ip6-localhost", "*"]), Rules::default(), Arc::<Fake>::default()).unwrap();
    let port = Url::parse(&site.url("/")).unwrap().port().unwrap();
    let error = named.page(&Url::parse(&format!("http://ip6-localhost:{port}/")).unwrap()).await.unwrap_err();
    assert!(matches!(error, FetchError::Refused(Refused::Private(_)) | FetchError::Network { .. }), "{error:?}");
}

#[tokio::test]
async fn a_host_that_cannot_be_reached_is_told() {
    let gone = Site::serve(|_| Answer::page("")).await.url("/");
    tokio::task::yield_now().await;
    let error = fetcher(Rules { time: Duration::from_secs(2), ..Rules::default() })
        .page(&Url::parse(&gone).unwrap())
        .await
        .unwrap_err();
    assert!(matches!(error, FetchError::Network { .. }), "{error:?}");
    assert!(error.to_string().starts_with("127.0.0.1 could not be asked: "), "{error}");
}
