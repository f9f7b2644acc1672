//! Which models there are and which one is taken; fetching one.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex};

use assent_engine::model::local::{FileState, FileUse, HubFile, LocalSettings, ModelFile, Places};
use assent_engine::model::pull::{Fetched, HUB, PullError, hub, pull};
use assent_engine::model::registry::{
    Detected, FileError, ModelId, ModelRole, PROVIDERS_SETTING, Protocol, Provider, ProviderError, Registry,
    RegistryParts, Removed, detect, ports,
};
use assent_engine::model::{Keys, ModelError, PlannerProfile, Secret};
use assent_engine::store::{Settings, StoreError};
use assent_tests::keyring::Keyring;
use assent_tests::sse::{Answer, FakeServer, Part};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

use super::local::{Home, guard};

#[derive(Default)]
struct Chosen(Mutex<HashMap<String, Value>>);

impl Settings for Chosen {
    fn setting(&self, key: &str) -> Result<Option<Value>, StoreError> {
        Ok(self.0.lock().unwrap().get(key).cloned())
    }
    fn set_setting(&self, key: &str, value: Option<&Value>) -> Result<(), StoreError> {
        let mut all = self.0.lock().unwrap();
        match value {
            Some(value) => all.insert(key.to_owned(), value.clone()),
            None => all.remove(key),
        };
        Ok(())
    }
    fn replace_setting(&self, key: &str, seen: Option<&Value>, value: Option<&Value>) -> Result<bool, StoreError> {
        let is_seen = self.setting(key)?.as_ref() == seen;
        if is_seen {
            self.set_setting(key, value)?;
        }
        Ok(is_seen)
    }
}

fn registry(data: &Path) -> (Arc<Registry>, Arc<Chosen>) {
    registry_with(data, Keyring::default())
}

fn registry_with(data: &Path, keyring: Keyring) -> (Arc<Registry>, Arc<Chosen>) {
    let settings: Arc<Chosen> = Arc::default();
    let parts = RegistryParts {
        places: Places::usual(data, |name| std::env::var_os(name)),
        hub: HUB.to_owned(),
        guard: guard(),
        local: LocalSettings { threads: Some(1), ..LocalSettings::default() },
        notice: None,
        settings: settings.clone(),
        keys: Arc::new(Keys::new(Box::new(keyring), Box::new(|_| None))),
    };
    (Arc::new(Registry::new(parts)), settings)
}

fn id(text: &str) -> ModelId {
    text.parse().unwrap()
}

#[test]
fn a_role_has_its_own_model_or_the_default_or_the_starter() {
    let home = TempDir::new().unwrap();
    let (registry, _) = registry(home.path());
    let chosen = || [ModelRole::Planner, ModelRole::Step].map(|role| registry.chosen(role).unwrap().to_string());
    assert_eq!(chosen(), ["local/starter", "local/starter"]);
    registry.choose(ModelRole::Default, Some(&id("ollama/llama3"))).unwrap();
    registry.choose(ModelRole::Planner, Some(&id("openrouter/meta/llama-3"))).unwrap();
    assert_eq!(chosen(), ["openrouter/meta/llama-3", "ollama/llama3"]);
    registry.choose(ModelRole::Planner, None).unwrap();
    assert_eq!(chosen(), ["ollama/llama3", "ollama/llama3"]);
    assert!("starter".parse::<ModelId>().is_err() && "/x".parse::<ModelId>().is_err());
}

#[test]
fn unknown_models_are_refused_with_what_to_do() {
    let home = TempDir::new().unwrap();
    let (registry, settings) = registry(home.path());
    for name in ["local/none", "nobody/gpt"] {
        let error = registry.open(&id(name)).err().unwrap();
        assert!(matches!(&error, ModelError::NoSuchModel { model, .. } if model == name), "{error:?}");
        assert!(error.to_string().contains("assent model list"), "{error}");
    }
    let own =
        json!([{"id": "nobody", "baseUrl": "https://models.example/v1", "protocol": "openai", "contextTokens": 4096}]);
    settings.set_setting(PROVIDERS_SETTING, Some(&own)).unwrap();
    let model = registry.open(&id("nobody/gpt")).unwrap();
    let profile = model.profile();
    assert_eq!((profile.id.as_str(), profile.context_tokens, profile.local), ("nobody/gpt", 4096, false));
    assert_eq!(registry.open(&id("ollama/llama3")).unwrap().profile().planner, PlannerProfile::Compact);
}

fn own(id: &str, address: &str) -> Provider {
    Provider { id: id.into(), base_url: address.into(), protocol: Protocol::Openai, context_tokens: 4096, plain: false }
}

#[test]
fn an_endpoint_goes_with_its_key_or_stays_where_the_keyring_does_not_let_go_of_it() {
    let home = TempDir::new().unwrap();
    let mut keyring = Keyring::default();
    let (registry, settings) = registry_with(home.path(), keyring.clone());
    registry.add_provider(own("mine", "http://127.0.0.1:1/v1")).unwrap();
    registry.keys().set("mine", Secret::new("for one address"));
    registry.keys().set("other", Secret::new("of another"));

    keyring.is_closed = true;
    let (locked, its_settings) = registry_with(home.path(), keyring.clone());
    let provided = settings.setting(PROVIDERS_SETTING).unwrap();
    its_settings.set_setting(PROVIDERS_SETTING, provided.as_ref()).unwrap();
    let error = locked.remove_provider("mine").unwrap_err();
    assert!(matches!(&error, ProviderError::KeyStays { id, .. } if id == "mine"), "{error}");
    assert!(error.to_string().contains("it is locked; unlock the keyring"), "{error}");
    assert_eq!(locked.own_providers().unwrap().len(), 1);

    assert_eq!(registry.remove_provider("other").unwrap(), None, "a key without an endpoint is not removed by that");
    assert_eq!(registry.remove_provider("mine").unwrap(), Some(Removed::WithKey));
    assert_eq!(keyring.kept.lock().unwrap().keys().collect::<Vec<_>>(), ["other"]);
    registry.add_provider(own("mine", "http://127.0.0.1:2/v1")).unwrap();
    assert_eq!(registry.keys().key("mine"), None);
}

#[test]
fn a_person_adds_an_endpoint_and_is_told_why_one_cannot_work() {
    let home = TempDir::new().unwrap();
    let (registry, _settings) = registry(home.path());
    for (name, address) in [
        ("", "http://127.0.0.1:8000/v1"),
        ("a/b", "http://127.0.0.1:8000/v1"),
        ("local", "http://127.0.0.1:8000/v1"),
        ("mine", "127.0.0.1:8000"),
        ("mine", "file:///etc/passwd"),
        ("mine", "http://me:secret@127.0.0.1:8000/v1"),
    ] {
        let error = registry.add_provider(own(name, address)).unwrap_err();
        assert!(matches!(&error, ProviderError::Unusable { .. }), "{name} {address}: {error}");
        assert!(!error.to_string().contains("secret"), "{error}");
    }
    assert_eq!(registry.own_providers().unwrap(), []);
    registry.add_provider(own("mine", "http://127.0.0.1:1/v1")).unwrap();
    let moved = own("mine", "http://127.0.0.1:8000/v1");
    let taken = registry.add_provider(moved.clone()).unwrap_err();
    assert!(matches!(&taken, ProviderError::Taken { address, .. } if address.contains(":1/")), "{taken}");
    registry.replace_provider(moved.clone()).unwrap();
    registry.add_provider(moved.clone()).unwrap();
    assert_eq!(registry.own_providers().unwrap(), [moved]);
    assert!(registry.open(&id("mine/model")).is_ok());
    registry.remove_provider("mine").unwrap();
    assert!(registry.open(&id("mine/model")).is_err());
}

#[tokio::test]
async fn servers_on_this_machine_are_noticed_and_others_never_asked() {
    let models = json!({"data": [{"id": "llama3"}, {"id": "bad\nname"}, {"no": "id"}]});
    let server = FakeServer::start([Answer::json(200, &models)]).await;
    let silent = FakeServer::start([Answer::events([]).part(Part::UntilGone(Default::default()))]).await;
    let page = FakeServer::start([Answer::status(200, "<html>")]).await;
    let provider = |id: &str, address: &str| Provider {
        id: id.into(),
        base_url: format!("{address}/v1"),
        protocol: Protocol::Openai,
        context_tokens: 8192,
        plain: false,
    };
    let candidates = [
        provider("ollama", &server.address),
        provider("lmstudio", &silent.address),
        provider("page", &page.address),
        provider("elsewhere", "http://192.0.2.1:11434"),
    ];
    let expected = Detected { provider: "ollama".into(), models: vec![id("ollama/llama3")] };
    assert_eq!(detect(&candidates).await, [expected]);
    assert_eq!(ports().iter().map(|port| port.id.as_str()).collect::<Vec<_>>(), ["ollama", "lmstudio"]);
}

#[tokio::test]
async fn a_test_asks_the_real_model_for_a_small_structured_reply() {
    let home = Home::new();
    if home.parts().is_none() {
        return;
    }
    let (registry, _) = registry(home.0.path());
    let tested = registry.test(&id("local/smoke"), &CancellationToken::new()).await.unwrap();
    assert!(tested.structured && tested.usage.output > 0, "{tested:?}");
}

/// The head of a file of the format, with a name and the tokens that the model takes.
fn gguf(context_tokens: u32) -> Vec<u8> {
    let text = |text: &str| [&(text.len() as u64).to_le_bytes()[..], text.as_bytes()].concat();
    let name = [text("general.name"), 8_u32.to_le_bytes().to_vec(), text("Mine")].concat();
    let context =
        [text("llama.context_length"), 4_u32.to_le_bytes().to_vec(), context_tokens.to_le_bytes().to_vec()].concat();
    let counts = [0_u64.to_le_bytes(), 2_u64.to_le_bytes()].concat();
    [b"GGUF".to_vec(), 3_u32.to_le_bytes().to_vec(), counts, name, context].concat()
}

#[test]
fn a_file_of_the_persons_own_is_a_model_where_it_lies() {
    let home = TempDir::new().unwrap();
    let (registry, _settings) = registry(home.path());
    let folder = home.path().canonicalize().unwrap();
    let refused = |name: &str, content: &[u8]| {
        let path = folder.join(name);
        std::fs::write(&path, content).unwrap();
        let error = registry.add_file(&path).unwrap_err();
        assert!(matches!(error, FileError::Unusable { .. }), "{error:?}");
        error.to_string()
    };
    assert!(refused("a.gguf", b"no model").contains("it is no GGUF file; choose a GGUF file"));
    assert!(refused("b.gguf", &gguf(512)).contains("it takes 512 tokens at once, and 2048 are needed"));
    assert!(refused("c.gguf", &gguf(512)[..40]).contains("it ends in the middle of its head"));
    assert!(registry.add_file(&folder.join("none.gguf")).is_err());

    let path = folder.join("My Starter.gguf");
    std::fs::write(&path, gguf(32_768)).unwrap();
    let added = registry.add_file(&path).unwrap();
    assert_eq!((registry.add_file(&path).unwrap(), added.to_string()), (added.clone(), "local/my-starter".into()));
    let known = registry.embedded().len();
    let own = registry.embedded().into_iter().find(|model| model.id == added).unwrap();
    assert_eq!((own.name.as_str(), own.about.context_tokens, own.file), ("Mine", 8192, FileState::Ready(path.clone())));
    assert_eq!(registry.open(&added).unwrap().profile().planner, PlannerProfile::Compact);

    let namesake = folder.join("starter.gguf");
    std::fs::write(&namesake, gguf(4096)).unwrap();
    assert_eq!(registry.add_file(&namesake).unwrap().to_string(), "local/starter-2");
    registry.choose(ModelRole::Planner, Some(&id("local/starter-2"))).unwrap();
    registry.choose(ModelRole::Step, Some(&added)).unwrap();
    registry.forget_file("starter-2").unwrap();
    registry.forget_file("starter").unwrap();
    assert_eq!(registry.choice(ModelRole::Planner).unwrap(), None);
    assert_eq!(registry.choice(ModelRole::Step).unwrap(), Some(added));
    assert_eq!(registry.embedded().len(), known);
    assert!(namesake.exists() && registry.open(&id("local/starter-2")).is_err());
}

#[tokio::test]
async fn a_file_of_the_persons_own_is_run_like_a_known_one() {
    let home = Home::new();
    if home.parts().is_none() {
        return;
    }
    let (registry, _) = registry(home.0.path());
    let smoke = registry.embedded().into_iter().find(|model| model.id == id("local/smoke")).unwrap();
    let FileState::Ready(path) = smoke.file else { panic!("{:?}", smoke.file) };
    let own = home.0.path().join("own.gguf");
    std::fs::hard_link(&path, &own).or_else(|_| std::fs::copy(&path, &own).map(drop)).unwrap();
    let added = registry.add_file(&own).unwrap();
    let tested = registry.test(&added, &CancellationToken::new()).await.unwrap();
    assert!(tested.structured && tested.usage.output > 0, "{tested:?}");
}

fn model() -> ModelFile {
    ModelFile {
        id: "small".into(),
        name: "Small".into(),
        file: "small.gguf".into(),
        bytes: 11,
        sha256: "b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9".into(),
        licence: "Apache-2.0".into(),
        hub: Some("someone/small".into()),
        context_tokens: 512,
        purpose: FileUse::Chat,
        parts: Vec::new(),
    }
}

async fn fetch(
    server: &FakeServer,
    folder: &TempDir,
    model: &ModelFile,
) -> (Result<std::path::PathBuf, PullError>, Vec<u64>) {
    let places = Places {
        data: folder.path().into(),
        models: vec![folder.path().join("m")],
        servers: vec![],
        named_server: None,
    };
    let seen = Mutex::new(Vec::new());
    let progress = |fetched: Fetched| seen.lock().unwrap().push(fetched.done);
    let result = pull(model, &places, &server.address, &progress, &CancellationToken::new()).await;
    if result.is_ok() {
        assert!(matches!(places.state(model), FileState::Ready(_)));
    }
    let seen = seen.lock().unwrap().clone();
    (result, seen)
}

#[tokio::test]
async fn a_fetch_that_broke_off_goes_on_where_it_stopped() {
    let folder = TempDir::new().unwrap();
    let half = Answer::status(200, "hello ").part(Part::Break);
    let rest = Answer::status(206, "world").header("content-range", "bytes 6-10/11");
    let server = FakeServer::start([half, rest]).await;
    let (first, seen) = fetch(&server, &folder, &model()).await;
    assert!(matches!(first, Err(PullError::Offline { .. })), "{first:?}");
    assert_eq!(seen, [6]);
    let (second, seen) = fetch(&server, &folder, &model()).await;
    assert_eq!((std::fs::read_to_string(second.unwrap()).unwrap(), seen), ("hello world".into(), vec![11]));
    let sent = server.received();
    assert_eq!(sent[0].line, "GET /someone/small/resolve/main/small.gguf");
    assert_eq!(sent[1].header("range"), Some("bytes=6-"));
    assert_eq!(fetch(&server, &folder, &model()).await.1, Vec::<u64>::new(), "what is there is not fetched again");
}

#[tokio::test]
async fn a_file_of_several_parts_is_joined_and_goes_on_in_the_part_where_it_stopped() {
    let folder = TempDir::new().unwrap();
    let part = |file: &str, bytes| HubFile { file: file.to_owned(), bytes };
    let joined = ModelFile { parts: vec![part("first.bin", 6), part("second.txt", 5)], ..model() };
    let whole = Answer::status(200, "hello ");
    let half = Answer::status(200, "wo").part(Part::Break);
    let rest = Answer::status(206, "rld").header("content-range", "bytes 2-4/5");
    let server = FakeServer::start([whole, half, rest]).await;
    let (first, seen) = fetch(&server, &folder, &joined).await;
    assert!(matches!(first, Err(PullError::Offline { .. })), "{first:?}");
    assert_eq!(seen, [6, 8]);
    let (second, seen) = fetch(&server, &folder, &joined).await;
    assert_eq!((std::fs::read_to_string(second.unwrap()).unwrap(), seen), ("hello world".into(), vec![11]));
    let sent: Vec<_> =
        server.received().iter().map(|sent| (sent.line.clone(), sent.header("range").map(str::to_owned))).collect();
    let line = |file: &str| format!("GET /someone/small/resolve/main/{file}");
    assert_eq!(
        sent,
        [(line("first.bin"), None), (line("second.txt"), None), (line("second.txt"), Some("bytes=2-".to_owned()))]
    );
}

#[tokio::test]
async fn a_part_that_is_longer_than_it_should_be_is_refused() {
    let folder = TempDir::new().unwrap();
    let parts = vec![HubFile { file: "first.bin".into(), bytes: 6 }, HubFile { file: "second.txt".into(), bytes: 5 }];
    let server = FakeServer::start([Answer::status(200, "hello w")]).await;
    let (result, _) = fetch(&server, &folder, &ModelFile { parts, ..model() }).await;
    assert!(matches!(result, Err(PullError::Wrong { .. })), "{result:?}");
}

#[tokio::test]
async fn a_wrong_file_is_not_kept_and_refusals_are_told() {
    let folder = TempDir::new().unwrap();
    for body in ["hello WORLD", "hello world and more"] {
        let server = FakeServer::start([Answer::status(200, body)]).await;
        let (result, _) = fetch(&server, &folder, &model()).await;
        assert!(matches!(result, Err(PullError::Wrong { .. })), "{result:?}");
    }
    assert!(!folder.path().join("m/small.gguf").exists());
    let server = FakeServer::start([Answer::status(403, "gated")]).await;
    assert!(matches!(fetch(&server, &folder, &model()).await.0, Err(PullError::Refused { .. })));
    let nowhere = ModelFile { hub: None, ..model() };
    assert_eq!(fetch(&server, &folder, &nowhere).await.0, Err(PullError::NotOnHub("local/small".into())));
    std::fs::write(folder.path().join("file"), "").unwrap();
    let places = Places {
        data: folder.path().into(),
        models: vec![folder.path().join("file/m")],
        servers: vec![],
        named_server: None,
    };
    let result = pull(&model(), &places, &server.address, &|_| {}, &CancellationToken::new()).await;
    assert!(matches!(result, Err(PullError::Disk { .. })), "{result:?}");
}

#[test]
fn models_come_from_the_hub_or_from_a_mirror_that_the_person_names() {
    let named = |mirror: &str| hub(|name| (name == "HF_ENDPOINT").then(|| mirror.into()));
    assert_eq!(hub(|_| None), HUB);
    assert_eq!(named(""), HUB);
    assert_eq!(named("https://mirror.example.org/"), "https://mirror.example.org");
}

#[tokio::test]
async fn what_is_learned_of_an_endpoint_stays_until_it_is_another() {
    let home = TempDir::new().unwrap();
    let (registry, settings) = registry(home.path());
    let server = FakeServer::with_tokenizer(|_, _| Some(Answer::status(404, ""))).await;
    let provide = |address: &str, context: u32| {
        let provider = json!([{"id": "mine", "baseUrl": address, "protocol": "openai", "contextTokens": context}]);
        settings.set_setting(PROVIDERS_SETTING, Some(&provider)).unwrap();
    };
    let address = format!("{}/v1", server.address);
    provide(&address, 4096);
    for text in ["One", "Two"] {
        assert_eq!(registry.open(&id("mine/test")).unwrap().count_tokens(text).await, None);
    }
    assert_eq!(server.received().len(), 1, "it has no tokenizer, whoever opens the model");
    provide(&address, 8192);
    let model = registry.open(&id("mine/test")).unwrap();
    assert_eq!(model.profile().context_tokens, 8192);
    assert_eq!(model.count_tokens("Three").await, None);
    assert_eq!(server.received().len(), 2);
}
