"""What the processes of the service count: requests, tasks, jobs, calls of the object store, bytes that came in.

Labels are routes, codes, names of tasks and of operations: words of ours, never a caller's. Each metric has at least
one, for only then prometheus_client makes its file when something is counted, and not when this module is read.
"""

from wire.errors import ServiceError
from wire.telemetry.metrics_files import is_counting
from wire.telemetry.prometheus import CollectorRegistry, Counter, Histogram

KNOWN_METHODS = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}
BUCKETS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)
TASK_BUCKETS = (0.01, 0.05, 0.25, 1.0, 5.0, 30.0, 120.0, 600.0)
REGISTRY = CollectorRegistry()

REQUESTS = Counter("ids_requests", "Requests answered.", ["method", "route", "status"], registry=REGISTRY)
REQUEST_SECONDS = Histogram(
    "ids_request_seconds", "Time to answer.", ["method", "route"], registry=REGISTRY, buckets=BUCKETS
)
REFUSALS = Counter("ids_refusals", "Requests and tool calls refused.", ["code", "reason"], registry=REGISTRY)
SECURITY_EVENTS = Counter("ids_security_events", "What may be an attack, by its kind.", ["kind"], registry=REGISTRY)
INGESTED_FILES = Counter("ids_ingested_files", "Files that the store confirmed.", ["category"], registry=REGISTRY)
INGESTED_BYTES = Counter("ids_ingested_bytes", "Their bytes.", ["category"], registry=REGISTRY)
TASKS = Counter("ids_tasks", "Tasks that workers ended.", ["task", "result"], registry=REGISTRY)
TASK_SECONDS = Histogram(
    "ids_task_duration_seconds", "Time a task took.", ["task"], registry=REGISTRY, buckets=TASK_BUCKETS
)
JOB_ATTEMPTS = Counter(
    "ids_job_attempts", "Attempts at jobs, and how they went.", ["task", "result"], registry=REGISTRY
)
STORE_CALLS = Counter("ids_storage_calls", "Calls of the object store.", ["operation", "result"], registry=REGISTRY)
STORE_SECONDS = Histogram(
    "ids_storage_call_duration_seconds",
    "Time until the store answered, repeats included.",
    ["operation"],
    registry=REGISTRY,
    buckets=BUCKETS,
)
SLOW_QUERIES = Counter("ids_slow_queries", "Statements slower than the threshold.", ["route"], registry=REGISTRY)


def count_request(*, method: str, route: str, status: int, seconds: float) -> None:
    """One answer. `route` is a pattern of ours or empty, never the path that was asked for."""
    if is_counting():
        known = method if method in KNOWN_METHODS else "other"
        REQUESTS.labels(known, route, str(status)).inc()
        REQUEST_SECONDS.labels(known, route).observe(seconds)


def count_refusal(error: ServiceError) -> None:
    if is_counting():
        REFUSALS.labels(error.code, error.reason).inc()


def count_security_event(kind: str) -> None:
    """One of wire/telemetry/security_events.py."""
    if is_counting():
        SECURITY_EVENTS.labels(kind).inc()


def count_ingested_file(*, category: str, size_bytes: int) -> None:
    """One file of which the store confirmed that it has all bytes."""
    if is_counting():
        INGESTED_FILES.labels(category).inc()
        INGESTED_BYTES.labels(category).inc(size_bytes)


def count_task(task: str, *, result: str, seconds: float) -> None:
    """One task of a worker: `done` or `failed`."""
    if is_counting():
        TASKS.labels(task, result).inc()
        TASK_SECONDS.labels(task).observe(seconds)


def count_job_attempt(task: str, *, result: str) -> None:
    """One step of a job, named by its task: `begun`, `broken` (another follows), `postponed`, `exhausted`."""
    if is_counting():
        JOB_ATTEMPTS.labels(task, result).inc()


def count_store_call(operation: str, *, result: str, seconds: float) -> None:
    """One call of the object store: `ok`, `refused` (the caller's doing, such as a missing key) or `error`."""
    if is_counting():
        STORE_CALLS.labels(operation, result).inc()
        STORE_SECONDS.labels(operation).observe(seconds)


def count_slow_query(*, route: str) -> None:
    """`route` is a pattern of ours, the name of a task, or empty."""
    if is_counting():
        SLOW_QUERIES.labels(route).inc()
