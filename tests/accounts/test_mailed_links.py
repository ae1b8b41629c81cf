"""Invitations and links to set a password by mail, against a server on loopback that speaks SMTP."""

from email import message_from_bytes, policy

import pytest

from accounts.models import Invitation
from tests.factories import make_user
from tests.notifications.test_email import post  # noqa: F401 (a fixture)

pytestmark = pytest.mark.django_db
NEW = {"email": "ines@lab.example"}


def test_an_invitation_is_mailed_with_its_link(as_admin, post):  # noqa: F811
    answer = as_admin().post("/api/v1/invitations", NEW)

    [mail] = post.mails
    assert answer.json()["mailed"] is True
    assert b"To: ines@lab.example" in mail
    assert answer.json()["url"] in text_of(mail)


def test_a_link_to_set_a_password_is_mailed_to_its_person(as_admin, post):  # noqa: F811
    member = make_user()

    answer = as_admin().post(f"/api/v1/users/{member.pk}/reset-link", {})

    [mail] = post.mails
    assert answer.json()["mailed"] is True
    assert f"To: {member.email}".encode() in mail
    assert answer.json()["url"] in text_of(mail)


def test_its_end_is_told_in_the_zone_that_it_names(client, post):  # noqa: F811
    client.force_login(make_user(is_admin=True, time_zone="Asia/Tokyo"))

    client.post("/settings/members", {"do": "invite"} | NEW)

    ends_at = Invitation.objects.get().expires_at
    assert f"until {ends_at:%-d %B %Y, %H:%M} UTC" in text_of(post.mails[0])


def test_without_a_mail_server_the_link_is_shown_alone(as_admin):
    answer = as_admin().post("/api/v1/invitations", NEW)

    assert (answer.status_code, answer.json()["mailed"]) == (201, False)


def test_a_mail_server_that_refuses_or_is_away_leaves_the_link(as_admin, post, settings):  # noqa: F811
    post.refuses = b"550 no such mailbox"
    refused = as_admin().post("/api/v1/invitations", NEW)
    settings.EMAIL_PORT = 1
    away = as_admin().post("/api/v1/invitations", NEW)

    for answer in (refused, away):
        assert (answer.status_code, answer.json()["mailed"]) == (201, False)
        assert "/accounts/invited/" in answer.json()["url"]


def text_of(mail):
    """Links are longer than a line of a mail may be wrapped at."""

    return message_from_bytes(mail, policy=policy.default).get_content()
