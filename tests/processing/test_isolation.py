"""What a reader may do: nothing that outlives it, nothing that it was not given."""

import os
import threading
import time
from pathlib import Path

import pytest

from processing.confined.fork_server_client import MAX_FILES_PER_SERVER, fork_server_pool
from processing.confined.job import OUTPUT_FILE
from processing.confined.reading import parse_output, put_input, read_file, read_log_tail, scratch_folder
from processing.failures import NotRecognised, ReaderLost, ReadingFailed
from tests.processing.reading import Found, read_as, reader

pytestmark = pytest.mark.usefixtures("light_fork_server")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "scan.txt"
    path.write_text("1 2 3")
    return path


def refused(function: str, path: Path, **limits: int) -> ReadingFailed:
    with pytest.raises(ReadingFailed) as refusal:
        read_as(reader(function, **limits), path)
    return refusal.value


def still_reads(path: Path) -> bool:
    return read_as(reader("well_behaved"), path).run == {"filename": "scan.txt", "size": 5}


def test_a_child_knows_no_secret_and_no_service(file, monkeypatch):
    monkeypatch.setenv("DATABASE_URL", "postgresql://secret")
    monkeypatch.setenv("SECRET_KEY", "secret")

    run = read_as(reader("tells_its_surroundings"), file).run

    assert run["environment"] == ["HOME", "LANG", "OPENBLAS_NUM_THREADS", "PATH", "TMPDIR"]
    assert (run["django"], run["home_is_own"], run["is_session_leader"]) == (False, True, True)
    assert run["input"] == ""
    assert run["mode"] == "0o400"
    assert run["open_files"] <= 5


def test_what_a_reader_says_of_the_file_is_told_under_its_title(file):
    assert refused("is_unreadable", file).sentence == "Test could not read this file: No plate data found in file."


def test_any_other_exception_is_told_as_damage_without_paths_and_lines(file):
    refusal = refused("breaks", file)

    assert refusal.sentence == (
        "Test could not read this file (damaged or another format): cannot read scan.txt: the third column is missing."
    )
    assert "ValueError" in refusal.detail
    assert "in breaks" in refusal.detail


def test_a_missing_key_is_told_in_words(file):
    assert refused("misses_a_key", file).sentence.endswith("another format): Wells is missing.")


def test_a_reader_that_returns_nothing_fails(file):
    assert "its structure is not what this reader expects" in refused("gives_nothing", file).sentence


def test_a_file_of_an_unknown_kind_is_no_failure_of_the_file(file):
    with pytest.raises(NotRecognised, match="No reader knows this file"):
        read_as(reader("does_not_know"), file)


def test_what_libraries_print_goes_to_the_log(file):
    assert "a word from a library" in refused("chatters", file).detail


def test_an_endless_loop_is_stopped_by_the_clock(file):
    assert refused("loops", file, seconds=1).sentence == "Reading stopped after 1 s."
    assert still_reads(file)


def test_an_endless_loop_is_stopped_by_its_computing_time(file):
    assert refused("loops", file, cpu_seconds=1).sentence == "Reading stopped after 1 s of computing."


def test_a_memory_hog_is_refused_its_memory(file):
    assert refused("hogs", file).sentence == "Reading this file needs more memory than 1 GiB."
    assert still_reads(file)


def test_a_crash_of_a_library_costs_one_file(file):
    assert "broke down over this file" in refused("dies", file).sentence
    assert still_reads(file)


def test_a_child_that_somebody_kills_is_lost_not_failed(file):
    with pytest.raises(ReaderLost, match="The worker stopped while reading this file"):
        read_as(reader("is_killed"), file)


def test_a_link_in_place_of_the_answer_is_not_followed(file, tmp_path):
    with scratch_folder() as home:
        (home / OUTPUT_FILE).symlink_to(tmp_path)
        with pytest.raises(ReadingFailed, match="cannot be read"):
            parse_output(home / OUTPUT_FILE, reader("well_behaved"))


def test_a_pipe_in_place_of_answer_and_log_makes_nobody_wait(tmp_path):
    for name in (OUTPUT_FILE, "log"):
        os.mkfifo(tmp_path / name)

    with pytest.raises(ReadingFailed, match="cannot be read"):
        parse_output(tmp_path / OUTPUT_FILE, reader("well_behaved"))
    assert read_log_tail(tmp_path) == ""


def test_no_file_grows_beyond_its_limit(file):
    assert "File too large" in refused("writes_too_much", file).sentence


def test_a_file_over_the_limit_is_refused_before_it_is_read(file):
    file.write_bytes(bytes(2 * 1024 * 1024 + 5))

    sentence = refused("well_behaved", file, input_bytes=1024 * 1024).sentence

    assert sentence == "1 MiB is the most this type reads; the file has 2 MiB."


def test_an_empty_file_is_refused(file):
    file.write_bytes(b"")

    assert refused("well_behaved", file).sentence == "Test could not read this file: The file is empty."


@pytest.fixture
def without_seccomp(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine where a reader may start processes."""
    monkeypatch.setattr(
        "processing.confined.fork_server_client.READER_MODULES", ("tests.processing.machines.without_seccomp",)
    )


def test_whatever_a_child_started_ends_with_it(file, without_seccomp):
    with scratch_folder() as home:
        put_input(home, file, filename="scan.txt")
        with pytest.raises(ReadingFailed):
            read_file(home, filename="scan.txt", kind=reader("sleeps_with_a_child", seconds=30), time_zone="UTC")
        sleeper = int((home / "sleeper").read_text())

    assert has_ended(sleeper)


def test_a_dead_fork_server_is_replaced(file):
    assert still_reads(file)
    fork_server_pool.current.process.kill()
    fork_server_pool.current.process.wait()

    assert still_reads(file)


def test_a_fork_server_that_dies_in_the_middle_loses_the_file_for_now(file, monkeypatch):
    monkeypatch.setattr("processing.confined.fork_server_client.PROGRESS_SECONDS", 0.5)

    with scratch_folder() as home:
        put_input(home, file, filename="scan.txt")
        with pytest.raises(ReaderLost):
            read_file(home, filename="scan.txt", kind=reader("loops"), time_zone="UTC", progress=kill_fork_server)


def kill_fork_server() -> None:
    assert fork_server_pool.current is not None
    fork_server_pool.current.process.kill()


def test_a_fork_server_ends_after_five_hundred_files(file):
    assert still_reads(file)
    old = fork_server_pool.current
    old.orders = MAX_FILES_PER_SERVER

    assert still_reads(file)
    assert fork_server_pool.current is not old
    assert not old.is_alive


def test_many_files_are_read_at_once(file):
    found: list[Found] = []
    threads = [threading.Thread(target=lambda: found.append(read_as(reader("well_behaved"), file))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert [one.run["size"] for one in found] == [5] * 8


def has_ended(pid: int) -> bool:
    """Gone, or waiting to be reaped by whoever adopted it."""
    until = time.monotonic() + 60
    while time.monotonic() < until:
        try:
            if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return True
        except FileNotFoundError:
            return True
        time.sleep(0.05)
    return False


def test_nobody_reads_on_when_nobody_waits_any_more(file, without_seccomp, monkeypatch):
    monkeypatch.setattr("processing.confined.fork_server_client.PROGRESS_SECONDS", 0.5)

    with scratch_folder() as home:

        def give_up_once_it_sleeps() -> None:
            if (home / "sleeper").exists() and (home / "sleeper").read_text():
                raise ConnectionAbortedError

        put_input(home, file, filename="scan.txt")
        kind = reader("sleeps_with_a_child")
        with pytest.raises(ConnectionAbortedError):
            read_file(home, filename="scan.txt", kind=kind, time_zone="UTC", progress=give_up_once_it_sleeps)
        sleeper = int((home / "sleeper").read_text())

    assert has_ended(sleeper)
