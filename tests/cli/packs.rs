//! Packs of a person's own on the command line: a folder is looked at, added where nothing is wrong with it, and removed.

use serde_json::json;

use crate::desk::Desk;

fn put(desk: &Desk, file: &str, text: &str) {
    let path = desk.user().join("letters").join(file);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

#[test]
fn a_folder_is_looked_at_mended_added_and_removed() {
    let desk = Desk::new();
    let folder = desk.user().join("letters").display().to_string();
    put(
        &desk,
        "agents/writer.toml",
        "description = \"Writes letters.\"\ntools = []\ninput = \"in.json\"\nmodels = 1\n",
    );
    put(&desk, "agents/reader.toml", "description = \"Reads letters.\"\ntools = [\"read\"]\nprompt = \"no.md\"\n");
    put(&desk, "in.json", r#"{"type": "object", "required": ["to"]}"#);
    let refused = desk.run(&["heap", "check", &folder]).ends(1);
    assert_eq!(refused.out, "agents/reader.toml\nagents/writer.toml\nin.json\n");
    for told in ["packs.letters.no.md: ", "packs.letters.agents/writer.toml: ", "unknown field `models`"] {
        assert!(refused.err.contains(told), "{told}: {}", refused.err);
    }
    let not_added = desk.run(&["heap", "add", "letters", "--from", &folder]).ends(1);
    assert!(
        not_added.err.contains("nothing was added") && not_added.err.contains("unknown field"),
        "{}",
        not_added.err
    );
    assert!(!desk.home().join("packs/letters").exists());

    put(&desk, "agents/writer.toml", "description = \"Writes letters.\"\ntools = [\"raed\"]\ninput = \"in.json\"\n");
    put(&desk, "specialists.json", r#"{"specialists": [{"id": "a__b", "toolNames": ["read"]}]}"#);
    put(&desk, "no.md", "You read.");
    let unbuilt = desk.run(&["heap", "check", &folder]).ends(1);
    for told in ["agents/writer.toml.tools: there is no tool \"raed\"", "packs.letters.specialists.json.a__b.id: an id"]
    {
        assert!(unbuilt.err.contains(told), "{told}: {}", unbuilt.err);
    }
    let general = r#"{"specialists": [{"id": "general", "description": "Mine.", "toolNames": ["ask_user", "displayConfirmation"], "topLevel": true}]}"#;
    put(&desk, "specialists.json", general);
    put(&desk, "agents/writer.toml", "description = \"Writes letters.\"\ntools = []\ninput = \"in.json\"\n");
    let taken = "note: packs.letters.specialists.json.general: \"general\" comes from \"letters\" now";
    let instead = desk.run(&["heap", "check", &folder]).ends(0);
    assert!(instead.err.contains(taken) && instead.err.contains("it can be added"), "{}", instead.err);
    std::fs::remove_file(desk.user().join("letters/specialists.json")).unwrap();
    put(&desk, "no.md", "You read.");
    let found = desk.run(&["heap", "check", &folder, "--json"]).ends(0).values().remove(0);
    assert_eq!((&found["agents"], &found["faults"]), (&json!(["reader", "writer"]), &json!([])));
    let fine = desk.run(&["heap", "check", &folder]).ends(0);
    assert!(fine.err.contains("it can be added: assent heap add letters --from "), "{}", fine.err);
    desk.run(&["heap", "add", "letters", "--from", &folder]).ends(0);
    assert!(desk.run(&["heap", "packs"]).ends(0).out.contains("letters  your own (4 files)"));
    let listed = desk.run(&["contract", "show"]).ends(0).out;
    assert!(listed.contains("writer [letters]"), "{listed}");
    let again = desk.run(&["heap", "add", "letters", "--from", &folder]).ends(1);
    assert!(again.err.contains("is there already"), "{}", again.err);

    let kept = desk.run(&["heap", "remove", "letters"]).ends(1);
    assert!(kept.err.contains("is a pack of your own"), "{}", kept.err);
    desk.run(&["heap", "remove", "letters", "--changed"]).ends(0);
    assert!(!desk.home().join("packs/letters").exists() && desk.user().join("letters/in.json").exists());
    assert!(!desk.run(&["heap", "packs"]).ends(0).out.contains("letters"));
}
