//! A window with nothing in it, built as Assent's is: what `bench/run window` compares with.

fn main() -> tauri::Result<()> {
    tauri::Builder::default().run(tauri::generate_context!("bench/empty/tauri.conf.json"))
}
