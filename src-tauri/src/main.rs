//! The program that opens the window.

// Without this, Windows would open a console beside the window.
#![cfg_attr(not(debug_assertions), windows_subsystem = "windows")]

use std::process::ExitCode;

fn main() -> ExitCode {
    // The process that holds the model server is this program under another name.
    if let Some(code) = assent_engine::model::local::guard_main(std::env::args_os()) {
        return ExitCode::from(code);
    }
    match assent_desktop::run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("assent: the window could not be opened: {error}");
            ExitCode::FAILURE
        }
    }
}
