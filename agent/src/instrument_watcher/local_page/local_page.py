"""The page of one agent on its own computer: where it is, and from when until when it is there."""

import logging
from contextlib import suppress

from instrument_watcher.assembly import Parts
from instrument_watcher.errors import AgentError
from instrument_watcher.home import Home
from instrument_watcher.local_page.actions import Actions, Checker
from instrument_watcher.local_page.keys import Purpose, ensure_key, read_key, sign
from instrument_watcher.local_page.loopback import HOST, LoopbackServer
from instrument_watcher.local_page.serving import handler_of
from instrument_watcher.local_page.view import Viewer
from instrument_watcher.token_file import TokenMissing

log = logging.getLogger("instrument_watcher")
NEIGHBOURS = 10  # ports that are tried one after the other; then any that is free
LAST_PORT = 65_535


class NoPage(AgentError):
    """There is no page to open."""


class LocalPage:
    """Nothing where the configuration says so. What fails is told, and the agent goes on without."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._server: LoopbackServer | None = None

    def start(self) -> None:
        port, home = self._parts.config.local_page.port, self._parts.home
        try:
            home.page_address.unlink(missing_ok=True)  # of an agent that was killed
            if not port:
                return
            checker = Checker(home)
            handler = handler_of(ensure_key(home.page_key), Viewer(self._parts, checker), Actions(self._parts, checker))
            self._server = server = _serve_from(port, handler)
            _write_address(home, f"http://{HOST}:{server.server_port}")
        except OSError as error:
            log.error("The local page cannot be shown: %s", error)
            return
        if server.server_port != port:
            log.warning("Port %d is taken: the local page is at http://%s:%d", port, HOST, server.server_port)

    def stop(self) -> None:
        if self._server is not None:
            self._server.end()
            with suppress(OSError):
                self._parts.home.page_address.unlink(missing_ok=True)


def address_to_open(home: Home) -> str:
    """An address that is good once and for a minute. Raises NoPage, PermissionError."""
    try:
        address = home.page_address.read_text("ascii").strip()
        return f"{address}/open?ticket={sign(read_key(home.page_key), Purpose.TICKET)}"
    except (FileNotFoundError, UnicodeDecodeError, ValueError, TokenMissing):
        raise NoPage(
            f"The agent of {home.folder} shows no page.",
            remedy="See what its log says, and whether the configuration has local_page: port: 0",
        ) from None


def _serve_from(port: int, handler: type) -> LoopbackServer:
    """At the port, else at the next free one. Raises OSError."""
    for candidate in range(port, min(port + NEIGHBOURS, LAST_PORT + 1)):
        with suppress(OSError):
            return LoopbackServer(candidate, handler)
    return LoopbackServer(0, handler)


def _write_address(home: Home, address: str) -> None:
    new = home.page_address.with_name(home.page_address.name + ".new")
    new.write_text(address + "\n", encoding="ascii")
    new.replace(home.page_address)
