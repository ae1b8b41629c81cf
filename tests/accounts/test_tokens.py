from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connection

from accounts.models import Token
from accounts.token_texts import generate_token_text, is_well_formed, token_checksum
from accounts.tokens import find_token, record_token_use
from tests.factories import make_instrument, make_token, make_token_with_text, make_user
from wire.clock import now

ROUTE = "/api/v1/tokens"


def test_a_token_text_carries_its_own_checksum():
    text = generate_token_text()

    assert len(text) == 46
    assert text.startswith("ids_")
    assert is_well_formed(text)


@pytest.mark.parametrize("value", ["", "ids_", "ids_" + "a" * 42, "IDS_" + "a" * 42, "ids_" + "é" * 42])
def test_a_wrong_checksum_is_refused_without_a_query(db, django_assert_num_queries, value):
    with django_assert_num_queries(0):
        assert find_token(value, at=now()) is None


def test_the_checksum_is_padded_base62_of_the_crc32():
    assert len(token_checksum("ids_" + "0" * 36)) == 6


def test_a_token_is_found_by_its_text_in_one_query(db, django_assert_num_queries):
    token, text = make_token_with_text("runs:read")

    with django_assert_num_queries(1):
        found = find_token(text, at=now())

    assert found == token


def test_an_expired_token_is_not_found(db):
    _, text = make_token_with_text(expires_at=now() - timedelta(seconds=1))

    assert find_token(text, at=now()) is None


def test_the_last_use_is_written_at_most_once_a_minute(db):
    token, at = make_token(), now()
    record_token_use(token, at=at)

    record_token_use(Token.objects.get(pk=token.pk), at=at + timedelta(seconds=59))

    assert Token.objects.get(pk=token.pk).last_used_at == at


def test_the_last_use_moves_on_after_a_minute(db):
    token, at = make_token(last_used_at=now()), now() + timedelta(seconds=61)

    record_token_use(token, at=at)

    assert Token.objects.get(pk=token.pk).last_used_at == at


@pytest.mark.django_db(transaction=True)
def test_two_processes_do_not_both_write_the_last_use():
    token, at = make_token(), now()

    def stamp(offset: int) -> None:
        record_token_use(Token.objects.get(pk=token.pk), at=at + timedelta(milliseconds=offset))
        connection.close()

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(stamp, range(8)))

    assert Token.objects.get(pk=token.pk).last_used_at is not None


def test_an_admin_makes_a_token_and_sees_its_text_once(as_admin):
    admin = as_admin()

    made = admin.post(ROUTE, {"name": "plate reader", "scopes": ["runs:read", "runs:read", "files:read"]})

    assert made.status_code == 201
    assert is_well_formed(made.json()["token"])
    assert made.json()["scopes"] == ["runs:read", "files:read"]
    assert made.json()["created_by"]["id"] == str(admin.user.pk)
    assert "token" not in admin.get(ROUTE).json()["data"][0]


def test_the_text_of_a_token_is_nowhere_in_the_database(as_admin):
    text = as_admin().post(ROUTE, {"name": "n", "scopes": ["read"]}).json()["token"]

    row = Token.objects.values().get()

    assert text not in str(row)


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"scopes": []}, "scopes"),
        ({"scopes": ["*"]}, "scopes"),
        ({"scopes": ["runs:fly"]}, "scopes"),
        ({"scopes": "runs:read"}, "scopes"),
        ({"scopes": None}, "scopes"),
        ({"name": ""}, "name"),
        ({"name": "x" * 101}, "name"),
        ({"expires_at": "2001-01-01T00:00:00Z"}, "expires_at"),
        ({"instrument_ids": []}, "instrument_ids"),
        ({"instrument_ids": ["no-such"]}, "instrument_ids"),
    ],
)
def test_a_wrong_token_request_names_its_field(as_admin, change, field):
    answer = as_admin().post(ROUTE, {"name": "n", "scopes": ["read"]} | change)

    assert answer.status_code == 400
    assert field in answer.json()["error"]["details"]["fields"]


def test_a_token_is_bound_to_instruments(as_admin):
    make_instrument(id="hplc-1")

    made = as_admin().post(ROUTE, {"name": "n", "scopes": ["read"], "instrument_ids": ["hplc-1"]})

    assert made.json()["instrument_ids"] == ["hplc-1"]


def test_a_revoked_token_stops_at_once_and_keeps_its_row(as_admin, as_token):
    api, admin = as_token("runs:read"), as_admin()

    assert admin.delete(f"{ROUTE}/{api.token.pk}").status_code == 204
    assert api.get("/api/v1/instrument-runs").status_code == 401
    assert Token.objects.get(pk=api.token.pk).revoked_at is not None
    assert admin.delete(f"{ROUTE}/{api.token.pk}").status_code == 404


def test_listing_tokens_costs_the_same_for_any_number(as_person, django_assert_num_queries):
    person, maker = as_person(), make_user()
    for _ in range(12):
        make_token("read", created_by=maker)

    with django_assert_num_queries(5):  # session, person, what they see, count, rows
        person.get(ROUTE)
