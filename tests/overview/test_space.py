"""Who uses how much of the store, and when it is full."""

from datetime import UTC, date, datetime, timedelta

import pytest
from django.core.cache import cache

from archives.models import ArchiveJob
from overview.space import Share, forecast_space, measure_space, read_space, start_of_week
from tests.factories import make_file, make_group, make_instrument, make_project, make_run, make_user
from wire.clock import now

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def nothing_remembered():
    cache.clear()
    yield
    cache.clear()


def store(run, size, **fields):
    return make_file(run=run, status="uploaded", size_bytes=size, **fields)


def read():
    measure_space(at=now())
    report = read_space(at=now())
    assert report is not None
    return report


def as_dict(shares):
    return {share.name: share.size_bytes for share in shares}


def test_bytes_are_told_by_what_they_are_of():
    lcms, nmr = make_instrument(display_name="LC-MS"), make_instrument(display_name="NMR")
    make_group(instruments=[lcms], name="Proteins")
    project = make_project(name="Alpha")
    old = make_run(instrument=lcms, project=project, acquired_at=datetime.fromisoformat("2019-05-01T00:00:00Z"))
    new = make_run(instrument=nmr, acquired_at=datetime.fromisoformat("2024-05-01T00:00:00Z"))
    store(old, 100, content_type="text/csv; charset=utf-8")
    store(old, 20, category="processed", content_type="image/png")
    store(new, 3, content_type="TEXT/CSV")
    make_file(run=new, size_bytes=1_000)  # not stored
    ArchiveJob.objects.create(
        run=new, cache_key="a" * 64, file_ids=[1], status="ready", completed_at=now(), size_bytes=7
    )

    report = read()

    assert as_dict(report.kinds) == {"raw": 103, "processed": 20, "archive": 7}
    assert report.instruments == [Share("LC-MS", 120), Share("NMR", 3)]
    assert as_dict(report.groups) == {"Proteins": 120, "in no group": 3}
    assert as_dict(report.projects) == {"Alpha": 120, "in no project": 3}
    assert report.years == [Share("2024", 3), Share("2019", 120)]
    assert as_dict(report.media_types) == {"text/csv": 103, "image/png": 20}
    assert report.forecast.used_bytes == 130


def test_growth_is_of_whole_weeks_and_says_when_it_is_full(settings):
    settings.STORE_CAPACITY_GB = 1
    run, monday = make_run(), start_of_week(now().date())
    last = now() - timedelta(days=now().date().weekday() + 3)
    store(run, 80_000_000, uploaded_at=last)
    store(run, 20_000_000, uploaded_at=now())
    store(run, 100_000_000, uploaded_at=now() - timedelta(weeks=20))

    report = read()

    assert report.weeks[-1] == Share((monday - timedelta(weeks=1)).isoformat(), 80_000_000)
    assert report.forecast.bytes_per_week == 10_000_000
    assert report.forecast.full_on == now().date() + timedelta(weeks=80)


def test_what_does_not_grow_is_never_full(settings):
    settings.STORE_CAPACITY_GB = 1

    assert forecast_space(1, [Share("2024-01-01", 0)], today=date(2024, 1, 8)).full_on is None
    assert forecast_space(1, [Share("2024-01-01", 1)], today=date(2024, 1, 8)).full_on is None


def test_a_full_store_is_full_today(settings):
    settings.STORE_CAPACITY_GB = 1

    full = forecast_space(2_000_000_000, [Share("2024-01-01", 5)], today=date(2024, 1, 8))

    assert full.full_on == date(2024, 1, 8)


def test_the_page_is_for_admins_and_looks_at_no_file(client, django_assert_max_num_queries):
    store(make_run(instrument=make_instrument(display_name="LC-MS")), 100)
    client.force_login(make_user(is_admin=True))
    assert "It is being counted" in client.get("/settings/space").content.decode()
    measure_space(at=now())

    with django_assert_max_num_queries(10) as asked:
        shown = client.get("/settings/space").content.decode()

    assert "LC-MS" in shown
    assert not [query for query in asked.captured_queries if "files_file" in query["sql"]]
    client.force_login(make_user())
    assert client.get("/settings/space").status_code == 403


def test_when_it_was_counted_is_a_time_of_the_viewer(client):
    measure_space(at=datetime(2026, 7, 29, 21, 58, tzinfo=UTC))
    client.force_login(make_user(is_admin=True, time_zone="Asia/Tokyo"))

    page = " ".join(client.get("/settings/space").content.decode().split())

    assert ">2026-07-30 06:58</time>, once an hour" in page
