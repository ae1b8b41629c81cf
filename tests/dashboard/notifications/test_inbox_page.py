"""The inbox and what reaches it, as pages."""

import re
from zoneinfo import ZoneInfo

import pytest

from notifications.inbox import store_notifications
from notifications.models import Follow, Notification, NotificationKind, Preference, SenderKind
from notifications.senders import SERVICE_SENDER, Sender
from tests.factories import make_instrument, make_run, make_user
from tests.markup import flat
from wire.clock import now
from wire.ids import new_id

pytestmark = pytest.mark.django_db


@pytest.fixture
def person(client):
    client.user = make_user()
    client.force_login(client.user)
    return client


def tell(person, message="Hello.", *, kind=NotificationKind.GENERIC, run=None):
    run_id = run.pk if run else None
    store_notifications(
        recipients=[person.user.pk], kind=kind, message=message, sender=SERVICE_SENDER, run_id=run_id, at=now()
    )
    return Notification.objects.get(message=message)


@pytest.mark.parametrize("path", ["/inbox", "/settings/notifications"])
def test_strangers_are_asked_to_sign_in(client, path):
    assert client.get(path).status_code == 302


def test_unread_messages_stand_under_today(person):
    tell(person, "QC passed <b>today")

    page = flat(person.get("/inbox"))

    assert "Today" in page
    assert "QC passed &lt;b&gt;today" in page
    assert '1<span class="sr">unread</span>' in page


def test_others_messages_are_not_shown_nor_opened(person, client):
    row = tell(person, "for you only")
    client.force_login(make_user())

    assert "for you only" not in client.get("/inbox?show=all").content.decode()
    assert client.get(f"/inbox/{row.pk}").status_code == 404


def test_opening_a_message_reads_it_and_leads_to_the_run(person):
    run = make_run(run_id="a run")
    row = tell(person, kind=NotificationKind.COMMENT, run=run)

    response = person.get(f"/inbox/{row.pk}")

    row.refresh_from_db()
    assert response["Location"] == f"/instruments/{run.instrument_id}/runs/a%20run#comments"
    assert row.read_at is not None


def test_many_new_runs_of_an_instrument_are_one_line(person):
    instrument = make_instrument(display_name="Synergy Neo2")
    for number in range(3):
        tell(person, f"New run {number}", kind=NotificationKind.RUN_CREATED, run=make_run(instrument=instrument))

    page = flat(person.get("/inbox"))

    assert "3 new runs on Synergy Neo2" in page
    assert page.count('class="line"') == 1


def test_a_comment_is_quoted_beside_its_run(person):
    run = make_run(run_id="refold_2of4")
    tell(person, "Tomáš on refold_2of4: The shoulder is real.", kind=NotificationKind.COMMENT, run=run)

    page = flat(person.get("/inbox"))

    assert "Instrument Data Service commented" in page
    assert "“The shoulder is real.”" in page
    assert '<span class="mono">refold_2of4</span>' in page


def test_some_or_all_are_marked_read(person):
    first, _ = tell(person, "one"), tell(person, "two")

    person.post("/inbox/read", {"id": str(first.pk)})
    after_one = person.get("/inbox").content.decode()
    person.post("/inbox/read")

    assert "one</span>" not in after_one
    assert "two</span>" in after_one
    assert "Nothing unread" in person.get("/inbox").content.decode()


def test_an_inbox_without_a_message_offers_none_that_was_read(person):
    page = person.get("/inbox").content.decode()

    assert "No messages yet" in page
    assert "What was read" not in page


def test_a_kind_is_muted_and_shown_again(person):
    person.post("/inbox/mute", {"kind": "run_created", "in_app": "0"})
    muted = Preference.objects.get(kind="run_created").in_app
    person.post("/inbox/mute", {"kind": "run_created", "in_app": "1"})

    assert (muted, Preference.objects.get(kind="run_created").in_app) == (False, True)


def test_messages_cannot_be_muted_without_chat(person):
    person.post("/inbox/mute", {"kind": "generic", "in_app": "0"})

    assert not Preference.objects.exists()
    assert "must reach you somewhere" in person.get("/inbox").content.decode()


@pytest.mark.parametrize(("path", "form"), [("/inbox/read", {"id": "x"}), ("/inbox/mute", {"kind": "x"})])
def test_odd_forms_are_refused(person, path, form):
    assert person.post(path, form).status_code == 400


def test_the_matrix_and_the_followed_instruments_are_saved(person):
    make_instrument(id="reader")

    person.post(
        "/settings/notifications", {"in_app": ["generic", "comment"], "chat": ["comment"], "follow": ["reader"]}
    )

    kept = {row.kind: (row.in_app, row.chat) for row in Preference.objects.all()}
    assert kept["comment"] == (True, True)
    assert kept["run_failed"] == (False, False)
    assert Follow.objects.get().instrument_id == "reader"


def test_a_matrix_that_silences_messages_changes_nothing(person):
    person.post("/settings/notifications", {"in_app": ["comment"], "follow": []})

    assert not Preference.objects.exists()
    assert "must reach you somewhere" in person.get("/settings/notifications").content.decode()


def test_an_unknown_instrument_is_refused(person):
    person.post("/settings/notifications", {"in_app": ["generic"], "follow": ["unknown"]})

    assert "Unknown instrument" in person.get("/settings/notifications").content.decode()


def test_followed_instruments_stand_in_the_rail(person):
    Follow.objects.create(user=person.user, instrument=make_instrument(id="reader", display_name="Synergy <Neo2>"))

    page = flat(person.get("/inbox"))

    assert "Synergy &lt;Neo2&gt;" in page
    assert 'href="/instruments/reader"' in page


def test_the_queries_stay_as_messages_grow(person, django_assert_num_queries):
    for number in range(5):
        tell(person, f"run {number}", kind=NotificationKind.RUN_CREATED, run=make_run())

    # session, person; count, rows; preferences, follows; the rail: unread, followed
    with django_assert_num_queries(9):
        person.get("/inbox")


@pytest.mark.parametrize("kind", ["watcher_offline", "watcher_online", "folder_away", "no_files", "instance_conflict"])
def test_what_watchers_do_leads_to_their_list(person, kind):
    row = tell(person, "The folder is away.", kind=NotificationKind(kind))

    page = flat(person.get("/inbox"))

    assert "The folder is away." in page
    assert f'href="/inbox/{row.pk}"' in page
    assert person.get(f"/inbox/{row.pk}")["Location"] == "/watchers"


def test_many_silent_watchers_are_one_line_with_times_of_who_reads(client):
    client.user = make_user(time_zone="Pacific/Auckland")
    client.force_login(client.user)
    lines = [f"pc-{number} at Reader has not been heard from since 2026-03-04 12:3{number} UTC." for number in range(9)]
    tell(client, "\n".join(["9 watchers fell silent.", *lines]), kind=NotificationKind.WATCHER_OFFLINE)

    page = flat(client.get("/inbox"))

    assert '<summary><span class="line">9 watchers fell silent.</span>' in page
    assert page.count("has not been heard from since") == 9
    assert ">2026-03-05 01:38</time>." in page
    assert " UTC" not in page  # by chance the token of a form may hold the letters
    assert "Mark read" in page


def test_the_time_of_one_silent_watcher_is_that_of_who_reads(client):
    client.user = make_user(time_zone="Pacific/Auckland")
    client.force_login(client.user)
    at = now().replace(hour=12, minute=30)
    there = at.astimezone(ZoneInfo("Pacific/Auckland")).hour  # 0 in winter, 1 in summer
    tell(client, f"pc-1 is back since {at:%Y-%m-%d %H:%M} UTC.", kind=NotificationKind.WATCHER_ONLINE)

    assert re.search(rf'data-show="(clock|full)">[\d -]*0?{there}:30</time>\.', flat(client.get("/inbox")))


def test_times_in_the_words_of_others_stay_as_they_are(person):
    sender = Sender(SenderKind.TOKEN, new_id(), "qc-bot")
    store_notifications(
        recipients=[person.user.pk],
        kind=NotificationKind.GENERIC,
        message="Begun 2026-03-04 12:30 UTC.",
        sender=sender,
        run_id=None,
        at=now(),
    )

    assert "Begun 2026-03-04 12:30 UTC." in flat(person.get("/inbox"))


@pytest.mark.parametrize("kind", ["folder_away", "no_files", "instance_conflict"])
def test_each_kind_of_watchers_can_be_switched_off(person, kind):
    person.post("/settings/notifications", {"in_app": ["generic"], "chat": [kind]})

    row = Preference.objects.get(user=person.user, kind=kind)
    assert (row.in_app, row.chat) == (False, True)
