"""The embedded PostgreSQL, driven as the supervisor drives it."""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psycopg
import pytest

from operations.embedded import processes, unprivileged
from operations.embedded.postgres import OWNER, SERVICE
from tests.faults.journal import wait_until
from tests.operations.clusters import add_name, make_table, names_in_table, postgres_in

pytestmark = pytest.mark.slow


def test_the_service_fills_the_owners_tables_and_cannot_drop_them(postgres):
    make_table(postgres)

    add_name(postgres, "blank")

    assert names_in_table(postgres) == ["blank"]
    with psycopg.connect(postgres.url(SERVICE)) as service, pytest.raises(psycopg.errors.InsufficientPrivilege):
        service.execute("DROP TABLE samples")


def test_the_owner_takes_rights_on_a_table_back(postgres):
    make_table(postgres)
    with psycopg.connect(postgres.url(OWNER)) as owner:
        owner.execute(f"REVOKE UPDATE, DELETE ON samples FROM {SERVICE}")

    with psycopg.connect(postgres.url(SERVICE)) as service, pytest.raises(psycopg.errors.InsufficientPrivilege):
        service.execute("DELETE FROM samples")


def test_the_service_makes_no_tables(postgres):
    with psycopg.connect(postgres.url(SERVICE)) as service, pytest.raises(psycopg.errors.InsufficientPrivilege):
        service.execute("CREATE TABLE samples (id bigserial PRIMARY KEY)")


def test_what_was_committed_survives_a_kill(postgres):
    make_table(postgres)
    add_name(postgres, "kept")
    postgres.child.kill()

    postgres.start()

    assert names_in_table(postgres) == ["kept"]


def test_a_question_ends_when_nobody_waits_for_its_answer_any_more(postgres):
    asking = psycopg.connect(postgres.url(SERVICE))
    asking.pgconn.send_query(b"SELECT pg_sleep(600)")
    asking.pgconn.finish()

    with psycopg.connect(postgres.url(SERVICE), autocommit=True) as service:
        asked = "SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep%'"
        wait_until(lambda: service.execute(asked).fetchone() == (0,), seconds=60, why="it is given up")


def test_a_start_stops_the_orphan_of_an_earlier_one(postgres):
    make_table(postgres)
    orphan = postgres.child
    successor = postgres_in(postgres.data)

    successor.start()

    assert orphan.wait(30) == 0
    assert names_in_table(successor) == []


def test_the_server_is_reached_by_its_socket_alone(postgres):
    with psycopg.connect(postgres.url(SERVICE)) as service:
        assert service.execute("SHOW listen_addresses").fetchone() == ("",)


def test_a_server_whose_supervisor_is_killed_shuts_down(clone):
    server = postgres_in(clone)
    script = """if True:
        import pathlib, signal, sys
        from operations.embedded.postgres import Postgres
        Postgres(*map(pathlib.Path, sys.argv[1:])).start()
        print("started", flush=True)
        signal.pause()
    """
    places = [server.data, server.sockets, server.log]
    supervisor = subprocess.Popen([sys.executable, "-c", script, *places], stdout=subprocess.PIPE)
    assert supervisor.stdout is not None
    assert supervisor.stdout.readline() == b"started\n"

    supervisor.kill()
    supervisor.wait()

    wait_until_nobody_writes_to(server.log)
    assert "database system is shut down" in processes.read_log_tail(server.log)


def wait_until_nobody_writes_to(log):
    deadline = time.monotonic() + 60
    while processes.find_writers(log) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert processes.find_writers(log) == []


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has to become somebody else")
def test_root_without_user_namespaces_runs_it_as_nobody(monkeypatch, tmp_path_factory):
    data = tmp_path_factory.mktemp("reachable")
    root = Path(tempfile.gettempdir())
    for directory in (data, *(parent for parent in data.parents if parent.is_relative_to(root) and parent != root)):
        directory.chmod(0o755)
    monkeypatch.setattr(unprivileged, "has_user_namespaces", lambda: False)
    unprivileged.choose_identity.cache_clear()
    server = postgres_in(data)

    server.start()

    owner_of_process = Path(f"/proc/{server.child.pid}").stat().st_uid
    server.stop()
    unprivileged.choose_identity.cache_clear()
    assert owner_of_process == unprivileged.find_nobody()


def test_the_lock_of_a_server_that_ended_unnoticed_is_in_nobodys_way(tmp_path):
    server = postgres_in(tmp_path)
    server.start()
    server.child.kill()
    os.waitid(os.P_PID, server.child.pid, os.WEXITED | os.WNOWAIT)  # it has ended, and still has its process id

    again = postgres_in(tmp_path)
    again.start()

    assert again.is_ready()
    again.stop()
    server.child.wait()


@pytest.mark.parametrize("exists", [False, True])
def test_only_a_server_that_was_made_begins_anew(tmp_path, exists):
    if exists:
        postgres_in(tmp_path).start()
    server = postgres_in(tmp_path)  # which takes the other's place
    server.start()
    maker = server.child.pid

    server.forget_making()

    assert (server.child.pid == maker, server.is_ready()) == (exists, True)
    make_table(server)
    server.stop()
