"""Sessions: how they are kept, when they end, and who is asked again who they are."""

from datetime import timedelta

import pytest
from django.contrib.auth import get_user
from django.contrib.sessions.backends.base import UpdateError
from django.test import Client

from accounts.callers import caller_for_user
from accounts.models import Session, Token, User
from accounts.sign_in.session_store import SessionStore
from accounts.sign_in.sessions import name_browser
from tests.clients import Api
from tests.factories import PASSWORD, make_user
from tests.races import at_once
from wire.clock import now

pytestmark = pytest.mark.django_db
BACKEND = "allauth.account.auth_backends.AuthenticationBackend"
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0"


def sign_in(person, **headers):
    browser = Client(headers=headers)
    browser.post("/accounts/login/", {"login": person.email, "password": PASSWORD})
    return browser


def is_signed_in(browser):
    return browser.get("/settings/profile").status_code == 200


def age(**times):
    """As if every session had begun or been used so long ago."""
    Session.objects.update(**{name: now() - ago for name, ago in times.items()})


def forget_confirmation(browser):
    session = browser.session
    del session["confirmed_at"]
    session.save()


def test_the_database_does_not_hold_what_the_cookie_says():
    browser = sign_in(make_user())

    assert browser.cookies["sessionid"].value not in str(Session.objects.values_list().get())


def test_a_session_ends_when_nobody_uses_it():
    browser = sign_in(make_user())
    Session.objects.update(expires_at=now())

    assert not is_signed_in(browser)


def test_use_puts_the_idle_end_off():
    browser = sign_in(make_user())
    age(last_used_at=timedelta(hours=11))
    Session.objects.update(expires_at=now() + timedelta(hours=1))

    browser.get("/settings/profile")

    assert Session.objects.get().expires_at > now() + timedelta(hours=11)


def test_no_use_puts_the_last_end_off():
    browser = sign_in(make_user())
    session = browser.session
    session["signed_in_at"] = (now() - timedelta(days=13, hours=23)).isoformat()
    session.save()
    age(last_used_at=timedelta(minutes=2))

    browser.get("/settings/profile")

    assert now() < Session.objects.get().expires_at < now() + timedelta(hours=1, minutes=1)


def test_a_new_password_does_not_begin_the_session_anew():
    browser = sign_in(make_user())
    before = Session.objects.get().signed_in_at
    form = {"old_password": PASSWORD, "new_password1": "a new and long one", "new_password2": "a new and long one"}

    browser.post("/settings/password", form)

    assert Session.objects.get().signed_in_at == before


def test_ended_sessions_are_forgotten():
    sign_in(make_user())
    Session.objects.update(expires_at=now())

    SessionStore.clear_expired()

    assert not Session.objects.exists()


def test_a_session_that_ended_meanwhile_stays_ended():
    browser = sign_in(make_user())
    session = browser.session
    Session.objects.all().delete()

    with pytest.raises(UpdateError):
        session.save()

    assert not Session.objects.exists()


def test_a_made_up_cookie_is_refused(client):
    client.cookies["sessionid"] = "x\x00y"

    assert client.get("/settings/profile").status_code == 400


def test_people_see_where_they_are_signed_in():
    person = make_user()
    sign_in(person, User_Agent=FIREFOX)
    here = sign_in(person)

    page = here.get("/settings/security").content.decode()

    assert "Firefox on Linux" in page
    assert page.count("Sign out everywhere else") == 1


def test_a_person_signs_another_browser_of_theirs_out():
    person = make_user()
    there, here = sign_in(person, User_Agent=FIREFOX), sign_in(person)
    row = Session.objects.get(user_agent=FIREFOX)

    here.post("/settings/security/sessions", {"session": str(row.pk)})

    assert (is_signed_in(there), is_signed_in(here)) == (False, True)


def test_everywhere_else_is_not_here():
    person = make_user()
    others, here = [sign_in(person), sign_in(person)], sign_in(person)

    here.post("/settings/security/sessions")

    assert [is_signed_in(one) for one in (*others, here)] == [False, False, True]


def test_nobody_signs_others_out():
    there, here = sign_in(make_user()), sign_in(make_user())
    row = Session.objects.order_by("signed_in_at").first()

    here.post("/settings/security/sessions", {"session": str(row.pk)})
    here.post("/settings/security/sessions")

    assert is_signed_in(there)


@pytest.mark.parametrize("named", ["x", "\x00", "9" * 300])
def test_what_is_no_session_is_refused(named):
    assert sign_in(make_user()).post("/settings/security/sessions", {"session": named}).status_code == 400


@pytest.mark.django_db(transaction=True)
def test_many_who_use_a_session_at_once_all_get_in():
    browser = sign_in(make_user())
    age(last_used_at=timedelta(hours=1))
    key = browser.cookies["sessionid"].value

    def use(number):
        one = Client()
        one.cookies["sessionid"] = key
        return one.get("/settings/profile").status_code

    assert at_once(12, use) == [200] * 12


@pytest.mark.parametrize(
    ("user_agent", "name"),
    [
        (FIREFOX, "Firefox on Linux"),
        ("Mozilla/5.0 (Windows NT 10.0) Chrome/142.0 Safari/537.36 Edg/142.0", "Edge on Windows"),
        ("", "A browser"),
        ("<script>", "A browser"),
    ],
)
def test_browsers_have_names(user_agent, name):
    assert name_browser(user_agent) == name


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/api/v1/tokens", {"name": "a", "scopes": ["read"]}),
        ("PATCH", "/api/v1/users/{person}", {"is_admin": True}),
        ("POST", "/api/v1/enrolment-codes", {"instrument_id": "cary-60"}),
        ("PUT", "/api/v1/settings/integrations", {}),
    ],
)
def test_an_old_sign_in_is_not_enough_for_what_an_intruder_would_do(method, path, body):
    admin, person = Api(user=make_user(is_admin=True)), make_user()
    forget_confirmation(admin.client)

    answer = admin.send(method, path.format(person=person.pk), body)

    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "FORBIDDEN")
    assert "Sign in again" in answer.json()["error"]["message"]
    assert not User.objects.get(pk=person.pk).is_admin


def test_looking_needs_no_new_sign_in(as_admin):
    admin = as_admin()
    forget_confirmation(admin.client)

    assert admin.get("/api/v1/users").status_code == 200
    assert admin.get("/settings/members").status_code == 200


def test_who_confirms_goes_on_with_what_they_had_filled_in():
    admin = sign_in(make_user(is_admin=True))
    forget_confirmation(admin)
    form = {"name": "script <1>", "preset": "read", "ends": "90"}

    asked = admin.post("/settings/tokens/new", form)
    made = admin.post("/settings/tokens/new", form | {"confirm_password": PASSWORD})

    assert asked.status_code == 403
    assert 'name="name" value="script &lt;1&gt;"' in asked.content.decode()
    assert PASSWORD not in asked.content.decode()
    assert made.status_code == 201
    assert Token.objects.get().name == "script <1>"


def test_a_wrong_password_confirms_nothing():
    admin = sign_in(make_user(is_admin=True))
    forget_confirmation(admin)
    form = {"name": "a", "preset": "read", "ends": "90", "confirm_password": "guess"}

    answers = [admin.post("/settings/tokens/new", form).status_code for _ in range(11)]

    assert answers == [403] * 10 + [429]
    assert not Token.objects.exists()


def test_who_came_to_look_is_led_back_there():
    person = sign_in(make_user())
    forget_confirmation(person)

    asked = person.get("/settings/security/app")
    back = person.post("/settings/security/app", {"confirm_only": "1", "confirm_password": PASSWORD})

    assert asked.status_code == 403
    assert (back.status_code, back["Location"]) == (302, "/settings/security/app")


def test_a_confirmation_grows_old(settings, as_admin):
    admin = as_admin()
    settings.RECENT_SIGN_IN_MINUTES = 0

    assert admin.post("/api/v1/tokens", {"name": "a", "scopes": ["read"]}).status_code == 403


def test_callers_are_not_recent_by_themselves():
    assert not caller_for_user(make_user()).is_recent
    assert get_user(sign_in(make_user())).is_authenticated


def test_headers_of_every_page(client, settings):
    settings.SECURE_HSTS_SECONDS = 31_536_000

    answer = client.get("/accounts/login/")

    assert answer["Strict-Transport-Security"] == "max-age=31536000"
    assert "camera=()" in answer["Permissions-Policy"]


def test_without_https_there_is_no_hsts(client):
    assert "Strict-Transport-Security" not in client.get("/accounts/login/")
