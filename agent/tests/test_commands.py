"""The command line, as scripts and operators use it."""

import platform
import stat
import sys

import pytest

from agent.tests.lab import Lab, sha256, wait_until


def test_init_creates_an_instrument_and_says_what_it_made(lab: Lab):
    lab.instrument = f"{lab.instrument}-new"

    made = lab.json(
        "init", "--server", lab.url, "--instrument", lab.instrument, "--new-instrument", "Größter Reader",
        "--folder", str(lab.folder), "--pattern", "*.csv", "--pattern", "*.raw",
    )  # fmt: skip

    assert made == {"watcher_id": lab.watcher_id, "instrument_id": lab.instrument, "config": str(lab.config)}
    assert lab.call("GET", f"instruments/{lab.instrument}")["display_name"] == "Größter Reader"
    assert lab.call("GET", f"instruments/{lab.instrument}")["file_patterns"] == ["*.csv", "*.raw"]
    assert lab.call("GET", f"watchers/{lab.watcher_id}/config")["config_yaml"] == lab.config.read_text(encoding="utf-8")
    assert sys.platform == "win32" or stat.S_IMODE((lab.home / "token").stat().st_mode) == 0o600


def test_init_again_changes_the_answers_and_keeps_the_registration(lab: Lab):
    lab.init(parallel=3)
    before, moved = lab.watcher_id, lab.url.replace("127.0.0.1", "localhost")

    lab.json("init", "--server", moved, "--instrument", lab.instrument, "--folder", str(lab.folder), "--mode", "manual")

    assert lab.watcher_id == before
    assert f'server: "{moved}"' in lab.config.read_text()
    assert "parallel: 3" in lab.config.read_text()
    assert "upload_mode: manual" in lab.config.read_text()


def test_a_held_instrument_says_who_holds_it_and_how_to_free_it(lab: Lab):
    lab.init()
    holder = lab.watcher_id
    lab.config.unlink()

    error = lab.json("init", "--server", lab.url, "--instrument", lab.instrument, "--folder", str(lab.folder), code=6)

    assert error["error"]["message"].startswith(
        f"{lab.instrument} is held by another watcher: {holder} on {platform.node()}"
    )
    assert "Deregister" in error["error"]["remedy"]


def test_a_pattern_is_taken_as_it_was_written(lab: Lab):
    lab.json("init", "--server", lab.url, "--instrument", lab.instrument, "--folder", str(lab.folder), "--pattern", "*")

    assert lab.call("GET", f"instruments/{lab.instrument}")["file_patterns"] == ["*"]


def test_names_that_a_code_page_lacks_end_no_command(lab: Lab):
    lab.write("試料 1/スペクトル.csv", b"12345")
    lab.init()

    said = lab.command("check", PYTHONIOENCODING="cp1252")
    answer = lab.json("check", PYTHONIOENCODING="cp1252")

    assert said.returncode == 0, said.stdout + said.stderr
    assert answer["runs"] == [{"run_id": "試料 1", "files": 1, "size_bytes": 5}]


def test_names_that_a_code_page_lacks_are_logged_all_the_same(lab: Lab, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PYTHONIOENCODING", "cp1252")
    lab.write("試料 1/スペクトル.csv", b"12345")
    lab.init()

    lab.start()
    lab.wait_stored(1)

    assert "Found \\u8a66\\u6599 1/" in lab.output
    assert "Logging error" not in lab.output


def test_what_is_missing_in_a_script_is_named(lab: Lab):
    done = lab.command("init", "--yes", "--server", lab.url, INSTRUMENT_WATCHER_TOKEN=lab.token)

    assert done.returncode == 2
    assert "--instrument is needed." in done.stdout


def test_check_stops_at_the_first_thing_that_does_not_hold(lab: Lab):
    lab.init()
    lab.set(watch_directory=str(lab.folder / "not mounted"))

    answer = lab.json("check", code=7)

    assert [one["name"] for one in answer["checks"]] == [
        "configuration", "token", "address", "scopes", "instrument", "registration",
    ]  # fmt: skip
    assert "not mounted cannot be read: " in answer["error"]["message"]


def test_check_shows_what_would_be_uploaded_and_changes_nothing(lab: Lab):
    lab.write("R1/a.csv", b"12345")
    lab.write("R1/a.tmp", b"x")
    lab.write("loose.csv", b"x")
    lab.init()

    answer = lab.json("check")

    assert answer["runs"] == [{"run_id": "R1", "files": 1, "size_bytes": 5}]
    assert answer["refused"] == [
        {"path": "loose.csv", "reason": "It lies in no folder of its own, and folders are the runs."}
    ]
    assert lab.runs() == {}


def test_check_tells_a_token_that_may_not_enough(lab: Lab):
    lab.init()
    (lab.home / "token").write_text("ids_000000000000000000000000000000000000000000\n")

    assert lab.json("check", code=5)["error"]["code"] == "TOKEN"


def test_upload_sends_single_files_to_the_run_of_choice(lab: Lab, tmp_path):
    lab.init()
    inside, outside = lab.write("R1/inside.csv", b"inside"), tmp_path / "outside.pdf"
    outside.write_bytes(b"outside")

    answer = lab.json("upload", str(inside), str(outside), "--run", "by hand")
    again = lab.json("upload", str(inside), "--run", "by hand")

    assert [(file["path"], file["state"]) for file in answer["files"]] == [
        ("R1/inside.csv", "uploaded"), ("outside.pdf", "uploaded"),
    ]  # fmt: skip
    assert again["files"][0]["file_id"] == answer["files"][0]["file_id"]
    assert {key: file["sha256"] for key, file in lab.stored().items()} == {
        ("by hand", "R1/inside.csv"): sha256(b"inside"),
        ("by hand", "outside.pdf"): sha256(b"outside"),
    }


def test_upload_of_other_bytes_under_a_stored_name_keeps_both(lab: Lab, tmp_path):
    lab.init()
    place = tmp_path / "a.csv"
    place.write_bytes(b"first")
    lab.json("upload", str(place), "--run", "R1")
    place.write_bytes(b"other")

    answer = lab.json("upload", str(place), "--run", "R1")

    assert (answer["files"][0]["state"], answer["files"][0]["reason"]) == ("uploaded", None)
    assert set(lab.files()) == {("R1", "a.csv"), ("R1", "a~2.csv")}


def test_two_agents_do_not_share_a_home(lab: Lab):
    lab.init()
    lab.start()
    wait_until(lambda: lab.events("watcher_started"))

    second = lab.command("run")

    assert second.returncode == 8
    assert "Another agent runs" in second.stdout


def test_stopping_says_goodbye(lab: Lab):
    lab.init()
    lab.start()
    wait_until(lambda: lab.events("watcher_started"))

    code = lab.stop()

    assert code == 0
    assert lab.call("GET", f"watchers/{lab.watcher_id}")["status"] == "stopped"
    assert lab.events("watcher_stopped")


def test_a_deregistered_watcher_ends_with_the_remedy(lab: Lab):
    lab.init()
    agent = lab.start()
    wait_until(lambda: lab.events("watcher_started"))

    lab.call("DELETE", f"watchers/{lab.watcher_id}")

    assert agent.wait(60) == 6
    assert "was deregistered" in lab.output


def test_a_changed_configuration_is_taken_over_and_pushed(lab: Lab):
    lab.init(file_patterns=["*.csv"])
    lab.write("R1/a.raw", b"a")
    lab.start()
    wait_until(lambda: lab.events("watcher_started"))

    lab.set(file_patterns=["*.raw"])
    lab.wait_stored(1)
    wait_until(lambda: lab.call("GET", f"instruments/{lab.instrument}")["file_patterns"] == ["*.raw"])

    assert lab.agent is not None
    assert lab.agent.poll() is None


def test_an_invalid_change_is_complained_about_and_the_old_one_goes_on(lab: Lab):
    lab.init()
    lab.start()
    wait_until(lambda: lab.events("watcher_started"))

    lab.set(upload_mode="sometimes")
    [told] = wait_until(lambda: lab.events("error"))
    lab.write("R1/a.csv", b"a")
    lab.wait_stored(1)

    assert "upload_mode: must be one of auto, manual" in told["message"]
    assert lab.command("config", "validate").returncode == 3


def test_the_token_stands_in_no_log_and_no_answer(lab: Lab):
    lab.init()
    lab.write("R1/a.csv", b"a")
    lab.start("-v")
    lab.wait_stored(1)
    lab.stop()

    said = lab.output + (lab.home / "logs" / "agent.log").read_text() + lab.command("status", "--json").stdout
    said += (
        lab.command("check", "-v").stdout
        + lab.config.read_text()
        + (lab.home / "journal.sqlite3").read_bytes().decode("latin-1")
    )

    assert lab.token not in said
    assert "signature=" not in said.lower()
