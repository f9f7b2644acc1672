//! `assent contract …`: a check needs no engine and no database.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context as _;
use assent_core::contract::{AgentCall, Schema, Stage, TASK, UnusableSchema, agent_parameters};
use assent_engine::Engine;
use assent_engine::heap::{Agent, Heap};
use assent_engine::store::Home;
use assent_engine::tool::Catalogue;
use assent_engine::tool::arguments::{fit, fit_call, joined};
use serde_json::{Map, Value, json};

use crate::args::CheckArgs;
use crate::exit::{Exit, Usage};
use crate::input;
use crate::show::contract as show;
use crate::terminal::Terminal;

/// Carries out `assent contract show`.
pub fn show(engine: &Engine, terminal: &Terminal, name: Option<&str>) -> anyhow::Result<Exit> {
    // Agents are tools of their own, which are at hand once somebody asks for tools.
    engine.tools().sources()?;
    let Some(name) = name else {
        for line in engine.contracts().list() {
            if terminal.json {
                terminal.value(&line)?;
            } else {
                terminal.line(&show::line(terminal, &line));
            }
        }
        return Ok(Exit::Done);
    };
    let unknown = || Usage(format!("there is no agent and no tool {name:?}; `assent contract show` lists them"));
    let view = engine.contracts().show(name).ok_or_else(unknown)?;
    if terminal.json {
        terminal.value(&view)?;
    } else {
        show::whole(terminal, &view);
    }
    Ok(Exit::Done)
}

/// Carries out `assent contract check`.
pub fn run(terminal: &Terminal, args: CheckArgs) -> anyhow::Result<Exit> {
    let file = args.instance.as_ref().or(args.file.as_ref()).context("no file to check")?;
    let instance = json_file(file)?;
    match schema_of(&args)? {
        Ok(Contract { schema, stage }) => check(terminal, &schema, stage, &instance),
        Err(unusable) => {
            let place = if unusable.place.is_empty() { String::new() } else { format!("{}: ", unusable.place) };
            terminal.problem("assent:", &format!("{place}{unusable}"));
            // The number that scripts know for this.
            Ok(Exit::Waiting)
        }
    }
}

struct Contract {
    schema: Schema,
    stage: Stage,
}

/// What a call of an agent with these arguments is told. What it is to do need not be said here: a file of values alone is
/// checked as if somebody had.
fn refused_by(contract: &Schema, given: &Value) -> anyhow::Result<Option<Value>> {
    let mut given = given.clone();
    if let Some(fields) = given.as_object_mut() {
        fields.entry(TASK).or_insert_with(|| TASK.into());
    }
    let arguments = match given {
        Value::Object(fields) => fields,
        other => match fit(&Schema::compile(agent_parameters(Some(contract.source())))?, other) {
            Ok(Value::Object(fields)) => fields,
            Ok(_) => Map::new(),
            Err(faults) => return Ok(Some(json!(joined(faults)))),
        },
    };
    let call = AgentCall::of(&AgentCall::as_meant(arguments));
    Ok(fit_call(Some(contract), call).err().map(|refused| json!(refused)))
}

fn check(terminal: &Terminal, schema: &Schema, stage: Stage, instance: &Value) -> anyhow::Result<Exit> {
    let refused = match stage {
        Stage::InputContract => refused_by(schema, instance)?,
        _ => {
            let mut faults = schema.check(instance, stage).into_iter();
            faults.next().map(|first| {
                let mut told = json!(first);
                let others: Vec<Value> = faults.map(|fault| json!(fault)).collect();
                if !others.is_empty() {
                    told["others"] = Value::Array(others);
                }
                told
            })
        }
    };
    match refused {
        Some(refused) => {
            terminal.value(&refused)?;
            Ok(Exit::Failed)
        }
        None => {
            if !terminal.json {
                terminal.note("it holds");
            }
            Ok(Exit::Done)
        }
    }
}

fn schema_of(args: &CheckArgs) -> anyhow::Result<Result<Contract, UnusableSchema>> {
    let named = args.against.as_deref();
    let file = args.schema.clone().or_else(|| named.map(PathBuf::from).filter(|file| file.is_file()));
    if let Some(file) = file {
        let no_json = |error: serde_json::Error| UnusableSchema { message: error.to_string(), place: String::new() };
        let schema = serde_json::from_str(&text(&file)?).map_err(no_json).and_then(Schema::compile);
        return Ok(schema.map(|schema| Contract { schema, stage: Stage::OutputContract }));
    }
    let name = named.context("nothing to check it against")?;
    let agent = agent(name)?;
    let (schema, stage, which) = match args.output {
        true => (&agent.output, Stage::OutputContract, "output"),
        false => (&agent.input, Stage::InputContract, "input"),
    };
    match schema.clone() {
        Some(schema) => Ok(Ok(Contract { schema, stage })),
        None => {
            Err(Usage(format!("the agent {name:?} has no contract for its {which}: there is nothing to check")).into())
        }
    }
}

/// The agent of a pack in the data folder.
fn agent(name: &str) -> anyhow::Result<Arc<Agent>> {
    let specialists = Heap::new(Arc::new(Catalogue::default()), Some(Home::from_environment()?.packs())).now();
    if let Some(agent) = specialists.agents.get(name) {
        return Ok(agent.clone());
    }
    let faults =
        specialists.faults.iter().map(ToString::to_string).filter(|fault| fault.contains(&format!("{name:?}")));
    let why: Vec<String> = faults.collect();
    let known: Vec<&str> = specialists.agents.keys().map(String::as_str).collect();
    let known = if known.is_empty() { "there are none".to_owned() } else { format!("there are {}", known.join(", ")) };
    let reason = if why.is_empty() { known } else { why.join("; ") };
    Err(Usage(format!("{name:?} is no file with a schema and no agent of a pack: {reason}")).into())
}

fn json_file(path: &Path) -> anyhow::Result<Value> {
    serde_json::from_str(&text(path)?).map_err(|error| Usage(format!("{} is no JSON: {error}", path.display())).into())
}

fn text(path: &Path) -> anyhow::Result<String> {
    input::text(path).map_err(|why| Usage(why).into())
}
