"""P22: processor time of one heartbeat, of the web process and of PostgreSQL."""

from collections.abc import Iterator

from operations.bench.history import History
from operations.bench.laboratory import Laboratory
from operations.bench.measuring import ResultLine
from operations.bench.over_http import build_heartbeat_request
from operations.bench.processor_time import read_database_seconds, read_processor_seconds
from operations.bench.serving import SECONDS, SERVICE, run_server


def measure_heartbeat_cost(lab: Laboratory, history: History) -> Iterator[ResultLine]:
    """Over HTTP with 8 connections; PostgreSQL's background processes count too."""
    request = build_heartbeat_request(lab)
    with run_server(SERVICE) as service:
        service.measure_rate(request)
        web, database = read_processor_seconds(service.pid), read_database_seconds()
        rate = service.measure_rate(request)
        web_ms = 1000 * (read_processor_seconds(service.pid) - web) / (rate * SECONDS)
        database_ms = 1000 * (read_database_seconds() - database) / (rate * SECONDS)
    figures = (f"{web_ms:.2f} ms", f"{database_ms:.2f} ms")
    yield ResultLine("P22", f"processor time of a heartbeat ({rate:.0f}/s): web; database", *figures)
