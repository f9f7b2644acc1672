//! `assent tools eval`: how well and how fast tools are found.

use std::collections::HashSet;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use assent_core::contract::{Risk, Source, ToolSpec};
use assent_core::discovery::{Filter, Query, Standing, Tools};
use assent_engine::discovery::Meaning;
use assent_engine::engine::meaning;
use assent_engine::store::Home;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::exit::{Exit, Usage};
use crate::terminal::Terminal;

/// Tools that are looked at for each request.
const DEPTH: usize = 50;
/// So often is told how many tools have yet to be read.
const TOLD: Duration = Duration::from_secs(10);

#[derive(Deserialize)]
struct Tool {
    name: String,
    #[serde(default)]
    description: String,
    #[serde(default)]
    parameters: Value,
}

#[derive(Deserialize)]
struct Asked {
    query: String,
    gold: Vec<String>,
}

/// Carries out `assent tools eval`.
pub fn run(terminal: &Terminal, tools: &Path, queries: &Path, words: bool) -> anyhow::Result<Exit> {
    let specs: Vec<ToolSpec> = lines::<Tool>(tools)?.into_iter().map(spec).collect();
    let asked: Vec<Asked> = lines(queries)?;
    let begun = Instant::now();
    let index = Tools::of(&specs);
    let built = begun.elapsed();
    let meaning = if words { None } else { compared(terminal, &specs)? };
    let mut sums = [0.0; 4];
    let mut times = Vec::with_capacity(asked.len());
    for Asked { query, gold } in &asked {
        let query = Query { text: query, limit: DEPTH, filter: &Filter::default() };
        let begun = Instant::now();
        let alike = meaning.as_ref().map(|meaning| meaning.likeness(query.text)).unwrap_or_default();
        let found = index.find_alike(&query, &alike, |_| Standing::default());
        times.push(begun.elapsed());
        let gold: HashSet<&str> = gold.iter().map(String::as_str).collect();
        let is_right = |at: usize| found.tools.get(at).is_some_and(|tool| gold.contains(tool.name.as_str()));
        for (sum, depth) in sums.iter_mut().zip([1, 5, 10]) {
            *sum += (0..depth).filter(|at| is_right(*at)).count() as f64 / gold.len().max(1) as f64;
        }
        sums[3] += (0..found.tools.len()).find(|at| is_right(*at)).map_or(0.0, |at| 1.0 / (at + 1) as f64);
    }
    times.sort_unstable();
    let [at1, at5, at10, mrr] = sums.map(|sum| (sum / asked.len().max(1) as f64 * 1e4).round() / 1e4);
    let latency = |share| percentile(&times, share);
    let figures = json!({
        "tools": index.len(), "queries": asked.len(), "byMeaning": meaning.is_some(),
        "recall@1": at1, "recall@5": at5, "recall@10": at10, "mrr": mrr, "indexMs": millis(built),
        "latencyMs": {"p50": latency(50), "p95": latency(95), "p99": latency(99)},
    });
    if terminal.json {
        terminal.value(&figures)?;
    } else {
        terminal.line(&serde_json::to_string_pretty(&figures)?);
    }
    Ok(Exit::Done)
}

/// What compares the tools with requests by meaning, once it knows all of them; nothing where its file is not there.
fn compared(terminal: &Terminal, specs: &[ToolSpec]) -> anyhow::Result<Option<Meaning>> {
    let meaning = meaning(&Home::from_environment()?);
    specs.iter().for_each(|spec| meaning.add(spec));
    while !meaning.settle_within(TOLD) {
        if let Some(problem) = meaning.problem() {
            terminal.note(&problem);
        }
    }
    Ok(match meaning.problem() {
        None => Some(meaning),
        Some(problem) => {
            terminal.note(&format!("words alone are compared: {problem}"));
            None
        }
    })
}

fn lines<T: DeserializeOwned>(path: &Path) -> anyhow::Result<Vec<T>> {
    let text = std::fs::read_to_string(path).with_context(|| format!("{} cannot be read", path.display()))?;
    let read = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()).map(|(at, line)| {
        serde_json::from_str(line)
            .map_err(|error| Usage(format!("line {} of {} cannot be used: {error}", at + 1, path.display())).into())
    });
    read.collect()
}

fn spec(tool: Tool) -> ToolSpec {
    ToolSpec::new(tool.name, tool.description, tool.parameters, Source::Catalogue, Risk::Read)
}

fn millis(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e6).round() / 1e3
}

fn percentile(sorted: &[Duration], share: usize) -> f64 {
    sorted.get((sorted.len() * share / 100).min(sorted.len().saturating_sub(1))).map_or(0.0, |time| millis(*time))
}
