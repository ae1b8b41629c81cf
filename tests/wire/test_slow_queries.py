"""Statements that take long are told with their route and request, and never with their values."""

import pytest
from django.db import connection

from wire.telemetry.current_work import working_on
from wire.telemetry.slow_queries import note_slow_query, tell_slow_query

pytestmark = pytest.mark.django_db


@pytest.fixture
def lines(caplog):
    caplog.set_level("INFO")
    return lambda: [vars(record) for record in caplog.records if record.name == "ids.slow_queries"]


@pytest.fixture
def all_are_slow(settings):
    settings.SLOW_QUERY_MS = -1


@pytest.mark.usefixtures("all_are_slow")
def test_a_slow_statement_is_told_with_its_route_and_without_values(as_token, lines):
    as_token("instruments:read").get("/api/v1/instruments/a-secret-name")

    told = lines()
    assert {line["route"] for line in told} <= {"api/v1/instruments/<slug_id:instrument_id>", ""}
    assert any('"instruments_instrument"' in line["sql"] and "%s" in line["sql"] for line in told)
    assert not any("a-secret-name" in line["sql"] for line in told)


@pytest.mark.usefixtures("all_are_slow")
def test_who_asked_is_no_part_of_the_text(as_token, lines):
    as_token("instruments:write").post("/api/v1/instruments", {"id": "new-one", "display_name": "New"})

    assert any(line["sql"].startswith("INSERT") for line in lines())
    assert not any("/*ids" in line["sql"] for line in lines())


def test_others_are_not_told(as_token, lines, settings):
    settings.SLOW_QUERY_MS = 3_600_000  # no statement takes as long, though the machine may stand still

    as_token("instruments:read").get("/api/v1/instruments")

    assert lines() == []


def test_a_task_is_named_like_a_route(lines):
    with working_on(lambda: "files.sweep"):
        tell_slow_query("SELECT 1", seconds=2)

    assert [(line["route"], line["ms"], line["sql"]) for line in lines()] == [("files.sweep", 2000.0, "SELECT 1")]


def test_a_long_text_is_cut(lines):
    tell_slow_query("SELECT " + "%s, " * 10_000, seconds=2)

    assert len(lines()[0]["sql"]) == 2_000


def test_the_comment_of_the_trail_is_left_out(lines):
    tell_slow_query('/*ids {"name": "Ada"}*/ UPDATE x SET y = %s', seconds=2)

    assert lines()[0]["sql"] == "UPDATE x SET y = %s"


def test_every_connection_is_watched_once():
    connection.ensure_connection()

    assert connection.execute_wrappers.count(note_slow_query) == 1
