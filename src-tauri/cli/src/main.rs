//! The `assent` command: the engine without a window, for terminals, scripts and servers.

mod args;
mod commands;
mod editor;
mod exit;
mod hidden;
mod input;
mod interrupt;
mod setup;
mod show;
mod status;
mod terminal;

use std::process::ExitCode;

use assent_engine::engine::Opened;
use assent_engine::live::Watched;
use clap::Parser;
use clap::error::ErrorKind;
use tokio_util::sync::CancellationToken;

use args::{Cli, Command, ContractCommand, LibraryCommand, PlanCommand, ToolsCommand};
use commands::{
    answer, ask, chat, contract, doctor, eval, heap, library, memory, model, offer, plan, sessions, tools, vault,
    workflow,
};
use exit::{Exit, USAGE, Usage};
use terminal::Terminal;

fn main() -> ExitCode {
    // The process that holds the model server is this program under another name.
    if let Some(code) = assent_engine::model::local::guard_main(std::env::args_os()) {
        return ExitCode::from(code);
    }
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(problem) => {
            // Nobody is left to tell when the streams are closed.
            let _closed = problem.print();
            let asked_for = matches!(problem.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion);
            return if asked_for { ExitCode::SUCCESS } else { ExitCode::from(USAGE) };
        }
    };
    let terminal = Terminal::new(cli.color, cli.json);
    setup::logging();
    match setup::runtime().and_then(|runtime| {
        let result = runtime.block_on(run(cli, &terminal));
        // A blocking read of the terminal must not hold the process back.
        runtime.shutdown_background();
        result
    }) {
        Ok(Exit::Done) if Terminal::has_lost_output() => Exit::Failed.code(),
        Ok(exit) => exit.code(),
        Err(problem) => {
            let more = exit::hint(&problem).map(|hint| format!("; {hint}")).unwrap_or_default();
            terminal.problem("assent:", &format!("{problem:#}{more}"));
            if problem.is::<Usage>() { ExitCode::from(USAGE) } else { Exit::Failed.code() }
        }
    }
}

async fn run(cli: Cli, terminal: &Terminal) -> anyhow::Result<Exit> {
    interrupt::listen();
    let command = cli.command.unwrap_or(Command::Chat(args::ChatArgs { turn: args::TurnArgs::default() }));
    let command = match command {
        Command::Doctor => return doctor::run(terminal).await,
        Command::Model(command) => return model::run(terminal, command).await,
        Command::Contract(ContractCommand::Check(args)) => return contract::run(terminal, args),
        Command::Tools(ToolsCommand::Eval { tools, queries, words }) => {
            return eval::run(terminal, &tools, &queries, words);
        }
        other => other,
    };
    let (live, mut signs) = Watched::new();
    tokio::spawn(async move {
        while let Some(sign) = signs.recv().await {
            status::sign(&sign);
        }
    });
    let Opened { engine, models, .. } = setup::engine(terminal, named_model(&command), live)?;
    engine.turns().finish_stops(&CancellationToken::new()).await?;
    if needs_model(&command) && named_model(&command).is_none() {
        offer::offer(&models, terminal).await?;
    }
    let end = match command {
        Command::Chat(args) => chat::run(&engine, terminal, args).await,
        Command::Ask(args) => ask::run(&engine, terminal, args).await,
        Command::Plan(command) => plan::run(&engine, terminal, command).await,
        Command::Library(command) => library::run(&engine, terminal, command).await,
        Command::Requests(args) => answer::requests(&engine, terminal, &args),
        Command::Answer(args) => answer::answer(&engine, terminal, args).await,
        Command::Resume(args) => answer::resume(&engine, terminal, args).await,
        Command::Sessions(args) => sessions::run(&engine, terminal, args).await,
        Command::Search(args) => sessions::search(&engine, terminal, &args),
        Command::Tools(command) => tools::run(&engine, terminal, command).await,
        Command::Contract(ContractCommand::Show { name }) => contract::show(&engine, terminal, name.as_deref()),
        Command::Heap(command) => heap::run(&engine, terminal, command).await,
        Command::Workflow(command) => workflow::run(&engine, terminal, command).await,
        Command::Vault(command) => vault::run(&engine, terminal, command),
        Command::Memory(command) => memory::run(&engine, terminal, command).await,
        // These were carried out without an engine.
        Command::Doctor | Command::Model(_) | Command::Contract(ContractCommand::Check(_)) => Ok(Exit::Done),
    };
    workflow::rest(&engine, terminal).await;
    end
}

/// Whether a command begins a turn. A saved plan is proposed without a model, or says that it needs one.
fn needs_model(command: &Command) -> bool {
    match command {
        Command::Ask(args) => args.from.plan_from.is_none(),
        other => matches!(other, Command::Chat(_) | Command::Plan(PlanCommand::New { .. })),
    }
}

/// The model that is named for this command only.
fn named_model(command: &Command) -> Option<&str> {
    match command {
        Command::Chat(args) => args.turn.of.model.as_deref(),
        Command::Ask(args) => args.turn.of.model.as_deref(),
        Command::Plan(PlanCommand::New { new, .. }) => new.of.model.as_deref(),
        Command::Library(LibraryCommand::Use { turn, .. }) => turn.of.model.as_deref(),
        _ => None,
    }
}
