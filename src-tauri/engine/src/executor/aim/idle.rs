//! Command lines that do nothing: they print what they are told, or tell the time, and write it nowhere. They end well
//! whatever the step is for, and prove nothing of it, unless it asks for just that.

use super::named::{bare, is_among, is_english};
use crate::tool::permission::{changes_nothing, programs};

/// Programs that only say what their line says, or nothing.
const SAYS: &str = "echo printf true false : cd set export unset exit return wait";
/// Programs that tell of the moment or the machine, each with the words of a step that asks for it.
const TELLS: [(&str, &str); 6] = [
    ("date", "date dates time day today now clock when year month week hour timestamp"),
    ("pwd", "folder directory path where workspace pwd"),
    ("whoami", "who user account name whoami"),
    ("hostname", "host hostname machine computer server name"),
    ("uname", "system kernel machine computer platform os uname"),
    ("sleep", "sleep wait pause delay second seconds minute minutes"),
];
/// A step with one of these words wants to see something printed.
const SPEAKS: &str = "print echo printf say greet";
/// One that begins with one of these wants it too.
const SHOWS: &str = "show display output tell";

/// Whether a line does nothing of what a step says.
pub(super) fn idles(command: &str, description: &str) -> bool {
    let is_named = || description.contains(command.trim()) && command.trim().len() > 1;
    // What goes nowhere is written nowhere.
    let line = unquoted(command).replace("2>&1", "").replace("2>/dev/null", "").replace(">/dev/null", "");
    let is_comment = |line: &&str| line.trim_start().starts_with('#');
    let line = line.lines().filter(|line| !is_comment(line)).collect::<Vec<_>>().join("\n");
    let finds_files = line.contains(['*', '?', '[', '<']);
    if finds_files || !changes_nothing(&line) || is_named() {
        return false;
    }
    let words: Vec<String> = description.split_whitespace().map(|word| bare(word).to_lowercase()).collect();
    let has = |list: &str| words.iter().any(|word| is_among(list, word));
    // In English a word says it; what stands in quotation marks there may be what is to be run.
    let is_english = is_english(description);
    let speaks = has(SPEAKS)
        || words.first().is_some_and(|word| is_among(SHOWS, word))
        || (!is_english && is_quoted(command, description));
    programs(&line).iter().all(|program| match TELLS.iter().find(|(name, _)| name == program) {
        // What asks for it in other languages nobody can tell here.
        Some((_, asks)) => is_english && !has(asks) && !speaks,
        None => is_among(SAYS, program) && !speaks,
    })
}

/// A line without the signs in its quotation marks that mean something to a shell outside of them. What a shell puts in
/// place of a name stays.
fn unquoted(command: &str) -> String {
    let mut line = String::new();
    let mut quote: Option<char> = None;
    let mut signs = command.chars().peekable();
    while let Some(sign) = signs.next() {
        let is_name = sign == '$' && signs.peek().is_some_and(|next| next.is_alphabetic() || "({_".contains(*next));
        match quote {
            Some(open) if sign == open => quote = None,
            Some('"') if sign == '`' || is_name => line.push(sign),
            Some(_) if sign.is_alphanumeric() || "-./".contains(sign) => line.push(sign),
            Some(_) => line.push('_'),
            None if sign == '"' || sign == '\'' => quote = Some(sign),
            None if sign == '$' && !is_name => line.push('_'),
            None => line.push(sign),
        }
    }
    line
}

/// Whether a description has in quotation marks what a line says.
fn is_quoted(command: &str, description: &str) -> bool {
    let is_said = |text: &str| text.chars().count() >= 2 && command.contains(text);
    let pairs = [('“', '”'), ('„', '“'), ('‘', '’'), ('«', '»')];
    ['"', '\''].iter().any(|sign| description.split(*sign).skip(1).step_by(2).any(is_said))
        || pairs.iter().any(|(open, close)| {
            let parts = description.split(*open).skip(1);
            parts.filter_map(|part| part.split(*close).next()).any(is_said)
        })
}

#[cfg(test)]
mod tests {
    use super::idles;

    #[test]
    fn a_line_that_only_says_something_does_nothing_of_a_step() {
        for command in [
            "echo ok",
            "true",
            ":",
            "printf 'all 12 tests passed -> ok; done\\n'",
            "echo \"it works, doesn't it? $5\"",
            "cd . && echo done",
            "echo ok 2>&1 >/dev/null; sleep 0",
            "date",
            "pwd; whoami",
            "# the tests",
        ] {
            assert!(idles(command, "Run the tests"), "{command}");
        }
        assert!(idles("echo pytest", "Run \"pytest\" in the folder") && idles("echo pytest", "Run `pytest`"));
        assert!(idles("echo ok", "Lass die Tests laufen") && idles("true", "Count the lines of a.txt"));
    }

    #[test]
    fn a_line_that_does_something_or_says_what_it_is_asked_for_is_none() {
        for command in [
            "pytest",
            "echo ok; pytest",
            "echo $(wc -l < a.txt)",
            "echo \"$HOME\"",
            "echo *",
            "echo ok > out.txt",
            "ls",
            "cat a.txt",
            "test -f a.txt && echo yes",
            "make && echo built",
        ] {
            assert!(!idles(command, "Run the tests"), "{command}");
        }
        for (command, description) in [
            ("echo hello", "Print hello"),
            ("printf hello", "Use a command to say hello"),
            ("echo hallo", "Gib 'hallo' aus"),
            ("date", "What day is it?"),
            ("date", "Show the date"),
            ("date +%F", "Stelle fest, welcher Tag ist"),
            ("sleep 1", "Wait a second"),
            ("pwd", "Find the current folder"),
            ("true", "Run `true` and see that it ends well"),
        ] {
            assert!(!idles(command, description), "{command}: {description}");
        }
    }
}
