use super::*;

fn small() -> (tempfile::TempDir, Places, ModelFile) {
    let folder = tempfile::tempdir().unwrap();
    let model = ModelFile {
        id: "small".into(),
        name: "Small".into(),
        file: "small.gguf".into(),
        bytes: 5,
        sha256: "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824".into(),
        licence: "Apache-2.0".into(),
        hub: None,
        context_tokens: 512,
        purpose: FileUse::Chat,
        parts: Vec::new(),
    };
    let places =
        Places { data: folder.path().into(), models: vec![folder.path().into()], servers: vec![], named_server: None };
    (folder, places, model)
}

#[test]
fn the_manifest_names_the_starter_the_smoke_model_and_what_compares_texts() {
    let ids: Vec<String> = manifest().iter().map(ModelFile::model_id).collect();
    assert_eq!(ids, ["local/starter", "local/smoke", "local/meaning"]);
    assert!(manifest().iter().all(|model| model.sha256.len() == 64));
    let mut chat = manifest().iter().filter(|model| model.purpose == FileUse::Chat);
    assert!(chat.all(|model| model.context_tokens >= 2048 && model.parts.is_empty()));
    let search = search_file().unwrap();
    assert_eq!(search.id, "meaning");
    assert_eq!(search.parts.iter().map(|part| part.bytes).sum::<u64>(), search.bytes);
}

#[test]
fn a_missing_file_says_how_to_get_it() {
    let (_folder, places, model) = small();
    assert_eq!(places.state(&model), FileState::Missing);
    let error = places.model(&model).unwrap_err();
    assert!(error.to_string().contains("assent model pull small"), "{error}");
}

#[test]
fn a_file_of_the_right_size_is_hashed_once_and_another_content_is_refused() {
    let (folder, places, model) = small();
    let path = folder.path().join("small.gguf");
    std::fs::write(&path, "hello").unwrap();
    assert_eq!(places.model(&model), Ok(path.clone()));
    assert_eq!(std::fs::read_to_string(stamp_file(&path)).unwrap().trim(), model.sha256);
    std::fs::write(&path, "hellO").unwrap();
    let error = places.check(&model).unwrap_err().to_string();
    assert!(error.contains("other content") && error.contains("assent model pull small"), "{error}");
    assert!(places.model(&model).is_err(), "what was found is kept, so the next start notices too");
    let other = |state| matches!(state, FileState::Corrupt { reason, .. } if reason.contains("other content"));
    assert!(other(places.state(&model)), "so that it can be fetched anew wherever it is listed");
    let at = |seconds: u64| {
        let time = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(seconds);
        std::fs::File::options().write(true).open(&path).unwrap().set_modified(time).unwrap();
    };
    // A good one that was put in its place is looked at again, also one that is older.
    std::fs::write(&path, "hello").unwrap();
    at(1_000_000_000);
    assert_eq!(places.state(&model), FileState::Ready(path.clone()));
    assert_eq!(places.model(&model), Ok(path.clone()));
    std::fs::write(&path, "hellO").unwrap();
    at(4_000_000_000);
    assert!(places.model(&model).is_err(), "a file that was written after its check is checked again");
    assert!(other(places.state(&model)));
    // What else stands in the place of a stamp says nothing.
    for nothing in ["", "hello", &format!("{}  small.gguf", "0".repeat(64))] {
        std::fs::write(&path, "hello").unwrap();
        at(1_000_000_000);
        std::fs::write(stamp_file(&path), nothing).unwrap();
        assert_eq!(places.model(&model), Ok(path.clone()), "{nothing:?}");
    }
    assert_eq!(places.state(&model), FileState::Ready(path.clone()));
    std::fs::write(&path, "hell").unwrap();
    let error = places.model(&model).unwrap_err().to_string();
    assert!(error.contains("4 bytes instead of 5"), "{error}");
}

#[test]
fn a_server_is_only_looked_for_in_absolute_folders_of_the_path() {
    let folder = tempfile::tempdir().unwrap();
    let path = std::env::join_paths([Path::new("."), Path::new(""), Path::new("bin"), folder.path()]).unwrap();
    let places = Places::usual(Path::new("/nowhere"), |name| match name {
        "PATH" => Some(path.clone()),
        "HOME" => Some("home".into()),
        _ => None,
    });
    assert!(places.servers.iter().all(|candidate| candidate.is_absolute()), "{:?}", places.servers);
    let program = std::env::current_exe().unwrap();
    let folders: Vec<_> = places.servers.iter().filter_map(|candidate| candidate.parent()).take(2).collect();
    let beside = program.parent().unwrap();
    let packaged = beside.parent().unwrap().join("lib/assent");
    assert_eq!(
        folders,
        [packaged.as_path(), beside],
        "its package's own before a stranger's in the folder of programs"
    );
    assert!(places.servers.last().is_some_and(|candidate| candidate.starts_with(folder.path())));
}

#[test]
fn a_persons_own_file_lies_where_it_is_and_is_known_by_its_size_only() {
    let (folder, places, _) = small();
    let path = folder.path().join("elsewhere.gguf");
    std::fs::write(&path, "12345678").unwrap();
    let file = path.display().to_string();
    let own = ModelFile { file, bytes: 8, sha256: String::new(), ..small().2 };
    assert_eq!((places.model(&own), places.check(&own)), (Ok(path.clone()), Ok(())));
    assert!(!stamp_file(&path).exists(), "nothing is written beside a person's own files");
    std::fs::write(&path, "1234").unwrap();
    let error = places.model(&own).unwrap_err().to_string();
    assert!(error.contains("4 bytes instead of 8; put it back, or add it again"), "{error}");
    std::fs::remove_file(&path).unwrap();
    assert!(places.model(&own).unwrap_err().to_string().contains("put it back, or add it again"));
}

#[test]
fn a_named_server_that_is_missing_is_not_replaced_by_another() {
    let data = Path::new("/nowhere");
    let named = Places::usual(data, |name| (name == "ASSENT_LLAMA_SERVER").then(|| "/no/such/llama-server".into()));
    assert!(named.server().unwrap_err().to_string().contains("/no/such/llama-server"));
    let places = Places::usual(data, |name| (name == "HOME").then(|| "/no/home".into()));
    assert!(places.server().unwrap_err().to_string().contains("scripts/build-llama-server"));
    let own = if cfg!(target_os = "macos") { "Library/Application Support" } else { ".local/share" };
    assert_eq!(places.models, [data.join("models"), Path::new("/no/home").join(own).join("assent/models")]);
}
