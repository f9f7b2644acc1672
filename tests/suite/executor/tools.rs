//! Tools that leave traces, each of which behaves in a way of its own.

use std::sync::mpsc::Receiver;
use std::sync::{Arc, Mutex};

use assent_core::contract::{Mode, Risk, Source, SuccessRule, ToolSpec};
use assent_core::run::{Input, InputKind, RequestKind};
use assent_engine::tool::{Ask, CallContext, Effects, Outcome, Tool, ToolStop};
use async_trait::async_trait;
use serde_json::{Value, json};

/// What the tools did: one line a call.
#[derive(Default, Clone)]
pub struct Traces(Arc<Mutex<Vec<String>>>);

impl Traces {
    pub fn all(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }

    fn leave(&self, line: String) {
        self.0.lock().unwrap().push(line);
    }
}

/// How a test tool behaves.
#[derive(Clone, Copy, PartialEq)]
pub enum Way {
    Works,
    /// Gives another answer each time.
    Looks,
    Hushes,
    /// Has a consequence that a person has to know.
    Warns,
    Fails,
    /// Works, and tells that what it carried out did not: a command that ended with 2.
    Exits,
    Panics,
    Hangs,
    /// Hangs, and does not listen when it is told to stop.
    Deaf,
    Floods,
    Asks(RequestKind),
    /// Asks for a decision by yes or no.
    Agrees,
    /// Is broken off after it has left its trace.
    Breaks,
}

pub struct TestTool {
    spec: ToolSpec,
    way: Way,
    traces: Traces,
}

impl TestTool {
    pub fn boxed(name: &str, risk: Risk, way: Way, traces: &Traces) -> Arc<dyn Tool> {
        let mode = if matches!(way, Way::Asks(_) | Way::Agrees) { Mode::Blocking } else { Mode::Functional };
        let success = if way == Way::Exits { SuccessRule::ExitZero } else { SuccessRule::Status };
        let spec = ToolSpec { success, ..Self::spec(name, risk, mode) };
        Arc::new(Self { spec, way, traces: traces.clone() })
    }

    fn spec(name: &str, risk: Risk, mode: Mode) -> ToolSpec {
        ToolSpec {
            mode,
            ..ToolSpec::new(
                name,
                format!("Does {name}."),
                json!({"type": "object", "properties": {"text": {"type": "string"}}}),
                if mode == Mode::Blocking { Source::Human } else { Source::Core },
                risk,
            )
        }
    }
}

#[async_trait]
impl Tool for TestTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn effects(&self, _arguments: &Value) -> Effects {
        Effects::none(self.spec.risk)
    }

    fn looks_anew(&self) -> bool {
        self.way == Way::Looks
    }

    fn consequence(&self, arguments: &Value) -> Option<String> {
        (self.way == Way::Warns).then(|| format!("{} cannot be called back", arguments["text"]))
    }

    async fn call(&self, arguments: Value, context: &CallContext) -> Result<Outcome, ToolStop> {
        let text = arguments["text"].as_str().unwrap_or_default().to_owned();
        self.traces.leave(format!("{} {text}", self.spec.name));
        match self.way {
            Way::Looks => Ok(Outcome::Success(json!(format!("look {}", self.traces.all().len())))),
            Way::Works | Way::Warns => Ok(Outcome::Success(json!(format!("{} of {text}", self.spec.name)))),
            Way::Hushes => Ok(Outcome::Success(json!(""))),
            Way::Fails => Ok(Outcome::Error { message: format!("{text}: it did not work"), output: Value::Null }),
            Way::Exits => Ok(Outcome::Success(json!({"exit_code": 2}))),
            Way::Panics => panic!("broken"),
            Way::Floods => Ok(Outcome::Success(Value::String("x".repeat(1 << 30)))),
            Way::Hangs => {
                context.cancel.cancelled().await;
                Err(ToolStop::Cancelled)
            }
            Way::Deaf => std::future::pending().await,
            Way::Breaks => Err(ToolStop::Unknown { event: "was cut off".to_owned() }),
            Way::Agrees => Ok(Outcome::Suspended(Ask {
                kind: RequestKind::Confirm,
                prompt: format!("Is it well? {text}"),
                reason: None,
                input: Input { kind: InputKind::Boolean, options: Vec::new(), allow_edit: false, allow_text: false },
                position: None,
                output: Value::Null,
            })),
            Way::Asks(kind) => Ok(Outcome::Suspended(Ask {
                kind,
                prompt: format!("Please confirm: {text}"),
                reason: None,
                input: Input {
                    kind: if kind == RequestKind::Confirm { InputKind::Decision } else { InputKind::Text },
                    options: Vec::new(),
                    allow_edit: false,
                    allow_text: true,
                },
                position: None,
                output: json!({"message": format!("Please confirm: {text}")}),
            })),
        }
    }
}

/// A tool that only looks, and blocks its thread until the other end of its channel is dropped.
pub struct Stuck {
    spec: ToolSpec,
    /// It says that every call is over in a moment.
    brief: bool,
    held: Mutex<Receiver<()>>,
    traces: Traces,
}

impl Stuck {
    pub fn boxed(name: &str, brief: bool, held: Receiver<()>, traces: &Traces) -> Arc<dyn Tool> {
        let spec = TestTool::spec(name, Risk::Read, Mode::Functional);
        Arc::new(Self { spec, brief, held: Mutex::new(held), traces: traces.clone() })
    }
}

#[async_trait]
impl Tool for Stuck {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn is_brief(&self) -> bool {
        self.brief
    }

    fn effects(&self, _arguments: &Value) -> Effects {
        Effects::none(self.spec.risk)
    }

    async fn call(&self, arguments: Value, _: &CallContext) -> Result<Outcome, ToolStop> {
        self.traces.leave(format!("{} {}", self.spec.name, arguments["text"].as_str().unwrap_or_default()));
        let _ = self.held.lock().unwrap().recv();
        Ok(Outcome::Success(json!("it came loose")))
    }
}

/// A tool that reads what its arguments name: a report by its id, a page by its address, a file by its path. It puts that
/// where they say.
pub struct Opener {
    spec: ToolSpec,
    traces: Traces,
}

impl Opener {
    pub fn boxed(name: &str, risk: Risk, traces: &Traces) -> Arc<dyn Tool> {
        let text = json!({"type": "string"});
        let parameters = json!({"type": "object", "properties":
            {"reportId": text, "address": text, "path": text, "text": text, "to": text}});
        let spec = ToolSpec { parameters, ..TestTool::spec(name, risk, Mode::Functional) };
        Arc::new(Self { spec, traces: traces.clone() })
    }
}

#[async_trait]
impl Tool for Opener {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn effects(&self, arguments: &Value) -> Effects {
        let paths = |name: &str| arguments[name].as_str().map(str::to_owned).into_iter().collect();
        Effects { reads: paths("path"), writes: paths("to"), ..Effects::none(self.spec.risk) }
    }

    async fn call(&self, arguments: Value, _: &CallContext) -> Result<Outcome, ToolStop> {
        self.traces.leave(format!("{} {arguments}", self.spec.name));
        Ok(Outcome::Success(json!("It names report 4711, https://example.org/next and later.txt.")))
    }
}
