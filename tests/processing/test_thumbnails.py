"""Every reading leaves a small picture of its run, and `draw_thumbnails` one of what was read before."""

import io
import json

import pytest
from django.core.management import call_command
from django.db import connection
from PIL import Image

from accounts.callers import caller_for_user
from files.models import File, Thumbnail
from files.thumbnails.keeping import map_thumbnails
from files.thumbnails.size import MAX_THUMBNAIL_BYTES
from processing import thumbnails
from processing.thumbnails import draw_run, shrink_picture
from tests.factories import make_run, make_stored_file, make_user
from tests.processing.arrivals import SPECTRUM, arrived, artefacts_of, done, picture_of, pixels
from tests.samples.instruments import tiff

pytestmark = pytest.mark.django_db


@pytest.fixture
def admin_caller():
    return caller_for_user(make_user(is_admin=True))


CURVE = {
    "format": "ids-curve/1", "title": "", "style": "line", "x": {"label": "x", "unit": None},
    "y": {"label": "y", "unit": None}, "series": [{"label": "a", "x": [1, 2, 3], "y": [1, 3, 2]}],
}  # fmt: skip


def script_made(run, document, **fields):
    """An artefact as a script sends one: no reading draws it."""
    data = json.dumps(document).encode()
    fields = {"category": "processed", "content_type": "application/json", "extracted": {"kind": "curve"}} | fields
    return make_stored_file("curves.json", data, run=run, status="completed", **fields)


def count_by_command(**options):
    out = io.StringIO()
    call_command("draw_thumbnails", stdout=out, **options)
    return out.getvalue().strip()


def test_a_spectrum_is_an_outline_in_the_list():
    file = done(arrived("sample.jdx", SPECTRUM))

    kept = Thumbnail.objects.get(run=file.run)
    assert (kept.content_type, kept.file) == ("image/svg+xml", artefacts_of(file)["curves.json"])
    assert bytes(kept.data).startswith(b"<svg ")


@pytest.mark.django_db(transaction=True)
def test_a_run_is_drawn_where_nobody_opened_a_transaction():
    run = make_run()
    script_made(run, CURVE)

    assert draw_run(run)

    assert Thumbnail.objects.filter(run=run).exists()


@pytest.mark.parametrize(
    ("name", "data"), [("scan.png", picture_of(600)), ("scan.tif", tiff(pixels(600)))], ids=["png", "tiff"]
)
def test_a_picture_is_shrunk(name, data):
    file = done(arrived(name, data))

    kept = Thumbnail.objects.get(run=file.run)
    assert kept.content_type == "image/jpeg"
    assert len(kept.data) <= MAX_THUMBNAIL_BYTES
    with Image.open(io.BytesIO(kept.data)) as image:
        assert image.size == (60, 60)


def test_a_curve_is_shown_before_a_picture_whichever_was_read_first():
    run = make_run()
    done(arrived("scan.png", picture_of(600), run=run))
    curve = done(arrived("sample.jdx", SPECTRUM, run=run))
    done(arrived("later.png", picture_of(500), run=run))

    assert Thumbnail.objects.get(run=run).file.source_file == curve


def test_a_picture_goes_with_what_it_shows():
    file = done(arrived("sample.jdx", SPECTRUM))
    File.objects.filter(source_file=file).delete()

    assert not Thumbnail.objects.exists()


def test_a_release_that_knows_no_thumbnails_may_delete_what_they_show():
    file = done(arrived("sample.jdx", SPECTRUM))
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM datasets_dataset")
        cursor.execute("DELETE FROM files_file WHERE source_file_id = %s", [file.pk])
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")

    assert not Thumbnail.objects.exists()


@pytest.mark.parametrize("change", [{"deleted_at": "2026-01-01T00:00Z"}, {"storage_key": "elsewhere"}], ids=str)
def test_what_is_dismissed_or_has_other_bytes_is_not_shown(change, admin_caller):
    file = done(arrived("sample.jdx", SPECTRUM))
    assert map_thumbnails([file.run], by=admin_caller)
    File.objects.filter(source_file=file).update(**change)

    assert map_thumbnails([file.run], by=admin_caller) == {}


def test_what_was_stored_before_is_drawn_by_the_command_once():
    for _ in range(3):
        script_made(make_run(), CURVE)
    make_run()

    first, again = count_by_command(), count_by_command()

    assert first.startswith("3 thumbnails of 3 runs")
    assert again.startswith("0 thumbnails of 3 runs")
    assert Thumbnail.objects.count() == 3


def test_the_command_looks_at_no_more_runs_than_it_is_told(monkeypatch):
    monkeypatch.setattr(thumbnails, "RUNS_PER_BATCH", 2)
    for _ in range(4):
        script_made(make_run(), CURVE)

    assert count_by_command(most=3).startswith("3 thumbnails of 3 runs")


def test_what_cannot_be_drawn_gives_way_to_the_next():
    run = make_run()
    script_made(run, CURVE | {"series": [{"label": "a", "x": [1], "y": []}]})
    other = script_made(run, CURVE, relative_path="b/curves.json")

    assert draw_run(run)
    assert Thumbnail.objects.get(run=run).file == other


def test_a_thumbnail_of_what_is_gone_makes_room(admin_caller):
    run = make_run()
    first = script_made(run, CURVE)
    draw_run(run)
    first.deleted_at = first.created_at
    first.save(update_fields=["deleted_at"])

    assert not draw_run(run)
    assert not Thumbnail.objects.exists()


@pytest.mark.parametrize("data", [b"\x89PNG\r\n\x1a\nno", b"GIF89a"], ids=["damaged", "no picture"])
def test_what_is_no_picture_leaves_the_run_without(data):
    run = make_run()
    fields = {"category": "processed", "content_type": "image/png", "extracted": {"kind": "image"}}
    make_stored_file("preview.png", data, run=run, status="completed", **fields)

    assert not draw_run(run)


def test_noise_in_all_colours_still_becomes_small():
    noise = io.BytesIO()
    Image.effect_noise((900, 900), 255).convert("RGBA").save(noise, "PNG")

    assert len(shrink_picture(noise.getvalue())) <= MAX_THUMBNAIL_BYTES


def test_a_reading_ends_well_when_its_picture_cannot_be_drawn(monkeypatch):
    monkeypatch.setattr(thumbnails, "draw_run", lambda run: 1 / 0)

    assert done(arrived("sample.jdx", SPECTRUM)).status == "completed"
