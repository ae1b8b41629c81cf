"""P22 and P27: processor time of single requests, of the web process and of PostgreSQL."""

from collections.abc import Iterator
from urllib.parse import quote

from operations.bench.history import History
from operations.bench.laboratory import Laboratory
from operations.bench.measuring import ResultLine
from operations.bench.over_http import build_heartbeat_request
from operations.bench.processor_time import read_database_seconds, read_processor_seconds
from operations.bench.serving import SECONDS, SERVICE, Request, Server, run_server
from runs.models import Run

FILES = 10


def measure_request_costs(lab: Laboratory, history: History) -> Iterator[ResultLine]:
    """Over HTTP with 8 connections; PostgreSQL's background processes count too."""
    with run_server(SERVICE) as service:
        yield _measure_cost("P22", "heartbeat", build_heartbeat_request(lab), service, at_most=4)
        for what, path, at_most in _list_reads(lab):
            yield _measure_cost(
                "P27", what, Request("GET", f"/api/v1/{path}", lab.token_text), service, at_most=at_most
            )


def _list_reads(lab: Laboratory) -> list[tuple[str, str, float]]:
    run = Run.objects.filter(file_count=FILES, deleted_at=None).order_by("pk")[lab.runs // 50]
    name = quote(run.run_id, safe="")
    return [
        (f"one run of {FILES} files", f"instruments/{run.instrument_id}/runs/{name}", 4),
        ("list of 50", "instrument-runs?per_page=50", 7),
        ("search by a whole run_id", f"instrument-runs?per_page=50&search={name}", 12),
    ]


def _measure_cost(name: str, what: str, request: Request, service: Server, *, at_most: float) -> ResultLine:
    service.measure_rate(request)
    web, database = read_processor_seconds(service.pid), read_database_seconds()
    rate = service.measure_rate(request)
    web_ms = 1000 * (read_processor_seconds(service.pid) - web) / (rate * SECONDS)
    database_ms = 1000 * (read_database_seconds() - database) / (rate * SECONDS)
    figures = (f"{web_ms:.2f} ms", f"{database_ms:.2f} ms")
    text, total = f"processor time, {what} ({rate:.0f}/s): web; database", web_ms + database_ms
    return ResultLine(name, text, *figures, target=f"<= {at_most:g} ms together", passed=total <= at_most)
