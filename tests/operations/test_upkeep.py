"""`./ids manage doctor`: what should have been done lately, and what the machine has left."""

import shutil
from datetime import timedelta

import pytest
from django.db import OperationalError, connection

from files.models import SweepPosition
from operations import doctor, upkeep
from operations.upkeep import (
    check_backup,
    check_clock,
    check_disk,
    check_memory,
    check_migrations,
    check_sweep,
    check_versions,
    format_age,
)
from overview.backups import record_backup
from wire.clock import now

pytestmark = pytest.mark.django_db


def remedies(check):
    return [bool(finding.remedy) for finding in check()]


def test_missing_migrations_are_named(monkeypatch):
    assert remedies(check_migrations) == [False]
    monkeypatch.setattr(upkeep, "list_pending_migrations", lambda: ["runs.0099_x", "runs.0100_y"])

    (found,) = check_migrations()

    assert found.state == "2 missing, first runs.0099_x"
    assert "prepare" in found.remedy


@pytest.mark.parametrize(("ahead", "told"), [(timedelta(0), False), (timedelta(seconds=30), True)])
def test_a_clock_beside_the_databases_is_told(monkeypatch, ahead, told):
    monkeypatch.setattr(upkeep, "now", lambda: now() + ahead)

    assert remedies(check_clock) == [told]


def test_a_machine_that_stands_still_while_it_asks_has_no_wrong_clock(monkeypatch):
    began = now()
    looks = iter([began, began + timedelta(seconds=30)])
    monkeypatch.setattr(upkeep, "now", lambda: next(looks))

    assert remedies(check_clock) == [False]


@pytest.mark.parametrize(("hours", "told"), [(1, False), (14, True)])
def test_a_sweep_that_is_late_is_told(hours, told):
    assert remedies(check_sweep) == [False]
    SweepPosition.objects.create(looked_at=now() - timedelta(hours=hours))

    assert remedies(check_sweep) == [told]


@pytest.mark.parametrize(("days", "told"), [(1, False), (3, True)])
def test_a_backup_that_is_old_is_told(days, told):
    assert remedies(check_backup) == [True]
    at = now() - timedelta(days=days)
    record_backup(name="20260101T020000Z", at=at, has_objects=False, objects=0, size_bytes=0, differences=0)

    (found,) = check_backup()

    assert (bool(found.remedy), found.state.endswith("of the database alone")) == (told, True)


@pytest.mark.parametrize(("free", "told"), [(50, False), (5, True)])
def test_a_disk_that_is_nearly_full_is_told(monkeypatch, free, told):
    monkeypatch.setattr(upkeep.shutil, "disk_usage", lambda place: shutil._ntuple_diskusage(100, 100 - free, free))

    assert set(remedies(check_disk)) == {told}


@pytest.mark.parametrize(("mebibytes", "told"), [(960, False), (512, True)])
def test_too_little_memory_is_told(monkeypatch, mebibytes, told):
    monkeypatch.setattr(upkeep, "read_memory_mib", lambda: mebibytes)

    assert remedies(check_memory) == [told]


def test_versions_are_told():
    found = {finding.subject: finding for finding in check_versions()}

    assert list(found) == ["version: service", "version: database", "version: queue"]
    assert {finding.remedy for finding in found.values()} == {""}
    assert found["version: database"].state.startswith("PostgreSQL ")


def test_a_database_that_is_away_breaks_no_line(monkeypatch):
    def away(*_, **__):
        raise OperationalError("connection refused\nIs the server running?")

    monkeypatch.setattr(connection, "cursor", away)
    monkeypatch.setattr(connection, "ensure_connection", away)

    for check in (check_migrations, check_clock, check_sweep, check_backup, check_versions):
        assert "unknown (connection refused)" in [finding.state for finding in check()]


def test_the_table_has_every_subject():
    subjects = {check.__name__.removeprefix("check_") for check in doctor.CHECKS}

    assert subjects == {
        *("object_store", "database_role", "migrations", "pooler", "queue_commands", "clock", "reader_walls"),
        *("provider_groups", "proxy_reading", "cold_store"),
        *("sweep", "backup", "disk", "memory", "versions"),
    }


@pytest.mark.parametrize(
    ("age", "told"),
    [(timedelta(minutes=30), "30 min"), (timedelta(hours=30), "30 hours"), (timedelta(days=9), "9 days")],
)
def test_ages_are_told_in_words(age, told):
    assert format_age(age) == told
