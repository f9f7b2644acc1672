//! Which credentials serve a task, so that nobody is asked for what the vault has.

use std::sync::LazyLock;

use assent_core::run::CredentialAsked;
use regex::Regex;

use super::{Credential, Credentials, NAME_CHARS};

/// So many hosts are proposed for one credential.
const MOST_HOSTS: usize = 5;

/// How a credential is asked for.
const ASKED: &str = r"(?i)\b(?:passwords?|passphrases?|passcodes?|api[ _-]?(?:keys?|tokens?)|access[ _-]?(?:keys?|tokens?|methods?|data)|(?:auth\w*|bearer|secret|personal)[ _-]?(?:keys?|tokens?)|credentials?|log[ -]?in[ -](?:data|details)|sign[ -]?in[ -](?:data|details)|passwort|passwörter|kennwort|kennwörter|zugangsdaten|api-schlüssel|anmeldedaten)\b";
/// What is to become of one, or whose it is, asks for another thing.
const ANOTHER: &str = r"(?i)\b(?:revok\w*|rotat\w*|delet\w*|remov\w*|replac\w*|renew\w*|reset\w*|expir\w*|chang\w*|new (?:api |access |secret )?(?:passw|passph|key|token|credential)\w*|how (?:many|much|often|long|old)|how strong|widerruf\w*|lösch\w*|erneuer\w*|änder\w*|ersetz\w*|neue?[nrs]? (?:pass|kenn|api|zugang)\w*|wie (?:viele?|oft|lang\w*))\b";
/// What stands in a question beside what it asks for, and says no more about it.
const FILLING: &str = "a an and any are ask asks at be before begin by can could data do does enter first for from get give \
    going have how i in input is it its kind let like me method my need needed needs now obtain of once or our paste person \
    please provide provided query required same send share should site some start still supply task tell that the their them \
    then there these they this to type us use used user users using want we website what which will with would you your \
    yours url address account service api agent agents workflow create created creating \
    bitte brauche bitten das dein deine dem den der die ein eine einen er fragen für geben gib ich ihr ihre ist kann mir mit \
    nach nenne nutzer person sie sind und was welche welchen welches wie wird zum zur";

/// A secret in languages in which nothing else of a question is read. To offer the vault where none is asked for costs nothing.
const ELSEWHERE: [&str; 17] = [
    "mot de passe",
    "clé api",
    "clé d'api",
    "contraseña",
    "clave de api",
    "clave api",
    "senha",
    "palavra-passe",
    "chave de api",
    "parola d'ordine",
    "wachtwoord",
    "hasło",
    "пароль",
    "密码",
    "密碼",
    "パスワード",
    "비밀번호",
];
/// What may be a credential, and may be something else.
const SOFT: &str = r"(?i)\b(?:log[ -]?ins?|log in|sign in|pins?|user[ -]?names?|accounts?|authenti\w*|authori[sz]\w*|access|secrets?|tokens?|keys?|unlock\w*|benutzername\w*|anmeld\w*|zugang\w*|zugriff\w*|schlüssel\w*|geheim\w*|konto|konten)\b";
/// What questions in the languages that are read here are made of, beside the words above.
const COMMON: &str = "about again also before but does each every file files folder format has if into its keep language list make many \
    more much name new next no not now number often old on only one or output over page put report result run save schedule \
    should some start than that time when where whether who whom whose write yes \
    alle als am an auf aus bei bis datei dateien doch dort einmal es format für gibt hat im in jetzt kein man mehr nach nicht noch \
    ob oder ordner schon sein seit soll sollen um von vor wann warum wem wen wer wo zu";

static SOFTLY: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(SOFT).ok());

/// Whether a question is read well enough to say that it asks for no credential: a third of its words are known, and none
/// may mean one.
fn asks_for_something_else(question: &str) -> bool {
    let lower = question.to_lowercase();
    let words: Vec<&str> = lower.split(|sign: char| !sign.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let is_known =
        |word: &&&str| FILLING.split_ascii_whitespace().chain(COMMON.split_ascii_whitespace()).any(|one| one == **word);
    let known = words.iter().filter(is_known).count();
    let is_soft = SOFTLY.as_ref().is_none_or(|soft| soft.is_match(question));
    known * 3 >= words.len() && !is_soft
}

/// What a question asks a person for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Asked {
    /// Credentials that the vault has.
    Credentials(Vec<Credential>),
    /// Perhaps one of these, which serve its task: in a language, or in words, of which nothing is concluded.
    Perhaps(Vec<Credential>),
    /// Something else.
    Other,
}

static PATTERNS: LazyLock<Option<(Regex, Regex)>> =
    LazyLock::new(|| Some((Regex::new(ASKED).ok()?, Regex::new(ANOTHER).ok()?)));

/// What a question says of the credential that it asks for; nothing where it asks for none.
fn wanted(question: &str) -> Option<String> {
    let (asked, another) = PATTERNS.as_ref()?;
    let asks = asked.is_match(question) && !another.is_match(question);
    asks.then(|| asked.replace_all(question, " ").to_lowercase())
}

/// A credential that a question asks for in a task, as it could be kept: for the hosts that the question names, else for those
/// of the task, and called after the first of them or after what the question calls it. Nothing where it asks for none.
pub fn wanted_of<'t>(question: &str, task: impl IntoIterator<Item = &'t str>) -> Option<CredentialAsked> {
    let lower = question.to_lowercase();
    let elsewhere = || ELSEWHERE.iter().any(|words| lower.contains(words)).then(String::new);
    let said = wanted(question).or_else(elsewhere)?;
    let mut hosts: Vec<String> = addresses(question).map(str::to_lowercase).collect();
    if hosts.is_empty() {
        hosts = task.into_iter().flat_map(addresses).map(str::to_lowercase).collect();
    }
    let mut seen = Vec::new();
    hosts.retain(|host| {
        !host.is_empty() && !seen.contains(host) && {
            seen.push(host.clone());
            true
        }
    });
    hosts.truncate(MOST_HOSTS);
    let name = hosts.first().map_or_else(|| named_by(&said), |host| named_after(host));
    Some(CredentialAsked { name, hosts })
}

/// What a credential for a host is called: by what is its owner's in it.
fn named_after(host: &str) -> String {
    let labels: Vec<&str> = host.split('.').collect();
    let own = &labels[..labels.len().saturating_sub(1).max(1)];
    let is_usual = |label: &str| ["www", "api", "app", "auth", "login", "co", "com", "org"].contains(&label);
    let label = own.iter().rfind(|label| !is_usual(label)).or(own.last());
    plain_name(label.copied().unwrap_or_default())
}

/// What a credential is called by a question that names no host.
fn named_by(said: &str) -> String {
    let mut words = said.split(|sign: char| !sign.is_alphanumeric()).filter(|word| !word.is_empty());
    let is_filling = |word: &str| FILLING.split_ascii_whitespace().any(|filling| filling == word);
    plain_name(words.find(|word| !is_filling(word)).unwrap_or_default())
}

fn plain_name(word: &str) -> String {
    let signs = word.chars().filter(|sign| sign.is_ascii_lowercase() || sign.is_ascii_digit() || *sign == '-');
    let name: String = signs.skip_while(|sign| !sign.is_ascii_lowercase()).take(NAME_CHARS).collect();
    if name.is_empty() { "credential".to_owned() } else { name }
}

/// Whether a question names nothing by which one credential is told from another.
fn names_nothing(said: &str) -> bool {
    let mut words = said.split(|sign: char| !sign.is_alphanumeric()).filter(|word| !word.is_empty());
    words.all(|word| FILLING.split_ascii_whitespace().any(|filling| filling == word))
}

/// The hosts of the addresses in a text.
fn addresses(text: &str) -> impl Iterator<Item = &str> {
    let ends = |sign: char| !(sign.is_alphanumeric() || "-._".contains(sign));
    text.split("://").skip(1).map(move |rest| rest.split(ends).next().unwrap_or_default().trim_end_matches('.'))
}

impl Credentials {
    /// The credentials that a question asks a person for although the vault has them. Those that the question names, by
    /// host or name; where it names nothing at all, those that serve its task. What may be about anything else is no such
    /// question: rather a person is asked once too often than a step goes on without what it needs.
    pub fn asked_for<'t>(&self, question: &str, task: impl IntoIterator<Item = &'t str>) -> Vec<Credential> {
        let Some(said) = wanted(question) else { return Vec::new() };
        let named = self.serving([question]);
        let is_there = |host: &str| named.iter().any(|one| one.hosts.iter().any(|own| own.eq_ignore_ascii_case(host)));
        match named.is_empty() {
            false if addresses(question).all(is_there) => named,
            true if names_nothing(&said) => self.serving(task),
            _ => Vec::new(),
        }
    }

    /// What a question asks for in a task. Whoever can ask in any language is told what the vault has before a person is
    /// asked what may be a question for it.
    pub fn asks<'t>(&self, question: &'t str, task: impl IntoIterator<Item = &'t str> + Clone) -> Asked {
        let there = self.asked_for(question, task.clone());
        if !there.is_empty() {
            return Asked::Credentials(there);
        }
        let is_read =
            PATTERNS.as_ref().is_none_or(|(asked, another)| asked.is_match(question) || another.is_match(question));
        if is_read || asks_for_something_else(question) {
            return Asked::Other;
        }
        let served = self.serving(task.into_iter().chain([question]));
        if served.is_empty() { Asked::Other } else { Asked::Perhaps(served) }
    }

    /// The credentials whose host or name one of the texts names, as far as they are known without opening the keyring.
    pub fn serving<'t>(&self, texts: impl IntoIterator<Item = &'t str>) -> Vec<Credential> {
        let mut all = self.list().unwrap_or_default();
        if all.is_empty() {
            return all;
        }
        let texts: Vec<String> = texts.into_iter().map(str::to_lowercase).collect();
        let named = |word: &String| texts.iter().any(|text| names(text, &word.to_lowercase()));
        all.retain(|one| named(&one.name) || one.hosts.iter().any(named) || one.tools.iter().any(named));
        all
    }
}

/// Whether a word stands in a text by itself: a host is not named by a longer one that ends like it.
fn names(text: &str, word: &str) -> bool {
    let is_part = |sign: Option<char>| sign.is_some_and(|sign| sign.is_alphanumeric() || "-_".contains(sign));
    let goes_on = |rest: &str| {
        let mut signs = rest.chars();
        let first = signs.next();
        is_part(first) || (first == Some('.') && is_part(signs.next()))
    };
    text.match_indices(word).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        !is_part(before) && before != Some('.') && !goes_on(&text[at + word.len()..])
    })
}
