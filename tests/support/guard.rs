//! A program that can become the guard of the embedded model, as the real ones can; and a second user of its server.

use std::path::PathBuf;
use std::process::ExitCode;

use assent_engine::model::local::{LocalModel, guard_main};
use assent_tests::model::{ask, request, smoke};

fn main() -> ExitCode {
    if let Some(code) = guard_main(std::env::args_os()) {
        return ExitCode::from(code);
    }
    let Some(data) = std::env::args_os().nth(1).map(PathBuf::from) else {
        return ExitCode::from(64);
    };
    let guard = std::env::current_exe().expect("a path of its own");
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let Some(parts) = smoke(&data, guard) else { return ExitCode::SUCCESS };
    let model = LocalModel::new(parts);
    match runtime.block_on(ask(&model, &request("Say hello."))) {
        Ok(reply) => println!("{}", reply.text),
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}
