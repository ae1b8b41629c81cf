"""What is so at the moment of a scrape: of this machine, and of the whole service as the database tells it."""

import platform
import shutil
from collections.abc import Iterator

from django.conf import settings
from django.db import Error
from prometheus_client import CollectorRegistry, Metric
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from files.storage import cold_store, object_store
from files.storage.local import LocalStore
from files.storage.semantics import READ_BACK, UNKNOWN, VERIFIED
from overview.gauges import Gauges, read_gauges
from overview.system_status import has_queue
from wire.clock import now


class MachineCollector(Collector):
    """Of the process that is asked, and its machine. Asks neither the database nor the object store."""

    def collect(self) -> Iterator[Metric]:
        build = GaugeMetricFamily("ids_build_info", "What runs here: 1.", labels=["version", "python"])
        build.add_metric([settings.VERSION, platform.python_version()], 1)
        yield build
        store = object_store()
        backend = "files" if isinstance(store, LocalStore) else "s3"
        yield build_labelled_gauge("backend", "ids_storage_info", "Where bytes are kept: 1.", {backend: 1})
        values = {name: int(name == store.checksum_mode) for name in (VERIFIED, READ_BACK, UNKNOWN)}
        yield build_labelled_gauge("mode", "ids_storage_checksums", "Who compares uploads with their sums: 1.", values)
        if isinstance(store, LocalStore) and store.layout.root.is_dir():
            space = shutil.disk_usage(store.layout.root)
            free = {"free": float(space.free), "total": float(space.total)}
            text = "Room where the local object store is."
            yield build_labelled_gauge("state", "ids_storage_disk_bytes", text, free)
        yield from _list_cold_disk()


class CurrentStateCollector(Collector):
    """Of the whole service, by a fixed number of queries; without a database only that it is away."""

    def collect(self) -> Iterator[Metric]:
        yield build_gauge("ids_queue_up", "Whether Redis or Valkey answers.", has_queue())
        try:
            gauges = read_gauges(at=now())
        except Error:
            yield build_gauge("ids_database_up", "Whether the database answers.", 0)
            return
        yield build_gauge("ids_database_up", "Whether the database answers.", 1)
        yield from _list_gauges(gauges)


def _list_cold_disk() -> Iterator[Metric]:
    """Where the cold store is a folder: whether it is there, and its room. A bucket is not asked."""
    cold = cold_store()
    if not isinstance(cold, LocalStore):
        return
    root = cold.layout.root
    yield build_gauge("ids_cold_storage_up", "Whether the folder of the cold store is there.", root.is_dir())
    if root.is_dir():
        space = shutil.disk_usage(root)
        free = {"free": float(space.free), "total": float(space.total)}
        yield build_labelled_gauge("state", "ids_cold_storage_disk_bytes", "Room where the cold store is.", free)


def register(*collectors: Collector) -> CollectorRegistry:
    """A registry of these, for one scrape."""
    registry = CollectorRegistry()
    for collector in collectors:
        registry.register(collector)
    return registry


def _list_gauges(gauges: Gauges) -> Iterator[Metric]:
    depth = {name: float(queue.waiting) for name, queue in gauges.queues.items()}
    oldest = {name: queue.oldest_seconds for name, queue in gauges.queues.items()}
    yield build_labelled_gauge("queue", "ids_queue_depth", "Jobs that wait or are at work.", depth)
    running = {name: float(queue.running) for name, queue in gauges.queues.items()}
    yield build_labelled_gauge("queue", "ids_queue_running", "Those of them that are at work.", running)
    yield build_labelled_gauge("queue", "ids_queue_oldest_seconds", "Age of the oldest such job.", oldest)
    yield build_labelled_gauge("state", "ids_watchers", "Active watchers.", gauges.watchers)
    lag = "Since the last heartbeat of the watcher that should be heard and is silent longest."
    yield build_gauge("ids_heartbeat_lag_seconds", lag, gauges.heartbeat_lag_seconds)
    age = float("inf") if gauges.backup_age_seconds is None else gauges.backup_age_seconds
    yield build_gauge("ids_backup_age_seconds", "Since the last backup was made; +Inf: there is none.", age)
    text = "Files in the cold store, and of these those that were asked for."
    yield build_labelled_gauge("state", "ids_cold_files", text, gauges.cold)
    text = "Stored files that are missing or damaged, as reading them again found."
    yield build_labelled_gauge("kind", "ids_integrity_findings", text, gauges.findings)
    text = "Since the stored file was compared that was compared with its checksum longest ago."
    yield build_gauge("ids_integrity_unread_seconds", text, max(0.0, gauges.unread_seconds))
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
