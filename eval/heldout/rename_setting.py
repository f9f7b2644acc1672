"""A setting gets another name in every configuration file of a folder, its namesakes keep theirs."""
MESSAGES = [
    "rename the setting max_conn to max_connections in all config files under conf, the values stay the same",
    "In the new version the setting max_conn is called max_connections. Please rename it in every configuration file in the folder conf and its subfolders. Values, other settings such as max_conn_idle, and everything outside conf must stay as they are.",
]

FILES = {
    "conf/app.ini": "[app]\nname = lantern\n\n[database]\nhost = db.internal\nmax_conn = 40\nmax_conn_idle = 5\n",
    "conf/worker.ini": "[worker]\nthreads = 8\n\n[database]\nhost = db.internal\nmax_conn=12\n",
    "conf/logging.ini": "[log]\nlevel = info\nrotate = daily\n",
    "conf/web.yaml": "web:\n  listen: 0.0.0.0:8080\n  max_conn: 512\n  keepalive: 30\nupstream:\n  max_conn: 64\n  soft_max_conn: 48\n",
    "conf/cache.toml": "# Cache of the pages\n[cache]\nsize = \"256M\"\nmax_conn = 16 # per node\nmax_conn_wait = 3\n",
    "conf/mail/smtp.ini": "[smtp]\nserver = mail.internal\nport = 587\nmax_conn = 4\n",
    "conf/mail/imap.yaml": "imap:\n  server: mail.internal\n  folders: [inbox, sent]\n  max_conn: 6\n",
    "conf/sites/north.json": "{\n  \"site\": \"north\",\n  \"max_conn\": 100,\n  \"max_conn_idle\": 10\n}\n",
    "conf/sites/south.json": "{\n  \"site\": \"south\",\n  \"max_conn_idle\": 10\n}\n",
    "HISTORY.md": "# History\n\n* 3.1: max_conn can be set per site\n* 3.0: first release with max_conn\n",
    "examples/small.ini": "[database]\nhost = localhost\nmax_conn = 2\n",
}

NEW = {
    "conf/app.ini": ("\nmax_conn = 40", "\nmax_connections = 40"),
    "conf/worker.ini": ("max_conn=12", "max_connections=12"),
    "conf/web.yaml": ("  max_conn:", "  max_connections:"),
    "conf/cache.toml": ("max_conn = 16", "max_connections = 16"),
    "conf/mail/smtp.ini": ("max_conn", "max_connections"),
    "conf/mail/imap.yaml": ("max_conn", "max_connections"),
    "conf/sites/north.json": ("\"max_conn\"", "\"max_connections\""),
}


def prepare(folder):
    for name, text in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def check(folder, _answer):
    for name, text in FILES.items():
        expected = text.replace(*NEW[name]) if name in NEW else text
        if not (folder / name).exists():
            return f"{name} is gone"
        found = (folder / name).read_text()
        if found.rstrip("\n") != expected.rstrip("\n"):
            return f"{name} is now {found!r}"
    return None
