//! `assent workflow …`

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, Subcommand};

/// `assent workflow …`
#[derive(Debug, Subcommand)]
pub enum WorkflowCommand {
    /// All workflows, and how their latest runs went.
    #[command(after_help = "Example:\n  assent workflow list")]
    List,
    /// Show a workflow: its steps, and what it may do.
    #[command(after_help = "Example:\n  assent workflow show weekly-report --version 2")]
    Show {
        /// Its name.
        name: String,
        /// The version; the latest if nothing is said.
        #[arg(long, value_name = "N")]
        version: Option<u32>,
    },
    /// Save a plan as a workflow; nothing runs.
    #[command(
        after_help = "Examples:\n  assent workflow create weekly-report --plan 01j8\n  assent workflow create weekly-report --file plan.json --workspace ~/notes"
    )]
    Create {
        /// Its name: small letters, digits and -.
        name: String,
        #[command(flatten)]
        document: DocumentArgs,
        /// The folder that it works in; that of the plan's chat, or this one, if nothing is said.
        #[arg(long, value_name = "DIR")]
        workspace: Option<PathBuf>,
    },
    /// Save a plan as the next version of a workflow.
    ///
    /// Without a plan, the latest version is saved once more, as it is checked now.
    #[command(after_help = "Example:\n  assent workflow update weekly-report --plan 01j8")]
    Update {
        /// Its name.
        name: String,
        #[command(flatten)]
        document: DocumentArgs,
    },
    /// Carry a workflow out.
    ///
    /// A version that was never approved is shown with what it may do, and waits for your word.
    #[command(
        after_help = "Exit status: 0 done, 2 waiting for you, 1 failed.\n\nExamples:\n  assent workflow run weekly-report\n  assent workflow run weekly-report --version 2 --approve"
    )]
    Run {
        /// Its name.
        name: String,
        /// The version; the latest if nothing is said.
        #[arg(long, value_name = "N")]
        version: Option<u32>,
        /// Approve that version, now and for later runs.
        #[arg(long, requires = "version")]
        approve: bool,
    },
    /// The runs of a workflow, the newest first.
    #[command(after_help = "Example:\n  assent workflow runs weekly-report")]
    Runs {
        /// Its name.
        name: String,
        /// At most so many.
        #[arg(long, default_value = "20")]
        limit: NonZeroUsize,
    },
    /// Reply to a run that waits for help, and go on with it.
    #[command(after_help = "Example:\n  assent workflow respond weekly-report \"week 47\"")]
    Respond {
        /// The workflow's name.
        name: String,
        /// The reply.
        text: String,
        /// The request, where several wait; the beginning of its id is enough.
        #[arg(long, value_name = "ID")]
        request: Option<String>,
    },
    /// End the run that is not over.
    #[command(after_help = "Example:\n  assent workflow stop weekly-report")]
    Stop {
        /// Its name.
        name: String,
    },
    /// Delete a workflow with its runs; cannot be undone.
    #[command(after_help = "Example:\n  assent workflow delete weekly-report --yes")]
    Delete {
        /// Its name.
        name: String,
        /// Do not ask.
        #[arg(long)]
        yes: bool,
    },
}

/// A plan, from wherever it is.
#[derive(Debug, Args)]
pub struct DocumentArgs {
    /// A plan of a chat; the beginning of its id is enough.
    #[arg(long, value_name = "ID", conflicts_with = "file")]
    pub plan: Option<String>,
    /// A file with a plan.
    #[arg(long, value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// When it is to run, in your words: kept and shown, starts nothing.
    #[arg(long, value_name = "TEXT")]
    pub when: Option<String>,
}
