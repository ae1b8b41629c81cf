"""prometheus_client in its multiprocess mode, which it chooses when it is imported: so it is imported from here."""

import os

from django.conf import settings

os.environ.setdefault("PROMETHEUS_MULTIPROC_DIR", str(settings.METRICS_DIR))  # asked for by the next import
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.mmap_dict import MmapedDict
from prometheus_client.multiprocess import MultiProcessCollector

__all__ = [
    "CollectorRegistry",
    "Counter",
    "Gauge",
    "Histogram",
    "MmapedDict",
    "MultiProcessCollector",
    "generate_latest",
]
