//! `assent tools …` and `assent memory …`

use std::num::NonZeroUsize;
use std::path::PathBuf;

use assent_core::contract::{Risk, Source};
use assent_engine::store::MemoryKind;
use clap::Subcommand;

use super::named;

/// `assent tools …`
#[derive(Debug, Subcommand)]
pub enum ToolsCommand {
    /// All tools.
    #[command(after_help = "Example:\n  assent tools list")]
    List,
    /// Tools for what is to be done, the best first.
    #[command(after_help = "Example:\n  assent tools search \"find lines in all files\" --risk read --why")]
    Search {
        /// What is to be done, or a name.
        #[arg(required = true)]
        words: Vec<String>,
        /// How many at most.
        #[arg(long, value_name = "N", default_value = "5")]
        limit: NonZeroUsize,
        /// Only tools that can do this at worst: read, write, execute, network, destructive.
        #[arg(long, value_parser = named::<Risk>)]
        risk: Vec<Risk>,
        /// Only tools from here: core, studio, mcp, catalogue, agent, human.
        #[arg(long, value_parser = named::<Source>)]
        source: Vec<Source>,
        /// Only tools of this server, or of this source that you have added.
        #[arg(long)]
        server: Vec<String>,
        /// What speaks for and against each.
        #[arg(long)]
        why: bool,
    },
    /// What a tool takes.
    #[command(after_help = "Example:\n  assent tools explain grep")]
    Explain {
        /// Its name.
        name: String,
    },
    /// Call a tool yourself: a plan of one step, approved by calling it.
    #[command(after_help = "Example:\n  assent tools call grep '{\"pattern\": \"TODO\"}'")]
    Call {
        /// Its name.
        name: String,
        /// Its arguments as JSON.
        #[arg(default_value = "{}")]
        arguments: String,
        /// The folder to work in.
        #[arg(long, value_name = "DIR")]
        workspace: Option<PathBuf>,
    },
    /// Folders of tool descriptions: add, list, remove.
    #[command(subcommand, after_help = "Example:\n  assent tools source list")]
    Source(SourceCommand),
    /// How many tokens tool descriptions may take in one request.
    #[command(
        after_help = "Examples:\n  assent tools budget\n  assent tools budget 6000\n  assent tools budget --usual"
    )]
    Budget {
        /// So many from now on.
        tokens: Option<u32>,
        /// Go back to the usual number.
        #[arg(long, conflicts_with = "tokens")]
        usual: bool,
    },
    /// How well and how fast tools are found, over requests whose right tools are known.
    #[command(
        after_help = "Both files hold a JSON object a line: {name, description, parameters}, and {query, gold: [names]}. Where `assent model pull meaning` has fetched its file, meanings are compared too: the first time, a thousand tools take half a minute.\n\nExample:\n  assent tools eval --tools tools.jsonl --queries queries.jsonl"
    )]
    Eval {
        /// The tools.
        #[arg(long, value_name = "FILE")]
        tools: PathBuf,
        /// The requests.
        #[arg(long, value_name = "FILE")]
        queries: PathBuf,
        /// Compare words alone, also where the file is there that compares meanings.
        #[arg(long)]
        words: bool,
    },
}

/// `assent tools source …`
#[derive(Debug, Subcommand)]
pub enum SourceCommand {
    /// Add a folder of tool descriptions.
    #[command(
        after_help = "Each JSON file holds one tool or a list: name, description, parameters, and a command (words with {parameter} in them) or http (method, url, headers, query, body).\n\nExample:\n  assent tools source add office ~/tools/office"
    )]
    Add {
        /// What the names of its tools begin with.
        name: String,
        /// The folder.
        folder: PathBuf,
    },
    /// The sources, how many tools each has, and what was left out.
    #[command(after_help = "Example:\n  assent tools source list")]
    List,
    /// The key that a source sends to a host: given, or forgotten.
    #[command(
        after_help = "The key goes where a tool's header says {$key}, to this host alone. It is typed unseen, or read from standard input.\n\nExamples:\n  assent tools source key office helpdesk.example\n  assent tools source key office helpdesk.example --forget"
    )]
    Key {
        /// The source.
        name: String,
        /// The host, as it stands in the addresses of the source's tools.
        host: String,
        /// Forget it.
        #[arg(long)]
        forget: bool,
    },
    /// Remove a source; the folder stays.
    #[command(after_help = "Example:\n  assent tools source remove office")]
    Remove {
        /// Its name.
        name: String,
    },
}

/// `assent memory …`
#[derive(Debug, Subcommand)]
pub enum MemoryCommand {
    /// What is remembered, the newest first.
    #[command(after_help = "Example:\n  assent memory list --kind action")]
    List {
        /// Only this kind: fact, action, decision, observation, feedback.
        #[arg(long, value_parser = named::<MemoryKind>)]
        kind: Vec<MemoryKind>,
        /// Only this context, such as tool:grep.
        #[arg(long)]
        context: Vec<String>,
        /// How many at most.
        #[arg(long, value_name = "N", default_value = "50")]
        limit: NonZeroUsize,
    },
    /// What is remembered about something, the best first.
    #[command(after_help = "Example:\n  assent memory recall \"files with lines\" --kind action")]
    Recall {
        /// What about.
        #[arg(required = true)]
        words: Vec<String>,
        /// Only this kind: fact, action, decision, observation, feedback.
        #[arg(long, value_parser = named::<MemoryKind>)]
        kind: Vec<MemoryKind>,
        /// Only this context, such as tool:grep.
        #[arg(long)]
        context: Vec<String>,
        /// How many at most.
        #[arg(long, value_name = "N", default_value = "10")]
        limit: NonZeroUsize,
    },
    /// Forget; cannot be undone. What tools take comes back at the next start.
    #[command(
        after_help = "Examples:\n  assent memory forget 12 13\n  assent memory forget --tool grep\n  assent memory forget --all"
    )]
    Forget {
        /// These, by their numbers.
        #[arg(required_unless_present_any = ["tool", "all"])]
        ids: Vec<i64>,
        /// Everything about this tool.
        #[arg(long, conflicts_with_all = ["ids", "all"])]
        tool: Option<String>,
        /// Everything.
        #[arg(long, conflicts_with = "ids")]
        all: bool,
    },
}
