//! The texts that Assent brings along: templates, packs, examples, migrations. In the program they are one compressed piece, a quarter
//! of what they are as they stand.

use std::io::Read as _;
use std::sync::LazyLock;

use flate2::read::DeflateDecoder;

const PACKED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/texts"));

/// The name of each text, by which they are sorted, and from where to where it stands in all of them.
const PLACES: &[(&str, usize, usize)] = &include!(concat!(env!("OUT_DIR"), "/places.rs"));

static ALL: LazyLock<String> = LazyLock::new(|| {
    let mut all = String::new();
    // What the build has packed can be read; a test reads all of it.
    let _ = DeflateDecoder::new(PACKED).read_to_string(&mut all);
    all
});

/// The text of a file that is named here, which is looked for as the program is built.
macro_rules! text {
    ($name:literal) => {{
        const PLACE: usize = $crate::texts::place($name);
        $crate::texts::at(PLACE)
    }};
}
pub(crate) use text;

/// A JSON value of nothing but literals, kept as the text that it is: as code that puts it together it would be several
/// times as long in the program. What is no JSON is nothing, which the tests of whoever has it see.
macro_rules! literal {
    ($($json:tt)+) => {
        serde_json::from_str::<serde_json::Value>(stringify!($($json)+)).unwrap_or_default()
    };
}
pub(crate) use literal;

/// Where a name stands in the list of all.
pub(crate) const fn place(name: &str) -> usize {
    let mut at = 0;
    while at < PLACES.len() {
        if is_same(PLACES[at].0.as_bytes(), name.as_bytes()) {
            return at;
        }
        at += 1;
    }
    panic!("there is no such text");
}

const fn is_same(one: &[u8], other: &[u8]) -> bool {
    if one.len() != other.len() {
        return false;
    }
    let mut at = 0;
    while at < one.len() {
        if one[at] != other[at] {
            return false;
        }
        at += 1;
    }
    true
}

/// The text at a place in the list of all.
pub(crate) fn at(place: usize) -> &'static str {
    PLACES.get(place).and_then(|(_, start, end)| ALL.get(*start..*end)).unwrap_or_default()
}

/// The texts of a folder, by their paths in it, sorted.
pub(crate) fn below(folder: &str) -> impl Iterator<Item = (&'static str, &'static str)> {
    let places = PLACES.iter().enumerate();
    places.filter_map(move |(place, (name, ..))| Some((name.strip_prefix(folder)?.strip_prefix('/')?, at(place))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_is_in_the_program_as_it_stands() {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
        for (folder, path) in
            [("prompts", "prompts"), ("packs", "../packs"), ("data", "data"), ("migrations", "src/store/migrations")]
        {
            let mut count = 0;
            for (name, text) in below(folder) {
                assert_eq!(text, std::fs::read_to_string(root.join(path).join(name)).unwrap(), "{folder}/{name}");
                count += 1;
            }
            assert!(count > 1, "{folder}");
        }
        assert_eq!(text!("data/models.json"), at(place("data/models.json")));
        assert!(text!("data/models.json").contains("starter"));
    }
}
