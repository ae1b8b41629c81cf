"""The system's events of the watched directory, also after watchdog's threads ended by a fault of their own."""

import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from watchdog.utils import BaseThread

from agent.tests.lab import wait_until
from instrument_watcher.watching.noticing import NoticeBoard, Observation

pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")


@pytest.fixture
def board(tmp_path: Path) -> NoticeBoard:
    return NoticeBoard(tmp_path)


@pytest.fixture
def observation(board: NoticeBoard, tmp_path: Path) -> Iterator[Observation]:
    observation = Observation(board, tmp_path)
    yield observation
    observation.end()


def is_noticed(board: NoticeBoard, place: Path) -> bool:
    ends = time.monotonic() + 60
    place.write_bytes(b"x")
    while time.monotonic() < ends:
        if place.name in board.take(timeout=0.2).files:
            return True
    return False


def break_off(monkeypatch: pytest.MonkeyPatch, owner: object, name: str, trigger: Path) -> None:
    """The thread that next comes by there ends by a fault."""

    def fail(*_: object) -> None:
        raise OSError("a fault of the system's")

    with monkeypatch.context() as patched:
        patched.setattr(owner, name, fail)
        alive = {one for one in threading.enumerate() if isinstance(one, BaseThread)}
        trigger.write_bytes(b"x")
        wait_until(lambda: not all(one.is_alive() for one in alive))


def test_events_come(board: NoticeBoard, observation: Observation, tmp_path: Path):
    assert observation.ensure(tmp_path.stat()) is None

    assert not observation.is_broken
    assert is_noticed(board, tmp_path / "a.csv")


def test_a_dispatcher_that_ended_is_begun_anew(
    board: NoticeBoard, observation: Observation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    observation.ensure(tmp_path.stat())
    break_off(monkeypatch, board, "on_any_event", tmp_path / "a.csv")
    wait_until(lambda: observation.is_broken)

    observation.ensure(tmp_path.stat())

    assert not observation.is_broken
    assert is_noticed(board, tmp_path / "b.csv")


@pytest.mark.skipif(sys.platform != "linux", reason="inotify is Linux's")
def test_a_reader_that_ended_is_begun_anew(
    board: NoticeBoard, observation: Observation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    from watchdog.observers.inotify_c import InotifyFD

    observation.ensure(tmp_path.stat())
    break_off(monkeypatch, InotifyFD, "handle_event", tmp_path / "a.csv")
    wait_until(lambda: observation.is_broken)

    observation.ensure(tmp_path.stat())

    assert not observation.is_broken
    assert is_noticed(board, tmp_path / "b.csv")


def test_an_observation_of_another_directory_is_not_broken(
    board: NoticeBoard, observation: Observation, tmp_path: Path
):
    observation.ensure(tmp_path.stat())
    observation.end()

    observation.ensure(tmp_path.stat())

    assert not observation.is_broken
    assert is_noticed(board, tmp_path / "c.csv")
