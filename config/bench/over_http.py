"""P1, P3 and P16: the service over HTTP against the floor, bare Django views with the same middleware."""

import json
from collections.abc import Iterator

from config.bench.history import History
from config.bench.laboratory import Laboratory
from config.bench.measuring import Line
from config.bench.serving import FLOOR, SERVICE, Request, Server, rates, served

MOST_MEMORY = 200 * 10**6
BEAT = json.dumps({"status": "watching", "agent_version": "1.0.0", "upload_mode": "auto", "queue_depth": 3})


def over_http(lab: Laboratory, history: History) -> Iterator[Line]:
    """Requests a second of two kinds, and what the web process holds in memory afterwards."""
    with served(SERVICE) as service, served(FLOOR) as floor:
        yield _compared("P3", "run list", _run_list(lab), service, floor, at_least=0.25)
        yield _compared("P1", "heartbeat", _heartbeat(lab), service, floor, at_least=0.40)
        held = service.resident_bytes
    megabytes = f"{held / 10**6:.0f} MB"
    yield Line("P16", "memory of one web process after both", megabytes, target="<= 200 MB", passed=held <= MOST_MEMORY)


def _run_list(lab: Laboratory) -> Request:
    return Request("GET", "/api/v1/instrument-runs", lab.token_text)


def _heartbeat(lab: Laboratory) -> Request:
    return Request("POST", f"/api/v1/watchers/{lab.watcher.pk}/heartbeat", lab.token_text, BEAT)


def _compared(name: str, what: str, request: Request, service: Server, floor: Server, *, at_least: float) -> Line:
    ours, partner = rates(request, service, floor)
    ratio = ours / partner
    text = f"{what} over HTTP, 8 connections; the floor"
    figures = (f"{ours:.0f} req/s", f"{partner:.0f} req/s")
    return Line(name, text, *figures, ratio, f">= {at_least:g} times", ratio >= at_least)
