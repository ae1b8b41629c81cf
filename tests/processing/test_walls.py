"""What a hostile plug-in reaches: nothing. Each wall stands by itself, so that the others hold where one is missing."""

import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import MappingProxyType
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.conf import settings

from processing.confined.fork_server_client import fork_server_pool
from processing.confined.reader_walls import ReaderWallsMissing, find_missing_walls, require_reader_walls
from processing.failures import ReadingFailed
from processing.readings import InstrumentType
from processing.registry import Registry, get_registry
from runs.models import Run
from tests.factories import make_instrument, make_run
from tests.processing.arrivals import arrived, done
from tests.processing.hostile_readers import ATTACKS, attempt
from tests.processing.reading import read_as, reader

pytestmark = pytest.mark.usefixtures("light_fork_server")
ROOT = Path(__file__).parents[2]
PLUGIN = InstrumentType("hostile", "Hostile", ("txt",), "tests.processing.hostile_readers:attacks")
# What the missing wall was the only one to refuse, at most: kernels before 6.12 have less to add to it.
FILES = {"read_secret_key", "list_the_data", "read_accounts_of_the_machine", "list_the_processes"} | {
    "write_into_the_store",
    "overwrite_an_object",
    "remove_an_object",
    "write_beside_the_folder",
    "write_into_a_library",
}
UNSEEN_BY_LANDLOCK = {"lock_an_object_away", "date_an_object_back", "point_at_the_secret", "cut_an_object"}
PROCESSES = {"fork", "outlive_the_worker", "become_root_of_a_namespace"} | {
    "hide_memory_in_a_file",
    "call_by_ring",
    "have_the_kernel_signal_the_parent",
    "limit_the_parent",
}
SOCKETS = {"ask_the_database_by_its_socket", "ask_the_queue", "listen_to_the_network", "send_a_datagram"}
SIGNALS = {"kill_the_parent", "kill_the_worker", "kill_everybody"}
OPEN_WITHOUT = {
    "namespaces": set[str](),
    "privileges": set[str](),
    "landlock": FILES,
    "seccomp": UNSEEN_BY_LANDLOCK | PROCESSES | SOCKETS | SIGNALS,
}
MARKS = {"landlock": "read_accounts_of_the_machine", "seccomp": "fork"}  # that the wall really is missing


@pytest.fixture
def installed_plugin(monkeypatch: pytest.MonkeyPatch) -> None:
    known = get_registry()
    more = Registry(
        MappingProxyType({**known.types, "hostile": PLUGIN}),
        MappingProxyType({**known.versions, "hostile": "1"}),
        known.broken,
    )
    monkeypatch.setattr("processing.registry.get_registry", lambda: more)
    monkeypatch.setattr("processing.reading_files.get_registry", lambda: more)


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server


@pytest.fixture
def target(listener: socket.socket, tmp_path: Path) -> dict[str, Any]:
    """What a plug-in knows that has found out all about this installation."""
    secret = Path(settings.IDS_DATA) / "secret_key"
    secret.write_text("the key of everything")
    store = Path(settings.STORAGES["objects"]["OPTIONS"]["location"])
    store.mkdir(parents=True, exist_ok=True)
    (store / "object").write_bytes(b"measured")
    return {
        "secret": str(secret),
        "data": str(settings.IDS_DATA),
        "worker": os.getpid(),
        "database": os.environ["DATABASE_URL"],
        "queue": urlsplit(os.environ["REDIS_URL"]).path,
        "beside": str(tmp_path / "forged"),
        "port": listener.getsockname()[1],
        "store": str(store),
        "object": str(store / "object"),
    }


def try_everything(target: dict[str, Any], path: Path) -> dict[str, str]:
    path.write_text(json.dumps(target))
    return read_as(PLUGIN, path).file


@pytest.mark.django_db
def test_a_hostile_plugin_reaches_nothing_through_the_real_pipeline(installed_plugin, target):
    file = arrived("attacks.txt", json.dumps(target).encode(), run=run_of("hostile"))

    found = done(file).extracted

    assert {name: found.get(name, "untold") for name in ATTACKS} == dict.fromkeys(ATTACKS, ANY_REFUSAL)
    assert Path(target["object"]).read_bytes() == b"measured"


def run_of(instrument_type: str) -> Run:
    return make_run(instrument=make_instrument(instrument_type=instrument_type))


class AnyRefusal:
    def __eq__(self, other: object) -> bool:
        return str(other).startswith("refused")

    def __repr__(self) -> str:
        return "refused"


ANY_REFUSAL = AnyRefusal()


def test_the_tries_are_real_ones(target):
    """Outside of any wall the worst of them succeed: what refuses them is no mistake of the test."""
    harmless = ("read_secret_key", "read_environment_of_the_worker", "ask_the_database_by_its_socket", "ask_the_queue")
    more = ("open_a_connection", "run_a_shell", "fork", "write_into_the_store", "lock_an_object_away", "list_the_data")

    done = {name: attempt(ATTACKS[name], target) for name in (*harmless, *more)}

    assert set(done.values()) == {"done"}, done


def test_many_files_that_are_each_allowed_do_not_fill_the_disk(tmp_path):
    (tmp_path / "scan.txt").write_text("1")
    hostile = InstrumentType("hostile", "Hostile", ("txt",), "tests.processing.hostile_readers:fills_the_disk")

    with pytest.raises(ReadingFailed) as refusal:
        read_as(hostile, tmp_path / "scan.txt")

    assert refusal.value.sentence == "Hostile wrote more while reading this file than a reader may."


def test_names_without_end_do_not_fill_the_disk(tmp_path):
    (tmp_path / "scan.txt").write_text("1")
    hostile = InstrumentType(
        "hostile", "Hostile", ("txt",), "tests.processing.hostile_readers:fills_the_disk_with_names"
    )

    with pytest.raises(ReadingFailed) as refusal:
        read_as(hostile, tmp_path / "scan.txt")

    assert refusal.value.sentence == "Hostile wrote more while reading this file than a reader may."


def test_this_machine_has_every_wall():
    assert find_missing_walls() == {}


@pytest.mark.parametrize("wall", sorted(OPEN_WITHOUT))
def test_where_a_wall_is_missing_the_others_hold(wall, target, tmp_path, monkeypatch):
    monkeypatch.setattr(
        "processing.confined.fork_server_client.READER_MODULES", (f"tests.processing.machines.without_{wall}",)
    )

    tried = try_everything(target, tmp_path / "scan.txt")

    done = {name for name, outcome in tried.items() if outcome == "done"}
    assert done - OPEN_WITHOUT[wall] == set()
    assert {MARKS.get(wall)} - {None} <= done


def test_a_wall_that_is_gone_all_at_once_costs_the_attempt_and_reads_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(
        "processing.confined.fork_server_client.READER_MODULES", ("tests.processing.machines.losing_landlock",)
    )
    (tmp_path / "scan.txt").write_text("1 2 3")

    with pytest.raises(ReadingFailed) as refusal:
        read_as(reader("well_behaved"), tmp_path / "scan.txt")

    assert refusal.value.sentence == "The worker stopped while reading this file."
    assert "no Landlock any more" in refusal.value.detail
    assert fork_server_pool.current is not None
    assert fork_server_pool.current.is_alive


def test_a_missing_wall_is_logged_with_what_it_keeps_from_and_what_to_do(caplog):
    require_reader_walls({"landlock": "Function not implemented"}, required=False)

    assert caplog.messages == [
        "Readers of files are not kept from files that are not theirs: landlock is missing (Function not implemented); "
        "use a kernel from Linux 5.13 on with Landlock among its security modules (lsm=landlock,…)."
    ]


def test_where_walls_are_required_a_missing_one_stops_the_start():
    with pytest.raises(
        ReaderWallsMissing, match=r"REQUIRE_READER_WALLS is set, so no file is read.*seccomp is missing"
    ):
        require_reader_walls({"seccomp": "libseccomp.so.2: cannot open"}, required=True)


def test_where_walls_are_required_and_stand_nothing_is_said(caplog):
    require_reader_walls({}, required=True)

    assert caplog.messages == []


POOR_MACHINE = """if True:
    import os, sys
    from processing.confined.walls import privileges, seccomp
    privileges.give_up_privileges()
    calls = seccomp.Filter(seccomp.ALLOW)
    calls.add(seccomp.REFUSE | 1, "unshare")
    seccomp.install(calls.export())
    os.execv(sys.executable, [sys.executable, *sys.argv[1:]])
"""


def start_on_poor_machine(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """A Python program on a machine whose kernel makes no namespaces."""
    return subprocess.run(
        [sys.executable, "-c", POOR_MACHINE, *arguments],
        cwd=ROOT,
        env=os.environ | variables,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.mark.slow
def test_a_reader_that_needs_all_walls_does_not_start_without_one():
    ended = start_on_poor_machine("-m", "jobs.worker", "-A", "config.celery", "reader", REQUIRE_READER_WALLS="1")

    assert ended.returncode == 1
    assert (
        ended.stderr.strip()
        .splitlines()[-1]
        .startswith("REQUIRE_READER_WALLS is set, so no file is read. Readers of files are not kept from the network, ")
    )


def test_a_machine_without_namespaces_is_found_to_have_the_other_walls():
    told = start_on_poor_machine("-I", "processing/confined/walls/probe.py")

    assert list(json.loads(told.stdout)) == ["namespaces"], told.stderr
