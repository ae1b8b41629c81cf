"""Who comes into the embedded PostgreSQL: whoever has a password, also where earlier versions trusted everybody."""

import shutil
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from operations.embedded.errors import EmbeddedError
from operations.embedded.postgres import OWNER, SERVICE, SUPERUSER
from tests.operations.clusters import add_name, make_table, names_in_table

pytestmark = pytest.mark.slow


def refused_address(postgres, **changes):
    address = make_conninfo(postgres.url(SERVICE), **changes)
    with pytest.raises(psycopg.OperationalError) as refusal:
        psycopg.connect(address).close()
    return str(refusal.value)


@pytest.mark.parametrize("role", [SUPERUSER, OWNER, SERVICE])
def test_nobody_comes_in_without_the_roles_password(postgres, role):
    assert "password authentication failed" in refused_address(postgres, user=role, password="guessed")


def test_the_services_password_opens_no_other_role(postgres):
    assert "password authentication failed" in refused_address(postgres, user=SUPERUSER)


def test_the_roles_of_the_service_are_no_superusers(postgres):
    query = "SELECT rolname FROM pg_roles WHERE rolsuper OR rolcreaterole OR rolreplication OR rolbypassrls"
    with psycopg.connect(postgres.url(SERVICE)) as service:
        assert service.execute(query).fetchall() == [(SUPERUSER,)]


def test_passwords_are_kept_as_scram_and_in_files_that_we_alone_read(postgres):
    with psycopg.connect(postgres.url(SUPERUSER)) as superuser:
        kept = superuser.execute("SELECT rolpassword FROM pg_authid WHERE rolcanlogin").fetchall()

    assert {text.partition("$")[0] for (text,) in kept} == {"SCRAM-SHA-256"}
    assert {oct(file.stat().st_mode) for file in (postgres.data / "passwords").iterdir()} == {"0o100600"}
    assert not any(file.read_text() in postgres.log.read_text() for file in (postgres.data / "passwords").iterdir())


def make_earlier_layout(data):
    """As versions before this one left it: every local user trusted, no password anywhere."""
    cluster = data / "postgres"
    (cluster / "pg_hba.conf").write_text("local all all trust\n")
    (cluster / "ids_access").unlink()
    shutil.rmtree(data / "passwords")


def test_a_cluster_of_an_earlier_version_gets_its_passwords_at_start_and_keeps_its_rows(postgres):
    make_table(postgres)
    add_name(postgres, "kept")
    postgres.stop()
    make_earlier_layout(postgres.data)

    postgres.start()

    assert names_in_table(postgres) == ["kept"]
    assert "trust" not in (postgres.cluster / "pg_hba.conf").read_text()
    assert "no password supplied" in refused_address(postgres, user=SUPERUSER, password="")


def test_a_role_that_was_made_superuser_by_an_earlier_hand_is_not_after_the_change(postgres):
    with psycopg.connect(postgres.url(SUPERUSER)) as superuser:
        superuser.execute(f"ALTER ROLE {SERVICE} SUPERUSER")
    postgres.stop()
    make_earlier_layout(postgres.data)

    postgres.start()

    with psycopg.connect(postgres.url(SERVICE)) as service:
        assert service.execute("SELECT rolsuper FROM pg_roles WHERE rolname = current_user").fetchone() == (False,)


def test_lost_passwords_are_made_anew(postgres):
    make_table(postgres)
    postgres.stop()
    shutil.rmtree(postgres.data / "passwords")

    postgres.start()

    assert names_in_table(postgres) == []


def test_a_change_of_passwords_that_was_cut_off_is_begun_again(postgres):
    make_table(postgres)
    postgres.stop()
    (postgres.cluster / "ids_access").unlink()
    (postgres.data / "passwords" / SERVICE).write_text("chosen-by-hand")

    postgres.start()

    assert names_in_table(postgres) == []


def test_passwords_that_could_not_be_set_are_not_taken_for_set(postgres, monkeypatch):
    postgres.stop()
    make_earlier_layout(postgres.data)
    monkeypatch.setattr("operations.embedded.postgres.list_password_statements", lambda passwords: ["SELECT nonsense"])
    with pytest.raises(EmbeddedError, match="password authentication failed"):
        postgres.start()
    monkeypatch.undo()

    postgres.start()

    assert names_of_roles(postgres) >= {OWNER, SERVICE}


def names_of_roles(postgres):
    with psycopg.connect(postgres.url(SERVICE)) as service:
        return {name for (name,) in service.execute("SELECT rolname FROM pg_roles")}


def test_the_server_learns_no_secret_of_the_service(postgres, monkeypatch):
    postgres.stop()
    monkeypatch.setenv("SECRET_KEY", "a key that is the service's")

    postgres.start()

    assert b"SECRET_KEY" not in Path(f"/proc/{postgres.child.pid}/environ").read_bytes()
