//! How the page's questions reach the commands. Each is answered by a future of one and the same type: Tauri's own attribute
//! makes a task of another type for each command, and a hundred copies of all that a task is made of are a twentieth of the
//! program.

use std::future::Future;
use std::pin::Pin;

use serde::Serialize;
use tauri::Runtime;
use tauri::ipc::{CommandArg, CommandItem, InvokeError, InvokeMessage, InvokeResponseBody, IpcResponse};

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

    /// One argument of a command, by its name. `State` and `AppHandle` are known without the page.
    ///
    /// # Errors
    /// It is not there, or of another shape; which one it is, is told.
    pub fn argument<'a, T: CommandArg<'a, R>>(&'a self, key: &'static str) -> Result<T, InvokeError> {
        T::from_command(CommandItem {
            plugin: None,
            name: self.command,
            key,
            message: &self.message,
            // The page's only capability grants nothing that could be narrowed down.
            acl: &None,
        })
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
                    $crate::handler::answered($group::$name($(_asked.argument(stringify!($argument))?),*).await)
                }),)*
                _ => return false,
            };
            resolver.respond_async_serialized(answering);
            true
        }
    };
}
pub(crate) use commands;
