"""Every invariant of files is held by the database: each is violated once."""

import pytest
from django.db import IntegrityError, transaction
from django.db.models import F

from files.models import File, ReadBack, SharableObject, SweepPosition, Thumbnail, UploadPart
from tests.factories import make_file, make_thumbnail
from wire.clock import now

pytestmark = pytest.mark.django_db

STORED = {"status": "uploaded", "uploaded_at": now(), "storage_key": "k", "storage_bucket": "b", "size_bytes": 1}


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("file_category_is_known", {"category": "cooked"}),
        ("file_status_is_known", {"status": "done"} | {"uploaded_at": now(), **STORED, "status": "done"}),
        ("file_report_kind_is_known", {"report_kind": "table"}),
        ("file_name_is_a_path_segment", {"filename": "", "relative_path": ""}),
        ("file_name_is_a_path_segment", {"filename": "a/b", "relative_path": "a/b"}),
        ("file_name_is_a_path_segment", {"filename": "ä" * 128, "relative_path": "ä" * 128}),
        ("file_path_ends_in_its_name", {"filename": "a", "relative_path": "b"}),
        ("file_path_ends_in_its_name", {"filename": "a", "relative_path": "ba"}),
        ("file_path_ends_in_its_name", {"filename": "a", "relative_path": "ä" * 512 + "/a"}),
        ("file_size_is_not_negative", {"size_bytes": -1}),
        ("file_sha256_is_hex", {"sha256": "A" * 64}),
        ("file_crc32_is_hex", {"crc32": "0" * 7}),
        ("file_own_is_an_object", {"caller_metadata": []}),
        ("file_extracted_is_an_object", {"extracted": 1}),
        ("file_is_stored_or_waits", {"status": "uploaded"}),
        ("file_is_stored_or_waits", {"uploaded_at": now()}),
        ("file_is_stored_or_waits", {**STORED, "storage_key": None}),
        ("file_is_stored_or_waits", {**STORED, "storage_bucket": None}),
        ("file_is_stored_or_waits", {**STORED, "size_bytes": None}),
        ("file_upload_request_has_a_time", {"status": "upload_requested"}),
        ("file_processing_has_a_beginning", {**STORED, "status": "processing"}),
        ("file_processing_has_a_beginning", {"processing_since": now()}),
        ("file_completion_has_a_time", {**STORED, "status": "completed"}),
        ("stored_raw_file_is_not_dismissed", {**STORED, "deleted_at": now()}),
        ("later_version_has_a_first", {"version": 2}),
        ("later_version_has_a_first", {"version": 0}),
        ("later_version_has_a_first", {"version_of": F("id")}),
    ],
)
def test_the_database_refuses(name, values):
    file = make_file("a")

    with pytest.raises(IntegrityError, match=name), transaction.atomic():
        File.objects.filter(pk=file.pk).update(**values)


def test_one_file_per_run_category_and_path():
    file = make_file("a")

    with pytest.raises(IntegrityError, match="one_file_per_run_category_and_path"), transaction.atomic():
        make_file("a", run=file.run, deleted_at=now())


def test_one_file_per_version():
    first = make_file("a")
    make_file("a~2", run=first.run, version=2, version_of=first)

    with pytest.raises(IntegrityError, match="one_file_per_version"), transaction.atomic():
        make_file("b", run=first.run, version=2, version_of=first)


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("upload_part_number_range", {"part_number": 0}),
        ("upload_part_number_range", {"part_number": 10_001}),
        ("upload_part_crc32_is_hex", {"crc32": "x" * 8}),
    ],
)
def test_the_database_refuses_a_part(name, values):
    part = {"upload_id": "u", "part_number": 1, "crc32": "0" * 8} | values

    with pytest.raises(IntegrityError, match=name), transaction.atomic():
        UploadPart.objects.create(file=make_file(), **part)


def test_one_upload_part_per_number_and_crc32():
    part = UploadPart.objects.create(file=make_file(), upload_id="u", part_number=1, crc32="0" * 8)

    with pytest.raises(IntegrityError, match="one_upload_part_per_number_and_crc32"), transaction.atomic():
        UploadPart.objects.create(file=part.file, upload_id="u", part_number=1, crc32="0" * 8)


def test_an_object_is_read_back_once(refused_by):
    file = make_file()
    ReadBack.objects.create(file=file, storage_key="a")

    refused_by("one_read_back_per_key", lambda: ReadBack.objects.create(file=file, storage_key="a"))


def test_the_checksum_of_a_read_object_is_hex(refused_by):
    file = make_file()

    refused_by("read_back_crc32_is_hex", lambda: ReadBack.objects.create(file=file, storage_key="a", crc32="wrong"))


def test_an_object_is_sharable_once(refused_by):
    file = make_file()
    SharableObject.objects.create(file=file, storage_key="a", sha256="a" * 64, size_bytes=1)

    refused_by(
        "one_sharable_object_per_key",
        lambda: SharableObject.objects.create(file=file, storage_key="a", sha256="b" * 64, size_bytes=1),
    )


def test_the_sha256_of_a_sharable_object_is_hex(refused_by):
    file = make_file()

    refused_by(
        "sharable_object_sha256_is_hex",
        lambda: SharableObject.objects.create(file=file, storage_key="a", sha256="wrong", size_bytes=1),
    )


def test_the_store_is_swept_at_one_position(refused_by):
    refused_by("one_sweep_position", lambda: SweepPosition.objects.create(id=2))


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("thumbnail_is_small", {"data": b""}),
        ("thumbnail_is_small", {"data": b"x" * 4097}),
        ("thumbnail_type_is_known", {"content_type": "text/html"}),
        ("thumbnail_digest_is_hex", {"digest": "A" * 16}),
        ("thumbnail_digest_is_hex", {"digest": "a" * 15}),
    ],
)
def test_the_database_refuses_a_thumbnail(name, values):
    thumbnail = make_thumbnail()

    with pytest.raises(IntegrityError, match=name), transaction.atomic():
        Thumbnail.objects.filter(pk=thumbnail.pk).update(**values)
