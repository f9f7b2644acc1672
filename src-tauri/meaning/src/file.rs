//! The form of a file of weights: eight bytes with the length of the head, the head as JSON, the numbers, and behind
//! them the word pieces, one a line.
//!
//! Source of the first three: the safetensors format, <https://huggingface.co/docs/safetensors>. There, nothing may stand
//! behind the numbers; here stands what turns words into their places.

use std::io::{Read, Seek, SeekFrom};

use serde_json::{Map, Value};

use crate::{Unusable, damaged};

/// A head with a hundred tensors has about 11 kB.
const MOST_HEAD: u64 = 1 << 20;
/// A list of 30,000 pieces has about 230 kB.
const MOST_WORDS: u64 = 4 << 20;

/// A file of weights whose head was read.
pub(crate) struct Weights<F> {
    file: F,
    head: Map<String, Value>,
    /// Where the numbers begin.
    begin: u64,
    /// How many bytes of numbers and word pieces there are.
    length: u64,
    /// How many bytes may still be read at once. Tensors that lie on one another would make more of a file than it is.
    left: u64,
}

/// Where the numbers of a tensor lie: whole `f32`, inside of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Tensor {
    name: String,
    begin: u64,
    pub shape: Vec<usize>,
}

impl<F: Read + Seek> Weights<F> {
    pub fn open(mut file: F) -> Result<Self, Unusable> {
        let all = file.seek(SeekFrom::End(0))?;
        file.seek(SeekFrom::Start(0))?;
        let mut length = [0; 8];
        if all < 8 {
            return Err(damaged("it is too short"));
        }
        file.read_exact(&mut length)?;
        let length = u64::from_le_bytes(length);
        if length > MOST_HEAD || length > all - 8 {
            return Err(damaged("its head has no sensible length"));
        }
        let mut head = vec![0; length as usize];
        file.read_exact(&mut head)?;
        let head = serde_json::from_slice(&head).map_err(|error| damaged(format!("its head is damaged: {error}")))?;
        let length = (8 + length, all - 8 - length);
        Ok(Self { file, head, begin: length.0, length: length.1, left: length.1 })
    }

    /// A tensor of `f32`, with so many dimensions.
    pub fn tensor(&self, name: &str, dimensions: usize) -> Result<Tensor, Unusable> {
        let wrong = |what: &str| damaged(format!("{name} {what}"));
        let entry = self.head.get(name).ok_or_else(|| wrong("is not there"))?;
        if entry["dtype"] != "F32" {
            return Err(wrong("is not of 32-bit floating point numbers"));
        }
        let numbers = |key: &str| -> Option<Vec<u64>> { entry[key].as_array()?.iter().map(Value::as_u64).collect() };
        let shape =
            numbers("shape").filter(|shape| shape.len() == dimensions).ok_or_else(|| wrong("has another shape"))?;
        let count = shape.iter().try_fold(4_u64, |bytes, side| bytes.checked_mul(*side));
        match (numbers("data_offsets").as_deref(), count) {
            (Some([begin, end]), Some(bytes)) if begin.checked_add(bytes) == Some(*end) && *end <= self.length => {
                // What lies within a file in memory has a length that fits.
                let shape = shape.into_iter().map(|side| side as usize).collect();
                Ok(Tensor { name: name.to_owned(), begin: *begin, shape })
            }
            _ => Err(wrong("does not lie where it should")),
        }
    }

    /// A tensor of exactly this shape, whole.
    pub fn whole(&mut self, name: &str, shape: &[usize]) -> Result<Vec<f32>, Unusable> {
        let tensor = self.tensor(name, shape.len())?;
        if tensor.shape != shape {
            return Err(damaged(format!("{name} has the shape {:?} and not {shape:?}", tensor.shape)));
        }
        let bytes = 4 * shape.iter().product::<usize>() as u64;
        self.left = self.left.checked_sub(bytes).ok_or_else(|| damaged(format!("{name} lies on other numbers")))?;
        self.numbers(&tensor, 0, shape.iter().product())
    }

    /// So many numbers of a tensor from a place on, all finite.
    pub fn numbers(&mut self, tensor: &Tensor, from: usize, count: usize) -> Result<Vec<f32>, Unusable> {
        let all = tensor.shape.iter().product::<usize>();
        if from.checked_add(count).is_none_or(|end| end > all) {
            return Err(damaged(format!("{} ends too early", tensor.name)));
        }
        self.file.seek(SeekFrom::Start(self.begin + tensor.begin + 4 * from as u64))?;
        let mut bytes = vec![0; 4 * count];
        self.file.read_exact(&mut bytes)?;
        let numbers: Vec<f32> = bytes.as_chunks().0.iter().map(|four: &[u8; 4]| f32::from_le_bytes(*four)).collect();
        match numbers.iter().all(|number| number.is_finite()) {
            true => Ok(numbers),
            false => Err(damaged(format!("{} holds what is no number", tensor.name))),
        }
    }

    /// The text behind the last tensor.
    pub fn words(&mut self) -> Result<String, Unusable> {
        let ends = self.head.iter().filter(|(name, _)| *name != "__metadata__");
        let end = ends.filter_map(|(_, entry)| entry["data_offsets"][1].as_u64()).max().unwrap_or(0);
        let left = self.length.checked_sub(end).filter(|left| *left <= MOST_WORDS);
        let left = left.ok_or_else(|| damaged("its list of word pieces has no sensible length"))?;
        self.file.seek(SeekFrom::Start(self.begin + end))?;
        let mut text = String::new();
        (&mut self.file).take(left).read_to_string(&mut text)?;
        Ok(text)
    }

    pub fn has(&self, name: &str) -> bool {
        self.head.contains_key(name)
    }
}
