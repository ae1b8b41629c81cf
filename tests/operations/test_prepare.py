"""`./ids manage prepare` by real processes: two at once, before the database is there, and beside a table in use."""

import os
import subprocess
import sys
import time

import psycopg
import pytest

from operations.embedded.postgres import OWNER, SERVICE
from operations.turns import PREPARE_LOCK
from tests.pgbouncer import running_postgres
from tests.ports import free_port
from tests.service import CHECKOUT

pytestmark = pytest.mark.slow

SECONDS = 240
BEFORE_LAST = ("accounts", "0005")


@pytest.fixture(scope="module")
def postgres(tmp_path_factory):
    with running_postgres(tmp_path_factory.mktemp("prepare") / "data") as server:
        yield server


@pytest.fixture
def begin(postgres, tmp_path):
    """begin("prepare") is that command's process, which writes what it says into the file `said`."""
    children = []
    environ = os.environ | {"DATABASE_URL": postgres.url(SERVICE), "DATABASE_OWNER_URL": postgres.url(OWNER)}
    environ |= {"IDS_DATA": str(tmp_path / "data")}

    def start(*arguments, **variables):
        said = tmp_path / f"said {len(children)}"
        with said.open("wb") as output:
            command = [sys.executable, str(CHECKOUT / "manage.py"), *arguments]
            child = subprocess.Popen(command, env=environ | variables, stdout=output, stderr=output)
        child.said = said.read_text
        children.append(child)
        return child

    yield start
    for child in children:
        child.kill()
        child.wait()


def wait_to_read(child, text):
    deadline = time.monotonic() + SECONDS
    while text not in child.said():
        assert child.poll() is None, child.said()
        assert time.monotonic() < deadline, child.said()
        time.sleep(0.05)


def test_of_two_at_once_one_waits_and_both_are_done(begin, postgres):
    with psycopg.connect(postgres.url(OWNER), autocommit=True) as holder:
        holder.execute("SELECT pg_advisory_lock(%s)", [PREPARE_LOCK])
        both = [begin("prepare"), begin("prepare")]
        for child in both:
            wait_to_read(child, "Another process prepares the database")

    assert [child.wait(SECONDS) for child in both] == [0, 0], [child.said() for child in both]


def test_a_database_that_is_not_there_yet_is_waited_for_and_then_named(begin):
    address = f"postgresql://ids@127.0.0.1:{free_port()}/ids"

    child = begin("prepare", "--wait", "1", DATABASE_URL=address, DATABASE_OWNER_URL=address)

    assert child.wait(SECONDS) == 1
    assert "The database does not answer yet, waiting for 1 seconds" in child.said()
    assert "CommandError: The database does not answer:" in child.said()


def test_a_table_in_use_is_tried_again_and_nobody_waits_meanwhile(begin, postgres):
    assert begin("prepare").wait(SECONDS) == 0
    back = begin("migrate", *BEFORE_LAST)
    assert back.wait(SECONDS) == 0, back.said()
    with psycopg.connect(postgres.url(OWNER)) as reader, psycopg.connect(postgres.url(OWNER), autocommit=True) as other:
        reader.execute("LOCK TABLE accounts_user IN SHARE MODE")
        child = begin("prepare")
        wait_to_read(child, "A table was in use, attempt 1 of 60")
        other.execute("SELECT count(*) FROM accounts_user")

    assert child.wait(SECONDS) == 0, child.said()
    assert "Applying accounts.0006_invitations" in child.said()
