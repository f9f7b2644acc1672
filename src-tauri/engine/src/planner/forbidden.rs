//! Whether a message forbids every change: "don't create or change anything", "without changing any file", "only tell
//! me". Code reads it, so that it holds whatever a model makes of the message.
//!
//! Only a ban of everything counts: "change nothing but the header" and "don't change anything else" ask for a change.
//! What stands in quotes is somebody else's word. A message that also orders a file to be written means the others.

use std::sync::LazyLock;

use regex::Regex;

use super::values::named_files;

type Pattern = LazyLock<Option<Regex>>;

fn pattern(text: &str) -> Option<Regex> {
    Regex::new(text).ok()
}

/// What stands in quotes or in code.
static QUOTED: Pattern = LazyLock::new(|| {
    pattern(r#"(?s)```.*?```|`[^`\n]*`|"[^"\n]*"|[“„][^“”„\n]*[“”]|«[^»\n]*»|(?:^|[\s(])'[^'\n]*'(?:$|[\s.,;:!?)])"#)
});

/// "do not create, edit or change anything": a list of verbs with one of change in it, and everything as its object.
static NOT: Pattern = LazyLock::new(|| {
    pattern(
        r"\b(?:do not|don't|dont|never|must not|mustn't|may not|should not|shouldn't|cannot|can't|without|ohne|sans|sin)\s+(?:ever |please |actually )?(?:(?:create|creating|add|adding|delete|deleting|remove|removing|rename|renaming|move|moving|save|saving|overwrite|overwriting|make|making|update|updating|change|changing|modify|modifying|edit|editing|alter|altering|touch|touching|write|writing)(?:,\s*(?:or |and )?| or | and |/))*(?:change|changing|modify|modifying|edit|editing|alter|altering|touch|touching|write|writing)(?:(?:,\s*(?:or |and )?| or | and |/)(?:create|creating|add|adding|delete|deleting|remove|removing|rename|renaming|move|moving|save|saving|overwrite|overwriting|make|making|update|updating))*(?:\s+to)?\s+(?:anything|any changes|any (?:of )?(?:the |my |these |those |your )?files?|(?:the |my |these |those )?files|a (?:single )?file|a (?:single )?thing)",
    )
});

/// "do not modify.": nothing is named, so that everything is meant.
static BARE: Pattern = LazyLock::new(|| {
    pattern(r"\b(?:do not|don't|dont|never)\s+(?:(?:create|delete|write|save) or )?(?:change|modify|edit|alter)")
});

/// "change nothing", "make no changes", "leave everything as it is".
static NOTHING: Pattern = LazyLock::new(|| {
    pattern(
        r"\b(?:(?:create |write |delete )?(?:or |and )?(?:change|modify|edit|alter|touch|write) nothing|(?:make )?no (?:file )?(?:changes|modifications|edits)(?: to (?:any|the|my) files?)?|nothing (?:may|must|should|shall|can|is to) be (?:changed|modified|edited|touched|written|created or changed|altered)|leave (?:everything|all files|all the files|the files) (?:as (?:it is|they are|is)|alone|unchanged|untouched))",
    )
});

/// The same in German, French and Spanish.
static OTHERS: Pattern = LazyLock::new(|| {
    pattern(
        r"\b(?:(?:ändere?|veränder[en]|verändere|bearbeite|modifiziere|schreibe?|fasse?|rühre?)(?: bitte| dabei| hier)* (?:nichts|keine (?:einzige )?datei(?:en)?)(?: an)?|(?:nichts|keine datei(?:en)?) (?:(?:anlegen|erstellen|löschen|anzulegen|zu erstellen) (?:oder|und|noch) )?(?:zu )?(?:ändern|verändern|bearbeiten|modifizieren|schreiben|anfassen)|ohne (?:dabei |hier )?(?:etwas|irgendetwas|irgendwas|dateien|eine datei|irgendeine datei) (?:(?:anzulegen|zu erstellen|zu löschen) oder )?zu (?:ändern|verändern|bearbeiten|modifizieren|schreiben)|ne (?:change|changez|modifie|modifies|modifiez|touche|touchez|écris|écrivez)(?: à)? (?:rien|aucun fichier)|sans rien (?:changer|modifier|écrire|toucher)|no (?:cambies|modifiques|toques|escribas|edites|cambie|modifique) (?:nada|ningún archivo)|sin (?:cambiar|modificar|tocar|escribir) (?:nada|ningún archivo))",
    )
});

/// "only tell me": nothing else is wanted.
static ONLY_TELL: Pattern = LazyLock::new(|| {
    pattern(
        r"(?:^|[.!?;:,\n—–-]\s*|\bplease |\bbitte )(?:(?:only|just) (?:tell|show|answer|explain|describe|report)(?: me| us)?|(?:sage?|zeige?|nenne?)(?: mir| uns)?(?: bitte)? (?:nur|bloß))\b",
    )
});

/// A condition behind "only tell me" makes it something else.
static CONDITION: Pattern = LazyLock::new(|| pattern(r"^\s*(?:when|if|once|after|whether|wenn|ob|falls|sobald)\b"));

/// An order to write, at the beginning of a sentence or behind "then", "and", "please".
static ORDER: Pattern = LazyLock::new(|| {
    pattern(
        r"(?m)(?:^\s*|[.!?;:,]\s+|\bthen |\band |\bplease |\bdann |\bund |\bbitte )(?:then |please |also |now |dann |bitte )*(?:write|create|save|rename|delete|remove|fix|edit|replace|update|move|append|insert|add|make|put|change|convert|translate|refactor|schreibe?|erstelle|speichere|lösche|ersetze|korrigiere|ergänze|füge|benenne|verschiebe|lege|ändere)\b([^.!?\n]*(?:\.\w[^.!?\n]*)*)",
    )
});

/// What makes something that works by itself later, with what stands between the verb and its name.
static MAKER: Pattern = LazyLock::new(|| {
    pattern(
        r"\b(?:create|creating|make|build|set up|add|define|need|want|change|update|erstelle|erzeuge|baue?|mache|brauche|lege|richte|ändere|crée|créez|créer|crea|crear|haz)\b((?:[ ,]+[\w-]+){0,5}?)[ ,]+(?:agents?|agenten|agentes?|workflows?)\b",
    )
});

/// The end of a sentence.
static END: Pattern = LazyLock::new(|| pattern(r"[.!?](?:\s+|$)|\n"));

/// What begins a sentence that asks how something is done, and orders nothing.
const ASKING: [&str; 26] = [
    "how", "what", "where", "why", "which", "when", "who", "tell", "explain", "show", "describe", "wie", "was", "wo",
    "warum", "welche", "wann", "wer", "erkläre", "sag", "zeig", "comment", "pourquoi", "explique", "cómo", "explica",
];

/// Words between a verb and an agent that make it no agent that is made.
const OF_ANOTHER: [&str; 12] =
    ["of", "what", "which", "how", "each", "every", "no", "about", "über", "von", "wie", "keinen"];

/// What may stand between a ban and the end of its clause.
const FILLERS: [&str; 22] = [
    "at all",
    "here",
    "yet",
    "for now",
    "please",
    "on disk",
    "on my disk",
    "on my computer",
    "on my machine",
    "in the workspace",
    "in this workspace",
    "in the folder",
    "in this folder",
    "in my folder",
    "in this directory",
    "in the directory",
    "in this project",
    "in this repository",
    "bitte",
    "dabei",
    "hier",
    "daran",
];

/// What is asked for beside a ban, and changes nothing.
const TELLING: [&str; 42] = [
    "tell",
    "show",
    "list",
    "explain",
    "say",
    "give",
    "report",
    "answer",
    "describe",
    "count",
    "summarise",
    "summarize",
    "let",
    "find",
    "name",
    "look",
    "read",
    "check",
    "compare",
    "print",
    "sag",
    "sage",
    "zeig",
    "zeige",
    "nenne",
    "liste",
    "erkläre",
    "zähle",
    "beschreibe",
    "lies",
    "schau",
    "antworte",
    "sagen",
    "dis",
    "montre",
    "explique",
    "réponds",
    "di",
    "dime",
    "muestra",
    "explica",
    "responde",
];

/// Whether a message says that nothing at all may be changed.
pub(super) fn forbids_changes(message: &str) -> bool {
    let text = message.to_lowercase().replace(['’', '‘'], "'");
    let text = QUOTED.iter().fold(text, |text, quoted| quoted.replace_all(&text, " … ").into_owned());
    for strong in [&NOT, &NOTHING, &OTHERS] {
        for found in strong.iter().flat_map(|strong| strong.find_iter(&text)) {
            let holds = ends_there(&text[found.end()..]) && !is_of_an_agent(&text[..found.start()]);
            if holds && !orders(&text, found.range(), true) {
                return true;
            }
        }
    }
    let bare = BARE.iter().flat_map(|bare| bare.find_iter(&text));
    for found in bare.filter(|found| ends_there(&text[found.end()..])) {
        if !orders(&text, found.range(), false) {
            return true;
        }
    }
    let conditional = |rest: &str| CONDITION.as_ref().is_some_and(|condition| condition.is_match(rest));
    ONLY_TELL
        .iter()
        .flat_map(|tell| tell.find_iter(&text))
        .any(|found| !conditional(&text[found.end()..]) && !orders(&text, found.range(), false))
}

/// Whether what stands behind a ban leaves it whole.
fn ends_there(rest: &str) -> bool {
    let mut rest = rest;
    while let Some(shorter) = FILLERS.iter().find_map(|filler| without_word(rest, filler)) {
        rest = shorter;
    }
    let Some(sign) = rest.trim_start_matches([' ', '\t']).chars().next() else { return true };
    match sign {
        '.' | '!' | '?' | ';' | ':' | ')' | ']' | '\n' | '\r' | '—' | '–' | '-' => true,
        ',' => {
            let rest = rest.trim_start().trim_start_matches(',');
            !is_exception(rest) || tells(rest)
        }
        _ => joins(rest) && tells(rest),
    }
}

fn without_word<'t>(text: &'t str, word: &str) -> Option<&'t str> {
    let rest = text.trim_start_matches([' ', '\t']).strip_prefix(word)?;
    (!rest.starts_with(char::is_alphanumeric)).then_some(rest)
}

fn first_is_one_of(text: &str, words: &[&str]) -> bool {
    words.iter().any(|word| without_word(text, word).is_some())
}

fn is_exception(rest: &str) -> bool {
    const EXCEPTIONS: [&str; 20] = [
        "but", "except", "only", "just", "other", "besides", "apart", "unless", "until", "not even", "aber", "außer",
        "sondern", "nur", "bis", "mais", "sauf", "pero", "salvo", "excepto",
    ];
    first_is_one_of(rest, &EXCEPTIONS)
}

fn joins(rest: &str) -> bool {
    first_is_one_of(rest, &["and", "but", "just", "only", "then", "und", "aber", "sondern", "et", "mais", "y", "pero"])
}

/// Whether what follows asks for something to be told.
fn tells(rest: &str) -> bool {
    const BEFORE: [&str; 14] = [
        "and", "but", "then", "just", "only", "please", "und", "aber", "sondern", "nur", "bitte", "et", "mais", "pero",
    ];
    let mut rest = rest;
    while let Some(shorter) = BEFORE.iter().find_map(|word| without_word(rest, word)) {
        rest = shorter;
    }
    first_is_one_of(rest, &TELLING)
}

/// Whether a ban is one of the rules of an agent or a workflow that is to be made: its sentence, or the one before it,
/// orders that before it comes to the ban.
fn is_of_an_agent(before: &str) -> bool {
    let ends: Vec<usize> = END.iter().flat_map(|end| end.find_iter(before)).map(|found| found.end()).collect();
    let from = ends.len().checked_sub(2).map_or(0, |at| ends[at]);
    let sentences = END.iter().flat_map(|end| end.split(&before[from..]));
    sentences.into_iter().any(|sentence| {
        let sentence = sentence.trim_start();
        let made = MAKER.iter().flat_map(|maker| maker.captures_iter(sentence));
        !first_is_one_of(sentence, &ASKING)
            && made.into_iter().any(|made| {
                let between = made.get(1).map_or("", |words| words.as_str());
                let start = made.get(0).map_or(0, |made| made.start());
                !is_denied(&sentence[..start]) && !words_of(between).any(|word| OF_ANOTHER.contains(&word))
            })
    })
}

/// Whether the clause that ends here says that something is not to be done.
fn is_denied(before: &str) -> bool {
    let clause = before.rsplit([',', ';', ':']).next().unwrap_or_default();
    words_of(clause).any(|word| {
        matches!(word, "not" | "don't" | "dont" | "never" | "cannot" | "can't" | "nicht" | "kein" | "ne" | "no")
    })
}

fn words_of(text: &str) -> impl Iterator<Item = &str> {
    text.split(|sign: char| !sign.is_alphanumeric() && sign != '\'').filter(|word| !word.is_empty())
}

/// Whether the rest of the message orders a change; with `named`, one of a file that it names.
fn orders(text: &str, ban: std::ops::Range<usize>, named: bool) -> bool {
    let rest = format!("{} … {}", &text[..ban.start], &text[ban.end..]);
    let mut found = ORDER.iter().flat_map(|order| order.captures_iter(&rest));
    found.any(|order| !named || order.get(1).is_some_and(|what| !named_files(what.as_str()).is_empty()))
}

#[cfg(test)]
mod tests {
    use super::forbids_changes;

    #[test]
    fn a_ban_of_every_change_is_heard() {
        for message in [
            "How many lines has notes.md? Don't create or change anything.",
            "Don’t create or change anything, just tell me the number of lines in notes.md",
            "Do not modify any files. Which of them mention patents?",
            "Please do not change anything!",
            "Look through the folder. Do not edit, create or delete any file.",
            "do not create, modify or delete any of my files: I only want an overview",
            "Without changing any file, tell me what main.rs does",
            "Tell me what main.rs does without modifying anything.",
            "Explain the bug without touching any files at all.",
            "Never write to any files in this folder. Summarise a.txt.",
            "You must not change anything here; what does build.sh do?",
            "Only tell me how many files there are.",
            "How many files are there? Just tell me the number.",
            "Please only show me the largest file",
            "Read config.toml. Do not modify.",
            "Change nothing, but tell me which headers are wrong.",
            "Make no changes. Where is the port set?",
            "Where is the port set? No changes to any files, please.",
            "Make a table of what each agent does, without changing any files",
            "Don't create an agent, change nothing; what would the agent do?",
            "Do not change anything. Tell me how to open the studio and create an agent.",
            "Don't change anything! What does this menu entry mean: create an agent?",
            "How do I create an agent without changing anything?",
            "Make a list of agents without changing any files",
            "Nothing may be changed. List the scripts.",
            "Leave everything as it is and tell me what is in b.csv",
            "Don't change anything and tell me which file is the newest",
            "don't change anything but explain the script",
            "DO NOT CHANGE ANYTHING\nWhich licence is this?",
            "What would you fix in main.rs? Don't edit anything yet.",
            "Wie viele Zeilen hat notes.md? Ändere nichts.",
            "Ändere bitte nichts, sag mir nur, was main.rs tut.",
            "Erstelle oder ändere nichts!",
            "Sag mir, was im Ordner liegt, ohne etwas zu ändern.",
            "Zähle die Zeilen, ohne Dateien zu verändern",
            "Fass nichts an. Was macht das Skript?",
            "Nichts ändern! Welche Datei ist die größte?",
            "Keine Dateien ändern! Nenne mir die Zahl.",
            "Sag mir nur, wie viele Dateien es gibt.",
            "Combien de lignes ? Ne modifie rien.",
            "Dis-moi ce que fait main.rs sans rien changer.",
            "¿Cuántas líneas tiene? No cambies nada.",
        ] {
            assert!(forbids_changes(message), "{message}");
        }
    }

    #[test]
    fn a_ban_of_some_changes_is_none_of_all() {
        for message in [
            "Fix the typo in a.md, don't change anything else.",
            "Do not change the header, but add a row to data.csv.",
            "Change nothing but the title in index.html",
            "Change nothing except the port.",
            "Don't change anything except the date in a.md.",
            "Don't change anything in docs/, but fix main.rs",
            "Don't change any files other than a.md",
            "Do not modify any file outside src. Rename foo to bar.",
            "Don't change anything until I say so in b.md",
            "Write a summary to out.md. Do not modify any files.",
            "Create notes.md with the numbers, without changing any other file.",
            "Rename the function in main.rs without changing any files but main.rs.",
            "Don't touch the tests.",
            "Fix the bug in main.rs, but do not create any files.",
            "Add a line to notes.md; don't delete anything.",
            "Create a.md which says \"do not change anything\".",
            "Write 'do not change anything.' into README.md",
            "Save `do not modify anything.` as rule.txt",
            "Fix the script and only tell me if it fails.",
            "Run the tests, only tell me when they fail.",
            "Just list the files and save the list as files.txt",
            "Only tell me the number and write it to n.txt",
            "Write a file that lists all licences",
            "What has changed in notes.md?",
            "Can you change anything in this folder?",
            "Ändere nichts außer der Überschrift in a.md.",
            "Ändere sonst nichts.",
            "Ändere nichts an der Überschrift, aber ergänze eine Zeile.",
            "Ersetze den Namen in a.md, ohne etwas anderes zu ändern.",
            "Ne change rien d'autre.",
            "No cambies nada más.",
            "Make config.txt read-only",
            "Create an agent that tells me the totals without changing any files",
            "Please make a price watcher agent. It must not change anything.",
            "Look at the folder and set up a weekly workflow that lists new files; do not modify any files.",
            "Erstelle einen Agenten, der meine Notizen liest, ohne etwas zu ändern.",
            "Can you create an agent that tells me the totals without changing any files?",
            "I want an agent that watches a.csv without changing anything",
            "Create two agents that read my notes without changing any files",
            "Help me set up a workflow that lists what is new, without changing anything",
            "Crée un agent qui lit mes notes sans rien changer",
            "",
        ] {
            assert!(!forbids_changes(message), "{message}");
        }
    }
}
