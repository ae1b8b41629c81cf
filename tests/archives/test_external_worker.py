"""The example worker of docs/, as a process of its own, against the whole service on a loopback port."""

import io
import json
import os
import subprocess
import sys
import threading
import zipfile
from pathlib import Path

import psutil
import pytest
import requests
from django.core.wsgi import get_wsgi_application

from accounts.callers import Caller, caller_for_token
from archives import external_worker as external
from archives import jobs
from archives.models import ArchiveJob
from files.storage import object_store
from files.storage.object_server import ObjectServer
from tests.factories import make_run, make_stored_file, make_token, make_token_with_text
from tests.live_server import address_of, listening, serving
from tests.stores import use_files
from web.server.bridge import serve_in_threads
from web.server.dispatch import Dispatcher
from wire.clock import now

EXAMPLE = Path(__file__).parents[2] / "docs" / "examples" / "archive_worker.py"
SECRET = "s" * 40


@pytest.fixture
def service(transactional_db, tmp_path, settings):
    """The service at its own address, with an empty local store."""
    with listening() as sock:
        settings.PUBLIC_URL = address_of(sock)
        use_files(settings, tmp_path / "objects")
        settings.ARCHIVE_WORKER_SECRET = SECRET
        object_store.cache_clear()
        django = serve_in_threads(get_wsgi_application(), threads=2)
        with serving(Dispatcher(django=django, lifespan=django, objects=ObjectServer(object_store())), sock):
            yield settings
    object_store.cache_clear()


@pytest.fixture
def worker(service):
    """The example, listening; the service knows its address."""
    _, text = make_token_with_text("archive-jobs:write")
    environment = {**os.environ, "ARCHIVE_WORKER_SECRET": SECRET, "IDS_TOKEN": text}
    child = subprocess.Popen([sys.executable, EXAMPLE, "--port", "0"], env=environment)
    try:
        service.ARCHIVE_WORKER_URL = f"http://127.0.0.1:{port_of(child)}/"
        yield service
    finally:
        child.terminate()
        child.wait(30)


def port_of(child: subprocess.Popen[bytes]) -> int:
    """The one that it was given by the system: nobody else can have taken it."""
    for _ in range(600):
        for one in psutil.Process(child.pid).net_connections("tcp4"):
            if one.status == psutil.CONN_LISTEN:
                return int(one.laddr.port)
        threading.Event().wait(0.1)
    raise AssertionError("the worker does not listen")


def asked_job() -> ArchiveJob:
    run = make_run()
    make_stored_file("a.csv", b"one", run=run, relative_path="folder/a.csv")
    make_stored_file("b.csv", b"", run=run)
    by = external_caller()
    return jobs.request_archive(instrument=run.instrument_id, run_id=run.run_id, file_ids=None, by=by, at=now())


def external_caller() -> Caller:
    return caller_for_token(make_token())


def ended(job: ArchiveJob) -> ArchiveJob:
    for _ in range(600):
        job.refresh_from_db()
        if job.status != "building":
            break
        threading.Event().wait(0.1)
    return job


def test_the_example_builds_an_archive_with_the_public_api_alone(worker):
    job = asked_job()

    assert external.send_to_worker(job.pk, at=now())

    assert ended(job).status == "ready", job.error_message
    with object_store().open_range(job.storage_key) as source:
        archive = zipfile.ZipFile(io.BytesIO(source.read()))
    assert archive.namelist() == ["b.csv", "folder/a.csv", "manifest.json"]
    assert archive.read("folder/a.csv") == b"one"
    assert len(json.loads(archive.read("manifest.json"))["files"]) == 2


def test_the_example_reports_what_it_cannot_read(worker):
    job = asked_job()
    object_store().delete(external.list_members(job)[0].storage_key)

    external.send_to_worker(job.pk, at=now())

    assert ended(job).status == "failed"
    assert "404" in job.error_message


def test_the_example_refuses_a_foreign_order(worker):
    answer = requests.post(worker.ARCHIVE_WORKER_URL, data=b"{}", headers={"X-IDS-Signature": "sha256=0"}, timeout=60)

    assert answer.status_code == 403


def test_a_worker_that_is_away_is_asked_again(service):
    service.ARCHIVE_WORKER_URL = "http://127.0.0.1:9/"
    job = asked_job()

    assert external.send_to_worker(job.pk, at=now()) is False

    job.refresh_from_db()
    assert (job.status, job.attempts) == ("building", 1)
    assert "did not take the job" in job.error_message


def test_a_large_archive_is_uploaded_in_parts_that_the_service_completes(service, monkeypatch):
    monkeypatch.setattr(external, "MAX_BYTES_PER_PUT", 1)
    job = asked_job()
    upload = external.build_order(job)["upload"]

    answer = requests.put(upload["part_urls"][0], data=b"PK-ish", headers=upload["headers"], timeout=60)
    jobs.report_build(
        job.pk, status=jobs.ArchiveStatus.READY, size_bytes=6, error_message=None, by=external_caller(), at=now()
    )

    assert answer.status_code == 200
    job.refresh_from_db()
    assert (job.status, job.size_bytes) == ("ready", 6)
