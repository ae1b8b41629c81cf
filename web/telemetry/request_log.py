"""The id that every request gets; one line in the log and one count in the metrics when it was answered."""

import logging
import re
import time

from wire.ids import new_id
from wire.telemetry.metrics import count_request

log = logging.getLogger("ids.requests")
# Asked without end by machines, by each watcher and load balancer: where all is well they are lines of the level DEBUG.
QUIET_ROUTES = {"livez", "readyz", "metrics", "api/v1/watchers/<id:watcher_id>/heartbeat"}

REQUEST_ID = re.compile(r"(?!ids_)[A-Za-z0-9._-]{1,64}", re.ASCII)  # a token is none: it would be in every log line


def choose_request_id(given: str) -> str:
    """The caller's id when it is a plain token of up to 64 characters, else a new one."""
    return given if REQUEST_ID.fullmatch(given) else str(new_id())


def log_request(*, method: str, route: str, status: int, started: float, principal: str = "") -> None:
    """`route` is a pattern of ours, never the path or the query, which may carry secrets.

    `principal` is `token:<id>` or `person:<id>`, never a name; `started` is what `time.perf_counter()` said.
    """
    seconds = time.perf_counter() - started
    line = {"method": method, "route": route, "status": status, "ms": round(seconds * 1000, 1), "principal": principal}
    is_quiet = route in QUIET_ROUTES and status < 400
    log.log(logging.DEBUG if is_quiet else logging.INFO, "request", extra=line)
    count_request(method=method, route=route, status=status, seconds=seconds)
