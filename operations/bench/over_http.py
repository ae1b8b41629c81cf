"""P1, P3 and P16: the service over HTTP against the floor, bare Django views with the same middleware."""

import json
from collections.abc import Iterator

from operations.bench.history import History
from operations.bench.laboratory import Laboratory
from operations.bench.measuring import ResultLine
from operations.bench.serving import FLOOR, SERVICE, Request, Server, measure_rates, run_server

MAX_MEMORY_BYTES = 200 * 10**6
HEARTBEAT_BODY = json.dumps({"status": "watching", "agent_version": "1.0.0", "upload_mode": "auto", "queue_depth": 3})


def measure_http(lab: Laboratory, history: History) -> Iterator[ResultLine]:
    """Requests a second of two kinds, and what the web process holds in memory afterwards."""
    with run_server(SERVICE) as service, run_server(FLOOR) as floor:
        yield _compare_rates("P3", "run list", _build_list_request(lab), service, floor, at_least=0.25)
        yield _compare_rates("P1", "heartbeat", build_heartbeat_request(lab), service, floor, at_least=0.40)
        held = service.resident_bytes
    megabytes = f"{held / 10**6:.0f} MB"
    yield ResultLine(
        "P16", "memory of one web process after both", megabytes, target="<= 200 MB", passed=held <= MAX_MEMORY_BYTES
    )


def _build_list_request(lab: Laboratory) -> Request:
    return Request("GET", "/api/v1/instrument-runs", lab.token_text)


def build_heartbeat_request(lab: Laboratory) -> Request:
    return Request("POST", f"/api/v1/watchers/{lab.watcher.pk}/heartbeat", lab.token_text, HEARTBEAT_BODY)


def _compare_rates(
    name: str, what: str, request: Request, service: Server, floor: Server, *, at_least: float
) -> ResultLine:
    ours, partner = measure_rates(request, service, floor)
    ratio = ours / partner
    text = f"{what} over HTTP, 8 connections; the floor"
    figures = (f"{ours:.0f} req/s", f"{partner:.0f} req/s")
    return ResultLine(name, text, *figures, ratio, f">= {at_least:g} times", ratio >= at_least)
