"""A release on Windows: the service host is the supervisor, and goes to another version and back from it."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from agent.tests.test_releases import CHANGE, ENDS_AT_ONCE, FORGET, PUBLISH, build_release, make_key
from agent.tests.test_update import Change, changed_sources
from tests.service import Service
from tests.windows.computer import Computer

pytestmark = [pytest.mark.windows, pytest.mark.slow]
PLATFORM = "win32-amd64-3.11"
PACKAGES = "Program Files/Instrument Watcher/python/Lib/site-packages"
HASTE: tuple[Change, ...] = (
    ("duties.py", "FIRST_UPDATE_WITHIN = 60.0", "FIRST_UPDATE_WITHIN = 1.5"),
    ("duties.py", "UPDATE_EVERY = 3600.0", "UPDATE_EVERY = 2.0"),
)
WITHDRAW = CHANGE.format(fields="{'withdrawn_at': timezone.now()}")
Publish = Callable[..., None]


@pytest.fixture(scope="module")
def key(service: Service, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    return make_key(service, tmp_path_factory.mktemp("keys") / "release-key.pem")


@pytest.fixture
def enrolled(day: Computer, key: tuple[Path, str]) -> Computer:
    """The installed agent, in haste, with the key of releases."""
    for name, content in changed_sources("0.1.0", *HASTE).items():
        place = day.windows.drive / PACKAGES / name
        if place.read_bytes() != content:
            place.unlink()  # a name of the kept one's file
            place.write_bytes(content)
    day.set_up()
    (day.home / "release-key").write_text(key[1])
    return day


@pytest.fixture
def publish(service: Service, enrolled: Computer, key: tuple[Path, str], tmp_path: Path) -> Iterator[Publish]:
    """publish("0.2.0", change, …) offers the agent of this checkout, changed, as a signed release."""

    def do(version: str, *changes: Change) -> None:
        file = build_release(tmp_path, version, *HASTE, *changes, platform=PLATFORM)
        service.manage("add_release", str(file), "--channel", "beta", "--key", str(key[0]))
        service.manage("shell", "-c", PUBLISH.format(version=version, watcher=enrolled.watcher_id, fields={}))

    yield do
    service.manage("shell", "-c", FORGET)


def test_a_release_is_installed_and_gone_back_from_when_it_is_withdrawn(
    enrolled: Computer, publish: Publish, service: Service
):
    publish("0.2.0")
    enrolled.agent_says("service", "install")
    start_again(enrolled)
    enrolled.wait(lambda: running_version(enrolled) == "0.2.0", what="version 0.2.0 reports")
    enrolled.agent_says("service", "stop")
    assert enrolled.state() == "stopped"
    enrolled.agent_says("service", "start")

    service.manage("shell", "-c", WITHDRAW)
    enrolled.wait(lambda: running_version(enrolled) == "0.1.0", what="version 0.1.0 reports again")
    enrolled.write("R1/a.csv", b"a")
    enrolled.wait_uploaded("R1/a.csv")

    assert [event["message"] for event in reversed(enrolled.events("update_succeeded"))] == [
        "Version 0.2.0 runs and reports.",
        "Version 0.1.0 runs and reports.",
    ]
    assert "is away" not in enrolled.log()
    assert enrolled.state() == "running"


def test_a_release_that_ends_before_it_reports_is_gone_back_from(enrolled: Computer, publish: Publish):
    publish("0.2.0", ENDS_AT_ONCE)
    enrolled.agent_says("service", "install")
    start_again(enrolled)

    [told] = enrolled.wait(lambda: enrolled.events("update_failed"), what="it is told")
    enrolled.write("R1/a.csv", b"a")
    enrolled.wait_uploaded("R1/a.csv")

    assert told["message"] == "Back from version 0.2.0 to 0.1.0. It ended with code 1 before it reported."
    assert running_version(enrolled) == "0.1.0"


def start_again(computer: Computer) -> None:
    """The first release ends the process that ran until then; Windows' manager starts it again, wine's does not."""
    computer.wait(lambda: not computer.service_pids(), what="the process ends for the release")
    computer.agent_says("service", "install")


def running_version(computer: Computer) -> str:
    return str(computer.call("GET", f"watchers/{computer.watcher_id}")["agent_version"])
