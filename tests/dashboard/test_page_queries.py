"""How many questions each page asks the database, however many rows it shows."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from notifications.inbox import store_notifications
from notifications.models import NotificationKind
from notifications.senders import SERVICE_SENDER
from tests.factories import (
    make_comment,
    make_event,
    make_file,
    make_instrument,
    make_rule,
    make_run,
    make_thumbnail,
    make_token,
    make_user,
    make_view,
    make_watcher,
)
from wire.clock import now

pytestmark = pytest.mark.django_db
PAGES = {
    "/": 16,
    "/runs": 11,
    "/runs?status=failed&search=run": 11,
    "/runs?columns=run%2Cpreview": 11,
    "/runs?group_by=metadata.sample": 13,
    "/runs?group_by=person": 13,
    "/runs?columns=run%2Cproject%2Cmetadata.od600&density=compact": 10,
    "/instruments": 9,
    "/instruments/new": 5,
    "/instruments/reader": 21,
    "/instruments/reader/edit": 6,
    "/instruments/reader/retention": 18,
    "/instruments/reader/runs/run-0": 31,
    "/watchers": 9,
    "/watchers/WATCHER": 16,
    "/watchers/connect": 6,
    "/search?q=jdx": 14,  # runs by words, which are asked for while fewer than five have it in their name
    "/wall": 12,
    "/inbox": 8,
    "/feedback": 7,
    "/settings/profile": 4,
    "/settings/notifications": 7,
    "/settings/notifications/rules": 8,
    "/settings/ai-clients": 5,
    "/settings/tokens": 5,
    "/settings/tokens/new": 5,
    "/settings/groups": 8,
    "/settings/groups/new": 6,
    "/settings/members": 7,
    "/settings/integrations": 7,
    "/settings/webhooks": 5,
    "/settings/webhooks/new": 5,
    "/settings/watcher-releases": 7,
    "/settings/integrity": 9,
    "/settings/space": 8,
    "/settings/readers": 6,
    "/settings/feedback": 5,
}


@pytest.fixture
def admin(client):
    client.user = make_user(is_admin=True)
    client.force_login(client.user)
    return client


@pytest.fixture
def watcher():
    return make_watcher(instrument=make_instrument(id="reader", status="active"))


def fill(person, watcher, *, first, last):
    """Rows of everything that a list shows."""
    for number in range(first, last):
        run = make_run(instrument=watcher.instrument, run_id=f"run-{number}", watcher=watcher)
        make_file(f"a{number}.jdx", run=run, status="failed")
        make_thumbnail(run=run)
        make_comment(run=run, user=person)
        make_view(is_shared=True)
        make_view(owner=person)
        make_rule(user=person, person=make_user(), whose="person")
        make_event(watcher=watcher)
        make_token("runs:read", created_by=make_user())
        make_watcher(instrument=make_instrument(status="active"))
        store_notifications(
            recipients=[person.pk],
            kind=NotificationKind.RUN_FAILED,
            message=f"{number}",
            sender=SERVICE_SENDER,
            run_id=run.pk,
            at=now(),
        )


@pytest.mark.parametrize(("path", "most"), PAGES.items())
def test_a_page_asks_as_often_however_much_it_shows(admin, watcher, path, most):
    path = path.replace("WATCHER", str(watcher.pk))
    fill(admin.user, watcher, first=0, last=2)
    admin.get(path)

    with CaptureQueriesContext(connection) as few:
        admin.get(path)
    fill(admin.user, watcher, first=2, last=6)
    with CaptureQueriesContext(connection) as many:
        admin.get(path)

    assert len(many) == len(few) <= most


def test_a_search_that_enough_names_answer_asks_as_often_however_many_there_are(admin, watcher):
    fill(admin.user, watcher, first=0, last=5)
    admin.get("/search?q=run")

    with CaptureQueriesContext(connection) as few:
        admin.get("/search?q=run")
    fill(admin.user, watcher, first=5, last=8)
    with CaptureQueriesContext(connection) as many:
        admin.get("/search?q=run")

    assert len(many) == len(few) <= 12
