//! How near and how fast vectors of texts are: `cargo run --release -p assent-meaning --example bench-meaning -- FILE
//! GOLDEN`.
//!
//! GOLDEN is `bench/retrieval/vectors.json`: texts with the vectors that the published weights give in 32 bits. Prints
//! one JSON object: the least cosine with them, the times to open the file and to embed a text of 16 to 128 pieces.
//! With `--embed FILE PIECES` it reads texts as JSON strings, one a line, and writes their vectors, a byte a component, and behind
//! each a byte that says how much of the text counted, 255 for all of it.

use std::error::Error;
use std::fs::File;
use std::io::Write;
use std::time::Instant;

use assent_meaning::Encoder;
use serde_json::{Value, json};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [embed, file, pieces] = arguments.as_slice()
        && embed == "--embed"
    {
        return embedded(file, pieces.parse()?);
    }
    let [file, golden] = arguments.as_slice() else { return Err("FILE and GOLDEN are wanted".into()) };
    let begun = Instant::now();
    let encoder = Encoder::read(File::open(file)?)?;
    let opened = begun.elapsed();
    let golden: Vec<Value> = serde_json::from_str(&std::fs::read_to_string(golden)?)?;
    let mut least = 1.0_f64;
    for one in &golden {
        let wanted: Vec<f64> = one["vector"].as_array().into_iter().flatten().filter_map(Value::as_f64).collect();
        let found = encoder.components(one["text"].as_str().unwrap_or_default(), 128)?;
        let length = wanted.iter().map(|one| one * one).sum::<f64>().sqrt();
        let cosine = wanted.iter().zip(found).map(|(one, other)| one * f64::from(other)).sum::<f64>() / length;
        least = least.min(cosine);
    }
    let text = "turn down the volume of the radio in the kitchen ".repeat(20);
    let mut millis = serde_json::Map::new();
    for pieces in [16, 32, 48, 128] {
        let mut times = (0..20).map(|_| {
            let begun = Instant::now();
            std::hint::black_box(encoder.vector(&text, pieces)).map(|_| begun.elapsed())
        });
        let times = times.by_ref().collect::<Result<Vec<_>, _>>()?;
        let best = times.into_iter().min().unwrap_or_default();
        millis.insert(pieces.to_string(), json!((best.as_secs_f64() * 1e6).round() / 1e3));
    }
    let figures = json!({"texts": golden.len(), "leastCosine": least, "openMs": opened.as_millis() as u64,
        "millisByPieces": millis});
    writeln!(std::io::stdout(), "{figures}")?;
    Ok(())
}

fn embedded(file: &str, pieces: usize) -> Result<(), Box<dyn Error>> {
    let encoder = Encoder::read(File::open(file)?)?;
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lines() {
        let text: String = serde_json::from_str(&line?)?;
        out.write_all(&encoder.vector(&text, pieces)?.bytes())?;
        out.write_all(&[(encoder.share(&text, pieces) * 255.0).round() as u8])?;
    }
    Ok(())
}
