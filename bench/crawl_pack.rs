//! What the crawl pack makes of a site of this machine: six agents have its plan written, and a crawler follows nothing else.
//!
//! Run with `cargo run --release -p assent-tests --example bench-crawl-pack -- strong|starter [paper|quiet|manual]`; prints one JSON
//! object. The strong model is a script; the starter model is the embedded one (`scripts/fetch-model starter`), and takes its
//! time. The paper is the site of the tests; the manual is a documentation set as Debian installs it (`git-doc`), which
//! nobody made to be crawled; the quiet paper says some authors in a way that only a proposal of the strong model finds.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use assent_core::contract::estimate_tokens;
use assent_core::plan::import;
use assent_core::run::{Answer, Decider, EventKind, Purpose, Reach};
use assent_crawl::address::{Reach as Hosts, key};
use assent_crawl::fetch::{Fetcher, Pages as _, Rules, SystemClock as RealTime};
use assent_crawl::follow::{Bounds, follow};
use assent_crawl::html::Dom;
use assent_crawl::measure::Property;
use assent_crawl::plan::read;
use assent_engine::Engine;
use assent_engine::clock::SystemClock;
use assent_engine::executor::BY_PHASES;
use assent_engine::live::Unwatched;
use assent_engine::model::local::{LocalModel, LocalParts, LocalSettings, Places, guard_main, manifest};
use assent_engine::model::scripted::{Scripted, ScriptedModel};
use assent_engine::model::{Message, Model, ModelProfile, PlannerProfile, Request};
use assent_engine::store::{Home, Store};
use assent_engine::turn::TurnEnd;
use assent_site::{Section, Site, articles, folder, made};
use assent_tests::desk::{Only, engine_with};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

/// Where the manual is.
const MANUAL: &str = "/usr/share/doc/git-doc";

/// A site, with what is known of it beforehand.
struct Subject {
    site: Site,
    /// The page that is looked at first.
    start: &'static str,
    task: &'static str,
    /// Pages of which a strong model looks at once.
    shown: Vec<String>,
    /// Selectors that it proposes.
    proposes: Value,
    /// All that a crawl has to find.
    known: Vec<Known>,
}

/// A page that has to be found.
struct Known {
    path: String,
    values: Vec<(Property, Reads)>,
}

/// What a selector has to read of a page.
enum Reads {
    This(String),
    /// A text with this in it.
    With(&'static str),
}

fn main() -> ExitCode {
    if let Some(code) = guard_main(std::env::args_os()) {
        return ExitCode::from(code);
    }
    let runtime = tokio::runtime::Runtime::new().map_err(anyhow::Error::from);
    match runtime.and_then(|runtime| {
        runtime.block_on(measure(std::env::args().nth(1).as_deref(), std::env::args().nth(2).as_deref()))
    }) {
        Ok(figures) => {
            println!("{figures}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::FAILURE
        }
    }
}

async fn measure(which: Option<&str>, of: Option<&str>) -> Result<Value> {
    let folder = tempfile::tempdir()?;
    let (workspace, home) = (folder.path().join("workspace"), Home::at(folder.path().join("home"))?);
    fs::create_dir(&workspace)?;
    let subject = match of {
        None | Some("paper") => paper(Site::serve(made::answer).await, json!({"title": ["h1"]})),
        Some("quiet") => paper(Site::serve(made::quiet).await, json!({"author": ["i.q7"]})),
        Some("manual") => manual().await?,
        _ => bail!("say which site is crawled: paper, quiet or manual"),
    };
    let script = Arc::new(strong(&subject));
    let model: Arc<dyn Model> = match which {
        Some("strong") => script.clone(),
        Some("starter") => Arc::new(LocalModel::new(starter(folder.path())?)),
        _ => bail!("say whose plan is measured: strong or starter"),
    };
    let store = Store::open(&home, Arc::new(SystemClock))?;
    let engine = engine_with(store, &home, Arc::new(Only(model)), Vec::new(), Arc::new(Unwatched));
    engine.heap().add_pack("crawl")?;
    engine.tools().sources()?;
    let began = Instant::now();
    let (ended, mut tokens, calls) = carry_out(&engine, &workspace, &subject).await?;
    let seconds = began.elapsed().as_secs_f64();
    if which == Some("strong") {
        tokens = script.requests().iter().map(|request| u64::from(estimate_tokens(&told(request)))).sum();
    }
    let mut figures = crawled(&workspace, &subject).await?;
    figures["ended"] = json!(ended);
    figures["seconds"] = json!(seconds);
    figures["tokens"] = json!(tokens);
    figures["modelCalls"] = json!(calls);
    figures["requests"] = json!(subject.site.asked().len());
    Ok(figures)
}

/// The site of the tests: five kinds of lists, articles, and pages that a crawl has to leave alone.
fn paper(site: Site, proposes: Value) -> Subject {
    let of = |section| articles().into_iter().find(|article| article.section == section);
    let shown = Section::ALL.into_iter().filter_map(of).map(|article| site.url(&article.path)).collect();
    let known = articles().into_iter().map(|article| Known {
        path: article.path,
        values: vec![
            (Property::Title, Reads::This(article.title)),
            (Property::Date, Reads::This(article.date)),
            (Property::Author, Reads::This(article.author)),
            (Property::Body, Reads::This(article.body)),
        ],
    });
    Subject { start: "/", task: "All articles of the paper", shown, proposes, known: known.collect(), site }
}

/// The manual of Git: the pages of commands that its first page lists, each with its heading and its text.
async fn manual() -> Result<Subject> {
    let page = |name: &str| fs::read_to_string(Path::new(MANUAL).join(name));
    let first =
        page("git.html").with_context(|| format!("{MANUAL} is not there: scripts/setup test installs git-doc"))?;
    let terms = first.split("<dt class=\"hdlist1\">").skip(1);
    let links = terms.filter_map(|rest| rest.trim_start().strip_prefix("<a href=\"")?.split('"').next());
    let names: BTreeSet<&str> = links.filter(|link| !link.contains(['#', ':'])).collect();
    let of = |name: &&str| {
        let text = page(name).ok()?;
        let title = text.split_once("<h1>")?.1.split_once("</h1>")?.0.trim().to_owned();
        let values =
            vec![(Property::Title, Reads::This(title)), (Property::Body, Reads::With("Part of the git(1) suite"))];
        Some(Known { path: format!("/{name}"), values })
    };
    let known: Vec<Known> = names.iter().filter_map(of).collect();
    let site = Site::serve(folder::of(MANUAL.into())).await;
    let shown = known.iter().take(5).map(|one| site.url(&one.path)).collect();
    let proposes = json!({"title": ["h1"]});
    Ok(Subject { start: "/git.html", task: "All manual pages of the commands", shown, proposes, known, site })
}

/// What a model says that knows what it is doing: it proposes a selector, and says what was found.
fn strong(Subject { site, start, task, shown, proposes, .. }: &Subject) -> ScriptedModel {
    let profile = ModelProfile {
        id: "scripted/strong".to_owned(),
        context_tokens: 65_536,
        planner: PlannerProfile::Full,
        parallel: 4,
        local: false,
    };
    let model = ScriptedModel::new(profile)
        .with(Purpose::Step, Scripted::call("run_crawl", json!({"task": task, "target_url": site.url(start)})))
        .with(Purpose::Step, Scripted::text("Lists were found, with articles of each."))
        .with(Purpose::Step, Scripted::call("crawl_measure", json!({"urls": shown, "selectors": proposes})));
    let sentences = [
        "The properties are read.",
        "All pages can be read without a browser.",
        "The selectors hold.",
        "The plan is written and was tested.",
        "The plan is in crawl/plan.md.",
    ];
    sentences.into_iter().fold(model, |model, sentence| model.with(Purpose::Step, Scripted::text(sentence)))
}

/// The starter model on a data folder.
fn starter(data: &Path) -> Result<LocalParts> {
    let file = manifest().iter().find(|file| file.id == "starter").context("no starter model")?.clone();
    let places = Places::usual(data, |name| std::env::var_os(name));
    let threads = u32::try_from(std::thread::available_parallelism()?.get()).ok();
    let settings = LocalSettings { threads, ready_within: Duration::from_secs(300), ..LocalSettings::default() };
    Ok(LocalParts { file, places, guard: std::env::current_exe()?, settings, notice: None })
}

/// Has the plan made, and lets it be written: how that ended, tokens, and how often a model was asked.
async fn carry_out(engine: &Engine, workspace: &Path, subject: &Subject) -> Result<(String, u64, usize)> {
    let session = engine.sessions().create(workspace).await?;
    let (start, task) = (subject.site.url(subject.start), subject.task);
    let document = json!({"format": "assent.plan/1", "id": "p", "version": 1, "sessionId": session.as_str(),
        "title": "A crawl plan", "userMessage": format!("Make a crawl plan of {start} for me: {task}."),
        "steps": [{"id": "s1", "description": format!("Make the crawl plan of {start}"), "stepType": "tool",
            "requiredTools": ["run_crawl"], "executor": {"kind": "specialist", "id": "crawl"}}]});
    let plan = import(&document.to_string()).map_err(|faults| anyhow::anyhow!("{faults:?}"))?;
    let (plan, cancel) = (engine.plans().import(plan, &session).await?, CancellationToken::new());
    let mut end = engine.turns().approve(&plan, Decider::User, None, &cancel).await?;
    while let (TurnEnd::Waiting { .. }, Some(open)) = (&end, engine.requests().open()?.into_iter().next()) {
        if open.request.tool.as_deref() != Some("crawl_plan") {
            break;
        }
        let yes = Answer::Approve { arguments: None, note: None, reach: Reach::Run };
        end = engine.turns().answer(&open.request.id, yes, &cancel).await?;
    }
    let replies: Vec<u64> = engine
        .sessions()
        .events(&session, 0)?
        .into_iter()
        .filter_map(|event| match event.kind {
            EventKind::ModelReplied { model, usage, .. } if model != BY_PHASES => {
                Some(u64::from(usage.input) + u64::from(usage.output))
            }
            _ => None,
        })
        .collect();
    Ok((format!("{end:?}").chars().take(400).collect(), replies.iter().sum(), replies.len()))
}

/// The plan that was written: a model may choose a folder of its own for the files, below the one of all crawls.
fn written(workspace: &Path) -> Result<Option<String>> {
    let folder = workspace.join("crawl");
    let Ok(entries) = fs::read_dir(&folder) else { return Ok(None) };
    let mut folders = vec![folder];
    for entry in entries {
        folders.push(entry?.path());
    }
    let plans: Vec<String> =
        folders.iter().filter_map(|folder| fs::read_to_string(folder.join("plan.md")).ok()).collect();
    match plans.as_slice() {
        [] => Ok(None),
        [plan] => Ok(Some(plan.clone())),
        _ => bail!("{} plans were written", plans.len()),
    }
}

/// What a crawler finds that has only the written plan, and which values of all articles it reads as they are.
async fn crawled(workspace: &Path, subject: &Subject) -> Result<Value> {
    let (all, site) = (&subject.known, &subject.site);
    let values: usize = all.iter().map(|one| one.values.len()).sum();
    let nothing = json!({"articles": all.len(), "found": 0, "others": 0, "values": values, "valuesRight": 0});
    let Some(plan) = written(workspace)? else { return Ok(nothing) };
    let config = read(&plan).context("the plan that was written cannot be read")?;
    let fetcher = Fetcher::new(Hosts::new(["127.0.0.1"]), Rules::default(), Arc::new(RealTime::default()))?;
    let followed = follow(&config, &fetcher, Bounds::default()).await;
    let (mut found, mut right) = (0, 0);
    for article in all {
        let url = site.url(&article.path).parse()?;
        found += usize::from(followed.articles.contains_key(&key(&url)));
        let page = fetcher.page(&url).await?;
        let dom = Dom::parse(&page.text);
        let is_right = |(property, reads): &&(Property, Reads)| {
            let read = property.by_chain(config.chain(*property), &dom).unwrap_or_default();
            match reads {
                Reads::This(value) => read == *value,
                Reads::With(part) => read.contains(part),
            }
        };
        right += article.values.iter().filter(is_right).count();
    }
    Ok(json!({"articles": all.len(), "found": found, "others": followed.articles.len() - found,
        "values": values, "valuesRight": right}))
}

/// A request's texts.
fn told(request: &Request) -> String {
    let texts = request.messages.iter().map(|message| match message {
        Message::System { text } | Message::User { text } | Message::Tool { text, .. } => text.as_str(),
        Message::Assistant { text, .. } => text.as_str(),
    });
    texts.collect::<Vec<_>>().join("\n")
}
