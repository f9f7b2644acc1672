//! The commands of `assent plan`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::NewArgs;

/// `assent plan …`
#[derive(Debug, Subcommand)]
pub enum PlanCommand {
    /// Make a plan and stop there.
    #[command(
        after_help = "Example:\n  assent plan new \"Rename the scans by their date\"\n  assent plan new --explain \"Count the words\""
    )]
    New {
        #[command(flatten)]
        new: NewArgs,
        /// Tell how it was made too: what the planner was sent, what it answered, what was wrong; and who does each step.
        #[arg(long)]
        explain: bool,
    },
    /// Show a plan as a table.
    #[command(after_help = "Examples:\n  assent plan show 01j8 --version 2\n  assent plan show 01j8 --explain")]
    Show {
        #[command(flatten)]
        plan: PlanArgs,
        /// How it was made: what the planner was sent, what it answered, what was wrong; and who does each step, and why.
        #[arg(long)]
        explain: bool,
    },
    /// List plans.
    #[command(after_help = "Example:\n  assent plan list --session 01j8")]
    List {
        /// Only those of this session.
        #[arg(long, value_name = "ID")]
        session: Option<String>,
    },
    /// Change a plan, in your editor as JSON or by flags; saving makes a new version.
    #[command(
        after_help = "Examples:\n  assent plan edit 01j8\n  assent plan edit 01j8 --remove s3 --describe s1 \"Count the lines\""
    )]
    Edit(PlanEditArgs),
    /// Approve a version and carry it out.
    #[command(after_help = "Example:\n  assent plan approve 01j8 --note \"only this folder\"")]
    Approve {
        #[command(flatten)]
        plan: PlanArgs,
        /// A word to go with it.
        #[arg(long)]
        note: Option<String>,
        /// Approve only; `assent plan run` carries it out.
        #[arg(long)]
        later: bool,
    },
    /// Reject a version.
    #[command(after_help = "Example:\n  assent plan reject 01j8 --reason \"too many steps\"")]
    Reject {
        #[command(flatten)]
        plan: PlanArgs,
        /// Why.
        #[arg(long)]
        reason: Option<String>,
    },
    /// Carry out an approved version.
    #[command(after_help = "Examples:\n  assent plan run 01j8\n  assent plan run 01j8 --from s3")]
    Run {
        #[command(flatten)]
        plan: PlanArgs,
        /// Only this step and what builds on it; the rest is taken over from the latest run.
        #[arg(long, value_name = "STEP")]
        from: Option<String>,
    },
    /// Do a step of the latest run again.
    ///
    /// What was skipped because of it is done too. What builds on it and is done stays as it is and is marked stale.
    #[command(after_help = "Example:\n  assent plan retry 01j8 s2")]
    Retry {
        #[command(flatten)]
        plan: PlanArgs,
        /// The step.
        step: String,
    },
    /// Write a plan to a file.
    #[command(after_help = "Example:\n  assent plan export 01j8 --to plan.json")]
    Export {
        #[command(flatten)]
        plan: PlanArgs,
        /// The file; standard output if nothing is said.
        #[arg(long, value_name = "FILE")]
        to: Option<PathBuf>,
        /// The format.
        #[arg(long, default_value = "json")]
        format: ExportFormat,
    },
    /// Take a plan from a file, as a proposal.
    #[command(after_help = "Example:\n  assent plan import plan.json")]
    Import {
        /// The file; `-` for standard input.
        file: PathBuf,
        /// The session it goes to; a new one if nothing is said.
        #[arg(long, value_name = "ID")]
        session: Option<String>,
        /// The folder of a new session.
        #[arg(long, value_name = "DIR")]
        workspace: Option<PathBuf>,
    },
    /// What changed between two versions.
    #[command(after_help = "Example:\n  assent plan diff 01j8 1 2")]
    Diff {
        /// The plan.
        id: String,
        /// The earlier version; the one before the latest if nothing is said.
        from: Option<u32>,
        /// The later version.
        to: Option<u32>,
    },
    /// Write beside a plan or a step, or have the step planned anew.
    #[command(
        after_help = "Examples:\n  assent plan comment 01j8 --step s2 \"also the subfolders\"\n  assent plan comment 01j8 --step s2 --anew \"as a table\""
    )]
    Comment {
        #[command(flatten)]
        plan: PlanArgs,
        /// The step.
        #[arg(long)]
        step: Option<String>,
        /// Have the step planned anew with the comment; the rest of the plan stays.
        #[arg(long, requires = "step")]
        anew: bool,
        /// The comment.
        text: String,
    },
}

/// A version of a plan.
#[derive(Debug, Clone, Args)]
pub struct PlanArgs {
    /// The plan; the beginning of its id is enough.
    pub id: String,
    /// The version; the latest if nothing is said.
    #[arg(long, value_name = "N")]
    pub version: Option<u32>,
}

/// How a plan is written to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ExportFormat {
    /// The document itself; can be imported.
    Json,
    /// To read.
    Markdown,
    /// A diagram.
    Mermaid,
}

/// `assent plan edit`
#[derive(Debug, Args)]
pub struct PlanEditArgs {
    #[command(flatten)]
    pub plan: PlanArgs,
    /// Change a step's text.
    #[arg(long, num_args = 2, value_names = ["STEP", "TEXT"])]
    pub describe: Vec<String>,
    /// Set a step's required tools, separated by commas; empty for none.
    #[arg(long, num_args = 2, value_names = ["STEP", "TOOLS"])]
    pub tools: Vec<String>,
    /// Set what a step waits for, separated by commas.
    #[arg(long, num_args = 2, value_names = ["STEP", "STEPS"])]
    pub after: Vec<String>,
    /// Set what will be there after a step.
    #[arg(long, num_args = 2, value_names = ["STEP", "TEXT"])]
    pub outcome: Vec<String>,
    /// Remove a step.
    #[arg(long, value_name = "STEP")]
    pub remove: Vec<String>,
    /// Add a step at the end.
    #[arg(long, value_name = "TEXT")]
    pub add: Vec<String>,
    /// Move a step to a place, from 1.
    #[arg(long, num_args = 2, value_names = ["STEP", "PLACE"])]
    pub place: Vec<String>,
}
