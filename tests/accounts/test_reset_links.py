"""POST /users/{id}/reset-link."""

import pytest

from tests.factories import make_user

pytestmark = pytest.mark.django_db


def test_an_admin_makes_a_link_by_which_a_member_sets_a_password(as_admin, anonymous):
    member = make_user()

    answer = as_admin().post(f"/api/v1/users/{member.pk}/reset-link", {})

    link = answer.json()
    assert answer.status_code == 201
    assert link["expires_at"].endswith("Z")
    assert link["url"].startswith(f"http://127.0.0.1:8000/accounts/password/{member.pk}/")
    assert anonymous.get(link["url"].removeprefix("http://127.0.0.1:8000")).status_code == 200


def test_of_an_admin_there_is_none(as_admin):
    assert as_admin().post(f"/api/v1/users/{make_user(is_admin=True).pk}/reset-link", {}).status_code == 403
