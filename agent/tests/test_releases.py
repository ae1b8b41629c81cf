"""Signed releases: installed beside what runs, on trial until they report, gone back from where they do not."""

import hashlib
import json
import os
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from agent.packaging.updates import pack
from agent.tests.lab import Lab, wait_until
from agent.tests.running import Service
from agent.tests.test_update import Change, build_wheel, changed_sources, make_environment
from instrument_watcher.releases.file import platform_name
from instrument_watcher.releases.versions import Versions

slow = pytest.mark.slow
HASTE: tuple[Change, ...] = (
    ("duties.py", "FIRST_UPDATE_WITHIN = 60.0", "FIRST_UPDATE_WITHIN = 1.5"),
    ("duties.py", "UPDATE_EVERY = 3600.0", "UPDATE_EVERY = 2.0"),
    (
        "releases/supervisor.py",
        "REPORT_WITHIN = 300.0",
        'REPORT_WITHIN = float(__import__("os").environ.get("IDS_TESTS_REPORT_WITHIN", "300"))',
    ),
)
BROKEN_AT_IMPORT = ("cli/main.py", "import io\n", 'raise RuntimeError("broken at import")\n')
ENDS_AT_ONCE = ("agent.py", "        self._begin()\n", "        raise SystemExit(1)\n")
NEVER_REPORTS = ("duties.py", "        if parts.link.is_to_keep_still():\n", "        if True:\n")
NEWER_JOURNAL = (
    ("journal/schema.py", "\nVERSION = 4\n", "\nVERSION = 5\n"),
    ("journal/schema.py", "STEPS[version] + FROM_VERSION_3", 'STEPS[version] + FROM_VERSION_3 if version < 4 else ""'),
)
PUBLISH = """
from django.utils import timezone
from watchers.models import Watcher, WatcherRelease
Watcher.objects.filter(pk="{watcher}").update(channel="beta")
WatcherRelease.objects.filter(version="{version}", channel="beta").update(published_at=timezone.now(), **{fields})
"""
CHANGE = """
from django.utils import timezone
from watchers.models import WatcherRelease
WatcherRelease.objects.filter(channel="beta").update(**{fields})
"""
FORGET = 'from watchers.models import WatcherRelease; WatcherRelease.objects.filter(channel="beta").delete()'
Publish = Callable[..., Path]


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Python with the agent 0.1.0, in haste, as a person would have installed it."""
    wheel = build_wheel(tmp_path_factory.mktemp("wheels"), "0.1.0", *HASTE)
    return make_environment(tmp_path_factory.mktemp("base"), wheel) / "bin" / "python"


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A release is waited for as long as a busy computer needs, but where it is never heard of."""
    monkeypatch.setenv("IDS_TESTS_REPORT_WITHIN", "8")


@pytest.fixture(scope="module")
def key(service: Service, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    return make_key(service, tmp_path_factory.mktemp("keys") / "release-key.pem")


@pytest.fixture
def enrolled(lab: Lab, environment: Path, key: tuple[Path, str]) -> Lab:
    """A lab whose agent was given the key of releases, and that runs as installed."""
    lab.init()
    (lab.home / "release-key").write_text(key[1])
    lab.python, lab.program = str(environment), ["-m", "instrument_watcher"]
    return lab


@pytest.fixture
def publish(service: Service, enrolled: Lab, key: tuple[Path, str], tmp_path: Path) -> Iterator[Publish]:
    """publish("0.2.0", change, …) offers the agent of this checkout, changed, as a release signed with the key."""

    def do(version: str, *changes: Change, signed_with: Path | None = key[0], **fields: Any) -> Path:
        file = build_release(tmp_path, version, *HASTE, *changes)
        signing = [] if signed_with is None else ["--key", str(signed_with)]
        service.manage("add_release", str(file), "--channel", "beta", *signing)
        service.manage("shell", "-c", PUBLISH.format(version=version, watcher=enrolled.watcher_id, fields=fields))
        return file

    yield do
    enrolled.stop()
    service.manage("shell", "-c", FORGET)


def make_key(service: Service, place: Path) -> tuple[Path, str]:
    said = service.manage("release_key", str(place))
    return place, said.strip().partition("=")[2]


def build_release(folder: Path, version: str, *changes: Change, platform: str | None = None) -> Path:
    tree = folder / f"tree-{version}"
    for name, content in changed_sources(version, *changes).items():
        place = tree / "any" / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)
    file = folder / f"instrument-watcher-{version}.zip"
    pack(tree, file, version=version, platforms=[platform or platform_name()])
    return file


def running_version(lab: Lab) -> str:
    return str(lab.call("GET", f"watchers/{lab.watcher_id}")["agent_version"])


def told(lab: Lab, kind: str) -> str:
    [event] = wait_until(lambda: lab.events(kind), seconds=120, what=f"{kind}; {lab.output[-2000:]}")
    return str(event["message"])


def command(lab: Lab, *arguments: str) -> str:
    """What it prints, called as a person would."""
    environ = {**os.environ, "INSTRUMENT_WATCHER_HOME": str(lab.home), "PYTHONPATH": ""}
    said = subprocess.run(
        [lab.python, "-m", "instrument_watcher", *arguments], env=environ, capture_output=True, text=True, check=True
    )
    return said.stdout


def assert_goes_on(lab: Lab, version: str) -> None:
    count = len(lab.states()) + 1
    lab.write(f"R{time.time_ns()}/a.csv", os.urandom(9))
    lab.wait_stored(count)
    assert running_version(lab) == version
    assert lab.agent is not None
    assert lab.agent.poll() is None


@slow
def test_a_release_is_installed_reports_and_is_gone_back_from_when_it_is_withdrawn(
    enrolled: Lab, publish: Publish, service: Service
):
    publish("0.2.0")
    enrolled.start()

    assert told(enrolled, "update_succeeded") == "Version 0.2.0 runs and reports."
    assert_goes_on(enrolled, "0.2.0")

    service.manage("shell", "-c", CHANGE.format(fields="{'withdrawn_at': timezone.now()}"))
    wait_until(lambda: len(enrolled.events("update_succeeded")) == 2, seconds=120)
    assert_goes_on(enrolled, "0.1.0")
    assert enrolled.stop() == 0


@slow
def test_a_release_that_chose_another_is_followed_by_it_whatever_its_exit_code(
    enrolled: Lab, publish: Publish, service: Service
):
    publish("0.2.0", ("cli/run.py", "    raise Exit(code)\n", "    raise Exit(120)\n"))
    enrolled.start()
    told(enrolled, "update_succeeded")

    service.manage("shell", "-c", CHANGE.format(fields="{'withdrawn_at': timezone.now()}"))
    wait_until(lambda: len(enrolled.events("update_succeeded")) == 2, seconds=120)

    assert_goes_on(enrolled, "0.1.0")


@slow
def test_an_older_version_that_was_kept_is_gone_back_to_without_fetching_it(
    enrolled: Lab, publish: Publish, service: Service
):
    publish("0.2.0")
    enrolled.start()
    wait_until(lambda: running_version(enrolled) == "0.2.0", seconds=120)
    publish("0.3.0")
    wait_until(lambda: running_version(enrolled) == "0.3.0", seconds=120)
    (enrolled.home / "release-key").write_text("nobody's")  # what is fetched would be refused

    service.manage("shell", "-c", CHANGE.replace('"beta"', '"beta", version="0.3.0"').format(
        fields="{'withdrawn_at': timezone.now()}"))  # fmt: skip

    wait_until(lambda: running_version(enrolled) == "0.2.0", seconds=120)
    assert_goes_on(enrolled, "0.2.0")


@slow
@pytest.mark.parametrize(
    ("change", "why"),
    [
        (BROKEN_AT_IMPORT, "Update to 0.2.0 failed: Its self-test failed: RuntimeError: broken at import"),
        (("__init__.py", '"0.2.0"', '"0.2.1"'), "Update to 0.2.0 failed: It calls itself 0.2.1."),
    ],
)
def test_a_release_that_fails_its_self_test_is_never_started(enrolled: Lab, publish: Publish, change: Change, why: str):
    publish("0.2.0", change)
    enrolled.start()

    message = told(enrolled, "update_failed")

    assert message.startswith(why)
    assert Versions(enrolled.home / "versions").state.trial is None
    assert_goes_on(enrolled, "0.1.0")


@slow
@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize(
    ("change", "why"),
    [(NEVER_REPORTS, "It did not report within 8 s."), (ENDS_AT_ONCE, "It ended with code 1 before it reported.")],
)
def test_a_release_that_does_not_report_is_gone_back_from(enrolled: Lab, publish: Publish, change: Change, why: str):
    publish("0.2.0", change)
    enrolled.start()

    message = told(enrolled, "update_failed")

    assert message == f"Back from version 0.2.0 to 0.1.0. {why}"
    assert_goes_on(enrolled, "0.1.0")


@slow
@pytest.mark.usefixtures("impatient")
def test_a_journal_that_the_release_changed_is_made_anew_by_the_version_before(enrolled: Lab, publish: Publish):
    enrolled.write("R1/a.csv", b"before")
    publish("0.2.0", *NEWER_JOURNAL, NEVER_REPORTS)
    enrolled.start()

    told(enrolled, "update_failed")
    enrolled.write("R1/b.csv", b"after")
    wait_until(lambda: len(enrolled.stored()) == 2)

    assert running_version(enrolled) == "0.1.0"
    assert [path.name for path in enrolled.home.glob("journal-newer-*.sqlite3")] != []


@slow
def test_a_release_of_another_key_is_refused_and_told(
    enrolled: Lab, publish: Publish, service: Service, tmp_path: Path
):
    publish("0.2.0", signed_with=make_key(service, tmp_path / "another.pem")[0])
    enrolled.start()

    assert "is not signed with the key that this computer was given" in told(enrolled, "update_failed")
    assert not (enrolled.home / "versions" / "0.2.0").exists()
    assert_goes_on(enrolled, "0.1.0")


@slow
def test_a_release_without_a_signature_is_refused_and_told(enrolled: Lab, publish: Publish):
    publish("0.2.0", signed_with=None)
    enrolled.start()

    assert "The release is not signed" in told(enrolled, "update_failed")
    assert_goes_on(enrolled, "0.1.0")


@slow
def test_a_file_that_was_damaged_is_refused_and_told(enrolled: Lab, publish: Publish, service: Service):
    file = publish("0.2.9")  # of this test alone: equal files are stored once
    digest, size = hashlib.sha256(file.read_bytes()).hexdigest(), file.stat().st_size
    [stored] = Path(vars(service)["data"]).rglob(f"releases/{digest}@/data")
    with stored.open("r+b") as stream:
        stream.seek(size // 2)
        stream.write(b"damage")
    enrolled.start()

    assert "was damaged on its way: its SHA-256 differs" in told(enrolled, "update_failed")
    assert_goes_on(enrolled, "0.1.0")


@slow
def test_a_wave_that_ends_before_a_watcher_s_place_does_not_reach_it(enrolled: Lab, publish: Publish, service: Service):
    place = int(enrolled.watcher_id.replace("-", "")[-8:], 16) % 100
    publish("0.2.0", wave_percent=place)

    before = json.loads(command(enrolled, "update", "--check", "--json"))
    service.manage("shell", "-c", CHANGE.format(fields={"wave_percent": place + 1}))
    after = json.loads(command(enrolled, "update", "--check", "--json"))

    assert (before["update_available"], after["update_available"]) == (False, True)


@slow
def test_a_version_whose_supervisor_is_killed_ends_too(enrolled: Lab, publish: Publish):
    publish("0.2.0")
    agent = enrolled.start()
    wait_until(lambda: enrolled.events("update_succeeded"), seconds=120)
    [child] = children_of(agent.pid)

    agent.kill()
    agent.wait(40)

    wait_until(lambda: not Path(f"/proc/{child}").exists(), seconds=60)
    enrolled.start()
    assert_goes_on(enrolled, "0.2.0")


@slow
def test_commands_of_the_terminal_are_those_of_the_version_that_runs(enrolled: Lab, publish: Publish):
    publish("0.2.0")
    enrolled.start()
    wait_until(lambda: enrolled.events("update_succeeded"), seconds=120)

    assert command(enrolled, "--version") == "instrument-watcher, version 0.2.0\n"


def children_of(pid: int) -> list[int]:
    text = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    return [int(word) for word in text.split()]
