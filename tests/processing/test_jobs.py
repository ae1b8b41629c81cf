"""From an uploaded file to what a lab sees of it: on PostgreSQL, with the store and the real child."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from io import BytesIO
from typing import Any

import numpy as np
import pytest

from files.models import File, ReportKind
from files.report_items import ReportWindow, cut_window
from files.storage import object_store
from files.storage.port import StoreUnavailable
from processing import jobs, reading_files, registry
from processing.models import ProcessingJob
from processing.reading_files import process_file
from processing.readings import MIB, Limits
from processing.registry import BUILT_IN_VERSION
from processing.requests import process_arrival
from runs.models import Run
from tests.factories import make_instrument, make_run, make_stored_file
from tests.samples.instruments import csv, jcamp_spectrum, picture, png_bomb, tiff
from wire.clock import now

pytestmark = pytest.mark.django_db
SPECTRUM = jcamp_spectrum("1 5 6 7", first=1, last=3, points=3, LONGDATE="2026/03/14 09:26:53").encode()


def arrived(filename: str, data: bytes, **fields: Any) -> File:
    file = make_stored_file(filename, data, **fields)
    process_arrival(file, at=now())
    return file


def done(file: File) -> File:
    """The file after a worker has read it."""
    assert process_file(file.pk, clock=now)
    file.refresh_from_db()
    return file


def job_of(file: File) -> ProcessingJob:
    return ProcessingJob.objects.get(pk=file.pk)


def artefacts_of(file: File) -> dict[str, File]:
    return {artefact.filename: artefact for artefact in File.objects.filter(source_file=file)}


def document(artefact: File) -> Any:
    with object_store().open_range(artefact.storage_key or "") as source:
        return json.loads(source.read())


def spectrum_of(owner: str) -> bytes:
    return jcamp_spectrum("1 5 6 7", first=1, last=3, points=3, OWNER=owner, DATE="26/03/14").encode()


def test_a_spectrum_ends_completed_with_facts_a_curve_and_a_time():
    run = make_run(instrument=make_instrument(time_zone="Europe/Berlin"))

    file = done(arrived("sample.jdx", SPECTRUM, run=run))

    assert (file.status, file.error_message, file.processing_since) == ("completed", None, None)
    assert file.metadata["title"] == "Sample"
    assert file.metadata["assumed_time_zone"] == "Europe/Berlin"
    run.refresh_from_db()
    assert run.metadata["technique"] == "infrared spectrum"
    assert "technique=infrared spectrum" in run.terms
    assert run.acquired_at == datetime(2026, 3, 14, 8, 26, 53, tzinfo=UTC)
    assert run.status == "completed"
    assert job_of(file).state == "completed"


def test_an_artefact_is_a_processed_file_of_the_run():
    file = done(arrived("sample.jdx", SPECTRUM))

    (artefact,) = artefacts_of(file).values()
    assert (artefact.category, artefact.status, artefact.relative_path) == (
        "processed",
        "completed",
        "sample.jdx/curves.json",
    )
    assert artefact.metadata == {
        "kind": "curve",
        "title": "Sample",
        "source_file_id": file.pk,
        "processor": "jcamp-dx",
        "processor_version": BUILT_IN_VERSION,
    }
    assert document(artefact)["series"][0]["y"] == [5, 6, 7]
    assert artefact.storage_key.startswith(f"runs/{file.run_id}/{artefact.pk}/")
    file.run.refresh_from_db()
    assert file.run.file_count == 1


def test_a_report_shows_each_thing_once():
    run = make_run()
    spectrum, image = arrived("sample.jdx", SPECTRUM, run=run), arrived("scan.png", picture_of(600), run=run)
    table = arrived("notes.csv", csv([["Animal", "g"], *[["mouse", n] for n in range(6)]]), run=run)
    for file in (spectrum, image, table):
        done(file)

    def shown(kind: ReportKind) -> list[str]:
        items = cut_window(File.objects.filter(run=run, report_kind=kind).active().stored(), ReportWindow(kind))
        return [item.filename for item in items.items]

    assert shown(ReportKind.SPECTRUM) == ["sample.jdx"]
    assert shown(ReportKind.IMAGE) == ["scan.png"]


def test_an_image_no_browser_shows_is_shown_by_its_preview():
    file = done(arrived("scan.tif", tiff(pixels(600))))

    kinds = {name: artefact.report_kind for name, artefact in artefacts_of(file).items()}
    assert kinds == {"thumbnail.png": "", "preview.png": "image"}


def test_a_file_that_nobody_reads_stays_uploaded():
    file = done(arrived("movie.avi", b"RIFF0000AVI "))

    assert (file.status, file.error_message) == ("uploaded", None)
    assert job_of(file).state == "not_read"


def test_a_file_that_turns_out_to_be_prose_goes_back_to_uploaded():
    file = done(arrived("README.txt", b"The lamp was changed.\n"))

    assert (file.status, file.processing_since) == ("uploaded", None)
    assert job_of(file).state == "not_read"


def test_a_file_that_cannot_be_read_fails_with_a_sentence():
    file = done(arrived("bomb.png", png_bomb()))

    assert file.status == "failed"
    assert file.error_message == "Image could not read this file: It has 400 million pixels; 100 million are the most."
    file.run.refresh_from_db()
    assert file.run.status == "failed"


def test_a_file_over_the_limit_fails_without_being_fetched(monkeypatch):
    small = replace(registry.JCAMP, limits=Limits(input_bytes=MIB))
    monkeypatch.setattr(reading_files, "choose_type", lambda **_: small)
    monkeypatch.setattr(reading_files, "fetch", broken)

    file = done(arrived("huge.jdx", SPECTRUM + bytes(3 * MIB)))

    assert file.error_message == "1 MiB is the most this type reads; the file has 3 MiB."


def test_bytes_that_are_not_what_their_sender_said_fail_the_file():
    file = done(arrived("sample.jdx", SPECTRUM, sha256="0" * 64))

    assert file.status == "failed"
    assert file.error_message.startswith(f"The SHA-256 sent is {'0' * 64}, the stored bytes have ")
    assert job_of(file).state == "failed"


def test_a_checksum_that_nobody_sent_is_kept_once_the_bytes_were_read():
    file = done(arrived("sample.jdx", SPECTRUM, sha256=None))

    assert len(file.sha256) == 64


def test_an_object_of_another_size_fails_the_file():
    assert "its record says 1" in done(arrived("sample.jdx", SPECTRUM, size_bytes=1)).error_message


def test_an_object_that_is_gone_fails_the_file():
    file = arrived("sample.jdx", SPECTRUM)
    object_store().delete(file.storage_key)

    assert done(file).error_message == "The stored bytes of this file are gone."


def test_a_callers_value_is_never_overwritten():
    run = make_run(own={"technique": "my own word"})
    file = done(arrived("sample.jdx", SPECTRUM, run=run, own={"title": "mine"}))

    run.refresh_from_db()
    assert (run.metadata["technique"], file.metadata["title"]) == ("my own word", "mine")


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_a_run_says_the_same_whichever_file_was_read_first(order):
    run = make_run()
    files = [arrived(f"{owner}.jdx", spectrum_of(owner), run=run) for owner in ("Ann", "Bo")]

    for place in order:
        done(files[place])

    run.refresh_from_db()
    assert run.extracted["owner"] == ["Ann", "Bo"]
    assert run.extracted["points"] == 3


def test_the_time_of_a_run_only_moves_earlier():
    earlier, later = datetime(2020, 1, 1, tzinfo=UTC), datetime(2030, 1, 1, tzinfo=UTC)
    runs = [make_run(acquired_at=earlier), make_run(acquired_at=later)]
    for run in runs:
        done(arrived("sample.jdx", SPECTRUM, run=run))
        run.refresh_from_db()

    assert [run.acquired_at.year for run in runs] == [2020, 2026]


def again(file: File) -> File:
    jobs.want([file], claim=True, at=now())
    return done(file)


def stored_keys() -> set[str]:
    return {stored.key for stored in object_store().list("runs/")}


def test_reading_again_changes_nothing_and_leaves_nothing_behind():
    file = done(arrived("sample.jdx", SPECTRUM))
    (before,) = artefacts_of(file).values()
    keys, extracted = stored_keys(), Run.objects.get(pk=file.run_id).extracted

    again(file)

    (after,) = artefacts_of(file).values()
    assert (after.pk, after.storage_key, after.sha256) == (before.pk, before.storage_key, before.sha256)
    assert stored_keys() == keys
    assert Run.objects.get(pk=file.run_id).extracted == extracted


def test_reading_as_another_type_replaces_facts_and_artefacts():
    file = done(arrived("scan.csv", csv([["nm", "AU"], *[[n, n] for n in range(6)]])))
    old = artefacts_of(file)["curves.json"]
    File.objects.filter(pk=file.pk).update(filename="scan.dat", relative_path="scan.dat")
    put_under(file, SPECTRUM)

    again(file)

    new = artefacts_of(file)["curves.json"]
    assert (new.pk, new.relative_path) != (old.pk, old.relative_path)
    assert "columns" not in Run.objects.get(pk=file.run_id).extracted
    assert "format" in file.extracted


def put_under(file: File, data: bytes) -> None:
    """Other bytes for a test: the service itself never does this."""
    key = f"test/{file.pk}/other"
    object_store().put(key, BytesIO(data), size_bytes=len(data), content_type="text/plain")
    File.objects.filter(pk=file.pk).update(storage_key=key, size_bytes=len(data), sha256=None)


def test_a_failure_keeps_what_an_earlier_reading_found():
    file = done(arrived("sample.jdx", SPECTRUM))
    put_under(file, SPECTRUM[: len(SPECTRUM) // 2])

    again(file)

    assert file.status == "failed"
    assert list(artefacts_of(file)) == ["curves.json"]
    assert Run.objects.get(pk=file.run_id).extracted["technique"] == "infrared spectrum"


def test_only_one_worker_reads_a_file():
    file = arrived("sample.jdx", SPECTRUM)
    assert jobs.lease_job(file.pk, at=now())

    assert process_file(file.pk, clock=now) is False
    assert jobs.silent_jobs(at=now()) == []


def test_a_reading_that_is_silent_is_taken_over_and_failed_after_three_attempts():
    file = arrived("sample.jdx", SPECTRUM)
    for attempt in range(jobs.MAX_ATTEMPTS):
        at = now() + attempt * timedelta(minutes=1)
        lease = jobs.lease_job(file.pk, at=at)
        assert lease is not None
        assert jobs.silent_jobs(at=at + jobs.LEASE) == [file.pk]

    assert process_file(file.pk, clock=lambda: now() + timedelta(hours=1))

    file.refresh_from_db()
    assert (file.status, file.error_message) == ("failed", "The worker stopped while reading this file.")


def test_a_worker_that_lost_its_lease_writes_nothing():
    file = arrived("sample.jdx", SPECTRUM)

    def taken_over_meanwhile() -> datetime:
        ProcessingJob.objects.filter(state="running").update(lease_id="00000000-0000-0000-0000-000000000000")
        return now()

    process_file(file.pk, clock=taken_over_meanwhile)

    file.refresh_from_db()
    assert artefacts_of(file) == {}
    assert file.status != "completed"


def test_a_broken_attempt_is_tried_again(monkeypatch):
    file = arrived("sample.jdx", SPECTRUM)
    monkeypatch.setattr(reading_files, "choose_type", broken)
    assert process_file(file.pk, clock=now)
    monkeypatch.undo()

    assert jobs.silent_jobs(at=now() + jobs.PAUSE) == [file.pk]
    assert "ZeroDivisionError" in job_of(file).detail


def broken(**_: object) -> None:
    raise ZeroDivisionError("a mistake of ours")


def test_a_store_out_of_reach_costs_no_attempt(monkeypatch):
    def away() -> Any:
        raise StoreUnavailable

    file = arrived("sample.jdx", SPECTRUM)
    monkeypatch.setattr(reading_files, "object_store", away)
    assert process_file(file.pk, clock=now)
    monkeypatch.undo()

    assert (job_of(file).state, job_of(file).attempts) == ("waiting", 0)
    assert jobs.silent_jobs(at=now()) == []
    assert jobs.silent_jobs(at=now() + reading_files.STORE_PAUSE) == [file.pk]


def test_an_external_worker_that_was_faster_is_left_alone():
    file = arrived("sample.jdx", SPECTRUM, status="processing")

    done(file)

    assert file.status == "processing"
    assert job_of(file).state == "not_read"


def test_asking_takes_a_file_over_from_a_worker_that_never_came_back():
    file = make_stored_file("sample.jdx", SPECTRUM, status="processing")

    again(file)

    assert file.status == "completed"


def test_a_processed_file_is_never_read():
    artefact = make_stored_file("curves.json", b"{}", category="processed", status="completed")

    process_arrival(artefact, at=now())

    assert not ProcessingJob.objects.exists()


def pixels(side: int) -> Any:
    return np.arange(side * side, dtype=np.uint16).reshape(side, side)


def picture_of(side: int) -> bytes:
    return picture((pixels(side) // 1500).astype("uint8"))
