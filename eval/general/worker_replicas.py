"""One value of several alike in a YAML file."""

MESSAGES = [
    "In deploy.yaml set the replicas of the worker to 5.",
    "Change deploy.yaml: the service worker should have 5 replicas. Leave everything else as it is.",
]

TEXT = """# Deployment of the shop
services:
  web:
    image: shop/web:1.4
    replicas: 2
  worker:
    image: shop/worker:1.4
    replicas: 2
    memory: 512M
  mailer:
    image: shop/mailer:1.1
    replicas: 1
"""


def prepare(folder):
    (folder / "deploy.yaml").write_text(TEXT)


def check(folder, _answer):
    expected = TEXT.replace("worker:1.4\n    replicas: 2", "worker:1.4\n    replicas: 5")
    found = (folder / "deploy.yaml").read_text()
    if found.rstrip("\n") == expected.rstrip("\n"):
        return None
    changed = [line for line in found.splitlines() if line not in expected.splitlines()]
    return f"not only the worker's replicas are 5: {changed or found[:200]}"
