//! Agents of packs: what each is told, what goes into it and what comes out. `agent.toml` of a pack is the agent of the
//! pack's name; `agents/NAME.toml` are several. Their other files lie in the same pack and are named there.
//!
//! Each agent is the tool `run_NAME`, which a step or another agent calls: see `executor/agent.rs`.

use std::path::{Component, Path};

use assent_core::contract::{
    Fault, Risk, Schema, Source, Stage, ToolSpec, agent_parameters, fits_an_agent, is_unseen, properties_of,
};
use assent_core::heap::told_of;
use assent_core::ids::Digest;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value, json};

use super::limits::AgentLimits;
use super::packs::{self, NAME_CHARS, is_name, place_of};
use super::phases::{self, Phase, ResultParts};
use crate::model::ReplySchema;
use crate::model::registry::ModelChoice;
use crate::prompt::AgentTemplate;

/// What the name of an agent's tool begins with.
const PREFIX: &str = "run_";

/// Characters of what an agent is told about itself.
const MOST_PROMPT: usize = 32 << 10;

/// What the file of an agent says. Paths are relative to its pack.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AgentFile {
    /// Its name, for who reads the file: the one that its folder or the file itself gives it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// What it is for and how it works, in one line.
    pub(crate) description: String,
    /// What it may call.
    pub(crate) tools: Vec<String>,
    /// Those of them without whose success it has not done its task.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) must_call: Vec<String>,
    /// The file with what it is told about itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    prompt: Option<String>,
    /// The file with the template of its user message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    user_prompt: Option<String>,
    /// Values without which the default user message is used.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    user_prompt_needs: Vec<String>,
    /// The file with the JSON Schema of what goes in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    input: Option<String>,
    /// The file with the JSON Schema of what comes out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    output: Option<String>,
    /// Which model its steps ask: a role, or a model by its name.
    #[serde(default, deserialize_with = "choice", skip_serializing_if = "Option::is_none")]
    model: Option<String>,
    /// Where its steps end.
    #[serde(default, skip_serializing_if = "AgentLimits::is_none")]
    limits: AgentLimits,
    /// The calls that it begins with, in their order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) phases: Vec<Phase>,
    /// What its result is made of where its last words lack it.
    #[serde(default, skip_serializing_if = "ResultParts::is_empty")]
    result: ResultParts,
}

/// The template of an agent's user message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UserPrompt {
    /// The file, from the pack on.
    pub file: String,
    /// Its text.
    pub source: String,
    /// Values without which the default user message is used.
    pub needs: Vec<String>,
}

/// An agent with all that was read of it.
#[derive(Debug, Clone)]
pub struct Agent {
    /// Unique.
    pub name: String,
    /// The pack that it stands in.
    pub pack: String,
    /// What it is for.
    pub description: String,
    /// What it may call.
    pub tools: Vec<String>,
    /// Those of them without whose success it has not done its task.
    pub must_call: Vec<String>,
    /// What it is told about itself.
    pub prompt: Option<String>,
    /// The template of its user message.
    pub user_prompt: Option<UserPrompt>,
    /// What goes in.
    pub input: Option<Schema>,
    /// What comes out, with a mark at what is added to its last words.
    pub output: Option<Schema>,
    /// What of that its model is to write.
    pub(crate) said: Option<ReplySchema>,
    /// Which model its steps ask, where that is not the one of all steps.
    pub model: Option<ModelChoice>,
    /// Where its steps end.
    pub limits: AgentLimits,
    /// The calls that it begins with, in their order; no model is asked for them.
    pub phases: Vec<Phase>,
    /// What its result is made of where its last words lack it.
    pub result: ResultParts,
    /// Its file, from the pack on.
    pub file: String,
}

impl PartialEq for Agent {
    fn eq(&self, other: &Self) -> bool {
        (&self.name, &self.pack, &self.description) == (&other.name, &other.pack, &other.description)
            && self.digest() == other.digest()
    }
}

impl Agent {
    /// The agent of a file.
    ///
    /// # Errors
    /// All that is wrong, each in its file.
    pub(super) fn read(pack: &str, folder: &Path, name: &str, file: &str, text: &str) -> Result<Self, Vec<Fault>> {
        let mut files = Files { pack, folder, name, faults: Vec::new() };
        if !is_name(name) {
            let reason = "that is no name of an agent: small letters, digits, - and _, a letter first";
            return Err(vec![files.fault(file, reason.to_owned())]);
        }
        let own = AgentFile::parse(text).map_err(|reason| vec![files.fault(file, reason)])?;
        let AgentFile { description, tools, must_call, phases, result, limits, .. } = own;
        files.faults.extend(own.name.and_then(|said| files.misnamed(file, &said)));
        if let Some(missing) = must_call.iter().find(|tool| !tools.contains(tool)) {
            files.faults.push(files.fault(file, format!("it must call {missing:?}, which is none of its tools")));
        }
        let prompt = own.prompt.as_ref().and_then(|path| {
            let text = files.text(path)?;
            told(text).unwrap_or_else(|reason| files.wrong(path, reason))
        });
        let input = own.input.as_ref().and_then(|path| {
            let schema = files.schema(path, |source| source)?;
            let fits = fits_an_agent(schema.source());
            fits.map_or_else(|reason| files.wrong(path, reason), |()| Some(schema))
        });
        let user_prompt = own.user_prompt.as_ref().and_then(|path| {
            let prompt = UserPrompt { file: path.clone(), source: files.text(path)?, needs: own.user_prompt_needs };
            // What it may name is not known where the contract cannot be read.
            let is_known = own.input.is_some() == input.is_some();
            let checked = prompt.template(input.as_ref().map(Schema::source)).check();
            match checked.err().filter(|_| is_known) {
                Some(fault) => files.wrong(path, fault.to_string()),
                None => Some(prompt),
            }
        });
        let marked = |source| phases::marked(source, &result);
        let output = own.output.as_ref().and_then(|path| files.schema(path, marked));
        if own.output.is_some() == output.is_some() {
            let fields = output.as_ref().map(|output| properties_of(output.source()));
            let fields: Option<Vec<&str>> = fields.map(|all| all.into_iter().map(|(name, _)| name.as_str()).collect());
            if let Err(reason) = phases::check(&phases, &result, &tools, fields.as_deref()) {
                files.faults.push(files.fault(file, reason));
            }
        }
        if !files.faults.is_empty() {
            return Err(files.faults);
        }
        let said = output.as_ref().map(|output| ReplySchema::from(phases::left_to_say(output.source())));
        Ok(Self {
            name: name.to_owned(),
            pack: pack.to_owned(),
            description,
            tools,
            must_call,
            prompt,
            user_prompt,
            input,
            output,
            said,
            model: own.model.and_then(|model| model.parse().ok()),
            limits,
            phases,
            result,
            file: file.to_owned(),
        })
    }

    /// Whether it is no more than a specialist: tools, with a model and limits. Whatever else its file says is kept by
    /// nobody but the step that its tool begins.
    pub fn is_specialist(&self) -> bool {
        let says = self.prompt.is_some() || self.user_prompt.is_some() || !self.must_call.is_empty();
        let gives = self.input.is_some() || self.output.is_some() || !self.result.is_empty();
        !(self.tools.is_empty() || says || gives) && self.phases.is_empty()
    }

    /// Its tool.
    pub fn tool_name(&self) -> String {
        Self::tool_of(&self.name)
    }

    /// The tool of the agent of a name.
    pub fn tool_of(name: &str) -> String {
        format!("{PREFIX}{name}")
    }

    /// Whoever calls its tool by this name calls it.
    pub fn named_by(tool: &str) -> Option<&str> {
        tool.strip_prefix(PREFIX)
    }

    /// Its description as a tool of this risk, by which all is done that has this digest.
    pub(super) fn spec(&self, risk: Risk, does: Digest) -> ToolSpec {
        let contract = self.input.as_ref();
        let required = contract.map(Schema::required).unwrap_or_default();
        let needs = match required.is_empty() {
            true => String::new(),
            false => format!("\n\nREQUIRED INPUT: {}", required.join(", ")),
        };
        ToolSpec {
            template: Some(does),
            ..ToolSpec::new(
                self.tool_name(),
                format!("{}{needs}", told_of(&self.description)),
                agent_parameters(contract.map(Schema::source)),
                Source::Agent,
                risk,
            )
        }
    }

    /// Of all that it does itself: another one after anything of it was changed.
    pub(crate) fn digest(&self) -> Digest {
        let source = |schema: &Option<Schema>| schema.as_ref().map(|schema| schema.source().clone());
        let mut all = json!({
            "tools": self.tools,
            "prompt": self.prompt,
            "userPrompt": self.user_prompt,
            "input": source(&self.input),
            "output": source(&self.output),
        });
        // Not of one that has none: what a person allowed it stays allowed.
        if !self.must_call.is_empty() {
            all["mustCall"] = json!(self.must_call);
        }
        if let Some(model) = &self.model {
            all["model"] = json!(model.to_string());
        }
        if !self.limits.is_none() {
            all["limits"] = json!(self.limits);
        }
        if !self.phases.is_empty() {
            all["phases"] = json!(self.phases);
        }
        if !self.result.is_empty() {
            all["result"] = json!(self.result);
        }
        Digest::of_json(&all)
    }

    /// The template of its user message, where it has one and the context has what that needs.
    pub fn template_for(&self, context: &Map<String, Value>) -> Option<&UserPrompt> {
        self.user_prompt.as_ref().filter(|prompt| prompt.needs.iter().all(|name| context.contains_key(name)))
    }
}

/// The files of an agent as they are read, and what is wrong with them.
struct Files<'a> {
    pack: &'a str,
    folder: &'a Path,
    name: &'a str,
    faults: Vec<Fault>,
}

impl Files<'_> {
    fn fault(&self, file: &str, reason: String) -> Fault {
        let message = format!("the agent {:?} was left out: {reason}", self.name);
        Fault::new(Stage::Route, message).at(place_of(self.pack, file))
    }

    /// The fault of a file that says another name than its own.
    fn misnamed(&self, file: &str, said: &str) -> Option<Fault> {
        let other: String = said.chars().take(NAME_CHARS).collect();
        let name = self.name;
        let reason = || format!("its name is that of its folder or its file, {name:?}, and here it says {other:?}");
        (said != name).then(|| self.fault(file, reason()))
    }

    /// Keeps what is wrong with a file; there is nothing of it then.
    fn wrong<T>(&mut self, file: &str, reason: String) -> Option<T> {
        let fault = self.fault(file, reason);
        self.faults.push(fault);
        None
    }

    fn text(&mut self, path: &str) -> Option<String> {
        part(self.folder, path).map_or_else(|reason| self.wrong(path, reason), Some)
    }

    fn schema(&mut self, path: &str, as_read: impl Fn(Value) -> Value) -> Option<Schema> {
        let source: Value = match serde_json::from_str(&self.text(path)?) {
            Ok(source) => source,
            Err(error) => return self.wrong(path, format!("it is no JSON: {error}")),
        };
        let compiled = Schema::compile_foreign(as_read(source));
        compiled.map_or_else(|error| self.wrong(path, format!("{}: {error}", place(&error.place))), Some)
    }
}

impl UserPrompt {
    /// The template, over the values of a contract.
    pub fn template<'a>(&'a self, contract: Option<&'a Value>) -> AgentTemplate<'a> {
        AgentTemplate { file: &self.file, source: &self.source, contract }
    }
}

impl AgentFile {
    /// What a file says.
    ///
    /// # Errors
    /// It is no such file, or has keys that nobody knows.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let file: Self = toml::from_str(text).map_err(|error| with_line(text, &error))?;
        // One line: it stands in lists and in system messages.
        Ok(Self { description: one_line(&file.description), ..file })
    }
}

/// What an agent is told about itself, if its file says anything.
fn told(text: String) -> Result<Option<String>, String> {
    if text.len() > MOST_PROMPT {
        return Err(format!("it has {} bytes, at most {MOST_PROMPT}", text.len()));
    }
    Ok(Some(text.trim().to_owned()).filter(|text| !text.is_empty()))
}

/// What is wrong with a file, and in which of its lines.
fn with_line(text: &str, error: &toml::de::Error) -> String {
    let message = error.message();
    // What is missing is in no line.
    let Some(at) = error.span().filter(|at| text.get(at.clone()).is_some_and(|part| !part.contains('\n'))) else {
        return message.to_owned();
    };
    let before = text.get(..at.start).unwrap_or_default();
    let (number, begin) = (before.matches('\n').count() + 1, before.rfind('\n').map_or(0, |end| end + 1));
    let line = text.get(begin..).and_then(|rest| rest.lines().next()).unwrap_or_default().trim();
    match line.split_once('=').map(|(key, _)| key.trim()) {
        Some(key) if !key.is_empty() && key.len() <= NAME_CHARS => format!("line {number}, {key}: {message}"),
        _ => format!("line {number}: {message}"),
    }
}

fn choice<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    let text = String::deserialize(from)?;
    text.parse::<ModelChoice>().map_err(D::Error::custom).map(|choice| Some(choice.to_string()))
}

/// The text of a file of a pack, which a path leads to without leaving the pack.
fn part(folder: &Path, path: &str) -> Result<String, String> {
    let inside = Path::new(path).components().all(|part| matches!(part, Component::Normal(_)));
    if !inside || path.is_empty() {
        return Err("the path leads out of the pack".to_owned());
    }
    // They are left behind where a pack is copied.
    if Path::new(path).components().any(|part| part.as_os_str().to_string_lossy().starts_with('.')) {
        return Err("hidden files are no part of a pack".to_owned());
    }
    let real = |path: &Path| path.canonicalize().map_err(|error| error.to_string());
    let file = real(&folder.join(path))?;
    if !file.starts_with(real(folder)?) {
        return Err("the path leads out of the pack".to_owned());
    }
    packs::text(&file)
}

fn place(place: &str) -> &str {
    if place.is_empty() { "the schema" } else { place }
}

/// A description in one line, without what is not seen but what joins letters.
pub(crate) fn one_line(text: &str) -> String {
    let joins = |letter| matches!(letter, '\u{200c}' | '\u{200d}');
    let words = text.split(|letter: char| letter.is_whitespace() || is_unseen(letter) && !joins(letter));
    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}
