use std::collections::HashSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use assent_crawl::address::{Reach, Refused};
use assent_crawl::fetch::{Clock as _, FetchError, Fetcher, Pages, Rules};
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
    for status in [503, 429] {
        let rules = move |path: &str| Answer::page("x").status(if path == "/robots.txt" { status } else { 200 });
        let failing = Site::serve(rules).await;
        let error = fetcher(Rules::default()).page(&at(&failing, "/")).await.unwrap_err();
        assert!(matches!(error, FetchError::Robots { .. }), "{error}");
        assert_eq!(failing.asked(), ["/robots.txt"]);
    }
    // Its rules stand where nobody may ask: they are not known, and it is told where they are.
    let away = |path: &str| match path {
        "/robots.txt" => Answer::to("http://rules.example/robots.txt"),
        _ => Answer::page("x"),
    };
    let away = Site::serve(away).await;
    let error = fetcher(Rules::default()).page(&at(&away, "/")).await.unwrap_err();
    assert_eq!(error, FetchError::Refused(Refused::Host("rules.example".to_owned())));
    let round = |path: &str| if path == "/" { Answer::page("x") } else { Answer::to("/robots.txt?again") };
    assert!(fetcher(Rules::default()).page(&at(&Site::serve(round).await, "/")).await.is_ok());
}

/// A site without rules that answers so the first time it is asked for a path, and with a page from then on.
async fn failing_once(first: impl Fn(&str) -> Answer + Send + Sync + 'static) -> Site {
    let known = Mutex::new(HashSet::new());
    let is_first = move |path: &str| known.lock().unwrap().insert(path.to_owned());
    Site::serve(move |path| match path {
        "/robots.txt" => Answer::missing(),
        path if is_first(path) => first(path),
        _ => Answer::page("<p>Hello there</p>"),
    })
    .await
}

/// Has so much to do that it wants to be asked again in so many seconds.
fn busy(status: u16, seconds: u64) -> Answer {
    let mut answer = Answer::page("later").status(status);
    answer.headers.push(("Retry-After".to_owned(), seconds.to_string()));
    answer
}

#[tokio::test]
async fn what_a_site_failed_to_give_is_asked_for_again_and_what_it_said_is_not() {
    let site = failing_once(|path| Answer::page("no").status(path[1..].parse().unwrap())).await;
    let fetcher = fetcher(Rules::default());
    let status = async |path: &str| fetcher.page(&at(&site, path)).await.unwrap().status;
    let mut asked = vec!["/robots.txt"];
    for (path, first, then) in
        [("/429", 429, 200), ("/500", 500, 200), ("/503", 503, 200), ("/404", 404, 404), ("/410", 410, 410)]
    {
        assert_eq!((status(path).await, status(path).await, status(path).await), (first, then, then));
        asked.extend(std::iter::repeat_n(path, if first == then { 1 } else { 2 }));
    }
    assert_eq!(site.asked(), asked);
}

#[tokio::test]
async fn a_site_that_failed_to_say_what_it_allows_is_left_alone_for_a_moment_only() {
    let failed = Mutex::new(false);
    let site = Site::serve(move |path| match path {
        "/robots.txt" if !std::mem::replace(&mut *failed.lock().unwrap(), true) => Answer::page("no").status(503),
        "/robots.txt" => Answer::of("text/plain", b"User-agent: *\nDisallow: /private/".to_vec()),
        _ => Answer::page("<p>Hello there</p>"),
    })
    .await;
    let clock = Arc::new(Fake::default());
    let fetcher = Fetcher::new(Reach::new(["127.0.0.1"]), Rules::default(), clock.clone()).unwrap();
    for _ in 0..2 {
        let error = fetcher.page(&at(&site, "/")).await.unwrap_err();
        assert!(matches!(error, FetchError::Robots { .. }), "{error}");
    }
    assert_eq!(site.asked(), ["/robots.txt"]);
    clock.sleep(Duration::from_secs(30)).await;
    assert_eq!(fetcher.page(&at(&site, "/")).await.unwrap().status, 200);
    clock.sleep(Duration::from_secs(3_600)).await;
    let error = fetcher.page(&at(&site, "/private/")).await.unwrap_err();
    assert!(matches!(error, FetchError::Robots { .. }), "{error}");
    assert_eq!(site.asked(), ["/robots.txt", "/robots.txt", "/"]);
}

/// The same, said as a moment seven seconds after its own.
fn busy_until(status: u16) -> Answer {
    let mut answer = Answer::page("later").status(status);
    for (name, moment) in [("Date", "08:49:37"), ("Retry-After", "08:49:44")] {
        answer.headers.push((name.to_owned(), format!("Sun, 06 Nov 1994 {moment} GMT")));
    }
    answer
}

#[tokio::test]
async fn who_wants_to_be_left_alone_for_a_moment_is_asked_again_after_it() {
    let site = failing_once(|path| if path == "/a" { busy(503, 7) } else { busy_until(429) }).await;
    let clock = Arc::new(Fake::default());
    let fetcher = Fetcher::new(Reach::new(["127.0.0.1"]), Rules::default(), clock.clone()).unwrap();
    for path in ["/a", "/b"] {
        assert_eq!(fetcher.page(&at(&site, path)).await.unwrap().status, 200);
    }
    assert_eq!(*clock.waited.lock().unwrap(), [Duration::from_secs(7); 2]);
    assert_eq!(site.asked(), ["/robots.txt", "/a", "/a", "/b", "/b"]);
    // One that is never done is given up, and told with its status.
    let site = Site::serve(|path| if path == "/robots.txt" { Answer::missing() } else { busy(429, 1) }).await;
    assert_eq!(fetcher.page(&at(&site, "/")).await.unwrap().status, 429);
    assert_eq!(site.asked(), ["/robots.txt", "/", "/"]);
}

#[tokio::test]
async fn who_wants_to_be_left_alone_for_long_is_not_asked_and_the_time_is_told() {
    let site = failing_once(|_| busy(503, 3_600)).await;
    let clock = Arc::new(Fake::default());
    let fetcher = Fetcher::new(Reach::new(["127.0.0.1"]), Rules::default(), clock.clone()).unwrap();
    for (path, passed, seconds) in [("/a", 0, 3_600), ("/a", 0, 3_600), ("/b", 600, 3_000)] {
        clock.sleep(Duration::from_secs(passed)).await;
        let error = fetcher.page(&at(&site, path)).await.unwrap_err();
        assert_eq!(error, FetchError::Later { host: "127.0.0.1".to_owned(), seconds });
        let told = format!("127.0.0.1 wants to be asked again in {seconds} seconds and not before");
        assert!(error.to_string().starts_with(&told), "{error}");
    }
    assert_eq!(site.asked(), ["/robots.txt", "/a"]);
    clock.sleep(Duration::from_secs(2_990)).await;
    assert_eq!(fetcher.page(&at(&site, "/a")).await.unwrap().status, 200);
    assert_eq!(clock.waited.lock().unwrap().last(), Some(&Duration::from_secs(10)));
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

/// A site that is one file a page, which cannot send on in any other way.
fn of_files(path: &str) -> Answer {
    let to = |content: &str| Answer::page(format!("<title>x</title><META HTTP-EQUIV='Refresh' content=\"{content}\">"));
    match path {
        "/robots.txt" => Answer::of("text/plain", b"User-agent: *\nDisallow: /private/".to_vec()),
        "/" => to("0; url=en/"),
        "/based" => Answer::page("<base href=/en/><meta http-equiv=refresh content='0; url=.'>"),
        "/en/" => Answer::page("<h1>Welcome</h1><p>to what there is to read"),
        "/later" => Answer::page("<meta http-equiv=refresh content='30; url=/en/'><p>It goes on in a while."),
        "/again" => to("0; url=/again#top"),
        "/script" => to("0; url=javascript:go()"),
        "/round" => to("0; url=/round/round"),
        "/round/round" => to("0; url=/round"),
        "/away" => to("0; url=http://other.example/"),
        "/inside" => to("0; url=http://169.254.169.254/latest/meta-data/"),
        "/forbidden" => to("0; url=/private/"),
        "/gone" => to("0; url=/en/").status(404),
        "/text" => Answer::of("text/plain", b"<meta http-equiv=refresh content='0; url=/en/'>".to_vec()),
        "/bare" => Answer::page("<noscript><meta http-equiv=refresh content='0; url=/en/'></noscript><p>Words"),
        _ => match path.strip_prefix("/step/").and_then(|step| step.parse::<u32>().ok()) {
            Some(step) => to(&format!("1; url=/step/{}", step + 1)),
            None => Answer::missing(),
        },
    }
}

#[tokio::test]
async fn a_page_that_sends_on_at_once_is_followed_like_an_answer_that_does() {
    let site = Site::serve(of_files).await;
    let fetcher = fetcher(Rules::default());
    for path in ["/", "/based"] {
        let page = fetcher.page(&at(&site, path)).await.unwrap();
        assert_eq!((page.url.path(), page.redirects, page.kind), ("/en/", 1, Kind::Content), "{path}");
    }
    for path in ["/later", "/again", "/script", "/gone", "/text", "/bare"] {
        let page = fetcher.page(&at(&site, path)).await.unwrap();
        assert_eq!((page.url.path(), page.redirects), (path, 0));
    }
}

#[tokio::test]
async fn a_page_sends_on_no_further_and_nowhere_else_than_an_answer_may() {
    let site = Site::serve(of_files).await;
    let fetcher = fetcher(Rules::default());
    let error = async |path: &str| fetcher.page(&at(&site, path)).await.unwrap_err();
    assert_eq!(error("/away").await, FetchError::Refused(Refused::Host("other.example".to_owned())));
    assert_eq!(error("/inside").await, FetchError::Refused(Refused::Private("169.254.169.254".to_owned())));
    assert!(matches!(error("/forbidden").await, FetchError::Robots { .. }));
    for path in ["/round", "/step/0"] {
        assert!(matches!(error(path).await, FetchError::Redirects { .. }), "{path}");
    }
    let asked = site.asked();
    assert!(!asked.contains(&"/private/".to_owned()) && asked.contains(&"/step/10".to_owned()), "{asked:?}");
    assert!(!asked.contains(&"/step/11".to_owned()), "{asked:?}");
}

#[tokio::test]
async fn a_host_that_cannot_be_reached_is_told() {
    // No port that is given to whoever asks for any: a site of another test could have it meanwhile.
    let gone = "http://127.0.0.1:9/";
    let error = fetcher(Rules { time: Duration::from_secs(2), ..Rules::default() })
        .page(&Url::parse(gone).unwrap())
        .await
        .unwrap_err();
    assert!(matches!(error, FetchError::Network { .. }), "{error:?}");
    assert!(error.to_string().starts_with("127.0.0.1 could not be asked: "), "{error}");
}
