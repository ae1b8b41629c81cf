"""POST …/files and GET /files/{id}: the records of files."""

import pytest

from files.models import File
from tests.factories import make_file, make_instrument, make_run
from tests.files.sending import path_of
from wire.clock import now

pytestmark = pytest.mark.django_db

MEMBERS = """id instrument_run_id filename relative_path storage_bucket storage_key content_type size_bytes category
status metadata error_message detected_at upload_requested_at uploaded_at processed_at created_at file_created_at sha256
crc32 deleted_at purged_at purged_by_rule storage_class restore_requested_at version version_of warnings"""


def test_a_file_is_recorded_as_detected(as_token):
    run, api = make_run(), as_token("files:create")
    said = {
        "filename": "a.csv",
        "relative_path": "day 1/a.csv",
        "content_type": "text/csv",
        "size_bytes": 2**40,
        "metadata": {"operator": "Jenny"},
        "file_created_at": "2026-01-02T03:04:05+01:00",
    }

    answer = api.post(f"{path_of(run)}/files", said)

    assert answer.status_code == 201
    shown = answer.json()
    assert set(shown) == set(MEMBERS.split())
    assert {name: shown[name] for name in said} == said | {"file_created_at": "2026-01-02T02:04:05.000Z"}
    assert (shown["instrument_run_id"], shown["status"], shown["category"]) == (str(run.pk), "detected", "raw")
    assert shown["detected_at"] is not None
    assert shown["uploaded_at"] is shown["deleted_at"] is shown["storage_key"] is None


def test_the_path_is_the_name_where_none_is_given(as_token):
    run = make_run()

    answer = as_token().post(f"{path_of(run)}/files", {"filename": "a.csv"})

    assert answer.json()["relative_path"] == "a.csv"


def test_a_person_may_record_a_file(as_person):
    run = make_run()

    answer = as_person().post(f"{path_of(run)}/files", {"filename": "a.csv"})

    assert answer.status_code == 201


def test_a_known_path_answers_200_with_the_known_record(as_token):
    run, api = make_run(), as_token()
    first = api.post(f"{path_of(run)}/files", {"filename": "a.csv", "size_bytes": 1}).json()

    answer = api.post(f"{path_of(run)}/files", {"filename": "a.csv", "size_bytes": 2})

    assert answer.status_code == 200
    assert answer.json() == first


def test_one_name_in_two_folders_and_two_categories_is_four_files(as_token):
    run, api = make_run(), as_token()

    answers = [
        api.post(f"{path_of(run)}/files", {"filename": "a", "relative_path": f"{folder}/a", "category": category})
        for folder in ("x", "y")
        for category in ("raw", "processed")
    ]

    assert [answer.status_code for answer in answers] == [201] * 4
    assert len({answer.json()["id"] for answer in answers}) == 4


def test_a_dismissed_path_answers_200_and_stays_dismissed(as_token):
    file = make_file("a.csv", deleted_at=now())

    answer = as_token().post(f"{path_of(file.run)}/files", {"filename": "a.csv"})

    assert answer.status_code == 200
    assert answer.json()["deleted_at"] is not None


@pytest.mark.parametrize(
    ("said", "field"),
    [
        ({}, "filename"),
        ({"filename": ""}, "filename"),
        ({"filename": 5}, "filename"),
        ({"filename": "a/b"}, "filename"),
        ({"filename": ".."}, "filename"),
        ({"filename": "ä" * 128}, "filename"),
        ({"filename": "a\tb"}, "filename"),
        ({"filename": "a\u0000b"}, "filename"),
        ({"filename": "a", "relative_path": "../a"}, "relative_path"),
        ({"filename": "a", "relative_path": "C:/a"}, "relative_path"),
        ({"filename": "a", "relative_path": "x/b"}, "relative_path"),
        ({"filename": "a", "relative_path": "d/" * 520 + "a"}, "relative_path"),
        ({"filename": "a", "size_bytes": -1}, "size_bytes"),
        ({"filename": "a", "size_bytes": True}, "size_bytes"),
        ({"filename": "a", "size_bytes": 2**63}, "size_bytes"),
        ({"filename": "a", "category": "cooked"}, "category"),
        ({"filename": "a", "content_type": "no type"}, "content_type"),
        ({"filename": "a", "metadata": []}, "metadata"),
        ({"filename": "a", "file_created_at": "2026-01-02"}, "file_created_at"),
    ],
)
def test_bad_input_is_named(as_token, said, field):
    run = make_run()

    answer = as_token().post(f"{path_of(run)}/files", said)

    assert answer.status_code == 400
    assert list(answer.json()["error"]["details"]["fields"]) == [field]
    assert not File.objects.exists()


def test_metadata_of_more_than_256_kib_is_413(as_token):
    run = make_run()

    answer = as_token().post(f"{path_of(run)}/files", {"filename": "a", "metadata": {"a": "x" * 2**18}})

    assert answer.status_code == 413


def test_no_caller_sets_where_bytes_lie_or_what_the_server_owns(as_token):
    run = make_run()
    said = {
        "filename": "a",
        "storage_key": "b",
        "storage_bucket": "c",
        "status": "completed",
        "id": 7,
        "sha256": "0" * 64,
    }

    answer = as_token().post(f"{path_of(run)}/files", said)

    shown = answer.json()
    assert (shown["storage_key"], shown["storage_bucket"], shown["status"], shown["sha256"]) == (
        None,
        None,
        "detected",
        None,
    )


def test_a_deleted_run_takes_no_file(as_token):
    api, run = as_token(), make_run()
    api.delete(path_of(run))

    answer = api.post(f"{path_of(run)}/files", {"filename": "a"})

    assert answer.status_code == 409
    assert answer.json()["error"]["details"]["deleted_at"]


def test_an_unknown_run_is_404(as_token):
    run = make_run()

    answer = as_token().post(f"{path_of(run)}-none/files", {"filename": "a"})

    assert answer.status_code == 404


def test_a_run_of_another_instrument_is_404(as_token):
    run, other = make_run(), make_instrument()

    answer = as_token().post(f"/api/v1/instruments/{other.pk}/runs/{run.run_id}/files", {"filename": "a"})

    assert answer.status_code == 404


@pytest.mark.parametrize("ending", ["", "/download", "/preview"])
def test_a_bound_token_does_not_see_files_of_other_instruments(as_token, ending):
    file, here = make_file(status="uploaded"), make_instrument()

    answer = as_token(instrument_ids=[here.pk]).get(f"/api/v1/files/{file.pk}{ending}")

    assert answer.status_code == 404


def test_a_bound_token_cannot_change_or_dismiss_files_of_other_instruments(as_token):
    file, here = make_file(), make_instrument()
    api = as_token(instrument_ids=[here.pk])

    answers = [
        api.patch(f"/api/v1/files/{file.pk}", {"metadata": {"a": 1}}),
        api.delete(f"/api/v1/files/{file.pk}"),
        api.post(f"{path_of(file.run)}/files", {"filename": "b"}),
        api.post(f"{path_of(file.run)}/request-upload", {"file_ids": [file.pk]}),
        api.post(f"{path_of(file.run)}/request-upload-url", {"filename": "b", "size_bytes": 1}),
    ]

    assert [answer.status_code for answer in answers] == [404] * 5


def test_a_file_is_read_by_its_id(as_token):
    file = make_file("a.csv", extracted={"wells": 96, "plate": "P1"}, caller_metadata={"plate": "P2"})

    answer = as_token("files:read").get(f"/api/v1/files/{file.pk}")

    assert answer.status_code == 200
    assert answer.json()["metadata"] == {"wells": 96, "plate": "P2"}


@pytest.mark.parametrize("file_id", ["999999999", "0", "-1", "1.0", "٣", "9223372036854775808", "x"])
def test_what_is_no_file_is_404(as_token, file_id):
    answer = as_token().get(f"/api/v1/files/{file_id}")

    assert answer.status_code == 404
    assert answer.json()["error"]["code"] == "NOT_FOUND"


def test_a_file_of_a_deleted_run_can_still_be_read(as_token):
    api, file = as_token(), make_file()
    api.delete(path_of(file.run))

    answer = api.get(f"/api/v1/files/{file.pk}")

    assert answer.status_code == 200


def test_reading_a_file_takes_two_queries(as_token, django_assert_num_queries):
    api, file = as_token("files:read", last_used_at=now()), make_file()

    with django_assert_num_queries(2):
        api.get(f"/api/v1/files/{file.pk}")
