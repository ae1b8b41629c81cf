"""After a failover of the database the first request is good; every backend is ended for real."""

import threading
from contextlib import contextmanager

import psycopg
import pytest
from django.db import connection

from tests.clients import Api
from tests.factories import make_instrument, make_token_with_text
from tests.races import at_once
from wire.settings import database

THREADS = 8
END_SQL = """
    SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'
"""


@contextmanager
def beside():
    """A connection that is none of the service's."""
    known = connection.get_connection_params()
    address = {name: known[name] for name in ("dbname", "user", "password", "host", "port") if name in known}
    with psycopg.connect(**address, autocommit=True) as other:
        yield other


def end_all_backends():
    with beside() as other:
        other.execute(END_SQL)


def hold_together():
    """Each thread gets a connection of its own out of the pool, for it waits until all of them have one."""
    together = threading.Barrier(THREADS)

    def hold(number):
        connection.ensure_connection()
        together.wait(60)

    connection.close()
    at_once(THREADS, hold)


@pytest.fixture(params=[database.TRUSTED_SECONDS, 0.0], ids=["used just now", "idle for long"])
def trusted(request, monkeypatch):
    monkeypatch.setattr(database, "TRUSTED_SECONDS", request.param)


@pytest.fixture
def api(transactional_db):
    make_instrument()
    yield Api(text=make_token_with_text()[1])
    connection.close()  # what empties the tables needs a good one


@pytest.mark.usefixtures("trusted")
def test_the_first_request_of_each_thread_is_good(api):
    hold_together()
    end_all_backends()

    statuses = at_once(THREADS, lambda number: api.get("/api/v1/instruments").status_code)

    assert statuses == [200] * THREADS


@pytest.mark.usefixtures("trusted")
def test_the_first_write_of_each_thread_is_good(api):
    hold_together()
    end_all_backends()

    statuses = at_once(THREADS, lambda number: api.post("/api/v1/instruments", {"id": f"after-{number}"}).status_code)

    assert statuses == [201] * THREADS


def test_dead_connections_are_not_found_out_one_by_one(api):
    """The pool gives up after five seconds, and pauses one, then two, between those it tries."""
    hold_together()
    end_all_backends()

    assert api.get("/api/v1/instruments").status_code == 200


def ended_in_the_middle(*, times):
    """Wraps statements: the backend of the first ones is ended right before they arrive."""
    left = [times]

    def wrapper(execute, sql, parameters, many, context):
        if left[0]:
            left[0] -= 1
            with beside() as other:
                other.execute("SELECT pg_terminate_backend(%s, 60000)", [connection.connection.info.backend_pid])
        return execute(sql, parameters, many, context)

    return connection.execute_wrapper(wrapper)


@pytest.mark.parametrize("path", ["/api/v1/instruments", "/readyz"])
def test_a_read_whose_connection_is_cut_is_asked_once_more(api, path):
    with ended_in_the_middle(times=1):
        assert api.get(path).status_code == 200


def test_a_read_is_not_asked_for_ever(api):
    with ended_in_the_middle(times=2):
        answer = api.get("/api/v1/instruments")

    assert (answer.status_code, answer["Retry-After"]) == (503, "5")


def test_a_write_whose_connection_is_cut_is_not_repeated(api):
    with ended_in_the_middle(times=1):
        assert api.post("/api/v1/instruments", {"id": "once"}).status_code == 503

    assert api.get("/api/v1/instruments/once").status_code == 404
