"""Who gets in: bearer, session, CSRF and the order in which they are asked."""

from datetime import timedelta

import pytest
from django.test import Client

from accounts.models import Token, User
from tests.clients import Api
from tests.factories import make_token_with_text, make_user
from wire.clock import now

TOKENS = "/api/v1/tokens"
YESTERDAY = now() - timedelta(days=1)


def test_nobody_is_told_to_authenticate(db, anonymous):
    answer = anonymous.get(TOKENS)

    assert answer.status_code == 401
    assert answer["WWW-Authenticate"] == "Bearer"
    assert answer.json()["error"] == {
        "code": "UNAUTHORIZED",
        "message": "Authentication is required.",
        "details": None,
    }


def test_a_bad_bearer_never_falls_back_to_the_session(as_admin):
    assert as_admin().get(TOKENS, Authorization="Bearer ids_wrong").status_code == 401


def test_a_good_bearer_decides_over_the_session(as_admin, db):
    _, text = make_token_with_text()

    assert as_admin().get(TOKENS, Authorization=f"Bearer {text}").status_code == 401


def test_a_token_in_the_query_is_ignored(db, anonymous):
    _, text = make_token_with_text()

    assert anonymous.get(f"/api/v1/instrument-runs?token={text}&access_token={text}").status_code == 401


def test_an_unsafe_session_request_needs_the_csrf_token(db):
    client = Client(enforce_csrf_checks=True)
    client.force_login(make_user(is_admin=True), backend="allauth.account.auth_backends.AuthenticationBackend")

    answer = client.post(TOKENS, {"name": "n", "scopes": ["read"]}, content_type="application/json")

    assert answer.status_code == 403
    assert answer.json()["error"]["code"] == "FORBIDDEN"


@pytest.mark.parametrize("with_csrf", [True, False])
def test_a_token_only_route_answers_401_to_a_session(as_admin, with_csrf):
    admin = as_admin()
    headers = {} if with_csrf else {"X_CSRFToken": "wrong"}

    assert admin.post("/api/v1/instruments", {"id": "a"}, **headers).status_code == 401


def test_a_deactivated_person_is_out_at_once(as_person):
    person = as_person()
    person.user.is_active = False
    person.user.save()

    assert person.get(TOKENS).status_code == 401


@pytest.mark.parametrize("change", [{"revoked_at": YESTERDAY}, {"expires_at": YESTERDAY}])
def test_a_token_that_another_process_ends_is_out_with_the_next_request(as_token, change):
    api = as_token()
    assert api.get("/api/v1/whoami").status_code == 200

    Token.objects.filter(pk=api.token.pk).update(**change)

    assert api.get("/api/v1/whoami").status_code == 401


def test_an_admin_whom_another_process_demotes_is_none_with_the_next_request(as_admin):
    admin = as_admin()
    assert admin.get("/api/v1/users").status_code == 200

    User.objects.filter(pk=admin.user.pk).update(is_admin=False)

    assert admin.get("/api/v1/users").status_code == 403


def test_an_answer_to_a_caller_is_never_stored(as_person):
    assert as_person().get(TOKENS)["Cache-Control"] == "no-store"


@pytest.mark.parametrize("scheme", ["bearer", "BEARER", "Bearer"])
def test_the_scheme_is_read_in_any_case(db, scheme):
    _, text = make_token_with_text("instruments:read")

    assert Api().get("/api/v1/instruments", Authorization=f"{scheme} {text}").status_code == 200


def test_a_foreign_scheme_is_nobody(db, anonymous):
    assert anonymous.get(TOKENS, Authorization="Basic YTpi").status_code == 401
