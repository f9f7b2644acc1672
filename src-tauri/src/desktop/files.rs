//! Files that a run wrote, given to the system: opened in the program that a person uses for them, or shown where they lie.
//!
//! A model chose what stands in them and how they are called. Only what every system merely shows is opened from here.

use std::path::Path;

use super::system;
use crate::wire::{ErrorCode, Failure};

/// Endings of what every system shows and none runs, installs or follows. A list of what is dangerous would never be
/// whole: each system has its own, and finds new ones.
///
/// A page is not among them, nor a book or a picture that may hold a script: in a browser it would send out what it says, of a plan
/// that was approved without a network.
const SHOWN: [&str; 41] = [
    "avif", "bib", "bmp", "csv", "diff", "docx", "flac", "gif", "ics", "jpeg", "jpg", "json", "jsonl", "log", "m4a",
    "markdown", "md", "mp3", "mp4", "odp", "ods", "odt", "ogg", "patch", "pdf", "png", "pptx", "rst", "rtf", "srt",
    "tex", "tif", "tiff", "toml", "tsv", "txt", "wav", "webm", "webp", "xlsx", "yaml",
];

/// Opens a file in the program that the person uses for such files.
///
/// # Errors
/// [`ErrorCode::Invalid`] for what the system may do more with than show it, [`ErrorCode::Internal`] when it opens
/// nothing.
pub fn open(file: &Path) -> Result<(), Failure> {
    if !is_only_shown(file) {
        let problem = format!(
            "{} is not opened: it is of a kind that may run something. Look at it in its folder.",
            file.display()
        );
        return Err(Failure::new(ErrorCode::Invalid, problem));
    }
    opened(file)
}

/// Shows a file in the person's file manager; where that cannot point at a file, its folder.
///
/// # Errors
/// [`ErrorCode::Internal`] when there is no file manager.
pub fn show(file: &Path) -> Result<(), Failure> {
    let Err(error) = system::reveal(file) else { return Ok(()) };
    tracing::warn!("{} could not be pointed at: {error}", file.display());
    opened(file.parent().unwrap_or(file))
}

fn opened(path: &Path) -> Result<(), Failure> {
    ::open::that_detached(path)
        .map_err(|error| Failure::new(ErrorCode::Internal, format!("{} could not be opened: {error}", path.display())))
}

/// Whether opening a file does no more than show it, by its name and by what the system says of it.
fn is_only_shown(file: &Path) -> bool {
    let ending = file.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
    ending.is_some_and(|ending| SHOWN.contains(&ending.as_str())) && !is_executable(file)
}

#[cfg(unix)]
fn is_executable(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::metadata(file).is_ok_and(|found| found.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_executable(_file: &Path) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_every_system_shows_is_opened_and_everything_else_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, "text\n").unwrap();
            path
        };
        let endings = "action apk app appimage application appref-ms bash bat chm cmd com command cpl csh deb desktop dmg \
            docm exe fileloc fish flatpakref gadget hta inetloc inf iso jar jnlp js jse library-ms lnk mobileconfig msc msi \
            msp pif pkg pl prefpane ps1 py pyw rb reg rpm run scf scpt scr sct settingcontent-ms sh snap terminal tool \
            url vb vbe vbs vbscript webloc epub htm html xhtml mht mhtml svg svgz xml xsl workflow ws wsc wsf wsh xlsm xll zsh";
        let named = endings.split_whitespace().map(|ending| format!("table.{ending}"));
        let others = ["Report.DESKTOP", "table.md.lnk", "run.exe.", "run.exe ", "table.md.", "notes", "sh", ".md"];
        for name in named.chain(others.map(str::to_owned)) {
            assert_eq!(open(&file(&name)).unwrap_err().code, ErrorCode::Invalid, "{name}");
        }
        for name in ["table.md", "TABLE.MD", "picture.png", "report.pdf", "counts.csv"] {
            assert!(is_only_shown(&file(name)), "{name}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn what_is_marked_as_a_program_is_not_opened_whatever_its_name() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("table.md");
        std::fs::write(&path, "text\n").unwrap();
        assert!(is_only_shown(&path));
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o700)).unwrap();
        assert_eq!(open(&path).unwrap_err().code, ErrorCode::Invalid);
    }
}
