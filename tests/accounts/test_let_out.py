"""What ends when somebody is switched off, or gets a new password by a link: it stays ended."""

import pytest
from django.test import Client

from accounts.callers import caller_for_user
from accounts.members import set_person_active
from accounts.models import Session
from accounts.oauth.connections import find_oauth_caller
from accounts.sign_in.password_links import make_password_link, use_password_link
from tests.factories import make_user
from tests.mcp_server.oauth_flow import access_token
from wire.clock import now

pytestmark = pytest.mark.django_db


@pytest.fixture
def person():
    return make_user()


@pytest.fixture
def browser(person):
    client = Client()
    client.force_login(person, backend="allauth.account.auth_backends.AuthenticationBackend")
    assert client.get("/api/v1/instruments").status_code == 200
    return client


def switch_off_and_on(person):
    for is_active in (False, True):
        set_person_active(user_id=person.pk, is_active=is_active, by=caller_for_user(make_user(is_admin=True)))


def set_a_new_password(person):
    secret = make_password_link(person).rstrip("/").rpartition("/")[2]
    use_password_link(person.pk, secret, password="another horse and battery")


@pytest.mark.parametrize("end", [switch_off_and_on, set_a_new_password])
def test_a_session_and_an_ai_client_from_before_have_ended(person, browser, end):
    held = access_token(person)
    other = access_token(make_user())

    end(person)

    assert browser.get("/api/v1/instruments").status_code == 401
    assert not Session.objects.filter(user=person).exists()
    assert find_oauth_caller(held, at=now()) is None
    assert find_oauth_caller(other, at=now()) is not None


def test_a_sign_in_that_was_under_way_opens_nothing_later(person):
    """The password was right before they were switched off, the session written after."""
    by = caller_for_user(make_user(is_admin=True))
    set_person_active(user_id=person.pk, is_active=False, by=by)
    browser = Client()
    browser.force_login(person, backend="allauth.account.auth_backends.AuthenticationBackend")

    set_person_active(user_id=person.pk, is_active=True, by=by)

    assert browser.get("/api/v1/instruments").status_code == 401
