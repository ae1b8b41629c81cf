"""The house's rules that a machine can hold: who may import whom, and names that say nothing."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
APP_FACES = "every app's api, serializers, admin and urls"
LAYERS = [  # from the floor to the roof: a module imports from lower layers and from its own package
    {"wire"},
    {"jobs"},
    {"accounts"},
    {"changes"},
    {"instruments"},
    {"watchers"},
    {"runs"},
    {"files"},
    {"datasets"},
    {"archives", "processing"},
    {"retention"},
    {"notifications", "feedback"},
    {"overview"},
    {APP_FACES},
    {"mcp_server", "dashboard"},
    {"web"},
    {"operations"},
    {"config"},
]
LEVEL = {name: number for number, names in enumerate(LAYERS) for name in names}
PACKAGES = sorted(set(LEVEL) - {APP_FACES})
FACES = {"api", "serializers", "admin", "urls"}
DOMAIN_APPS = {name for name in PACKAGES if LEVEL["jobs"] < LEVEL[name] < LEVEL[APP_FACES]}
BANNED = {"utils", "helpers", "common", "misc", "services", "managers", "base", "constants", "views"}


def modules() -> list[Path]:
    found = [path for package in PACKAGES for path in (ROOT / package).rglob("*.py")]
    return sorted(path.relative_to(ROOT) for path in found if "migrations" not in path.parts)


def imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse((ROOT / path).read_text())):
        if isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def level_of(dotted: str) -> int:
    """The layer of `runs.search` or `runs.search.search_runs`; of `runs.api` it is that of the faces."""
    package, *inner = dotted.split(".")
    return LEVEL[APP_FACES if package in DOMAIN_APPS and not FACES.isdisjoint(inner) else package]


def is_ours(dotted: str) -> bool:
    return dotted.partition(".")[0] in PACKAGES


def package_of(path: Path) -> str:
    return path.parts[0]


def dotted_name(path: Path) -> str:
    return ".".join(path.with_suffix("").parts)


each_module = pytest.mark.parametrize("path", modules(), ids=str)


@each_module
def test_modules_import_downward_only(path):
    own = level_of(dotted_name(path))

    upward = [
        name
        for name in imports(path)
        if is_ours(name) and name.partition(".")[0] != package_of(path) and level_of(name) > own
    ]

    assert upward == []


@each_module
def test_modules_of_one_layer_leave_each_other_alone(path):
    own = level_of(dotted_name(path))
    if own == LEVEL[APP_FACES]:  # one app's wire shapes hold another's
        return

    sideways = [
        name
        for name in imports(path)
        if is_ours(name) and name.partition(".")[0] != package_of(path) and level_of(name) == own
    ]

    assert sideways == []


@each_module
def test_topic_modules_do_not_know_their_faces(path):
    if level_of(dotted_name(path)) >= LEVEL[APP_FACES]:
        return

    assert [name for name in imports(path) if is_ours(name) and level_of(name) == LEVEL[APP_FACES]] == []


@each_module
def test_topic_modules_know_nothing_of_rest(path):
    plumbing = {"authentication", "permissions", "schema", "checks", "openapi", "throttles", "viewsets", "idempotency"}
    if package_of(path) not in DOMAIN_APPS or path.stem in FACES | plumbing:
        return

    assert [name for name in imports(path) if name.partition(".")[0] == "rest_framework"] == []


@each_module
def test_names_say_what_is_inside(path):
    assert path.stem not in BANNED


def test_the_roof_holds_the_wiring_and_nothing_else():
    held = {path.name for path in (ROOT / "config").iterdir() if path.name != "__pycache__"}

    assert held == {
        "__init__.py",
        *("settings.py", "urls.py", "api_urls.py", "asgi.py", "wsgi.py", "celery.py", "schedule.py"),
    }
    assert (ROOT / "config" / "__init__.py").read_text() == ""


def test_packages_import_each_other_without_circles():
    graph: dict[str, set[str]] = {package: set() for package in PACKAGES}
    for path in modules():
        if level_of(dotted_name(path)) != LEVEL[APP_FACES]:
            graph[package_of(path)] |= {name.partition(".")[0] for name in imports(path) if is_ours(name)}

    assert [(one, other) for one, used in graph.items() for other in used - {one} if one in graph[other]] == []


SECRET_WORDS = {"signature", "secret", "hmac", "password", "mac"}
COMPARED_OPENLY = {
    ("operations", "restore"),
    ("processing", "pdf"),
}  # at the desk, by whoever holds both; an error code


@each_module
def test_secrets_are_compared_in_constant_time(path):
    if (package_of(path), path.stem) in COMPARED_OPENLY:
        return

    compared = [
        ast.unparse(node)
        for node in ast.walk(ast.parse((ROOT / path).read_text()))
        if isinstance(node, ast.Compare) and any(isinstance(one, ast.Eq | ast.NotEq) for one in node.ops)
    ]

    assert [text for text in compared if SECRET_WORDS & set(re.split(r"[^a-z]+", text.lower()))] == []


CITED = re.compile(r"(?<![\w/])[\w./-]*\w\.md\b")
SOURCES = {".py", ".html", ".css", ".js", ".service", ".yaml", ".env", ".toml"}
WRITTEN_ELSEWHERE = {"README.md", "readme.md", "notes.md"}  # names of files that tests make


def sources() -> list[Path]:
    folders = [*PACKAGES, "templates", "agent", "client", "deploy", "tests", "docs/examples"]
    found = [path for folder in folders for path in (ROOT / folder).rglob("*") if path.suffix in SOURCES]
    return sorted(path for path in found if path.is_file())


def test_sources_cite_only_documents_that_are_here():
    cited = {(path, name) for path in sources() for name in CITED.findall(path.read_text())}

    assert {(path, name) for path, name in cited if not is_here(name, beside=path)} == set()


def is_here(name: str, *, beside: Path) -> bool:
    places = (ROOT, ROOT / "docs", beside.parent)
    return name in WRITTEN_ELSEWHERE or any((place / name).is_file() for place in places)


def page_sources() -> list[Path]:
    found = [*ROOT.glob("templates/**/*.html"), *ROOT.glob("*/static/**/*.css"), *ROOT.glob("*/static/**/*.js")]
    return sorted(found)


@pytest.mark.parametrize("path", page_sources(), ids=lambda path: str(path.relative_to(ROOT)))
def test_sources_of_pages_keep_to_the_width_and_length_that_read_well(path):
    lines = path.read_text().splitlines()

    assert [number for number, line in enumerate(lines, 1) if len(line) > 120] == []
    assert len(lines) <= 250
