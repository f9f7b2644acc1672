//! Prompt texts: templates with one typed context each, shipped with the program and overridable by a file.
//!
//! Every text that a model reads comes from a template in `prompts/`. A name that the context does not have is an
//! error, nothing is escaped for HTML, JSON keeps the order of its keys. Never here: what an endpoint makes of a text.

mod agent;
mod below;
mod context;
mod markdown;
mod remarks;
mod rows;
mod sandbox;
mod short;
mod studio;
mod templates;

pub use agent::{AgentSystem, AgentTemplate, DefaultUserPrompt, TemplateFault, build_user_prompt};
pub use below::{StepMissed, StepNoted, StepNudge};
pub use context::{
    AskUserGuidance, Enforce, FaultLine, Grounding, NamedValue, PlanSchema, PlanSoFar, PlannerCompact, PlannerRoute,
    PlannerSteps, PlannerUser, Repair, ReplanStep, RequestHelpGuidance, StepAgain, StepCompact, StepCompactNext,
    StepCompactUser, StepGiven, StepHanded, StepReasoning, StepRole, StepSoFar, StepSystem, StepTool, UserMessage,
};
pub(crate) use remarks::within;
pub use remarks::{Remark, Remarks};
pub use rows::{
    CredentialLine, ExampleLine, Group, OptionLine, SpecialistLine, StepResult, TakenValue, ToolLine, ToolSignature,
    Turn, ValueLine,
};
pub use short::{
    AdaptValues, AdaptValuesUser, Choose, ChooseUser, Delegate, NextSteps, NextStepsUser, Relation, RelationUser,
    Synthesis,
};
pub use studio::{Further, MadeHere, StepStudio};
pub(crate) use studio::{count_in, label};
pub use templates::{PromptError, Rendered, Template, Templates};

#[cfg(test)]
mod tests;
