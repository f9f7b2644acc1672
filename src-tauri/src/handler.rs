//! How the page's questions reach the commands. Each is answered by a future of one and the same type: Tauri's own attribute
//! makes a task of another type for each command, and a hundred copies of all that a task is made of are a twentieth of the
//! program.

use std::future::Future;
use std::pin::Pin;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tauri::Runtime;
use tauri::ipc::{CommandArg, CommandItem, InvokeBody, InvokeError, InvokeMessage, InvokeResponseBody, IpcResponse};

use crate::wire::Failure;

/// An answer that is being made.
pub type Answering = Pin<Box<dyn Future<Output = Result<InvokeResponseBody, InvokeError>> + Send>>;

/// What was asked: the message, and by what it is read.
pub struct Asked<R: Runtime> {
    message: InvokeMessage<R>,
    command: &'static str,
}

impl<R: Runtime> Asked<R> {
    /// What was asked of a command.
    pub fn new(message: InvokeMessage<R>, command: &'static str) -> Self {
        Self { message, command }
    }

    /// What Tauri knows or makes of itself: `State`, `AppHandle`, and a channel from what the page calls it.
    ///
    /// # Errors
    /// It is not there.
    pub fn given<'a, T: CommandArg<'a, R>>(&'a self, key: &'static str) -> Result<T, InvokeError> {
        T::from_command(CommandItem {
            plugin: None,
            name: self.command,
            key,
            message: &self.message,
            // The page's only capability grants nothing that could be narrowed down.
            acl: &None,
        })
    }

    /// What the page sent under a name; what it left out counts as nothing.
    ///
    /// # Errors
    /// It is of another shape; which one it is, is told.
    pub fn sent<T: DeserializeOwned>(&self, key: &'static str) -> Result<T, InvokeError> {
        // Read as the engine reads JSON: Tauri's own way would be in the program once more for each type.
        serde_json::from_value(self.value(key)).map_err(|error| self.wrong(key, error))
    }

    fn value(&self, key: &str) -> Value {
        match self.message.payload() {
            InvokeBody::Json(sent) => sent.get(key).cloned().unwrap_or_default(),
            InvokeBody::Raw(_) => Value::Null,
        }
    }

    fn wrong(&self, key: &'static str, error: serde_json::Error) -> InvokeError {
        tauri::Error::InvalidArgs(self.command, key, error).into()
    }
}

/// What a command gave, as the page reads it.
///
/// # Errors
/// What the command failed with.
pub fn answered<T: Serialize>(given: Result<T, Failure>) -> Result<InvokeResponseBody, InvokeError> {
    Ok(given?.body()?)
}

/// The handler of a list of commands with the names of their arguments.
macro_rules! commands {
    ($($group:ident::$name:ident($($argument:ident),*)),* $(,)?) => {
        move |invoke| {
            let tauri::ipc::Invoke { message, resolver, .. } = invoke;
            let answering: $crate::handler::Answering = match message.command() {
                $(stringify!($name) => Box::pin(async move {
                    let _asked = $crate::handler::Asked::new(message, stringify!($name));
                    let _given = $group::$name($($crate::handler::argument!(_asked $argument)),*);
                    $crate::handler::answered(_given.await)
                }),)*
                _ => return false,
            };
            resolver.respond_async_serialized(answering);
            true
        }
    };
}
pub(crate) use commands;

/// One argument of a command.
macro_rules! argument {
    ($asked:ident shell) => {
        $asked.given("shell")?
    };
    ($asked:ident app) => {
        $asked.given("app")?
    };
    ($asked:ident packets) => {
        $asked.given("packets")?
    };
    ($asked:ident $argument:ident) => {
        $asked.sent(stringify!($argument))?
    };
}
pub(crate) use argument;
