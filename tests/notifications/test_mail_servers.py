"""Mail servers that stall, drip, break off or change their mind: each try ends, and no message goes on for ever."""

import email
import re
import socket
import struct
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta

import pytest

from jobs.leases import lease_next_job
from notifications.email_delivery import EMAIL_DELIVERIES, MAX_ATTEMPTS, deliver_next_by_email
from notifications.inbox import store_notifications
from notifications.models import EmailDelivery, NotificationKind, Preference
from notifications.senders import SERVICE_SENDER
from tests.factories import make_user
from tests.outside import listening
from wire.clock import now
from wire.outgoing import mail_server
from wire.settings.email import email_settings

pytestmark = pytest.mark.django_db
Talk = Callable[[socket.socket, list[bytes]], None]


@contextmanager
def speaking(talk: Talk) -> Iterator[tuple[int, list[bytes]]]:
    """A port where every connection is talked to so, and the mails that were taken."""
    mails: list[bytes] = []
    with listening(lambda connection: talk(connection, mails)) as port:
        yield port, mails


@pytest.fixture
def use(settings):
    """Mail goes to this port."""
    settings.EMAIL_URL = "smtp://127.0.0.1:9?tls=none"  # so that messages wait for it

    def set_up(port: int, *, tls: str = "none") -> None:
        settings.EMAIL_BACKEND = "wire.outgoing.mail_server.EmailBackend"
        settings.EMAIL_URL = f"smtp://127.0.0.1:{port}?tls={tls}"
        for name, value in email_settings(settings.EMAIL_URL).items():
            setattr(settings, name, value)

    return set_up


@pytest.fixture
def short_tries(monkeypatch):
    """A try may last a second."""
    monkeypatch.setattr(mail_server, "CONVERSATION_SECONDS", 1.0)


def tell(count: int = 1) -> None:
    for _ in range(count):
        reader = make_user()
        Preference.objects.create(user=reader, kind=NotificationKind.COMMENT, in_app=True, chat=False, email=True)
        store_notifications(
            recipients=[reader.pk],
            kind=NotificationKind.COMMENT,
            message="Looks right.",
            sender=SERVICE_SENDER,
            run_id=None,
            at=now(),
        )


def talk_until_data(connection: socket.socket, mails: list[bytes], *, at_end: bytes = b"250 ok\r\n") -> bytes:
    """As a server should, up to the end of the mail; what came after it."""
    lines, data = connection.makefile("rb"), []
    connection.sendall(b"220 here\r\n")
    for line in lines:
        word = line[:4].upper()
        if word == b"DATA":
            connection.sendall(b"354 go on\r\n")
            data = list(iter(lines.readline, b".\r\n"))
            mails.append(b"".join(data))
            connection.sendall(at_end)
            return lines.readline() if at_end else b""
        connection.sendall(b"250 ok\r\n")
    return b""


def say_nothing(connection: socket.socket, mails: list[bytes]) -> None:
    connection.recv(1)


def drip(connection: socket.socket, mails: list[bytes]) -> None:
    connection.sendall(b"220 ")
    while True:
        connection.sendall(b"x")
        time.sleep(0.05)


def greet_without_end(connection: socket.socket, mails: list[bytes]) -> None:
    while True:
        connection.sendall(b"220-" + b"x" * 1000 + b"\r\n")


def reset(connection: socket.socket, mails: list[bytes]) -> None:
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def answer_no_smtp(connection: socket.socket, mails: list[bytes]) -> None:
    connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")


def stall_after_data(connection: socket.socket, mails: list[bytes]) -> None:
    talk_until_data(connection, mails, at_end=b"")
    time.sleep(3)


def take(connection: socket.socket, mails: list[bytes]) -> None:
    talk_until_data(connection, mails)


def take_and_break_off(connection: socket.socket, mails: list[bytes]) -> None:
    talk_until_data(connection, mails, at_end=b"")


def refuse_for_good(connection: socket.socket, mails: list[bytes]) -> None:
    talk_until_data(connection, mails, at_end=b"554 spam\r\n")


def refuse_for_now(connection: socket.socket, mails: list[bytes]) -> None:
    talk_until_data(connection, mails, at_end=b"451 later\r\n")


@pytest.mark.usefixtures("short_tries")
@pytest.mark.parametrize("talk", [say_nothing, drip, greet_without_end, reset, answer_no_smtp, stall_after_data])
def test_a_try_ends_in_time_and_is_written_down(talk, use):
    tell()
    began = time.monotonic()

    with speaking(talk) as (port, _):
        use(port)
        sent = deliver_next_by_email(at=now())

    row = EmailDelivery.objects.get()
    assert not sent
    assert time.monotonic() - began < 30
    assert (row.lease_id, row.attempts, row.refused_at) == (None, 1, None)
    assert row.error_message.startswith("The mail server did not take it")


def drip_a_handshake(connection: socket.socket, mails: list[bytes]) -> None:
    connection.sendall(b"\x16\x03\x03\x40\x00")
    while True:
        connection.sendall(b"x")
        time.sleep(0.05)


@pytest.mark.usefixtures("short_tries")
def test_a_try_over_tls_ends_in_time_too(use):
    tell()
    began = time.monotonic()

    with speaking(drip_a_handshake) as (port, _):
        use(port, tls="tls")
        sent = deliver_next_by_email(at=now())

    assert not sent
    assert time.monotonic() - began < 30
    assert EmailDelivery.objects.get().attempts == 1


@pytest.mark.parametrize(("talk", "is_final"), [(refuse_for_good, True), (refuse_for_now, False)])
def test_what_is_refused_behind_its_text_is_refused_for_good_or_tried_again(use, talk, is_final):
    tell()

    with speaking(talk) as (port, _):
        use(port)
        deliver_next_by_email(at=now())

    assert (EmailDelivery.objects.get().refused_at is not None) is is_final


@pytest.mark.parametrize("bye", [b"", b"221 " + b"x" * 9000 + b"\r\n", b"nonsense\r\n", b"421 too many\r\n"])
def test_what_was_taken_is_sent_however_the_server_ends_it(use, bye):
    tell()

    def talk(connection: socket.socket, mails: list[bytes]) -> None:
        talk_until_data(connection, mails)
        connection.sendall(bye)

    with speaking(talk) as (port, mails):
        use(port)
        sent = deliver_next_by_email(at=now())

    assert sent
    assert len(mails) == 1
    assert EmailDelivery.objects.get().sent_at is not None


def test_what_may_have_been_taken_is_sent_again_under_the_same_name(use):
    """A server that breaks off behind the text may have it: by the Message-ID mailboxes show it once."""
    tell()

    with speaking(take_and_break_off) as (port, mails):
        use(port)
        deliver_next_by_email(at=now())
        deliver_next_by_email(at=now() + timedelta(hours=1))

    names = [email.message_from_bytes(mail)["Message-ID"] for mail in mails]
    assert len(names) == 2
    assert len(set(names)) == 1
    assert re.fullmatch(r"<[\w.-]+@[\w.-]+>", names[0])


def test_a_message_whose_every_worker_died_is_given_up(use):
    """Nothing notes the failure of a worker that dies in the conversation."""
    tell()
    at = now()
    for _ in range(MAX_ATTEMPTS):
        assert lease_next_job(EMAIL_DELIVERIES, at=at)
        at += timedelta(minutes=3)

    with speaking(take) as (port, mails):
        use(port)
        deliver_next_by_email(at=at)

    assert mails == []
    assert EmailDelivery.objects.get().refused_at == at


def test_while_the_server_is_away_one_try_is_made_for_all_that_wait(use):
    """Each try may last as long as a conversation, and other messages and sweeps wait for the same threads."""
    tell(5)
    at = now()

    with speaking(reset) as (port, _):
        use(port)
        for _ in range(5):
            deliver_next_by_email(at=at)

    assert sorted(EmailDelivery.objects.values_list("attempts", flat=True)) == [0, 0, 0, 0, 1]
    with speaking(take) as (port, mails):
        use(port)
        for _ in range(5):
            deliver_next_by_email(at=at + timedelta(minutes=1))
    assert len(mails) == 5


def test_a_mailbox_that_is_busy_stops_no_other(use):
    tell(2)

    with speaking(refuse_for_now) as (port, mails):
        use(port)
        for _ in range(2):
            deliver_next_by_email(at=now())

    assert len(mails) == 2
