//! A screen of its own and a WebDriver server on it, both gone when the value is dropped.

mod http;

use std::io::{BufRead, BufReader};
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use std::{env, fs};

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};
use tempfile::TempDir;

/// The data folder, in the home folder.
const DATA: &str = "assent";
/// How long a program or a page may take until it is there.
const PATIENCE: Duration = Duration::from_secs(30);
/// Between two looks at what cannot say when it is ready.
const PAUSE: Duration = Duration::from_millis(20);

/// A virtual screen with a driver that opens programs on it.
pub struct Desktop {
    driver: Running,
    address: SocketAddr,
    _screen: Running,
    home: TempDir,
}

/// One opened window; closed when dropped.
pub struct Window<'a> {
    desktop: &'a Desktop,
    session: String,
}

/// A process that ends with the value.
struct Running(Child);

impl Desktop {
    /// Starts the screen, then the driver with a home folder of its own.
    pub fn start() -> Result<Self> {
        let home = tempfile::tempdir()?;
        let mut screen = Running::start(
            Command::new("Xvfb")
                .args(["-displayfd", "1", "-screen", "0", "1440x900x24", "-nolisten", "tcp"])
                .stdout(Stdio::piped())
                .stderr(Stdio::null()),
        )?;
        let mut display = String::new();
        BufReader::new(screen.0.stdout.take().context("Xvfb has an output")?).read_line(&mut display)?;
        ensure!(!display.trim().is_empty(), "Xvfb ended without naming its screen");

        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, free_port()?));
        let driver = Running::start(
            Command::new("WebKitWebDriver")
                .arg(format!("--port={}", address.port()))
                .env("DISPLAY", format!(":{}", display.trim()))
                .env("GDK_BACKEND", "x11")
                .env("HOME", home.path())
                .env_remove("WAYLAND_DISPLAY")
                .env("ASSENT_HOME", home.path().join(DATA))
                // Nothing of the person who runs this: no bus, and so neither their keyring nor their tray.
                .env("DBUS_SESSION_BUS_ADDRESS", "disabled:")
                .env_remove("XDG_DATA_HOME")
                .env_remove("XDG_CONFIG_HOME")
                .env_remove("XDG_CACHE_HOME")
                // Tauri lets itself be driven only when this is set.
                .env("TAURI_WEBVIEW_AUTOMATION", "true")
                .stdout(Stdio::null())
                .stderr(Stdio::null()),
        )?;
        let mut desktop = Self { driver, address, _screen: screen, home };
        desktop.await_driver()?;
        Ok(desktop)
    }

    /// The data folder of the programs on this screen.
    pub fn data(&self) -> PathBuf {
        self.home.path().join(DATA)
    }

    /// A new folder to work in.
    pub fn workspace(&self) -> Result<PathBuf> {
        let folder = self.home.path().join("notes");
        fs::create_dir(&folder)?;
        Ok(folder)
    }

    /// Kills a program as a crash or a loss of power would: every process of it that uses this data folder.
    pub fn kill(&self, program: &str) -> Result<()> {
        let program = fs::canonicalize(program)?;
        let marked = format!("ASSENT_HOME={}", self.data().display());
        let mut killed = 0;
        for entry in fs::read_dir("/proc")?.flatten() {
            let is_program = fs::read_link(entry.path().join("exe")).is_ok_and(|path| path == program);
            let environment = fs::read(entry.path().join("environ")).unwrap_or_default();
            if is_program && environment.split(|byte| *byte == 0).any(|one| one == marked.as_bytes()) {
                let pid = entry.file_name();
                ensure!(Command::new("kill").arg("-KILL").arg(&pid).status()?.success(), "{pid:?} was not killed");
                killed += 1;
            }
        }
        ensure!(killed > 0, "{} does not run", program.display());
        Ok(())
    }

    /// Opens `program` and waits until its page is there.
    pub fn open(&self, program: &str) -> Result<Window<'_>> {
        let options = json!({ "binary": program, "args": [] });
        let wanted = json!({ "capabilities": { "alwaysMatch": { "webkitgtk:browserOptions": options } } });
        let opened = self.send("POST", "/session", &wanted)?;
        let session = opened["sessionId"].as_str().context("the driver names the session")?.to_owned();
        let window = Window { desktop: self, session };
        window.wait_for("return document.querySelector('main') !== null")?;
        Ok(window)
    }

    fn await_driver(&mut self) -> Result<()> {
        let deadline = Instant::now() + PATIENCE;
        while self.send("GET", "/status", &Value::Null).is_err() {
            if let Some(status) = self.driver.0.try_wait()? {
                bail!("WebKitWebDriver ended: {status}");
            }
            ensure!(Instant::now() < deadline, "WebKitWebDriver does not answer");
            std::thread::sleep(PAUSE);
        }
        Ok(())
    }

    /// One WebDriver command; its `value`.
    fn send(&self, method: &str, path: &str, body: &Value) -> Result<Value> {
        let answer = http::send(self.address, method, path, body)?;
        let mut parsed: Value = serde_json::from_slice(&answer.body).context("the driver answers in JSON")?;
        ensure!(answer.status == 200, "{method} {path}: {parsed}");
        Ok(parsed["value"].take())
    }
}

impl Window<'_> {
    pub fn title(&self) -> Result<String> {
        let title = self.send("GET", "title", &Value::Null)?;
        Ok(title.as_str().context("a title is text")?.to_owned())
    }

    /// Runs `script` in the page; what it returns.
    pub fn evaluate(&self, script: &str) -> Result<Value> {
        self.send("POST", "execute/sync", &json!({ "script": script, "args": [] }))
    }

    /// Runs `script` again and again until it returns `true`. A script of its own that waits would be lost when the
    /// page it began in is left.
    pub fn wait_for(&self, script: &str) -> Result<()> {
        let deadline = Instant::now() + PATIENCE;
        while self.evaluate(script)? != json!(true) {
            ensure!(Instant::now() < deadline, "the page never came to: {script}");
            std::thread::sleep(PAUSE);
        }
        Ok(())
    }

    /// Waits for an element of a `data-testid` whose words, or those of its label, hold `words`; gives them all.
    pub fn shows(&self, testid: &str, words: &str) -> Result<String> {
        let script = format!("{} return found ? words(found) : null", found(testid, words));
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(text) = self.evaluate(&script)?.as_str() {
                return Ok(text.to_owned());
            }
            if Instant::now() > deadline {
                let page = self.evaluate("return document.body.innerText")?;
                bail!("{testid} never showed {words:?}; the page says:\n{}", page.as_str().unwrap_or_default());
            }
            std::thread::sleep(PAUSE);
        }
    }

    /// Clicks such an element, as a mouse would.
    pub fn click(&self, testid: &str, words: &str) -> Result<()> {
        let element = self.element(testid, words)?;
        self.send("POST", &format!("element/{element}/click"), &json!({}))?;
        Ok(())
    }

    /// Types into an element, key by key.
    pub fn write(&self, testid: &str, text: &str) -> Result<()> {
        let element = self.element(testid, "")?;
        self.send("POST", &format!("element/{element}/value"), &json!({ "text": text }))?;
        Ok(())
    }

    fn element(&self, testid: &str, words: &str) -> Result<String> {
        self.shows(testid, words)?;
        let element = self.evaluate(&format!("{} return found", found(testid, words)))?;
        let named = element.as_object().and_then(|named| named.values().next()).and_then(Value::as_str);
        Ok(named.with_context(|| format!("{testid} is there"))?.to_owned())
    }

    /// Keeps a picture, in base64, where the variable `ASSENT_PICTURE` says; without it, nothing.
    pub fn save_picture(&self) -> Result<()> {
        let Some(target) = env::var_os("ASSENT_PICTURE") else { return Ok(()) };
        let picture = self.send("GET", "screenshot", &Value::Null)?;
        fs::write(Path::new(&target), picture.as_str().context("a picture is text in base64")?)?;
        Ok(())
    }

    fn send(&self, method: &str, command: &str, body: &Value) -> Result<Value> {
        self.desktop.send(method, &format!("/session/{}/{command}", self.session), body)
    }
}

/// A script that sets `found` to the first element of a `data-testid` whose words hold these.
fn found(testid: &str, words: &str) -> String {
    format!(
        "const words = (element) => (element.closest('label') ?? element).innerText;
        const found = [...document.querySelectorAll('[data-testid=' + JSON.stringify({}) + ']')]
            .find((element) => words(element).includes({}));",
        json!(testid),
        json!(words)
    )
}

impl Drop for Window<'_> {
    fn drop(&mut self) {
        let _closed = self.desktop.send("DELETE", &format!("/session/{}", self.session), &Value::Null);
    }
}

impl Running {
    fn start(command: &mut Command) -> Result<Self> {
        let name = command.get_program().to_string_lossy().into_owned();
        let child = command.stdin(Stdio::null()).spawn();
        Ok(Self(child.with_context(|| format!("{name} does not start; `scripts/setup test` installs it"))?))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ended = self.0.kill().and_then(|()| self.0.wait());
    }
}

fn free_port() -> Result<u16> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port())
}
