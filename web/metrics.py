"""/metrics, for Prometheus: open to this machine, and elsewhere to API tokens that may read the system's status."""

import ipaddress
import shutil
from collections.abc import Iterator

from django.db import Error
from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Metric, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from accounts.authentication import find_bearer_caller
from files.storage import object_store
from files.storage.local import LocalStore
from files.storage.semantics import READ_BACK, UNKNOWN, VERIFIED
from overview.access import METRICS
from overview.gauges import Gauges, read_gauges
from wire.clock import now
from wire.error_responses import error_response
from wire.errors import Forbidden, ServiceError, Unauthorized
from wire.metrics import combine_registries

FORWARDED_HEADERS = ("HTTP_X_FORWARDED_FOR", "HTTP_X_REAL_IP", "HTTP_FORWARDED", "HTTP_VIA")


@require_safe
@never_cache
def metrics_page(request: HttpRequest) -> HttpResponse:
    try:
        check_reader(request)
    except ServiceError as refusal:
        return error_response(refusal)
    registry = CollectorRegistry()
    registry.register(CurrentStateCollector())
    text = generate_latest(combine_registries()) + generate_latest(registry)
    return HttpResponse(text, content_type=CONTENT_TYPE_LATEST)


def check_reader(request: HttpRequest) -> None:
    """Raises Unauthorized, Forbidden. Whoever sends a token is judged by it, wherever it comes from."""
    caller = find_bearer_caller(request.META)
    if caller is not None:
        METRICS.check(caller)
        if caller.instrument_ids is not None:
            raise Forbidden("The figures are of the whole workspace; the token is bound to instruments.")
    elif not is_this_machine(request):
        raise Unauthorized(f"A token with the scope {METRICS.scope} is needed.")


def is_this_machine(request: HttpRequest) -> bool:
    """Asked from here, not handed on by a proxy that runs here."""
    if any(name in request.META for name in FORWARDED_HEADERS):
        return False
    try:
        return ipaddress.ip_address(request.META.get("REMOTE_ADDR", "")).is_loopback
    except ValueError:
        return False


class CurrentStateCollector(Collector):
    """What is so at this moment, asked of the database; without it only that it is away."""

    def collect(self) -> Iterator[Metric]:
        yield from self._list_disk_space()
        mode = object_store().checksum_mode
        values = {name: int(name == mode) for name in (VERIFIED, READ_BACK, UNKNOWN)}
        yield build_labelled_gauge("mode", "ids_storage_checksums", "Who compares uploads with their sums: 1.", values)
        try:
            gauges = read_gauges(at=now())
        except Error:
            yield build_gauge("ids_database_up", "Whether the database answers.", 0)
            return
        yield build_gauge("ids_database_up", "Whether the database answers.", 1)
        yield from _list_gauges(gauges)

    def _list_disk_space(self) -> Iterator[Metric]:
        store = object_store()
        if isinstance(store, LocalStore) and store.layout.root.is_dir():
            space = shutil.disk_usage(store.layout.root)
            values = {"free": float(space.free), "total": float(space.total)}
            yield build_labelled_gauge(
                "state", "ids_storage_disk_bytes", "Room where the local object store is.", values
            )


def _list_gauges(gauges: Gauges) -> Iterator[Metric]:
    depth = {name: float(queue.waiting) for name, queue in gauges.queues.items()}
    oldest = {name: queue.oldest_seconds for name, queue in gauges.queues.items()}
    yield build_labelled_gauge("queue", "ids_queue_depth", "Jobs that wait or are at work.", depth)
    yield build_labelled_gauge("queue", "ids_queue_oldest_seconds", "Age of the oldest such job.", oldest)
    yield build_labelled_gauge("state", "ids_watchers", "Active watchers.", gauges.watchers)
    lag = "Since the last heartbeat of the watcher that should be heard and is silent longest."
    yield build_gauge("ids_heartbeat_lag_seconds", lag, gauges.heartbeat_lag_seconds)
    yield build_labelled_gauge("status", "ids_runs", "Runs that need somebody.", gauges.runs)
    objects = {kind: count for kind, (count, _) in gauges.stored.items()}
    size = {kind: size for kind, (_, size) in gauges.stored.items()}
    yield build_labelled_gauge(
        "kind", "ids_storage_objects", "Stored files and archives, measured every ten minutes.", objects
    )
    yield build_labelled_gauge("kind", "ids_storage_bytes", "Their size, measured every ten minutes.", size)


def build_gauge(name: str, text: str, value: float) -> Metric:
    return GaugeMetricFamily(name, text, value=value)


def build_labelled_gauge(label: str, name: str, text: str, values: dict[str, float] | dict[str, int]) -> Metric:
    """One value for each word of `label`."""
    family = GaugeMetricFamily(name, text, labels=[label])
    for word, value in values.items():
        family.add_metric([str(word)], value)
    return family
