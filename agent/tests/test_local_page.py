"""The page of the agent on its own computer: who may see it, where it is, and what it never does."""

import socket
import stat
import sys
from urllib.parse import urlsplit

import pytest

from agent.tests.lab import DATA, Lab, wait_until
from agent.tests.visitor import Visitor, let_in, page_address
from instrument_watcher.config.model import LocalPage
from instrument_watcher.config.reading import ConfigInvalid, read_config
from tests.ports import free_port

TEXT = f"server: https://x\ninstrument_id: reader\nwatch_directory: {DATA.as_posix()}\n"
ACTIONS = ["/upload-now", "/pause", "/resume", "/check"]


def test_it_tells_what_is_watched_what_arrived_and_what_failed(lab: Lab):
    lab.write("R1/a.csv", b"12345")
    lab.write("top.csv", b"belongs to no run")
    lab.init()
    lab.start()
    lab.wait_stored(1)
    wait_until(lambda: "top.csv" in lab.states())

    page = let_in(lab).page()

    assert str(lab.folder) in page
    assert "R1/a.csv" in page
    assert "1 file, 5 B arrived" in page
    assert "top.csv" in page.partition("Needs attention")[2]
    assert "Uploaded R1/a.csv" in page.partition("Log</h2>")[2]


def test_who_has_no_key_sees_nothing_of_it(lab: Lab):
    lab.write("R1/secret-name.csv", b"12345")
    lab.init()
    lab.start()
    lab.wait_stored(1)
    stranger = Visitor(page_address(lab))

    answers = [stranger.get(), stranger.get("/nothing"), *(stranger.post(path) for path in ACTIONS)]

    assert [answer.status_code for answer in answers] == 6 * [401]
    assert not any("secret-name" in answer.text or lab.instrument in answer.text for answer in answers)


def test_nothing_shown_holds_a_token_or_the_key(lab: Lab):
    lab.init()
    lab.start()
    page_address(lab)

    page = let_in(lab).page()

    assert lab.token not in page
    assert (lab.home / "page-key").read_text().strip() not in page


def test_an_address_is_good_once(lab: Lab):
    lab.init()
    lab.start()
    page_address(lab)
    address = urlsplit(lab.json("open")["address"])
    first, second = (Visitor(f"http://{address.netloc}") for _ in range(2))

    assert first.get(f"/open?{address.query}").status_code == 303
    assert second.get(f"/open?{address.query}").status_code == 401
    assert second.get("/open?ticket=9999999999.aa.bb").status_code == 401
    assert second.get("/open").status_code == 401
    assert second.get().status_code == 401


def test_the_cookie_stays_with_this_page(lab: Lab):
    lab.init()
    lab.start()
    page_address(lab)
    address = urlsplit(lab.json("open")["address"])

    answer = Visitor(f"http://{address.netloc}").get(f"/open?{address.query}")

    assert answer.headers["Location"] == "/"
    attributes = [part.strip() for part in answer.headers["Set-Cookie"].split(";")[1:]]
    assert set(attributes) == {"Path=/", "Max-Age=43200", "HttpOnly", "SameSite=Strict"}


@pytest.mark.parametrize("host", ["evil.example", "evil.example:27480", "localhost", "127.0.0.1"])
def test_another_name_for_this_computer_is_refused(lab: Lab, host: str):
    lab.init()
    lab.start()
    page_address(lab)
    visitor = let_in(lab)

    assert visitor.get(Host=host).status_code == 421
    assert visitor.get("/page.css", Host=host).status_code == 421


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1:1", ""])
def test_another_page_can_do_nothing_here(lab: Lab, origin: str):
    lab.init()
    lab.start()
    page_address(lab)
    visitor = let_in(lab)

    assert visitor.post("/pause", origin=origin, minutes="60").status_code == 403
    assert "Paused until" not in visitor.page()


def test_a_page_of_another_origin_may_not_read_frame_or_run_it(lab: Lab):
    lab.init()
    lab.start()
    page_address(lab)

    headers = let_in(lab).get(Origin="http://evil.example").headers

    assert "Access-Control-Allow-Origin" not in headers
    assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]
    assert "unsafe" not in headers["Content-Security-Policy"]
    assert headers["Cross-Origin-Resource-Policy"] == "same-origin"
    assert headers["Cache-Control"] == "no-store"


def test_what_it_does_not_know_it_says(lab: Lab):
    lab.init()
    lab.start()
    page_address(lab)
    visitor = let_in(lab)

    assert visitor.get("/nothing").status_code == 404
    assert visitor.get("//evil.example/").status_code == 404
    assert visitor.get("/pause").status_code == 405
    assert visitor.post("/nothing").status_code == 404
    assert visitor.post("/pause", minutes="5").status_code == 400
    assert visitor.post("/pause").status_code == 400
    assert visitor.post("/pause", minutes="15", more="x" * 2000).status_code == 413


@pytest.mark.parametrize(
    "said", [b"\x00\xff\r\n\r\n", b"PUT / HTTP/1.1\r\n\r\n", b"GET http://[ HTTP/1.1\r\n\r\n", b"G" * 70_000 + b"\r\n"]
)
def test_what_is_no_request_is_refused(lab: Lab, said: bytes):
    lab.init()
    lab.start()
    port = urlsplit(page_address(lab)).port

    with socket.create_connection(("127.0.0.1", port or 0), timeout=30) as connection:
        connection.sendall(said)
        answer = connection.recv(100)

    assert answer.split()[1][:1] == b"4"
    assert let_in(lab).get().status_code == 200


def test_connections_that_say_nothing_hold_up_no_upload(lab: Lab):
    lab.init()
    lab.start()
    port = urlsplit(page_address(lab)).port
    idle = [socket.create_connection(("127.0.0.1", port or 0)) for _ in range(50)]

    lab.write("R1/a.csv", b"12345")
    lab.wait_stored(1)

    sent_away = [connection for connection in idle if _is_closed(connection)]
    assert len(sent_away) >= 42
    wait_until(lambda: _shows(lab), what="the page is shown again")
    for connection in idle:
        connection.close()


def test_a_port_that_is_taken_is_told_and_passed_over(lab: Lab):
    taken = free_port()
    with socket.create_server(("127.0.0.1", taken)):
        lab.init(port=taken)
        lab.start()
        address = page_address(lab)

        assert address != f"http://127.0.0.1:{taken}"
        assert let_in(lab).get().status_code == 200
        assert f"Port {taken} is taken: the local page is at {address}" in lab.output


def test_it_listens_to_this_computer_alone(lab: Lab):
    lab.init()
    lab.start()
    port = urlsplit(page_address(lab)).port or 0
    others = {info[4][0] for info in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)}

    for address in others - {"127.0.0.1"}:
        with pytest.raises(OSError, match="refused"):
            socket.create_connection((str(address), port), timeout=5)


def test_port_0_is_no_page(lab: Lab):
    lab.init(port=0)
    lab.start()
    wait_until(lambda: lab.snapshot().get("scanned_at"))

    assert not (lab.home / "page-address").exists()
    assert "shows no page" in lab.json("open", code=1)["error"]["message"]


def test_without_an_agent_there_is_no_page_to_open(lab: Lab):
    lab.init()
    lab.start()
    page_address(lab)
    lab.stop()

    assert "No agent runs" in lab.json("open", code=1)["error"]["message"]
    assert not (lab.home / "page-address").exists()


def test_a_session_outlives_the_agent(lab: Lab):
    lab.init(port=free_port())
    lab.start()
    page_address(lab)
    visitor = let_in(lab)
    lab.stop()
    lab.start()
    page_address(lab)

    assert visitor.get().status_code == 200


@pytest.mark.skipif(sys.platform == "win32", reason="modes are of POSIX")
def test_only_its_user_can_read_the_key(lab: Lab):
    lab.init()
    lab.start()
    page_address(lab)

    assert stat.S_IMODE((lab.home / "page-key").stat().st_mode) == 0o600


def test_a_page_is_shown_unless_the_configuration_forbids_it():
    assert read_config(TEXT).local_page == LocalPage(port=27_480)
    assert read_config(f"{TEXT}local_page: {{port: 0}}\n").local_page.port == 0
    with pytest.raises(ConfigInvalid, match=r"local_page\.port: must be a whole number from 0 to 65535"):
        read_config(f"{TEXT}local_page: {{port: -1}}\n")


def _is_closed(connection: socket.socket) -> bool:
    connection.settimeout(0.5)
    try:
        return connection.recv(1) == b""
    except TimeoutError:
        return False


def _shows(lab: Lab) -> bool:
    try:
        return let_in(lab).get().status_code == 200
    except OSError:
        return False
