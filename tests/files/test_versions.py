"""`new_version` of request-upload-url: other bytes for a path that has some already."""

from io import BytesIO
from zipfile import ZipFile

import pytest
import requests

from archives.building import build_job
from archives.models import ArchiveJob
from files.models import File
from files.storage import object_store
from processing.models import ProcessingJob
from tests.factories import make_file, make_run
from tests.files.sending import ask, path_of, put, say_uploaded, upload
from tests.files.versions import post, upload_versions, versions
from wire.clock import now

pytestmark = pytest.mark.django_db

ONE, TWO, THREE = b"first\n" * 100, b"second\n" * 100, b"third\n" * 100


def test_other_bytes_become_the_next_version_and_all_come_down_as_they_were(as_token, store):
    run, api = make_run(), as_token()

    ids = upload_versions(api, run, ONE, TWO, THREE, path="day 1/scan.raw")

    assert versions() == [
        ("day 1/scan.raw", "scan.raw", 1, None),
        ("day 1/scan~2.raw", "scan~2.raw", 2, ids[0]),
        ("day 1/scan~3.raw", "scan~3.raw", 3, ids[0]),
    ]
    places = [api.get(f"/api/v1/files/{file_id}/download", Accept="*/*")["Location"] for file_id in ids]
    assert [requests.get(place, timeout=30).content for place in places] == [ONE, TWO, THREE]


def test_a_record_tells_its_version(as_token, local_service):
    run, api = make_run(), as_token()
    first, second = upload_versions(api, run, ONE, TWO)

    records = [api.get(f"/api/v1/files/{file_id}").json() for file_id in (first, second)]

    assert [(record["version"], record["version_of"]) for record in records] == [(1, None), (2, first)]


@pytest.mark.parametrize("body", [{}, {"new_version": False}])
def test_without_it_other_bytes_stay_a_conflict(as_token, local_service, body):
    run, api = make_run(), as_token()
    first, _ = upload_versions(api, run, ONE, TWO)

    answers = [post(api, run, data, **body) for data in (TWO, THREE)]

    assert [answer.status_code for answer in answers] == [409, 409]
    assert answers[0].json()["error"]["details"]["file_id"] == first
    assert File.objects.count() == 2


def test_bytes_of_any_version_are_answered_with_that_version(as_token, local_service):
    run, api = make_run(), as_token()
    ids = upload_versions(api, run, ONE, TWO, THREE)

    again = [ask(api, run, data, new_version=True) for data in (ONE, TWO, THREE)]

    assert [(ticket["file_id"], ticket["already_uploaded"]) for ticket in again] == [(one, True) for one in ids]
    assert File.objects.count() == 3


def test_one_checksum_in_common_is_enough_to_know_bytes_again(as_token, local_service):
    run, api = make_run(), as_token()
    ids = upload_versions(api, run, ONE, TWO)

    by_crc32 = ask(api, run, TWO, new_version=True, sha256=None)
    by_sha256 = ask(api, run, TWO, new_version=True, crc32=None)

    assert [by_crc32["file_id"], by_sha256["file_id"]] == [ids[1], ids[1]]


def test_bytes_without_a_checksum_in_common_are_another_version(as_token, local_service):
    """Nothing says that they are the same, and bytes that are not kept are lost."""
    run, api = make_run(), as_token()
    upload(api, run, ONE, sha256=None)

    ticket = ask(api, run, ONE, new_version=True, crc32=None)

    assert (ticket["already_uploaded"], File.objects.get(pk=ticket["file_id"]).version) == (False, 2)


def test_bytes_without_any_checksum_are_refused(as_token, local_service):
    answer = post(as_token(), make_run(), ONE, new_version=True, sha256=None, crc32=None)

    assert answer.status_code == 400
    assert list(answer.json()["error"]["details"]["fields"]) == ["sha256"]
    assert not File.objects.exists()


@pytest.mark.parametrize("value", [1, "true", None, []])
def test_a_bad_value_is_400(as_token, local_service, value):
    answer = post(as_token(), make_run(), ONE, new_version=value)

    assert answer.status_code == 400
    assert list(answer.json()["error"]["details"]["fields"]) == ["new_version"]


def test_a_path_that_has_no_bytes_yet_gets_them_itself(as_token, local_service):
    run, api = make_run(), as_token()
    seen = make_file("scan.raw", run=run)
    ask(api, run, ONE)

    ticket = ask(api, run, TWO, new_version=True)

    assert ticket["file_id"] == seen.pk
    assert versions() == [("scan.raw", "scan.raw", 1, None)]


def test_a_version_that_has_not_come_takes_over_what_is_announced_next(as_token, local_service):
    run, api = make_run(), as_token()
    upload(api, run, ONE)
    asked = ask(api, run, TWO, new_version=True)

    ticket = ask(api, run, THREE, new_version=True)

    assert (ticket["file_id"], ticket["storage_key"] != asked["storage_key"]) == (asked["file_id"], True)
    assert put(ticket, THREE).ok
    assert say_uploaded(api, ticket["file_id"]).json()["version"] == 2


def test_a_version_that_was_sent_but_never_confirmed_is_found(as_token, store):
    run, api = make_run(), as_token()
    upload(api, run, ONE)
    put(ask(api, run, TWO, new_version=True), TWO)

    ticket = ask(api, run, TWO, new_version=True)

    assert ticket["already_uploaded"] is True
    assert File.objects.get(pk=ticket["file_id"]).status == "uploaded"


def test_a_name_that_is_taken_is_skipped(as_token, local_service):
    run, api = make_run(), as_token()
    upload(api, run, ONE)
    make_file("scan~2.raw", run=run)
    make_file("scan~3.raw", run=run, deleted_at=now())
    make_file("scan~4.raw", run=run, category="processed", status="completed")

    ticket = ask(api, run, TWO, new_version=True)

    made = File.objects.get(pk=ticket["file_id"])
    assert (made.relative_path, made.version) == ("scan~4.raw", 4)


def test_a_hundred_names_that_are_taken_are_skipped(as_token, local_service):
    run, api = make_run(), as_token()
    upload(api, run, ONE)
    for number in range(2, 105):
        make_file(f"scan~{number}.raw", run=run)

    ticket = ask(api, run, TWO, new_version=True)

    assert File.objects.get(pk=ticket["file_id"]).relative_path == "scan~105.raw"


def test_a_version_may_be_named_by_its_own_path(as_token, local_service):
    run, api = make_run(), as_token()
    first, _ = upload_versions(api, run, ONE, TWO)

    known = ask(api, run, ONE, "scan~2.raw", new_version=True)
    other = ask(api, run, THREE, "scan~2.raw", new_version=True)

    assert (known["file_id"], known["already_uploaded"]) == (first, True)
    made = File.objects.get(pk=other["file_id"])
    assert (made.relative_path, made.version_of_id) == ("scan~3.raw", first)


@pytest.mark.parametrize(
    ("path", "version"),
    [
        ("a/" + "x" * 251 + ".raw", "a/" + "x" * 249 + "~2.raw"),
        ("a/" + "ä" * 125 + "x.raw", "a/" + "ä" * 124 + "~2.raw"),
        ("/".join(["f" * 200] * 5) + "/" + "n" * 15 + ".raw", "/".join(["f" * 200] * 5) + "/" + "n" * 13 + "~2.raw"),
    ],
)
def test_a_version_of_a_long_name_keeps_within_the_limits(as_token, local_service, path, version):
    run, api = make_run(), as_token()
    upload(api, run, ONE, path)

    ticket = ask(api, run, TWO, path, new_version=True)

    assert File.objects.get(pk=ticket["file_id"]).relative_path == version
    assert ask(api, run, TWO, path, new_version=True)["file_id"] == ticket["file_id"]


def test_a_path_without_room_for_a_number_is_409(as_token, local_service):
    run, api = make_run(), as_token()
    path = "/".join(["f" * 200] * 5) + "/" + "g" * 17 + "/n"
    first = upload(api, run, ONE, path)

    answer = post(api, run, TWO, path, new_version=True)

    assert len(path) == 1024
    assert answer.status_code == 409
    assert answer.json()["error"]["details"] == {"file_id": first, "relative_path": path}


def test_a_dismissed_path_stays_dismissed(as_token, local_service):
    run = make_run()
    dismissed = make_file("scan.raw", run=run, deleted_at=now())

    answer = post(as_token(), run, ONE, new_version=True)

    assert answer.status_code == 409
    assert answer.json()["error"]["details"]["file_id"] == dismissed.pk


def test_a_dismissed_version_stays_dismissed_and_others_come(as_token, local_service):
    run, api = make_run(), as_token()
    upload(api, run, ONE)
    dismissed = ask(api, run, TWO, new_version=True)["file_id"]
    api.delete(f"/api/v1/files/{dismissed}")

    same, other = post(api, run, TWO, new_version=True), post(api, run, THREE, new_version=True)

    assert (same.status_code, same.json()["error"]["details"]["file_id"]) == (409, dismissed)
    assert File.objects.get(pk=other.json()["file_id"]).relative_path == "scan~3.raw"


def test_what_processing_made_has_no_versions(as_token, local_service):
    """Reading the file again replaces it, and would take what came later with it."""
    run, api = make_run(), as_token()
    source = make_file("scan.raw", run=run, status="completed")
    made = {"category": "processed", "status": "completed", "source_file": source}
    artefact = make_file("curve.json", run=run, **made)

    answer = post(api, run, ONE, "curve.json", new_version=True, category="processed")

    assert answer.status_code == 409
    assert answer.json()["error"]["details"]["file_id"] == artefact.pk


def test_versions_go_up_in_parts_too(as_token, store):
    run, api, size = make_run(), as_token(), 5 * 1024 * 1024
    upload(api, run, ONE)

    ticket = ask(api, run, b"x" * (size + 1), new_version=True, part_size=size)

    assert (ticket["upload_type"], ticket["part_count"]) == ("multipart", 2)


def test_a_quota_of_files_counts_versions(as_token, local_service, settings):
    settings.MAX_FILES_PER_RUN = 1
    run, api = make_run(), as_token()
    upload(api, run, ONE)

    answer = post(api, run, TWO, new_version=True)

    assert (answer.status_code, answer.json()["error"]["details"]["quota"]) == (409, "files_of_run")


def test_each_version_is_counted_in_the_run_and_read(as_token, local_service):
    run, api = make_run(), as_token()

    ids = upload_versions(api, run, ONE, TWO)

    run.refresh_from_db()
    assert (run.file_count, run.n_uploaded, run.total_size_bytes) == (2, 2, len(ONE) + len(TWO))
    assert sorted(ProcessingJob.objects.values_list("file", flat=True)) == ids


def test_an_archive_has_all_versions_under_their_names(as_token, local_service):
    run, api = make_run(), as_token()
    upload_versions(api, run, ONE, TWO)
    api.get(f"{path_of(run)}/download-archive")

    build_job(ArchiveJob.objects.get().pk, clock=now)

    with object_store().open_range(ArchiveJob.objects.get().storage_key) as source:
        archive = ZipFile(BytesIO(source.read()))
    assert archive.namelist() == ["scan.raw", "scan~2.raw", "manifest.json"]
    assert [archive.read(name) for name in archive.namelist()[:2]] == [ONE, TWO]


def test_report_items_have_all_versions(as_token, local_service):
    run, api = make_run(), as_token()
    upload_versions(api, run, ONE, TWO, path="gel.png")

    items = api.get(f"{path_of(run)}/report-items?kind=image").json()["data"]

    assert [item["filename"] for item in items] == ["gel.png", "gel~2.png"]


def test_a_new_version_takes_few_queries(as_token, local_service, django_assert_num_queries):
    run, api = make_run(), as_token(last_used_at=now())
    upload_versions(api, run, *(b"x" * size for size in range(1, 20)))

    # token, run, path, its first, same bytes, waiting one, newest number, taken names, insert, key; a transaction
    with django_assert_num_queries(12):
        ask(api, run, ONE, new_version=True)
