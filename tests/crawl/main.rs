//! The crawler on a site that is served on this machine.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "everything here is a test")]

mod documents;
mod fetching;
mod hostile;
mod lists;
mod planning;
mod trust;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use assent_crawl::address::Reach;
use assent_crawl::fetch::{Clock, Fetcher, Rules};
use assent_crawl::follow::Bounds;
use assent_crawl::make::Wanted;
use assent_site::Site;
use url::Url;

/// Time that passes where somebody waits for it, and keeps what was waited for.
#[derive(Default)]
struct Fake {
    waited: Mutex<Vec<Duration>>,
}

#[async_trait::async_trait]
impl Clock for Fake {
    fn now(&self) -> Duration {
        self.waited.lock().unwrap().iter().sum()
    }

    async fn sleep(&self, time: Duration) {
        self.waited.lock().unwrap().push(time);
    }
}

fn fetcher(rules: Rules) -> Fetcher {
    Fetcher::new(Reach::new(["127.0.0.1"]), rules, Arc::<Fake>::default()).unwrap()
}

fn at(site: &Site, path: &str) -> Url {
    Url::parse(&site.url(path)).unwrap()
}

fn wanted(task: &str) -> Wanted<'_> {
    Wanted { task, proposed: &[], articles: &[], unreadable: &[], bounds: Bounds::default() }
}
