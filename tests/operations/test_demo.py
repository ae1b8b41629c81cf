"""The demonstration of `./ids serve --demo`: whose database it fills, and what its instrument writes."""

import json
import os
import stat
import sys
from datetime import UTC, datetime
from itertools import chain

import pytest

from accounts.callers import caller_for_token
from accounts.models import Token
from accounts.tokens import find_token
from archives.building import build_job
from archives.jobs import request_archive
from files.models import File
from files.storage import object_store
from instruments.models import Instrument
from operations.demo.everyday import draw_everyday
from operations.demo.everyday_curves import DRAWN
from operations.demo.exports import export
from operations.demo.measurements import build_measurement_files
from operations.demo.preparation import REFUSED_EXIT_CODE, LaboratoryExists, prepare_demo
from operations.demo.showcase import RUN_ID
from operations.demo.simulator import INSTRUMENT
from operations.embedded import serve
from operations.embedded.data_directory import DataDirectory
from operations.embedded.errors import EmbeddedError
from processing.processors.columns import reader as columns
from processing.processors.jcamp import reader as jcamp
from processing.readings import Kind
from runs.models import Run
from tests.factories import make_instrument, make_token
from tests.processing.here import documents, read_here
from watchers.models import Watcher
from wire.clock import now

pytestmark = pytest.mark.slow

AT = datetime(2026, 11, 22, 9, tzinfo=UTC)


def secrets_in(folder):
    return json.loads((folder / "laboratory.json").read_text())


@pytest.mark.django_db
def test_an_empty_database_becomes_a_laboratory_and_later_starts_go_on_with_it(tmp_path):
    prepare_demo(tmp_path / "demo", at=now())
    before = secrets_in(tmp_path / "demo")
    agents = find_token(before["agent"], at=now())

    prepare_demo(tmp_path / "demo", at=now())

    assert secrets_in(tmp_path / "demo") == before
    assert Instrument.objects.filter(id=INSTRUMENT, status="active").exists()
    assert stat.S_IMODE((tmp_path / "demo" / "laboratory.json").stat().st_mode) == 0o600

    Token.objects.filter(pk=agents.pk).update(revoked_at=now())
    prepare_demo(tmp_path / "demo", at=now())

    renewed = secrets_in(tmp_path / "demo")
    assert find_token(renewed["agent"], at=now()).pk != agents.pk
    assert len(renewed["computers"]) > 3
    for watcher, text in renewed["computers"].items():
        assert Watcher.objects.get(pk=watcher).token == find_token(text, at=now())


@pytest.mark.django_db
def test_thirty_runs_of_twelve_techniques_have_something_to_look_at(tmp_path):
    prepare_demo(tmp_path / "demo", at=now())

    drawn = Run.objects.filter(files__category="processed").distinct()

    assert drawn.count() >= 30
    assert len({run.extracted["technique"] for run in drawn}) >= 12


@pytest.mark.django_db
def test_every_run_whose_files_were_read_has_something_to_look_at(tmp_path):
    prepare_demo(tmp_path / "demo", at=now())

    unread = File.objects.exclude(status="completed").values("run")
    read = Run.objects.active().filter(files__isnull=False).exclude(pk__in=unread).distinct()
    seen = File.objects.filter(category="processed").values("run")

    assert read.count() > 100
    assert list(read.exclude(pk__in=seen).values_list("run_id", flat=True)) == []


@pytest.mark.parametrize("technique", ["plate reader", *DRAWN])
def test_what_a_run_of_every_day_shows_is_its_own_and_the_same_each_time(technique):
    shown = [draw_everyday(technique, run_id=f"run {number}") for number in range(12)]

    assert shown[0] == draw_everyday(technique, run_id="run 0")
    assert len({export(document) for document in shown}) == 12


def test_a_run_that_is_called_after_something_shows_that():
    shown = [
        draw_everyday(technique, run_id=run_id)["title"]
        for technique, run_id in (
            ("UV-Vis spectroscopy", "2026-11-19_lysozyme-refold_pilot"),
            ("plate reader", "ELISA_cytokine-25plex_cohort-B_visit-3"),
        )
    ]

    assert shown == ["lysozyme, absorption", "ELISA, standard and samples"]


@pytest.mark.django_db
def test_what_the_demonstration_says_it_stores_is_there(tmp_path):
    prepare_demo(tmp_path / "demo", at=now())
    run = Run.objects.get(run_id=RUN_ID)

    places = chain(object_store().list("demo/"), object_store().list("runs/"))
    stored = {one.key: (one.size_bytes, one.crc32) for one in places}
    job = request_archive(
        instrument=run.instrument_id, run_id=run.run_id, file_ids=None, by=caller_for_token(make_token()), at=now()
    )
    build_job(job.pk, clock=now)

    files = File.objects.filter(uploaded_at__isnull=False)
    assert files.count() > 500  # how many exactly depends on the weekday
    assert all(stored[file.storage_key] == (file.size_bytes, file.crc32) for file in files)
    job.refresh_from_db()
    assert job.status == "ready"


@pytest.mark.django_db
def test_a_laboratory_of_its_own_is_left_as_it_is(tmp_path):
    make_instrument(id="the-labs-own")

    with pytest.raises(LaboratoryExists):
        prepare_demo(tmp_path / "demo", at=now())

    assert list(Instrument.objects.values_list("id", flat=True)) == ["the-labs-own"]
    assert not (tmp_path / "demo").exists()


def test_the_refusal_is_told_in_its_own_words(tmp_path, monkeypatch):
    data, manage = DataDirectory(tmp_path / "data"), tmp_path / "python"
    manage.write_text(f'#!/bin/sh\necho "LaboratoryInTheWay: {LaboratoryExists()}" >&2\nexit {REFUSED_EXIT_CODE}\n')
    manage.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(manage))
    data.prepare()

    with pytest.raises(EmbeddedError, match=r"^There is a laboratory .* choose another --data\.$"):
        serve._prepare_database(data, os.environ, is_demo=True)


@pytest.mark.parametrize(
    ("ending", "reader", "kind"),
    [
        (".jdx", jcamp.read, Kind.CURVE),
        ("kinetics.csv", columns.read, Kind.CURVE),
        ("plate.csv", columns.read, Kind.PLATE),
    ],
)
def test_what_the_instrument_writes_can_be_drawn(tmp_path, ending, reader, kind):
    written = {name: data for name, data in build_measurement_files(1, at=AT) if name.endswith(ending)}

    found = [documents(read_here(reader, tmp_path / name, data), kind) for name, data in written.items()]

    assert found
    assert all(found)


def test_no_two_runs_are_alike():
    first, second = (dict(build_measurement_files(number, at=AT)) for number in (1, 5))

    assert all(first[name] != second[name] for name in first)
