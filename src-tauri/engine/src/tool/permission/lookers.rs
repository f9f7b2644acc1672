//! Commands of which it is certain by their text that they change nothing. What leaves a doubt is none.

use super::commands::{is_short_option, segments, words};

/// Programs that look, compute and print.
const LOOKERS: &str = "ls cat tac head tail wc grep sort uniq cut tr nl rev fold paste join comm seq stat file du df diff cmp \
    md5sum sha256sum jq echo printf true test [ : cd pwd basename dirname realpath readlink which date sleep whoami hostname \
    uname";

/// Whether a command line is made of programs that only look, and writes into no file.
pub fn changes_nothing(command: &str) -> bool {
    let plain = command.replace("2>&1", "").replace("2>/dev/null", "").replace(">/dev/null", "");
    !plain.contains(['>', '$', '`']) && segments(&plain).iter().all(|segment| only_looks(&words(segment)))
}

/// The programs that a command line names, in its order.
pub fn programs(command: &str) -> Vec<String> {
    segments(command).iter().filter_map(|segment| words(segment).into_iter().next()).collect()
}

/// Whether a command line runs a script: what that writes is not told by the line.
pub fn runs_script(command: &str) -> bool {
    const INTERPRETERS: [&str; 12] =
        ["perl", "ruby", "node", "php", "deno", "bun", "Rscript", "lua", "sh", "bash", "zsh", "dash"];
    let runs = |word: &str| {
        let name = word.rsplit('/').next().unwrap_or_default();
        name.starts_with("python") || INTERPRETERS.contains(&name)
    };
    segments(command)
        .iter()
        .map(|segment| words(segment))
        .any(|words| words.first().is_some_and(|first| first.contains('/')) || words.iter().any(|word| runs(word)))
}

fn only_looks(words: &[String]) -> bool {
    let Some((program, rest)) = words.split_first() else { return true };
    let has = |sign: &str| rest.iter().any(|word| word.starts_with(sign));
    let short = |letter: char| rest.iter().any(|word| is_short_option(word, letter));
    match program.as_str() {
        // Each of these can write too.
        "sort" => !has("--") && !short('o'),
        "uniq" => rest.iter().filter(|word| !word.starts_with('-')).count() < 2,
        "file" => !has("--") && !short('C'),
        "date" => !has("--") && !short('s'),
        "hostname" => rest.is_empty(),
        other => LOOKERS.split(' ').any(|looker| looker == other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_that_only_looks_is_told_from_one_that_may_do_more() {
        for command in [
            "cat a.txt",
            "wc -l a.txt | sort -n 2>/dev/null",
            "cd docs && ls -la; echo done 2>&1",
            "true && pwd",
            "[ -f a.txt ] && uniq -c a.txt",
            "date +%F",
            "'ls' docs",
            " ",
        ] {
            assert!(changes_nothing(command), "{command}");
        }
        for command in [
            "echo x > a.txt",
            "echo x 2>&1 >a.txt",
            "sed -i s/a/b/ a.txt",
            "python3 x.py",
            "cat $(find .)",
            "cat `find .`",
            "sort -o a.txt a.txt",
            "sort --output=a.txt b.txt",
            "sort -no a.txt b.txt",
            "uniq a.txt b.txt",
            "ls; \\rm a.txt",
            "ls\nrm a.txt",
            "PATH=. ls",
            "./ls",
            "ls | xargs rm",
            "ls() { rm a.txt; }; ls",
            "cat a.txt | tee b.txt",
            "find . -delete",
        ] {
            assert!(!changes_nothing(command), "{command}");
        }
    }
}
