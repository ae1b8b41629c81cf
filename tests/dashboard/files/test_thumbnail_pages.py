"""The small pictures of the run list, as a browser gets them."""

import pytest

from files.models import File
from tests.factories import make_group, make_instrument, make_run, make_thumbnail, make_user
from tests.markup import flat

pytestmark = pytest.mark.django_db


@pytest.fixture
def ines(client):
    client.force_login(make_user())
    return client


@pytest.fixture
def shown():
    return make_thumbnail(run=make_run(instrument=make_instrument(id="reader"), run_id="a b"))


def address(shown):
    return f"/instruments/reader/runs/a%20b/thumbnail/{shown.digest}"


def test_the_list_shows_it_before_the_runs_name(ines, shown):
    page = flat(ines.get("/runs"))

    assert f'<img class="thumb" src="{address(shown)}" width="48" height="30" loading="lazy" alt="">' in page
    assert page.index('<span class="sr">Preview</span>') < page.index("sort=run_id")


def test_without_any_there_is_no_empty_column(ines):
    make_run()

    page = flat(ines.get("/runs"))

    assert 'class="thumb"' not in page
    assert '<span class="sr">Preview</span>' not in page


def test_it_is_a_column_like_others(ines, shown):
    assert address(shown) not in flat(ines.get("/runs?columns=run,status"))
    assert address(shown) in flat(ines.get("/runs?columns=run,preview"))


def test_its_bytes_are_kept_for_ever_under_their_own_address(ines, shown):
    response = ines.get(address(shown))

    assert (response.status_code, response.content, response["Content-Type"]) == (200, b"<svg/>", "image/svg+xml")
    assert response["Cache-Control"] == "private, max-age=31536000, immutable"
    assert response["X-Content-Type-Options"] == "nosniff"
    assert response["Content-Security-Policy"] == "default-src 'none'; sandbox"


def test_an_earlier_address_shows_what_there_is_now_and_is_not_kept(ines, shown):
    response = ines.get("/instruments/reader/runs/a%20b/thumbnail/0123")

    assert (response.content, response["Cache-Control"]) == (b"<svg/>", "private, no-cache")


def test_what_was_dismissed_has_none(ines, shown):
    File.objects.filter(pk=shown.file_id).update(deleted_at=shown.drawn_at)

    assert ines.get(address(shown)).status_code == 404
    assert address(shown) not in flat(ines.get("/runs"))


def test_who_does_not_see_the_run_does_not_see_it(client, shown):
    shown.run.instrument.visibility = "groups"
    shown.run.instrument.save(update_fields=["visibility"])
    make_group(make_user(), instruments=[shown.run.instrument])
    client.force_login(make_user())

    assert client.get(address(shown)).status_code == 404
