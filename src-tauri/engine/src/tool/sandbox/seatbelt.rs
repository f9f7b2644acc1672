//! Walls by Seatbelt, macOS's own sandbox. Written from its documentation and never run: nobody here has a Mac.

use std::path::Path;
use std::process::{Command, Stdio};

use super::{Order, Unavailable};

const PROGRAM: &str = "/usr/bin/sandbox-exec";

/// A command line behind walls.
pub(super) fn command(order: &Order, words: &[String]) -> Command {
    let mut command = Command::new(PROGRAM);
    command.arg("-p").arg(profile(order)).args(words);
    command
}

fn profile(order: &Order) -> String {
    let quoted = |path: &Path| path.display().to_string().replace('\\', "\\\\").replace('"', "\\\"");
    let mut rules = String::from("(version 1)(allow default)(deny file-write*)");
    rules.push_str("(allow file-write* (literal \"/dev/null\") (literal \"/dev/tty\"))");
    rules.push_str(&format!("(allow file-write* (subpath \"{}\"))", quoted(&order.workspace)));
    for hidden in &order.hidden {
        rules.push_str(&format!("(deny file-read* file-write* (subpath \"{}\"))", quoted(hidden)));
    }
    if !order.network {
        rules.push_str("(deny network*)");
    }
    rules
}

/// Tries walls around a command that does nothing.
pub(super) fn try_out() -> Result<(), Unavailable> {
    let done =
        Command::new(PROGRAM).args(["-p", "(version 1)(allow default)", "/usr/bin/true"]).stdin(Stdio::null()).output();
    match done {
        Ok(done) if done.status.success() => Ok(()),
        Ok(done) => Err(Unavailable { reason: String::from_utf8_lossy(&done.stderr).trim().to_owned() }),
        Err(error) => Err(Unavailable { reason: format!("sandbox-exec could not be started: {error}") }),
    }
}
