"""The rules of an instrument over REST and on their page, and what is answered for bytes that went."""

import json

import pytest

from archives.members import build_manifest
from archives.models import ArchiveJob
from files.storage import object_store
from retention.purging import purge_due
from tests.factories import make_instrument
from tests.retention.lab import RULES, fill, make_old_run, settle, store_archive, store_file
from wire.clock import now

pytestmark = pytest.mark.django_db
NONE = dict.fromkeys(RULES)


def address_of(instrument):
    return f"/api/v1/instruments/{instrument.pk}/retention"


def purge_all():
    purge_due(clock=now, goes_on=lambda: True)


def test_the_rules_are_null_until_an_admin_says_otherwise(as_admin):
    admin, address = as_admin(), address_of(make_instrument())

    assert admin.get(address).json() == NONE
    assert admin.put(address, RULES).json() == RULES == admin.get(address).json()
    assert admin.put(address, {"expire_raw_after_days": 7}).json() == NONE | {"expire_raw_after_days": 7}


@pytest.mark.parametrize("days", [0, -1, 36_601, "30", 1.5, True])
def test_days_are_whole_and_few(days, as_admin):
    refused = as_admin().put(address_of(make_instrument()), {"expire_raw_after_days": days})

    assert (refused.status_code, list(refused.json()["error"]["details"]["fields"])) == (400, ["expire_raw_after_days"])


def test_the_preview_tells_runs_files_and_bytes_by_rule(as_admin):
    instrument = fill(runs=1)

    assert as_admin().get(f"{address_of(instrument)}/preview").json() == {
        "runs": 2,
        "files": 4,
        "bytes": 26,
        "by_rule": {
            "purge_deleted_after_days": {"runs": 1, "files": 1, "bytes": 7},
            "expire_raw_after_days": {"runs": 1, "files": 1, "bytes": 3},
            "expire_processed_after_days": {"runs": 1, "files": 1, "bytes": 9},
            "expire_archives_after_days": {"runs": 1, "files": 1, "bytes": 7},
        },
    }


def test_what_is_asked_of_a_purged_file_is_gone(as_token):
    run = make_old_run(make_instrument(expire_raw_after_days=30, expire_processed_after_days=30))
    raw = store_file(run, b"raw")
    made = store_file(run, b"{}", category="processed", content_type="application/json", source_file=raw)
    archive = f"/api/v1/instruments/{run.instrument_id}/runs/{run.run_id}/download-archive"
    purge_all()
    api = as_token()

    shown = api.get(f"/api/v1/files/{raw.pk}").json()
    answers = [
        api.get(f"/api/v1/files/{raw.pk}/download", headers={"Accept": "application/json"}),
        api.get(f"/api/v1/files/{made.pk}/preview"),
        api.post(f"/api/v1/files/{raw.pk}/reprocess"),
        api.get(archive, headers={"Accept": "application/json"}),
    ]

    assert [answer.status_code for answer in answers] == [410] * 4
    assert answers[0].json()["error"]["code"] == "GONE"
    assert answers[0].json()["error"]["details"] == {
        "file_id": raw.pk,
        "rule": "expire_raw_after_days",
        "purged_at": shown["purged_at"],
    }
    assert (shown["purged_by_rule"], shown["sha256"], shown["size_bytes"]) == ("expire_raw_after_days", raw.sha256, 3)


def test_an_archive_leaves_purged_files_out_and_names_them(as_token):
    run = make_old_run(make_instrument(expire_raw_after_days=30))
    gone, kept = store_file(run, b"raw"), store_file(run, b"made", category="processed")
    packed = store_archive(run, b"both", file_ids=[gone.pk, kept.pk])
    purge_all()
    address = f"/api/v1/instruments/{run.instrument_id}/runs/{run.run_id}/download-archive"

    asked = as_token().get(address, headers={"Accept": "application/json"})

    job = ArchiveJob.objects.get(pk=asked.json()["job_id"])
    assert (asked.status_code, job.file_ids) == (202, [kept.pk])
    told = json.loads(build_manifest(job, run, []))["purged"]
    assert [(one["file_id"], one["purged_by_rule"], one["sha256"]) for one in told] == [
        (gone.pk, "expire_raw_after_days", gone.sha256)
    ]
    assert object_store().head(packed.storage_key) is not None


def test_the_trail_says_that_the_service_did_it(as_admin):
    run = make_old_run(make_instrument(expire_raw_after_days=30))
    store_file(run, b"raw")
    purge_all()
    admin = as_admin()

    answer = admin.get(f"/api/v1/instruments/{run.instrument_id}/runs/{run.run_id}/history").json()

    changes = [one for one in answer["data"] if "purged_at" in one["changes"]]
    assert [one["changes"]["purged_by_rule"] for one in changes] == [[None, "expire_raw_after_days"]]


def test_the_page_saves_the_rules_and_says_what_goes_and_what_went(client, as_admin):
    admin = as_admin()
    client.force_login(admin.user)
    instrument = fill(runs=2)
    page = f"/instruments/{instrument.pk}/retention"

    assert "takes 8 files of 4" in " ".join(client.get(page).content.decode().split())
    assert client.post(page, {"expire_raw_after_days": "0"}).status_code == 400
    assert client.post(page, {"expire_raw_after_days": "30"}).status_code == 302
    purge_all()
    settle()
    shown = client.get(page).content.decode()

    run = instrument.runs.filter(deleted_at=None).first()
    assert ("Nothing is due." in shown, run.run_id in shown) == (True, True)
    assert "Its bytes were purged" in client.get(f"/instruments/{instrument.pk}/runs/{run.run_id}").content.decode()


def test_the_page_asks_before_it_saves_rules_by_which_more_goes_at_once(client, as_admin):
    admin = as_admin()
    client.force_login(admin.user)
    run = make_old_run(make_instrument())
    store_file(run, b"raw")
    page = f"/instruments/{run.instrument_id}/retention"
    days = {"expire_raw_after_days": "1"}

    asked = client.post(page, days)

    assert (asked.status_code, admin.get(address_of(run.instrument)).json()) == (200, NONE)
    assert "the next purge takes 1 file of 1 run, 3" in " ".join(asked.content.decode().split())
    assert client.post(page, days | {"confirmed": "7"}).status_code == 200
    assert client.post(page, days | {"confirmed": "1"}).status_code == 302
    assert admin.get(address_of(run.instrument)).json() == NONE | {"expire_raw_after_days": 1}
