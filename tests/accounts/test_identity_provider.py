"""Sign-in through an identity provider, against a real one on loopback."""

import time
import warnings
from urllib.parse import parse_qs, urlsplit

import pytest
import requests

from accounts.models import User
from instruments.groups.models import Membership
from tests.factories import make_group, make_user

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import oidc_provider_mock
    from oidc_provider_mock._storage import AuthorizationCode

pytestmark = pytest.mark.django_db
INES = {"email": "ines@lab.example", "email_verified": True, "name": "Ines Okafor"}


@pytest.fixture(scope="module")
def mock():
    with oidc_provider_mock.run_server_in_thread(require_client_registration=False) as server:
        yield f"http://localhost:{server.server_port}"


@pytest.fixture
def issuer(mock, settings):
    settings.OIDC_NAME = "Lab ID"
    app = {"client_id": "ids", "secret": "secret", "name": "Lab ID", "settings": {"server_url": mock}}
    settings.SOCIALACCOUNT_PROVIDERS = {"oidc": {"APPS": [app]}}
    return mock


@pytest.fixture
def sign_in(client, issuer):
    """Goes to the provider as this person and comes back."""

    def walk(claims, *, query=""):
        requests.put(f"{issuer}/users/somebody", json=claims, timeout=60).raise_for_status()
        away = client.get(f"/accounts/oidc/login/{query}")["Location"]
        back = requests.post(away, data={"sub": "somebody"}, timeout=60, allow_redirects=False).headers["Location"]
        walk.away = away
        assert back.startswith("http://127.0.0.1:8000/accounts/oidc/login/callback/?")
        return client.get(back.removeprefix("http://127.0.0.1:8000"))

    return walk


def test_the_button_leads_there_where_a_provider_is_set(client, issuer):
    page = client.get("/accounts/login/?next=/runs").content.decode()

    assert 'href="/accounts/oidc/login/?next=/runs"' in page
    assert "Continue with Lab ID" in page
    assert 'name="password"' in page


def test_without_a_provider_there_is_none(client):
    assert "/accounts/oidc/" not in client.get("/accounts/login/").content.decode()
    assert client.get("/accounts/oidc/login/").status_code == 404
    assert client.get("/accounts/oidc/login/callback/").status_code == 404


def test_who_signs_in_first_joins_as_a_member(client, sign_in):
    response = sign_in(INES, query="?next=/runs")

    ines = User.objects.get()
    assert response["Location"] == "/runs"
    assert (ines.email, ines.display_name, ines.is_admin, ines.is_staff) == (
        "ines@lab.example",
        "Ines Okafor",
        False,
        False,
    )
    assert not ines.has_usable_password()
    assert client.get("/").status_code == 200


def test_the_request_is_bound_by_state_and_pkce(sign_in):
    sign_in(INES)

    asked = parse_qs(urlsplit(sign_in.away).query)
    assert asked["code_challenge_method"] == ["S256"]
    assert asked["state"]
    assert set(asked["scope"][0].split()) == {"openid", "profile", "email"}


def test_a_second_time_it_is_the_same_person(client, sign_in):
    sign_in(INES)
    client.logout()
    sign_in(INES | {"name": "Somebody Else"})

    assert User.objects.get().display_name == "Ines Okafor"


def test_a_named_address_joins_as_admin_and_maintainer(sign_in, settings):
    settings.ADMIN_EMAILS = ["ines@lab.example"]

    sign_in(INES)

    ines = User.objects.get()
    assert (ines.is_admin, ines.is_staff, ines.is_superuser) == (True, True, True)


@pytest.mark.parametrize("verified", [False, None, "true", 1])
def test_an_address_that_is_not_verified_is_no_admin(sign_in, settings, verified):
    settings.ADMIN_EMAILS = ["ines@lab.example"]

    sign_in(INES | {"email_verified": verified})

    assert not User.objects.get().is_admin


def test_who_was_demoted_stays_demoted(client, sign_in, settings):
    settings.ADMIN_EMAILS = ["ines@lab.example"]
    sign_in(INES)
    User.objects.update(is_admin=False)
    client.logout()

    sign_in(INES)

    assert not User.objects.get().is_admin


@pytest.mark.parametrize(
    "claims",
    [
        INES | {"email": "ines@elsewhere.example"},
        INES | {"email": "ines@lab.example.elsewhere.example"},
        INES | {"email_verified": False},
        {"name": "Nobody", "email": ""},
    ],
)
def test_other_domains_stay_out(client, sign_in, settings, claims):
    settings.OIDC_ALLOWED_DOMAINS = ["lab.example"]

    response = sign_in(claims)

    assert response.status_code == 403
    assert not User.objects.exists()
    assert client.get("/").status_code == 302


def test_the_domain_is_asked_again_of_people_who_are_known(client, sign_in, settings):
    sign_in(INES)
    client.logout()
    settings.OIDC_ALLOWED_DOMAINS = ["new.example"]

    assert sign_in(INES).status_code == 403


def test_a_local_account_of_the_same_address_is_not_taken_over(client, sign_in):
    make_user("ines@lab.example")

    response = sign_in(INES)

    assert response.status_code == 403
    assert "has an account with a password here" in response.content.decode()
    assert client.get("/").status_code == 302


def test_a_local_person_connects_the_provider_and_uses_it(client, sign_in):
    client.force_login(make_user("ines@lab.example"), backend="allauth.account.auth_backends.AuthenticationBackend")
    sign_in(INES, query="?process=connect&next=/settings/profile")
    client.logout()

    sign_in(INES)

    assert User.objects.count() == 1
    assert client.get("/").status_code == 200


def test_who_was_switched_off_stays_out(client, sign_in):
    sign_in(INES)
    User.objects.update(is_active=False)
    client.logout()

    response = sign_in(INES)

    assert response["Location"] == "/accounts/inactive/"
    assert client.get("/").status_code == 302


@pytest.mark.parametrize("query", ["", "?code=x&state=y", "?error=access_denied", "?state="])
def test_a_made_up_answer_of_the_provider_is_refused(client, issuer, query):
    response = client.get(f"/accounts/oidc/login/callback/{query}")

    assert response.status_code == 403
    assert "not signed in" in response.content.decode()


def test_a_provider_out_of_reach_is_said(client, issuer, settings):
    settings.SOCIALACCOUNT_PROVIDERS["oidc"]["APPS"][0]["settings"] = {"server_url": "http://localhost:9"}

    response = client.get("/accounts/oidc/login/")

    assert response.status_code == 503
    assert "does not answer" in response.content.decode()


def test_next_leads_nowhere_else(sign_in):
    assert sign_in(INES, query="?next=https://elsewhere.example/")["Location"] == "/"


def test_who_confirms_who_they_are_is_asked_by_the_provider_again(client, issuer):
    away = parse_qs(urlsplit(client.get("/accounts/oidc/login/?action=reauthenticate")["Location"]).query)

    assert (away["prompt"], away["max_age"]) == (["login"], ["0"])


def test_people_of_the_provider_confirm_there_and_are_led_back(client, sign_in, settings):
    settings.ADMIN_EMAILS = ["ines@lab.example"]
    sign_in(INES)
    session = client.session
    del session["confirmed_at"]
    session.save()

    asked = client.post("/settings/tokens/new", {"name": "a", "preset": "read", "ends": "90"})
    back = sign_in(INES, query="?action=reauthenticate&next=/settings/tokens/new")
    made = client.post("/settings/tokens/new", {"name": "a", "preset": "read", "ends": "90"})

    assert "/accounts/oidc/login/?action=reauthenticate&amp;next=/settings/tokens/new" in asked.content.decode()
    assert (asked.status_code, back["Location"], made.status_code) == (403, "/settings/tokens/new", 201)


@pytest.fixture
def silent(monkeypatch):
    """The provider does not say when it asked: the one played here would else say that it was now."""
    monkeypatch.setattr(AuthorizationCode, "get_auth_time", lambda code: "unknown")


def try_to_make_token(client):
    return client.post("/settings/tokens/new", {"name": "a", "preset": "read", "ends": "90"}).status_code


@pytest.mark.parametrize(("seconds_ago", "expected"), [(60, 201), (3_600, 403), (-3_600, 201)])
@pytest.mark.parametrize("query", ["", "?action=reauthenticate"])
def test_a_sign_in_is_as_recent_as_the_provider_says(
    client, sign_in, settings, monkeypatch, seconds_ago, expected, query
):
    settings.ADMIN_EMAILS = ["ines@lab.example"]
    sign_in(INES)
    monkeypatch.setattr(AuthorizationCode, "get_auth_time", lambda code: int(time.time()) - seconds_ago)

    sign_in(INES, query=query)

    assert try_to_make_token(client) == expected


def test_without_its_word_only_a_sign_in_that_it_was_told_to_ask_for_is_recent(client, sign_in, silent, settings):
    settings.ADMIN_EMAILS = ["ines@lab.example"]

    sign_in(INES)
    before = try_to_make_token(client)
    sign_in(INES, query="?action=reauthenticate")

    assert (before, try_to_make_token(client)) == (403, 201)


def test_an_operator_may_want_its_word(client, sign_in, silent, settings):
    settings.ADMIN_EMAILS, settings.OIDC_REQUIRE_AUTH_TIME = ["ines@lab.example"], True
    sign_in(INES)

    sign_in(INES, query="?action=reauthenticate")

    assert try_to_make_token(client) == 403


@pytest.fixture
def admin_groups(settings):
    settings.OIDC_GROUPS_CLAIM, settings.OIDC_ADMIN_GROUPS = "groups", ["lab-admins"]
    make_user(is_admin=True)  # so that nobody below is the last one


@pytest.mark.parametrize(
    ("groups", "is_admin"),
    [
        (["staff", "lab-admins"], True),
        ("lab-admins", True),
        (["staff"], False),
        ([], False),
        ({"lab-admins": 1}, False),
    ],
)
def test_a_group_of_the_provider_makes_admins(sign_in, admin_groups, groups, is_admin):
    sign_in(INES | {"groups": groups})

    assert User.objects.get(email=INES["email"]).is_admin is is_admin


def test_the_role_follows_the_groups_at_each_sign_in(client, sign_in, admin_groups):
    found = []
    for claims in ({}, {"groups": ["lab-admins"]}, {}, {"groups": ["staff"]}):
        sign_in(INES | claims)
        found.append(User.objects.get(email=INES["email"]).is_admin)
        client.logout()

    assert found == [False, True, True, False]


def test_the_groups_of_the_lab_follow_those_of_the_provider_at_each_sign_in(client, sign_in, admin_groups):
    proteins, by_hand = make_group(name="Proteins", claimed_as="lab-proteins"), make_group(name="Lasers")
    found = []
    for claims in ({"groups": ["lab-proteins", "else"]}, {}, {"groups": []}):
        sign_in(INES | claims)
        ines = User.objects.get(email=INES["email"])
        Membership.objects.get_or_create(group=by_hand, person=ines, role="manager")
        found.append(proteins.memberships.filter(person=ines).exists())
        client.logout()

    assert found == [True, True, False]
    assert list(ines.memberships.values_list("group__name", "role")) == [("Lasers", "manager")]


def test_the_last_admin_stays_one_whatever_the_groups_say(sign_in, settings):
    settings.OIDC_GROUPS_CLAIM, settings.OIDC_ADMIN_GROUPS = "groups", ["lab-admins"]
    sign_in(INES | {"groups": ["lab-admins"]})

    sign_in(INES | {"groups": []})

    assert User.objects.get().is_admin


def test_an_address_that_is_not_verified_is_the_reason_that_is_told(client, sign_in, settings):
    settings.OIDC_ALLOWED_DOMAINS = ["lab.example"]

    refused = sign_in(INES | {"email_verified": False})

    assert refused.status_code == 403
    assert "has not verified that ines@lab.example is your address" in refused.content.decode()
