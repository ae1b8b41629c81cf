"""What stands before the service answers in its place while it is away: nothing it says is the service's word."""

from typing import Any

import httpx
import pytest

from agent.tests.gate import Answer, Gate
from agent.tests.lab import Lab, sha256, wait_until
from instrument_watcher.service.api import Service
from instrument_watcher.service.connection import Connection, retry_after
from instrument_watcher.service.errors import Refused, ServiceAway

PAGE = "<html><title>404 page not found</title></html>"
NOWHERE = "http://127.0.0.1:9"


@pytest.mark.parametrize("status", [400, 404, 405, 409, 410, 422, 500, 503, 530])
def test_a_page_of_a_proxy_is_no_refusal(status: int):
    with Gate(NOWHERE, lambda *_: (status, PAGE)) as gate, pytest.raises(ServiceAway):
        Connection(gate.url, read_token=lambda: "").post("watchers/1/heartbeat", {})


def test_a_proxy_to_which_a_body_is_too_large_refuses_this_body_and_not_its_content_for_good():
    with Gate(NOWHERE, lambda *_: (413, PAGE)) as gate, pytest.raises(Refused) as refused:
        Connection(gate.url, read_token=lambda: "").post("watchers/1/events", {})

    assert not refused.value.is_final


@pytest.mark.parametrize(("said", "seconds"), [("7", 7), ("86400", 300), ("²", 0), ("tomorrow", 0), ("", 0)])
def test_nobody_is_waited_for_as_long_as_a_maintenance_page_says(said: str, seconds: float):
    headers = [(b"Retry-After", said.encode("latin-1"))]

    assert retry_after(httpx.Response(503, headers=headers)) == seconds


def test_an_agent_whose_proxy_knows_no_service_waits_for_it(lab: Lab):
    lab.init()
    pages = [PAGE]

    def rule(method: str, path: str, body: object) -> Answer | None:
        return (404, pages[0]) if pages else None

    with Gate(lab.url, rule) as gate:
        lab.set(server=gate.url)
        lab.write("R1/a.csv", b"a")
        agent = lab.start()
        wait_until(lambda: gate.bodies("/heartbeat") and gate.asked[3:])
        assert agent.poll() is None
        pages.clear()
        stored = lab.wait_stored(1, seconds=120)

    assert {path: file["sha256"] for (_, path), file in stored.items()} == {"R1/a.csv": sha256(b"a")}


@pytest.mark.parametrize(("status", "part"), [(400, "/request-upload-url"), (413, "/runs"), (404, "/files/")])
def test_a_page_in_place_of_one_answer_loses_no_file(lab: Lab, status: int, part: str):
    lab.init()
    pages = [PAGE]

    def rule(method: str, path: str, body: object) -> Answer | None:
        return (status, pages.pop()) if pages and part in path and method != "GET" else None

    with Gate(lab.url, rule) as gate:
        lab.set(server=gate.url)
        lab.write("R1/a.csv", b"a")
        lab.start()
        stored = lab.wait_stored(1, seconds=120)

    assert pages == []
    assert set(stored) == {("R1", "R1/a.csv")}


@pytest.mark.parametrize("said", ["", "{}", "[]", '{"id": 1, "uploaded_at": null}'])
def test_a_file_is_not_stored_until_the_service_says_so(said: str):
    with Gate(NOWHERE, lambda *_: (200, said)) as gate:
        service = Service(Connection(gate.url, read_token=lambda: ""))

        with pytest.raises(ServiceAway):
            service.confirm_upload(1, announced={})
        with pytest.raises(ServiceAway):
            service.complete_multipart(1, upload_id="u", etags={1: "e"}, announced={})


@pytest.mark.parametrize("said", [{}, [], "ok", 7, True, None, {"data": {}}, {"upload_requests": 0}, {"error": None}])
def test_an_answer_of_another_form_is_no_answer_of_the_service(said: Any):
    with Gate(NOWHERE, lambda *_: (200, said)) as gate:
        service = Service(Connection(gate.url, read_token=lambda: ""))
        asked = (
            lambda: service.request_upload_url("reader", "R1", {}),
            lambda: service.part_url(1, upload_id="u", number=1, crc32="0badcafe"),
            lambda: service.heartbeat("1")["config_checksum"],
            lambda: list(service.upload_queue("1")),
            lambda: service.wanted_config("1"),
            lambda: service.runs_page("reader", page=1),
            lambda: service.confirm_upload(1, announced={}),
        )

        for ask in asked:
            with pytest.raises(ServiceAway):
                ask()
