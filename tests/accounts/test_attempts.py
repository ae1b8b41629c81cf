"""Sign-in may fail ten times a minute by address and account (docs/interface.md, Limits)."""

import pytest
from django.test import override_settings

from accounts import rate_limits as rates
from accounts.rate_limits import RateLimit
from accounts.sign_in.attempts import TooManyAttempts, count_attempt
from tests.factories import PASSWORD, make_user
from tests.races import at_once

pytestmark = pytest.mark.django_db


def try_to_sign_in(client, email, password, *, times=1, address="10.0.0.1"):
    answers = [
        client.post("/accounts/login/", {"login": email, "password": password}, REMOTE_ADDR=address)
        for _ in range(times)
    ]
    return answers[-1]


@pytest.mark.slow
def test_the_eleventh_wrong_password_in_a_minute_has_to_wait(client):
    make_user("ines@lab.example")
    try_to_sign_in(client, "ines@lab.example", "wrong", times=10)

    response = try_to_sign_in(client, "INES@lab.example", "wrong")

    assert response.status_code == 429
    assert 1 <= int(response["Retry-After"]) <= 60
    assert "Too many attempts" in response.content.decode()


def test_the_tenth_is_still_judged(client):
    make_user("ines@lab.example")

    response = try_to_sign_in(client, "ines@lab.example", "wrong", times=10)

    assert response.status_code == 200


def test_the_right_password_does_not_help_who_guesses(client):
    make_user("ines@lab.example")
    try_to_sign_in(client, "ines@lab.example", "wrong", times=10)

    response = try_to_sign_in(client, "ines@lab.example", PASSWORD)

    assert response.status_code == 429


def test_others_at_the_same_address_do_not_notice(client):
    make_user("jonas@lab.example")
    try_to_sign_in(client, "ines@lab.example", "wrong", times=12)

    response = try_to_sign_in(client, "jonas@lab.example", PASSWORD)

    assert response.status_code == 302


def test_nobody_can_lock_an_account_from_elsewhere(client):
    make_user("ines@lab.example")
    try_to_sign_in(client, "ines@lab.example", "wrong", times=12, address="203.0.113.9")

    response = try_to_sign_in(client, "ines@lab.example", PASSWORD)

    assert response.status_code == 302


def test_an_address_that_tries_many_accounts_has_to_wait(client, monkeypatch):
    monkeypatch.setattr(rates, "SIGN_INS_OF_ADDRESS", RateLimit("sign-ins-of-address", max_hits=5, seconds=60))
    make_user("ines@lab.example")
    for number in range(5):
        try_to_sign_in(client, f"{number}@lab.example", "wrong")

    there = try_to_sign_in(client, "ines@lab.example", PASSWORD)
    elsewhere = try_to_sign_in(client, "ines@lab.example", PASSWORD, address="203.0.113.9")

    assert (there.status_code, elsewhere.status_code) == (429, 302)


def test_good_sign_ins_do_not_count(client):
    make_user("ines@lab.example")

    response = try_to_sign_in(client, "ines@lab.example", PASSWORD, times=12)

    assert response.status_code == 302


def test_the_right_password_forgives_the_wrong_ones_before(client):
    make_user("ines@lab.example")
    for _ in range(3):
        try_to_sign_in(client, "ines@lab.example", "wrong", times=9)
        response = try_to_sign_in(client, "ines@lab.example", PASSWORD)

    assert response.status_code == 302


def test_thirty_guesses_at_once_are_no_more_than_ten():
    def guess(number):
        try:
            count_attempt(address="10.0.0.1", account="ines@lab.example")
        except TooManyAttempts:
            return "waits"
        return "judged"

    assert at_once(30, guess).count("judged") == 10


def test_the_old_password_is_guessed_no_faster_when_changing_it(as_person):
    browser = as_person(email="ines@lab.example").client
    form = {"old_password": "wrong", "new_password1": "a new and long one", "new_password2": "a new and long one"}
    form["csrfmiddlewaretoken"] = "c" * 32

    answers = [browser.post("/settings/password", form).status_code for _ in range(11)]

    assert answers == [400] * 10 + [429]


@override_settings(
    CACHES={"default": {"BACKEND": "wire.cache.FailOpenRedisCache", "LOCATION": "unix:///nowhere/valkey.sock"}}
)
def test_sign_in_works_while_the_cache_is_away(client):
    make_user("ines@lab.example")
    try_to_sign_in(client, "ines@lab.example", "wrong", times=12)

    response = try_to_sign_in(client, "ines@lab.example", PASSWORD)

    assert response.status_code == 302
