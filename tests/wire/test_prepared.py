"""Statements that are planned once a connection: found, forgotten and planned anew when they have to be."""

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.tokens import TOKEN_BY_DIGEST
from files.models import File
from processing.models import ProcessingJob
from tests.factories import make_token
from wire.audit_context import audit_context, service_principal
from wire.queries.compiled import Placeholder
from wire.queries.prepared import ActingCursor, prepared_cursor, prepared_cursor_to_write, take_apart, write_constants

pytestmark = pytest.mark.django_db


def list_prepared() -> list[str]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT statement FROM pg_prepared_statements")
        return [statement for (statement,) in cursor.fetchall()]


def fetch(statement: str, values: list[Any]) -> list[object]:
    with prepared_cursor() as cursor:
        cursor.execute(statement, values)
        return [value for (value,) in cursor.fetchall()]


def test_a_statement_is_prepared_once_and_seen_as_any_other():
    with CaptureQueriesContext(connection) as seen:
        assert [fetch("SELECT %s::int + 41", [number]) for number in (1, 2)] == [[42], [43]]

    assert [query["sql"] for query in seen] == ["SELECT 1::int + 41", "SELECT 2::int + 41"]
    assert len([one for one in list_prepared() if one.endswith("::int + 41")]) == 1


def test_other_statements_are_not_kept():
    fetch("SELECT 1", [])
    with connection.cursor() as cursor:
        cursor.execute("SELECT 'not kept'")

    assert not [one for one in list_prepared() if "not kept" in one]
    assert not connection.connection._prepared._counts


def test_nothing_is_prepared_behind_a_pooler_of_transactions(settings):
    settings.DATABASE_POOLING = "transaction"
    token = make_token()
    before = list_prepared()

    assert TOKEN_BY_DIGEST.first(token.digest) == token
    assert list_prepared() == before


@pytest.mark.django_db(transaction=True)
def test_a_column_of_another_type_is_found_all_the_same():
    with connection.cursor() as cursor:
        cursor.execute("CREATE TABLE changing (name varchar(9), number int)")
        try:
            cursor.execute("INSERT INTO changing VALUES ('7', 7)")
            assert fetch("SELECT number FROM changing WHERE name = %s", ["7"]) == [7]
            cursor.execute("ALTER TABLE changing ALTER number TYPE text USING number::text")
            assert fetch("SELECT number FROM changing WHERE name = %s", ["7"]) == ["7"]
        finally:
            cursor.execute("DROP TABLE changing")


def test_constants_stand_in_the_statement_and_values_beside_it():
    connection.ensure_connection()
    written = write_constants(
        "a = %s AND b = %s AND c LIKE 'x%%' AND d = %s", ["50%", Placeholder(0), 7], stays=Placeholder
    )

    assert written == "a = '50%%' AND b = %s AND c LIKE 'x%%' AND d = 7"


def test_what_nobody_watches_is_written_by_a_prepared_statement():
    with audit_context(service_principal("somebody")), prepared_cursor_to_write(ProcessingJob) as cursor:
        for _ in range(2):
            cursor.execute("DELETE FROM processing_processingjob WHERE file_id = %s", [0])

    assert len([one for one in list_prepared() if one.startswith("DELETE FROM processing_processingjob")]) == 1


def test_what_is_watched_says_who_acts():
    with pytest.raises(ValueError, match="File has triggers"):
        prepared_cursor_to_write(File)


def test_what_is_written_unwatched_has_no_triggers_in_the_database():
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT tgname FROM pg_trigger WHERE tgrelid = %s::regclass AND NOT tgisinternal",
            [ProcessingJob._meta.db_table],
        )
        assert cursor.fetchall() == []


def test_a_prepared_statement_without_who_acts_is_refused():
    with prepared_cursor(ActingCursor) as cursor, pytest.raises(ValueError, match="who acts"):
        cursor.execute("UPDATE files_file SET is_deleted = true", {})


def test_a_long_statement_is_taken_apart_once():
    statement = f"SELECT %s::int /* {'x' * 5_000} */"
    fetch(statement, [1])
    before = take_apart.cache_info()

    assert fetch(statement, [2]) == [2]
    assert take_apart.cache_info().hits == before.hits + 1
