"""The documents name what is there: links lead somewhere, paths exist, every command of ours is explained."""

import re
from pathlib import Path

CHECKOUT = Path(__file__).parents[1]
OF_THE_READER = {".cursor/mcp.json", ".vscode/mcp.json", "deploy/local/ids.env", "/etc/ids/ids.env"}
ROOTS = (CHECKOUT, CHECKOUT / "docs", CHECKOUT / "agent" / "src" / "instrument_watcher")
LINK = re.compile(r"\]\(([^)\s]+)\)")
NAMED_PATH = re.compile(r"`([\w.-]+/[\w./-]*\.(?:py|md|conf|yaml|acl|sql|env|sh|ini|lock|toml))`")
HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)
SETTING = re.compile(r"(    )?[A-Z][A-Z0-9_]+=\S")
COMMANDS = "*/management/commands/[a-z]*.py"


def read_documents() -> dict[Path, str]:
    """Without the changelog, which tells of what was."""
    found = [*CHECKOUT.glob("*.md"), *CHECKOUT.glob("*/*.md")]
    return {path: path.read_text() for path in found if path.name != "CHANGELOG.md"}


def anchors_of(text: str) -> set[str]:
    plain = (re.sub(r"[^\w\- ]", "", heading.lower()) for heading in HEADING.findall(text))
    return {heading.strip().replace(" ", "-") for heading in plain}


def leads_somewhere(link: str, document: Path) -> bool:
    place, _, anchor = link.partition("#")
    target = document.parent / place if place else document
    return target.exists() and (not anchor or anchor in anchors_of(target.read_text()))


def test_every_link_leads_somewhere():
    links = {(path, link) for path, text in read_documents().items() for link in LINK.findall(text)}
    inside = {(path, link) for path, link in links if not re.match(r"https?:|/api/", link)}

    assert inside
    assert [(path.name, link) for path, link in inside if not leads_somewhere(link, path)] == []


def test_every_path_that_is_named_exists():
    named = {name for text in read_documents().values() for name in NAMED_PATH.findall(text)} - OF_THE_READER

    assert named
    assert sorted(name for name in named if not any((root / name).exists() for root in ROOTS)) == []


def test_every_command_of_ours_is_explained():
    commands = {path.stem for path in CHECKOUT.glob(COMMANDS)}
    words = set(re.findall(r"\w+", "".join(read_documents().values())))

    assert "create_token" in commands
    assert sorted(commands - words) == []


def test_no_setting_has_a_comment_behind_it():
    """systemd and --env-file take it for a part of the value."""
    shown = [line for text in read_documents().values() for line in text.splitlines() if SETTING.match(line)]

    assert shown
    assert [line for line in shown if re.search(r"\s#", line)] == []
