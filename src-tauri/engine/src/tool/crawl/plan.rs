//! `crawl_plan`: the crawl plan of a site, written once a crawler that follows nothing else finds what it should.

use std::sync::Arc;
use std::time::Duration;

use assent_core::contract::{Risk, ToolSpec};
use assent_crawl::discover::discover;
use assent_crawl::fetch::Fetcher;
use assent_crawl::follow::Bounds;
use assent_crawl::make::{Made, Wanted, make};
use assent_crawl::supervise::Verdict;
use async_trait::async_trait;
use serde::Deserialize;
use serde_json::{Value, json};
use url::Url;

use super::measure::selectors;
use super::{CallContext, Effects, LONGEST, Outcome, Proposals, Reader, Tool, ToolStop, hosts, selector, spec, work};
use crate::tool::change::{New, replace};
use crate::tool::workspace::Workspace;

/// Writes crawl plans.
pub struct WritePlan {
    spec: ToolSpec,
    reader: Arc<Reader>,
}

/// What is written.
const FILES: [&str; 3] = ["plan.md", "test.md", "test_set.jsonl"];
/// Where, if nobody says.
const FOLDER: &str = "crawl";
/// How far a plan is followed before it is written: further than it was looked at, and no whole crawl.
const BOUNDS: Bounds = Bounds { pages: 12, articles: 2_000 };

impl WritePlan {
    pub(super) fn new(reader: Arc<Reader>) -> Self {
        let parameters = json!({
            "type": "object",
            "properties": {
                "url": {"type": "string", "format": "uri", "description": "start page of the site"},
                "task": {"type": "string", "description": "what is to be crawled, in the user's words"},
                "folder": {"type": "string", "default": FOLDER, "description": "where the three files are written"},
                "listings": {
                    "type": "array", "items": {"type": "string", "format": "uri"}, "maxItems": 10,
                    "description": "pages that list articles, as crawl_discover gave them"
                },
                "items": {
                    "type": "array", "items": selector(), "maxItems": 10,
                    "description": "CSS selectors of links to articles that may be right"
                },
                "selectors": selectors(),
                "articles": {
                    "type": "array", "items": {"type": "string", "format": "uri"}, "maxItems": 20,
                    "description": "articles that are to be in the test data too"
                },
                "unreadable": {
                    "type": "array", "items": {"type": "string", "format": "uri"}, "maxItems": 20,
                    "description": "pages that need a browser or a login, to be told in the plan"
                }
            },
            "required": ["url", "task"],
            "additionalProperties": false
        });
        let description = "Write the crawl plan of a web site: plan.md, test.md and test_set.jsonl. A small crawler follows the \
            plan first; it is written only if that finds all sample articles, else each fault is told with its section.";
        Self { spec: spec("crawl_plan", description, parameters), reader }
    }
}

#[derive(Deserialize)]
struct Arguments {
    url: Url,
    task: String,
    #[serde(default)]
    articles: Vec<Url>,
    #[serde(default)]
    unreadable: Vec<Url>,
    #[serde(flatten)]
    proposals: Proposals,
}

#[async_trait]
impl Tool for WritePlan {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn essentials(&self) -> &'static [&'static str] {
        &["url", "task"]
    }

    fn effects(&self, arguments: &Value) -> Effects {
        Effects { writes: files(arguments), risk: Risk::Network, ..hosts(arguments) }
    }

    fn own_limit(&self, _: &Value) -> Option<Duration> {
        Some(LONGEST)
    }

    async fn call(&self, arguments: Value, context: &CallContext) -> Result<Outcome, ToolStop> {
        let paths = files(&arguments);
        let workspace = Workspace::open(context)?;
        // Before the site is asked for anything.
        if let Some(error) = paths.iter().find_map(|path| workspace.target(path).err()) {
            return Ok(Outcome::Error { message: error.to_string(), output: Value::Null });
        }
        let written = async |asked: Arguments, fetcher: Arc<Fetcher>| {
            let (proposed, mut ignored) = asked.proposals.lists();
            let (properties, more) = asked.proposals.properties();
            ignored.extend(more);
            let found = discover(&asked.url, fetcher.as_ref(), &proposed).await.map_err(|error| error.to_string())?;
            let wanted = Wanted {
                task: &asked.task,
                proposed: &properties,
                articles: &asked.articles,
                unreadable: &asked.unreadable,
                bounds: BOUNDS,
            };
            let made = make(&found, &wanted, fetcher.as_ref()).await;
            ignored.extend(found.ignored.iter().chain(&made.ignored).cloned());
            if !made.verdict.valid {
                return Err(refused(&made.verdict));
            }
            save(&made, &paths, &workspace, context)?;
            let verdict = &made.verdict;
            let mut output = json!({
                "status": "complete",
                "files": paths,
                "lists": found.lists.len(),
                "articles_found": verdict.articles,
                "samples": verdict.samples,
                "samples_found": verdict.found,
                "values": verdict.values,
                "values_right": verdict.right,
                "ignored": ignored,
                "left_out": verdict.left_out,
                "lists_that_go_on": verdict.unended,
            });
            output["told"] = json!(told(&output));
            Ok(output)
        };
        work(&self.reader, arguments, context, written).await
    }

    fn present(&self, output: &Value) -> String {
        told(output)
    }
}

/// What was written, in words.
fn told(output: &Value) -> String {
    let path = output["files"][0].as_str().unwrap_or_default();
    let left_out: Vec<&str> = output["left_out"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let left_out = if left_out.is_empty() { String::new() } else { format!(" {}", left_out.join(" ")) };
    let lists = match output["lists_that_go_on"].as_u64() {
        None | Some(0) => format!("in {} lists", output["lists"]),
        Some(on) => format!(
            "on the first {} pages of {} lists, {on} of which may go on: it was followed no further",
            BOUNDS.pages, output["lists"]
        ),
    };
    format!(
        "The plan is written to {path}. A crawler that follows it found {} of {} sample articles and read {} of {} values right; {} articles {lists}.{left_out}",
        output["samples_found"], output["samples"], output["values_right"], output["values"], output["articles_found"],
    )
}

/// The files of a call.
fn files(arguments: &Value) -> Vec<String> {
    let folder = arguments.get("folder").and_then(Value::as_str).map(|folder| folder.trim_end_matches('/'));
    let folder = folder.filter(|folder| !folder.is_empty()).unwrap_or(FOLDER);
    FILES.iter().map(|file| if folder == "." { (*file).to_owned() } else { format!("{folder}/{file}") }).collect()
}

/// Why a plan is not given, and what can be done about it.
fn refused(verdict: &Verdict) -> String {
    let faults: Vec<String> =
        verdict.faults.iter().map(|fault| format!("section {}: {}", fault.section, fault.message)).collect();
    format!(
        "no plan was written, because a crawler that follows it fails: {}. Look at the pages with crawl_fetch and give \
         listings, items or selectors that are right.",
        faults.join("; ")
    )
}

fn save(made: &Made, paths: &[String], workspace: &Workspace, context: &CallContext) -> Result<(), String> {
    for (path, text) in paths.iter().zip([&made.plan, &made.test, &made.test_set]) {
        let place = workspace.target(path).map_err(|error| error.to_string())?;
        let new = New { bytes: text.as_bytes(), made_from: None, make_folders: true };
        replace(workspace, context, &place, new).map_err(|error| error.to_string())?;
    }
    Ok(())
}
