//! The command line's grammar. Every command has an example in its help.

mod contract;
mod heap;
mod library;
mod plan;
mod request;
mod tools;
mod vault;
mod workflow;

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use serde::de::DeserializeOwned;

pub use contract::{CheckArgs, ContractCommand};
pub use heap::{HeapCommand, StudioState, When};
pub use library::{FromLibrary, LibraryCommand, SaveArgs};
pub use plan::{ExportFormat, PlanArgs, PlanCommand, PlanEditArgs};
pub use request::{AnswerArgs, AnswerChoice, Extent, RequestsArgs};
pub use tools::{MemoryCommand, SourceCommand, ToolsCommand};
pub use vault::VaultCommand;
pub use workflow::{DocumentArgs, WorkflowCommand};

/// A desktop assistant that plans first, asks, and is held to its plan.
#[derive(Debug, Parser)]
#[command(name = "assent", version, about, disable_help_subcommand = true, after_help = EXAMPLES)]
pub struct Cli {
    /// What to do; without a command the chat opens.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// Print the published JSON formats, one value a line, instead of text.
    #[arg(long, global = true)]
    pub json: bool,
    /// When to use colours.
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub color: Colour,
}

const EXAMPLES: &str = "Examples:
  assent                                   chat in this folder
  assent ask \"Which of these notes mention the budget?\"
  assent ask --approve never-ask \"Sort the photos into a folder for each year\"
  assent plan list                         what was planned
  assent requests                          what waits for you";

/// When to use colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Colour {
    /// On a terminal.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// When a plan needs a person's word before it runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Approve {
    /// Every plan.
    AlwaysAsk,
    /// Plans that change something, run commands or use the network.
    Effects,
    /// No plan; what is not in the plan is asked all the same.
    NeverAsk,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Talk in the terminal.
    ///
    /// It ends with 0 however its turns end; a script asks by `assent ask`.
    #[command(after_help = "Example:\n  assent chat --workspace ~/notes")]
    Chat(ChatArgs),
    /// One message: plan it, have it approved, carry it out.
    #[command(
        after_help = "Exit status: 0 done, 2 waiting for you, 1 failed.\n\nExample:\n  assent ask --workspace ~/notes \"Make a list of all open tasks in tasks.md\""
    )]
    Ask(AskArgs),
    /// Plans: read, change, approve, carry out.
    #[command(subcommand, after_help = "Example:\n  assent plan list")]
    Plan(PlanCommand),
    /// Saved plans: keep, find, use again.
    #[command(subcommand, after_help = "Example:\n  assent library list")]
    Library(LibraryCommand),
    /// What waits for an answer, and what you have allowed for longer.
    #[command(
        after_help = "Examples:\n  assent requests --json\n  assent requests --allowed\n  assent requests --revoke 01j8"
    )]
    Requests(RequestsArgs),
    /// Answer a request and carry the run on.
    #[command(
        after_help = "Examples:\n  assent answer 01j8 --approve\n  assent answer 01j8 --approve --for run\n  assent answer 01j8 --approve --seen 9f86d081884c\n  assent answer 01j8 --text \"the blue one\""
    )]
    Answer(AnswerArgs),
    /// Carry on every run that was interrupted.
    #[command(after_help = "Example:\n  assent resume")]
    Resume(ResumeArgs),
    /// Chats: list, show, rename, put away, delete.
    #[command(after_help = "Examples:\n  assent sessions\n  assent sessions rename 01j8 \"Tax 2026\"")]
    Sessions(SessionsArgs),
    /// Find text in messages, plans, steps, calls and results.
    ///
    /// Of each of them the first 1 MB is searched.
    #[command(after_help = "Example:\n  assent search \"invoice march\"")]
    Search(SearchArgs),
    /// Models: list, fetch, choose, test, keys.
    #[command(subcommand, after_help = "Example:\n  assent model list")]
    Model(ModelCommand),
    /// Tools: list, search, explain, call, add folders of them.
    #[command(subcommand, after_help = "Example:\n  assent tools list")]
    Tools(ToolsCommand),
    /// Specialists: show, search, who does a task.
    #[command(subcommand, after_help = "Example:\n  assent heap show")]
    Heap(HeapCommand),
    /// Contracts of agents: check what goes in and what comes out.
    #[command(subcommand, after_help = "Example:\n  assent contract check input.json --against plan_generator_agent")]
    Contract(ContractCommand),
    /// Workflows: saved plans that are carried out as often as you want.
    #[command(subcommand, after_help = "Example:\n  assent workflow run weekly-report")]
    Workflow(WorkflowCommand),
    /// Credentials for calls: add, list, remove.
    #[command(subcommand, after_help = "Example:\n  assent vault list")]
    Vault(VaultCommand),
    /// What Assent remembers beside its history: list, recall, forget.
    #[command(subcommand, after_help = "Example:\n  assent memory list")]
    Memory(MemoryCommand),
    /// Look whether everything is in place, and say what to do where it is not.
    #[command(after_help = "Example:\n  assent doctor")]
    Doctor,
}

/// What a turn works with, and who decides.
#[derive(Debug, Clone, Default, Args)]
pub struct TurnArgs {
    #[command(flatten)]
    pub of: WithArgs,
    /// When a plan needs your word.
    #[arg(long, value_name = "POLICY")]
    pub approve: Option<Approve>,
}

/// What a turn works with.
#[derive(Debug, Clone, Default, Args)]
pub struct WithArgs {
    /// Go on in this session; the beginning of its id is enough.
    #[arg(long, value_name = "ID")]
    pub session: Option<String>,
    /// The model, for this message only.
    #[arg(long, value_name = "MODEL")]
    pub model: Option<String>,
    /// The folder to work in; this one if nothing is said.
    #[arg(long, value_name = "DIR", conflicts_with = "session")]
    pub workspace: Option<PathBuf>,
}

/// `assent chat`
#[derive(Debug, Args)]
pub struct ChatArgs {
    #[command(flatten)]
    pub turn: TurnArgs,
}

/// `assent ask`
#[derive(Debug, Args)]
pub struct AskArgs {
    #[command(flatten)]
    pub turn: TurnArgs,
    #[command(flatten)]
    pub from: FromLibrary,
    /// What you want; `-` reads it from standard input.
    pub message: String,
}

/// `assent plan new`
#[derive(Debug, Args)]
pub struct NewArgs {
    #[command(flatten)]
    pub of: WithArgs,
    /// What you want; `-` reads it from standard input.
    pub message: String,
}

/// `assent resume`
#[derive(Debug, Args)]
pub struct ResumeArgs {
    /// Only this run.
    pub run: Option<String>,
}

/// `assent sessions`
#[derive(Debug, Args)]
pub struct SessionsArgs {
    #[command(subcommand)]
    pub command: Option<SessionsCommand>,
    /// Also those that were put away.
    #[arg(long)]
    pub archived: bool,
    /// All of them, not the latest fifty.
    #[arg(long)]
    pub all: bool,
}

/// `assent sessions …`
#[derive(Debug, Subcommand)]
pub enum SessionsCommand {
    /// Everything that happened in a session.
    #[command(after_help = "Examples:\n  assent sessions show 01j8\n  assent sessions show 01j8 --json --whole")]
    Show {
        /// The session.
        id: String,
        /// All of long arguments and results, not their beginnings.
        #[arg(long, requires = "json")]
        whole: bool,
    },
    /// Another name.
    #[command(after_help = "Example:\n  assent sessions rename 01j8 \"Tax 2026\"")]
    Rename {
        /// The session.
        id: String,
        /// The name.
        title: String,
    },
    /// Put away.
    #[command(after_help = "Example:\n  assent sessions archive 01j8")]
    Archive {
        /// The session.
        id: String,
        /// Take back.
        #[arg(long)]
        undo: bool,
    },
    /// Delete with everything that belongs to it; cannot be undone.
    #[command(after_help = "Example:\n  assent sessions delete 01j8 --yes")]
    Delete {
        /// The session.
        id: String,
        /// Do not ask.
        #[arg(long)]
        yes: bool,
    },
}

/// `assent search`
#[derive(Debug, Args)]
pub struct SearchArgs {
    /// All of these words.
    #[arg(required = true)]
    pub text: Vec<String>,
    /// In this session only: the best places, in the order in which they came.
    #[arg(long)]
    pub session: Option<String>,
    /// At most so many.
    #[arg(long, default_value = "20")]
    pub limit: NonZeroUsize,
}

/// `assent model …`
#[derive(Debug, Subcommand)]
pub enum ModelCommand {
    /// What there is: embedded models, and those of servers on this machine.
    #[command(after_help = "Example:\n  assent model list")]
    List,
    /// Fetch an embedded model.
    #[command(after_help = "Example:\n  assent model pull starter")]
    Pull {
        /// Its name.
        name: String,
    },
    /// Choose the model for new turns.
    #[command(
        after_help = "Examples:\n  assent model use ollama/qwen3:8b\n  assent model use --for planner openai/gpt-5"
    )]
    Use {
        /// Provider and name.
        name: String,
        /// Only for this.
        #[arg(long = "for", value_name = "ROLE")]
        role: Option<Role>,
    },
    /// Ask a model something small and check its file.
    #[command(after_help = "Example:\n  assent model test")]
    Test {
        /// Provider and name; the chosen one if nothing is said.
        name: Option<String>,
    },
    /// Keep an API key in the system's keyring; it is typed unseen, or read from standard input.
    #[command(after_help = "Example:\n  assent model key openai < key.txt")]
    Key {
        /// The provider.
        provider: String,
        /// Forget it.
        #[arg(long)]
        forget: bool,
    },
    /// Make the models of another endpoint known.
    #[command(after_help = "Example:\n  assent model add office --url http://10.0.0.7:8000/v1")]
    Add {
        /// The name of the provider: the first part of its models' ids.
        provider: String,
        /// The address, up to and with `/v1`.
        #[arg(long)]
        url: String,
        /// It speaks the Anthropic protocol and not the OpenAI one.
        #[arg(long)]
        anthropic: bool,
        /// Tokens of request and reply together.
        #[arg(long, default_value_t = 32_768, value_parser = clap::value_parser!(u32).range(1024..))]
        context: u32,
        /// It has no tool calls and no structured output of its own.
        #[arg(long)]
        plain: bool,
        /// In the place of the one of that name at another address: its key goes to this one.
        #[arg(long)]
        replace: bool,
    },
    /// Forget an endpoint that was made known.
    #[command(after_help = "Example:\n  assent model remove office")]
    Remove {
        /// The name of the provider.
        provider: String,
    },
}

/// What a model is chosen for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Role {
    /// Plans.
    Planner,
    /// Steps and answers.
    Step,
}

/// A value of a closed set by its published name.
fn named<T: DeserializeOwned>(name: &str) -> serde_json::Result<T> {
    serde_json::from_value(name.into())
}
