//! Measures the ranking: `cargo run --release -p assent-engine --example retrieval -- FOLDER…`.
//!
//! A folder holds `tools.jsonl` {name, description, parameters} and `queries.jsonl` {query, gold: [names]}. Prints one
//! JSON object a folder: recall at 1, 5, 10 and 12 (mean share of gold names found), MRR (first gold), and times.

use std::collections::HashSet;
use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use assent_core::contract::{Mode, Risk, Source, SuccessRule, ToolSpec};
use assent_engine::discovery::{Document, Index};
use serde::Deserialize;
use serde_json::{Value, json};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

#[derive(Deserialize)]
struct Tool {
    name: String,
    #[serde(default)]
    description: String,
    #[serde(default)]
    parameters: Value,
}

#[derive(Deserialize)]
struct Query {
    query: String,
    gold: Vec<String>,
}

fn main() -> Result<()> {
    for folder in std::env::args().skip(1) {
        let measured = measure(Path::new(&folder))?;
        writeln!(std::io::stdout(), "{}", json!({"folder": folder, "figures": measured}))?;
    }
    Ok(())
}

fn read<T: for<'a> Deserialize<'a>>(path: &Path) -> Result<Vec<T>> {
    let text = std::fs::read_to_string(path)?;
    Ok(text.lines().map(serde_json::from_str).collect::<serde_json::Result<Vec<T>>>()?)
}

fn measure(folder: &Path) -> Result<Value> {
    let tools: Vec<Tool> = read(&folder.join("tools.jsonl"))?;
    let queries: Vec<Query> = read(&folder.join("queries.jsonl"))?;
    let documents: Vec<Document> = tools.into_iter().map(|tool| Document::of_tool(&spec(tool))).collect();
    let index = Index::of(documents.iter().cloned());
    let mut found = [0.0_f64; 4];
    let mut reciprocal = 0.0;
    for one in &queries {
        let gold: HashSet<&str> = one.gold.iter().map(String::as_str).collect();
        let hits = index.search(&one.query, 50);
        for (sum, depth) in found.iter_mut().zip([1, 5, 10, 12]) {
            let there = hits.iter().take(depth).filter(|hit| gold.contains(hit.id.as_str())).count();
            *sum += there as f64 / gold.len().max(1) as f64;
        }
        let first = hits.iter().position(|hit| gold.contains(hit.id.as_str()));
        reciprocal += first.map_or(0.0, |at| 1.0 / (at + 1) as f64);
    }
    let count = queries.len().max(1) as f64;
    let [at1, at5, at10, at12] = found.map(|sum| (sum / count * 1000.0).round() / 1000.0);
    Ok(json!({
        "tools": index.len(), "queries": queries.len(), "recall@1": at1, "recall@5": at5, "recall@10": at10,
        "recall@12": at12, "mrr": (reciprocal / count * 1000.0).round() / 1000.0,
        "with10000": times(&documents, &queries),
    }))
}

/// Times over an index of 10,000 documents made by repeating what there is under further names.
fn times(documents: &[Document], queries: &[Query]) -> Value {
    let many: Vec<Document> = (0..10_000)
        .map(|at| {
            let one = &documents[at % documents.len()];
            let suffix = at / documents.len();
            Document { id: format!("{}_{suffix}", one.id), name: format!("{}_{suffix}", one.name), ..one.clone() }
        })
        .collect();
    let one_more = Document { id: "one_more".to_owned(), ..documents[0].clone() };
    let begun = Instant::now();
    let mut index = Index::of(many);
    let built = begun.elapsed();
    let begun = Instant::now();
    index.add(one_more);
    let added = begun.elapsed();
    let mut each: Vec<Duration> = queries
        .iter()
        .map(|one| {
            let begun = Instant::now();
            std::hint::black_box(index.search(&one.query, 12));
            begun.elapsed()
        })
        .collect();
    each.sort_unstable();
    let millis = |time: Duration| (time.as_secs_f64() * 1e5).round() / 1e2;
    let percentile = |share: usize| millis(each[(each.len() * share / 100).min(each.len() - 1)]);
    json!({"indexMs": millis(built), "oneMoreMs": millis(added),
        "latencyMs": {"p50": percentile(50), "p95": percentile(95), "p99": percentile(99)}})
}

fn spec(tool: Tool) -> ToolSpec {
    ToolSpec {
        name: tool.name,
        description: tool.description,
        parameters: tool.parameters,
        source: Source::Mcp,
        risk: Risk::Read,
        mode: Mode::Functional,
        success: SuccessRule::Status,
    }
}
