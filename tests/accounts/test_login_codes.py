"""`ids-data login` by browser: the page that asks, the code, the exchange."""

from datetime import timedelta
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from django.test import Client

from accounts.models import LoginCode, Token
from accounts.sign_in.login_codes import LoginCodeNotGood, challenge_of, exchange_code, forget_codes, pairing_code
from accounts.trail.rows import find_trail_model
from tests.clients import Api
from tests.factories import PASSWORD, make_instrument, make_token, make_user
from tests.races import at_once
from wire.clock import now

pytestmark = pytest.mark.django_db
VERIFIER = "v" * 43
STATE = "s" * 22
FORM = {"name": "notebook", "preset": "read", "ends": "90", "allow": "1"}


def sign_in(person):
    browser = Client()
    browser.post("/accounts/login/", {"login": person.email, "password": PASSWORD})
    return browser


def forget_confirmation(browser):
    session = browser.session
    del session["confirmed_at"]
    session.save()


def address(**asked):
    usual = {"code_challenge": challenge_of(VERIFIER), "state": STATE, "port": "50123", "name": "ids-data on bench"}
    return f"/accounts/command-line/?{urlencode(usual | asked)}"


def allow(person, **form):
    """The code that the browser brings to the command."""
    answer = person.post(address(), FORM | form)
    return parse_qs(urlsplit(answer["Location"]).query)["code"][0]


def trade(api, code, verifier=VERIFIER):
    return api.post("/api/v1/tokens/exchange", {"code": code, "code_verifier": verifier})


@pytest.fixture
def ines():
    return make_user(is_admin=True)


def test_what_is_allowed_in_the_browser_becomes_a_token_of_the_command(ines, anonymous):
    browser = sign_in(ines)

    page = browser.get(address()).content.decode()
    answer = browser.post(address(), FORM)
    back = urlsplit(answer["Location"])
    told = parse_qs(back.query)
    got = trade(anonymous, told["code"][0])

    assert "“ids-data on bench” asks for a token" in page
    assert pairing_code(challenge_of(VERIFIER)) in page
    assert (back.scheme, back.netloc, back.path, told["state"]) == ("http", "127.0.0.1:50123", "/callback", [STATE])
    assert (got.status_code, got["Cache-Control"]) == (201, "no-store")
    assert Api(text=got.json()["token"]).get("/api/v1/instruments").status_code == 200
    token = Token.objects.get()
    assert (token.name, token.created_by) == ("notebook", ines)
    assert "runs:create" not in token.scopes


def test_the_trail_says_who_made_the_token_and_how(ines, anonymous):
    trade(anonymous, allow(sign_in(ines)))

    context = find_trail_model(Token).objects.get().pgh_context
    assert (context["id"], context["reason"]) == (str(ines.pk), "ids-data login")


def test_a_token_may_be_bound_and_end(ines, anonymous):
    make_instrument(id="reader-1")

    trade(anonymous, allow(sign_in(ines), preset="send", instruments="reader-1", ends="30"))

    token = Token.objects.get()
    assert token.instrument_ids == ["reader-1"]
    assert timedelta(days=29) < token.expires_at - now() < timedelta(days=31)
    assert "runs:upload" in token.scopes


def test_only_the_command_that_asked_can_use_the_code(ines, anonymous):
    code = allow(sign_in(ines))

    stolen, late = trade(anonymous, code, "w" * 43), trade(anonymous, code)

    assert (stolen.status_code, late.status_code) == (404, 404)
    assert not Token.objects.exists()


def test_a_code_that_is_brought_twice_ends_its_token(ines, anonymous):
    code = allow(sign_in(ines))
    text = trade(anonymous, code).json()["token"]

    again = trade(anonymous, code)

    assert again.status_code == 404
    assert Api(text=text).get("/api/v1/instruments").status_code == 401


@pytest.mark.django_db(transaction=True)
def test_of_many_who_bring_a_code_at_once_one_gets_a_token():
    code = allow(sign_in(make_user(is_admin=True)))

    def bring(_):
        try:
            exchange_code(code, verifier=VERIFIER, at=now())
        except LoginCodeNotGood:
            return False
        return True

    assert sorted(at_once(4, bring)) == [False, False, False, True]
    assert Token.objects.count() == 1


def test_a_code_is_good_for_a_minute(ines, anonymous):
    code = allow(sign_in(ines))
    LoginCode.objects.update(expires_at=now())

    assert trade(anonymous, code).status_code == 404


@pytest.mark.parametrize("change", [{"is_active": False}, {"is_admin": False}])
def test_who_may_make_tokens_no_longer_gets_none(ines, anonymous, change):
    code = allow(sign_in(ines))
    type(ines).objects.update(**change)

    assert trade(anonymous, code).status_code == 404
    assert not Token.objects.exists()


def test_wrong_codes_count_as_wrong_credentials(db, anonymous, settings):
    answers = [trade(anonymous, f"guess-{number}").status_code for number in range(21)]

    assert answers == [404] * 20 + [429]


@pytest.mark.parametrize(
    "body",
    [{}, {"code": "a"}, {"code": "a", "code_verifier": "short"}, {"code": "a" * 65, "code_verifier": VERIFIER}, []],
)
def test_an_exchange_that_cannot_be_read_is_refused(db, anonymous, body):
    assert anonymous.post("/api/v1/tokens/exchange", body).status_code == 400


def test_one_run_of_the_command_is_allowed_once(ines):
    browser = sign_in(ines)
    allow(browser)

    again = browser.post(address(), FORM)

    assert (again.status_code, "Location" in again) == (409, False)
    assert LoginCode.objects.count() == 1


def test_who_denies_tells_the_command_so_however_old_the_sign_in(ines):
    browser = sign_in(ines)
    forget_confirmation(browser)

    answer = browser.post(address(), {"deny": "1"})

    assert answer["Location"] == f"http://127.0.0.1:50123/callback?error=access_denied&state={STATE}"
    assert not LoginCode.objects.exists()


def test_an_old_sign_in_is_confirmed_first_and_the_browser_may_go_on_to_the_command(ines):
    browser = sign_in(ines)
    forget_confirmation(browser)

    asked = browser.post(address(), FORM)

    assert (asked.status_code, "Confirm that it is you" in asked.content.decode()) == (403, True)
    assert "form-action 'self' http://127.0.0.1:50123" in asked["Content-Security-Policy"]
    assert not LoginCode.objects.exists()


def test_who_makes_no_tokens_reads_why_and_can_tell_the_command(db):
    person = sign_in(make_user())

    page, tried, denied = person.get(address()), person.post(address(), FORM), person.post(address(), {"deny": "1"})

    assert (page.status_code, tried.status_code) == (403, 403)
    assert "Ask an admin" in page.content.decode()
    assert "error=access_denied" in denied["Location"]
    assert not LoginCode.objects.exists()


@pytest.mark.parametrize(
    "wrong",
    [
        {"port": "80"},
        {"port": "65536"},
        {"port": "1@evil.example"},
        {"port": "50123/"},
        {"state": ""},
        {"state": "a b" * 10},
        {"state": "s" * 200},
        {"code_challenge": "short"},
        {"code_challenge": challenge_of(VERIFIER) + "\n"},
        {"name": "\x00"},
    ],
)
def test_a_request_that_no_command_makes_leads_nowhere(ines, wrong):
    browser = sign_in(ines)

    looked, tried = browser.get(address(**wrong)), browser.post(address(**wrong), {"deny": "1"})

    assert (looked.status_code, tried.status_code) == (400, 400)
    assert "Location" not in tried


def test_a_form_from_elsewhere_allows_nothing(ines):
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(ines, backend="allauth.account.auth_backends.AuthenticationBackend")

    assert browser.post(address(), FORM).status_code == 403
    assert not LoginCode.objects.exists()


def test_the_page_shows_in_no_frame_and_leads_to_the_command_only(ines):
    answer = sign_in(ines).get(address())

    policy = answer["Content-Security-Policy"]
    assert "form-action 'self' http://127.0.0.1:50123;" in policy + ";"
    assert "frame-ancestors 'none'" in policy
    assert "no-store" in answer["Cache-Control"]


def test_a_stranger_signs_in_first_and_comes_back_with_the_whole_request(client, db):
    answer = client.get(address())

    assert answer.status_code == 302
    assert parse_qs(urlsplit(answer["Location"]).query)["next"] == [address()]


def test_wrong_choices_are_shown_and_allow_nothing(ines):
    answer = sign_in(ines).post(address(), FORM | {"preset": "own"})

    assert (answer.status_code, "At least one scope" in answer.content.decode()) == (400, True)
    assert not LoginCode.objects.exists()


def test_codes_are_forgotten_a_day_after_they_ended(ines):
    allow(sign_in(ines))

    forget_codes(at=now() + timedelta(hours=23))
    kept = LoginCode.objects.count()
    forget_codes(at=now() + timedelta(hours=25))

    assert (kept, LoginCode.objects.count()) == (1, 0)


def test_the_database_holds_one_code_of_a_challenge_and_no_token_of_an_unused_one(ines, refused_by):
    fields = {"name": "a", "scopes": ["read"], "person": ines, "expires_at": now()}
    LoginCode.objects.create(digest="a", challenge="c", **fields)

    refused_by("one_login_code_of_a_challenge", lambda: LoginCode.objects.create(digest="b", challenge="c", **fields))
    refused_by(
        "login_code_with_a_token_is_used",
        lambda: LoginCode.objects.create(digest="c", challenge="d", token=make_token("read"), **fields),
    )
