from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from accounts.models import Token, User
from accounts.token_texts import is_well_formed


def run(*arguments: str) -> str:
    out = StringIO()
    call_command(*arguments, stdout=out)
    return out.getvalue()


def test_create_token_prints_the_token_alone(db):
    text = run("create_token", "reader", "--scopes", "runs:read,files:read", "--expires-days", "30")

    assert is_well_formed(text.strip())
    assert text == text.strip() + "\n"
    assert Token.objects.get().expires_at is not None


@pytest.mark.parametrize("scopes", ["", "*", "runs:read,nope"])
def test_create_token_refuses_wrong_scopes(db, scopes):
    with pytest.raises(CommandError):
        run("create_token", "reader", "--scopes", scopes)


@pytest.mark.parametrize("name", [" ", "\u200b", "a\u202eb", "a\nb"])
def test_create_token_refuses_a_name_that_cannot_be_read(db, name):
    with pytest.raises(CommandError):
        run("create_token", name, "--scopes", "runs:read")

    assert not Token.objects.exists()


@pytest.mark.parametrize("arguments", [("x" * 250 + "@lab.example",), ("a@lab.example", "--name", "x" * 5_000)])
def test_create_user_refuses_what_no_column_holds(db, monkeypatch, arguments):
    monkeypatch.setenv("IDS_USER_PASSWORD", "a long enough password")

    with pytest.raises(CommandError):
        run("create_user", *arguments)


def test_create_admin_makes_a_maintainer(db, monkeypatch):
    monkeypatch.setenv("IDS_ADMIN_PASSWORD", "a long enough password")

    run("create_admin", "Ada@Lab.example")

    user = User.objects.get()
    assert (user.email, user.is_admin, user.is_staff, user.is_superuser) == ("ada@lab.example", True, True, True)
    assert user.check_password("a long enough password")


def test_create_user_makes_a_member(db, monkeypatch):
    monkeypatch.setenv("IDS_USER_PASSWORD", "a long enough password")

    run("create_user", "bob@lab.example")

    assert not User.objects.get().is_admin


def test_a_second_account_of_one_address_is_refused(db, monkeypatch):
    monkeypatch.setenv("IDS_USER_PASSWORD", "a long enough password")
    run("create_user", "bob@lab.example")

    with pytest.raises(CommandError, match="has an account already"):
        run("create_user", "BOB@lab.example")


def test_without_a_terminal_the_password_must_be_in_the_environment(db, monkeypatch):
    monkeypatch.delenv("IDS_USER_PASSWORD", raising=False)
    monkeypatch.setattr("sys.stdin", StringIO())

    with pytest.raises(CommandError, match="IDS_USER_PASSWORD"):
        run("create_user", "bob@lab.example")
