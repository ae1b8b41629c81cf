"""deploy/ says what the code does: every setting is explained, every queue has a worker."""

import ast
import re
from itertools import pairwise
from pathlib import Path

from config.schedule import QUEUES

CHECKOUT = Path(__file__).resolve().parents[2]
DEPLOY = CHECKOUT / "deploy"
READERS = {"text", "optional", "number", "flag", "listed", "required_secret", "get"}
OF_THE_COMMAND = {"IDS_HOST", "IDS_PORT", "IDS_DEMO_PYTHON", "NO_PROXY", "no_proxy"}  # ./ids says them to its children
OF_THE_OWNER = {"DATABASE_OWNER_URL"}  # deploy/owner.env
LINE = re.compile(r"(#?)([A-Z][A-Z0-9_]*)=(.*)")


def settings_read() -> dict[str, object]:
    """Name and literal default of what is read from the environment; None where the default is none or made up."""
    found: dict[str, object] = {}
    for file in (CHECKOUT / "config" / "settings.py", *(CHECKOUT / "config" / "embedded").glob("*.py")):
        for call in (node for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, ast.Call)):
            name = call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")
            literals = [one.value if isinstance(one, ast.Constant) else None for one in call.args]
            is_environment = name != "get" or "environ" in ast.unparse(call.func)
            if name in READERS and is_environment and literals and re.fullmatch(r"\w+", str(literals[0])):
                found[str(literals[0])] = found.get(str(literals[0])) or (literals[1:2] or [None])[0]
    return {name: default for name, default in found.items() if name not in OF_THE_COMMAND | OF_THE_OWNER}


def settings_named() -> dict[str, tuple[bool, str]]:
    lines = (LINE.fullmatch(line) for line in (DEPLOY / "ids.env").read_text().splitlines())
    return {line[2]: (bool(line[1]), line[3]) for line in lines if line}


def test_the_environment_file_names_exactly_the_settings_that_are_read():
    assert sorted(settings_named()) == sorted(settings_read())


def test_the_environment_file_shows_the_defaults():
    read = settings_read()
    shown = {name: value for name, (is_default, value) in settings_named().items() if is_default and read[name]}

    assert shown == {name: as_written(read[name]) for name in shown}


def as_written(default: object) -> str:
    return str(int(default) if isinstance(default, bool) else default)


def test_every_setting_is_explained():
    lines = (DEPLOY / "ids.env").read_text().splitlines()
    bare = [line for before, line in pairwise(lines) if LINE.fullmatch(line) and not before]

    assert [line for line in bare if not line.startswith(("#S3_BUCKET", "#MOST_"))] == []


def test_every_queue_has_a_worker_among_the_units():
    units = [unit.read_text() for unit in (DEPLOY / "systemd").glob("*.service")]
    served = [name for unit in units for queues in re.findall(r"-Q (\S+)", unit) for name in queues.split(",")]

    assert sorted(served) == sorted(QUEUES)
