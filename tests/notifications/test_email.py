"""Messages by e-mail, against a server on loopback that speaks SMTP."""

import socketserver
import threading
from email import message_from_bytes, policy

import pytest
from django.core.exceptions import ImproperlyConfigured

from accounts.callers import Caller
from instruments.models import Instrument
from notifications.delivery import text_of
from notifications.email_delivery import build_mail, deliver_next_by_email, forget_ended
from notifications.inbox import store_notifications
from notifications.models import EmailDelivery, Notification, NotificationKind, Preference
from notifications.senders import SERVICE_SENDER, sender_of
from tests.factories import make_run, make_user
from wire.clock import now
from wire.settings.email import email_settings

pytestmark = pytest.mark.django_db


class Post(socketserver.ThreadingTCPServer):
    """Takes mail; `refuses` answers the recipient with this instead."""

    allow_reuse_address = daemon_threads = True
    refuses = b""

    def __init__(self):
        self.mails = []
        super().__init__(("127.0.0.1", 0), Conversation)


class Conversation(socketserver.StreamRequestHandler):
    def handle(self):
        self.wfile.write(b"220 here\r\n")
        for line in self.rfile:
            word = line[:4].upper()
            if word == b"DATA":
                self.wfile.write(b"354 go on\r\n")
                lines = iter(self.rfile.readline, b".\r\n")
                self.server.mails.append(b"".join(lines))
            if word == b"QUIT":
                self.wfile.write(b"221 bye\r\n")
                return
            self.wfile.write(
                self.server.refuses + b"\r\n" if word == b"RCPT" and self.server.refuses else b"250 ok\r\n"
            )


@pytest.fixture
def post(settings):
    with Post() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"  # tests have another
        settings.EMAIL_URL = f"smtp://127.0.0.1:{server.server_address[1]}?tls=none"
        for name, value in email_settings(settings.EMAIL_URL).items():
            setattr(settings, name, value)
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def ines():
    ines = make_user("ines@lab.example", display_name="Inês")
    Preference.objects.create(user=ines, kind=NotificationKind.COMMENT, in_app=True, chat=False, email=True)
    return ines


def tell(user, message="Looks right.", *, kind=NotificationKind.COMMENT, run=None):
    run_id = run.pk if run else None
    store_notifications(
        recipients=[user.pk], kind=kind, message=message, sender=SERVICE_SENDER, run_id=run_id, at=now()
    )


def test_a_mail_says_what_happened_and_where(post, ines):
    tell(ines, "Tomáš on batch 7: <b>Looks</b>\nright.", run=make_run(run_id="batch 7"))

    assert deliver_next_by_email(at=now())

    mail = message_from_bytes(post.mails[0], policy=policy.default)
    text, html = (part.get_content() for part in mail.iter_parts())
    assert (mail["To"], mail["Subject"].strip()) == (
        "ines@lab.example",
        "Comment: Tomáš on batch 7: <b>Looks</b> right.",
    )
    assert mail["Auto-Submitted"] == "auto-generated"
    assert "Hello Inês," in text
    assert "<b>Looks</b>" in text
    assert "/runs/batch%207" in text
    assert "&lt;b&gt;Looks&lt;/b&gt;<br>" in html
    assert EmailDelivery.objects.get().sent_at is not None


def test_a_mail_about_many_names_their_number_and_lists_them(ines):
    message = "12 watchers fell silent.\nNEO2-PC at Synergy Neo2.\nQS7-A at QuantStudio <7>.\nAnd 10 more."
    tell(ines, message, kind=NotificationKind.WATCHER_OFFLINE)

    mail = build_mail(Notification.objects.get())

    assert mail.subject == "Watcher offline: 12 watchers fell silent."
    assert "<h1>12 watchers fell silent.</h1>" in mail.alternatives[0].content
    assert "<li>QS7-A at QuantStudio &lt;7&gt;.</li><li>And 10 more.</li>" in mail.alternatives[0].content


def test_who_says_it_is_said_once(ines):
    """Of comments and the like the service has written the sentence, with the name in it."""
    tomas, run = sender_of(Caller(user=make_user(display_name="Tomáš"))), make_run()
    said = {NotificationKind.COMMENT: "Tomáš on batch 7: right.", NotificationKind.GENERIC: "The lamp is new."}
    for kind, message in said.items():
        store_notifications(recipients=[ines.pk], kind=kind, message=message, sender=tomas, run_id=run.pk, at=now())
    comment, message = (Notification.objects.get(kind=kind) for kind in said)

    assert "\nTomáš on batch 7: right." in build_mail(comment).body
    assert "\nTomáš says: The lamp is new." in build_mail(message).body
    assert text_of(comment).startswith("Tomáš on batch 7: right.")
    assert text_of(message).startswith("Tomáš: The lamp is new.")


def test_who_did_not_ask_for_it_gets_none(post, ines):
    tell(ines, kind=NotificationKind.RUN_CREATED)
    tell(make_user())

    assert not EmailDelivery.objects.exists()


def test_without_mail_nothing_waits(ines, settings):
    settings.EMAIL_URL = ""

    tell(ines)

    assert not EmailDelivery.objects.exists()


@pytest.mark.parametrize(("answer", "is_final"), [(b"550 nobody here", True), (b"451 later", False)])
def test_a_mailbox_that_is_refused_is_final_and_a_busy_one_is_tried_again(post, ines, answer, is_final):
    post.refuses = answer
    tell(ines)

    assert not deliver_next_by_email(at=now())

    row = EmailDelivery.objects.get()
    assert (row.refused_at is not None, row.lease_until is None) == (is_final, is_final)


def test_ended_ones_are_forgotten(post, ines):
    tell(ines)
    deliver_next_by_email(at=now())

    assert forget_ended(at=now()) == 0
    assert EmailDelivery.objects.count() == 1


def test_it_ends_one_way(refused_by, post, ines):
    tell(ines)

    refused_by("email_delivery_ends_one_way", lambda: EmailDelivery.objects.update(sent_at=now(), refused_at=now()))


def test_e_mail_alone_is_enough_for_messages(as_person):
    api = as_person()

    answer = api.put(
        "/api/v1/settings/notifications", {"kinds": {"generic": {"in_app": False, "chat": False, "email": True}}}
    )
    kept = api.put("/api/v1/settings/notifications", {"kinds": {"generic": {"in_app": True, "chat": False}}})

    assert answer.json()["kinds"]["generic"] == {"in_app": False, "chat": False, "email": True, "email_daily": False}
    assert kept.json()["kinds"]["generic"] == {"in_app": True, "chat": False, "email": True, "email_daily": False}


@pytest.mark.parametrize(
    ("url", "port", "tls", "ssl"),
    [("smtp://u%40x:p%3A@h", 587, True, False), ("smtp://h?tls=tls", 465, False, True),
     ("smtp://h:26?tls=none", 26, False, False)],
)  # fmt: skip
def test_the_address_of_the_server_is_read(url, port, tls, ssl):
    found = email_settings(url)

    assert (found["EMAIL_HOST"], found["EMAIL_PORT"]) == ("h", port)
    assert (found["EMAIL_USE_TLS"], found["EMAIL_USE_SSL"]) == (tls, ssl)


@pytest.mark.parametrize("url", ["http://h", "smtp://", "smtp://h?tls=maybe", "smtp://u:secret@h:x"])
def test_a_wrong_address_is_told_without_its_password(url):
    with pytest.raises(ImproperlyConfigured) as fault:
        email_settings(url)

    assert "secret" not in str(fault.value)


def test_who_left_the_group_gets_no_mail_of_its_runs(post, ines):
    """Mail is tried for hours: what may be seen is asked when it goes."""
    run = make_run(run_id="batch 7")
    tell(ines, "Tomáš on batch 7: right.", run=run)
    Instrument.objects.filter(pk=run.instrument_id).update(visibility="groups")

    assert not deliver_next_by_email(at=now())

    assert post.mails == []
    assert EmailDelivery.objects.get().error_message == "The person may not see it any more."
