"""Segments of the write-ahead log are there before a full disk keeps the server from making them."""

import shutil

import psycopg

from operations.embedded.postgres import SUPERUSER
from operations.embedded.postgres_room import AHEAD, KEPT_SEGMENTS, keep_room


def count_ahead(postgres):
    with psycopg.connect(postgres.url(SUPERUSER, "postgres")) as connection:
        return connection.execute(AHEAD).fetchone()[0]


def list_segments(postgres):
    return sorted(path.name for path in (postgres.cluster / "pg_wal").iterdir() if path.is_file())


def test_a_new_server_has_none_ahead_and_gets_them(postgres):
    assert count_ahead(postgres) < KEPT_SEGMENTS

    keep_room(postgres)

    assert count_ahead(postgres) >= KEPT_SEGMENTS


def test_what_is_there_is_enough(postgres):
    keep_room(postgres)
    before = list_segments(postgres)

    keep_room(postgres)

    assert list_segments(postgres) == before


def test_a_disk_that_is_nearly_full_already_is_left_alone(postgres, monkeypatch):
    before = list_segments(postgres)
    usage = shutil.disk_usage(postgres.cluster)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage._replace(free=200 * 2**20))

    keep_room(postgres)

    assert list_segments(postgres) == before
