//! The commands of `assent library`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::{ExportFormat, TurnArgs};

/// `assent library …`
#[derive(Debug, Subcommand)]
pub enum LibraryCommand {
    /// Keep a plan: a copy that stays when its chat is deleted.
    #[command(
        after_help = "Examples:\n  assent library save 01j8 --name \"Lines per licence\" --tag law,notes\n  assent library save --file plan.json --name weekly --replace"
    )]
    Save(SaveArgs),
    /// List saved plans, what was saved or used last first.
    #[command(after_help = "Example:\n  assent library list --tag law")]
    List {
        /// Only those with this tag.
        #[arg(long)]
        tag: Option<String>,
    },
    /// Find saved plans that have all of these words in their name, tags, message or steps.
    #[command(after_help = "Example:\n  assent library search licence table")]
    Search {
        /// The words.
        #[arg(required = true)]
        words: Vec<String>,
    },
    /// Show a saved plan, and which values another message may replace.
    #[command(after_help = "Example:\n  assent library show weekly")]
    Show {
        /// Its name, or the beginning of its id.
        name: String,
    },
    /// Another name.
    #[command(after_help = "Example:\n  assent library rename weekly \"Weekly report\"")]
    Rename {
        /// Its name, or the beginning of its id.
        name: String,
        /// The new name.
        to: String,
    },
    /// Other tags in the place of all that it has; without any, none.
    #[command(after_help = "Example:\n  assent library tag weekly work report")]
    Tag {
        /// Its name, or the beginning of its id.
        name: String,
        /// The tags.
        #[arg(value_delimiter = ',')]
        tags: Vec<String>,
    },
    /// Remove a saved plan for good; plans that were made from it stay.
    #[command(after_help = "Example:\n  assent library remove weekly --yes")]
    Remove {
        /// Its name, or the beginning of its id.
        name: String,
        /// Do not ask.
        #[arg(long)]
        yes: bool,
    },
    /// Write a saved plan to a file.
    #[command(after_help = "Example:\n  assent library export weekly --to weekly.json")]
    Export {
        /// Its name, or the beginning of its id.
        name: String,
        /// The file; standard output if nothing is said.
        #[arg(long, value_name = "FILE")]
        to: Option<PathBuf>,
        /// The format.
        #[arg(long, default_value = "json")]
        format: ExportFormat,
    },
    /// Which saved plans a message resembles; no model is asked.
    #[command(after_help = "Example:\n  assent library suggest \"Count the lines that mention warranty per licence\"")]
    Suggest {
        /// The message; `-` reads it from standard input.
        message: String,
    },
    /// Propose a saved plan as it is.
    ///
    /// It waits for your word, unless a policy says otherwise.
    #[command(after_help = "Example:\n  assent library use weekly --workspace ~/work")]
    Use {
        #[command(flatten)]
        turn: TurnArgs,
        /// Its name, or the beginning of its id.
        name: String,
    },
}

/// `assent library save`
#[derive(Debug, Args)]
pub struct SaveArgs {
    /// The plan; the beginning of its id is enough.
    #[arg(required_unless_present = "file", conflicts_with = "file")]
    pub id: Option<String>,
    /// The version; the latest if nothing is said.
    #[arg(long, value_name = "N", conflicts_with = "file")]
    pub version: Option<u32>,
    /// A file with the plan; `-` for standard input.
    #[arg(long)]
    pub file: Option<PathBuf>,
    /// What it is called; the plan's title if nothing is said.
    #[arg(long)]
    pub name: Option<String>,
    /// A tag, or several with commas between them.
    #[arg(long = "tag", value_name = "TAG", value_delimiter = ',')]
    pub tags: Vec<String>,
    /// Take the place of a saved plan of the same name.
    #[arg(long)]
    pub replace: bool,
}

/// A saved plan in the place of one that would be made.
#[derive(Debug, Clone, Default, Args)]
pub struct FromLibrary {
    /// Do not plan: propose this saved plan for the message.
    #[arg(long, value_name = "NAME")]
    pub plan_from: Option<String>,
    /// Replace its values by those of the message; its steps stay.
    #[arg(long, requires = "plan_from")]
    pub adapt: bool,
}
