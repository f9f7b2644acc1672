//! A small encoder whose weights come from a formula: two layers, 22 word pieces. It knows nothing, but the same pieces
//! always give the same vector.

use serde_json::{Map, Value, json};

/// Components of its vectors.
pub const WIDTH: usize = 32;
/// Components in between.
pub const INNER: usize = 64;
/// Pieces that it takes at once.
pub const PLACES: usize = 16;
/// Its word pieces.
pub const WORDS: [&str; 22] = [
    "[PAD]", "[UNK]", "[CLS]", "[SEP]", "the", "weather", "in", "paris", "get", "send", "mail", "##s", "##ing", "tool",
    "a", "cafe", "_", ".", "?", "read", "file", "北",
];

/// A file while it is made.
#[derive(Default)]
pub struct Small {
    /// The head, by the names of tensors.
    pub head: Map<String, Value>,
    /// All numbers behind it.
    pub numbers: Vec<f32>,
    last: u32,
}

impl Small {
    fn add(&mut self, name: &str, shape: &[usize], scale: f32, plus: f32) {
        let begin = 4 * self.numbers.len();
        for _ in 0..shape.iter().product() {
            self.last = self.last.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            self.numbers.push(((self.last >> 8) as f32 / 16_777_216.0 - 0.5) * scale + plus);
        }
        let entry = json!({"dtype": "F32", "shape": shape, "data_offsets": [begin, 4 * self.numbers.len()]});
        self.head.insert(name.to_owned(), entry);
    }

    fn add_norm(&mut self, name: &str) {
        self.add(&format!("{name}.weight"), &[WIDTH], 0.25, 1.0);
        self.add(&format!("{name}.bias"), &[WIDTH], 0.25, 0.0);
    }

    /// Everything that an encoder needs, with two layers.
    pub fn whole() -> Self {
        Self::of(2)
    }

    /// The same with more layers: it takes its time.
    pub fn of(layers: usize) -> Self {
        let mut small = Self { last: 1, ..Self::default() };
        small.add("embeddings.word_embeddings.weight", &[WORDS.len(), WIDTH], 1.0, 0.0);
        small.add("embeddings.position_embeddings.weight", &[PLACES, WIDTH], 0.25, 0.0);
        small.add("embeddings.token_type_embeddings.weight", &[2, WIDTH], 0.25, 0.0);
        small.add_norm("embeddings.LayerNorm");
        for layer in 0..layers {
            let name = |part: &str| format!("encoder.layer.{layer}.{part}");
            for (part, rows, columns) in [
                ("attention.self.query", WIDTH, WIDTH),
                ("attention.self.key", WIDTH, WIDTH),
                ("attention.self.value", WIDTH, WIDTH),
                ("attention.output.dense", WIDTH, WIDTH),
                ("intermediate.dense", INNER, WIDTH),
                ("output.dense", WIDTH, INNER),
            ] {
                small.add(&name(&format!("{part}.weight")), &[rows, columns], 0.5, 0.0);
                small.add(&name(&format!("{part}.bias")), &[rows], 0.25, 0.0);
            }
            small.add_norm(&name("attention.output.LayerNorm"));
            small.add_norm(&name("output.LayerNorm"));
        }
        small
    }

    /// The file, with these word pieces.
    pub fn bytes(&self, words: &[&str]) -> Vec<u8> {
        let head = Value::Object(self.head.clone()).to_string().into_bytes();
        let mut bytes = (head.len() as u64).to_le_bytes().to_vec();
        bytes.extend(head);
        bytes.extend(self.numbers.iter().flat_map(|number| number.to_le_bytes()));
        bytes.extend(words.iter().flat_map(|word| format!("{word}\n").into_bytes()));
        bytes
    }
}
