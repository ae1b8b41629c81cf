"""The address the service listens on."""

import errno
import socket
from dataclasses import dataclass

from operations.embedded.errors import EmbeddedError

BACKLOG = 2048
ANY_ADDRESS = ("", "0.0.0.0", "::")
LISTEN_FAILURES = {
    errno.EADDRINUSE: "is taken by another program: stop that, or choose another with --port",
    errno.EACCES: "is reserved for root: choose one above 1023 with --port",
    errno.EADDRNOTAVAIL: "cannot be used: the address is not one of this machine's, choose another with --host",
}


@dataclass(frozen=True)
class Address:
    host: str
    port: int

    def listen(self) -> socket.socket:
        """Connections inherit TCP_NODELAY: uvicorn takes a socket by number for a Unix socket and would leave it off.

        An answer in two writes then waits 40 ms for the client's delayed acknowledgement.
        """
        try:
            family, _, _, _, where = socket.getaddrinfo(self.host, self.port, type=socket.SOCK_STREAM)[0]
            listener = socket.create_server(where[:2], family=family, backlog=BACKLOG)
            listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return listener
        except socket.gaierror:
            raise EmbeddedError(f"The host {self.host!r} is unknown: choose another with --host.") from None
        except OSError as error:
            reason = LISTEN_FAILURES.get(error.errno or 0, f"cannot be used: {error.strerror}")
            raise EmbeddedError(f"Port {self.port} of {self.host} {reason}.") from None

    def url(self, listener: socket.socket) -> str:
        """As others reach it; the port is the real one where 0 asked for any."""
        host = find_own_address() if self.host in ANY_ADDRESS else self.host
        return f"http://{f'[{host}]' if ':' in host else host}:{listener.getsockname()[1]}"


def find_own_address() -> str:
    """The address this machine sends from. Nothing is sent: the target is reserved for documentation."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
        except OSError:
            return "127.0.0.1"
        return str(probe.getsockname()[0])
