use super::Kind::{self, Changed, ChangedFile, Sent};
use super::reports;

/// What a text reports: each sentence, and what has to stand behind it.
fn found(text: &str) -> Vec<(&str, Kind)> {
    reports(text).map(|report| (report.sentence, report.kind)).collect()
}

/// Texts of one report each.
const REPORTS: [(&str, Kind); 48] = [
    ("I have saved the table to out.md.", ChangedFile),
    ("I\u{2019}ve saved the table to `out.md`", ChangedFile),
    ("I wrote `notes.txt`", ChangedFile),
    ("I deleted the file old.log.", ChangedFile),
    ("I've updated budget.csv with the new totals.", ChangedFile),
    ("I created a table in out.md.", ChangedFile),
    ("I copied both files into backup/.", ChangedFile),
    ("I have overwritten data.json.", ChangedFile),
    ("I appended a line to log.txt.", ChangedFile),
    ("I added a heading to README.md.", ChangedFile),
    ("We have renamed a.txt to b.txt.", ChangedFile),
    ("As asked, I moved report.md into archive.", ChangedFile),
    ("I saved everything.", Changed),
    ("I installed the package.", Changed),
    ("I've deleted it.", Changed),
    ("I've sent the mail!", Sent),
    ("I uploaded the archive.", Sent),
    ("We have published the post.", Sent),
    ("I emailed Anna about it.", Sent),
    ("I have posted the results to the channel.", Sent),
    ("counts.md has been created with 3 lines", ChangedFile),
    ("The summary has been written to summary.md.", ChangedFile),
    ("All rows have been added to total.csv.", ChangedFile),
    ("The report was saved to report.md.", ChangedFile),
    ("The results were written to results.csv.", ChangedFile),
    ("The changes were saved in notes.md.", ChangedFile),
    ("The file out.md was created.", ChangedFile),
    ("out.md was written successfully.", ChangedFile),
    ("out.md was created with 3 rows", ChangedFile),
    ("The email has been sent.", Sent),
    ("Created out.md with 3 rows.", ChangedFile),
    ("Created out.md with 3 rows from in.csv.", ChangedFile),
    ("Saved the table to `out.md`.", ChangedFile),
    ("Deleted the file tmp.txt.", ChangedFile),
    ("Updated `config.toml`.", ChangedFile),
    ("Renamed a.txt to b.txt.", ChangedFile),
    ("Moved all files to archive.", ChangedFile),
    ("Successfully wrote report.md", ChangedFile),
    ("Done: created out.md", ChangedFile),
    ("- Report saved to report.md", ChangedFile),
    ("2. Table written to out.md", ChangedFile),
    ("**File created: out.md**", ChangedFile),
    ("Email sent to anna@example.org.", Sent),
    ("Your message posted to the channel", Sent),
    ("\u{2705} Message posted to #general", Sent),
    ("Sent the report to Anna.", Sent),
    ("Posted the message to the channel.", Sent),
    ("report.md uploaded to the server.", Sent),
];

/// Texts of none.
const PROSE: [&str; 61] = [
    "",
    "I have written a short summary: the notes agree.",
    "I have not saved anything.",
    "I could not find out.md, so nothing was deleted.",
    "If you like, I will have it saved to out.md.",
    "I created a summary of report.md.",
    "I added up the amounts in a.csv.",
    "I added the amounts from a.csv and b.csv.",
    "I wrote about notes.txt above.",
    "We compared a.txt and b.txt.",
    "I need to see report.md before anything is sent.",
    "Did I save out.md? No.",
    "Have I sent the mail?",
    "The letter was sent on 3 May.",
    "The mail was sent to all staff.",
    "The author published the book in 2019.",
    "config.toml was changed in commit 4f2a by Anna.",
    "config.toml has been changed three times.",
    "The file notes.txt was added in 2019.",
    "main.rs was moved by the second commit.",
    "main.py was written in Python.",
    "notes.md was created with vim.",
    "data.csv was exported from the old system.",
    "The files were created in June.",
    "Two files were changed in the last commit.",
    "Most files were created in src.",
    "The API was changed in v2.0.",
    "Python 3.11 was installed on it.",
    "Was report.md saved?",
    "The script could be saved to run.sh.",
    "The table should be written to out.md.",
    "You can save it to out.md.",
    "The plan is to create out.md with 3 rows.",
    "According to log.txt, the backup was deleted yesterday.",
    "In log.txt the user was added at 10:15.",
    "The notes that were moved to archive.md are old.",
    "The summary of notes.txt has been written well.",
    "The totals were updated daily in sales.csv.",
    "It is written in report.md that sales rose.",
    "As written in notes.md, the meeting is on Monday.",
    "a.txt has 3 lines and b.txt was empty.",
    "The file a.txt has the words created and updated.",
    "He removed the line from config.toml.",
    "Anna saved the report to report.md.",
    "Added in version 2 of main.rs.",
    "Updated: 3 May 2024",
    "Sent items: 3",
    "Saved searches are listed in searches.md.",
    "Deleted users are kept in trash.csv for 30 days.",
    "Created by Anna in notes.md.",
    "Published papers: 12.",
    "Changed lines: 3 in a.txt",
    "Files created last week: a.txt, b.txt",
    "Posted on Monday.",
    "Generated files are large.",
    "Or added as a dependency to Cargo.toml.",
    "Nothing was saved to out.md.",
    "| Email sent | 3 |",
    "> I have sent the mail.",
    "She wrote \"I have saved the table to out.md\" to all.",
    "```\nI have saved the table to out.md.\n```",
];

#[test]
fn reports_of_effects_are_recognised() {
    for (text, kind) in REPORTS {
        let kinds: Vec<Kind> = found(text).into_iter().map(|(_, kind)| kind).collect();
        assert_eq!(kinds, [kind], "{text}");
    }
}

#[test]
fn plain_prose_is_no_report() {
    for text in PROSE {
        assert_eq!(found(text), [], "{text}");
    }
}

#[test]
fn every_sentence_of_a_text_is_looked_at_by_itself() {
    let text = "All good. I have saved the table to out.md. I've sent the mail! Anything else?\nCreated a.md";
    let expected = [
        ("I have saved the table to out.md", ChangedFile),
        ("I've sent the mail", Sent),
        ("Created a.md", ChangedFile),
    ];
    assert_eq!(found(text), expected);
}
