"""`./ids manage doctor` says what is less safe than it could be; nobody has to look for it."""

from io import StringIO

import pytest
from django.core.management import call_command
from django.db import connection

from files.storage import object_store
from operations import doctor
from operations.doctor import (
    check_database_role,
    check_object_store,
    check_pooler,
    check_provider_groups,
    check_queue_commands,
    check_reader_walls,
)
from operations.findings import Finding
from operations.pooling import Pooling
from tests.stores import s3_store_at, use_s3


def test_every_wall_has_a_line():
    assert [finding.subject for finding in check_reader_walls()] == [
        *("reader wall: namespaces", "reader wall: privileges", "reader wall: landlock", "reader wall: seccomp")
    ]


def test_a_missing_wall_is_told_with_its_reason_and_what_to_do(monkeypatch):
    monkeypatch.setattr(doctor, "find_missing_walls", lambda: {"landlock": "Function not implemented"})

    states = {finding.subject: finding for finding in check_reader_walls()}

    assert states["reader wall: seccomp"] == Finding("reader wall: seccomp", "stands")
    assert states["reader wall: landlock"].state == "missing (Function not implemented)"
    assert "5.13" in states["reader wall: landlock"].remedy


@pytest.mark.django_db
def test_the_services_role_is_no_superuser():
    assert [finding.remedy for finding in check_database_role()] == [""]


@pytest.mark.django_db
def test_a_superuser_is_told_by_name(monkeypatch):
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_user")
        role = cursor.fetchone()[0]
    monkeypatch.setattr(doctor, "SUPERUSER_SQL", "SELECT current_user, true")

    assert list(check_database_role()) == [
        Finding("database role", f"{role} is a superuser", f"ALTER ROLE {role} NOSUPERUSER, or deploy/roles.sql")
    ]


@pytest.mark.django_db(transaction=True)
def test_a_database_without_a_pooler_is_well():
    assert list(check_pooler()) == [Finding("database pooler", "none")]


@pytest.mark.parametrize(
    ("seen", "declared", "remedy"),
    [
        (Pooling.BY_TRANSACTION, "session", "set DATABASE_POOLING=transaction for the service"),
        (Pooling.BY_TRANSACTION, "transaction", ""),
        (Pooling.BY_SESSION, "session", ""),
        (None, "transaction", ""),
    ],
    ids=["undeclared", "declared", "sessions", "declared in vain"],
)
def test_a_pooler_of_transactions_has_to_be_declared(settings, monkeypatch, seen, declared, remedy):
    settings.DATABASE_POOLING = declared
    monkeypatch.setattr(doctor, "find_pooling", lambda: seen)

    assert [finding.remedy for finding in check_pooler()] == [remedy]


def test_a_queue_whose_account_is_limited_is_well():
    assert list(check_queue_commands()) == [Finding("queue commands", "limited")]


def test_a_queue_that_is_away_is_no_clean_bill(settings):
    settings.REDIS_URL = "redis://127.0.0.1:9/0"

    (finding,) = check_queue_commands()

    assert finding.state.startswith("unknown")
    assert finding.remedy


def examined(monkeypatch: pytest.MonkeyPatch, *findings: Finding) -> str:
    monkeypatch.setattr("operations.management.commands.doctor.examine", lambda: list(findings))
    out = StringIO()
    call_command("doctor", stdout=out)
    return out.getvalue()


@pytest.mark.parametrize(
    ("groups", "claim", "remedies"),
    [
        ([], "", []),
        (["lab-admins"], "groups", [""]),
        (["lab-admins"], "", ["name the claim that holds the groups: OIDC_GROUPS_CLAIM=groups"]),
    ],
)
def test_groups_for_which_no_claim_is_read_are_told(settings, groups, claim, remedies):
    settings.OIDC_ADMIN_GROUPS, settings.OIDC_GROUPS_CLAIM = groups, claim

    assert [finding.remedy for finding in check_provider_groups()] == remedies


def test_the_table_lines_up(monkeypatch):
    shown = examined(monkeypatch, Finding("database role", "ids_app, no superuser"), Finding("queue", "limited"))

    assert shown.splitlines() == [
        "WHAT           STATE                  WHAT TO DO",
        "database role  ids_app, no superuser",
        "queue          limited",
    ]


def test_something_to_do_is_an_exit_code_of_its_own(monkeypatch):
    with pytest.raises(SystemExit, match="1"):
        examined(monkeypatch, Finding("queue", "open", "close it"))


def test_the_embedded_store_compares_checksums():
    assert list(check_object_store()) == [Finding("object store", "compares checksums")]


def test_a_store_out_of_reach_is_told(settings, monkeypatch):
    use_s3(settings, monkeypatch, s3_store_at("http://127.0.0.1:9", bucket="lab"))

    found = list(check_object_store())

    object_store.cache_clear()
    assert [finding.remedy for finding in found] == ["let the service reach its store"]
