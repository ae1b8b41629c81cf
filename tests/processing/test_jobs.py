"""From an uploaded file to what a lab sees of it: on PostgreSQL, with the store and the real child."""

from dataclasses import replace
from datetime import UTC, datetime
from types import SimpleNamespace

import pytest

from files.choices import ReportKind
from files.models import File
from files.report_items import ReportWindow, select_window
from files.storage import object_store
from processing import reading_files, registry
from processing.readings import MIB, Limits
from processing.registry import BUILT_IN_VERSION
from tests.factories import make_instrument, make_run
from tests.processing.arrivals import (
    SPECTRUM,
    arrived,
    artefacts_of,
    broken,
    document,
    done,
    job_of,
    picture_of,
    pixels,
    spectrum_of,
)
from tests.samples.instruments import csv, png_bomb, tiff

pytestmark = pytest.mark.django_db


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

    artefact = artefacts_of(file)["curves.json"]
    assert (artefact.category, artefact.status, artefact.relative_path) == (
        "processed",
        "completed",
        "sample.jdx/curves.json",
    )
    assert artefact.metadata == {
        "kind": "curve",
        "title": "Sample",
        "trace": "spectrum",
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
        items = select_window(File.objects.filter(run=run, report_kind=kind).active().stored(), ReportWindow(kind))
        return [item.filename for item in items.items]

    assert shown(ReportKind.SPECTRUM) == ["sample.jdx"]
    assert shown(ReportKind.IMAGE) == ["scan.png"]


def test_an_image_no_browser_shows_is_shown_by_its_preview():
    file = done(arrived("scan.tif", tiff(pixels(600))))

    kinds = {name: artefact.report_kind for name, artefact in artefacts_of(file).items()}
    assert kinds == {"thumbnail.png": "", "preview.png": "image", "stack-1.json": "", "stack-1.tiles": ""}


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


def test_a_file_over_the_limit_stays_uploaded_without_being_fetched(monkeypatch):
    small = replace(registry.JCAMP_TYPE, limits=Limits(input_bytes=MIB))
    monkeypatch.setattr(reading_files, "choose_type", lambda **_: small)
    monkeypatch.setattr(reading_files, "fetch_file", broken)

    file = done(arrived("huge.jdx", SPECTRUM + bytes(3 * MIB)))

    assert (file.status, file.error_message) == ("uploaded", None)
    assert job_of(file).state != "failed"


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
    run = make_run(caller_metadata={"technique": "my own word"})
    file = done(arrived("sample.jdx", SPECTRUM, run=run, caller_metadata={"title": "mine"}))

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


def test_a_file_whose_copy_finds_no_room_stays_uploaded_with_the_reason(monkeypatch):
    monkeypatch.setattr(reading_files.shutil, "disk_usage", lambda folder: SimpleNamespace(free=100))

    file = done(arrived("scan.csv", b"a,b\n1,2\n2,3\n" * 100))

    assert file.status == "uploaded"
    assert file.warnings[0].startswith("It is kept, and not read: 0 MiB are needed for its copy, 0 MiB are free.")


def test_of_several_curves_the_first_one_stands_first():
    file = done(arrived("log.csv", b"Time (s),T (\xc2\xb0C),OD (AU)\n0,20,1\n1,21,2\n2,22,3\n3,23,4\n4,24,5\n"))

    shown = File.objects.filter(source_file=file, metadata__kind="curve").order_by("natural_key", "id")

    assert [one.filename for one in shown] == ["curves.json", "curves-2.json"]
