//! The files that a command line writes anew by its text: what was in them is gone.

use std::sync::LazyLock;

use regex::Regex;

use super::commands::{segments, words};

/// Calls in a script that write the file anew that they name: of Python, Ruby, Node and PHP.
static CALLS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    let name = r#"\(\s*[rb]?\\?["']([^"'\\\n]+)\\?["']\s*"#;
    let calls = [
        format!(r#"\bopen\s*{name},\s*(?:mode\s*=\s*)?\\?["']w"#),
        format!(r"\bPath\s*{name}\)\s*\.\s*write_(?:text|bytes)\b"),
        format!(r"\b(?:writeFile(?:Sync)?|File\.write|file_put_contents)\s*{name}"),
    ];
    calls.iter().filter_map(|call| Regex::new(call).ok()).collect()
});

/// The paths, from where the command runs, of what stands behind `>`, of what `tee`, `cp` and `mv` write last, and of
/// what a script in the line opens to write it. A name that only the shell or the script can know is left out.
pub fn overwritten(command: &str) -> Vec<String> {
    let mut folder = String::new();
    let mut found = Vec::new();
    for segment in segments(&spaced(command)) {
        let words = words(segment);
        let targets = match words.first().map(String::as_str) {
            Some("cd") => {
                folder = words.get(1).map(|to| joined(&folder, to)).unwrap_or_default();
                continue;
            }
            Some("tee") if !words.iter().any(|word| word == "-a" || word == "--append") => &words[1..],
            Some("cp" | "mv") if words.len() > 2 => &words[words.len() - 1..],
            _ => &[],
        };
        let behind = words.iter().zip(words.iter().skip(1)).filter(|(sign, _)| *sign == ">").map(|(_, target)| target);
        found.extend(behind.chain(targets).filter(|word| is_named(word)).map(|target| joined(&folder, target)));
    }
    let opened = CALLS.iter().flat_map(|call| call.captures_iter(command)).filter_map(|call| call.get(1));
    found.extend(opened.map(|name| name.as_str()).filter(|name| is_named(name)).map(|name| joined(&folder, name)));
    found
}

fn is_named(word: &str) -> bool {
    !word.starts_with(['-', '>']) && !word.contains(['$', '*', '?', '~', '{'])
}

/// A line in which `>` that writes a file anew stands alone, and no other sign with `>` in it is left.
fn spaced(command: &str) -> String {
    let without =
        command.replace(">>", " ").replace("2>&1", " ").replace(">&2", " ").replace("->", " ").replace("=>", " ");
    without.replace(">|", ">").replace("&>", ">").replace("2>", ">").replace("1>", ">").replace('>', " > ")
}

fn joined(folder: &str, to: &str) -> String {
    if folder.is_empty() || to.starts_with('/') { to.to_owned() } else { format!("{folder}/{to}") }
}

#[cfg(test)]
mod tests {
    use super::overwritten;

    #[test]
    fn what_a_command_writes_anew_is_read_from_its_text() {
        for (command, expected) in [
            ("sort a.txt > b.txt", vec!["b.txt"]),
            ("sort a.txt >b.txt 2>/dev/null", vec!["b.txt", "/dev/null"]),
            ("sort a.txt &> 'my list.txt'", vec!["my list.txt"]),
            ("sort a.txt >| b.txt", vec!["b.txt"]),
            ("cd docs && sort ../a.txt > b.txt", vec!["docs/b.txt"]),
            ("cat a.txt | tee b.txt c.txt", vec!["b.txt", "c.txt"]),
            ("cp a.txt b.txt", vec!["b.txt"]),
            ("mv a.txt b.txt; ls", vec!["b.txt"]),
            (": > a.txt", vec!["a.txt"]),
            ("sort a.txt >> b.txt 2>&1", vec![]),
            ("tee -a b.txt", vec![]),
            ("echo x > $OUT", vec![]),
            ("python3 -c \"open('b.txt', 'w').write('x')\"", vec!["b.txt"]),
            ("python3 -c 'open(\"b.txt\", mode=\"wb\")'", vec!["b.txt"]),
            ("python3 -c \"open(\\\"b.txt\\\",\\\"w+\\\")\"", vec!["b.txt"]),
            (
                "cd docs && python3 - <<'E'\nfrom pathlib import Path\nPath('b.txt').write_text('x')\nE",
                vec!["docs/b.txt"],
            ),
            ("node -e \"fs.writeFileSync('b.txt', 'x')\"", vec!["b.txt"]),
            ("ruby -e 'File.open(\"b.txt\", \"w\")'", vec!["b.txt"]),
            ("python3 -c \"open('b.txt', 'a'); open('c.txt'); open(f'{d}.txt', 'w'); open(name, 'w')\"", vec![]),
            ("ls", vec![]),
        ] {
            assert_eq!(overwritten(command), expected, "{command}");
        }
    }
}
