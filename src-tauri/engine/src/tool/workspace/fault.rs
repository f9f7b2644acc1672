//! Why a path cannot be used: always something the model or the person can mend.

use std::io::ErrorKind;

use thiserror::Error;

/// Why a path cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PlaceError {
    /// No path at all.
    #[error("the path is empty: give a path relative to the workspace, such as notes.md")]
    Empty,
    /// It leads out of the workspace.
    #[error("path outside workspace: {path}. Use a path relative to the workspace, such as notes.md")]
    Outside {
        /// As written.
        path: String,
    },
    /// Nothing is there.
    #[error("not found: {path} does not exist in the workspace")]
    NotFound {
        /// As written.
        path: String,
    },
    /// A folder where a file is needed.
    #[error("{path} is a folder, not a file")]
    IsFolder {
        /// From the workspace.
        path: String,
    },
    /// A file where a folder is needed.
    #[error("{path} is not a folder")]
    NotFolder {
        /// From the workspace.
        path: String,
    },
    /// A pipe, a device, a socket.
    #[error("{path} is not a regular file")]
    NotRegular {
        /// From the workspace.
        path: String,
    },
    /// More than is taken at once.
    #[error("{path} is too large: {bytes} bytes, at most {limit} are handled here; use bash for it")]
    TooLarge {
        /// From the workspace.
        path: String,
        /// Its size.
        bytes: u64,
        /// What is possible.
        limit: u64,
    },
    /// Not text.
    #[error("{path} is not UTF-8 text; use bash for it")]
    NotText {
        /// From the workspace.
        path: String,
    },
    /// The system refuses.
    #[error("{path}: {reason}")]
    Refused {
        /// From the workspace.
        path: String,
        /// What the system said.
        reason: String,
    },
}

impl PlaceError {
    /// What an error of the system means for a path.
    pub(super) fn of(path: &str, error: &std::io::Error) -> Self {
        let path = path.to_owned();
        match error.kind() {
            ErrorKind::NotFound => Self::NotFound { path },
            ErrorKind::NotADirectory => Self::NotFolder { path },
            ErrorKind::IsADirectory => Self::IsFolder { path },
            // The resolver's own refusal to leave the folder carries no error number of the system.
            ErrorKind::PermissionDenied if error.raw_os_error().is_none() => Self::Outside { path },
            _ => Self::Refused { path, reason: error.to_string() },
        }
    }
}
