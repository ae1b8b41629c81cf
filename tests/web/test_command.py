"""`python -m web`: what uvicorn is told."""

import socket
import sys

import pytest

from web import __main__ as command
from web.__main__ import bind_socket, build_config, read_options
from web.server.accepting import make_loop
from web.server.calm_server import CalmServer
from web.server.http import BoundedHttp


def config_of(*words):
    return build_config(read_options([*words]))


@pytest.mark.parametrize(("proxies", "trusts"), [("", False), ("127.0.0.1,10.0.0.0/8", True)])
def test_a_caller_is_where_it_says_only_behind_a_named_proxy(monkeypatch, proxies, trusts):
    monkeypatch.setenv("TRUSTED_PROXIES", proxies)

    config = config_of()

    assert (config.proxy_headers, config.forwarded_allow_ips) == (trusts, proxies)


def test_heads_and_connections_are_bounded(monkeypatch):
    monkeypatch.setattr(command, "APPLICATION", "tests.web.test_command:application")
    config = config_of()
    config.load()

    assert config.http_protocol_class is BoundedHttp


def test_the_log_is_ours():
    config = config_of()

    assert (config.log_config, config.access_log) == (None, False)


def test_where_it_listens():
    config = config_of("--host", "0.0.0.0", "--port", "9000", "--fd", "7")

    assert (config.host, config.port, config.fd) == ("0.0.0.0", 9000, 7)


@pytest.mark.parametrize(
    ("words", "told", "workers"),
    [((), None, 1), ((), "3", 3), (("--workers", "1"), "3", 1), (("--workers", "2"), None, 2)],
)
def test_how_many_processes(monkeypatch, words, told, workers):
    monkeypatch.delenv("WEB_CONCURRENCY", raising=False)
    if told:
        monkeypatch.setenv("WEB_CONCURRENCY", told)

    assert config_of(*words).workers == workers


def test_what_units_of_earlier_versions_say_besides_is_told(capsys):
    former = ["--http", "web.http:BoundedHttp", "--timeout-graceful-shutdown", "15", "--timeout-keep-alive", "75"]
    trust = ["--no-access-log", "--no-server-header", "--proxy-headers", "--forwarded-allow-ips", "127.0.0.1"]

    config = config_of("config.asgi:application", "--host", "127.0.0.1", "--port", "9000", *former, *trust)

    assert config.port == 9000
    said = capsys.readouterr().err
    assert [
        word for word in ("application", "--http", "--no-access-log", "--forwarded-allow-ips") if word not in said
    ] == []


@pytest.mark.parametrize("words", [["--ssl-keyfile", "key.pem"], ["--uds", "web.sock"], ["tests.other:application"]])
def test_what_was_never_ours_is_refused(words):
    with pytest.raises(SystemExit):
        config_of(*words)


def test_servers_of_one_socket_take_turns():
    assert config_of("--share").get_loop_factory() is make_loop


def test_the_server_is_the_calm_one(monkeypatch):
    ran = []
    monkeypatch.setattr(command, "APPLICATION", "tests.web.test_command:application")
    monkeypatch.setattr(sys, "argv", ["web", "--port", "0"])

    def run(server, sockets):
        server.started = True
        sockets[0].close()
        ran.append(server)

    monkeypatch.setattr(CalmServer, "run", run)

    command.main()

    assert len(ran) == 1


async def application(scope, receive, send):
    """Nobody asks it."""


def resolve_to(monkeypatch, *addresses):
    found = [
        (socket.AF_INET6 if ":" in one else socket.AF_INET, socket.SOCK_STREAM, 6, "", (one, 0)) for one in addresses
    ]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *asked, **how: found)


def bound_address(*words):
    with bind_socket(config_of(*words)) as bound:
        return bound.getsockname()[0]


def test_a_name_that_has_ipv6_addresses_alone_is_bound(monkeypatch):
    resolve_to(monkeypatch, "::1")

    assert bound_address("--host", "lab-data.example", "--port", "0") == "::1"


def test_a_name_of_both_kinds_is_bound_where_it_was(monkeypatch):
    resolve_to(monkeypatch, "::1", "127.0.0.1")

    assert bound_address("--host", "lab-data.example", "--port", "0") == "127.0.0.1"


@pytest.mark.parametrize("address", ["127.0.0.1", "::1", "0.0.0.0", "::"])
def test_addresses_are_bound_as_they_stand(address):
    assert bound_address("--host", address, "--port", "0") == address


def test_a_name_that_nobody_knows_ends_the_start_with_a_sentence(monkeypatch):
    def fail(*asked, **how):
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", fail)

    with pytest.raises(SystemExit, match=r"nowhere\.example has no address: Name or service not known"):
        bound_address("--host", "nowhere.example")
