"""DATABASE_URL and what goes with it, as Django's settings."""

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.db import OperationalError, connection
from psycopg._queries import _query2pg_client

from wire.error_responses import as_service_error
from wire.settings.database import database_settings

URL = "postgresql://ids_app:secret@db.lab.example/ids?keepalives_idle=60"


@pytest.mark.parametrize(("pooling", "kept_here"), [("session", False), ("transaction", True)])
def test_cursors_stay_on_the_server_only_where_its_connections_do(pooling, kept_here):
    assert database_settings(URL, pool_size=1, pooling=pooling)["DISABLE_SERVER_SIDE_CURSORS"] is kept_here


def test_a_pooling_that_is_not_known_is_refused():
    with pytest.raises(ImproperlyConfigured, match="DATABASE_POOLING is 'statement'; write session or transaction"):
        database_settings(URL, pool_size=1, pooling="statement")


def test_what_the_address_says_comes_before_our_own():
    options = database_settings(URL, pool_size=1)["OPTIONS"]

    assert (options["keepalives_idle"], options["tcp_user_timeout"]) == ("60", 30_000)


@pytest.mark.django_db
def test_a_comment_reaches_the_server_with_every_statement():
    with connection.cursor() as cursor:
        cursor.execute('/*ids {"request_id": "é"}*/ SELECT current_query(), %s, \'100%%\'', [1])
        assert cursor.fetchone() == ('/*ids {"request_id": "é"}*/ SELECT current_query(), 1, \'100%\'', 1, "100%")

        cursor.execute("/*ids {}*/ SELECT current_query()")
        assert cursor.fetchone() == ("/*ids {}*/ SELECT current_query()",)

        cursor.execute("CREATE TEMPORARY TABLE said (text text)")
        cursor.executemany("/*ids {}*/ INSERT INTO said SELECT left(current_query(), 10) || %s", [["a"], ["b"]])
        cursor.execute("SELECT text FROM said ORDER BY 1")
        assert cursor.fetchall() == [("/*ids {}*/a",), ("/*ids {}*/b",)]


@pytest.mark.django_db
def test_a_statement_is_taken_apart_once_whatever_its_comment():
    _query2pg_client.cache_clear()
    with connection.cursor() as cursor:
        for number in range(5):
            cursor.execute(f'/*ids {{"request_id": "{number}"}}*/ SELECT %s', [number])

    assert _query2pg_client.cache_info().misses == 1


@pytest.mark.django_db(transaction=True)
def test_a_question_that_takes_too_long_is_told_from_a_database_that_is_away():
    connection.ensure_connection()
    connection.connection.response_timeout = 0.2

    with pytest.raises(OperationalError) as silent, connection.cursor() as cursor:
        cursor.execute("SELECT pg_sleep(5)")
    connection.close()

    told = as_service_error(silent.value)
    assert (told.status, told.headers["Retry-After"]) == (503, "5")
    assert told.message.startswith("The database gave no answer in time")
    assert as_service_error(OperationalError("refused")).message == "The database is out of reach for a moment."
