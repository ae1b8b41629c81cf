"""The pages that wait for a ZIP."""

import pytest

from archives.models import ArchiveJob
from tests.factories import make_run, make_stored_file, make_user
from wire.clock import now

pytestmark = pytest.mark.django_db


@pytest.fixture
def ines(client):
    person = make_user()
    client.force_login(person)
    return person


def archive_of(run, query=""):
    return f"/instruments/{run.instrument_id}/runs/{run.run_id}/archive{query}"


def test_it_packs_and_asks_again(client, ines):
    file = make_stored_file()

    page = client.get(archive_of(file.run)).content.decode()
    client.get(archive_of(file.run))

    assert "Packing" in page
    assert 'hx-trigger="load delay:2s"' in page
    assert ArchiveJob.objects.count() == 1


def test_a_ready_archive_is_offered(client, ines):
    file = make_stored_file()
    client.get(archive_of(file.run))
    ArchiveJob.objects.update(status="ready", size_bytes=2_000_000, completed_at=now())

    page = client.get(archive_of(file.run), headers={"HX-Request": "true"}).content.decode()

    assert "2.0 MB" in page
    assert "hx-trigger" not in page
    assert "<html" not in page


def test_nothing_to_pack_is_said(client, ines):
    assert "None of these files is stored yet" in client.get(archive_of(make_run())).content.decode()


def test_an_unknown_run_is_not_found(client, ines):
    assert client.get("/instruments/neo/runs/nothing/archive").status_code == 404


def test_files_of_another_run_are_refused(client, ines):
    page = client.get(archive_of(make_stored_file().run, f"?file_ids={make_stored_file().pk}")).content.decode()

    assert "Packing" not in page


def test_each_picked_run_becomes_a_zip_of_its_own(client, ines):
    runs = [make_stored_file().run, make_stored_file().run]
    keys = "&".join(f"run={run.instrument_id}/{run.run_id}" for run in runs)

    page = client.get(f"/downloads?{keys}&each=1").content.decode()

    assert all(run.run_id in page for run in runs)
    assert ArchiveJob.objects.count() == 2


def test_strangers_sign_in_first(client):
    assert client.get("/downloads").status_code == 302


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("/downloads", "Nothing to download"),
        ("/compare", "<h1>Compare runs</h1>"),
        ("/combine", "<h1>Combine runs</h1>"),
        ("/projects", "A project gathers runs"),
    ],
)
def test_a_page_that_was_given_nothing_says_what_it_is_for(client, ines, path, said):
    assert said in client.get(path).content.decode()


@pytest.mark.parametrize("path", ["/compare", "/combine", "/projects", "/downloads", "/runs/new"])
def test_the_rail_marks_runs_on_every_page_of_them(client, ines, path):
    page = " ".join(client.get(path).content.decode().split())

    assert '<a href="/runs" aria-current="page"' in page
