"""Versions of files on a run's page."""

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from files.models import File
from tests.factories import make_file, make_run
from tests.markup import address_of_run

pytestmark = pytest.mark.django_db


@pytest.fixture
def versioned():
    """A run whose `scan.raw` has two versions, and whose `other.raw` has one."""
    run = make_run()
    first = make_file("scan.raw", run=run, status="failed")
    make_file("scan~2.raw", run=run, status="completed", version=2, version_of=first)
    make_file("other.raw", run=run, status="completed")
    run.refresh_from_db()
    return run


def picked_names(shown):
    return re.findall(r'aria-label="Select ([^"]+)"', shown.partition('id="files"')[2])


def test_a_file_with_versions_is_one_row_that_unfolds(page, versioned):
    first = File.objects.get(filename="scan.raw")

    shown = page(versioned)

    assert picked_names(shown) == ["all on this page", "other.raw", "scan~2.raw"]
    assert "2 versions</summary>" in shown
    assert re.search(rf'<a\s+href="/api/v1/files/{first.pk}/download"\s+title="scan.raw"\s*>scan.raw</a>', shown)


def test_the_pages_count_rows_and_not_versions(page):
    run = make_run()
    for number in range(51):
        first = make_file(f"f{number}.raw", run=run, status="completed")
        make_file(f"f{number}~2.raw", run=run, status="completed", version=2, version_of=first)
    run.refresh_from_db()

    assert "1\N{EN DASH}50 of 51" in page(run)
    assert picked_names(page(run, "?page=2"))[1:] == ["f50~2.raw"]


def test_all_versions_may_be_rows(page, versioned):
    shown = page(versioned, "?versions=all")

    assert picked_names(shown) == ["all on this page", "other.raw", "scan.raw", "scan~2.raw"]
    assert "versions</summary>" not in shown
    assert '<option value="all" selected>All versions</option>' in shown


def test_a_status_finds_older_versions_too(page, versioned):
    assert picked_names(page(versioned, "?state=failed")) == ["all on this page", "scan.raw"]


def test_a_name_finds_the_newest_version(page, versioned):
    assert picked_names(page(versioned, "?name=scan.raw")) == ["all on this page", "scan~2.raw"]


def test_a_run_without_versions_says_nothing_of_them(page):
    shown = page(make_file("scan.raw").run)

    assert "ersions" not in shown.partition('id="files"')[2].partition("</section>")[0]


def test_a_page_shows_the_newest_of_many_versions(page):
    run = make_run()
    first = make_file("scan.raw", run=run, status="completed")
    for number in range(2, 31):
        make_file(f"scan~{number}.raw", run=run, status="completed", version=number, version_of=first)
    run.refresh_from_db()

    shown = page(run)

    assert "30 versions</summary>" in shown
    assert "scan~11.raw" in shown
    assert "scan~10.raw" not in shown


def test_versions_take_one_query_more_however_many_files_have_them(client, ines):
    def count_queries(run):
        with CaptureQueriesContext(connection) as queries:
            assert client.get(f"{address_of_run(run)}/files").status_code == 200
        return len(queries)

    few, many = make_run(), make_run()
    for run, files in ((few, 1), (many, 10)):
        for number in range(files):
            first = make_file(f"f{number}.raw", run=run, status="completed")
            make_file(f"f{number}~2.raw", run=run, status="completed", version=2, version_of=first)

    assert count_queries(many) == count_queries(few)
