import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection

from accounts.callers import caller_for_user
from accounts.members import set_admin
from accounts.models import User
from tests.factories import make_user
from wire.errors import ServiceError

ROUTE = "/api/v1/users"


def test_an_admin_sees_everybody(as_admin):
    admin = as_admin(email="ada@lab.example", display_name="Ada L.")

    answer = admin.get(ROUTE)

    assert answer.json()["data"][0] | {"last_login": None} == {
        "id": str(admin.user.pk),
        "email": "ada@lab.example",
        "display_name": "Ada L.",
        "is_admin": True,
        "is_active": True,
        "last_login": None,
    }


def test_an_admin_gives_and_takes_the_role(as_admin, security_events):
    admin, user = as_admin(), make_user()

    assert admin.patch(f"{ROUTE}/{user.pk}", {"is_admin": True}).json()["is_admin"] is True
    assert admin.patch(f"{ROUTE}/{user.pk}", {"is_admin": False}).json()["is_admin"] is False
    assert security_events() == ["admin_changed", "admin_changed"]


def test_an_admin_cannot_demote_themself(as_admin):
    admin = as_admin()

    answer = admin.patch(f"{ROUTE}/{admin.user.pk}", {"is_admin": False})

    assert answer.status_code == 409
    assert User.objects.get(pk=admin.user.pk).is_admin


def test_a_member_may_not_see_or_change_people(as_person):
    member = as_person()

    assert member.get(ROUTE).status_code == 403
    assert member.patch(f"{ROUTE}/{member.user.pk}", {"is_admin": True}).status_code == 403


@pytest.mark.parametrize("body", [{}, {"is_admin": 1}, {"is_admin": "true"}, {"is_admin": None}])
def test_the_role_is_true_or_false(as_admin, body):
    assert as_admin().patch(f"{ROUTE}/{make_user().pk}", body).status_code == 400


def test_an_unknown_person_is_not_found(as_admin):
    assert as_admin().patch(f"{ROUTE}/00000000-0000-4000-8000-000000000000", {"is_admin": True}).status_code == 404


@pytest.mark.django_db(transaction=True)
@pytest.mark.slow
def test_two_admins_who_demote_each_other_leave_one():
    for _ in range(5):
        User.objects.all().delete()
        pair = make_user(is_admin=True), make_user(is_admin=True)
        start = threading.Barrier(2)

        def demote(index: int, pair=pair, start=start) -> None:
            start.wait()
            try:
                set_admin(user_id=pair[1 - index].pk, is_admin=False, by=caller_for_user(pair[index]))
            except ServiceError:
                pass
            finally:
                connection.close()

        with ThreadPoolExecutor(2) as pool:
            list(pool.map(demote, range(2)))

        assert User.objects.filter(is_admin=True).count() == 1


@pytest.mark.parametrize(
    ("name", "email", "initials"),
    [("Ada Lovelace", "x@y.z", "AL"), ("", "ada.lovelace@y.z", "AL"), ("Ada", "x@y.z", "A"), ("", "ada@y.z", "A")],
)
def test_initials_come_from_the_name(name, email, initials):
    assert User(display_name=name, email=email).initials == initials
