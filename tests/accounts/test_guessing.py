"""Admins hear of whoever guesses passwords or codes (docs/security.md)."""

import pytest
from django.core.cache import cache

from accounts import rate_limits as rates
from accounts.rate_limits import RateLimit
from accounts.sign_in.attempts import TooManyAttempts, count_attempt, settle_attempt
from accounts.sign_in.second_factors import TooManyCodes, count_code
from notifications.models import Notification
from tests.factories import make_user

pytestmark = pytest.mark.django_db
ADDRESS = "203.0.113.9"


@pytest.fixture(autouse=True)
def admin(db):
    cache.clear()
    return make_user("admin@lab.example", is_admin=True)


def guess(account, *, times=11, address=ADDRESS):
    for _ in range(times):
        try:
            settle_attempt(count_attempt(address=address, account=account), succeeded=False)
        except TooManyAttempts:
            continue


def told(person):
    return list(Notification.objects.filter(recipient=person).values_list("message", flat=True))


def test_nobody_hears_of_ten_wrong_passwords(admin):
    make_user("ines@lab.example")

    guess("ines@lab.example", times=10)

    assert told(admin) == []


def test_admins_hear_of_the_eleventh_once(admin):
    ines = make_user("ines@lab.example", display_name="Ines")

    guess("INES@lab.example ", times=14)

    (message,) = told(admin)
    assert message.startswith("10 wrong passwords within a minute were tried for Ines (ines@lab.example), from 203.0.")
    assert told(ines) == []


def test_what_was_typed_does_not_reach_an_inbox_where_no_account_has_it(admin):
    guess("<b>free money</b>")

    (message,) = told(admin)
    assert "for an account that is not there, from 203.0.113.9" in message


def test_admins_hear_of_an_address_that_tries_many_accounts(admin, monkeypatch):
    monkeypatch.setattr(rates, "SIGN_INS_OF_ADDRESS", RateLimit("sign-ins-of-address", max_hits=5, seconds=60))

    for number in range(9):
        guess(f"{number}@lab.example", times=1)

    (message,) = told(admin)
    assert message.startswith("Wrong passwords for several accounts come from 203.0.113.9")


def test_whose_password_is_known_hears_of_wrong_codes(admin):
    ines = make_user("ines@lab.example", display_name="Ines")

    for _ in range(12):
        try:
            count_code(ines)
        except TooManyCodes:
            continue

    assert told(ines) == told(admin)
    (message,) = told(ines)
    assert message.startswith("Somebody who has the password of Ines (ines@lab.example) tried 10 wrong codes")


def test_nobody_fills_an_inbox(admin):
    for number in range(25):
        guess(f"{number}@lab.example", address=f"203.0.113.{number}")

    assert len(told(admin)) == 20


def test_an_account_that_is_there_costs_no_other_queries(django_assert_num_queries):
    make_user("ines@lab.example")
    for account in ("ines@lab.example", "nobody@lab.example"):
        guess(account, times=10)
        with django_assert_num_queries(3):
            guess(account, times=1)


def test_a_flood_costs_the_database_nothing_more(django_assert_num_queries):
    make_user("ines@lab.example")
    guess("ines@lab.example", times=11)

    with django_assert_num_queries(0):
        guess("ines@lab.example", times=20)
