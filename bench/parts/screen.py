"""A virtual screen with a session bus and a WebDriver server, on which programs are started as a person would."""
import contextlib
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

from .figure import NotMeasured

PATIENCE = 60


class Screen:
    """Everything of it ends with the `with` block."""

    def __enter__(self):
        self._running = contextlib.ExitStack()
        try:
            return self._start()
        except BaseException:
            self._running.close()
            raise

    def __exit__(self, *_problem):
        self._running.close()

    def _start(self):
        self.home = pathlib.Path(self._running.enter_context(tempfile.TemporaryDirectory(prefix="assent-bench-")))
        read, write = os.pipe()
        self._spawn(["Xvfb", "-displayfd", str(write), "-screen", "0", "1440x900x24", "-nolisten", "tcp"], pass_fds=[write])
        os.close(write)
        with os.fdopen(read) as display:
            number = display.readline().strip()
        if not number:
            raise NotMeasured("Xvfb ended without naming its screen")
        kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
        environment = kept | {
            "DISPLAY": f":{number}", "GDK_BACKEND": "x11", "HOME": str(self.home), "ASSENT_HOME": str(self.home / "assent"),
            "XDG_RUNTIME_DIR": str(self.home / "runtime"), "NO_AT_BRIDGE": "1",
            # Tauri lets itself be driven only when this is set.
            "TAURI_WEBVIEW_AUTOMATION": "true",
        }
        (self.home / "runtime").mkdir(mode=0o700)
        self.port = free_port()
        # A session bus of its own, as a desktop has one: tray, notifications and the single instance use it.
        self._spawn(["dbus-run-session", "--", "WebKitWebDriver", f"--port={self.port}"], env=environment)
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                self.send("GET", "/status")
                return self
            except OSError:
                if time.monotonic() > deadline:
                    raise NotMeasured("WebKitWebDriver does not answer") from None
                time.sleep(0.05)

    def _spawn(self, command, **more):
        if not shutil.which(command[0]):
            raise NotMeasured(f"{command[0]} is missing; scripts/setup bench installs it")
        quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        child = subprocess.Popen(command, start_new_session=True, **quiet, **more)
        self._running.callback(end, child)

    def send(self, method, path, body=None):
        """One WebDriver command; its value."""
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}{path}", method=method, headers={"content-type": "application/json"},
            data=None if body is None else json.dumps(body).encode())
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as refused:
            raise NotMeasured(f"WebKitWebDriver: {refused.read().decode()[:300]}") from None

    @contextlib.contextmanager
    def window(self, command, path=""):
        """Starts a shell command that opens a window. `path` goes before the search path of programs."""
        note, starter = self.home / "started", self.home / "start"
        note.unlink(missing_ok=True)
        # The shell gives its place to the program, so the number is that of the program.
        starter.write_text(f'#!/bin/bash\nPATH="{path}${{PATH:+:$PATH}}"\n'
                           f'printf "%s %s" $$ "$EPOCHREALTIME" > "{note}"\nexec {command}\n')
        starter.chmod(0o755)
        options = {"binary": str(starter), "args": []}
        wanted = {"pageLoadStrategy": "none", "webkitgtk:browserOptions": options}
        session = self.send("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})["sessionId"]
        number, began = note.read_text().split()
        try:
            yield Window(self, session, int(number), float(began) * 1000)
        finally:
            self.send("DELETE", f"/session/{session}")
            gone(int(number))


class Window:
    """An opened window: the number of its process, and when it was started, in milliseconds since 1970."""

    def __init__(self, screen, session, pid, began):
        self.screen, self.session, self.pid, self.began = screen, session, pid, began

    def evaluate(self, script):
        """What a script returns in the page."""
        return self.screen.send("POST", f"/session/{self.session}/execute/sync", {"script": script, "args": []})

    def evaluate_later(self, script, *given):
        """What a script in the page calls its last argument with; the others are those that are given."""
        body = {"script": script, "args": list(given)}
        return self.screen.send("POST", f"/session/{self.session}/execute/async", body)

    def wait_for(self, script):
        """Runs a script again and again until it returns something."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            value = self.evaluate(script)
            if value:
                return value
            time.sleep(0.05)
        raise NotMeasured(f"the page never came to: {script}")

    def resident(self):
        """Bytes of memory of the program's own process; web views have processes of theirs."""
        for line in pathlib.Path(f"/proc/{self.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) * 1024
        raise NotMeasured("the process is gone")


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def end(child):
    """Ends a process that was started here, with those it has started."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGTERM)
    try:
        child.wait(10)
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, signal.SIGKILL)
        child.wait()


def gone(pid):
    """Waits until a process has ended, and ends it where it stays on (a window may close into the tray)."""
    deadline = time.monotonic() + 5
    while pathlib.Path(f"/proc/{pid}/exe").exists() and is_running(pid):
        if time.monotonic() > deadline:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.02)


def is_running(pid):
    with contextlib.suppress(OSError):
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    return False
