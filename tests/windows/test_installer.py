"""The installer: from nothing to a watcher, up to the next version, and away again."""

from collections.abc import Callable
from pathlib import Path

import pytest
import requests

from tests.service import Service
from tests.windows.computer import Computer
from tests.windows.conftest import build

pytestmark = [pytest.mark.windows, pytest.mark.slow]
NO_CODE = "AB2C-DE3F-GH4J-KH5M"


@pytest.fixture
def make_code(admin: requests.Session, service: Service) -> Callable[[str], str]:
    """An enrolment code for an instrument, as an admin makes it."""

    def make(instrument: str) -> str:
        answer = admin.post(f"{service.url}/api/v1/enrolment-codes", json={"instrument_id": instrument}, timeout=60)
        assert answer.status_code == 201, answer.text
        return str(answer.json()["data"][0]["code"])

    return make


def test_the_same_sources_give_the_same_bytes(installers: tuple[Path, Path], tmp_path: Path):
    again = build(tmp_path, "0.1.0")

    assert again.read_bytes() == installers[0].read_bytes()


def test_fifty_computers_are_set_up_without_a_question(
    computer: Computer, installers: tuple[Path, Path], make_code: Callable[[str], str]
):
    computer.write("Messung 1/Prüfling.csv", b"a")
    code = make_code(computer.instrument)

    ended = computer.install(
        installers[0], f"/URL={computer.url}", f"/CODE={code}", "/FOLDER=D:\\", f"/INSTRUMENT={computer.instrument}"
    )

    assert ended == 0, computer.set_up_log()
    computer.set(stability_seconds=0.5)
    stored = computer.wait_uploaded("Messung 1/Prüfling.csv")
    assert computer.download(stored["Messung 1/Prüfling.csv"]["id"]) == b"a"
    assert computer.state() == "running"
    assert computer.call("GET", f"watchers/{computer.watcher_id}")["instrument_id"] == computer.instrument


def test_options_may_be_quoted_and_a_folder_may_end_with_a_backslash(
    computer: Computer, installers: tuple[Path, Path], make_code: Callable[[str], str]
):
    computer.write("all data/a.csv", b"a")
    code = make_code(computer.instrument)

    ended = computer.install(installers[0], f"/url={computer.url}/", f"/code={code}", "/folder=D:\\all data\\")

    assert ended == 0, computer.set_up_log()
    computer.set(stability_seconds=0.5)
    assert set(computer.wait_uploaded("a.csv")) == {"a.csv"}


def test_a_code_that_the_service_does_not_take_ends_the_installer_with_the_agents_code(
    computer: Computer, installers: tuple[Path, Path]
):
    ended = computer.install(installers[0], f"/URL={computer.url}", f"/CODE={NO_CODE}", "/FOLDER=D:\\")

    assert ended == 6, computer.set_up_log()
    assert "The service does not take this code" in computer.set_up_log()
    assert computer.state() == "not installed"


@pytest.mark.parametrize("options", [("/ULR=http://127.0.0.1",), ("/FOLDER=D:\\", f"/CODE={NO_CODE}")])
def test_options_that_are_unknown_or_lead_nowhere_install_nothing(
    computer: Computer, installers: tuple[Path, Path], options: tuple[str, ...]
):
    assert computer.install(installers[0], *options) == 2
    assert not (computer.windows.drive / "Program Files/Instrument Watcher").exists()


def test_an_upgrade_keeps_the_service_and_the_journal_and_so_does_an_uninstallation(
    computer: Computer, installers: tuple[Path, Path]
):
    old, new = installers
    computer.write("R1/a.csv", b"a")
    assert computer.install(old) == 0
    computer.set_up()
    computer.agent_says("service", "install")
    computer.wait_uploaded("R1/a.csv")
    kept = computer.kept()

    assert computer.install(new) == 0
    computer.write("R1/b.csv", b"b")
    computer.wait_uploaded("R1/a.csv", "R1/b.csv")
    both = computer.kept()

    assert both["R1", "R1/a.csv"] == kept["R1", "R1/a.csv"]
    watcher = computer.call("GET", f"watchers/{computer.watcher_id}")
    assert watcher["agent_version"] == "0.1.1"
    assert "Agent 0.1.1 started" in computer.log()

    computer.uninstall()

    assert not (computer.windows.drive / "Program Files/Instrument Watcher/python").exists()
    assert not (computer.windows.drive / "Program Files/Instrument Watcher/instrument-watcher.exe").exists()
    assert (computer.home / "journal.sqlite3").exists()
    assert computer.install(new) == 0
    computer.agent_says("service", "install")
    computer.write("R1/c.csv", b"c")
    computer.wait_uploaded("R1/c.csv")
    assert {key: facts for key, facts in computer.kept().items() if key in both} == both
