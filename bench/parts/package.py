"""The `.deb`: built, weighed, unpacked, and started from its desktop entry."""
import configparser
import pathlib
import shutil
import tempfile

from .figure import TARGET, Figure, NotMeasured, said
from .screen import Screen


def package():
    said(["make", "--silent", "bundle"])
    built = sorted((TARGET / "release/bundle/deb").glob("*.deb"), key=lambda file: file.stat().st_mtime)
    if not built:
        raise NotMeasured("make bundle made no .deb")
    with tempfile.TemporaryDirectory(prefix="assent-deb-") as folder:
        root = pathlib.Path(folder)
        said(["dpkg", "-x", built[-1], root])
        sizes = {file: file.stat().st_size for file in root.rglob("*") if file.is_file() and not file.is_symlink()}
        server = sum(size for file, size in sizes.items() if file.name == "llama-server")
        started = start(root)
    return [
        Figure("package file", built[-1].stat().st_size / 1e6, "MB"),
        Figure("installed, with the model server", sum(sizes.values()) / 1e6, "MB"),
        Figure("installed, without model and server", (sum(sizes.values()) - server) / 1e6, "MB", most=15),
        Figure("started from its desktop entry: seconds to its page", started / 1000, "s"),
    ]


def start(root):
    """Milliseconds until the page is there, of the program that the desktop entry of an unpacked package names."""
    entries = list((root / "usr/share/applications").glob("*.desktop"))
    if len(entries) != 1:
        raise NotMeasured(f"the package has {len(entries)} desktop entries")
    entry = configparser.ConfigParser(interpolation=None, strict=False)
    entry.optionxform = str
    entry.read(entries[0])
    # Field codes stand for files and addresses to open; a start from the menu has none.
    words = [word for word in entry["Desktop Entry"]["Exec"].split() if not word.startswith("%")]
    programs = root / "usr/bin"
    if shutil.which(words[0].strip('"'), path=str(programs)) is None:
        raise NotMeasured(f"the desktop entry starts {words[0]}, which the package does not have")
    with Screen() as screen, screen.window(" ".join(words), path=str(programs)) as opened:
        # On a first start without a model's file that is the page that leads to one.
        ready = opened.wait_for("""const [mark] = performance.getEntriesByName('ready');
            return mark && document.querySelector('main')?.innerText.trim() ? performance.timeOrigin + mark.startTime : null""")
        return ready - opened.began
