"""`python -m web`: the web server, uvicorn as the service needs it.

In a process that nobody else of its user can look into: the application asks for that, too, but with several workers
this process, which never loads it, knows the secrets.
"""

import os
import socket
import sys
from argparse import SUPPRESS, ArgumentParser, Namespace
from contextlib import suppress
from typing import Any

import uvicorn
from uvicorn.config import STARTUP_FAILURE
from uvicorn.supervisors import Multiprocess

from web.server.calm_server import CalmServer
from web.server.handed import QueryServer
from web.server.query_server import QUERY_SOCKET
from web.server.time_limits import GRACE_SECONDS, KEEP_ALIVE_SECONDS
from wire.kernel import forbid_inspection

APPLICATION = "config.asgi:application"
# What units of earlier versions say besides; anything else is refused, as whoever asks for TLS must not go without.
FORMER_FLAGS = ("--no-access-log", "--no-server-header", "--proxy-headers", "--no-proxy-headers")
FORMER_VALUES = ("--http", "--loop", "--timeout-graceful-shutdown", "--timeout-keep-alive", "--forwarded-allow-ips")


def main() -> None:
    forbid_inspection()
    asked = read_options(sys.argv[1:])
    if asked.queries:
        os.environ.pop(QUERY_SOCKET, None)  # it is the one that others hand queries over to
    config = build_config(asked)
    sockets = [bind_socket(config)]
    if config.workers > 1:
        Multiprocess(config, sockets=sockets).run()
        return
    config.load_app()
    server = QueryServer(config, asked.queries, asked.pulse) if asked.queries else CalmServer(config)
    with suppress(KeyboardInterrupt):
        server.run(sockets)
    if not server.started:
        sys.exit(STARTUP_FAILURE)


def bind_socket(config: uvicorn.Config) -> socket.socket:
    """uvicorn takes every name for one of IPv4, so it is told the address: that of IPv4 where a name has one."""
    if config.fd is None:
        config.host = choose_address(config.host, config.port)
    return config.bind_socket()


def choose_address(host: str, port: int) -> str:
    """Ends the process where the name has no address."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except OSError as error:
        sys.exit(f"python -m web: {host} has no address: {error.strerror}")
    return str(min(found, key=lambda one: one[0] != socket.AF_INET)[4][0])


def build_config(asked: Namespace) -> uvicorn.Config:
    """Its log is ours (web/telemetry/logs.py). Where TRUSTED_PROXIES names a proxy, a caller's address is its word."""
    proxies = os.environ.get("TRUSTED_PROXIES") or ""
    accepting = "web.server.handed:make_loop" if asked.queries else "web.server.accepting:make_loop"
    shared: dict[str, Any] = {"loop": accepting} if asked.share or asked.queries else {}
    return uvicorn.Config(
        APPLICATION,
        host=asked.host,
        port=asked.port,
        fd=asked.fd,
        workers=asked.workers,
        http="web.server.http:BoundedHttp",
        proxy_headers=bool(proxies),
        forwarded_allow_ips=proxies,
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=GRACE_SECONDS,
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
        **shared,
    )


def read_options(words: list[str]) -> Namespace:
    parser = ArgumentParser("python -m web", description="Answers requests.", allow_abbrev=False)
    parser.add_argument("--host", default="127.0.0.1", metavar="ADDRESS")
    parser.add_argument("--port", default=8000, type=int)
    parser.add_argument("--fd", type=int, metavar="DESCRIPTOR", help="of a socket to listen on, instead")
    parser.add_argument("--workers", type=int, metavar="N", help="processes, else WEB_CONCURRENCY of them, else one")
    parser.add_argument("--share", action="store_true", help="with other servers on the same socket, by turns")
    parser.add_argument("--queries", type=float, metavar="SECONDS", help="of web servers; to end after so long without")
    parser.add_argument("--pulse", type=int, metavar="DESCRIPTOR", help="of an eventfd that its loop writes to")
    former = [
        parser.add_argument("application", nargs="?", choices=[APPLICATION], help=SUPPRESS),
        *(parser.add_argument(name, action="store_true", default=None, help=SUPPRESS) for name in FORMER_FLAGS),
        *(parser.add_argument(name, help=SUPPRESS) for name in FORMER_VALUES),
    ]
    asked = parser.parse_args(words)
    ignored = [(one.option_strings or [one.dest])[0] for one in former if getattr(asked, one.dest) is not None]
    if ignored:
        sys.stderr.write(f"python -m web: not heeded any more: {', '.join(ignored)}\n")
    return asked


if __name__ == "__main__":
    main()
