//! Who is lent what, and what is hidden of what comes back.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};

use assent_core::contract::{Risk, Source, ToolSpec};
use serde_json::{Value, json};

use super::{Asked, Credential, Credentials, Lending, Mask, NotLent, VaultError, Veil, reference, wanted_of};
use crate::clock::FakeClock;
use crate::model::keys::tests::Mock;
use crate::model::{KeySource, Keys, NoVault, Secret, Vault};
use crate::store::{Settings, StoreError};

const SECRET: &str = "s3cr=t/Key+42&?";

#[derive(Default)]
struct Kept(Mutex<HashMap<String, Value>>, AtomicUsize);

impl Settings for Kept {
    fn setting(&self, key: &str) -> Result<Option<Value>, StoreError> {
        self.1.fetch_add(1, Ordering::SeqCst);
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

fn closed() -> NoVault {
    NoVault { reason: "it is locked".to_owned() }
}

fn vault(ring: &Mock) -> (Arc<Credentials>, Arc<Kept>) {
    let settings = Arc::new(Kept::default());
    (over(&settings, ring, &Arc::default()), settings)
}

/// A vault as a process has it: over settings and a keyring that others may use too.
fn over(settings: &Arc<Kept>, ring: &(impl Vault + Clone + 'static), clock: &Arc<FakeClock>) -> Arc<Credentials> {
    let keys = Arc::new(Keys::new(Box::new(ring.clone()), Box::new(|_| None)));
    Arc::new(Credentials::new(settings.clone(), keys, clock.clone()))
}

/// An empty vault over these keys.
pub(crate) fn empty(keys: Arc<Keys>) -> Arc<Credentials> {
    Arc::new(Credentials::new(Arc::new(Kept::default()), keys, Arc::new(FakeClock::default())))
}

pub(crate) fn credential(name: &str, hosts: &[&str], tools: &[&str]) -> Credential {
    let all = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
    Credential { name: name.to_owned(), hosts: all(hosts), tools: all(tools), since: 1 }
}

fn tool(name: &str, source: Source, risk: Risk) -> ToolSpec {
    ToolSpec::new(name, "", json!({"type": "object"}), source, risk)
}

#[test]
fn a_credential_is_kept_apart_from_what_it_is_for_and_can_be_taken_back() {
    let ring = Mock::default();
    let (credentials, settings) = vault(&ring);
    let given = credential("crm", &["API.crm.example"], &[]);
    assert_eq!(credentials.add(given, Secret::new(SECRET)), Ok(KeySource::Keyring));
    assert_eq!(credentials.list(), Ok(vec![credential("crm", &["api.crm.example"], &[])]));
    assert_eq!(ring.kept.lock().unwrap().get("vault crm"), Some(&Secret::new(SECRET)));
    assert!(!format!("{:?}", settings.0.lock().unwrap()).contains(SECRET));
    credentials.remove("crm").unwrap();
    assert_eq!((credentials.list(), ring.kept.lock().unwrap().len()), (Ok(vec![]), 0));
    assert_eq!(credentials.remove("crm"), Err(VaultError::Missing("crm".to_owned())));
}

#[test]
fn without_a_keyring_it_is_there_for_this_process_only_and_that_is_said() {
    let ring = Mock { closed: true, ..Mock::default() };
    let (credentials, settings) = vault(&ring);
    let said = credentials.add(credential("crm", &["a.example"], &[]), Secret::new(SECRET));
    assert_eq!(said, Ok(KeySource::Process(closed())));
    let spec = tool("office.send", Source::Catalogue, Risk::Network);
    let call = Lending { tool: &spec, hosts: &["a.example".to_owned()], writes: false, command: false };
    let arguments = json!({"token": reference("crm")});
    assert_eq!(credentials.lend(&arguments, &call), Ok(Some(json!({"token": SECRET}))));
    let next = over(&settings, &ring, &Arc::default());
    assert_eq!(next.lend(&arguments, &call), Err(NotLent::Closed("crm".to_owned())));
}

#[test]
fn what_would_go_anywhere_or_hide_everything_is_not_taken() {
    let (credentials, _) = vault(&Mock::default());
    let add = |given: Credential, secret: &str| credentials.replace(given, Secret::new(secret));
    for name in ["", "A", "a b", "../x", "vault", "x".repeat(41).as_str()] {
        let added = add(credential(name, &["a.example"], &[]), SECRET);
        assert_eq!(added.is_ok(), name == "vault", "{name}: {added:?}");
    }
    assert_eq!(add(credential("crm", &[], &[]), SECRET), Err(VaultError::Nowhere));
    for host in ["[::1]", "127.0.0.1", "a.example"] {
        assert!(add(credential("crm", &[host], &[]), SECRET).is_ok(), "{host}");
    }
    // No call says to which port it goes.
    for host in [
        "https://a.example",
        "a.example/path",
        "*",
        "a b",
        "",
        "a.example:8443",
        "localhost:1",
        "[::1]:80",
        "::1",
        "[]",
    ] {
        assert_eq!(add(credential("crm", &[host], &[]), SECRET), Err(VaultError::Host(host.to_owned())));
    }
    for secret in ["", "12345", "seven77", " 1234567 ", "123456789", "x".repeat((16 << 10) + 1).as_str()] {
        assert_eq!(add(credential("crm", &["a.example"], &[]), secret), Err(VaultError::Secret));
    }
}

#[tokio::test]
async fn an_empty_vault_costs_a_call_nothing_and_what_comes_into_it_is_seen() {
    let (settings, ring, clock) = (Arc::new(Kept::default()), Mock::default(), Arc::new(FakeClock::at(1_000)));
    let here = over(&settings, &ring, &clock);
    for _ in 0..1_000 {
        assert!(here.mask().await.is_empty());
    }
    assert_eq!(settings.1.load(Ordering::SeqCst), 1, "the settings are read once");
    // Another process gives one.
    over(&settings, &ring, &clock).add(credential("crm", &["a.example"], &[]), Secret::new(SECRET)).unwrap();
    clock.advance(250);
    assert_eq!(here.mask().await.text(SECRET), "⟦secret⟧");

    // One that is given here is seen at once, also where the clock was set back meanwhile.
    let other = over(&Arc::default(), &ring, &clock);
    assert!(other.mask().await.is_empty());
    other.add(credential("crm", &["a.example"], &[]), Secret::new(SECRET)).unwrap();
    assert!(!other.mask().await.is_empty());
    let elsewhere = Arc::<Kept>::default();
    let other = over(&elsewhere, &ring, &clock);
    assert!(other.mask().await.is_empty());
    over(&elsewhere, &ring, &clock).add(credential("crm", &["a.example"], &[]), Secret::new(SECRET)).unwrap();
    clock.advance(-1);
    assert!(!other.mask().await.is_empty());
}

/// A keyring in which another process gives one credential and takes another while a person unlocks it for a third.
#[derive(Clone)]
struct Busy(Mock, Arc<Credentials>);

impl Vault for Busy {
    fn get(&self, name: &str) -> Result<Option<Secret>, NoVault> {
        self.0.get(name)
    }

    fn set(&self, name: &str, secret: &Secret) -> Result<(), NoVault> {
        self.1.add(credential("given", &["b.example"], &[]), Secret::new("given-meanwhile")).unwrap();
        self.1.remove("taken").unwrap();
        self.0.set(name, secret)
    }

    fn remove(&self, name: &str) -> Result<(), NoVault> {
        self.0.remove(name)
    }
}

#[test]
fn what_another_process_gives_and_takes_while_the_keyring_is_asked_stays_so() {
    let (settings, ring) = (Arc::new(Kept::default()), Mock::default());
    let other = over(&settings, &ring, &Arc::default());
    other.add(credential("taken", &["a.example"], &[]), Secret::new("taken-meanwhile")).unwrap();
    let own = over(&settings, &Busy(ring, other.clone()), &Arc::default());
    own.add(credential("crm", &["c.example"], &[]), Secret::new(SECRET)).unwrap();
    for vault in [own, other] {
        let names: Vec<String> = vault.list().unwrap().into_iter().map(|one| one.name).collect();
        assert_eq!(names, ["crm", "given"]);
    }
}

#[test]
fn an_agent_is_told_the_name_of_a_credential_and_gets_no_secret() {
    let (credentials, _) = vault(&Mock::default());
    credentials.add(credential("crm", &["api.crm.example"], &[]), Secret::new(SECRET)).unwrap();
    let agent = tool("run_reader", Source::Agent, Risk::Network);
    let call = Lending { tool: &agent, hosts: &[], writes: false, command: false };
    let arguments = json!({"task": format!("Read it with {}", reference("crm"))});
    assert_eq!((credentials.allows(&arguments, &call), credentials.lend(&arguments, &call)), (Ok(false), Ok(None)));
}

/// A keyring that waits for a person to unlock it, and counts its dialogs.
#[derive(Clone, Default)]
struct Locked {
    inner: Mock,
    unlocked: Arc<(Mutex<bool>, Condvar)>,
    dialogs: Arc<AtomicUsize>,
    open_at_once: Arc<AtomicUsize>,
    most_at_once: Arc<AtomicUsize>,
}

impl Locked {
    fn unlock(&self) {
        *self.unlocked.0.lock().unwrap() = true;
        self.unlocked.1.notify_all();
    }
}

impl Vault for Locked {
    fn get(&self, name: &str) -> Result<Option<Secret>, NoVault> {
        self.dialogs.fetch_add(1, Ordering::SeqCst);
        let open = self.open_at_once.fetch_add(1, Ordering::SeqCst) + 1;
        self.most_at_once.fetch_max(open, Ordering::SeqCst);
        let unlocked = self.unlocked.0.lock().unwrap();
        drop(self.unlocked.1.wait_while(unlocked, |unlocked| !*unlocked).unwrap());
        self.open_at_once.fetch_sub(1, Ordering::SeqCst);
        self.inner.get(name)
    }

    fn set(&self, name: &str, secret: &Secret) -> Result<(), NoVault> {
        self.inner.set(name, secret)
    }

    fn remove(&self, name: &str) -> Result<(), NoVault> {
        self.inner.remove(name)
    }
}

#[tokio::test(start_paused = true)]
async fn a_locked_keyring_keeps_no_call_waiting_and_is_asked_for_one_secret_at_a_time() {
    let (settings, ring, clock) = (Arc::new(Kept::default()), Locked::default(), Arc::new(FakeClock::at(1_000)));
    let before = over(&settings, &ring.inner, &clock);
    before.add(credential("crm", &["a.example"], &[]), Secret::new(SECRET)).unwrap();
    before.add(credential("erp", &["b.example"], &[]), Secret::new("another/Key-42")).unwrap();
    // Nothing but the time that passes ends the waiting of the first; the others do not wait again.
    let here = over(&settings, &ring, &clock);
    let began = tokio::time::Instant::now();
    for _ in 0..10 {
        assert!(here.mask().await.is_empty());
    }
    assert!(began.elapsed() <= std::time::Duration::from_secs(2), "{:?}", began.elapsed());

    let send = tool("office.send", Source::Catalogue, Risk::Network);
    let hosts = ["b.example".to_owned()];
    let vault = here.clone();
    let lent = std::thread::spawn(move || {
        let call = Lending { tool: &send, hosts: &hosts, writes: false, command: false };
        vault.lend(&json!({"token": reference("erp")}), &call)
    });
    ring.unlock();
    assert_eq!(lent.join().unwrap(), Ok(Some(json!({"token": "another/Key-42"}))));
    assert_eq!(here.mask().await.text("another/Key-42"), "⟦secret⟧", "what was lent is hidden at once");
    assert_eq!(ring.most_at_once.load(Ordering::SeqCst), 1, "one dialog at a time");
    assert!(ring.dialogs.load(Ordering::SeqCst) <= 2);
}

#[test]
fn it_goes_to_its_hosts_and_tools_and_nowhere_else() {
    let (credentials, _) = vault(&Mock::default());
    credentials.add(credential("crm", &["api.crm.example"], &[]), Secret::new(SECRET)).unwrap();
    credentials.add(credential("one", &["api.crm.example"], &["office.read"]), Secret::new("other-one")).unwrap();
    credentials.add(credential("shell", &[], &["bash"]), Secret::new(SECRET)).unwrap();
    let lend = |name: &str, tool: &ToolSpec, hosts: &[&str], command: bool, writes: bool| {
        let hosts: Vec<String> = hosts.iter().map(|host| (*host).to_owned()).collect();
        let arguments = json!({"deep": [{"header": format!("Bearer {}", reference(name))}], "n": 1});
        let lent = credentials.lend(&arguments, &Lending { tool, hosts: &hosts, writes, command });
        lent.map(|lent| lent.unwrap()["deep"][0]["header"].as_str().unwrap().to_owned())
    };
    let send = tool("office.send", Source::Catalogue, Risk::Network);
    let bash = tool("bash", Source::Core, Risk::Execute);
    let file = tool("create_file", Source::Core, Risk::Write);
    let asks = tool("ask_user", Source::Human, Risk::Read);
    assert_eq!(lend("crm", &send, &["API.crm.example"], false, false), Ok(format!("Bearer {SECRET}")));
    let elsewhere: [&[&str]; 4] =
        [&[], &["evil.example"], &["api.crm.example", "evil.example"], &["api.crm.example.evil.example"]];
    for hosts in elsewhere {
        assert!(matches!(lend("crm", &send, hosts, false, false), Err(NotLent::Host { .. })), "{hosts:?}");
    }
    assert!(matches!(lend("crm", &bash, &["api.crm.example"], true, false), Err(NotLent::Host { .. })));
    assert!(matches!(lend("one", &send, &["api.crm.example"], false, false), Err(NotLent::Tool { .. })));
    assert!(matches!(lend("crm", &asks, &[], false, false), Err(NotLent::Open(_))), "nobody is shown it");
    assert!(matches!(lend("crm", &file, &[], false, true), Err(NotLent::Open(_))), "it is left in no file");
    assert_eq!(lend("crn", &send, &["api.crm.example"], false, false), Err(NotLent::Missing("crn".to_owned())));
    // What a shell would read as something else does not go into a command that a model wrote.
    assert_eq!(lend("shell", &bash, &[], true, false), Err(NotLent::Shell("shell".to_owned())));
    credentials.replace(credential("shell", &[], &["bash"]), Secret::new("plain-Key_42")).unwrap();
    let again = Credential { since: 2, ..credential("shell", &[], &["bash"]) };
    credentials.replace(again, Secret::new("newer-Key_42")).unwrap();
    assert_eq!(lend("shell", &bash, &[], true, false), Ok("Bearer newer-Key_42".to_owned()));
    // What is no reference is left alone, and a secret is not read for one.
    let spec = Lending { tool: &send, hosts: &[], writes: false, command: false };
    for text in ["{$vault:crm", "{vault:crm}", "$vault:crm", ""] {
        assert_eq!(credentials.lend(&json!({"a": text}), &spec), Ok(None), "{text}");
    }
}

#[test]
fn a_secret_is_hidden_in_every_form_in_which_it_comes_back() {
    let mask = Mask::of([&Secret::new(SECRET)]);
    let forms = [
        SECRET.to_owned(),
        SECRET.to_uppercase(),
        "s3cr%3Dt%2FKey%2B42%26%3F".to_owned(),
        "s3cr%3dt/Key%2b42%26?".to_owned(),
        "s3cr=t\\/Key+42\\u0026?".to_owned(),
        "s3cr&#61;t/Key+42&amp;?".to_owned(),
        "733363723d742f4b65792b3432263f".to_owned(),
        "733363723D742F4B65792B3432263F".to_owned(),
    ];
    for form in forms {
        let hidden = mask.text(&format!("before {form} after"));
        assert_eq!(hidden, "before ⟦secret⟧ after", "{form}");
    }
    // Base64, wherever in a longer text it stands: nothing is left by which it could be put together again.
    for (before, whole) in
        [("", "czNjcj10L0tleSs0MiY/"), ("u:", "dTpzM2NyPXQvS2V5KzQyJj8="), ("me:", "bWU6czNjcj10L0tleSs0MiY/")]
    {
        let hidden = mask.text(whole);
        assert!(hidden.contains("⟦secret⟧"), "{before}: {hidden}");
        let left: usize = hidden.replace("⟦secret⟧", "").trim_end_matches('=').len();
        assert!(left <= before.len() * 4 / 3 + 4, "{before}: {hidden}");
    }
    let value = json!({"a": [SECRET, {"k": format!("x{SECRET}")}], SECRET: 1, "n": 12});
    let hidden = json!({"a": ["⟦secret⟧", {"k": "x⟦secret⟧"}], "⟦secret⟧": 1, "n": 12});
    assert_eq!(mask.value(value), hidden);
    let number = Mask::of([&Secret::new("12345678")]);
    assert_eq!(number.value(json!({"pin": 12345678, "n": 1234567})), json!({"pin": "⟦secret⟧", "n": 1234567}));
    assert_eq!(Mask::default().value(json!([1, "x"])), json!([1, "x"]));
    assert_eq!(mask.text("nothing of it"), "nothing of it");
}

#[test]
fn a_secret_is_hidden_however_the_text_is_cut_into_pieces() {
    let longer = format!("{SECRET}/and-more");
    let mask = Arc::new(Mask::of([&Secret::new(SECRET), &Secret::new(&longer), &Secret::new("abcXabcX")]));
    let texts = [
        format!("before {SECRET} after"),
        format!("{longer}{SECRET}"),
        "x s3cr%3Dt%2FKey%2b42%26%3F y \\u0073".to_owned(),
        "733363723d742f4b65792b3432263f".to_owned(),
        "abcXabcXabcXabcX abcX".to_owned(),
        "nothing, s3cr= s3cr=t/K".to_owned(),
    ];
    for text in &texts {
        let whole = mask.text(text);
        for length in 1..text.len() {
            let mut veil = Veil::new(mask.clone());
            let mut told: Vec<u8> = text.as_bytes().chunks(length).flat_map(|piece| veil.take(piece)).collect();
            told.extend(veil.rest());
            let told = String::from_utf8(told).unwrap();
            // Two that touch may be told as one or as two.
            assert_eq!(
                told.replace("⟦secret⟧⟦secret⟧", "⟦secret⟧"),
                whole.replace("⟦secret⟧⟦secret⟧", "⟦secret⟧"),
                "{text} {length}"
            );
        }
        for end in 0..text.len() {
            let sure = mask.sure(&text.as_bytes()[..end]);
            let told = String::from_utf8(mask.bytes(&text.as_bytes()[..sure]).into_owned()).unwrap();
            assert!(!told.contains("s3cr%") && !told.contains("s3cr=t/Key+") && !told.contains("7333"), "{told}");
        }
    }
    // A part of a text, wherever it begins and ends, shows no part of a secret.
    let text = texts[0].as_bytes();
    for (from, to) in (0..text.len()).flat_map(|from| (from..=text.len()).map(move |to| (from, to))) {
        let part = String::from_utf8(mask.part(text, from..to).into_owned()).unwrap();
        assert!(!part.replace("⟦secret⟧", "").contains(['3', '=', '+', '?']), "{from} {to} {part}");
    }
}

#[test]
fn one_secret_within_another_leaves_nothing_of_it_and_long_ones_are_hidden_too() {
    let mask = Mask::of([&Secret::new("inner/secret"), &Secret::new("outer inner/secret outer")]);
    assert_eq!(mask.text("a outer%20inner%2Fsecret%20outer b"), "a ⟦secret⟧ b");
    assert_eq!(mask.text("a outer+inner/secret+outer b"), "a ⟦secret⟧ b");
    // Six letters are known by what of their base64 is theirs alone, wherever they begin.
    let short = Mask::of([&Secret::new("abcdef")]);
    for (whole, left) in [("dTphYmNkZWY=", "dTp="), ("dXM6YWJjZGVm", "dXM6"), ("eHh1OmFiY2RlZg==", "eHh1Og==")] {
        let hidden = short.text(whole);
        assert!(hidden.contains("⟦secret⟧") && hidden.replace("⟦secret⟧", "").len() <= left.len() + 2, "{hidden}");
    }
    let odd = "ks&<>'\"/\\ é漢".repeat(28);
    let mask = Mask::of([&Secret::new(&odd)]);
    let percent: String = odd.bytes().map(|byte| format!("%{byte:02x}")).collect();
    assert_eq!(mask.text(&format!("a {percent} b")), "a ⟦secret⟧ b");
    assert_eq!(mask.text(&serde_json::to_string(&odd).unwrap()), "\"⟦secret⟧\"");
    let key = "-----BEGIN KEY-----\nMIIEvQIBADANBgkqhkiG9w0\nBAQEFAASCBKcwggSjAgEAAo\n-----END KEY-----";
    let mask = Mask::of([&Secret::new(key)]);
    assert_eq!(mask.text("2: BAQEFAASCBKcwggSjAgEAAo"), "2: ⟦secret⟧", "a line of it by itself");
    assert_eq!(mask.text("-----BEGIN KEY-----"), "-----BEGIN KEY-----");
    assert!(!format!("{mask:?}").contains("MII"));
    let longest = "Ab1/".repeat(4096);
    let mask = Mask::of([&Secret::new(&longest)]);
    let hex: String = longest.bytes().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(mask.text(&format!("a {longest} {hex} b")), "a ⟦secret⟧ ⟦secret⟧ b");
}

#[test]
fn a_credential_serves_what_names_its_host_or_itself() {
    let (credentials, _) = vault(&Mock::default());
    credentials.add(credential("crm", &["api.crm.example"], &[]), Secret::new(SECRET)).unwrap();
    let serves = |text: &str| !credentials.serving([text]).is_empty();
    for text in ["Read https://api.crm.example/v1?x=1", "with the CRM key", "from api.crm.example.", "(crm)"] {
        assert!(serves(text), "{text}");
    }
    for text in ["https://api.crm.example.evil.example/", "https://not.api.crm.example/", "scrm", "crm-2", "", "other"]
    {
        assert!(!serves(text), "{text}");
    }
}

#[test]
fn a_question_is_about_a_credential_of_the_vault_only_where_it_can_be_about_no_other() {
    let (credentials, _) = vault(&Mock::default());
    credentials.add(credential("crm", &["api.crm.example"], &[]), Secret::new(SECRET)).unwrap();
    let task = "Read https://api.crm.example/contacts and tell me how many there are";
    let asks = |question: &str| !credentials.asked_for(question, [task]).is_empty();
    for question in [
        "Access method: which credentials will you provide?",
        "Which API key should I use?",
        "Your password, please",
        "Ask the user for the API key",
        "Wie ist das Passwort?",
        "Which API key does https://api.crm.example/contacts want?",
        "Ask for the credentials of the CRM",
    ] {
        assert!(asks(question), "{question}");
        assert_eq!(
            credentials.asked_for(question, ["Read notes.md"]).is_empty(),
            !question.to_lowercase().contains("crm")
        );
    }
    for question in [
        "Ask for the API key of https://other.example",
        "Which API keys do https://api.crm.example/ and https://other.example/ want?",
        "Which password does the FTP server have?",
        "How many tokens may the summary have?",
        "Ask which tokens of api.crm.example to revoke",
        "Which API key of api.crm.example shall be revoked?",
        "Shall the CRM have a new password?",
        "How often do people log in?",
        "How often should it run?",
        "Which keyboard?",
        "Which column holds the secretary?",
        "",
    ] {
        assert!(!asks(question), "{question}");
    }
}

#[test]
fn what_may_be_a_question_for_a_credential_is_known_in_any_language_by_what_its_task_is_about() {
    let (credentials, _) = vault(&Mock::default());
    credentials.add(credential("crm", &["api.crm.example"], &[]), Secret::new(SECRET)).unwrap();
    let task = ["Lire https://api.crm.example/contacts"];
    for question in [
        "Quel est le mot de passe ?",
        "¿Cuál es la contraseña?",
        "密码是什么？",
        "Какой пароль?",
        "How do I log in?",
        "Which PIN opens it?",
        "Which account should I use?",
    ] {
        assert!(matches!(credentials.asks(question, task), Asked::Perhaps(_)), "{question}");
        assert_eq!(credentials.asks(question, ["Lire notes.md"]), Asked::Other, "{question}: nothing serves that task");
    }
    assert!(
        matches!(credentials.asks("Quelle est la clé du CRM ?", ["Lire notes.md"]), Asked::Perhaps(_)),
        "it is named"
    );
    for question in [
        "Which schedule and output format do you want, and should it run now?",
        "Which notes?",
        "When should the report be written?",
        "Welche Datei soll das Ergebnis haben?",
        "Which API key does https://other.example want?",
        "Which of the passwords should be revoked?",
        "How many tokens may the summary have?",
    ] {
        assert_eq!(credentials.asks(question, task), Asked::Other, "{question}");
    }
    assert!(matches!(credentials.asks("Your password, please", task), Asked::Credentials(_)));
}

#[test]
fn a_question_for_a_secret_says_how_that_could_be_kept_and_no_other_question_does() {
    let task = "Read https://www.shop.example/orders";
    let wanted = |question: &str| wanted_of(question, [task]).map(|one| (one.name, one.hosts.join(" ")));
    for (question, name, hosts) in [
        ("Which API key does https://api.crm.example/v1 want?", "crm", "api.crm.example"),
        ("Keys for https://a.example/ and https://b.example/? Both passwords, please", "a", "a.example b.example"),
        ("Your password, please", "shop", "www.shop.example"),
        ("Wie ist das Passwort?", "shop", "www.shop.example"),
        ("Quel est le mot de passe ?", "shop", "www.shop.example"),
        ("请输入密码", "shop", "www.shop.example"),
        ("Token for https://127.0.0.1:8080/x? I need the access token", "127", "127.0.0.1"),
    ] {
        let hosts = hosts.to_owned();
        let name = if name == "127" { "credential".to_owned() } else { name.to_owned() };
        assert_eq!(wanted(question), Some((name, hosts)), "{question}");
    }
    let nowhere = wanted_of("What is your GitHub password?", ["Clone it"]).unwrap();
    assert_eq!((nowhere.name.as_str(), nowhere.hosts.len()), ("github", 0));
    let credential = Credential { name: nowhere.name, hosts: vec!["github.com".into()], tools: vec![], since: 1 };
    assert!(vault(&Mock::default()).0.check(credential, false).is_ok(), "it is a name that the vault takes");
    for question in ["Which city?", "Which API keys should be revoked?", "How many tokens may it have?", ""] {
        assert_eq!(wanted(question), None, "{question}");
    }
}
