//! The arguments of `assent requests` and `assent answer`.

use clap::{Args, ValueEnum};

/// `assent requests`
#[derive(Debug, Args)]
pub struct RequestsArgs {
    /// What you have allowed for longer than one call.
    #[arg(long)]
    pub allowed: bool,
    /// Take such a permission back; the beginning of its id is enough.
    #[arg(long, value_name = "ID", conflicts_with = "allowed")]
    pub revoke: Option<String>,
}

/// `assent answer`
#[derive(Debug, Args)]
pub struct AnswerArgs {
    /// The request; the beginning of its id is enough.
    pub id: String,
    #[command(flatten)]
    pub answer: AnswerChoice,
    /// How long such calls of this tool are allowed; the workspace until you take it back.
    #[arg(long = "for", value_name = "EXTENT", requires = "approve", default_value = "once")]
    pub extent: Extent,
    /// What was shown of the change by `assent requests`: the answer counts only while the file is still so.
    #[arg(long, conflicts_with_all = ["reject", "credential", "arguments"], value_name = "DIGEST")]
    pub seen: Option<String>,
    /// Why it is rejected.
    #[arg(long, requires = "reject")]
    pub reason: Option<String>,
    /// Write the answer down and carry nothing on.
    #[arg(long)]
    pub record_only: bool,
}

/// Exactly one of them.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub struct AnswerChoice {
    /// The option of this name, or else of this number from 1; several times where several may be chosen.
    #[arg(long, value_name = "N")]
    pub option: Vec<String>,
    /// This text; yes or no, a number, a day or a path where that is asked for.
    #[arg(long, value_name = "T", allow_negative_numbers = true)]
    pub text: Option<String>,
    /// Yes.
    #[arg(long)]
    pub approve: bool,
    /// No.
    #[arg(long)]
    pub reject: bool,
    /// This credential of the vault: its name is the answer, and its secret stands nowhere.
    #[arg(long, value_name = "NAME")]
    pub credential: Option<String>,
    /// Yes, with these arguments instead.
    #[arg(long, value_name = "JSON")]
    pub arguments: Option<String>,
}

/// How long a call may be made without asking again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Extent {
    /// This once.
    Once,
    /// In this step.
    Step,
    /// In this run.
    Run,
    /// In this folder, until you take it back.
    Workspace,
}
