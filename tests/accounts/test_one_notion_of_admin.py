"""An admin is an admin everywhere, or nowhere; nobody sets an admin's password but that admin."""

import pytest

from accounts.callers import caller_for_user
from accounts.members import set_admin
from accounts.models import User
from accounts.sign_in.password_links import NotForAdmins, make_member_link, make_password_link
from tests.factories import PASSWORD, make_user
from tests.races import at_once

NEW_PASSWORD = "a new and long sentence"


@pytest.fixture
def admin(client, db):
    client.user = make_user("ada@lab.example", is_admin=True)
    client.force_login(client.user, backend="allauth.account.auth_backends.AuthenticationBackend")
    return client


def choose(client, path, password=NEW_PASSWORD):
    return client.post(path, {"new_password1": password, "new_password2": password})


def test_the_admin_role_opens_the_admin_site(admin):
    assert admin.get("/admin/").status_code == 200


def test_a_demoted_admin_leaves_the_admin_site_at_once(admin):
    other = make_user(is_admin=True)

    set_admin(user_id=admin.user.pk, is_admin=False, by=caller_for_user(other))

    assert admin.get("/admin/accounts/user/", follow=True).status_code == 403


def test_no_column_can_say_otherwise():
    columns = {field.name for field in User._meta.get_fields()}

    assert not columns & {"is_staff", "is_superuser"}


@pytest.mark.parametrize("path", ["password/", "change/"])
def test_nobody_sets_a_password_in_the_admin_site(admin, path):
    other = make_user(is_admin=True)
    form = {"password1": NEW_PASSWORD, "password2": NEW_PASSWORD, "usable_password": "true", "display_name": "B"}

    admin.post(f"/admin/accounts/user/{other.pk}/{path}", form | {"password": "x", "is_admin": ""})

    other.refresh_from_db()
    assert other.check_password(PASSWORD)
    assert other.is_admin


def test_a_person_who_is_added_there_has_no_password_yet(admin):
    admin.post("/admin/accounts/user/add/", {"email": "New@Lab.example", "display_name": "N"})

    assert not User.objects.get(email="new@lab.example").has_usable_password()


def test_a_link_lets_its_person_choose_a_password(client, db):
    person = make_user("ines@lab.example")
    path = make_password_link(person)

    page, done = client.get(path), choose(client, path)

    person.refresh_from_db()
    assert "ines@lab.example" in page.content.decode()
    assert done["Location"] == "/accounts/login/"
    assert person.check_password(NEW_PASSWORD)


def test_a_link_works_once(client, db):
    person = make_user()
    path = make_password_link(person)
    choose(client, path)

    again = choose(client, path, "yet another long sentence")

    person.refresh_from_db()
    assert again.status_code == 404
    assert person.check_password(NEW_PASSWORD)


@pytest.mark.django_db(transaction=True)
def test_of_ten_who_use_a_link_at_once_one_chooses(client):
    person = make_user()
    path = make_password_link(person)

    answers = at_once(10, lambda number: choose(type(client)(), path, f"{number} a new sentence").status_code)

    person.refresh_from_db()
    assert sorted(answers) == [302] + [404] * 9
    assert person.check_password(f"{answers.index(302)} a new sentence")


def test_a_link_ends_when_its_person_becomes_an_admin(client, db):
    person = make_user()
    path = make_password_link(person)
    User.objects.filter(pk=person.pk).update(is_admin=True)

    assert choose(client, path).status_code == 404


def test_a_link_ends_after_a_day(client, db, settings):
    settings.PASSWORD_RESET_TIMEOUT = -1

    assert client.get(make_password_link(make_user())).status_code == 404


@pytest.mark.parametrize("path", ["x/y", "%00/%00", "00000000-0000-4000-8000-000000000000/abc-def", "x" * 300 + "/y"])
def test_a_made_up_link_is_refused(client, db, path):
    assert client.get(f"/accounts/password/{path}/").status_code == 404


def test_a_weak_password_is_refused(client, db):
    assert choose(client, make_password_link(make_user()), "password").status_code == 400


def test_an_admin_makes_links_for_members(admin):
    person = make_user("ines@lab.example")

    page = admin.post("/settings/members", {"member": str(person.pk), "do": "link"}, follow=True)

    assert "/accounts/password/" in page.content.decode()


def test_no_admin_makes_a_link_for_another_admin(admin):
    other = make_user(is_admin=True)

    with pytest.raises(NotForAdmins):
        make_member_link(user_id=other.pk, by=caller_for_user(admin.user))
    page = admin.post("/settings/members", {"member": str(other.pk), "do": "link"}, follow=True)
    assert "/accounts/password/" not in page.content.decode()
