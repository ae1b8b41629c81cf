"""Invitations: POST /invitations, and the page behind the link."""

from datetime import timedelta

import pytest

from accounts.callers import Caller
from accounts.members import NewPerson, create_person
from accounts.models import Invitation, User
from accounts.sign_in.invitations import InvitationInvalid, accept_invitation, invite
from tests.factories import PASSWORD, make_group, make_user
from tests.ports import free_port
from tests.races import at_once
from wire.clock import now
from wire.errors import Conflict

pytestmark = pytest.mark.django_db
ADDRESS = "http://127.0.0.1:8000"
NEW = {"display_name": "Ines Okafor", "password": PASSWORD}


def path_of(answer):
    return answer.json()["url"].removeprefix(ADDRESS)


def ask(api, **body):
    return api.post("/api/v1/invitations", {"email": "ines@lab.example"} | body)


def test_who_follows_the_link_is_in(as_admin, client):
    answer = ask(as_admin())

    assert answer.status_code == 201
    assert set(answer.json()) == {"id", "url", "expires_at", "mailed"}
    assert "ines@lab.example" in client.get(path_of(answer)).content.decode()
    assert client.post(path_of(answer), NEW)["Location"] == "/"
    ines = User.objects.get(email="ines@lab.example")
    assert (ines.display_name, ines.is_admin, ines.check_password(PASSWORD)) == ("Ines Okafor", False, True)
    assert client.get("/").status_code == 200


def test_as_an_admin_where_the_invitation_says_so(as_admin, client):
    client.post(path_of(ask(as_admin(), is_admin=True)), NEW)

    assert User.objects.get(email="ines@lab.example").is_admin


def test_who_follows_the_link_is_in_the_groups_that_are_still_there(as_admin, client):
    group, gone = make_group(), make_group()
    answer = ask(as_admin(), group_ids=[str(group.pk), str(gone.pk)])
    gone.delete()

    client.post(path_of(answer), NEW)

    ines = User.objects.get(email="ines@lab.example")
    assert [(one.group, one.role) for one in ines.memberships.all()] == [(group, "member")]


@pytest.mark.parametrize("group_ids", ["x", ["x"], None, ["00000000-0000-4000-8000-000000000000"]])
def test_groups_that_are_not_there_are_refused(as_admin, group_ids):
    answer = ask(as_admin(), group_ids=group_ids)

    assert answer.status_code == 400
    assert next(iter(answer.json()["error"]["details"]["fields"])).startswith("group_ids")
    assert not Invitation.objects.exists()


def test_a_link_works_once_and_a_newer_one_ends_it(as_admin, client):
    first, second = ask(as_admin()), ask(as_admin(), email="INES@lab.example")
    assert client.get(path_of(first)).status_code == 404

    client.post(path_of(second), NEW)
    client.logout()

    assert client.post(path_of(second), NEW).status_code == 404
    assert User.objects.filter(email="ines@lab.example").count() == 1


def test_it_ends_after_a_week_and_with_the_role_of_who_invited():
    admin = make_user(is_admin=True)
    new = invite(email="a@lab.example", by=Caller(user=admin), at=now())
    secret = new.path.split("/")[3]
    with pytest.raises(InvitationInvalid):
        accept_invitation(secret, password=PASSWORD, display_name="A", at=now() + timedelta(days=7, seconds=1))
    User.objects.filter(pk=admin.pk).update(is_admin=False)

    with pytest.raises(InvitationInvalid):
        accept_invitation(secret, password=PASSWORD, display_name="A", at=now())


@pytest.mark.parametrize("email", ["", "nobody", "a" * 250 + "@lab.example", "a\x00@lab.example", None, 7])
def test_what_is_no_address_is_refused(as_admin, email):
    assert ask(as_admin(), email=email).status_code == 400
    assert Invitation.objects.count() == 0


def test_who_has_an_account_is_not_invited(as_admin):
    known = make_user(email="ines@lab.example")

    answer = ask(as_admin())

    assert answer.status_code == 409
    assert answer.json()["error"]["details"] == {"person_id": str(known.pk)}


def test_an_account_that_came_meanwhile_is_told_and_not_replaced(as_admin, client):
    answer = ask(as_admin())
    make_user(email="ines@lab.example", display_name="Ines")

    page = client.post(path_of(answer), NEW)

    assert page.status_code == 409
    assert "has an account already" in page.content.decode()


@pytest.mark.parametrize("given", [{"password": "short"}, {"display_name": ""}, {"password": "ines@lab.example"}])
def test_what_does_not_do_is_said_and_the_link_goes_on(as_admin, client, given):
    path = path_of(ask(as_admin()))

    assert client.post(path, NEW | given).status_code == 400
    assert client.post(path, NEW).status_code == 302


@pytest.mark.django_db(transaction=True)
def test_of_many_who_open_it_at_once_one_gets_in():
    secret = invite(email="a@lab.example", by=Caller(user=make_user(is_admin=True)), at=now()).path.split("/")[3]

    def accept(number):
        try:
            return accept_invitation(secret, password=PASSWORD, display_name=f"A{number}", at=now())
        except InvitationInvalid:
            return None

    assert [person is None for person in at_once(6, accept)].count(True) == 5
    assert User.objects.filter(email="a@lab.example").count() == 1


def test_the_members_page_makes_a_link(client):
    client.force_login(make_user(is_admin=True))

    page = client.post("/settings/members", {"do": "invite", "email": "ines@lab.example"}).content.decode()

    assert "Send this link to ines@lab.example" in page
    assert f"{ADDRESS}/accounts/invited/" in page


def test_the_members_page_says_that_the_mail_server_did_not_take_it(client, settings):
    settings.EMAIL_URL, settings.EMAIL_BACKEND = "smtp://127.0.0.1", "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", free_port()
    client.force_login(make_user(is_admin=True))

    page = client.post("/settings/members", {"do": "invite", "email": "ines@lab.example"}).content.decode()

    assert "nothing was sent by mail" in page
    assert "/accounts/invited/" in page


def test_the_members_page_says_what_is_wrong(client):
    client.force_login(make_user(is_admin=True, email="admin@lab.example"))

    for email, text in (("nobody", "valid e"), ("admin@lab.example", "has an account already")):
        assert text in client.post("/settings/members", {"do": "invite", "email": email}).content.decode()


def test_the_members_page_shows_who_has_not_followed_and_ends_it(as_admin, client):
    answer = ask(as_admin())
    client.force_login(make_user(is_admin=True))
    assert "End the invitation of ines@lab.example" in client.get("/settings/members").content.decode()

    client.post("/settings/members", {"do": "end", "invitation": answer.json()["id"]})

    assert "ines@lab.example" not in client.get("/settings/members").content.decode()
    assert client.get(path_of(answer)).status_code == 404


def test_a_page_of_many_invitations_asks_as_much_as_one(client, django_assert_max_num_queries):
    admin = make_user(is_admin=True)
    client.force_login(admin)
    for number in range(12):
        invite(email=f"{number}@lab.example", by=Caller(user=admin), at=now())

    client.get("/settings/members")
    with django_assert_max_num_queries(8):
        client.get("/settings/members")


@pytest.mark.django_db(transaction=True)
def test_of_thirty_invitations_at_once_the_last_one_stands():
    admin = Caller(user=make_user(is_admin=True))

    made = at_once(30, lambda number: invite(email="a@lab.example", by=admin, at=now()))

    assert Invitation.objects.get().pk in {new.invitation.pk for new in made}


@pytest.mark.django_db(transaction=True)
def test_of_people_who_get_one_address_at_once_one_is_made():
    def create(number):
        try:
            return create_person(NewPerson(email="a@lab.example", password=None))
        except Conflict:
            return None

    assert [person is None for person in at_once(8, create)].count(True) == 7
