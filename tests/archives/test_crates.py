"""RO-Crates of runs, judged by the rules of the specification 1.2."""

import io
import json
from typing import Any
from urllib.parse import unquote

import pytest
from PIL import Image
from rocrate.rocrate import ROCrate

from accounts.callers import caller_for_user
from archives.building import build_next_crate
from archives.crates import describe_crate
from archives.external_worker import build_order, hand_over_next
from archives.members import list_members
from archives.models import ArchiveJob
from files.pictures.comment_pictures import add_comment_picture
from runs.models import Claim, Run
from tests.datasets.making import make_dataset
from tests.factories import make_instrument, make_project, make_run, make_stored_file, make_user
from wire.clock import now


def route(run, query: str = "") -> str:
    return f"/api/v1/instruments/{run.instrument_id}/runs/{run.run_id}/ro-crate{query}"


@pytest.fixture
def run(db):
    facts = {"plate_id": "P7", "big": 2**60, "nested": {"a": [1]}}
    project = make_project(name="Enzymes", link="https://example.org/e")
    run = make_run(
        instrument=make_instrument(id="reader"), run_id="7", caller_metadata=facts, tags=["qc"], project=project
    )
    Claim.objects.create(run=run, user=make_user(display_name="Ada Byron"))
    return run


@pytest.fixture
def crate(run, as_token, built):
    """Asks for a run's crate, builds it and opens it."""

    def ask(query=""):
        answer = as_token("files:read").get(route(run, query))
        assert answer.status_code == 202, answer.content
        return built(ArchiveJob.objects.get(pk=answer.json()["job_id"]))

    return ask


def graph_of(archive) -> dict[str, Any]:
    document = json.loads(archive.read("ro-crate-metadata.json"))
    assert document["@context"][0] == "https://w3id.org/ro/crate/1.2/context"
    entities = {entity["@id"]: entity for entity in document["@graph"]}
    assert len(entities) == len(document["@graph"])  # an entity is described once
    return entities


def references_of(value):
    if isinstance(value, list):
        for one in value:
            yield from references_of(one)
    elif isinstance(value, dict):
        assert value.keys() == {"@id"}  # the graph is flat
        yield value["@id"]


def test_the_descriptor_and_the_root_are_as_the_specification_asks(run, crate):
    make_stored_file("a.csv", b"abc", run=run)

    graph = graph_of(crate())

    descriptor, root = graph["ro-crate-metadata.json"], graph["./"]
    assert (descriptor["@type"], descriptor["about"]) == ("CreativeWork", {"@id": "./"})
    assert descriptor["conformsTo"] == {"@id": "https://w3id.org/ro/crate/1.2"}
    assert root["@type"] == "Dataset"
    assert root.keys() >= {"name", "description", "datePublished", "license"}


def test_every_reference_leads_to_an_entity_of_the_crate(run, crate):
    make_dataset({"well": ["A1"], "od": [0.5]}, run=run, source_file=make_stored_file("a b%.csv", b"abc", run=run))

    graph = graph_of(crate())

    named = {
        one
        for entity in graph.values()
        for key, value in entity.items()
        if key != "@id"
        for one in references_of(value)
    }
    assert named - graph.keys() == {"https://w3id.org/ro/crate/1.2"}
    assert all("@type" in entity for entity in graph.values())


def test_every_file_is_in_the_zip_and_every_entry_is_described(run, crate):
    make_stored_file("Übersicht 1 [a]#.csv", b"abc", run=run, relative_path="folder x/Übersicht 1 [a]#.csv")
    make_stored_file("ro-crate-metadata.json", b"{}", run=run)
    archive = crate()

    graph = graph_of(archive)

    files = {unquote(name) for name, entity in graph.items() if entity["@type"] == "File"}
    assert files | {"ro-crate-metadata.json"} == set(archive.namelist())
    assert {one["@id"] for one in graph["./"]["hasPart"]} == {name for name in graph if graph[name]["@type"] == "File"}
    assert archive.read("ro-crate-metadata (2).json") == b"{}"
    assert graph["ro-crate-metadata%20(2).json"]["alternateName"] == "ro-crate-metadata.json"


def test_a_file_has_its_checksum_size_type_and_source(run, crate):
    file = make_stored_file("a.csv", b"abc", run=run, content_type="text/csv")
    make_stored_file("curve.json", b"{}", run=run, category="processed", source_file=file)

    graph = graph_of(crate())

    assert graph["a.csv"] == {
        "@id": "a.csv",
        "@type": "File",
        "encodingFormat": "text/csv",
        "name": "a.csv",
        "alternateName": "a.csv",
        "contentSize": "3",
        "sha256": "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
    }
    assert graph["processed/curve.json"]["isBasedOn"] == {"@id": "a.csv"}


def test_people_instrument_project_and_metadata_are_told(run, crate):
    make_stored_file("a.csv", b"abc", run=run)

    graph = graph_of(crate())

    people = [entity["name"] for entity in graph.values() if entity["@type"] == "Person"]
    assert people == ["Ada Byron"]
    assert graph["#measurement"]["instrument"] == {"@id": "#instrument-reader"}
    assert graph["#metadata-big"]["value"] == 2**60
    assert graph["#metadata-nested"]["value"] == '{"a": [1]}'
    assert graph[graph["./"]["isPartOf"]["@id"]]["name"] == "Enzymes"
    assert graph["./"]["keywords"] == ["qc"]


def test_a_dataset_tells_its_columns(run, crate):
    make_dataset({"well": ["A1"], "od": [0.5]}, run=run, units={"od": "AU"})

    graph = graph_of(crate())

    [table] = [entity for entity in graph.values() if "variableMeasured" in entity]
    assert table["description"] == "table: table, 1 rows"
    well, absorbance = (graph[one["@id"]] for one in table["variableMeasured"])
    assert (well["@type"], well["propertyID"]) == ("PropertyValue", "well")
    assert (absorbance["propertyID"], absorbance["unitText"]) == ("od", "AU")


def test_another_library_reads_the_crate(run, crate, tmp_path):
    make_dataset({"well": ["A1"], "od": [0.5]}, run=run, source_file=make_stored_file("a b.csv", b"abc", run=run))
    crate().extractall(tmp_path)

    read = ROCrate(tmp_path)

    files = {entity.id for entity in read.get_by_type("File")}
    assert files >= {"a%20b.csv", "manifest.json"}
    assert all((tmp_path / unquote(name)).is_file() for name in files)
    assert read.name == "7"
    assert [person["name"] for person in read.root_dataset["creator"]] == ["Ada Byron"]
    assert read.get("#measurement")["instrument"].id == "#instrument-reader"


def test_the_manifest_has_what_an_import_needs(run, crate):
    make_stored_file("a?.csv", b"abc", run=run, relative_path="x/a?.csv")

    manifest = json.loads(crate().read("manifest.json"))

    assert manifest["format"] == "ids-crate/1"
    assert manifest["run"] == {
        "acquired_at": None,
        "metadata": run.metadata,
        "own_metadata": run.caller_metadata,
        "tags": ["qc"],
    }
    file = manifest["files"][0]
    assert (file["path"], file["relative_path"], file["category"]) == ("x/a_.csv", "x/a?.csv", "raw")


def test_some_files_make_a_crate_of_their_own(run, crate):
    one = make_stored_file("a.csv", b"abc", run=run)
    make_stored_file("b.csv", b"abc", run=run)

    assert crate(f"?file_ids={one.pk}").namelist() == ["a.csv", "ro-crate-metadata.json", "manifest.json"]


def test_asking_again_finds_the_crate_and_a_change_makes_another(run, as_token, crate):
    make_stored_file("a.csv", b"abc", run=run)
    api = as_token("files:read")
    crate()

    ready = api.get(route(run), Accept="application/json")
    Run.objects.filter(pk=run.pk).update(caller_metadata={"plate_id": "P8"})
    changed = api.get(route(run))

    assert (ready.status_code, ready.json()["status"]) == (200, "ready")
    assert (changed.status_code, ArchiveJob.objects.count()) == (202, 2)


def test_a_crate_and_an_archive_are_two_jobs(run, as_token):
    make_stored_file("a.csv", b"abc", run=run)
    api = as_token("files:read")

    crate, archive = api.get(route(run)), api.get(route(run).replace("ro-crate", "download-archive"))

    assert crate.json()["job_id"] != archive.json()["job_id"]


def test_an_external_worker_gets_no_crate_and_the_service_builds_it(run, as_token):
    make_stored_file("a.csv", b"abc", run=run)
    job = ArchiveJob.objects.get(pk=as_token("files:read").get(route(run)).json()["job_id"])

    assert build_order(job)["upload"] is None
    assert hand_over_next(at=now()) is False
    assert build_next_crate(clock=now) is True

    job.refresh_from_db()
    assert job.status == "ready"


def test_a_described_crate_costs_the_same_however_many_files(run, as_token, django_assert_num_queries):
    for number in range(20):
        make_stored_file(f"{number}.csv", run=run)
    job = ArchiveJob.objects.get(pk=as_token("files:read").get(route(run)).json()["job_id"])
    members = list_members(job)

    with django_assert_num_queries(3):  # the run with its claims, the files with their datasets, those purged
        list(describe_crate(job, members))


def test_the_run_s_page_leads_to_the_crate(run, as_person):
    make_stored_file("a.csv", b"abc", run=run)

    page = as_person().get("/instruments/reader/runs/7")
    crate = as_person().get("/instruments/reader/runs/7/ro-crate")

    assert 'href="/instruments/reader/runs/7/ro-crate"' in page.content.decode()
    assert "As an RO-Crate" in crate.content.decode()


def test_pictures_of_comments_are_in_the_crate(run, crate):
    out = io.BytesIO()
    Image.new("RGB", (4, 4)).save(out, "PNG")
    by = caller_for_user(make_user())
    kept = add_comment_picture(
        instrument=run.instrument_id, run_id=run.run_id, data=out.getvalue(), by=by, at=run.created_at
    )

    archive = crate()

    path = f"processed/{kept.relative_path}"
    assert archive.read(path) == out.getvalue()
    assert graph_of(archive)[path]["encodingFormat"] == "image/png"
