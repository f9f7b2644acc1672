//! Writes `plan.md`: ten sections, the seventh of which is what a program follows.

use std::fmt::Write as _;
use std::sync::Arc;

use serde::Serialize;
use url::Url;

use super::{Config, Listing, Sample};
use crate::address::Refused;
use crate::article::Known;
use crate::fetch::FetchError;
use crate::measure::Measured;
use crate::page::{Kind, Page};
use crate::paging::Paging;

/// The sections of a plan, in order.
pub const SECTIONS: [&str; 10] = [
    "Scope & Objectives",
    "Start URLs",
    "Listing Pages",
    "Pagination",
    "Article Detail Pages",
    "Data Model",
    "Crawler Configuration",
    "Accessibility & Requirements",
    "Sample Articles",
    "Notes & Recommendations",
];

/// What was found out about a site, beside what a crawler follows.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Survey {
    /// Where it began.
    pub site: Url,
    /// What was wanted, in the person's words.
    pub task: String,
    /// How many pages of each list were read, and how many articles they have.
    pub listings: Vec<Surveyed>,
    /// The selectors of each property, as they were measured.
    pub detail: Vec<Known>,
    /// Articles that were looked at, and those of them that can be read as they are.
    pub looked_at: usize,
    /// Those of them that can be read as they are.
    pub readable: usize,
    /// Pages that cannot be read as they are, and why.
    pub barred: Vec<(Url, Barred)>,
    /// What else is worth knowing.
    pub notes: Vec<String>,
}

/// A list, as far as it was read.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Surveyed {
    /// Where it begins.
    pub url: Url,
    /// Pages that were read of it.
    pub pages: usize,
    /// Articles on them.
    pub articles: usize,
    /// The share of those pages on which its selector found articles.
    pub success_rate: f64,
    /// What is known not to be on them.
    pub left_out: Option<String>,
}

/// Why a page cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Barred {
    /// The site forbids it to programs.
    Robots,
    /// What it is.
    Kind(Kind),
    /// It sends on to this host, which is another site.
    Elsewhere(String),
    /// Why there was no answer.
    Unanswered(String),
}

impl Barred {
    /// Why a page that was asked for cannot be read; `None` where it can, is not there, or is not ours to ask.
    pub(crate) fn of(url: &Url, read: &Result<Arc<Page>, FetchError>) -> Option<Self> {
        match read {
            Ok(page) if page.kind.is_withheld() || matches!(page.kind, Kind::Empty | Kind::NeedsBrowser) => {
                Some(Self::Kind(page.kind))
            }
            Ok(page) if page.kind == Kind::Failed && !page.is_gone() => Some(Self::Kind(Kind::Failed)),
            // Its own host was asked, or that would be the one that nobody has allowed.
            Err(FetchError::Refused(Refused::Host(to) | Refused::Private(to)))
                if url.host().is_some_and(|own| own.to_string() != *to) =>
            {
                Some(Self::Elsewhere(to.clone()))
            }
            Ok(_) | Err(FetchError::Refused(_)) => None,
            Err(FetchError::Robots { .. }) => Some(Self::Robots),
            Err(error) => Some(Self::Unanswered(error.to_string())),
        }
    }

    fn words(&self) -> String {
        match self {
            Self::Robots => "robots.txt does not let programs fetch it".to_owned(),
            Self::Kind(kind) => kind.words().to_owned(),
            Self::Elsewhere(host) => format!("it leads to another site, {}, and is not followed", plain(host)),
            Self::Unanswered(why) => plain(why),
        }
    }
}

/// The whole plan.
pub fn write(survey: &Survey, config: &Config, samples: &[Sample]) -> String {
    let mut out = format!("# Crawl plan of {}\n", survey.site);
    let parts: [String; 10] = [
        scope(survey, config),
        list(config.listings.iter().map(|listing| format!("<{}>", listing.url))),
        listings(survey, config),
        pagination(survey, config),
        detail(survey),
        "| field | type | from |\n| --- | --- | --- |\n| url | URL | the address of the article, its key |\n"
            .to_owned()
            + &config
                .detail
                .iter()
                .map(|one| format!("| {} | {} | section 5 |\n", one.property.name(), kind(one.property.name())))
                .collect::<String>()
            + "\nA text is read without menus, feet, margins, forms and scripts that stand in it, with single spaces.\n",
        format!("```json\n{}\n```\n", serde_json::to_string_pretty(config).unwrap_or_default()),
        access(survey, config),
        list(samples.iter().map(|sample| {
            let title = sample.expected.get(&crate::measure::Property::Title).map_or("", String::as_str);
            format!("<{}> {}", sample.url, plain(title))
        })),
        list(survey.notes.iter().map(|note| plain(note))),
    ];
    for (place, (title, part)) in SECTIONS.iter().zip(parts).enumerate() {
        let part = if part.is_empty() { "(none)\n".to_owned() } else { part };
        let _ = write!(out, "\n## {}. {title}\n\n{part}", place + 1);
    }
    out
}

/// A text of a site as it may stand in Markdown: one line, without what could be taken for a heading, code or a link.
fn plain(text: &str) -> String {
    let kept: String =
        text.chars().filter(|letter| !matches!(letter, '`' | '<' | '>' | '[' | ']' | '|' | '#')).collect();
    kept.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn list(items: impl Iterator<Item = String>) -> String {
    items.map(|item| format!("- {}\n", item.trim_end())).collect()
}

fn code(text: &str) -> String {
    format!("`{}`", text.replace('`', "'").replace('|', "\\|"))
}

fn kind(property: &str) -> &'static str {
    if property == "date" { "date (YYYY-MM-DD)" } else { "text" }
}

fn scope(survey: &Survey, config: &Config) -> String {
    let articles: usize = survey.listings.iter().map(|listing| listing.articles).sum();
    let properties: Vec<&str> = config.detail.iter().map(|one| one.property.name()).collect();
    format!(
        "{}\n\nThe site is <{}>. Its articles are found in {} lists ({articles} on the pages that were read for this plan). Of each article these \
         properties are read: {}.\n",
        plain(&survey.task),
        survey.site,
        config.listings.len(),
        properties.join(", ")
    )
}

fn listings(survey: &Survey, config: &Config) -> String {
    let mut out = "| list | selectors of its articles | pages read | articles there | success |\n| --- | --- | --- | --- | --- |\n".to_owned();
    for listing in &config.listings {
        let seen = survey.listings.iter().find(|seen| seen.url == listing.url);
        let selectors: Vec<String> = listing.items.iter().map(|pick| code(&pick.to_string())).collect();
        let (pages, articles, rate) = seen.map_or((0, 0, 0.0), |seen| (seen.pages, seen.articles, seen.success_rate));
        let _ = writeln!(out, "| <{}> | {} | {pages} | {articles} | {rate} |", listing.url, selectors.join(", then "));
    }
    out
}

fn pagination(survey: &Survey, config: &Config) -> String {
    let how = |listing: &Listing| match &listing.pagination {
        Paging::None => {
            let seen = survey.listings.iter().find(|seen| seen.url == listing.url);
            match seen.and_then(|seen| seen.left_out.as_deref()) {
                Some(left_out) => format!("only its first page can be read: {}", plain(left_out)),
                None => "all of it is on one page".to_owned(),
            }
        }
        Paging::NextLink { selector } => {
            format!("follow {} to pages that were not read yet, until there is none", code(&selector.to_string()))
        }
        Paging::LoadMore { selector } => {
            format!("fetch the address in {} and read it as a page, until there is none", code(&selector.to_string()))
        }
        Paging::Numbered { template, first, step } => {
            format!(
                "fetch {} with {first}, {}, {} and so on in the place of `{{}}`, until one has nothing new; the first may be missing or empty, since it is the list itself",
                code(template),
                first.saturating_add(*step),
                first.saturating_add(step.saturating_mul(2))
            )
        }
        Paging::Cursor { template, first, items, link, next } => format!(
            "fetch {} with {first:?} in the place of `{{}}`; entries at {}, their address at {}, the next mark at {}, until there is none",
            code(template),
            code(items),
            code(link),
            code(next)
        ),
        Paging::Archive { selector } => format!("read each of the lists that {} leads to", code(&selector.to_string())),
    };
    list(
        config
            .listings
            .iter()
            .map(|listing| format!("<{}>: **{}**: {}", listing.url, listing.pagination.name(), how(listing))),
    )
}

fn detail(survey: &Survey) -> String {
    let mut out =
        "| property | selector | success | per page | unique | sample |\n| --- | --- | --- | --- | --- | --- |\n"
            .to_owned();
    for known in &survey.detail {
        for Measured { selector, success_rate, per_page, uniqueness, sample, .. } in &known.chain {
            let sample = plain(sample.as_deref().unwrap_or_default());
            let selector = code(&selector.to_string());
            let _ = writeln!(
                out,
                "| {} | {selector} | {success_rate} | {per_page} | {uniqueness} | {sample} |",
                known.property.name()
            );
        }
        if known.chain.is_empty() {
            let _ = writeln!(out, "| {} | (no page says it) | | | | |", known.property.name());
        }
    }
    out
}

fn access(survey: &Survey, config: &Config) -> String {
    let request = &config.request;
    let mut out = format!(
        "- Wait {} seconds between two requests; give up on one after {} seconds.\n- Read at most {} pages of a list, and say which lists go on \
         beyond that.\n- Do what `robots.txt` says.\n- {} of {} articles that were looked at can be read without a browser and without a login.\n",
        request.wait_seconds, request.timeout_seconds, request.max_pages, survey.readable, survey.looked_at
    );
    for (url, why) in &survey.barred {
        let _ = writeln!(out, "- <{url}>: {}; it is left out.", why.words());
    }
    out
}
