"""One mail a day: at seven where its reader is, once, and none where there is nothing to say."""

from datetime import UTC, date, datetime, timedelta
from email import message_from_bytes, policy

import pytest
from django.core import mail

from jobs.leases import lease_next_job
from notifications.digests.delivery import DIGESTS, build_digest_mail, deliver_next_digest, forget_ended
from notifications.digests.gathering import find_digest_day, gather_digests
from notifications.email_delivery import deliver_next_by_email
from notifications.inbox import store_notifications
from notifications.models import Digest, EmailDelivery, Notification, NotificationKind, Preference
from notifications.senders import SERVICE_SENDER
from tests.factories import make_instrument, make_run, make_user
from tests.races import at_once

pytestmark = pytest.mark.django_db
EVENING, MORNING = datetime(2026, 3, 3, 18, tzinfo=UTC), datetime(2026, 3, 4, 7, 1, tzinfo=UTC)


def utc(day, hour, minute=0):
    return datetime(2026, 3, day, hour, minute, tzinfo=UTC)


@pytest.fixture(autouse=True)
def _mail(settings):
    settings.EMAIL_URL = "smtp://mail.lab.example"


def make_reader(zone="", **fields):
    reader = make_user(time_zone=zone, **fields)
    for kind in (NotificationKind.COMMENT, NotificationKind.RUN_CREATED):
        Preference.objects.create(user=reader, kind=kind, in_app=True, chat=False, email=True, email_daily=True)
    return reader


def tell(reader, message="Looks right.", *, kind=NotificationKind.COMMENT, run=None, at=EVENING):
    run_id = run.pk if run else None
    store_notifications(recipients=[reader.pk], kind=kind, message=message, sender=SERVICE_SENDER, run_id=run_id, at=at)


def send(at):
    gather_digests(at=at)
    while deliver_next_digest(at=at):
        pass
    return len(mail.outbox)


def test_it_waits_for_seven_and_says_the_day_grouped():
    reader = make_reader(display_name="Inês")
    reader_runs = make_instrument(display_name="Neo2")
    for number in range(3):
        run = make_run(instrument=reader_runs, run_id=f"plate {number}")
        tell(reader, f"New run plate {number} on Neo2.", kind=NotificationKind.RUN_CREATED, run=run)
    tell(reader, "Tomáš on plate 1: <b>odd</b>", run=run)

    assert send(at=datetime(2026, 3, 4, 6, 59, tzinfo=UTC)) == 0
    assert send(at=MORNING) == 1

    found = message_from_bytes(mail.outbox[0].message().as_bytes(), policy=policy.default)
    text, html = (part.get_content() for part in found.iter_parts())
    assert found["Subject"] == "Your day in the lab: 4 messages, 4 March"
    assert "Hello Inês," in text
    assert "3 new runs on Neo2: plate 2, plate 1, plate 0" in text
    assert "Yesterday" in text
    assert "<b>odd</b>" in text
    assert "&lt;b&gt;odd&lt;/b&gt;" in html
    assert not EmailDelivery.objects.filter(sent_at=None).exists()


def test_nothing_of_it_is_sent_at_once():
    tell(make_reader())

    assert not deliver_next_by_email(at=EVENING + timedelta(days=2))


def test_an_empty_day_has_no_mail_and_a_day_has_one():
    reader = make_reader()
    assert send(at=MORNING) == 0
    tell(reader)
    assert send(at=MORNING) == 1

    tell(reader, "late", at=EVENING + timedelta(minutes=1))

    assert send(at=MORNING + timedelta(hours=1)) == 1
    assert send(at=MORNING + timedelta(days=1)) == 2
    assert send(at=MORNING + timedelta(days=2)) == 2


@pytest.mark.parametrize(
    ("zone", "at", "day", "hour"),
    [
        ("Asia/Tokyo", utc(3, 21, 59), date(2026, 3, 3), utc(2, 22)),
        ("Asia/Tokyo", utc(3, 22), date(2026, 3, 4), utc(3, 22)),
        ("Europe/Berlin", utc(29, 5), date(2026, 3, 29), utc(29, 5)),  # summer begins
        ("Europe/Berlin", utc(28, 6), date(2026, 3, 28), utc(28, 6)),
        ("No/Where", utc(3, 7), date(2026, 3, 3), utc(3, 7)),
    ],
)
def test_seven_is_seven_where_the_reader_is(zone, at, day, hour):
    found = find_digest_day(zone, at=at)

    assert (found.day, found.hour) == (day, hour)


def test_each_reader_has_their_own_morning():
    tell(make_reader("Asia/Tokyo", email="far@lab.example"))
    tell(make_reader("America/New_York"))

    send(at=datetime(2026, 3, 3, 22, 30, tzinfo=UTC))

    assert [one.to for one in mail.outbox] == [["far@lab.example"]]


def test_a_worker_that_dies_is_followed_and_its_mail_is_known_by_its_id(monkeypatch):
    tell(make_reader())
    gather_digests(at=MORNING)

    def die(*_, **__):
        raise SystemExit

    with monkeypatch.context() as patch:
        patch.setattr("notifications.digests.delivery.build_digest_mail", die)
        with pytest.raises(SystemExit):
            deliver_next_digest(at=MORNING)

    assert not deliver_next_digest(at=MORNING)
    assert deliver_next_digest(at=MORNING + DIGESTS.lease)
    assert not deliver_next_digest(at=MORNING + 2 * DIGESTS.lease)
    assert len(mail.outbox) == 1
    first, again = (build_digest_mail(Digest.objects.get(), [], at=MORNING) for _ in range(2))
    assert first.extra_headers["Message-ID"] == again.extra_headers["Message-ID"]


def test_one_whose_every_worker_died_is_given_up():
    tell(make_reader())
    gather_digests(at=MORNING)
    for number in range(DIGESTS.max_attempts):
        assert lease_next_job(DIGESTS, at=MORNING + number * DIGESTS.lease)

    assert not deliver_next_digest(at=MORNING + timedelta(hours=1))

    assert mail.outbox == []
    assert Digest.objects.get().refused_at is not None


@pytest.mark.django_db(transaction=True)
def test_twins_send_one():
    tell(make_reader())

    def sweep(_):
        gather_digests(at=MORNING)
        return deliver_next_digest(at=MORNING)

    at_once(2, sweep)

    assert Digest.objects.count() == 1
    assert len(mail.outbox) == 1


def test_what_was_hidden_since_is_left_out():
    reader, instrument = make_reader(), make_instrument()
    tell(reader, "of the hidden one", run=make_run(instrument=instrument))
    instrument.visibility = "groups"
    instrument.save()

    assert send(at=MORNING) == 0
    assert Digest.objects.get().refused_at is not None
    assert Notification.objects.count() == 1


def test_who_is_switched_off_gets_none():
    reader = make_reader()
    tell(reader)
    reader.is_active = False
    reader.save()

    assert send(at=MORNING) == 0


def test_ended_ones_are_forgotten_with_what_they_held():
    tell(make_reader())
    send(at=MORNING)

    forget_ended(at=MORNING + timedelta(days=15))

    assert (Digest.objects.count(), EmailDelivery.objects.count()) == (0, 0)


def test_it_is_chosen_by_kind(as_person):
    api = as_person()
    wish = {"in_app": True, "chat": False, "email": True, "email_daily": True}

    chosen = api.put("/api/v1/settings/notifications", {"kinds": {"comment": wish}})
    off = api.put("/api/v1/settings/notifications", {"kinds": {"comment": wish | {"email": False}}})

    assert chosen.json()["kinds"]["comment"] == wish
    assert off.json()["kinds"]["comment"] == wish | {"email": False, "email_daily": False}


def test_one_digest_per_person_and_day(refused_by):
    reader = make_user()
    Digest.objects.create(user=reader, day=date(2026, 3, 4))

    refused_by("one_digest_per_person_and_day", lambda: Digest.objects.create(user=reader, day=date(2026, 3, 4)))


def test_it_ends_one_way(refused_by):
    refused_by(
        "digest_ends_one_way",
        lambda: Digest.objects.create(user=make_user(), day=date(2026, 3, 4), sent_at=EVENING, refused_at=EVENING),
    )
