//! A small encoder, whose weights come from a formula, gives the vectors that another program worked out for them; and
//! files that are none are told.
//!
//! `small.json` holds what a program in 64 bits gave for the same weights, by the published definition.

use std::io::Cursor;

use assent_meaning::{Encoder, Unusable, Vector};
use serde_json::{Value, json};

mod small;

use small::{INNER, Small, WIDTH, WORDS};

fn encoder(small: &Small) -> Result<Encoder<Cursor<Vec<u8>>>, Unusable> {
    Encoder::read(Cursor::new(small.bytes(&WORDS)))
}

fn problem(small: &Small) -> String {
    encoder(small).err().map(|problem| problem.to_string()).unwrap_or_default()
}

#[test]
fn vectors_are_those_of_the_published_definition() {
    let golden: Vec<Value> = serde_json::from_str(include_str!("small.json")).unwrap();
    let made = encoder(&Small::whole()).unwrap();
    assert_eq!(made.width(), WIDTH);
    assert_eq!(golden.len(), 5);
    for one in golden {
        let text = one["text"].as_str().unwrap();
        let wanted: Vec<f32> =
            one["vector"].as_array().unwrap().iter().map(|one| one.as_f64().unwrap() as f32).collect();
        let found = made.components(text, 128).unwrap();
        let cosine: f32 = found.iter().zip(&wanted).map(|(one, other)| one * other).sum();
        assert!(cosine > 0.9995 && cosine < 1.0005, "{text}: {cosine}");
    }
}

#[test]
fn texts_of_the_same_pieces_are_the_same_and_others_are_not() {
    let made = encoder(&Small::whole()).unwrap();
    let vector = |text: &str, most: usize| made.vector(text, most).unwrap();
    let paris = vector("the weather in Paris", 128);
    assert_eq!(
        vector(" THE\tweather\u{7} in  Pâris", 128),
        paris,
        "case, accents, spaces and control signs say nothing"
    );
    assert_eq!(vector("the weather in paris send mail", 6), paris, "what is beyond the limit does not count");
    let mail = vector("send mail", 128);
    assert!((paris.likeness(&paris) - 1.0).abs() < 1e-6 && paris.likeness(&mail) < 0.99);
    assert_eq!(paris.likeness(&mail), mail.likeness(&paris));
    assert_eq!(Vector::from_bytes(&paris.bytes(), WIDTH), Some(paris));
    assert_eq!((made.share("send mail", 4), made.share("send mail send mail", 3)), (1.0, 0.5));
    assert_eq!((Vector::from_bytes(&[1, 2], WIDTH), Vector::from_bytes(&[0; WIDTH], WIDTH)), (None, None));
}

#[test]
fn hostile_texts_take_no_longer_than_long_ones() {
    let made = encoder(&Small::whole()).unwrap();
    for text in ["[SEP][CLS][MASK]", "\0\u{202e}\u{feff}", &"x".repeat(1 << 20), &"a\u{301}".repeat(1 << 20), "ก็็็็็็็"]
    {
        assert!(made.vector(text, 128).is_ok());
        assert!(made.vector(text, 0).is_ok());
    }
}

#[test]
fn a_file_that_is_cut_anywhere_is_told() {
    let bytes = Small::whole().bytes(&WORDS);
    for length in (0..bytes.len()).step_by(97).chain([7, 8, 9, bytes.len() - 6]) {
        assert!(Encoder::read(Cursor::new(bytes[..length].to_vec())).is_err(), "{length}");
    }
}

#[test]
fn what_does_not_fit_together_is_told() {
    assert_eq!(problem(&Small::whole()), "");
    let changed = |name: &str, key: &str, value: Value| {
        let mut small = Small::whole();
        small.head[name][key] = value;
        problem(&small)
    };
    let query = "encoder.layer.1.attention.self.query.weight";
    for (told, wanted) in [
        (changed(query, "shape", json!([WIDTH, INNER])), "does not lie where it should"),
        (changed(query, "shape", json!([WIDTH / 2, WIDTH * 2])), "has the shape [16, 64] and not [32, 32]"),
        (changed(query, "shape", json!([u64::MAX, 8])), "does not lie where it should"),
        (changed(query, "shape", json!([-1, 8])), "has another shape"),
        (changed(query, "shape", json!(null)), "has another shape"),
        (changed(query, "dtype", json!("F16")), "is not of 32-bit floating point numbers"),
        (changed(query, "data_offsets", json!([u64::MAX - 4095, 0])), "does not lie where it should"),
        (changed(query, "data_offsets", json!([0])), "does not lie where it should"),
        (changed("embeddings.word_embeddings.weight", "shape", json!([WIDTH, WORDS.len()])), "word pieces"),
    ] {
        assert!(told.contains(wanted), "{told} and not {wanted}");
    }
    let mut small = Small::whole();
    small.head.remove("encoder.layer.0.attention.self.query.weight");
    assert!(problem(&small).contains("it has no layers"), "{}", problem(&small));
    let mut small = Small::whole();
    let last = small.numbers.len() - 1;
    small.numbers[last] = f32::NAN;
    assert!(problem(&small).contains("holds what is no number"), "{}", problem(&small));
    let words: Vec<&str> = WORDS.iter().map(|word| if *word == "[UNK]" { "unk" } else { *word }).collect();
    let told = Encoder::read(Cursor::new(Small::whole().bytes(&words))).err().unwrap().to_string();
    assert!(told.contains("lack [UNK]"), "{told}");
}

#[test]
fn tensors_that_lie_on_one_another_make_no_more_of_a_file_than_it_is() {
    let mut small = Small::whole();
    let name = |layer: usize, part: &str| format!("encoder.layer.{layer}.{part}");
    assert_eq!(problem(&Small::of(24)), "");
    let parts: Vec<(String, Value)> = small
        .head
        .iter()
        .filter_map(|(key, entry)| Some((key.strip_prefix("encoder.layer.1.")?.to_owned(), entry.clone())))
        .collect();
    for layer in 2..24 {
        small.head.extend(parts.iter().map(|(part, entry)| (name(layer, part), entry.clone())));
    }
    assert!(problem(&small).contains("lies on other numbers"), "{}", problem(&small));
}

#[test]
fn a_head_that_lies_about_its_length_reserves_nothing() {
    for length in [u64::MAX, 1 << 40, (1 << 20) + 1, 1 << 19] {
        let bytes = [&length.to_le_bytes()[..], b"{}"].concat();
        let told = Encoder::read(Cursor::new(bytes)).err().unwrap().to_string();
        assert!(told.contains("its head has no sensible length"), "{told}");
    }
}

#[test]
fn a_word_whose_row_is_no_number_gives_no_vector_and_the_others_do() {
    let mut small = Small::whole();
    small.numbers[10 * WIDTH] = f32::INFINITY;
    let made = encoder(&small).unwrap();
    assert!(made.vector("mail", 128).unwrap_err().to_string().contains("holds what is no number"));
    assert!(made.vector("paris", 128).is_ok());
}
