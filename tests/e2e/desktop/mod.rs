//! A desktop of its own: a screen, a message bus, a WebDriver server, a browser that only writes down what it is to
//! open. All of it is gone when the value is dropped.

mod bus;
mod drag;
mod http;
mod page;
pub mod process;
mod screen;

use std::cell::RefCell;
use std::ffi::OsString;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::Duration;
use std::{env, fs, io};

use anyhow::{Context, Result, ensure};
use assent_tests::needs::{has_programs, missing};
use serde_json::{Value, json};
use tempfile::TempDir;

use bus::Bus;
pub use page::{CONTROL, DELETE, ENTER, ESCAPE, F2, Window};
use process::{Running, kill, processes, until, until_within};
use screen::{Screen, WindowId};

/// The program that is driven.
const PROGRAM: &str = env!("CARGO_BIN_EXE_assent-desktop");
/// The data folder, in the home folder.
const DATA: &str = "assent";
/// The title of its window, behind the number of what waits for a person.
const TITLE: &str = "Assent";

/// A desktop with a driver that opens the window on it.
pub struct Desktop {
    driver: RefCell<Driver>,
    pub screen: Screen,
    pub bus: Bus,
    home: TempDir,
    variables: Vec<(&'static str, OsString)>,
}

impl Desktop {
    /// A desktop; `None` where a program that it needs is missing.
    pub fn start() -> Result<Option<Self>> {
        Self::with(&[])
    }

    /// A desktop whose programs see these variables too.
    pub fn with(variables: &[(&'static str, &str)]) -> Result<Option<Self>> {
        if !has_programs(&["Xvfb", "dbus-daemon", "WebKitWebDriver"]) {
            return Ok(None);
        }
        let home = tempfile::tempdir()?;
        let (screen, bus) = (Screen::start()?, Bus::start(home.path())?);
        let programs = home.path().join("bin");
        write_browser(&programs)?;
        // A mark that blinks in a field would be something new to see for ever.
        fs::create_dir_all(home.path().join(".config/gtk-3.0"))?;
        fs::write(home.path().join(".config/gtk-3.0/settings.ini"), "[Settings]\ngtk-cursor-blink=false\n")?;
        let path =
            env::join_paths([programs].into_iter().chain(env::split_paths(&env::var_os("PATH").unwrap_or_default())))?;
        let mut all = vec![
            ("DISPLAY", screen.display.clone().into()),
            ("DBUS_SESSION_BUS_ADDRESS", bus.address.clone().into()),
            ("HOME", home.path().into()),
            ("PATH", path),
            ("ASSENT_HOME", home.path().join(DATA).into()),
            ("GDK_BACKEND", "x11".into()),
            ("NO_AT_BRIDGE", "1".into()),
        ];
        all.extend(variables.iter().map(|(name, value)| (*name, OsString::from(value))));
        let driver = RefCell::new(Driver::start(&all)?);
        Ok(Some(Self { driver, screen, bus, home, variables: all }))
    }

    /// The data folder of the programs on this desktop.
    pub fn data(&self) -> PathBuf {
        self.home.path().join(DATA)
    }

    /// The person's home folder.
    pub fn home(&self) -> PathBuf {
        self.home.path().to_owned()
    }

    /// A new folder to work in.
    pub fn workspace(&self) -> Result<PathBuf> {
        let folder = self.home.path().join("notes");
        fs::create_dir(&folder)?;
        Ok(folder)
    }

    /// What the system was asked to open, in order.
    pub fn opened(&self) -> Vec<String> {
        let log = fs::read_to_string(self.home.path().join("bin/opened")).unwrap_or_default();
        log.lines().map(str::to_owned).collect()
    }

    /// Opens the window and waits until its page is there. One that is just ending would be handed the start, and the
    /// driver would wait for a window that never comes.
    pub fn open(&self) -> Result<Window<'_>> {
        self.until_ended()?;
        let options = json!({ "binary": PROGRAM, "args": [] });
        let wanted = json!({ "capabilities": { "alwaysMatch": { "webkitgtk:browserOptions": options } } });
        let opened = match self.send("POST", "/session", &wanted) {
            // The driver finds a free port, tells the window to listen there, and waits for as long as whoever took the
            // port in between is silent.
            Err(error) if no_answer(&error) && self.is_shown()? => {
                eprintln!("the driver does not find the window that is shown: {error:#}; once more");
                self.kill()?;
                self.driver.replace(Driver::start(&self.variables)?);
                self.send("POST", "/session", &wanted)?
            }
            opened => opened?,
        };
        let session = opened["sessionId"].as_str().context("the driver names the session")?.to_owned();
        let window = Window { desktop: self, session };
        window.wait_for("return document.querySelector('main') !== null")?;
        Ok(window)
    }

    /// Starts the program once more, as from a menu, and waits until it has ended.
    pub fn start_again(&self) -> Result<ExitStatus> {
        let mut again = Running::start(dressed(&mut Command::new(PROGRAM), &self.variables))?;
        until("the second start ends", || Ok(again.0.try_wait()?))
    }

    /// Starts a command on the data folder of this desktop; `None` where the command line was not built. What it
    /// complains of is kept. It ends with the value as by a loss of power.
    pub fn command(&self, arguments: &[&str]) -> Result<Option<Running>> {
        let program = Path::new(PROGRAM).with_file_name("assent");
        if !program.is_file() {
            missing("the command line is not beside the window: build assent-cli");
            return Ok(None);
        }
        let mut command = Command::new(program);
        command.args(arguments);
        Running::start(dressed(&mut command, &self.variables).stderr(Stdio::piped())).map(Some)
    }

    /// The window, once a person sees it.
    pub fn shown(&self) -> Result<WindowId> {
        until("the window is shown", || self.screen.shown(is_own))
    }

    /// The window, once a person sees it under exactly this title.
    pub fn entitled(&self, wanted: &str) -> Result<WindowId> {
        until(&format!("the window is called {wanted:?}"), || self.screen.shown(|title| title == wanted))
    }

    /// Picks a file in the dialog of the system.
    pub fn pick(&self, file: &Path) -> Result<()> {
        let path = file.to_str().context("the path is text")?;
        self.answer_dialog(|dialog| {
            // The first sign opens the field, and the dialog empties it once it has read the folder that it begins
            // with, also in the middle of a path: what is typed after that stays. On a machine that is busy nobody can
            // say when that was, so that what stands in the field is read before it counts.
            self.screen.rewrite_in(dialog, path)?;
            self.screen.until_still(dialog)?;
            until("the dialog holds the path", || {
                self.screen.rewrite_in(dialog, path)?;
                self.screen.until_still(dialog)?;
                self.screen.copy_all_in(dialog)?;
                Ok((self.screen.clipboard()? == path).then_some(()))
            })?;
            self.screen.press_return(dialog)
        })
    }

    /// Takes the file that the dialog of the system proposes.
    pub fn pick_proposed(&self) -> Result<()> {
        self.answer_dialog(|dialog| self.screen.press_return(dialog))
    }

    /// Has the dialog of the system answered by keys. It takes them only some time after it is shown, and does not say
    /// when: they are pressed until it is gone.
    fn answer_dialog(&self, press: impl Fn(WindowId) -> Result<()>) -> Result<()> {
        let shown = || self.screen.shown(|title| !title.is_empty() && !is_own(title));
        let dialog = until("a dialog is shown", shown)?;
        let mut refused = None;
        let answered = until("the dialog is answered", || {
            // It may go in the middle of that, and then takes no more keys.
            refused = press(dialog).err();
            let gone = || Ok(shown()?.is_none().then_some(()));
            Ok(until_within(Duration::from_secs(10), "the dialog is gone", gone).ok())
        });
        answered.map_err(|error| refused.map_or(error, |refused| refused.context("the dialog is not answered")))
    }

    /// Closes the window as its frame's button does.
    pub fn close(&self) -> Result<()> {
        self.screen.close(self.shown()?)
    }

    /// Waits until the window is not seen any more.
    pub fn until_hidden(&self) -> Result<()> {
        until("the window is gone", || Ok((!self.is_shown()?).then_some(())))
    }

    /// Whether a person sees the window.
    pub fn is_shown(&self) -> Result<bool> {
        Ok(self.screen.shown(is_own)?.is_some())
    }

    /// Waits until no process of the program is left, nor its name on the bus, which goes a moment later.
    pub fn until_ended(&self) -> Result<()> {
        until("the program ends", || Ok((!self.runs()? && !self.bus.has_program()?).then_some(())))
    }

    /// Whether a process of the program is there.
    pub fn runs(&self) -> Result<bool> {
        Ok(!processes(PROGRAM, &self.data())?.is_empty())
    }

    /// Kills the program as a crash or a loss of power would: every process of it.
    pub fn kill(&self) -> Result<()> {
        let all = processes(PROGRAM, &self.data())?;
        ensure!(!all.is_empty(), "{PROGRAM} does not run");
        all.into_iter().try_for_each(kill)?;
        // Until it is gone, a second start would be handed over to it and end.
        self.until_ended()
    }

    /// One WebDriver command; its `value`.
    fn send(&self, method: &str, path: &str, body: &Value) -> Result<Value> {
        let address = self.driver.borrow().address;
        let answer = http::send(address, method, path, body).with_context(|| format!("{method} {path}"))?;
        let mut parsed: Value = serde_json::from_slice(&answer.body).context("the driver answers in JSON")?;
        ensure!(answer.status == 200, "{method} {path}: {parsed}");
        Ok(parsed["value"].take())
    }
}

impl Drop for Desktop {
    fn drop(&mut self) {
        // What went into the tray, or holds the model server, outlives the driver.
        let left = processes(PROGRAM, &self.data()).unwrap_or_default();
        left.into_iter().for_each(|pid| drop(kill(pid)));
    }
}

/// Whether a title is that of the program's window: `Assent`, or `(2) Assent`.
fn is_own(title: &str) -> bool {
    title == TITLE || title.strip_suffix(TITLE).is_some_and(|count| count.starts_with('(') && count.ends_with(") "))
}

/// Gives a program the variables of this desktop, and nothing of the person who runs the test.
fn dressed<'c>(command: &'c mut Command, variables: &[(&'static str, OsString)]) -> &'c mut Command {
    for name in ["WAYLAND_DISPLAY", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_CURRENT_DESKTOP"] {
        command.env_remove(name);
    }
    command.envs(variables.iter().cloned()).stdout(Stdio::null()).stderr(Stdio::null())
}

/// A program that is asked to open addresses, and writes them down.
fn write_browser(folder: &Path) -> Result<()> {
    fs::create_dir(folder)?;
    let program = folder.join("xdg-open");
    fs::write(&program, format!("#!/bin/sh\nprintf '%s\\n' \"$1\" >> '{}/opened'\n", folder.display()))?;
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755))?;
    Ok(())
}

/// The WebDriver server, gone with the value.
struct Driver {
    _process: Running,
    address: SocketAddr,
}

impl Driver {
    fn start(variables: &[(&'static str, OsString)]) -> Result<Self> {
        until("WebKitWebDriver answers", || Self::try_start(variables))
    }

    /// One on a free port; `None` when another program was faster to take the port, and the driver ended.
    fn try_start(variables: &[(&'static str, OsString)]) -> Result<Option<Self>> {
        let address = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?;
        let mut driver = Command::new("WebKitWebDriver");
        // Tauri lets itself be driven only when this is set.
        driver.arg(format!("--port={}", address.port())).env("TAURI_WEBVIEW_AUTOMATION", "true");
        let mut process = Running::start(dressed(&mut driver, variables))?;
        let is_up = until("WebKitWebDriver answers or ends", || {
            if process.0.try_wait()?.is_some() {
                return Ok(Some(false));
            }
            let status = http::send(address, "GET", "/status", &Value::Null).ok();
            let status = status.and_then(|answer| serde_json::from_slice::<Value>(&answer.body).ok());
            Ok(status.and_then(|status| status["value"]["ready"].as_bool()).map(|_| true))
        })?;
        Ok(is_up.then_some(Self { _process: process, address }))
    }
}

fn no_answer(error: &anyhow::Error) -> bool {
    let kind = error.downcast_ref::<io::Error>().map(io::Error::kind);
    matches!(kind, Some(io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut))
}
