use super::*;

/// What a description names: files that it changes, files that it looks at.
fn files(description: &str) -> (Vec<String>, Vec<String>) {
    let named = Named::of(description);
    ([named.changes, named.puts].concat(), named.reads)
}

#[test]
fn a_file_behind_what_changes_it_is_seen() {
    for (description, changed) in [
        ("Edit out.md", "out.md"),
        ("Write a table, highest first, to patents.md.", "patents.md"),
        ("Create the file `docs/out.md` with three rows", "docs/out.md"),
        ("Create a file called out.md", "out.md"),
        ("Append a line to log.txt", "log.txt"),
        ("Convert in.csv to JSON and save it as out.json", "out.json"),
        ("Rename draft.md to final.md", "final.md"),
        ("Replace 'red' with 'blue' in paint.txt", "paint.txt"),
        ("Delete old.log", "old.log"),
        ("Read notes.md and write summary.md", "summary.md"),
    ] {
        assert_eq!(files(description).0, [changed], "{description}");
    }
}

#[test]
fn a_file_that_may_be_anything_to_a_step_is_not_taken_for_one_that_it_changes() {
    for description in [
        "Fix the bug described in issue.md",
        "Fix the errors in lint.txt",
        "Create a summary of notes.md",
        "Compare a.txt to b.txt and write the differences",
        "Update the links to old.md",
        "Do not edit a.txt, write the result elsewhere",
        "Add the functions that are listed in api.md",
        "Write what notes.md says about ports",
        "Create a list of files as in example.md",
        "Use the template letter.txt for every guest",
        "Count the lines of a.txt",
        "Edit *-old.txt",
        "Create {name}-list.txt for each guest",
        "Extract the numbers so that they can be put into out.md",
        "Prepare the rows to write them to out.md",
        "Print the arguments that are passed to main.py",
        "Schreibe die Tabelle nach out.md",
    ] {
        assert_eq!(files(description).0, Vec::<String>::new(), "{description}");
    }
}

#[test]
fn a_file_that_is_looked_at_is_seen_and_no_other() {
    assert_eq!(files("Read note.txt").1, ["note.txt"]);
    assert_eq!(files("Count the words in the file a.txt").1, ["a.txt"]);
    assert_eq!(files("Show the first line of a.txt, then of b.txt").1, ["a.txt", "b.txt"]);
    assert_eq!(files("Read notes.md and write summary.md").1, ["notes.md"]);
    for description in [
        "Find the files that are not named in index.txt",
        "Look through the sources for what README.md says about ports",
        "Read the files listed in list.txt",
        "Find files like a.txt",
        "Read everything except notes.txt",
        "Lies die Dateien, die in liste.txt stehen",
    ] {
        assert_eq!(files(description).1, Vec::<String>::new(), "{description}");
    }
}

#[test]
fn texts_that_are_looked_for_are_seen_and_other_quotes_are_not() {
    for (description, texts) in [
        ("Find the lines that mention 'Berlin'", vec!["Berlin"]),
        ("Search for \"out of memory\" in the logs", vec!["out of memory"]),
        ("Count the lines with the word `error` in each file", vec!["error"]),
        ("Lines containing “Töchter” or 'Söhne'", vec!["Töchter"]),
        ("Find the user's files and the guests' names", vec![]),
        ("Call the column 'total'", vec![]),
        ("Replace lines with 'old' by nothing", vec![]),
        ("Find the files without 'Berlin'", vec![]),
        ("Search for '*.md'", vec![]),
        ("Look for 'a'", vec![]),
    ] {
        assert_eq!(Named::of(description).sought, texts, "{description}");
    }
}

#[test]
fn addresses_that_are_talked_to_are_seen() {
    for (description, hosts) in [
        ("Post the table to https://www.drop.example/in", vec!["drop.example"]),
        ("Fetch https://user@a.example:8080/x.", vec!["a.example"]),
        ("Fetch the first link of https://a.example", vec![]),
        ("Write about http://a.example in out.md", vec![]),
    ] {
        assert_eq!(Named::of(description).hosts, hosts, "{description}");
    }
}

#[test]
fn what_has_to_be_there_afterwards_is_seen_in_an_expectation() {
    for (outcome, files) in [
        ("out.md with a table", vec!["out.md"]),
        ("The file out.md", vec!["out.md"]),
        ("The table is written to out.md", vec!["out.md"]),
        ("A summary of notes.md", vec![]),
        ("The number of lines in a.txt", vec![]),
        ("All links to old.md are gone", vec![]),
    ] {
        assert_eq!(expected(outcome), files, "{outcome}");
    }
}

#[test]
fn a_file_that_is_answered_may_be_another_than_the_one_that_is_written() {
    for description in
        ["Write a reply to letter.txt", "Write the answer to letter.txt", "Change every call to letter.txt"]
    {
        let named = Named::of(description);
        assert_eq!((named.replies, named.puts), (vec!["letter.txt".to_owned()], Vec::new()), "{description}");
    }
    for description in ["Write the total to out.txt", "Create a table saved to out.txt", "Add a comment to out.txt"] {
        assert_eq!(Named::of(description).puts, ["out.txt"], "{description}");
    }
}

#[test]
fn a_step_makes_what_it_writes_and_not_what_it_adds_to() {
    assert_eq!(makes("Write the table to out.md"), ["out.md"]);
    assert_eq!(makes("Create out.md"), ["out.md"]);
    for description in ["Append a line to out.md", "Edit out.md", "Read out.md", ""] {
        assert_eq!(makes(description), Vec::<String>::new(), "{description}");
    }
}

#[test]
fn a_file_is_told_from_a_host_and_from_a_name_in_a_program() {
    for name in ["out.md", "docs/a.CSV", "app.js", "a.tar.gz", "README.md", "Report2.txt"] {
        assert!(is_file_name(name), "{name}");
    }
    for name in [
        "api.example.com",
        "logging.info",
        "pathlib.Path",
        "Node.js",
        "v1.2.rc",
        "letters/NAME.txt",
        "page-N.md",
        "PLACE_NUMBER.jpg",
    ] {
        assert!(!is_file_name(name), "{name}");
    }
}

#[test]
fn files_that_are_named_together_have_the_same_part() {
    for (description, all) in [
        ("Write a.txt and b.txt", vec!["a.txt", "b.txt"]),
        ("Write a.txt, b.txt and the file c.txt.", vec!["a.txt", "b.txt", "c.txt"]),
        ("Write the rows to `a.md`, and the totals to b.md", vec!["a.md", "b.md"]),
        ("Write the rows to a.md & b.md", vec!["a.md", "b.md"]),
        ("Write a.txt or b.txt", vec!["a.txt"]),
        ("Create index.html, using style.css and app.js", vec!["index.html"]),
        ("Write a.txt and read b.txt", vec!["a.txt"]),
        ("Write tests for a.py and b.py", vec![]),
    ] {
        assert_eq!(files(description).0, all, "{description}");
    }
    assert_eq!(leaves("Write a.txt and b.txt"), ["a.txt", "b.txt"]);
    assert_eq!(leaves("Update 'a.txt', b.txt."), ["a.txt", "b.txt"]);
    assert_eq!(leaves("Write 'new a.txt' and b.txt"), ["b.txt"]);
    for description in [
        "Delete a.txt and b.txt",
        "Write a.txt and, if needed, b.txt",
        "Then write a.txt and b.txt",
        "Do not write a.txt",
    ] {
        assert_eq!(leaves(description), Vec::<String>::new(), "{description}");
    }
}
