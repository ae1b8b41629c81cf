"""One line in the log and one count in the metrics for every request that was answered."""

import logging
import time

from wire.metrics import count_request

log = logging.getLogger("ids.requests")


def note_request(*, method: str, route: str, status: int, started: float, principal: str = "") -> None:
    """`route` is a pattern of ours, never the path or the query, which may carry secrets.

    `principal` is `token:<id>` or `person:<id>`, never a name; `started` is what `time.perf_counter()` said.
    """
    seconds = time.perf_counter() - started
    line = {"method": method, "route": route, "status": status, "ms": round(seconds * 1000, 1), "principal": principal}
    log.info("request", extra=line)
    count_request(method=method, route=route, status=status, seconds=seconds)
