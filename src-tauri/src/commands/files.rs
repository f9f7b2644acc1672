//! The files that a run wrote. The page names a run and a file of it, and never gets to others.

use assent_core::ids::RunId;
use assent_engine::engine::WrittenFile;

use super::{Answered, Here};
use crate::aside::{Aside, aside};
use crate::desktop::files;
use crate::wire::FileChange;

pub fn file_list(shell: Here<'_>, run: RunId) -> Aside<Vec<WrittenFile>> {
    shell.ask(move |engine| Ok(engine.runs().files(&run)?))
}

pub fn file_change(shell: Here<'_>, run: RunId, path: String) -> Aside<FileChange> {
    shell.ask(move |engine| Ok(engine.runs().file_change(&run, &path)?.into()))
}

/// Opens it in the program that the person uses for such files.
pub async fn file_open(shell: Here<'_>, run: RunId, path: String) -> Answered<()> {
    let place = shell.ask(move |engine| Ok(engine.runs().file_at(&run, &path)?)).await?;
    aside(move || files::open(&place)).await
}

/// Shows it in the person's file manager.
pub async fn file_show(shell: Here<'_>, run: RunId, path: String) -> Answered<()> {
    let place = shell.ask(move |engine| Ok(engine.runs().file_at(&run, &path)?)).await?;
    aside(move || files::show(&place)).await
}
