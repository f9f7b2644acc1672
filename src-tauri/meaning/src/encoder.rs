//! The encoder: from the pieces of a text to its vector.

use std::io::{Read, Seek};
use std::sync::{Mutex, PoisonError};

use crate::file::{Tensor, Weights};
use crate::matrix::{Inputs, Matrix};
use crate::pieces::Pieces;
use crate::{Unusable, Vector, damaged};

/// Components that one head of attention looks at.
const HEAD: usize = 32;
/// What a norm adds before the root.
const TINY: f32 = 1e-12;
/// Pieces of a text that count at most: with more, texts were not trained.
const MOST_PIECES: usize = 128;
const MOST_WIDTH: usize = 1024;
const MOST_INNER: usize = 4096;
const MOST_LAYERS: usize = 24;

/// Pieces of a text that are counted, to say how much of it counts.
const MOST_COUNTED: usize = 512;

/// Turns texts into vectors. About 11 MB for the weights of all-MiniLM-L6-v2; the file stays open. Several threads may
/// use it at once: only for the rows of words do they wait for each other.
pub struct Encoder<F> {
    weights: Mutex<Weights<F>>,
    pieces: Pieces,
    words: Tensor,
    network: Network,
}

/// What comes after the rows of words. It knows no file: what is generic is compiled with whoever uses it, and most of a
/// program is made small and not fast.
struct Network {
    width: usize,
    /// What is added to the pieces by their places.
    positions: Vec<f32>,
    norm: Norm,
    layers: Vec<Layer>,
    step: StepTable,
}

struct Layer {
    /// Query, key and value.
    seen: [Matrix; 3],
    mixed: Matrix,
    mixed_norm: Norm,
    inner: Matrix,
    outer: Matrix,
    outer_norm: Norm,
}

struct Norm {
    weight: Vec<f32>,
    bias: Vec<f32>,
}

impl<F: Read + Seek> Encoder<F> {
    /// The encoder of a file.
    ///
    /// # Errors
    /// [`Unusable`] that says what is wrong with it.
    pub fn read(file: F) -> Result<Self, Unusable> {
        let mut weights = Weights::open(file)?;
        let pieces = Pieces::of(weights.words()?)?;
        let words = weights.tensor("embeddings.word_embeddings.weight", 2)?;
        let width = words.shape[1];
        if words.shape[0] != pieces.len() {
            return Err(damaged(format!("it has {} word pieces and {} rows of them", pieces.len(), words.shape[0])));
        }
        if width == 0 || width % HEAD != 0 || width > MOST_WIDTH {
            return Err(damaged(format!("a width of {width} is not known")));
        }
        let places = weights.tensor("embeddings.position_embeddings.weight", 2)?;
        let count = places.shape[0].min(MOST_PIECES);
        if places.shape[1] != width || count < 3 {
            return Err(damaged(format!("its places have the shape {:?}", places.shape)));
        }
        let mut positions = weights.numbers(&places, 0, count * width)?;
        let kinds = weights.tensor("embeddings.token_type_embeddings.weight", 2)?;
        let kind = weights.numbers(&kinds, 0, width)?;
        for row in positions.chunks_exact_mut(width) {
            add(row, &kind);
        }
        let norm = Norm::read(&mut weights, "embeddings.LayerNorm", width)?;
        let mut layers = Vec::new();
        while layers.len() < MOST_LAYERS
            && weights.has(&format!("encoder.layer.{}.attention.self.query.weight", layers.len()))
        {
            layers.push(Layer::read(&mut weights, layers.len(), width)?);
        }
        if layers.is_empty() {
            return Err(damaged("it has no layers"));
        }
        let network = Network { width, positions, norm, layers, step: StepTable::new() };
        Ok(Self { weights: Mutex::new(weights), pieces, words, network })
    }

    /// Components of a vector.
    pub fn width(&self) -> usize {
        self.network.width
    }

    /// What a text means, by at most `most` of its pieces; two of them are the marks of its start and end, and more than
    /// 128 never count. Takes time in proportion to them.
    ///
    /// # Errors
    /// [`Unusable`] where the file cannot be read any more, or gives no vector.
    pub fn vector(&self, text: &str, most: usize) -> Result<Vector, Unusable> {
        let components = self.components(text, most)?;
        Vector::of(&components).ok_or_else(|| damaged("its numbers lead nowhere"))
    }

    /// How much of a text counts when at most `most` of its pieces do: 1 for all of it.
    pub fn share(&self, text: &str, most: usize) -> f32 {
        let all = self.pieces.of_text(text, MOST_COUNTED.max(most)).len();
        (most as f32 / all as f32).min(1.0)
    }

    /// The same before it is made short: of the length 1.
    ///
    /// # Errors
    /// The same.
    pub fn components(&self, text: &str, most: usize) -> Result<Vec<f32>, Unusable> {
        let Network { width, positions, .. } = &self.network;
        let numbers = self.pieces.of_text(text, most.clamp(3, positions.len() / width));
        let mut state = Vec::with_capacity(numbers.len() * width);
        {
            // What a panic left behind is as good as before: every read begins with a seek.
            let mut weights = self.weights.lock().unwrap_or_else(PoisonError::into_inner);
            for number in &numbers {
                state.extend(weights.numbers(&self.words, usize::from(*number) * width, *width)?);
            }
        }
        Ok(self.network.mean(state))
    }
}

impl Network {
    /// The direction of the mean of all pieces, from their rows.
    #[inline(never)]
    fn mean(&self, mut state: Vec<f32>) -> Vec<f32> {
        add(&mut state, &self.positions);
        self.norm.apply(&mut state);
        for layer in &self.layers {
            layer.apply(&mut state, self.width, &self.step);
        }
        let mut mean = vec![0.0; self.width];
        for row in state.chunks_exact(self.width) {
            add(&mut mean, row);
        }
        let length = mean.iter().map(|one| one * one).sum::<f32>().sqrt();
        mean.iter_mut().for_each(|one| *one /= length);
        mean
    }
}

impl Layer {
    fn read<F: Read + Seek>(weights: &mut Weights<F>, number: usize, width: usize) -> Result<Self, Unusable> {
        let name = |part: &str| format!("encoder.layer.{number}.{part}");
        let inner = weights.tensor(&name("intermediate.dense.weight"), 2)?.shape[0];
        if inner == 0 || inner % HEAD != 0 || inner > MOST_INNER {
            return Err(damaged(format!("an inner width of {inner} is not known")));
        }
        let mut matrix = |part: &str, rows: usize, columns: usize| -> Result<Matrix, Unusable> {
            let values = weights.whole(&name(&format!("{part}.weight")), &[rows, columns])?;
            Ok(Matrix::of(&values, weights.whole(&name(&format!("{part}.bias")), &[rows])?))
        };
        Ok(Self {
            seen: [
                matrix("attention.self.query", width, width)?,
                matrix("attention.self.key", width, width)?,
                matrix("attention.self.value", width, width)?,
            ],
            mixed: matrix("attention.output.dense", width, width)?,
            inner: matrix("intermediate.dense", inner, width)?,
            outer: matrix("output.dense", width, inner)?,
            mixed_norm: Norm::read(weights, &name("attention.output.LayerNorm"), width)?,
            outer_norm: Norm::read(weights, &name("output.LayerNorm"), width)?,
        })
    }

    fn apply(&self, state: &mut [f32], width: usize, step: &StepTable) {
        let inputs = Inputs::of(state, width);
        let [query, key, value] = self.seen.each_ref().map(|matrix| matrix.product(&inputs));
        let mixed = attend(&query, &key, &value, width);
        add(state, &self.mixed.product(&Inputs::of(&mixed, width)));
        self.mixed_norm.apply(state);
        let mut inner = self.inner.product(&Inputs::of(state, width));
        inner.iter_mut().for_each(|one| *one *= step.at(*one));
        let columns = inner.len() * width / state.len().max(1);
        add(state, &self.outer.product(&Inputs::of(&inner, columns)));
        self.outer_norm.apply(state);
    }
}

/// What each piece takes over from the others, head by head.
fn attend(query: &[f32], key: &[f32], value: &[f32], width: usize) -> Vec<f32> {
    let count = query.len() / width;
    let mut mixed = vec![0.0; query.len()];
    let mut shares = vec![0.0_f32; count];
    // Keys by component, so that sums for all pieces run beside each other.
    let mut keys = vec![0.0_f32; HEAD * count];
    let root = (HEAD as f32).sqrt();
    for head in (0..width).step_by(HEAD) {
        for (at, row) in key.chunks_exact(width).enumerate() {
            row[head..head + HEAD].iter().enumerate().for_each(|(part, one)| keys[part * count + at] = one / root);
        }
        for (row, out) in query.chunks_exact(width).zip(mixed.chunks_exact_mut(width)) {
            shares.fill(0.0);
            for (own, keys) in row[head..head + HEAD].iter().zip(keys.chunks_exact(count)) {
                shares.iter_mut().zip(keys).for_each(|(share, key)| *share += own * key);
            }
            let most = shares.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            shares.iter_mut().for_each(|share| *share = (*share - most).exp());
            let all: f32 = shares.iter().sum();
            let mut sums = [0.0_f32; HEAD];
            for (share, row) in shares.iter().zip(value.chunks_exact(width)) {
                sums.iter_mut().zip(&row[head..head + HEAD]).for_each(|(sum, one)| *sum += share * one);
            }
            out[head..head + HEAD].iter_mut().zip(sums).for_each(|(one, sum)| *one = sum / all);
        }
    }
    mixed
}

impl Norm {
    fn read<F: Read + Seek>(weights: &mut Weights<F>, name: &str, width: usize) -> Result<Self, Unusable> {
        let mut part = |part: &str| weights.whole(&format!("{name}.{part}"), &[width]);
        Ok(Self { weight: part("weight")?, bias: part("bias")? })
    }

    fn apply(&self, state: &mut [f32]) {
        let width = self.weight.len();
        for row in state.chunks_exact_mut(width) {
            let mean = row.iter().sum::<f32>() / width as f32;
            row.iter_mut().for_each(|one| *one -= mean);
            let spread = (row.iter().map(|one| one * one).sum::<f32>() / width as f32 + TINY).sqrt();
            for ((one, weight), bias) in row.iter_mut().zip(&self.weight).zip(&self.bias) {
                *one = *one / spread * weight + bias;
            }
        }
    }
}

fn add(sums: &mut [f32], others: &[f32]) {
    sums.iter_mut().zip(others).for_each(|(sum, other)| *sum += other);
}

/// The share of a number that the activation lets through (GELU: "Gaussian Error Linear Units", Hendrycks and Gimpel
/// 2016): how likely a normal variable is below it, from a table, to 1e-6.
struct StepTable(Vec<f32>);

/// Beyond it, the share is 0 or 1.
const FAR: f32 = 6.0;
/// Entries of the table for one.
const FINE: f32 = 256.0;

impl StepTable {
    fn new() -> Self {
        let count = (2.0 * FAR * FINE) as usize;
        // The integral of the density, by Simpson's rule.
        let density = |at: f64| (-at * at / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt();
        let width = f64::from(1.0 / FINE);
        let mut sum = 0.0;
        let mut table = vec![0.0];
        for entry in 0..=count {
            let at = f64::from(-FAR) + entry as f64 * width;
            sum += width / 6.0 * (density(at) + 4.0 * density(at + width / 2.0) + density(at + width));
            table.push(sum as f32);
        }
        Self(table)
    }

    fn at(&self, number: f32) -> f32 {
        let place = ((number.clamp(-FAR, FAR) + FAR) * FINE).max(0.0);
        let entry = place as usize;
        let rest = place - entry as f32;
        match self.0.get(entry..entry + 2) {
            Some([one, next]) => one + (next - one) * rest,
            _ => 1.0,
        }
    }
}
