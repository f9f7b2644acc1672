//! A documentation set as Debian installs it (`git-doc`), served on this machine: nobody made it to be crawled.

use std::collections::BTreeSet;
use std::path::Path;

use assent_crawl::discover::{Proposed, discover};
use assent_crawl::fetch::{Pages, Rules};
use assent_crawl::follow::{Bounds, follow};
use assent_crawl::html::Dom;
use assent_crawl::make::{Made, make};
use assent_crawl::measure::Property;
use assent_crawl::plan::read;
use assent_site::{Site, folder};

use super::{at, fetcher, wanted};

const MANUAL: &str = "/usr/share/doc/git-doc";

/// Whether the manual is there. Where it is not, that is said; it fails the test where `ASSENT_TEST_STRICT` is set.
fn is_there() -> bool {
    let is_there = Path::new(MANUAL).join("git.html").is_file();
    let strict = std::env::var_os("ASSENT_TEST_STRICT").is_some();
    assert!(is_there || !strict, "{MANUAL} is not there: scripts/setup test installs it (git-doc)");
    if !is_there {
        println!("skipped: {MANUAL} is not there; scripts/setup test installs it");
    }
    is_there
}

/// The pages of commands that the manual's first page lists, as they stand in its file.
fn commands() -> BTreeSet<String> {
    let text = std::fs::read_to_string(Path::new(MANUAL).join("git.html")).unwrap();
    let terms = text.split("<dt class=\"hdlist1\">").skip(1);
    let links = terms.filter_map(|rest| rest.trim_start().strip_prefix("<a href=\"")?.split('"').next());
    links.filter(|link| !link.contains(['#', ':'])).map(str::to_owned).collect()
}

#[tokio::test]
async fn the_plan_of_a_manual_finds_its_pages_and_reads_them() {
    if !is_there() {
        return;
    }
    let site = Site::serve(folder::of(MANUAL.into())).await;
    let maker = fetcher(Rules::default());
    let discovery = discover(&at(&site, "/git.html"), &maker, &Proposed::default()).await.unwrap();
    let Made { plan, verdict, .. } = make(&discovery, &wanted("All manual pages of the commands."), &maker).await;
    assert!(verdict.valid && verdict.samples == 10, "{verdict:#?}");

    let fetcher = fetcher(Rules::default());
    let config = read(&plan).unwrap();
    let followed = follow(&config, &fetcher, Bounds::default()).await;
    let wanted: BTreeSet<String> = commands().iter().map(|name| at(&site, &format!("/{name}")).to_string()).collect();
    assert!(wanted.len() >= 140, "{}", wanted.len());
    let found: BTreeSet<String> = followed.articles.keys().cloned().collect();
    let missed: Vec<&String> = wanted.difference(&found).collect();
    assert!(
        missed.is_empty() && found.len() <= wanted.len() + 10,
        "{missed:?} of {}, {} found",
        wanted.len(),
        found.len()
    );

    for name in ["git-add", "git-log", "git-worktree"] {
        let page = fetcher.page(&at(&site, &format!("/{name}.html"))).await.unwrap();
        let dom = Dom::parse(&page.text);
        let value = |property: Property| property.by_chain(config.chain(property), &dom).unwrap_or_default();
        assert_eq!(value(Property::Title), format!("{name}(1) Manual Page"));
        let text = value(Property::Body);
        assert!(text.contains("Part of the git(1) suite") && text.len() > 3_000, "{name}: {text:.200}");
    }
}
