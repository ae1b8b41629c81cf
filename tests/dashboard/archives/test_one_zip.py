"""Many runs as one ZIP, made while it is sent."""

import io
import json
import zipfile

import pytest

from archives import bundles
from archives.zip_entries import SourceChanged
from files.models import File
from files.storage import object_store
from tests.factories import make_instrument, make_run, make_stored_file, make_user
from wire.clock import now

pytestmark = pytest.mark.django_db
URL = "/downloads/one"


@pytest.fixture
def mira(client):
    person = make_user()
    client.force_login(person)
    return person


@pytest.fixture
def runs():
    reader = make_instrument(id="reader", display_name="Reader")
    first = make_run(run_id="a", instrument=reader, caller_metadata={"od600": 0.4})
    make_stored_file("one.csv", b"one", run=first)
    make_stored_file("deep.csv", b"deep", run=first, relative_path="raw/deep.csv")
    second = make_run(run_id="b", instrument=reader)
    make_stored_file("two.csv", b"two" * 300_000, run=second)
    return [first, second]


def keys(runs):
    return [f"{run.instrument_id}/{run.run_id}" for run in runs]


def fetch(client, **said):
    answer = client.post(URL, said)
    assert answer.status_code == 200, answer.content
    assert 'filename="runs_' in answer["Content-Disposition"]
    return b"".join(answer.streaming_content)


def open_zip(content):
    archive = zipfile.ZipFile(io.BytesIO(content))
    assert archive.testzip() is None
    return archive


def test_each_run_has_a_folder_and_a_table_is_beside_them(client, mira, runs):
    archive = open_zip(fetch(client, form="zip", run=keys(runs)))

    assert archive.namelist() == [
        *("runs.csv", "reader/a/one.csv", "reader/a/raw/deep.csv", "reader/a/manifest.json"),
        *("reader/b/two.csv", "reader/b/manifest.json"),
    ]
    assert archive.read("reader/b/two.csv") == b"two" * 300_000
    assert [file["path"] for file in json.loads(archive.read("reader/a/manifest.json"))["files"]] == [
        "one.csv",
        "raw/deep.csv",
    ]
    assert "metadata.od600" in archive.read("runs.csv").decode()


def test_runs_with_cold_files_are_named_before_a_byte_is_sent(client, mira, runs):
    File.objects.filter(run=runs[1]).update(storage_class="cold")

    answer = client.post(URL, {"form": "zip", "run": keys(runs)})

    assert answer.status_code == 409
    assert "Files of b are in cold storage." in answer.content.decode()


def test_crates_are_named_by_the_crate_around_them(client, mira, runs):
    archive = open_zip(fetch(client, form="crate", run=keys(runs)))

    graph = {one["@id"]: one for one in json.loads(archive.read("ro-crate-metadata.json"))["@graph"]}
    assert {"@id": "reader/a/"} in graph["./"]["hasPart"]
    assert graph["reader/a/"]["subjectOf"]["@id"] in archive.namelist()
    inner = json.loads(archive.read("reader/a/ro-crate-metadata.json"))
    assert any(one["@id"] == "raw/deep.csv" for one in inner["@graph"])


def test_the_table_alone_has_a_line_for_each_run(client, mira, runs):
    lines = fetch(client, form="csv", run=keys(runs)).decode().splitlines()

    assert len(lines) == 3


def test_all_that_match_are_taken_and_deleted_ones_are_not(client, mira, runs):
    make_run(run_id="gone", deleted_at=now(), deleted_by=mira)

    archive = open_zip(fetch(client, form="zip", all="1", matching="include_deleted=true"))

    assert {name.split("/")[1] for name in archive.namelist() if "/" in name} == {"a", "b"}


def test_a_run_without_stored_files_has_its_manifest(client, mira):
    run = make_run()

    archive = open_zip(fetch(client, form="zip", run=keys([run])))

    assert archive.namelist() == ["runs.csv", f"{run.instrument_id}/{run.run_id}/manifest.json"]


def test_names_that_a_file_system_takes_for_one_stay_apart(client, mira):
    reader = make_instrument(id="reader")
    runs = [make_run(run_id="A?", instrument=reader), make_run(run_id="a?", instrument=reader)]

    archive = open_zip(fetch(client, form="zip", run=keys(runs)))

    assert len({name.lower() for name in archive.namelist()}) == 3


def test_a_zip_whose_bytes_are_gone_ends_without_its_end(client, mira, runs):
    object_store().delete(File.objects.get(filename="two.csv").storage_key)
    answer = client.post(URL, {"form": "zip", "run": keys(runs)})
    got = []

    with pytest.raises(SourceChanged, match="no longer in the store"):
        got.extend(answer.streaming_content)

    assert not zipfile.is_zipfile(io.BytesIO(b"".join(got)))


def test_it_is_sent_while_it_is_made(client, mira, runs, monkeypatch):
    monkeypatch.setattr(bundles, "SENT_AT_ONCE", 1_000)

    answer = client.post(URL, {"form": "zip", "run": keys(runs)})

    assert max(map(len, answer.streaming_content)) < 600_000


def test_too_much_is_said_before_a_byte_is_sent(client, mira, runs, monkeypatch):
    monkeypatch.setattr(bundles, "MAX_FILES", 2)

    answer = client.post(URL, {"form": "zip", "run": keys(runs)})

    assert answer.status_code == 400
    assert "Narrow the search" in answer.content.decode()


def test_the_page_asks_in_which_form(client, mira, runs):
    page = client.get("/downloads", {"run": keys(runs)}).content.decode()

    assert "Download 2 runs" in page
    assert "3 files" in page
    assert "each=1" in page


@pytest.mark.parametrize("form", ["", "tar"])
def test_a_form_that_there_is_not_is_refused(client, mira, runs, form):
    assert client.post(URL, {"form": form, "run": keys(runs)}).status_code == 400


def test_a_key_that_cannot_be_is_not_found(client, mira):
    assert client.post(URL, {"form": "zip", "run": "x"}).status_code == 404
