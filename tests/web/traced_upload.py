"""A program: one upload from its request to its reading, in one process, with its traces kept; prints them as JSON."""

import json
import os
import sys
import time

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

import config.celery
from web.telemetry.tracing import start_tracing

DEADLINE_SECONDS = 240


def main(file_id: str, token: str) -> None:
    exporter = InMemorySpanExporter()
    provider = start_tracing("test", exporter)
    django.setup()
    from celery.contrib.testing.worker import start_worker
    from django.test import Client

    worker = start_worker(config.celery.app, queues=["processing"], perform_ping_check=False, loglevel="WARNING")
    with worker:
        answer = Client(SERVER_NAME="localhost").patch(
            f"/api/v1/files/{file_id}?token=ids_a_secret_in_the_query_000000000000",
            {"status": "uploaded"},
            content_type="application/json",
            headers={"Authorization": f"Bearer {token}", "X-Request-ID": "asked-by-a-test"},
        )
        assert answer.status_code == 200, answer.content
        wait_until_read(file_id)
    provider.force_flush()
    sys.stdout.write(json.dumps([json.loads(span.to_json()) for span in exporter.get_finished_spans()]) + "\n")


def wait_until_read(file_id: str) -> None:
    from processing.models import UNFINISHED, ProcessingJob

    deadline = time.monotonic() + DEADLINE_SECONDS
    while ProcessingJob.objects.filter(file_id=file_id, state__in=UNFINISHED).exists():
        assert time.monotonic() < deadline
        time.sleep(0.1)


if __name__ == "__main__":
    main(*sys.argv[1:])
