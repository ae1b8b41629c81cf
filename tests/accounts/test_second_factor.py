"""The second factor of local accounts: an app, passkeys, recovery codes."""

import json
import re
import time

import pytest
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value
from django.core.cache import cache
from django.test import Client

from accounts.callers import caller_for_user
from accounts.models import SecondFactor
from accounts.sign_in.second_factors import reset_second_factors
from tests.factories import PASSWORD, make_user
from tests.races import at_once

pytestmark = pytest.mark.django_db
SECRET = re.compile(r'Secret: <code class="any">([A-Z2-7]+)</code>')
CODES = re.compile(r'id="recovery-codes" class="any">([\d ]+)<')
APP, STEP = "/settings/security/app", "/accounts/second-factor/"


def first_step(person, browser=None):
    browser = browser or Client()
    browser.post("/accounts/login/", {"login": person.email, "password": PASSWORD})
    return browser


def is_signed_in(browser):
    return browser.get("/settings/profile").status_code == 200


def code_of(secret):
    return format_hotp_value(hotp_value(secret, int(time.time()) // 30))


def set_up(person):
    """The app's secret and the recovery codes."""
    browser = first_step(person)
    secret = SECRET.search(browser.get(APP).content.decode())[1]
    done = browser.post(APP, {"code": code_of(secret)})
    assert done["Location"] == "/settings/security/recovery-codes"
    codes = CODES.search(browser.get(done["Location"]).content.decode())[1].split()
    return secret, codes


@pytest.fixture(autouse=True)
def _half_a_minute_may_end(settings):
    """Between a code that is worked out here and its request."""
    settings.MFA_TOTP_TOLERANCE = 1


@pytest.fixture
def ines():
    return make_user("ines@lab.example")


@pytest.fixture
def passkeys(settings):
    settings.HAS_PASSKEYS, settings.MFA_SUPPORTED_TYPES = True, ["recovery_codes", "totp", "webauthn"]
    settings.PUBLIC_URL, settings.MFA_WEBAUTHN_ALLOW_INSECURE_ORIGIN = "http://localhost", True


def test_the_password_alone_opens_nothing_any_more(ines):
    set_up(ines)

    browser = first_step(ines)

    assert not is_signed_in(browser)
    assert "One more step" in browser.get(STEP).content.decode()


def test_the_code_of_the_app_signs_in(ines):
    secret, _ = set_up(ines)
    browser = first_step(ines)

    browser.post(STEP, {"code": code_of(secret)})

    assert is_signed_in(browser)


def test_a_code_of_the_app_works_once(ines):
    secret, _ = set_up(ines)
    first, second = first_step(ines), first_step(ines)
    code = code_of(secret)

    first.post(STEP, {"code": code})
    second.post(STEP, {"code": code})

    assert (is_signed_in(first), is_signed_in(second)) == (True, False)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("kind", ["app", "recovery"])
def test_of_ten_who_bring_a_code_at_once_one_gets_in(kind):
    person = make_user()
    secret, codes = set_up(person)
    browsers = [first_step(person) for _ in range(10)]
    code = code_of(secret) if kind == "app" else codes[0]

    at_once(10, lambda number: browsers[number].post(STEP, {"code": code}))

    assert [is_signed_in(one) for one in browsers].count(True) == 1


def test_a_recovery_code_works_once(ines):
    _, codes = set_up(ines)
    first, second = first_step(ines), first_step(ines)

    first.post(STEP, {"code": codes[3]})
    second.post(STEP, {"code": codes[3]})

    assert (is_signed_in(first), is_signed_in(second)) == (True, False)


def test_recovery_codes_are_shown_once(ines):
    _, codes = set_up(ines)
    browser = first_step(ines)
    browser.post(STEP, {"code": codes[0]})

    page = browser.get("/settings/security/recovery-codes").content.decode()

    assert not any(code in page for code in codes)


def test_new_recovery_codes_end_the_old_ones(ines):
    _, codes = set_up(ines)
    browser = first_step(ines)
    browser.post(STEP, {"code": codes[0]})

    browser.post("/settings/security/recovery-codes/new")

    other = first_step(ines)
    other.post(STEP, {"code": codes[1]})
    assert not is_signed_in(other)


def test_wrong_codes_have_to_wait(ines):
    set_up(ines)
    browser = first_step(ines)

    answers = [browser.post(STEP, {"code": "000000"}).status_code for _ in range(11)]

    assert answers == [200] * 10 + [429]


@pytest.mark.parametrize("code", ["", "x" * 100, "\u0661\u0662\u0663\u0664\u0665\u0666", " "])
def test_what_is_no_code_is_refused(ines, code):
    set_up(ines)
    browser = first_step(ines)

    assert browser.post(STEP, {"code": code}).status_code == 200
    assert not is_signed_in(browser)


def test_nobody_skips_the_first_step(client):
    assert client.get(STEP)["Location"] == "/accounts/login/"
    assert client.post(STEP, {"code": "123456"})["Location"] == "/accounts/login/"


def test_what_is_kept_is_sealed(ines):
    secret, codes = set_up(ines)

    kept = json.dumps(list(SecondFactor.objects.values_list("data", flat=True)))

    assert not any(word in kept for word in (secret, *codes))


def test_sealed_with_another_key_no_code_fits(ines, settings):
    set_up(ines)
    settings.SECRET_KEY = "another key of thirty-two characters"
    browser = first_step(ines)

    browser.post(STEP, {"code": code_of("")})

    assert not is_signed_in(browser)


@pytest.mark.django_db(transaction=True)
def test_an_app_that_is_set_up_twice_at_once_is_set_up_once():
    person = make_user()
    browser = first_step(person)
    secret = SECRET.search(browser.get(APP).content.decode())[1]
    code = code_of(secret)

    answers = at_once(5, lambda _: clone(browser).post(APP, {"code": code}).status_code)

    assert set(answers) <= {200, 302}
    assert SecondFactor.objects.filter(user=person, type="totp").count() == 1


def clone(browser):
    one = Client()
    one.cookies["sessionid"] = browser.cookies["sessionid"].value
    return one


def test_who_removes_the_app_signs_in_as_before(ines):
    set_up(ines)
    browser = Client()
    browser.force_login(ines, backend="allauth.account.auth_backends.AuthenticationBackend")
    factor = SecondFactor.objects.get(type="totp")

    browser.post("/settings/security/remove", {"factor": factor.pk})

    assert not SecondFactor.objects.exists()
    assert is_signed_in(first_step(ines))


def test_nobody_removes_what_is_somebody_elses(ines):
    set_up(ines)
    browser = first_step(make_user())
    factor = SecondFactor.objects.get(type="totp")

    browser.post("/settings/security/remove", {"factor": factor.pk})

    assert SecondFactor.objects.count() == 2


@pytest.mark.parametrize("factor", ["", "x", "\x00", "9" * 40, "-1", "\u0661"])
def test_what_is_no_factor_is_refused(ines, factor):
    assert first_step(ines).post("/settings/security/remove", {"factor": factor}).status_code == 400


def test_an_admin_resets_it_and_the_trail_says_who(ines):
    set_up(ines)
    admin = Client()
    admin.force_login(
        make_user("ada@lab.example", is_admin=True), backend="allauth.account.auth_backends.AuthenticationBackend"
    )

    admin.post("/settings/members", {"member": str(ines.pk), "do": "reset"})

    last = SecondFactor.pgh_event_model.objects.order_by("pgh_id").last()
    assert is_signed_in(first_step(ines))
    assert (last.pgh_label, last.pgh_context["kind"]) == ("delete", "person")


def test_resetting_what_is_not_there_is_fine(ines):
    assert reset_second_factors(user_id=ines.pk, by=caller_for_user(make_user(is_admin=True))) == ines


def test_people_of_the_provider_have_theirs_there(ines):
    browser = first_step(ines)
    ines.set_unusable_password()
    ines.save()
    browser.force_login(ines, backend="allauth.account.auth_backends.AuthenticationBackend")

    assert browser.get(APP).status_code == 403


def test_without_https_there_are_no_passkeys(ines):
    browser = first_step(ines)

    assert "Passkeys need https" in browser.get("/settings/security").content.decode()
    assert browser.get("/settings/security/passkey")["Location"] == "/settings/security"


@pytest.mark.parametrize(
    "credential",
    [
        *("", "x", "[]", "{}", "null", '"a"', "1", '{"id": "\\u0000"}', '{"id": 1, "rawId": [], "response": {}}'),
        json.dumps({"id": "YQ", "rawId": "YQ", "type": "public-key", "response": {}}),
        json.dumps({"id": "YQ", "rawId": "YQ", "type": "public-key", "response": {"clientDataJSON": "YQ"}}),
        json.dumps(
            {
                "id": "YQ",
                "rawId": "YQ",
                "type": "public-key",
                "response": {"clientDataJSON": "e30", "attestationObject": "oA", "signature": 1},
            }
        ),
        "[" * 5_000,
        json.dumps({"id": "x" * 30_000}),
    ],
)
def test_a_made_up_passkey_is_refused(ines, passkeys, credential):
    browser = first_step(ines)
    page = "/settings/security/passkey"
    browser.get(page)

    answer = browser.post(page, {"name": "a", "credential": credential})

    assert (answer.status_code, SecondFactor.objects.count()) == (200, 0)


@pytest.mark.parametrize("credential", ["", "{}", "[]", '{"id": "YQ", "rawId": "YQ", "response": {}}', "[" * 5_000])
def test_a_made_up_answer_of_a_passkey_opens_nothing(ines, passkeys, credential):
    set_up(ines)
    browser = first_step(ines)
    browser.get(STEP)

    answer = browser.post(STEP, {"credential": credential})

    assert answer.status_code == 200
    assert not is_signed_in(browser)


def test_a_cache_that_is_empty_opens_nothing(ines):
    set_up(ines)
    cache.clear()

    assert not is_signed_in(first_step(ines))


def test_who_adds_a_second_factor_signs_out_everywhere_else(ines):
    elsewhere, here = first_step(ines), first_step(ines)
    secret = SECRET.search(here.get(APP).content.decode())[1]

    here.post(APP, {"code": code_of(secret)})

    assert (is_signed_in(here), is_signed_in(elsewhere)) == (True, False)


def test_a_wrong_code_signs_nobody_out(ines):
    elsewhere, here = first_step(ines), first_step(ines)
    here.get(APP)

    here.post(APP, {"code": "000000"})

    assert (is_signed_in(here), is_signed_in(elsewhere)) == (True, True)
