//! Credentials of the vault in plans: whoever plans is told which there are, steps are told how they are named, and nobody
//! asks for what is there.

use assent_core::contract::{Fault, Stage};
use assent_core::order::sort_by_key;
use assent_core::plan::{Plan, PlanEdit, Step, apply};
use serde_json::Value;

use super::creators::is_earlier;
use super::{After, PlanningRequest};
use crate::prompt::CredentialLine;
use crate::tool::human::ASK_USER;
use crate::vault::{Asked, Credential, Credentials, reference};

/// So many are told to a planner: those that the message is about first.
const MOST: usize = 20;
/// Who talks with the person.
const GENERAL: &str = "general";
/// What it is told then.
const DO_NOT_ASK: &str = "Do not ask for credentials in chat: those of the vault are filled in when a call is made.";

/// What a planner is told of the vault.
pub(super) fn lines(request: &PlanningRequest<'_>) -> Vec<CredentialLine> {
    let Some(vault) = request.vault else { return Vec::new() };
    let mut all = vault.list().unwrap_or_default();
    let served = vault.serving([request.header.user_message.as_str()]);
    sort_by_key(&mut all, |one| !served.contains(one));
    all.truncate(MOST);
    all.iter().map(|one| CredentialLine { reference: reference(&one.name), goes_to: goes_to(one) }).collect()
}

fn goes_to(credential: &Credential) -> String {
    let all: Vec<&str> = credential.hosts.iter().chain(&credential.tools).map(String::as_str).collect();
    all.join(", ")
}

/// What a plan, or one of its steps, is about.
fn task<'p>(plan: &'p Plan, context: &'p str, step: Option<&'p Step>) -> Vec<&'p str> {
    let steps = plan.steps.iter().filter(|one| step.is_none_or(|step| step.id == one.id));
    let words = steps.flat_map(|step| {
        let texts = [Some(step.description.as_str()), step.instructions.as_deref()];
        texts.into_iter().flatten().chain(step.required_tools.iter().map(String::as_str))
    });
    [plan.user_message.as_str(), context].into_iter().chain(words).collect()
}

fn context(plan: &Plan) -> String {
    Value::Object(plan.extracted_context.clone()).to_string()
}

/// Why a question of a step is not put to a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AlreadyThere {
    /// It asks for what the vault has.
    Certain(Fault),
    /// It may ask for that: whoever asks is told what is there, and then knows better than code does.
    Perhaps(Fault),
}

/// Whether the vault has what a question of a step asks for.
pub fn already_there(vault: &Credentials, plan: &Plan, step: &Step, question: &str) -> Option<AlreadyThere> {
    let named = |there: &[Credential]| {
        let names: Vec<String> =
            there.iter().map(|one| format!("{} for {}", reference(&one.name), goes_to(one))).collect();
        names.join("; ")
    };
    match vault.asks(question, task(plan, &context(plan), Some(step))) {
        Asked::Credentials(there) => {
            let message = format!("the vault has this credential already: {}", named(&there));
            let hint = "Ask for nothing that is there: write the reference where the secret goes.";
            Some(AlreadyThere::Certain(Fault::new(Stage::Plan, message).hint(hint)))
        }
        Asked::Perhaps(there) => {
            let message = format!("the vault has {}, for which a person is not asked", named(&there));
            let hint = "If the question is for that, leave it out and write the reference where the secret goes. If it asks for \
                        something else, ask it once more.";
            Some(AlreadyThere::Perhaps(Fault::new(Stage::Plan, message).hint(hint)))
        }
        Asked::Other => None,
    }
}

/// Tells the steps of a plan which credentials serve it, and takes out those that only ask for one and are not done yet.
/// What was taken out, or is to be thought over because it may ask for one.
pub(super) fn settle(plan: &mut Plan, vault: Option<&Credentials>, after: &After<'_>) -> Option<Fault> {
    let vault = vault?;
    let served = vault.serving(task(plan, &context(plan), None));
    for one in &served {
        let key = format!("credential for {}", goes_to(one));
        plan.extracted_context.entry(key).or_insert_with(|| Value::String(reference(&one.name)));
    }
    if served.is_empty() {
        return None;
    }
    if plan.steps.iter().any(|step| step.executor.id == GENERAL) {
        let told = plan.instructions.entry(GENERAL.to_owned()).or_default();
        if !told.contains(DO_NOT_ASK) {
            *told = format!("{told} {DO_NOT_ASK}").trim().to_owned();
        }
    }
    let asks = |step: &&Step| step.required_tools == [ASK_USER] && !is_earlier(after, &step.id);
    let asking: Vec<Step> = plan.steps.iter().filter(asks).cloned().collect();
    let mut fault = None;
    for step in asking {
        let (there, is_certain) = match already_there(vault, plan, &step, &step.description) {
            Some(AlreadyThere::Certain(there)) => (there, true),
            Some(AlreadyThere::Perhaps(there)) => (there, false),
            None => continue,
        };
        fault.get_or_insert(there);
        if is_certain && plan.steps.len() > 1 {
            // A step that cannot be taken out stays, and its question is refused.
            let _ = apply(plan, PlanEdit::RemoveStep { step: step.id }, &[]);
        }
    }
    fault.map(|fault| fault.at(["steps"]))
}
