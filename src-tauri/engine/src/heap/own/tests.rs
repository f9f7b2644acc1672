use std::path::{Path, PathBuf};
use std::sync::Arc;

use assent_core::contract::{Fault, Stage};

use super::{FoundPack, OwnPack, add, list, look, remove};
use crate::heap::Heap;
use crate::heap::shipped::{AddError, RemoveError};
use crate::tool::{Catalogue, core_tools, human_tools};

const READER: &str = "description = \"Reads.\"\ntools = [\"read\"]\ninput = \"in.json\"\n";

/// A folder that could be a pack, beside the folder of packs.
struct Place {
    top: tempfile::TempDir,
}

impl Place {
    fn with(files: &[(&str, &str)]) -> Self {
        let place = Self { top: tempfile::tempdir().unwrap() };
        std::fs::create_dir(place.own()).unwrap();
        for (file, text) in files {
            let path = place.own().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        place
    }

    fn own(&self) -> PathBuf {
        self.top.path().join("mine")
    }

    fn packs(&self) -> PathBuf {
        self.top.path().join("packs")
    }

    fn heap(&self) -> Heap {
        let mut tools = Catalogue::default();
        tools.add_all(core_tools()).unwrap();
        tools.add_all(human_tools()).unwrap();
        Heap::new(Arc::new(tools), Some(self.packs()))
    }

    /// A file of another pack that was added.
    fn other(&self, file: &str, text: &str) {
        let path = self.packs().join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    fn look(&self) -> FoundPack {
        look(&self.heap(), "mine", &self.own(), |_| None).unwrap()
    }

    fn notes(&self) -> Vec<String> {
        self.look().notes.iter().map(ToString::to_string).collect()
    }

    fn faults(&self) -> Vec<String> {
        self.look().faults.iter().map(ToString::to_string).collect()
    }

    fn add(&self) -> Result<PathBuf, AddError> {
        add(&self.heap(), "mine", &self.own(), |_| None).map(|(folder, _)| folder)
    }
}

fn whole() -> Place {
    Place::with(&[
        ("agent.toml", READER),
        ("in.json", "{}"),
        ("agents/helper.toml", READER),
        ("notes/read.me", "x"),
        (".git/config", "none of it"),
    ])
}

#[test]
fn a_folder_is_looked_at_without_a_trace_then_copied_with_what_belongs_to_it_and_counts_as_a_pack() {
    let place = whole();
    let found = place.look();
    let files = ["agent.toml", "agents/helper.toml", "in.json", "notes/read.me"];
    assert_eq!((found.files.as_slice(), found.faults.as_slice()), (files.map(str::to_owned).as_slice(), [].as_slice()));
    assert_eq!(
        (found.agents, found.specialists),
        (vec!["mine".to_owned(), "helper".to_owned()], vec!["mine".to_owned()])
    );
    assert!(!place.packs().exists(), "nothing is written by looking");

    let folder = place.add().unwrap();
    assert_eq!(list(&place.packs()), [OwnPack { name: "mine".to_owned(), files: files.map(str::to_owned).to_vec() }]);
    assert_eq!(std::fs::read_to_string(folder.join("agents/helper.toml")).unwrap(), READER);
    assert!(!folder.join(".git").exists());
    assert!(matches!(place.add(), Err(AddError::IsThere(there)) if there == folder));

    assert!(matches!(remove(&place.packs(), "mine", false), Err(RemoveError::Own(there)) if there == folder));
    remove(&place.packs(), "mine", true).unwrap();
    assert!(!folder.exists() && place.own().join("agent.toml").exists(), "what it was copied from stays");
    for gone in ["mine", "../mine", ".", ""] {
        assert!(matches!(remove(&place.packs(), gone, true), Err(RemoveError::Absent(_))), "{gone}");
    }
    assert!(place.own().exists());
}

#[test]
fn what_is_wrong_is_told_at_each_file_and_nothing_is_added() {
    let place = Place::with(&[
        ("agent.toml", "description = \"x\"\ntools = []\nmodels = 1\n"),
        ("agents/Bad name.toml", READER),
        ("agents/reader.toml", READER),
        ("agents/writer.toml", "description = \"x\"\ntools = []\nprompt = \"no.md\"\n"),
        ("in.json", "{"),
        ("specialists.json", "[]"),
    ]);
    let faults = place.faults();
    let expected = [
        ("packs.mine.agent.toml: ", "unknown field `models`"),
        ("packs.mine.agents/Bad name.toml: ", "no name of an agent"),
        ("packs.mine.in.json: ", "the agent \"reader\" was left out: it is no JSON"),
        ("packs.mine.no.md: ", "No such file"),
        ("packs.mine.specialists.json: ", "its specialists were left out: invalid length"),
    ];
    assert_eq!(faults.len(), expected.len(), "{faults:#?}");
    for (fault, (place, why)) in faults.iter().zip(expected) {
        assert!(fault.starts_with(place) && fault.contains(why), "{fault}");
    }
    match place.add() {
        Err(AddError::Faulty { faults, .. }) => assert_eq!(faults.len(), expected.len()),
        other => panic!("{other:?}"),
    }
    assert!(!place.packs().join("mine").exists());
}

#[test]
fn two_agents_of_one_name_are_told_before_the_second_is_added() {
    let place = whole();
    place.other("other/agents/helper.toml", "description = \"x\"\ntools = []\n");
    place.other("broken/agent.toml", "what is wrong there is not said here");
    let faults = place.faults();
    let twice = "packs.mine.agents/helper.toml: the agent \"helper\" was left out: the pack \"other\" has one of that name (Give one of them another name.)";
    assert_eq!(faults, [twice]);
}

#[test]
fn what_the_heap_could_not_be_built_with_is_told_before_it_is_added() {
    let specialists = r#"{"specialists": [
        {"id": "planner", "toolNames": ["read"], "topLevel": true},
        {"id": "a__b", "toolNames": ["read"], "topLevel": true},
        {"id": "top", "children": ["gone", "round"], "topLevel": true},
        {"id": "round", "toolNames": ["read"], "children": ["top"]},
        {"id": "twice", "toolNames": ["read"], "topLevel": true},
        {"id": "twice", "toolNames": ["grep"], "topLevel": true},
        {"id": "idle", "topLevel": true},
        {"id": "odd", "toolNames": ["read", "grpe"], "topLevel": true},
        {"id": "shared", "toolNames": ["read"], "topLevel": true}
    ]}"#;
    let place = Place::with(&[
        ("specialists.json", specialists),
        ("agent.toml", "description = \"x\"\ntools = [\"read\", \"run_helper\", \"run_nobody\"]\n"),
        ("agents/helper.toml", "description = \"x\"\ntools = [\"grpe\", \"crawl_fetch\"]\nmust_call = [\"grpe\"]\n"),
    ]);
    place.other(
        "others/specialists.json",
        r#"{"specialists": [{"id": "shared", "toolNames": ["grep"], "topLevel": true}]}"#,
    );
    let at = "packs.mine.specialists.json";
    let no = |tool: &str| format!("there is no tool {tool:?} (The list of tools names those that there are.)");
    let expected = [
        format!("{at}.twice: \"twice\" stands in \"mine\" twice; the later one counts (Give one of them another id.)"),
        format!("{at}.shared: \"shared\" comes from \"mine\" now, no longer from \"others\""),
        format!("{at}.planner.id: the planner cannot be replaced; the specialist was left out"),
        format!("{at}.a__b.id: an id is not empty and holds no \"__\"; the specialist was left out"),
        format!("{at}.top.children: there is no specialist \"gone\"; it was left out"),
        format!("{at}.round.children: \"top\" is above itself; this child was left out"),
        format!("{at}.idle.toolNames: it has neither tools nor anybody below it; the specialist was left out"),
        format!("packs.mine.agent.toml.tools: {}", no("run_nobody")),
        format!("packs.mine.agents/helper.toml.tools: {}", no("grpe")),
        format!("{at}.odd.toolNames: {}", no("grpe")),
    ];
    assert_eq!(place.faults(), expected);
    assert!(matches!(place.add(), Err(AddError::Faulty { faults, .. }) if faults.len() == expected.len()));
    assert!(!place.packs().join("mine").exists());
}

#[test]
fn whose_place_a_pack_takes_and_what_it_lacks_for_now_is_told_and_it_can_be_added() {
    let place = Place::with(&[
        (
            "specialists.json",
            r#"{"specialists": [{"id": "general", "toolNames": ["ask_user", "mail.send"], "topLevel": true}]}"#,
        ),
        ("agents/helper.toml", "description = \"x\"\ntools = [\"mcp.mail.read\", \"create_agent\"]\n"),
    ]);
    let expected = [
        "packs.mine.specialists.json.general: \"general\" comes from \"mine\" now, no longer from Assent",
        "packs.mine.agents/helper.toml.tools: the tool \"mcp.mail.read\" is not there until its source is connected",
        "packs.mine.agents/helper.toml.tools: the tool \"create_agent\" is not there while the studio is closed",
        "packs.mine.specialists.json.general.toolNames: the tool \"mail.send\" is not there until its source is connected",
    ];
    assert_eq!((place.faults(), place.notes()), (vec![], expected.map(str::to_owned).to_vec()));
    let noted = look(&place.heap(), "mine", &place.own(), |agent| Some(Fault::new(Stage::Route, agent.name.as_str())));
    assert_eq!(noted.unwrap().notes.last().map(ToString::to_string).as_deref(), Some("helper"));
    place.add().unwrap();
    // It is told as long as it is so.
    let now = place.heap().now();
    assert_eq!((now.faults.len(), now.notes.len()), (0, 4), "{:?}", now.notes);
    assert_eq!(now.registry.get("general").unwrap().tool_names, ["ask_user", "mail.send"]);
}

#[test]
fn a_folder_that_is_no_pack_and_one_that_is_too_much_are_told() {
    let nothing = Place::with(&[("notes.md", "x")]).faults();
    assert_eq!(
        nothing,
        ["packs.mine: it is no pack: there is no agent.toml, no agents/NAME.toml and no specialists.json in it"]
    );
    let place = whole();
    std::fs::write(place.own().join("big.bin"), vec![0; (1 << 20) + 1]).unwrap();
    std::fs::create_dir_all(place.own().join("a/b/c/d/e")).unwrap();
    let faults = place.faults();
    assert!(faults.iter().any(|fault| fault.starts_with("packs.mine.big.bin: it has 1048577 bytes")), "{faults:?}");
    assert!(faults.iter().any(|fault| fault.contains("a/b/c/d/e: it is more than 4 folders deep")), "{faults:?}");
    let many = whole();
    for at in 0..400 {
        std::fs::write(many.own().join(format!("notes/{at}")), "").unwrap();
    }
    assert!(many.faults().iter().any(|fault| fault.contains("more than 200 files")), "{:?}", many.faults());
}

#[cfg(unix)]
#[test]
fn a_link_is_neither_followed_nor_copied() {
    let place = whole();
    std::os::unix::fs::symlink("/etc/hostname", place.own().join("secret")).unwrap();
    std::os::unix::fs::symlink("/etc", place.own().join("folder")).unwrap();
    let faults = place.faults();
    assert_eq!(faults.len(), 2, "{faults:?}");
    assert!(faults.iter().all(|fault| fault.contains("it is a link")), "{faults:?}");
    assert!(place.add().is_err() && !place.packs().join("mine").exists());
}

#[test]
fn names_that_no_pack_can_have_and_folders_that_are_not_there_are_told() {
    let place = whole();
    let error = |name: &str, folder: &Path| look(&place.heap(), name, folder, |_| None).unwrap_err().to_string();
    for name in ["", "..", "../x", "/etc", "Mine", "a b"] {
        assert!(error(name, &place.own()).contains("is no name of a pack"), "{name}");
    }
    assert!(error("crawl", &place.own()).contains("Assent brings a pack \"crawl\" along"));
    assert!(error("mine", &place.top.path().join("nowhere")).contains("cannot be read"));
    assert!(error("mine", &place.own().join("agent.toml")).contains("cannot be read"));
}
