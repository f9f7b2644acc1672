//! How well and how fast tools are found: `cargo run --release -p assent-core --example bench-retrieval -- FOLDER…`.
//!
//! A folder holds `tools.jsonl` {name, description, parameters} and `queries.jsonl` {query, gold: [names]}. Prints one
//! JSON object: by folder recall at 1, 5 and 10 (mean share of gold names found) and MRR (first gold), on all requests
//! and on those with one and with several gold names; and times with 10,000 tools. With `--reasons` it prints what the
//! scores are made of instead, a line a request, for `bench/retrieval/fit.py`. With `--meaning=VECTORS` it ranks by
//! meaning as well: for each folder, VECTORS holds one of the same name with `tools` and `queries`, which
//! `bench-meaning --embed` made. With `--encoder=FILE` as well, the times include that of the request's own vector, over
//! 500 of the requests.

use std::collections::{HashMap, HashSet};
use std::error::Error;
use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use assent_core::contract::{Risk, Source, ToolSpec};
use assent_core::discovery::{Filter, Likeness, Query, Standing, ToolMatch, Tools};
use assent_meaning::{Encoder, Vector};
use indexmap::IndexSet;
use serde::Deserialize;
use serde_json::{Map, Value, json};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

const MANY: usize = 10_000;
/// Tools whose reasons are printed.
const DEPTH: usize = 80;
/// Pieces of a request that count, as in the program.
const PIECES: usize = 32;

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
    /// What it means and how much of it that is of, where that is measured.
    #[serde(skip)]
    meant: Option<(Vector, f32)>,
}

/// Tools, and what each of them means, where that is measured.
struct Catalogue<'e> {
    /// What requests are embedded with, where that is measured too.
    encoder: Option<&'e Encoder<File>>,
    tools: Tools,
    names: Arc<IndexSet<Arc<str>>>,
    meant: Vec<Vector>,
}

impl Catalogue<'_> {
    fn of(specs: &[ToolSpec], meant: &[Vector]) -> Self {
        let names: IndexSet<Arc<str>> = specs.iter().map(|spec| spec.name.as_str().into()).collect();
        // Of several tools of one name, the last one counts.
        let by_name: HashMap<&str, &Vector> =
            specs.iter().map(|spec| spec.name.as_str()).zip(meant.iter().cycle()).collect();
        let meant = names.iter().filter_map(|name| by_name.get(&**name).map(|vector| (*vector).clone())).collect();
        Self { encoder: None, tools: Tools::of(specs), names: Arc::new(names), meant }
    }

    fn search(&self, asked: &Asked, limit: usize) -> Vec<ToolMatch> {
        let query = Query { text: &asked.query, limit, filter: &Filter::default() };
        let made = self.encoder.and_then(|encoder| {
            Some((encoder.vector(&asked.query, PIECES).ok()?, encoder.share(&asked.query, PIECES)))
        });
        let alike = made.as_ref().or(asked.meant.as_ref()).map(|(vector, share)| {
            let cosines = self.meant.iter().map(|tool| share * vector.likeness(tool)).collect();
            Likeness::of(Arc::clone(&self.names), cosines)
        });
        self.tools.find_alike(&query, &alike.unwrap_or_default(), |_| Standing::default()).tools
    }

    fn names(&self, asked: &Asked, limit: usize) -> Vec<String> {
        self.search(asked, limit).into_iter().map(|tool| tool.name).collect()
    }
}

/// So many vectors of a file with how much of its text each is of: a byte a component, and one more.
fn meanings(path: &Path, count: usize) -> Result<Vec<(Vector, f32)>> {
    let bytes = std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let row = (bytes.len() / count.max(1)).max(1);
    let vector = |row: &[u8]| {
        let (share, components) = row.split_last()?;
        Some((Vector::from_bytes(components, components.len())?, f32::from(*share) / 255.0))
    };
    let found: Vec<(Vector, f32)> = bytes.chunks_exact(row).filter_map(vector).collect();
    match found.len() == count {
        true => Ok(found),
        false => Err(format!("{} has not the vectors of {count} texts", path.display()).into()),
    }
}

fn main() -> Result<()> {
    let (options, folders): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).partition(|argument| argument.starts_with("--"));
    let mut figures = Map::new();
    let mut out = std::io::stdout().lock();
    let encoder = options.iter().find_map(|option| option.strip_prefix("--encoder="));
    let encoder = encoder.map(|file| Ok::<_, Box<dyn Error>>(Encoder::read(File::open(file)?)?)).transpose()?;
    let vectors = options.iter().find_map(|option| option.strip_prefix("--meaning=")).map(Path::new);
    for folder in &folders {
        let (specs, mut asked) = read(Path::new(folder))?;
        let name = Path::new(folder).file_name().unwrap_or_default().to_string_lossy().into_owned();
        let mut meant = Vec::new();
        if let Some(vectors) = vectors {
            meant = meanings(&vectors.join(&name).join("tools"), specs.len())?;
            let queries = meanings(&vectors.join(&name).join("queries"), asked.len())?;
            asked.iter_mut().zip(queries).for_each(|(asked, query)| asked.meant = Some(query));
        }
        let meant: Vec<Vector> = meant.into_iter().map(|(vector, _)| vector).collect();
        if options.iter().any(|option| option == "--reasons") {
            write_reasons(&Catalogue::of(&specs, &meant), &asked, &mut out)?;
        } else {
            let found = found(&Catalogue::of(&specs, &meant), &asked);
            figures.insert(name, json!({"found": found, "times": times(&specs, &meant, &asked, encoder.as_ref())}));
        }
    }
    if !figures.is_empty() {
        writeln!(out, "{}", serde_json::to_string_pretty(&figures)?)?;
    }
    Ok(())
}

fn read(folder: &Path) -> Result<(Vec<ToolSpec>, Vec<Asked>)> {
    fn lines<T: for<'a> Deserialize<'a>>(path: &Path) -> Result<Vec<T>> {
        let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(text.lines().map(serde_json::from_str).collect::<serde_json::Result<Vec<T>>>()?)
    }
    let tools: Vec<Tool> = lines(&folder.join("tools.jsonl"))?;
    Ok((tools.into_iter().map(spec).collect(), lines(&folder.join("queries.jsonl"))?))
}

fn spec(tool: Tool) -> ToolSpec {
    ToolSpec::new(tool.name, tool.description, tool.parameters, Source::Mcp, Risk::Read)
}

/// Sums of recall at 1, 5, 10 and of the reciprocal rank, over so many requests.
#[derive(Default)]
struct Sum {
    of: [f64; 4],
    requests: usize,
}

impl Sum {
    fn add(&mut self, names: &[String], gold: &[String]) {
        let gold: HashSet<&String> = gold.iter().collect();
        for (sum, depth) in self.of.iter_mut().zip([1, 5, 10]) {
            let there = names.iter().take(depth).filter(|name| gold.contains(name)).count();
            *sum += there as f64 / gold.len().max(1) as f64;
        }
        let first = names.iter().position(|name| gold.contains(name));
        self.of[3] += first.map_or(0.0, |at| 1.0 / (at + 1) as f64);
        self.requests += 1;
    }

    fn figures(&self) -> Value {
        let [at1, at5, at10, mrr] = self.of.map(|sum| (sum / self.requests.max(1) as f64 * 1e4).round() / 1e4);
        json!({"requests": self.requests, "recall@1": at1, "recall@5": at5, "recall@10": at10, "mrr": mrr})
    }
}

fn found(catalogue: &Catalogue, asked: &[Asked]) -> Value {
    let (mut all, mut one, mut several) = (Sum::default(), Sum::default(), Sum::default());
    for asked in asked {
        let names = catalogue.names(asked, 50);
        all.add(&names, &asked.gold);
        let part = if asked.gold.len() > 1 { &mut several } else { &mut one };
        part.add(&names, &asked.gold);
    }
    json!({"tools": catalogue.tools.len(), "all": all.figures(), "one": one.figures(), "several": several.figures()})
}

/// Times with 10,000 tools, made by repeating what there is under further names.
fn times(specs: &[ToolSpec], meant: &[Vector], asked: &[Asked], encoder: Option<&Encoder<File>>) -> Value {
    let many: Vec<ToolSpec> = (0..MANY)
        .map(|at| {
            let one = &specs[at % specs.len().max(1)];
            ToolSpec { name: format!("{}_{}", one.name, at / specs.len().max(1)), ..one.clone() }
        })
        .collect();
    // The quickest of three, here and below: what else the machine does in the meantime is not measured. Of searches the
    // p99 of all runs is told as well.
    let built = (0..3).map(|_| timed(|| Tools::of(&many))).min().unwrap_or_default();
    let mut tools = Tools::of(&many);
    let mut added: Vec<Duration> = many
        .iter()
        .step_by(97)
        .map(|spec| {
            let one = ToolSpec { name: format!("{}_more", spec.name), ..spec.clone() };
            timed(|| tools.add(&one))
        })
        .collect();
    let catalogue = Catalogue { encoder, tools, ..Catalogue::of(&many, meant) };
    // An embedding takes a hundred times as long as the rest.
    let step = if encoder.is_some() { asked.len().div_ceil(500) } else { 1 };
    let thrice = |one: &Asked| [0; 3].map(|_| timed(|| catalogue.names(one, 10)));
    let runs: Vec<[Duration; 3]> = asked.iter().step_by(step.max(1)).map(thrice).collect();
    let mut each: Vec<Duration> = runs.iter().filter_map(|three| three.iter().min().copied()).collect();
    let mut all: Vec<Duration> = runs.into_iter().flatten().collect();
    json!({
        "indexMs": millis(built), "oneMoreMs": percentile(&mut added, 99),
        "p50Ms": percentile(&mut each, 50), "p95Ms": percentile(&mut each, 95), "p99Ms": percentile(&mut each, 99),
        "p99OfAllMs": percentile(&mut all, 99),
    })
}

fn timed<T>(work: impl FnOnce() -> T) -> Duration {
    let begun = Instant::now();
    std::hint::black_box(work());
    begun.elapsed()
}

fn millis(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e6).round() / 1e3
}

fn percentile(times: &mut [Duration], share: usize) -> f64 {
    times.sort_unstable();
    times.get((times.len() * share / 100).min(times.len().saturating_sub(1))).map_or(0.0, |time| millis(*time))
}

fn write_reasons(catalogue: &Catalogue, asked: &[Asked], out: &mut impl Write) -> Result<()> {
    for asked in asked {
        let found = catalogue.search(asked, DEPTH);
        let rows = found.iter().map(|tool| {
            let values: Vec<f32> = tool.reasons.iter().map(|(_, value, _)| value).collect();
            json!([asked.gold.contains(&tool.name), values])
        });
        writeln!(out, "{}", json!({"gold": asked.gold.len(), "tools": rows.collect::<Vec<Value>>()}))?;
    }
    Ok(())
}
