//! The stream of what happens.

use tauri::ipc::Channel;

use super::{Answered, Here};
use crate::wire::Packet;

#[tauri::command]
pub async fn stream_open(shell: Here<'_>, packets: Channel<Packet>) -> Answered<()> {
    shell.listen(move |packet| packets.send(packet).is_ok())
}

#[tauri::command]
pub async fn stream_taken(shell: Here<'_>, number: u64) -> Answered<()> {
    shell.taken(number);
    Ok(())
}
