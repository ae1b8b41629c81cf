"""Every named constraint of people, tokens and integrations, violated once."""

import pytest

from accounts.models import IdempotentAnswer, Integration, Invitation, SecondFactor, Session, User
from tests.factories import make_token, make_user
from wire.clock import now

pytestmark = pytest.mark.django_db

TRACKER = {"kind": "tracker", "base_url": "https://tracker.example", "target": "lab/ids", "sealed_secret": "sealed"}


def test_one_address_is_one_person_whatever_its_case(refused_by):
    make_user(email="ada@lab.example")

    refused_by("one_user_per_email", lambda: User.objects.create(email="ADA@lab.example"))


@pytest.mark.parametrize(
    ("constraint", "fields"),
    [
        ("token_digest_is_sha256", {"digest": "0" * 63}),
        ("token_digest_is_sha256", {"digest": "A" * 64}),
        ("token_has_scopes", {"scopes": []}),
        ("token_has_no_wildcard", {"scopes": ["*"]}),
        ("token_has_no_wildcard", {"scopes": ["runs:read", "*"]}),
        ("token_is_bound_to_something_or_all", {"instrument_ids": []}),
        ("token_has_a_name", {"name": ""}),
    ],
)
def test_tokens(refused_by, constraint, fields):
    token = make_token("runs:read")

    refused_by(constraint, lambda: type(token).objects.filter(pk=token.pk).update(**fields))


@pytest.mark.parametrize(
    ("constraint", "fields"),
    [
        ("integration_kind_is_known", {"kind": "fax"}),
        ("integration_has_a_secret", {"sealed_secret": ""}),
        ("tracker_names_a_repository", {"target": "ids"}),
        ("tracker_names_a_repository", {"target": "lab/ids/issues"}),
    ],
)
def test_integrations(refused_by, constraint, fields):
    refused_by(constraint, lambda: Integration.objects.create(**(TRACKER | fields)))


def test_answers_under_keys(refused_by):
    kept = {"principal": "token:1", "key": "a", "digest": "0" * 64, "created_at": now()}
    IdempotentAnswer.objects.create(**kept)

    refused_by("one_answer_per_caller_and_key", lambda: IdempotentAnswer.objects.create(**kept))


def test_sessions(refused_by):
    at, person = now(), make_user()

    refused_by(
        "session_of_a_person_has_a_beginning",
        lambda: Session.objects.create(digest="0" * 64, data="", user=person, last_used_at=at, expires_at=at),
    )


def test_a_person_has_one_authenticator_app(refused_by):
    values = {"user": make_user(), "type": "totp", "data": {}}
    SecondFactor.objects.create(**values)

    refused_by("unique_authenticator_type", lambda: SecondFactor.objects.create(**values))


def test_an_address_has_one_open_invitation(refused_by):
    given = {"email": "ada@lab.example", "invited_by": make_user(), "expires_at": now()}
    Invitation.objects.create(digest="1", accepted_at=now(), **given)
    Invitation.objects.create(digest="2", **given)

    refused_by("one_open_invitation_of_an_address", lambda: Invitation.objects.create(digest="3", **given))
