"""The house's rules that a machine can hold: who may import whom, and names that say nothing."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
LAYERS = [
    ["wire"],
    ["accounts"],
    ["instruments"],
    ["watchers"],
    ["runs"],
    ["files"],
    ["archives", "processing"],
    ["notifications", "feedback"],
    ["overview"],
    ["mcp_server"],
    ["config"],
]
FLOOR = {app: number for number, apps in enumerate(LAYERS) for app in apps}
FACES = {"serializers", "api", "pages", "admin", "urls"}
ROOF = {"config", "mcp_server"}
BANNED = {"utils", "helpers", "common", "misc", "services", "managers", "base", "constants", "views"}
NOT_FOR_TOPICS = {"rest_framework"}


def modules() -> list[Path]:
    found = [path for app in FLOOR for path in (ROOT / app).rglob("*.py")]
    return sorted(path for path in found if "migrations" not in path.parts)


def app_of(path: Path) -> str:
    return path.relative_to(ROOT).parts[0]


def is_face(path: Path) -> bool:
    named = not FACES.isdisjoint({path.stem, path.parent.name})
    return named or app_of(path) in ROOF or "management" in path.parts or "templatetags" in path.parts


def imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def ours(name: str) -> bool:
    return name.partition(".")[0] in FLOOR


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(ROOT)))
def test_topic_modules_import_downward_only(path):
    if is_face(path):
        return

    own = app_of(path)
    upward = [
        name
        for name in imports(path)
        if ours(name) and name.partition(".")[0] != own and FLOOR[name.partition(".")[0]] >= FLOOR[own]
    ]

    assert upward == []


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(ROOT)))
def test_faces_are_imported_by_faces_only(path):
    if is_face(path):
        return

    faces = [name for name in imports(path) if ours(name) and name.split(".")[1:2] and name.split(".")[1] in FACES]

    assert faces == []


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(ROOT)))
def test_topic_modules_know_nothing_of_rest(path):
    plumbing = {"authentication", "permissions", "schema", "checks", "openapi", "throttles"}
    if is_face(path) or app_of(path) == "wire" or path.stem in plumbing:
        return

    assert [name for name in imports(path) if name.partition(".")[0] in NOT_FOR_TOPICS] == []


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(ROOT)))
def test_names_say_what_is_inside(path):
    assert path.stem not in BANNED


def test_the_roof_package_stays_empty():
    assert (ROOT / "config" / "__init__.py").read_text() == ""


def test_apps_import_each_other_without_circles():
    graph = {
        app: {
            name.partition(".")[0]
            for path in modules()
            if app_of(path) == app and not is_face(path)
            for name in imports(path)
            if ours(name)
        }
        - {app}
        for app in FLOOR
    }

    assert [(app, used) for app, all_used in graph.items() for used in all_used if app in graph[used]] == []


SECRET_WORDS = {"signature", "secret", "hmac", "password", "mac"}
COMPARED_OPENLY = {("config", "restore"), ("processing", "pdf")}  # at the desk, by whoever holds both; an error code


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(ROOT)))
def test_secrets_are_compared_in_constant_time(path):
    if (app_of(path), path.stem) in COMPARED_OPENLY:
        return

    compared = [
        ast.unparse(node)
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Compare) and any(isinstance(one, ast.Eq | ast.NotEq) for one in node.ops)
    ]

    assert [text for text in compared if SECRET_WORDS & set(re.split(r"[^a-z]+", text.lower()))] == []
