//! The page's types, generated from these and the engine's. `UPDATE=1` rewrites the file; without it the test says
//! whether it is as it should be.

use std::any::TypeId;
use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use assent_core::plan::{Plan, PlanDiff, PlanEdit};
use assent_core::run::{Answer, EventKind, Place};
use assent_engine::engine::{Finding, WrittenFile};
use assent_engine::heap::Delegation;
use assent_engine::library::{SaveAs, SavedPlan, Suggestion};
use assent_engine::store::{
    AllowanceRow, Comment, Hit, ListFilter, PlanDraft, PlanStanding, RequestRow, SavedPlanRow, SessionRow, VersionRow,
};
use assent_engine::turn::ApprovalPolicy;
use ts_rs::{Config, TS, TypeVisitor};

use super::*;

const FILE: &str = "ui/src/backend/bindings/index.ts";
const HEAD: &str =
    "// Generated from the Rust types by the test `the_pages_types_are_those_of_the_shell`; UPDATE=1 rewrites it.\n";

/// Collects declarations by name, with everything that they name.
struct Declared<'c> {
    config: &'c Config,
    texts: BTreeMap<String, String>,
    seen: HashSet<TypeId>,
}

impl TypeVisitor for Declared<'_> {
    fn visit<T: TS + 'static + ?Sized>(&mut self) {
        if !self.seen.insert(TypeId::of::<T>()) {
            return;
        }
        // What has no file of its own, text and lists for instance, is written where it is used.
        if T::output_path().is_some() {
            let docs = T::docs().unwrap_or_default();
            let text = format!("{docs}export {}\n", T::decl(self.config));
            let name = T::ident(self.config);
            let before = self.texts.insert(name.clone(), text.clone());
            assert!(before.is_none_or(|before| before == text), "two types are named {name}");
        }
        T::visit_dependencies(self);
        T::visit_generics(self);
    }
}

fn generated() -> String {
    let config = Config::new().with_large_int("number");
    let mut declared = Declared { config: &config, texts: BTreeMap::new(), seen: HashSet::new() };
    declared.visit::<(Packet, FirstView)>();
    // These are written out where they are used, and named by the page.
    declared.visit::<(Place, EventKind)>();
    declared.visit::<(PlanView, PlanEdited, RunView, RunPlan, SentRequest, CallContents, FileLook, WrittenFile)>();
    declared.visit::<(ModelList, TestResult, ProviderView)>();
    declared.visit::<(SettingsView, SettingsChange, Workspace, TextFile, About, SpecialistOption, ExportFormat)>();
    declared.visit::<(CredentialView, KeptCredential)>();
    declared.visit::<(ToolsView, ToolFilter, ToolSearch, ContractEntry, ContractPage, MemoryAsked, MemoryFound)>();
    declared.visit::<(FoundPackView, SourceKey)>();
    declared.visit::<ModelRoleName>();
    declared.visit::<Finding>();
    declared.visit::<(PlanEdit, PlanDiff, Plan, VersionRow, PlanStanding, PlanDraft, Comment)>();
    declared.visit::<(ListFilter, SessionRow, Hit, RequestRow, Answer, AllowanceRow, ApprovalPolicy, Delegation)>();
    declared.visit::<(SaveAs, SavedPlan, SavedPlanRow, Suggestion)>();
    let texts: Vec<String> = declared.texts.into_values().collect();
    format!("{HEAD}\n{}", texts.join("\n"))
}

#[test]
fn the_page_knows_the_option_that_goes_on_with_another_plan() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("ui/src/app/settling.ts");
    let line = format!("const CHANGE_PLAN = '{}';", assent_engine::executor::CHANGE_PLAN);
    assert!(std::fs::read_to_string(&file).unwrap().contains(&line), "{} has not: {line}", file.display());
}

#[test]
fn the_pages_types_are_those_of_the_shell() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(FILE);
    let wanted = generated();
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&file, &wanted).unwrap();
    }
    let there = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(there == wanted, "{FILE} is not what the Rust types say: run this test with UPDATE=1");
}
