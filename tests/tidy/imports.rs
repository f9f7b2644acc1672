//! The import order of the two crates: a module uses those above it, never those below.

use crate::assert_none;
use crate::scan::paths;
use crate::tree::{self, File};

const CORE: Order =
    Order { folder: "src-tauri/core/src", modules: &["ids", "order", "contract", "discovery", "plan", "heap", "run"] };

const ENGINE: Order = Order {
    folder: "src-tauri/engine/src",
    modules: &[
        "clock",
        "texts",
        "store",
        "model",
        "vault",
        "prompt",
        "tool",
        "memory",
        "discovery",
        "heap",
        "planner",
        "live",
        "executor",
        "turn",
        "library",
        "pack",
        "studio",
        "workflow",
        "engine",
    ],
};

/// The modules of a crate in import order, from the ground up.
struct Order {
    folder: &'static str,
    modules: &'static [&'static str],
}

impl Order {
    fn place(&self, module: &str) -> Option<usize> {
        self.modules.iter().position(|known| *known == module)
    }

    /// What `file` names from below itself, and modules that have no place at all.
    fn complaints(&self, file: &File) -> Vec<String> {
        let inner = file.path.trim_start_matches(self.folder).trim_start_matches('/').trim_end_matches(".rs");
        let module: Vec<&str> = inner.split('/').filter(|part| *part != "mod").collect();
        let Some(own) = module.first().copied().filter(|own| *own != "lib") else { return Vec::new() };
        let Some(place) = self.place(own) else {
            return vec![format!("{}: the module `{own}` has no place in the import order", file.path)];
        };
        paths(&file.text, &["crate", "super"])
            .iter()
            .filter_map(|path| top_level(path, module.len()))
            .filter(|used| self.place(used).is_some_and(|used| used > place))
            .map(|used| format!("{}: `{own}` uses `{used}`, which stands below it", file.path))
            .collect()
    }
}

/// The crate's own module that `path` reaches into, seen from a file `depth` modules deep.
fn top_level(path: &[String], depth: usize) -> Option<&str> {
    let climbed = path.iter().take_while(|part| *part == "super").count();
    let from_root = path.first().is_some_and(|part| part == "crate");
    match (from_root, climbed) {
        (true, _) => path.get(1).map(String::as_str),
        (false, climbed) if climbed >= depth => path.get(climbed).map(String::as_str),
        _ => None,
    }
}

/// Whether `lib.rs` declares its modules in the order that they are bound to.
fn declaration_complaints(order: &Order, lib: &str) -> Vec<String> {
    let declared: Vec<&str> = lib
        .lines()
        .filter_map(|line| line.trim_start_matches("pub ").strip_prefix("mod ")?.strip_suffix(';'))
        .collect();
    let places: Vec<Option<usize>> = declared.iter().map(|module| order.place(module)).collect();
    let unknown = declared.iter().zip(&places).filter(|(_, place)| place.is_none());
    let mut complaints: Vec<String> =
        unknown.map(|(module, _)| format!("{}: `{module}` has no place in the import order", order.folder)).collect();
    if !places.iter().flatten().is_sorted() {
        complaints.push(format!("{}/lib.rs does not declare its modules in import order", order.folder));
    }
    complaints
}

fn check(order: &Order) {
    let mut complaints = Vec::new();
    for file in tree::production(order.folder, &[".rs"]) {
        complaints.extend(order.complaints(&file));
        if file.path == format!("{}/lib.rs", order.folder) {
            complaints.extend(declaration_complaints(order, &file.text));
        }
    }
    assert_none(&complaints);
}

#[test]
fn the_core_keeps_its_import_order() {
    check(&CORE);
}

#[test]
fn the_engine_keeps_its_import_order() {
    check(&ENGINE);
}

#[test]
fn only_the_store_speaks_sql_and_the_executor_names_no_adapter() {
    let engine = tree::production(ENGINE.folder, &[".rs"]);
    let elsewhere = |file: &&File| !file.path.starts_with("src-tauri/engine/src/store/");
    let sql = engine.iter().filter(elsewhere).filter(|file| !paths(&file.text, &["rusqlite"]).is_empty());
    let adapters = engine.iter().filter(|file| file.path.starts_with("src-tauri/engine/src/executor")).filter(|file| {
        let used = paths(&file.text, &["crate"]);
        used.iter().any(|path| path.iter().any(|part| matches!(part.as_str(), "openai" | "anthropic" | "local")))
    });
    let complaints: Vec<String> = sql
        .map(|file| format!("{}: only the store uses rusqlite", file.path))
        .chain(adapters.map(|file| format!("{}: the executor names an adapter", file.path)))
        .collect();
    assert_none(&complaints);
}

#[cfg(test)]
mod samples {
    use super::*;

    fn complaints(path: &str, text: &str) -> Vec<String> {
        ENGINE.complaints(&File { path: format!("src-tauri/engine/src/{path}"), text: text.into() })
    }

    #[test]
    fn looking_down_is_refused_and_looking_up_is_not() {
        assert_eq!(complaints("planner/mod.rs", "use crate::{model::Model, prompt};"), Vec::<String>::new());
        assert_eq!(
            complaints("store/journal.rs", "use crate::{clock, planner::Plan};"),
            ["src-tauri/engine/src/store/journal.rs: `store` uses `planner`, which stands below it"]
        );
        assert_eq!(complaints("model/openai.rs", "use super::super::tool::Scope;").len(), 1);
        assert_eq!(complaints("model/openai.rs", "use super::tool::Wrapper;"), Vec::<String>::new());
        assert_eq!(complaints("clock.rs", "use super::store;").len(), 1);
    }

    #[test]
    fn a_module_without_a_place_is_named() {
        assert_eq!(
            complaints("helpers.rs", ""),
            ["src-tauri/engine/src/helpers.rs: the module `helpers` has no place in the import order"]
        );
    }

    #[test]
    fn declarations_follow_the_order() {
        let one = "src-tauri/core/src/lib.rs does not declare its modules in import order".to_owned();
        assert_eq!(declaration_complaints(&CORE, "pub mod ids;\npub mod plan;\n"), Vec::<String>::new());
        assert_eq!(declaration_complaints(&CORE, "pub mod plan;\nmod ids;\n"), [one]);
        assert_eq!(
            declaration_complaints(&CORE, "mod util;\n"),
            ["src-tauri/core/src: `util` has no place in the import order"]
        );
    }
}
