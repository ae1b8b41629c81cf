"""A day of the installed agent on Windows, as a service, from its first file to the drive that was pulled out."""

import os
import signal
from urllib.parse import urlsplit

import pytest

from agent.tests.lab import sha256
from agent.tests.test_remote_config import want, wanted
from agent.tests.visitor import Visitor
from tests.windows.computer import UPLOAD_SECONDS, Computer

pytestmark = [pytest.mark.windows, pytest.mark.slow]
NAMES = {
    "Größenmessung 1/Prüfling ä.csv": b"umlauts",
    "試料 七/スペクトル.csv": b"kanji and katakana",
    "run 🧪/plate 🔬.csv": b"beyond the basic plane",
    "run 🧪/leer.csv": b"",
}


def test_names_of_every_script_arrive_with_their_bytes(day: Computer):
    for path, data in NAMES.items():
        day.write(path, data)

    day.set_up()
    day.agent_says("service", "install")
    stored = day.wait_uploaded(*NAMES)

    assert {path: file["sha256"] for path, file in stored.items()} == {
        path: sha256(data) for path, data in NAMES.items()
    }
    day.wait(
        lambda: list(day.states().values()).count("uploaded") == len(NAMES),
        what="the journal knows it",
        seconds=UPLOAD_SECONDS,
    )
    assert day.agent_says("status")["files"]["uploaded"]["count"] == len(NAMES)


def test_on_request_only_what_was_asked_for_is_uploaded(day: Computer):
    day.write("R1/wanted.csv", b"wanted")
    day.write("R1/other.csv", b"other")
    day.set_up("--mode", "manual")
    day.agent_says("service", "install")
    day.wait(lambda: len(day.files()) == 2, what="two files are reported")

    wanted = day.files()["R1", "R1/wanted.csv"]["id"]
    day.call("POST", f"instruments/{day.instrument}/runs/R1/request-upload", {"file_ids": [wanted]})
    stored = day.wait_uploaded("R1/wanted.csv")

    assert set(stored) == {"R1/wanted.csv"}


def test_a_file_that_another_program_has_for_itself_waits_until_it_is_let_go(day: Computer):
    day.write("R1/alone.csv", b"first half, second half")
    day.write("R1/shared.csv", b"shared")
    day.set_up()
    alone, shared = day.hold("R1/alone.csv", readable=False), day.hold("R1/shared.csv", readable=True)
    day.agent_says("service", "install")

    stored = day.wait_uploaded("R1/shared.csv")
    assert set(stored) == {"R1/shared.csv"}
    alone.kill()
    alone.wait(30)

    stored = day.wait_uploaded("R1/alone.csv")
    assert stored["R1/alone.csv"]["sha256"] == sha256(b"first half, second half")
    assert shared.poll() is None
    shared.kill()
    shared.wait(30)


def test_a_rename_that_changes_case_alone_is_no_new_file(day: Computer):
    day.write("R1/Plate.csv", b"plate")
    day.set_up()
    day.agent_says("service", "install")
    day.wait_uploaded("R1/Plate.csv")

    (day.folder / "R1/Plate.csv").rename(day.folder / "R1/plate.CSV")
    day.wait(lambda: set(day.states()) == {"R1/plate.CSV"}, what="the journal knows the new name")
    day.write("R1/next.csv", b"next")

    assert set(day.wait_uploaded("R1/next.csv")) == {"R1/Plate.csv", "R1/next.csv"}


def test_an_empty_drive_is_one_that_is_there(day: Computer):
    day.set_up()

    found = day.agent_says("check")

    assert "D:\\ can be read" in [check["detail"] for check in found["checks"]]
    assert found["matching_files"] == 0


def test_a_drive_that_is_pulled_out_and_put_back_loses_nothing(day: Computer):
    day.write("R1/a.csv", b"a")
    day.set_up()
    day.agent_says("service", "install")
    day.wait_uploaded("R1/a.csv")

    day.detach_drive()
    day.wait(lambda: day.snapshot().get("is_folder_away"), what="the drive is missed")
    day.write("R1/b.csv", b"b")
    day.attach_drive()

    assert set(day.wait_uploaded("R1/b.csv")) == {"R1/a.csv", "R1/b.csv"}
    assert not day.events("upload_failed")


def test_a_configuration_from_afar_is_taken_by_the_running_service(day: Computer):
    day.set_up()
    day.agent_says("service", "install")
    day.wait(lambda: day.events("config_synced"), what="the service knows the configuration")
    text = day.config.read_text(encoding="utf-8").replace("rescan_seconds: 3", "rescan_seconds: 2")

    want(day, text)
    day.wait(lambda: wanted(day)["state"] == "taken", what=f"it is taken; {wanted(day)}")
    day.write("R1/a.csv", b"a")
    day.wait_uploaded("R1/a.csv")

    assert day.config.read_text(encoding="utf-8") == text
    assert day.state() == "running"


def test_the_page_on_the_computer_opens_for_who_can_read_its_key(day: Computer):
    day.write("R1/a.csv", b"a")
    day.set_up()
    day.agent_says("service", "install")
    day.wait_uploaded("R1/a.csv")

    opened = urlsplit(day.agent_says("open")["address"])
    visitor = Visitor(f"{opened.scheme}://{opened.netloc}")

    assert visitor.get().status_code == 401
    assert visitor.get(f"{opened.path}?{opened.query}").status_code == 303
    assert "R1/a.csv" in visitor.page()
    assert visitor.post("/pause", minutes="15").status_code == 303
    day.write("R1/b.csv", b"b")
    day.wait(lambda: day.states().get("R1/b.csv") == "reported", what="it is reported while bytes wait")
    visitor.post("/resume")
    day.wait_uploaded("R1/b.csv")


def test_the_service_stops_starts_and_outlives_a_crash(day: Computer):
    day.write("R1/a.csv", b"a")
    day.set_up()
    day.agent_says("service", "install")
    day.wait_uploaded("R1/a.csv")
    kept = day.kept()
    assert day.state() == "running"

    day.agent_says("service", "stop")
    assert day.state() == "stopped"
    assert day.call("GET", f"watchers/{day.watcher_id}")["status"] == "stopped"
    day.write("R1/b.csv", b"b")
    day.agent_says("service", "start")
    day.wait_uploaded("R1/b.csv")

    [service] = day.service_pids()
    os.kill(service, signal.SIGKILL)
    day.write("R1/c.csv", b"c")
    day.agent_says("service", "install")  # wine's manager does not start it again; Windows' does
    day.wait_uploaded("R1/a.csv", "R1/b.csv", "R1/c.csv")
    told = day.wait(lambda: day.events("file_uploaded")[2:] and day.events("file_uploaded"), what="all is told")

    assert day.kept()["R1", "R1/a.csv"] == kept["R1", "R1/a.csv"]
    assert sorted(one["details"]["relative_path"] for one in told) == ["R1/a.csv", "R1/b.csv", "R1/c.csv"]
