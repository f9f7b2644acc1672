//! `assent vault …`

use clap::Subcommand;

/// `assent vault …`
#[derive(Debug, Subcommand)]
pub enum VaultCommand {
    /// Keep a credential in the system's keyring, for the hosts and tools that are named.
    #[command(
        after_help = "The secret is typed unseen, or read from standard input. Models are told its name and hosts, and write {$vault:NAME} where it goes; it takes that place when the call is made, and stands in no event, log or prompt. A program that a command hands it to as an argument shows it to the users of this machine for as long as it runs.\n\nExamples:\n  assent vault add crm --host api.crm.example\n  assent vault add crm --host api.crm.example --tool office.contacts < key.txt"
    )]
    Add {
        /// Its name: small letters, digits and -.
        name: String,
        /// A host that it may go to; again for each further one.
        #[arg(long, value_name = "HOST")]
        host: Vec<String>,
        /// Only into calls of this tool; again for each further one.
        #[arg(long, value_name = "TOOL")]
        tool: Vec<String>,
        /// In the place of the one of that name, whose secret is forgotten.
        #[arg(long)]
        replace: bool,
    },
    /// The credentials and where they may go; never what they are.
    #[command(after_help = "Example:\n  assent vault list")]
    List,
    /// Forget a credential.
    #[command(after_help = "Example:\n  assent vault remove crm")]
    Remove {
        /// Its name.
        name: String,
    },
}
