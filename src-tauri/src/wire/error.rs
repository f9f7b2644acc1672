//! What goes wrong, as the page is told: a code to branch on, and a sentence for the person.

use assent_core::contract::Fault;
use assent_core::plan::EditRefused;
use assent_core::run::JournalError;
use assent_engine::engine::{OpenError, SourcesError};
use assent_engine::executor::{ExecutorError, NotRebuilt, Unfitting};
use assent_engine::heap::shipped::{AddError, RemoveError};
use assent_engine::library::LibraryError;
use assent_engine::model::pull::PullError;
use assent_engine::model::registry::{FileError, NotAModelId, ProviderError};
use assent_engine::model::{ModelError, NoVault};
use assent_engine::planner::PlanningError;
use assent_engine::store::StoreError;
use assent_engine::tool::described::SourceError;
use assent_engine::turn::TurnError;
use serde::Serialize;

/// What kind of thing went wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum ErrorCode {
    /// There is no such thing.
    NotFound,
    /// Several things are meant.
    Ambiguous,
    /// What was given makes no sense.
    Invalid,
    /// There is nothing in the message.
    EmptyMessage,
    /// There is one of that name.
    NameTaken,
    /// A folder or file cannot be used.
    FolderUnusable,
    /// A plan does not hold; `faults` say where.
    PlanFaults,
    /// The plan is not in a state for this.
    PlanState,
    /// The plan is not what the decision was about: it has to be read again.
    PlanChanged,
    /// A change of a plan is not possible.
    EditRefused,
    /// There is no such tool.
    NoTool,
    /// Another window, command or download is at it.
    Busy,
    /// The request is settled already.
    Settled,
    /// A file is not as the person saw it who approves a change of it: it has to be looked at again.
    FileChanged,
    /// The answer does not fit what was asked; `faults` say where, for arguments.
    AnswerUnfit,
    /// The state does not allow it any more.
    Conflict,
    /// A person stopped it.
    Cancelled,
    /// What a model was sent cannot be had exactly any more.
    RequestNotRebuilt,
    /// The database is not what was written.
    DatabaseDamaged,
    /// A later version of the application wrote the database.
    DatabaseNewer,
    /// Another program holds the database.
    DatabaseLocked,
    /// Anything else that the database says.
    Database,
    /// There is no room.
    DiskFull,
    /// There is no such model, or its file or program is missing or damaged.
    ModelMissing,
    /// Nobody answers at the endpoint.
    ModelOffline,
    /// The key is missing or refused.
    ModelAuth,
    /// Too many requests.
    ModelRateLimited,
    /// The endpoint is overloaded or broke.
    ModelUnavailable,
    /// The request does not fit into the model.
    ModelContextTooLong,
    /// The endpoint does not take the request.
    ModelRefused,
    /// What came back makes no sense.
    ModelNonsense,
    /// A model could not be fetched; trying again goes on where it stopped.
    Pull,
    /// The system's keyring cannot be used.
    NoKeyring,
    /// Anything else: a defect, or something of the system.
    Internal,
}

/// What every command fails with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Failure {
    /// For the page.
    pub code: ErrorCode,
    /// For the person: what happened, why, what to do.
    pub message: String,
    /// What does not hold, each at its place.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(test, ts(optional, as = "Option<_>"))]
    pub faults: Vec<Fault>,
}

impl Failure {
    /// A failure without faults.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), faults: Vec::new() }
    }

    /// A plan, or the arguments of an answer, that does not hold.
    pub fn with_faults(code: ErrorCode, message: impl Into<String>, faults: Vec<Fault>) -> Self {
        Self { code, message: message.into(), faults }
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        let code = match &error {
            StoreError::Damaged { .. } => ErrorCode::DatabaseDamaged,
            StoreError::Newer { .. } => ErrorCode::DatabaseNewer,
            StoreError::Locked { .. } => ErrorCode::DatabaseLocked,
            StoreError::NotFound { .. } => ErrorCode::NotFound,
            StoreError::Ambiguous { .. } => ErrorCode::Ambiguous,
            StoreError::Folder { .. } => ErrorCode::FolderUnusable,
            StoreError::Write(inner) => journal_code(inner),
            StoreError::Other(_) => ErrorCode::Database,
        };
        Self::new(code, error.to_string())
    }
}

impl From<JournalError> for Failure {
    fn from(error: JournalError) -> Self {
        Self::new(journal_code(&error), error.to_string())
    }
}

fn journal_code(error: &JournalError) -> ErrorCode {
    match error {
        JournalError::Full => ErrorCode::DiskFull,
        JournalError::Locked => ErrorCode::DatabaseLocked,
        JournalError::Damaged(_) => ErrorCode::DatabaseDamaged,
        JournalError::Conflict(_) => ErrorCode::Conflict,
        JournalError::Unsure(_) | JournalError::Closed(_) | JournalError::Other(_) => ErrorCode::Database,
    }
}

impl From<EditRefused> for Failure {
    fn from(error: EditRefused) -> Self {
        Self::new(ErrorCode::EditRefused, error.to_string())
    }
}

impl From<ExecutorError> for Failure {
    fn from(error: ExecutorError) -> Self {
        let message = error.to_string();
        match error {
            ExecutorError::Busy(_) => Self::new(ErrorCode::Busy, message),
            ExecutorError::Stopped => Self::new(ErrorCode::Cancelled, message),
            ExecutorError::Conflict(_) | ExecutorError::BuiltOn { .. } => Self::new(ErrorCode::Conflict, message),
            ExecutorError::Plan(_) => Self::new(ErrorCode::PlanChanged, message),
            ExecutorError::PlanFaults(_) => Self::new(ErrorCode::PlanFaults, message),
            ExecutorError::Settled { .. } => Self::new(ErrorCode::Settled, message),
            ExecutorError::FileChanged => Self::new(ErrorCode::FileChanged, message),
            ExecutorError::Answer(Unfitting::Arguments(fault)) => {
                Self::with_faults(ErrorCode::AnswerUnfit, message, vec![*fault])
            }
            ExecutorError::Answer(_) => Self::new(ErrorCode::AnswerUnfit, message),
            ExecutorError::Store(inner) => inner.into(),
            ExecutorError::Journal(inner) => inner.into(),
            ExecutorError::Prompt(_) => Self::new(ErrorCode::Internal, message),
        }
    }
}

impl From<TurnError> for Failure {
    fn from(error: TurnError) -> Self {
        let message = error.to_string();
        match error {
            TurnError::EmptyMessage => Self::new(ErrorCode::EmptyMessage, message),
            TurnError::Workspace { .. } => Self::new(ErrorCode::FolderUnusable, message),
            TurnError::PlanFaults(faults) => Self::with_faults(ErrorCode::PlanFaults, message, faults),
            TurnError::PlanState(_) => Self::new(ErrorCode::PlanState, message),
            TurnError::NeedsModel { .. } => Self::new(ErrorCode::ModelMissing, message),
            TurnError::Edit(inner) => inner.into(),
            TurnError::NoTool(_) => Self::new(ErrorCode::NoTool, message),
            TurnError::Run(inner) => inner.into(),
            TurnError::Store(inner) => inner.into(),
            TurnError::Journal(inner) => inner.into(),
        }
    }
}

impl From<LibraryError> for Failure {
    fn from(error: LibraryError) -> Self {
        let code = match error {
            LibraryError::Store(inner) => return inner.into(),
            LibraryError::Taken(_) => ErrorCode::NameTaken,
            LibraryError::Name { .. } | LibraryError::Tag { .. } | LibraryError::TooLong { .. } => ErrorCode::Invalid,
        };
        Self::new(code, error.to_string())
    }
}

impl From<NotRebuilt> for Failure {
    fn from(error: NotRebuilt) -> Self {
        match error {
            NotRebuilt::Other(inner) => inner.into(),
            other => Self::new(ErrorCode::RequestNotRebuilt, other.to_string()),
        }
    }
}

impl From<SourcesError> for Failure {
    fn from(error: SourcesError) -> Self {
        let code = match error {
            SourcesError::Store(inner) => return inner.into(),
            SourcesError::Key(inner) => return inner.into(),
            SourcesError::Source(SourceError::Name(_)) | SourcesError::Taken(_) => ErrorCode::Invalid,
            SourcesError::Source(SourceError::Folder { .. }) => ErrorCode::FolderUnusable,
            SourcesError::Missing(_) | SourcesError::Host { .. } => ErrorCode::NotFound,
        };
        Self::new(code, error.to_string())
    }
}

impl From<AddError> for Failure {
    fn from(error: AddError) -> Self {
        let code = match &error {
            AddError::Unknown { .. } => ErrorCode::NotFound,
            AddError::IsThere(_) => ErrorCode::Conflict,
            AddError::Name(_) | AddError::Shipped(_) | AddError::Faulty { .. } => ErrorCode::Invalid,
            AddError::NoFolder | AddError::Folder { .. } | AddError::Write { .. } => ErrorCode::FolderUnusable,
        };
        Self::new(code, error.to_string())
    }
}

impl From<RemoveError> for Failure {
    fn from(error: RemoveError) -> Self {
        let code = match error {
            RemoveError::Unknown(_) | RemoveError::Absent(_) => ErrorCode::NotFound,
            RemoveError::Changed(_) | RemoveError::Own(_) => ErrorCode::Conflict,
            RemoveError::Delete { .. } => ErrorCode::FolderUnusable,
        };
        Self::new(code, error.to_string())
    }
}

impl From<ModelError> for Failure {
    fn from(error: ModelError) -> Self {
        let code = match &error {
            ModelError::Offline { .. } => ErrorCode::ModelOffline,
            ModelError::Auth { .. } => ErrorCode::ModelAuth,
            ModelError::RateLimited { .. } => ErrorCode::ModelRateLimited,
            ModelError::Unavailable { .. } => ErrorCode::ModelUnavailable,
            ModelError::ContextTooLong { .. } => ErrorCode::ModelContextTooLong,
            ModelError::NoSuchModel { .. } => ErrorCode::ModelMissing,
            ModelError::BadRequest { .. } => ErrorCode::ModelRefused,
            ModelError::Nonsense { .. } => ErrorCode::ModelNonsense,
            ModelError::Cancelled => ErrorCode::Cancelled,
        };
        Self::new(code, error.to_string())
    }
}

impl From<PullError> for Failure {
    fn from(error: PullError) -> Self {
        let code = match &error {
            PullError::Unknown { .. } | PullError::NotOnHub(_) => ErrorCode::ModelMissing,
            PullError::Busy(_) => ErrorCode::Busy,
            PullError::Cancelled => ErrorCode::Cancelled,
            PullError::Disk { .. } => ErrorCode::FolderUnusable,
            PullError::Offline { .. } | PullError::Refused { .. } | PullError::Wrong { .. } => ErrorCode::Pull,
        };
        Self::new(code, error.to_string())
    }
}

impl From<ProviderError> for Failure {
    fn from(error: ProviderError) -> Self {
        match error {
            ProviderError::Store(inner) => inner.into(),
            other @ ProviderError::Unusable { .. } => Self::new(ErrorCode::Invalid, other.to_string()),
            other @ ProviderError::Taken { .. } => Self::new(ErrorCode::NameTaken, other.to_string()),
            other @ ProviderError::KeyStays { .. } => Self::new(ErrorCode::NoKeyring, other.to_string()),
        }
    }
}

impl From<FileError> for Failure {
    fn from(error: FileError) -> Self {
        match error {
            FileError::Store(inner) => inner.into(),
            other @ FileError::Unusable { .. } => Self::new(ErrorCode::Invalid, other.to_string()),
        }
    }
}

impl From<NotAModelId> for Failure {
    fn from(error: NotAModelId) -> Self {
        Self::new(ErrorCode::Invalid, error.to_string())
    }
}

impl From<NoVault> for Failure {
    fn from(error: NoVault) -> Self {
        Self::new(ErrorCode::NoKeyring, error.to_string())
    }
}

impl From<OpenError> for Failure {
    fn from(error: OpenError) -> Self {
        match error {
            OpenError::Store(inner) => inner.into(),
            OpenError::Planning(PlanningError::Model(inner)) => inner.into(),
            other => Self::new(ErrorCode::Internal, other.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use assent_core::contract::Stage;
    use serde_json::json;

    use super::*;

    fn wire(failure: impl Into<Failure>) -> serde_json::Value {
        serde_json::to_value(failure.into()).unwrap()
    }

    #[test]
    fn a_failure_carries_its_code_its_sentence_and_its_faults() {
        let fault = Fault::new(Stage::Plan, "there is no tool grepp").at(["steps"]);
        let failed = wire(TurnError::PlanFaults(vec![fault.clone()]));
        assert_eq!(failed["code"], "plan_faults");
        assert_eq!(failed["faults"], json!([fault]));
        assert!(failed["message"].as_str().unwrap().contains("grepp"));
    }

    #[test]
    fn the_inner_meaning_of_an_error_decides_its_code() {
        let newer = StoreError::Newer { path: "x".into(), found: 9, known: 3 };
        let full = StoreError::Write(JournalError::Full);
        let unfit = ExecutorError::Answer(Unfitting::Type("a number"));
        let auth = ModelError::Auth { endpoint: "http://x".into(), reason: "401".into() };
        let codes = [
            wire(TurnError::Run(ExecutorError::Store(newer.clone()))),
            wire(OpenError::Store(newer)),
            wire(TurnError::Store(full)),
            wire(TurnError::Run(unfit)),
            wire(NotRebuilt::NoReply(7)),
            wire(auth),
            wire(PullError::Busy("starter".into())),
            wire(ProviderError::Unusable { id: "a/b".into(), reason: "no".into() }),
            wire(EditRefused::OnlyStep),
        ];
        let codes: Vec<&str> = codes.iter().map(|failure| failure["code"].as_str().unwrap()).collect();
        assert_eq!(
            codes,
            [
                "database_newer",
                "database_newer",
                "disk_full",
                "answer_unfit",
                "request_not_rebuilt",
                "model_auth",
                "busy",
                "invalid",
                "edit_refused"
            ]
        );
    }
}
