"""What people do at the page: pause, go on, send now, check."""

import contextlib
import sqlite3

from agent.tests.gate import Gate
from agent.tests.lab import MIB, Lab, made, wait_until
from agent.tests.visitor import Visitor, let_in, page_address
from tests.ports import free_port


def test_a_pause_keeps_bytes_back_and_nothing_else(lab: Lab):
    visitor = _running(lab)

    answer = visitor.post("/pause", minutes="15")
    lab.write("R1/a.csv", b"12345")
    wait_until(lambda: lab.states().get("R1/a.csv") == "reported" and lab.runs(), what="the run is reported")
    wait_until(lambda: lab.events("uploads_paused"), what="the service hears of it")

    assert (answer.status_code, answer.headers["Location"]) == (303, "/?done=/pause")
    assert lab.stored() == {}
    assert "Paused until" in visitor.page()
    wait_until(lambda: lab.snapshot().get("paused_until"))
    assert "uploads are paused until" in lab.command("status").stdout


def test_after_it_everything_arrives(lab: Lab):
    visitor = _running(lab)
    visitor.post("/pause", minutes="60")
    lab.write("R1/a.csv", b"12345")
    wait_until(lambda: lab.states().get("R1/a.csv") == "reported")

    visitor.post("/resume")

    lab.wait_stored(1)
    wait_until(lambda: lab.events("uploads_resumed"), what="the service hears of it")
    assert "Paused until" not in visitor.page()


def test_a_pause_stops_what_is_under_way_which_goes_on_where_it_was(lab: Lab):
    data = made(1, 12 * MIB)
    visitor = _running(lab, bandwidth_limit_mib=0.2)
    lab.write("R1/large.raw", data)
    wait_until(lambda: "uploading" in visitor.page().partition("Waiting</h2>")[0], what="it is uploaded")

    visitor.post("/pause", minutes="15")
    wait_until(lambda: "progress" not in visitor.page(), what="nothing is under way")
    assert lab.stored() == {}
    lab.set(bandwidth_limit_mib=None)
    wait_until(lambda: lab.output.count("takes it over") == 1)
    wait_until(lambda: "Paused until" in _page(visitor), what="the next agent knows of the pause")
    visitor.post("/resume")

    [file] = lab.wait_stored(1).values()
    assert lab.download(file["id"]) == data


def test_upload_now_waits_for_no_file_to_settle(lab: Lab):
    visitor = _running(lab, stability_seconds=3600, rescan_seconds=3600)
    lab.write("R1/a.csv", b"12345")
    wait_until(lambda: lab.snapshot().get("settling") == 1)

    visitor.post("/upload-now")

    lab.wait_stored(1)


def test_half_a_file_is_not_taken_where_no_second_version_would_be(lab: Lab):
    visitor = _running(lab, stability_seconds=3600, rescan_seconds=3600, on_change="ignore")
    lab.write("R1/a.csv", b"12345")
    wait_until(lambda: lab.snapshot().get("settling") == 1)
    before = lab.snapshot()["scanned_at"]

    visitor.post("/upload-now")
    wait_until(lambda: lab.snapshot()["scanned_at"] > before, what="the folder is looked through")

    assert lab.states() == {}


def test_upload_now_waits_for_no_further_attempt(lab: Lab):
    is_full = [True]

    def refuse(method: str, path: str, body: object) -> tuple[int, dict[str, object]] | None:
        if is_full[0] and path.endswith("request-upload-url"):
            return 409, {"error": {"code": "CONFLICT", "message": "Not now.", "details": {}}}
        return None

    with Gate(lab.url, refuse) as gate:
        visitor = _running(lab, server=gate.url)
        lab.write("R1/a.csv", b"12345")
        wait_until(lambda: lab.journal().get("R1/a.csv", {}).get("attempts", 0) >= 6, what="it is tried seldom")
        assert "failed" in visitor.page().partition("Waiting</h2>")[2]
        _put_off(lab, seconds=3600)
        is_full[0] = False
        visitor.post("/upload-now")
        lab.wait_stored(1)
        lab.stop()


def test_upload_now_ends_a_pause(lab: Lab):
    visitor = _running(lab)
    visitor.post("/pause", minutes="720")
    lab.write("R1/a.csv", b"12345")

    visitor.post("/upload-now")

    lab.wait_stored(1)


def test_check_says_what_the_command_says(lab: Lab):
    visitor = _running(lab)
    visitor.post("/pause", minutes="15")
    lab.write("R1/a.csv", b"12345")

    visitor.post("/check")
    page = wait_until(lambda: "Everything holds" in visitor.page() and visitor.page(), what="it was checked")

    assert "the token “watcher” holds what an agent needs" in page
    assert "Not uploaded yet: 1 file, 5 B, in 1 run." in page


def test_check_says_what_does_not_hold_and_the_remedy(lab: Lab):
    visitor = _running(lab)
    (lab.home / "token").write_text("")

    visitor.post("/check")

    page = wait_until(lambda: "There is no token" in visitor.page() and visitor.page(), what="it was checked")
    assert "Give one with: instrument-watcher init" in page


def _running(lab: Lab, **settings: object) -> Visitor:
    """Somebody at the page of an agent that has begun."""
    lab.init(port=free_port(), **settings)
    lab.start()
    wait_until(lambda: lab.snapshot().get("scanned_at"))
    page_address(lab)
    return let_in(lab)


def _put_off(lab: Lab, *, seconds: int) -> None:
    """What waits for its next attempt waits for so much longer."""
    with contextlib.closing(sqlite3.connect(lab.home / "journal.sqlite3", timeout=30)) as journal, journal:
        journal.execute("UPDATE files SET next_attempt = next_attempt + ?", [seconds])


def _page(visitor: Visitor) -> str:
    """Nothing while the agent begins anew."""
    try:
        return visitor.page()
    except OSError:
        return ""
