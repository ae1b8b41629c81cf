"""Conversations with the mail server: each ends in time, however slowly bytes drip, and hears so much and no more.

smtplib's timeout is one of each read, and it keeps all lines of a reply, so neither ends with a server that goes on.
"""

import contextlib
import smtplib
import socket
import threading
from typing import Any

from django.core.mail.backends import smtp

CONVERSATION_SECONDS = 30.0  # below the leases of deliveries, so that nobody else begins the same one
MAX_HEARD_BYTES = 64 * 1024


class BoundedReplies:
    """The replies of one connection, read as smtplib does."""

    def __init__(self, replies: Any) -> None:
        self._replies, self._heard = replies, 0

    def readline(self, limit: int) -> bytes:
        line: bytes = self._replies.readline(limit)
        self._heard += len(line)
        if self._heard > MAX_HEARD_BYTES:
            raise OSError("The mail server says too much.")
        return line

    def close(self) -> None:
        self._replies.close()


class BoundedSmtp(smtplib.SMTP):
    """A watchdog ends the connection, even while TLS is being agreed on."""

    _watchdog: threading.Timer | None = None
    _guard: socket.socket | None = None

    def _get_socket(self, host: str, port: int, timeout: float) -> socket.socket:
        opened: Any = super()
        connected: socket.socket = opened._get_socket(host, port, timeout)
        self._guard = connected.dup()
        self._watchdog = threading.Timer(CONVERSATION_SECONDS, _cut, [self._guard])
        self._watchdog.daemon = True
        self._watchdog.start()
        return connected

    def getreply(self) -> tuple[int, bytes]:
        mine: Any = self
        if mine.file is None:
            mine.file = BoundedReplies(mine.sock.makefile("rb"))
        return super().getreply()

    def close(self) -> None:
        if self._watchdog is not None and self._guard is not None:
            self._watchdog.cancel()
            self._guard.close()
        super().close()


class BoundedSmtpOverTls(smtplib.SMTP_SSL, BoundedSmtp):
    """Its socket is the one that BoundedSmtp watches, wrapped."""


class EmailBackend(smtp.EmailBackend):
    """What EMAIL_BACKEND names."""

    @property
    def connection_class(self) -> type[smtplib.SMTP]:
        return BoundedSmtpOverTls if self.use_ssl else BoundedSmtp

    def _close_connection(self, connection: Any) -> None:
        """What the server took it has, whatever it says at the end."""
        with contextlib.suppress(smtplib.SMTPException, OSError):
            connection.quit()
        connection.close()


def _cut(guard: socket.socket) -> None:
    with contextlib.suppress(OSError):
        guard.shutdown(socket.SHUT_RDWR)
