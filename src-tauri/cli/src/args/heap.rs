//! `assent heap …`

use std::path::PathBuf;

use clap::{Subcommand, ValueEnum};

/// `assent heap …`
#[derive(Debug, Subcommand)]
pub enum HeapCommand {
    /// All specialists: whose they are, with which tools, and who is at work.
    #[command(after_help = "Example:\n  assent heap show")]
    Show,
    /// Who would do a task, chosen level by level by the model.
    #[command(after_help = "Example:\n  assent heap search \"send the report by mail\"")]
    Search {
        /// What is to be done.
        #[arg(required = true)]
        task: Vec<String>,
        /// Only below this specialist.
        #[arg(long, value_name = "ID")]
        from: Option<String>,
    },
    /// Who does a task when it is given to these specialists, one after the other.
    #[command(after_help = "Example:\n  assent heap expand office general --for \"send the report by mail\"")]
    Expand {
        /// The specialists.
        #[arg(required = true)]
        ids: Vec<String>,
        /// What is to be done.
        #[arg(long = "for", value_name = "TASK")]
        task: String,
    },
    /// When a specialist that has others below it finds who does a step.
    #[command(after_help = "Examples:\n  assent heap delegation\n  assent heap delegation runtime")]
    Delegation {
        /// From now on.
        when: Option<When>,
    },
    /// Packs that Assent brings along for those who ask for them, and your own.
    ///
    /// Until one is added, nobody sees its agents.
    #[command(after_help = "Example:\n  assent heap packs")]
    Packs,
    /// Adds a pack that Assent brings along to your own, or a copy of a folder.
    #[command(after_help = "Examples:\n  assent heap add crawl\n  assent heap add letters --from ~/letters")]
    Add {
        /// The pack.
        pack: String,
        /// The folder that it is copied from, if nothing is wrong with it.
        #[arg(long, value_name = "DIR")]
        from: Option<PathBuf>,
    },
    /// Looks at a folder that could be a pack, and says what is wrong with it.
    #[command(after_help = "Example:\n  assent heap check ~/letters")]
    Check {
        /// The folder.
        folder: PathBuf,
        /// The name that the pack would have; that of the folder if nothing is said.
        #[arg(long, value_name = "NAME")]
        name: Option<String>,
    },
    /// Removes a pack that was added.
    #[command(after_help = "Examples:\n  assent heap remove crawl\n  assent heap remove letters --changed")]
    Remove {
        /// The pack.
        pack: String,
        /// Also with what was changed in it, or a pack of your own.
        #[arg(long)]
        changed: bool,
    },
    /// Says or sets whether agents can be made in chats.
    ///
    /// Where they can, the specialists `agent` and `improvement` are there.
    #[command(after_help = "Examples:\n  assent heap studio\n  assent heap studio open")]
    Studio {
        /// From now on.
        state: Option<StudioState>,
    },
}

/// Whether the studio is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum StudioState {
    /// Its specialists and tools are there.
    Open,
    /// They are not; agents that were made stay.
    Closed,
}

/// When it is found who does a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum When {
    /// Before anything runs: one of those below it.
    Expand,
    /// While it runs: the specialist hands the step on to one or more of those below it.
    Runtime,
}
