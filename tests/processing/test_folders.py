"""Folders that are one measurement: their files arrive one by one, and are read together."""

import pytest

from files.models import File
from processing import folders
from processing.reading_files import process_next
from processing.readings import FolderRule
from tests.factories import make_file, make_run
from tests.processing.arrivals import arrived, artefacts_of, document, done, job_of
from tests.processing.techniques import FOLDER, needs_techniques
from tests.processing.test_nmr import write_varian
from wire.clock import now

EXPERIMENT = FOLDER / "nmr" / "bruker_coffee_20"
READ_TOGETHER = ["acqus", "fid", "pdata/1/1r", "pdata/1/procs"]
RULE = FolderRule("acqus", ("fid", "pdata/*/1r"))


@pytest.mark.parametrize(
    ("place", "is_held"),
    [("fid", True), ("pdata/1/1r", True), ("pdata/1r", False), ("pdata/1/2/1r", False), ("acqus", False), ("x", False)],
)
def test_a_rule_holds_what_lies_where_its_patterns_say(place, is_held):
    assert RULE.holds(place) is is_held


def arrive(run, place):
    path = f"exp/20/{place}"
    return arrived(place.rpartition("/")[2], (EXPERIMENT / place).read_bytes(), run=run, relative_path=path)


def read_all() -> None:
    while process_next(clock=now):
        pass


def names(run) -> dict[str, str]:
    return {file.relative_path: file.status for file in File.objects.filter(run=run, category="raw")}


@needs_techniques
@pytest.mark.django_db
@pytest.mark.parametrize("order", [READ_TOGETHER, READ_TOGETHER[::-1]], ids=["leader-first", "leader-last"])
def test_the_files_of_a_real_experiment_are_read_together_in_whatever_order_they_come(order):
    run = make_run()
    for place in order:
        arrive(run, place)
        read_all()

    leader = File.objects.get(run=run, filename="acqus")
    assert leader.status == "completed"
    assert (leader.metadata["nucleus"], leader.metadata["fid_points"] > 1000) == ("1H", True)
    drawn = artefacts_of(leader)
    assert sorted(drawn) == ["fid.parquet", "spectrum.json", "spectrum.parquet", "time-signal.json"]
    assert document(drawn["spectrum.json"])["x"]["unit"] == "ppm"
    said = {file.relative_path: file.warnings for file in File.objects.filter(run=run, filename__in=("fid", "1r"))}
    assert said == {path: ["It is read together with exp/20/acqus."] for path in ("exp/20/fid", "exp/20/pdata/1/1r")}
    run.refresh_from_db()
    assert run.metadata["technique"] == "NMR"


@needs_techniques
@pytest.mark.django_db
def test_the_leading_file_waits_for_those_that_were_announced():
    run = make_run()
    make_file("fid", run=run, relative_path="exp/20/fid")

    leader = done(arrive(run, "acqus"))

    assert (leader.status, job_of(leader).state) == ("uploaded", "not_read")
    assert leader.warnings == ["It is read once the other files of its folder are there: fid."]


@needs_techniques
@pytest.mark.django_db
def test_a_person_may_have_it_read_without_the_missing_ones(as_token):
    run = make_run()
    make_file("fid", run=run, relative_path="exp/20/fid")
    leader = done(arrive(run, "acqus"))

    as_token("files:reprocess").post(f"/api/v1/files/{leader.pk}/reprocess")
    read_all()

    leader.refresh_from_db()
    assert (leader.status, leader.metadata["nucleus"], list(artefacts_of(leader))) == ("completed", "1H", [])


@needs_techniques
@pytest.mark.django_db
def test_the_experiment_of_another_folder_is_no_part_of_it():
    run = make_run()
    arrive(run, "acqus")
    other = arrived("fid", b"\0" * 64, run=run, relative_path="exp/21/fid")
    read_all()

    leader, other = File.objects.get(run=run, filename="acqus"), File.objects.get(pk=other.pk)
    assert list(artefacts_of(leader)) == []
    assert other.warnings[0].startswith("No reader knows")


@needs_techniques
@pytest.mark.django_db
def test_members_that_are_too_many_are_said(monkeypatch):
    monkeypatch.setattr(folders, "MAX_MEMBERS", 2)
    run = make_run()
    for place in READ_TOGETHER[::-1]:
        arrive(run, place)
    read_all()

    leader = File.objects.get(run=run, filename="acqus")
    assert "Only the first 2 of 3 files of its folder were read with it." in leader.warnings


@pytest.mark.django_db
def test_the_files_of_a_varian_experiment_are_read_together(tmp_path):
    run = make_run()
    folder = write_varian(tmp_path)
    for place in ("fid", "procpar"):
        arrived(place, (folder / place).read_bytes(), run=run, relative_path=f"ethanol.fid/{place}")
        read_all()

    leader = File.objects.get(run=run, filename="procpar")
    assert (leader.status, leader.metadata["nucleus"], leader.metadata["fid_points"]) == ("completed", "1H", 256)
    assert "time-signal.json" in artefacts_of(leader)
    assert File.objects.get(run=run, filename="fid").warnings == ["It is read together with ethanol.fid/procpar."]
