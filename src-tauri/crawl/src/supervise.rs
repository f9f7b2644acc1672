//! The check before a plan is saved: a crawler follows what is written, and has to find what the test data say. Its
//! result decides, and each fault names the section to be mended.

use serde::Serialize;
use url::Url;

use crate::address::key;
use crate::fetch::Pages;
use crate::follow::{Bounds, Followed, follow};
use crate::html::Dom;
use crate::measure::Property;
use crate::plan::{Config, Sample, expected_of, read, read_samples};

/// How a written plan did.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Verdict {
    /// Whether it can be saved: all samples were found, and all their values read.
    pub valid: bool,
    /// Articles that the crawl found.
    pub articles: usize,
    /// Samples, and those of them that it found.
    pub samples: usize,
    /// Samples that it found.
    pub found: usize,
    /// Values that are expected.
    pub values: usize,
    /// Values that were read as expected.
    pub right: usize,
    /// What is wrong, by section.
    pub faults: Vec<PlanFault>,
    /// What the site did not give of its lists, for which the plan is not to blame, and what the plan leaves out itself.
    pub left_out: Vec<String>,
    /// Lists that may go on beyond the bounds within which the plan was followed.
    pub unended: usize,
}

/// What is wrong with a plan, and where.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PlanFault {
    /// The section of `plan.md`.
    pub section: usize,
    /// What is wrong.
    pub message: String,
}

/// Faults that are told; more say nothing new.
const MOST_FAULTS: usize = 12;

/// Follows a written plan, and compares what it finds with the test data.
pub async fn supervise(plan: &str, test_set: &str, pages: &dyn Pages, bounds: Bounds) -> Verdict {
    let unread = |section: usize, message: String| Verdict {
        valid: false,
        articles: 0,
        samples: 0,
        found: 0,
        values: 0,
        right: 0,
        faults: vec![PlanFault { section, message }],
        left_out: Vec::new(),
        unended: 0,
    };
    let config = match read(plan) {
        Ok(config) => config,
        Err(bad) => return unread(bad.section, bad.reason),
    };
    let samples = match read_samples(test_set) {
        Ok(samples) if samples.is_empty() => return unread(9, "test_set.jsonl has no sample".to_owned()),
        Ok(samples) => samples,
        Err(bad) => return unread(9, bad.to_string()),
    };
    let followed = follow(&config, pages, bounds).await;
    let mut faults = lists(&followed);
    let (mut found, mut values, mut right) = (0, 0, 0);
    for sample in &samples {
        match followed.articles.contains_key(&key(&sample.url)) {
            true => found += 1,
            false => faults.push(missed(&config, &sample.url, &sample.given.listing)),
        }
        if !sample.is_known() {
            let message = format!("of {} neither the title nor the text is known", sample.url);
            faults.push(PlanFault { section: 5, message });
        }
        let wrong = wrong_values(&config, sample, pages).await;
        values += sample.expected.len();
        right += sample.expected.len() - wrong.len();
        faults.extend(wrong);
    }
    let valid = faults.is_empty();
    faults.truncate(MOST_FAULTS);
    let left_out = followed.lists.iter().filter_map(|list| {
        let what = list.left_out.as_ref()?;
        Some(format!("{} may have more articles than were found: {what}.", list.url))
    });
    Verdict {
        valid,
        articles: followed.articles.len(),
        samples: samples.len(),
        found,
        values,
        right,
        faults,
        left_out: left_out.collect(),
        unended: followed.lists.iter().filter(|list| list.bound.is_some()).count(),
    }
}

/// Lists in which nothing was found, or that ended in trouble.
fn lists(followed: &Followed) -> Vec<PlanFault> {
    let of = |list: &crate::follow::ListRead| {
        let trouble = list
            .trouble
            .clone()
            .map(|trouble| PlanFault { section: if list.pages == 0 { 2 } else { 4 }, message: trouble });
        let empty = || PlanFault { section: 3, message: format!("no article was found in {}", list.url) };
        trouble.or_else(|| list.articles.is_empty().then(empty))
    };
    followed.lists.iter().filter_map(of).collect()
}

fn missed(config: &Config, article: &Url, listing: &Url) -> PlanFault {
    let known = config.listings.iter().find(|known| known.url == *listing);
    match known {
        Some(known) => PlanFault {
            section: 4,
            message: format!("{article} was not found in {listing}, followed by {}", known.pagination.name()),
        },
        None => {
            PlanFault { section: 3, message: format!("{article} stands in {listing}, which is no list of the plan") }
        }
    }
}

async fn wrong_values(config: &Config, sample: &Sample, pages: &dyn Pages) -> Vec<PlanFault> {
    let page = match pages.page(&sample.url).await {
        Ok(page) => page,
        Err(error) => {
            let fault = |_| PlanFault { section: 8, message: error.to_string() };
            return sample.expected.keys().map(fault).collect();
        }
    };
    let dom = Dom::parse(&page.text);
    let fault = |(property, wanted): (&Property, &String)| {
        let read = property.by_chain(config.chain(*property), &dom).map(|value| expected_of(*property, &value));
        (read.as_ref() != Some(wanted)).then(|| {
            let read = read.unwrap_or_else(|| "nothing".to_owned());
            let short: String = read.chars().take(60).collect();
            let wanted: String = wanted.chars().take(60).collect();
            PlanFault {
                section: 5,
                message: format!("{}: the {} is {wanted:?}, read was {short:?}", sample.url, property.name()),
            }
        })
    };
    sample.expected.iter().filter_map(fault).collect()
}
