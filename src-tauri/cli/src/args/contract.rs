//! `assent contract …`

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// `assent contract …`
#[derive(Debug, Subcommand)]
pub enum ContractCommand {
    /// Check a JSON file against a schema, or an agent's contract.
    #[command(
        after_help = "Exit status: 0 it holds, 1 it does not (the fault is printed as JSON), 2 the schema cannot be used.\n\nExamples:\n  assent contract check input.json --against plan_generator_agent\n  assent contract check --schema input.schema.json --instance input.json"
    )]
    Check(CheckArgs),
    /// The fields that an agent or a tool takes; without a name, all of them by name.
    #[command(after_help = "Examples:\n  assent contract show\n  assent contract show plan_generator_agent")]
    Show {
        /// The agent or the tool.
        name: Option<String>,
    },
}

/// `assent contract check`
#[derive(Debug, Args)]
pub struct CheckArgs {
    /// The file to check.
    #[arg(value_name = "FILE", required_unless_present = "instance", conflicts_with = "instance")]
    pub file: Option<PathBuf>,
    /// A file with a schema, or the name of an agent whose input contract counts.
    #[arg(long, value_name = "SCHEMA|AGENT", required_unless_present = "schema", conflicts_with = "schema")]
    pub against: Option<String>,
    /// What comes out of the agent, not what goes in.
    #[arg(long, requires = "against")]
    pub output: bool,
    /// The file with the schema.
    #[arg(long, value_name = "FILE")]
    pub schema: Option<PathBuf>,
    /// The file to check.
    #[arg(long, value_name = "FILE")]
    pub instance: Option<PathBuf>,
}
