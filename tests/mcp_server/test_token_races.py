"""Codes and refresh tokens that are used twice: at once by real threads, or again later."""

from datetime import timedelta

import pytest
from oauth2_provider.models import get_access_token_model

from accounts.callers import caller_for_user
from accounts.models import SpentCode
from accounts.oauth.connections import delete_idle_clients, disconnect_client
from tests.mcp_server.assistants import message, post
from tests.mcp_server.oauth_flow import Flow, opens
from tests.races import at_once
from wire.clock import now

AT_ONCE = 12
race = pytest.mark.django_db(transaction=True)


@pytest.fixture
def long_retries(monkeypatch):
    """All that a test brings twice comes within the seconds, though the machine may stand still for some."""
    monkeypatch.setattr("accounts.oauth.server.RETRY_SECONDS", 600)


@race
@pytest.mark.usefixtures("long_retries")
def test_of_many_who_refresh_at_once_one_gets_tokens_that_work():
    flow = Flow.begin()
    first = flow.tokens()

    answers = at_once(AT_ONCE, lambda _: flow.refresh(first["refresh_token"]))

    won = [answer.json() for answer in answers if answer.status_code == 200]
    lost = [answer.json()["error"] for answer in answers if answer.status_code == 400]
    assert (len(won), lost) == (1, ["invalid_grant"] * (AT_ONCE - 1))
    assert opens(won[0]["access_token"])
    assert flow.refresh(won[0]["refresh_token"]).status_code == 200


@race
def test_of_many_who_redeem_a_code_at_once_one_gets_tokens_and_they_end():
    flow = Flow.begin()
    code = flow.code()

    answers = at_once(AT_ONCE, lambda _: flow.exchange(code))

    won = [answer.json() for answer in answers if answer.status_code == 200]
    lost = [answer.json()["error"] for answer in answers if answer.status_code == 400]
    assert (len(won), lost) == (1, ["invalid_grant"] * (AT_ONCE - 1))
    assert not opens(won[0]["access_token"])
    assert get_access_token_model().objects.count() == 1  # of the registration, which is nobody's


@race
def test_a_client_that_is_disconnected_while_it_refreshes_holds_nothing():
    flow = Flow.begin()
    first = flow.tokens()

    def act(number):
        if number == 0:
            return disconnect_client(flow.client_id, by=caller_for_user(flow.user))
        return flow.refresh(first["refresh_token"]).status_code

    statuses = {status for status in at_once(AT_ONCE, act) if status}

    assert statuses <= {200, 400}
    assert not get_access_token_model().objects.filter(user=flow.user).exists()


@race
def test_a_token_that_is_used_while_its_client_is_disconnected_opens_nothing_after():
    flow = Flow.begin()
    first = flow.tokens()

    def act(number):
        if number == 0:
            disconnect_client(flow.client_id, by=caller_for_user(flow.user))
            return 0
        return post(message("ping"), Authorization=f"Bearer {first['access_token']}").status_code

    statuses = {*at_once(AT_ONCE, act)}

    assert statuses <= {0, 200, 401}
    assert not opens(first["access_token"])
    assert flow.refresh(first["refresh_token"]).status_code == 400


@race
def test_a_code_and_a_refresh_at_once_leave_one_family_or_none():
    """A replayed code ends what it gave, also what is just being made of it."""
    flow = Flow.begin()
    code = flow.code()
    first = flow.exchange(code).json()

    answers = at_once(
        AT_ONCE, lambda number: flow.refresh(first["refresh_token"]) if number % 2 else flow.exchange(code)
    )

    assert {answer.status_code for answer in answers} <= {200, 400}
    given = [answer.json() for answer in answers if answer.status_code == 200]
    assert len(given) <= 1
    assert not any(opens(one["access_token"]) for one in (first, *given))
    assert not any(flow.refresh(one["refresh_token"]).status_code == 200 for one in given)


@pytest.mark.django_db
def test_a_code_that_is_used_again_ends_what_it_gave(security_events):
    flow = Flow.begin()
    code = flow.code()
    tokens = flow.exchange(code).json()
    later = flow.refresh(tokens["refresh_token"]).json()

    replay = flow.exchange(code)

    assert (replay.status_code, replay.json()["error"]) == (400, "invalid_grant")
    assert not opens(later["access_token"])
    assert flow.refresh(later["refresh_token"]).status_code == 400
    assert security_events()[0] == "replayed_code"


@pytest.mark.django_db
def test_a_code_that_somebody_without_its_verifier_brings_again_ends_it_too():
    flow = Flow.begin()
    code = flow.code()
    tokens = flow.exchange(code).json()

    flow.exchange(code, code_verifier="w" * 64)

    assert not opens(tokens["access_token"])


@pytest.mark.django_db
def test_a_code_that_was_never_given_ends_nothing():
    flow = Flow.begin()
    tokens = flow.tokens()

    flow.exchange("guess")

    assert opens(tokens["access_token"])


@pytest.mark.django_db
@pytest.mark.usefixtures("long_retries")
def test_a_second_refresh_within_seconds_is_refused_and_ends_nothing():
    """Sessions of one client that share what they keep: the slower one reads what the faster one stored."""
    flow = Flow.begin()
    first = flow.tokens()
    second = flow.refresh(first["refresh_token"]).json()

    again = flow.refresh(first["refresh_token"])

    assert (again.status_code, again.json()["error"]) == (400, "invalid_grant")
    assert opens(second["access_token"])


@pytest.mark.django_db
def test_spent_codes_are_forgotten_when_nothing_of_theirs_can_be_alive():
    flow = Flow.begin()
    flow.tokens()
    kept, at = SpentCode.objects.get().pk, now()
    SpentCode.objects.create(digest="0" * 64, token_family=kept[:32], spent_at=at - timedelta(days=400))

    delete_idle_clients(at=at)

    assert [code.pk for code in SpentCode.objects.all()] == [kept]


@pytest.mark.django_db
@pytest.mark.parametrize("grant_type", ["password", "client_credentials"])
def test_nobody_reaches_the_password_hasher_through_the_token_endpoint(grant_type, monkeypatch, client):
    flow = Flow.begin()
    hashed = []
    monkeypatch.setattr("django.contrib.auth.hashers.MD5PasswordHasher.encode", lambda *_: hashed.append(1) or "x$y")

    client.post(
        "/oauth/token",
        {"grant_type": grant_type, "client_id": flow.client_id, "username": flow.user.email, "password": "guess"},
    )

    assert hashed == []
