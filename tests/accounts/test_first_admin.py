"""The one-time link that `./ids serve` prints makes the first admin, once."""

from datetime import timedelta

import pytest
from django.core.management import call_command

from accounts.models import User
from accounts.sign_in.first_admin import FirstLinkInvalid, make_first_link, use_first_link
from tests.factories import PASSWORD, make_user
from tests.races import at_once
from wire.clock import now

FORM = {"email": "ines@lab.example", "display_name": "Ines Okafor", "password": PASSWORD}

pytestmark = pytest.mark.django_db


def test_the_link_opens_a_form_and_is_not_spent_by_looking(client):
    link = make_first_link(at=now())
    client.get(link)

    response = client.get(link)

    assert response.status_code == 200
    assert "Create the first account" in response.content.decode()


def test_the_form_makes_an_admin_who_is_signed_in(client):
    response = client.post(make_first_link(at=now()), FORM)

    ines = User.objects.get()
    assert response["Location"] == "/"
    assert (ines.email, ines.name, ines.is_admin, ines.is_staff) == ("ines@lab.example", "Ines Okafor", True, True)
    assert client.get("/").status_code == 200


def test_a_used_link_says_that_it_is_used(client):
    link = make_first_link(at=now())
    client.post(link, FORM)

    response = client.post(link, FORM | {"email": "eve@lab.example"})

    assert response.status_code == 404
    assert "no longer works" in response.content.decode()
    assert User.objects.count() == 1


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"email": "ines"}, "valid email address"),
        ({"email": ""}, "required"),
        ({"email": "a\x00b@lab.example"}, "NUL characters are not allowed."),
        ({"password": "short"}, "too short"),
        ({"password": "password123"}, "too common"),
        ({"password": "ines@lab.example"}, "too similar"),
        ({"display_name": "n" * 101}, "at most 100"),
    ],
)
def test_bad_input_is_named_and_the_link_stays(client, wrong, said):
    link = make_first_link(at=now())

    response = client.post(link, FORM | wrong)

    assert response.status_code == 400
    assert said in response.content.decode()
    assert client.get(link).status_code == 200


def test_an_address_that_has_an_account_is_named_and_the_link_stays(client):
    make_user("ines@lab.example")
    link = make_first_link(at=now())

    response = client.post(link, FORM)

    assert "has an account already" in response.content.decode()
    assert client.get(link).status_code == 200


def test_a_link_ends_after_a_day(client):
    link = make_first_link(at=now() - timedelta(hours=24, seconds=1))

    assert client.get(link).status_code == 404


def test_a_newer_link_ends_the_older_one(client):
    older = make_first_link(at=now())
    make_first_link(at=now())

    assert client.get(older).status_code == 404


def test_an_invented_link_leads_nowhere(client):
    make_first_link(at=now())

    assert client.get("/accounts/first/guess/").status_code == 404


def test_there_is_no_link_once_there_is_an_admin():
    make_user(is_admin=True)

    assert make_first_link(at=now()) is None


@pytest.mark.django_db(transaction=True)
def test_of_thirty_who_open_the_link_at_once_one_gets_in():
    link = make_first_link(at=now())
    assert link is not None
    secret = link.split("/")[-2]

    def try_it(number):
        try:
            use_first_link(secret, email=f"{number}@lab.example", password=PASSWORD, display_name="", at=now())
        except FirstLinkInvalid:
            return "spent"
        return "in"

    outcomes = at_once(30, try_it)

    assert sorted(outcomes) == ["in"] + ["spent"] * 29
    assert User.objects.filter(is_admin=True).count() == 1


def test_the_command_says_so_when_there_is_an_admin(capsys):
    call_command("first_link")
    assert "/accounts/first/" in capsys.readouterr().out
    make_user(is_admin=True)

    call_command("first_link")

    told = capsys.readouterr()
    assert told.out == ""
    assert "There is an admin already." in told.err
