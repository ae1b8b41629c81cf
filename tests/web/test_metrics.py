"""/metrics: what Prometheus reads."""

import platform
import subprocess
import sys
from datetime import timedelta
from io import BytesIO
from uuid import uuid4

import pytest
from django.conf import settings
from django.db import OperationalError
from prometheus_client.parser import text_string_to_metric_families

from archives.jobs import BUILDS
from archives.models import ArchiveJob
from files.integrity.models import FileScrub, IntegrityFinding
from files.storage import object_store
from files.storage.interface import StoreUnavailable
from files.storage.measuring import measured
from jobs.leases import end_attempt, lease_next_job
from overview.backups import record_backup
from overview.gauges import measure_stored_sizes, read_gauges
from tests.clients import Api
from tests.factories import make_file, make_run, make_stored_file, make_token_with_text, make_watcher
from wire.clock import now
from wire.telemetry import metrics

pytestmark = [pytest.mark.django_db, pytest.mark.slow]


def figures(client, **meta):
    """{(name, sorted labels): value}"""
    answer = client.get("/metrics", **meta)
    assert answer.status_code == 200, answer.content
    families = text_string_to_metric_families(answer.content.decode())
    return {(one.name, *sorted(one.labels.values())): one.value for family in families for one in family.samples}


def test_it_is_prometheus_text_for_this_machine(client):
    answer = client.get("/metrics")

    assert answer.status_code == 200
    assert answer["Content-Type"].startswith("text/plain; version=")
    assert answer["Cache-Control"].startswith("max-age=0")
    assert b"# TYPE ids_queue_depth gauge" in answer.content


def test_others_need_a_token(client):
    answer = client.get("/metrics", REMOTE_ADDR="203.0.113.9")

    assert (answer.status_code, answer["WWW-Authenticate"]) == (401, "Bearer")
    assert answer.json()["error"]["code"] == "UNAUTHORIZED"


@pytest.mark.parametrize("name", ["X-Forwarded-For", "X-Real-IP", "Forwarded", "Via"])
def test_a_proxy_on_this_machine_opens_it_to_nobody(client, name):
    assert client.get("/metrics", headers={name: "127.0.0.1"}).status_code == 401


def test_a_token_reads_it_from_anywhere(as_token):
    api = as_token("instruments:read")

    assert api.client.get("/metrics", REMOTE_ADDR="203.0.113.9", headers=api.headers).status_code == 200


@pytest.mark.parametrize(
    ("scope", "bound", "status"), [("runs:read", None, 403), ("instruments:read", ["a"], 403), (None, None, 401)]
)
def test_a_token_that_may_not_is_refused_on_this_machine_too(client, scope, bound, status):
    text = make_token_with_text(scope, instrument_ids=bound)[1] if scope else "ids_nonsense"

    assert client.get("/metrics", headers={"Authorization": f"Bearer {text}"}).status_code == status


def test_a_cookie_opens_nothing(as_admin):
    assert as_admin().client.get("/metrics", REMOTE_ADDR="203.0.113.9").status_code == 401


def test_requests_are_counted_by_route_and_status(client, as_token):
    route = "api/v1/instruments/<slug_id:instrument_id>"
    api, before = as_token("instruments:read"), figures(client)

    api.get("/api/v1/instruments/one")
    api.get("/api/v1/instruments/two")

    after = figures(client)
    key = ("ids_requests_total", "404", "GET", route)
    assert after[key] - before.get(key, 0) == 2
    key = ("ids_request_seconds_count", "GET", route)
    assert after[key] - before.get(key, 0) == 2


def test_refusals_are_counted_by_reason(client, as_token):
    run, key = make_run(), ("ids_refusals_total", "CONFLICT", "run_is_deleted")
    api, before = as_token(), figures(client)
    path = f"/api/v1/instruments/{run.instrument_id}/runs/{run.run_id}"
    api.delete(path)

    api.post(f"{path}/comments", {"body": "late"})

    assert figures(client)[key] - before.get(key, 0) == 1


def test_strangers_choose_no_labels(client):
    client.generic("BREW", "/ids_secret/coffee?ids_secret=1")

    text = client.get("/metrics").content

    assert b"ids_secret" not in text
    assert b"BREW" not in text


def test_what_waits_is_counted_with_its_age(client):
    run, at = make_run(), now()
    for minutes in (1, 10):
        ArchiveJob.objects.create(
            run=run, cache_key=f"{minutes:064x}", file_ids=[1], created_at=at - timedelta(minutes=minutes)
        )

    found = read_gauges(at=at)

    assert (found.queues["archives"].waiting, found.queues["archives"].oldest_seconds) == (2, 600)
    assert figures(client)["ids_queue_depth", "archives"] == 2


def test_watchers_are_counted_by_what_is_shown_of_them():
    at = now()
    make_watcher()
    make_watcher(status="watching", last_heartbeat_at=at - timedelta(seconds=40))
    make_watcher(status="watching", last_heartbeat_at=at - timedelta(minutes=9))
    make_watcher(status="stopped", last_heartbeat_at=at - timedelta(days=9))

    found = read_gauges(at=at)

    assert found.watchers == {"registered": 1, "watching": 1, "stopped": 1, "offline": 1}
    assert found.heartbeat_lag_seconds == 540


def test_runs_that_need_somebody_are_counted():
    make_file(status="failed")
    make_file(status="processing", processing_since=now() - timedelta(minutes=21))

    assert read_gauges(at=now()).runs == {"failed": 1, "stalled": 1}


def test_what_is_stored_is_measured_beside_the_requests(client):
    make_stored_file(data=b"12345")
    make_stored_file(data=b"123")
    make_file(size_bytes=1_000)

    measure_stored_sizes(at=now())

    found = figures(client)
    assert (found["ids_storage_objects", "raw"], found["ids_storage_bytes", "raw"]) == (2, 8)
    assert found["ids_storage_bytes", "archive"] == 0


def test_the_age_of_the_last_backup_is_told(client):
    assert figures(client)["ids_backup_age_seconds",] == float("inf")
    record_backup(name="b", at=now() - timedelta(hours=3), has_objects=True, objects=1, size_bytes=1, differences=0)

    assert 10_800 <= figures(client)["ids_backup_age_seconds",] < 10_900


def test_what_reading_again_found_is_told(client):
    file = make_stored_file()
    IntegrityFinding.objects.create(file=file, kind="damaged", first_seen_at=now(), last_seen_at=now())
    FileScrub.objects.create(file=file, scrubbed_at=now() - timedelta(days=2))

    found = figures(client)

    assert (found["ids_integrity_findings", "damaged"], found["ids_integrity_findings", "missing"]) == (1, 0)
    assert 172_800 <= found["ids_integrity_unread_seconds",] < 172_900


def test_the_database_is_asked_thirteen_times(client, django_assert_num_queries):
    for _ in range(3):
        make_file(status="failed")
        make_watcher()

    with django_assert_num_queries(13):
        client.get("/metrics")


def test_without_a_database_the_counters_are_still_there(client, monkeypatch):
    def away(**_):
        raise OperationalError("away")

    monkeypatch.setattr("web.telemetry.metrics_collectors.read_gauges", away)

    assert figures(client)["ids_database_up",] == 0


def test_without_a_place_for_the_counters_requests_are_answered(client, monkeypatch, tmp_path):
    (tmp_path / "file").touch()
    monkeypatch.setenv("PROMETHEUS_MULTIPROC_DIR", str(tmp_path / "file" / "metrics"))
    metrics.is_counting.cache_clear()

    assert client.get("/livez").status_code == 200
    assert client.get("/metrics").status_code == 200
    metrics.is_counting.cache_clear()


COUNT_SOME = """
from wire.telemetry.metrics import count_request
for _ in range(100):
    count_request(method="GET", route="test/of/processes", status=200, seconds=0.01)
"""


def test_what_several_processes_count_is_one_sum(client):
    others = [subprocess.Popen([sys.executable, "-c", COUNT_SOME]) for _ in range(2)]
    for _ in range(100):
        metrics.count_request(method="GET", route="test/of/processes", status=200, seconds=0.01)

    assert [other.wait(60) for other in others] == [0, 0]
    assert figures(client)["ids_requests_total", "200", "GET", "test/of/processes"] == 300


def test_files_of_a_service_that_ended_are_removed(monkeypatch, tmp_path):
    (tmp_path / "4194303.pid").touch()
    (tmp_path / "counter_4194303.db").touch()
    monkeypatch.setenv("PROMETHEUS_MULTIPROC_DIR", str(tmp_path))
    metrics.is_counting.cache_clear()

    assert metrics.is_counting()
    metrics.is_counting.cache_clear()

    kept = {path.name for path in tmp_path.iterdir()}
    assert "lock" in kept
    assert not any("4194303" in name for name in kept)


def test_a_scrape_needs_no_csrf_and_takes_no_writes(anonymous):
    assert Api().post("/metrics", {}).status_code in (403, 405)


def test_they_say_who_compares_uploads_with_their_checksums(client):
    found = figures(client)

    assert {mode: found["ids_storage_checksums", mode] for mode in ("verified", "read_back", "unknown")} == {
        "verified": 1,
        "read_back": 0,
        "unknown": 0,
    }


def test_work_is_told_apart_from_what_waits(client):
    run, at = make_run(), now()
    job = {"run": run, "file_ids": [1], "created_at": at}
    ArchiveJob.objects.create(cache_key="a" * 64, **job)
    ArchiveJob.objects.create(cache_key="b" * 64, lease_id=uuid4(), lease_until=at + timedelta(seconds=30), **job)

    found = figures(client)

    assert (found["ids_queue_depth", "archives"], found["ids_queue_running", "archives"]) == (2, 1)


def test_attempts_at_jobs_are_counted(client):
    ArchiveJob.objects.create(run=make_run(), cache_key="c" * 64, file_ids=[1], created_at=now())
    begun, broken = [("ids_job_attempts_total", "archives.build", result) for result in ("begun", "broken")]
    before = figures(client)

    end_attempt(lease_next_job(BUILDS, at=now()), reason="no luck", at=now())

    after = figures(client)
    assert [after[key] - before.get(key, 0) for key in (begun, broken)] == [1, 1]


def test_calls_of_the_object_store_are_counted_with_their_time(client):
    before, calls = figures(client), ("HeadObject", "PutObject")

    object_store().head("raw/nothing/there")
    object_store().put(f"test/{uuid4()}", BytesIO(b"data"), size_bytes=4, content_type="text/plain")

    after, keys = figures(client), [("ids_storage_calls_total", call, "ok") for call in calls]
    assert [after[key] - before.get(key, 0) for key in keys] == [1, 1]
    assert all(after["ids_storage_call_duration_seconds_count", call] >= 1 for call in calls)


def test_a_store_that_is_away_is_counted_as_an_error(client):
    before, key = figures(client), ("ids_storage_calls_total", "PutObject", "error")

    with pytest.raises(StoreUnavailable), measured("PutObject"):
        raise StoreUnavailable

    assert figures(client)[key] - before.get(key, 0) == 1


def test_it_says_what_runs_here(client):
    found = figures(client)

    assert found["ids_build_info", *sorted([platform.python_version(), settings.VERSION])] == 1
    assert found["ids_storage_info", "files"] == 1
    assert found["ids_queue_up",] == 1
