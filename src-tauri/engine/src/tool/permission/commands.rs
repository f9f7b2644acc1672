//! What a command line may destroy, judged from its text: on the safe side, never a wall.
//!
//! A sandbox keeps a command inside the workspace; this is about what is in the workspace. A line that hides what it
//! does (`eval`, a pipe into a shell) counts as the worst. What a script of its own deletes or writes over cannot be read
//! here: that is told when it has happened (`tool/core/bash/changes.rs`).

use std::sync::LazyLock;

use assent_core::contract::Risk;
use regex::Regex;

use crate::tool::secrets::names_secrets;

/// What a command line may do.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Danger {
    destroys: Option<&'static str>,
    secrets: bool,
}

impl Danger {
    /// The risk that follows.
    pub fn risk(&self) -> Risk {
        if self.destroys.is_some() { Risk::Destructive } else { Risk::Read }
    }

    /// What it destroys.
    pub fn reason(&self) -> Option<&'static str> {
        self.destroys
    }

    /// Whether it names files of keys, passwords, or hooks.
    pub fn touches_secrets(&self) -> bool {
        self.secrets
    }
}

/// Judges a command line.
pub fn danger_of(command: &str) -> Danger {
    let by_text = TEXTS.iter().find(|(pattern, _)| pattern.is_match(command)).map(|(_, reason)| *reason);
    let destroys = by_text.or_else(|| segments(command).iter().find_map(|segment| of_segment(&words(segment), 0)));
    Danger { destroys, secrets: names_secrets(command) || command.contains(".git/hooks") }
}

/// The commands of a line that are long enough to be told from everyday ones.
pub(super) fn parts(command: &str) -> Vec<String> {
    const TELLING: usize = 12;
    let whole = std::iter::once(command.trim());
    let parts = whole.chain(segments(command)).filter(|part| part.len() >= TELLING && part.contains(' '));
    parts.map(str::to_owned).collect()
}

const DELETES: &str = "it deletes files";
const EMPTIES: &str = "it empties files";

/// Signs in the text, wherever they stand: in an argument of an interpreter, in a here-document.
static TEXTS: LazyLock<Vec<(Regex, &'static str)>> = LazyLock::new(|| {
    let patterns = [
        (r"(?i)\bdrop\s+(table|database|schema|view|index)\b", "it drops a part of a database"),
        (r"(?i)\btruncate\s+(table\s+)?[a-z_]+\s*(;|$|\x22|')", "it empties a table"),
        (r"(?i)\bdelete\s+from\b", "it deletes rows of a database"),
        (r"\bshutil\.rmtree\b|\bos\.removedirs\b|\bFileUtils\.rm_rf\b|\brimraf\b", "it deletes whole folders"),
        (r"\b(os|fs|fsPromises|File|Dir|FileUtils)\s*\.\s*(remove|unlink|rmdir|rm|delete)\w*\b", DELETES),
        (r"\b(unlink|rmtree|removedirs|rmdir)(Sync)?\s*\(|\brmSync\s*\(", DELETES),
        (r"\bimport\s[^\n;]*\b(remove|unlink|rmtree|removedirs)\b", DELETES),
        (r"(?s)\b(perl|ruby|php)\b.*\bunlink\b", DELETES),
        (r"(?s)\b(python\d*|perl|ruby|node|php|awk)\b.*[\x22'`](/\w+)*/?(rm|shred)[\x22'`\s]", DELETES),
        (r"\bf?truncate(Sync)?\s*\(", EMPTIES),
        (r"\|\s*(sudo\s+)?(ba|z|da|k)?sh\b(\s+-\w+)*\s*($|[;|&\n])", "it runs what another command prints"),
        (r"(?m)(^|[;&|\s])\.?(eval|source)\s+[\x22']?\$", "it runs what another command prints"),
        (r">\s*/dev/(sd|nvme|vd|hd|mmcblk|disk)", "it writes on a disk itself"),
        (r":\s*\(\s*\)\s*\{", "it starts itself without end"),
    ];
    patterns.iter().filter_map(|(pattern, reason)| Some((Regex::new(pattern).ok()?, *reason))).collect()
});

/// The single commands of a line, also those inside `$(…)` and backticks. Quotes are not looked at: a separator inside
/// them only makes more pieces.
pub(super) fn segments(command: &str) -> Vec<&str> {
    let parts = command.split([';', '|', '&', '\n', '`', '(', ')', '{', '}']);
    parts.map(str::trim).filter(|part| !part.is_empty()).collect()
}

pub(super) fn words(segment: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut word = String::new();
    let mut quote: Option<char> = None;
    for sign in segment.chars() {
        match quote {
            Some(open) if sign == open => quote = None,
            Some(_) => word.push(sign),
            None if sign == '"' || sign == '\'' => quote = Some(sign),
            None if sign == '\\' => {}
            None if sign.is_whitespace() => words.push(std::mem::take(&mut word)),
            None => word.push(sign),
        }
    }
    words.push(word);
    words.retain(|word| !word.is_empty());
    words
}

/// Commands that run the rest of their words.
const CARRIERS: [&str; 25] = [
    "sudo", "doas", "env", "nohup", "nice", "ionice", "time", "timeout", "xargs", "parallel", "exec", "command",
    "builtin", "busybox", "setsid", "flock", "stdbuf", "if", "then", "elif", "else", "while", "until", "do", "!",
];

/// Folders that a command behind walls has for itself, and that are gone with it.
const OWN: [&str; 3] = ["/tmp", "/var/tmp", "/dev/shm"];

fn of_segment(words: &[String], depth: usize) -> Option<&'static str> {
    let (first, rest) = words.split_first()?;
    let name = first.rsplit('/').next().unwrap_or_default();
    if depth > 5 {
        return Some("it hides what it does");
    }
    let is_setting = name.contains('=') && !name.starts_with('=');
    if is_setting || CARRIERS.contains(&name) {
        // An option or a number of the carrier stands before the command: any later word may be it.
        return (0..rest.len()).find_map(|from| of_segment(&rest[from..], depth + 1));
    }
    let has = |wanted: &[&str]| rest.iter().any(|word| wanted.contains(&word.as_str()));
    let short = |letter: char| rest.iter().any(|word| is_short_option(word, letter));
    match name {
        "rm" | "unlink" if has(&["--help", "--version"]) => None,
        "rm" | "unlink" => removes(rest, short('r') || short('R') || has(&["--recursive"])),
        // It takes empty folders alone.
        "rmdir" => reaches_all(rest).then_some(DELETES),
        "truncate" => Some(EMPTIES),
        "git" => git(rest),
        "find" if has(&["-delete"]) => Some("it deletes every file that it finds"),
        "find" => {
            let runs = |word: &String| ["-exec", "-execdir", "-ok", "-okdir"].contains(&word.as_str());
            let from = rest.iter().position(runs)?;
            of_segment(&rest[from + 1..], depth + 1).map(|_| "it deletes or changes every file that it finds")
        }
        "dd" if rest.iter().any(|word| word.starts_with("of=")) => Some("it overwrites a file or a disk bit by bit"),
        "shred" | "wipefs" | "blkdiscard" | "fdisk" | "parted" | "mkswap" => Some("it wipes a file or a disk"),
        "shutdown" | "reboot" | "halt" | "poweroff" | "killall" | "pkill" => {
            Some("it stops the machine or its programs")
        }
        "crontab" if short('r') => Some("it removes planned tasks"),
        "rsync" if has(&["--delete", "--delete-after", "--delete-excluded"]) => {
            Some("it deletes what the source has not")
        }
        "chmod" | "chown" if short('R') && reaches_all(rest) => Some("it changes the rights of everything"),
        "mv" => moves(rest),
        name if name.starts_with("mkfs") => Some("it makes a disk empty"),
        "sh" | "bash" | "zsh" | "dash" | "eval" => inner(rest, depth),
        _ => None,
    }
}

/// What a shell is told to run.
fn inner(rest: &[String], depth: usize) -> Option<&'static str> {
    rest.iter().flat_map(|word| segments(word)).find_map(|segment| of_segment(&words(segment), depth + 1))
}

pub(super) fn is_short_option(word: &str, letter: char) -> bool {
    word.starts_with('-') && !word.starts_with("--") && word.contains(letter)
}

fn targets(rest: &[String]) -> impl Iterator<Item = &String> {
    rest.iter().filter(|word| !word.starts_with('-'))
}

/// Whether something lies in a folder that a command has for itself.
fn is_own(path: &str) -> bool {
    let is_in = |folder: &str| path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    OWN.into_iter().any(is_in)
}

/// What is moved into a folder that is gone with the command is gone too.
fn moves(rest: &[String]) -> Option<&'static str> {
    let named = |word: &String| word.strip_prefix("--target-directory=").map(str::to_owned);
    let follows = rest.iter().position(|word| word == "-t").and_then(|at| rest.get(at + 1).cloned());
    let to = follows.or_else(|| rest.iter().find_map(named)).or_else(|| targets(rest).last().cloned())?;
    (to == "/dev/null" || is_own(&to)).then_some("it moves files to where they are gone with the command")
}

fn removes(rest: &[String], recursive: bool) -> Option<&'static str> {
    let targets: Vec<&String> = targets(rest).collect();
    let all = reaches_all(rest);
    let unknown =
        recursive && targets.iter().any(|word| word.contains(['$', '*', '?']) || word.starts_with(['/', '~']));
    if all || unknown || (recursive && targets.is_empty()) {
        return Some("it deletes everything, or more than its text tells");
    }
    Some(if recursive { "it deletes whole folders" } else { DELETES })
}

/// Whether a word means everything there is.
fn reaches_all(rest: &[String]) -> bool {
    const ALL: [&str; 12] = ["/", "/*", "~", "~/", "~/*", ".", "./", "./*", "*", "..", "../", ".*"];
    rest.iter().any(|word| ALL.contains(&word.as_str()) || word.starts_with("../") || word == "$HOME" || word == "$PWD")
}

fn git(rest: &[String]) -> Option<&'static str> {
    let mut words = rest.iter().map(String::as_str);
    let mut verb = words.next()?;
    // Options before the verb; those of one letter take a word.
    while verb.starts_with('-') {
        if verb == "-C" || verb == "-c" {
            words.next()?;
        }
        verb = words.next()?;
    }
    let options: Vec<&str> = words.collect();
    let has = |wanted: &[&str]| options.iter().any(|word| wanted.contains(word));
    let short = |letter: char| options.iter().any(|word| is_short_option(word, letter));
    match verb {
        "push" => Some("it sends work to others"),
        "reset" if has(&["--hard", "--merge"]) => Some("it throws away changes that are not committed"),
        "clean" if !short('n') && !has(&["--dry-run"]) => Some("it deletes files that are not committed"),
        "checkout" | "switch" if short('f') || has(&["--force", "--discard-changes"]) => {
            Some("it throws away changes that are not committed")
        }
        "checkout" if has(&[".", "--", "*", ":/"]) || options.iter().any(|word| word.contains('.')) => {
            Some("it throws away changes that are not committed")
        }
        "restore" if !has(&["--staged", "-S"]) || has(&[".", "*", ":/", "--worktree", "-W"]) => {
            Some("it throws away changes that are not committed")
        }
        "rm" if !has(&["--cached", "-n", "--dry-run"]) => Some(DELETES),
        "worktree" if has(&["remove"]) => Some("it deletes whole folders"),
        "branch" | "tag" if short('D') || short('d') || has(&["--delete"]) => Some("it deletes a name of work"),
        "stash" if has(&["drop", "clear"]) => Some("it throws away stashed changes"),
        "filter-branch" | "filter-repo" => Some("it rewrites history"),
        "reflog" if has(&["expire", "delete"]) => Some("it removes the way back"),
        "update-ref" if short('d') => Some("it deletes a name of work"),
        _ => None,
    }
}
