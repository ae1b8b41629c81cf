"""The version of everybody's rights, by which streams notice that somebody sees less."""

import pytest
from django.db import connection

from accounts.sight import read_rights_version
from instruments.groups.models import Membership
from tests.factories import make_group, make_user

pytestmark = pytest.mark.django_db(transaction=True)
LEAVE_SQL = "DELETE FROM instruments_membership WHERE person_id = %s"


def test_who_leaves_a_group_is_noticed_though_another_who_left_later_was_seen_first():
    slow, quick = make_user(), make_user()
    make_group(slow, quick)
    other = connection.copy()
    try:
        other.set_autocommit(False)
        with other.cursor() as cursor:
            cursor.execute(LEAVE_SQL, [slow.pk])
        Membership.objects.get(person=quick).delete()
        seen = read_rights_version()
        other.commit()
    finally:
        other.close()

    assert read_rights_version() != seen


def test_the_version_stays_while_nobody_sees_more_or_less():
    make_group(make_user())

    assert read_rights_version() == read_rights_version()
