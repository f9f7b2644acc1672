//! The program that opens the window.

// Without this, Windows would open a console beside the window.
#![cfg_attr(not(debug_assertions), windows_subsystem = "windows")]

fn main() -> tauri::Result<()> {
    assent_desktop::run()
}
