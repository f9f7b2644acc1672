"""An exact edit that leaves everything else alone."""
MESSAGES = [
    "In server.toml, change the port of the server from 8080 to 9090 and leave everything else as it is.",
    "Set port to 9090 in server.toml. Nothing else in the file may change.",
    "The server should listen on port 9090 instead of 8080: please edit server.toml accordingly.",
]

TEXT = """# Settings of the reading room
title = "Reading room"

[server]
host = "127.0.0.1"
port = 8080
workers = 4

[metrics]
enabled = true
port = 9100

[log]
level = "info"
"""


def prepare(folder):
    (folder / "server.toml").write_text(TEXT)
    (folder / "notes.txt").write_text("The port of the printer is 8080 as well, that one stays.\n")


def check(folder, _answer):
    if (folder / "notes.txt").read_text().count("8080") != 1:
        return "notes.txt was changed"
    found = (folder / "server.toml").read_text()
    return None if found == TEXT.replace("port = 8080", "port = 9090") else f"server.toml is now {found!r}"
