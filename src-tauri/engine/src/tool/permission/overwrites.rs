//! The files that a command line writes anew by its text: what was in them is gone.

use super::commands::{segments, words};

/// The paths, from where the command runs, of what stands behind `>`, and of what `tee`, `cp` and `mv` write last. A
/// name that only the shell can know is left out.
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
        let named = |word: &&String| !word.starts_with(['-', '>']) && !word.contains(['$', '*', '?', '~']);
        found.extend(behind.chain(targets).filter(named).map(|target| joined(&folder, target)));
    }
    found
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
            ("ls", vec![]),
        ] {
            assert_eq!(overwritten(command), expected, "{command}");
        }
    }
}
