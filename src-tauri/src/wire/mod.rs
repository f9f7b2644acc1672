//! What travels between page and shell: views of the engine's types, and errors by code. Nothing here decides anything.

#[cfg(test)]
mod bindings;
mod change;
mod error;
mod first;
mod found;
mod memory;
mod model;
mod packs;
mod plan;
mod run;
mod sent;
mod settings;
mod signal;
mod tools;
mod vault;

pub use change::{FileChange, FileLook};
pub use error::{ErrorCode, Failure};
pub use first::FirstView;
pub use found::{ToolFilter, ToolSearch};
pub use memory::{MemoryAsked, MemoryFound};
pub use model::{ChosenModels, KeyView, ModelList, ModelOption, ModelRoleName, ProviderView, ServerState, TestResult};
pub use packs::{FoundPackView, PackView};
pub use plan::{ExportFormat, PlanEdited, PlanView, SpecialistOption};
pub use run::{CallContents, RunPlan, RunView};
pub use sent::SentRequest;
pub use settings::{About, Appearance, Closing, SettingsChange, SettingsView, TextFile, Workspace};
pub use signal::{Packet, PlanningSign, Signal, TextKind};
pub use tools::{ContractEntry, ContractPage, SourceKey, SourceView, ToolsView};
pub use vault::{CredentialView, KeptCredential};
