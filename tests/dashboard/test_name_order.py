"""Wherever instruments are offered by name, they stand as people look for them."""

import re

import pytest
from django.test import Client

from tests.factories import make_instrument, make_user

pytestmark = pytest.mark.django_db

NAMES = ["ÄKTA pure", "Azura", "Biacore", "zeta"]  # a computer sorts Azura, Biacore, zeta, ÄKTA


@pytest.fixture
def admin(client: Client) -> Client:
    client.force_login(make_user(is_admin=True))
    return client


@pytest.mark.parametrize(
    "path",
    [
        "/runs",
        "/runs/new",
        "/settings/groups/new",
        "/settings/notifications",
        "/settings/notifications/rules",
        "/settings/tokens/new",
        "/settings/webhooks/new",
        "/watchers/connect",
    ],
)
def test_capitals_and_accents_do_not_move_a_name(admin, path):
    for name in reversed(NAMES):
        make_instrument(display_name=name)

    page = admin.get(path).content.decode()

    assert list(dict.fromkeys(re.findall("|".join(NAMES), page))) == NAMES


def test_people_to_put_into_a_group_stand_by_their_letters_too(admin):
    for number, name in enumerate(("Zoe", "Östen", "ada")):
        make_user(f"{number}@lab.example", display_name=name)

    page = admin.get("/settings/groups/new").content.decode()

    assert list(dict.fromkeys(re.findall("ada|Östen|Zoe", page))) == ["ada", "Östen", "Zoe"]
