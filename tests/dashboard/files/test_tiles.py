"""Tiles of a stack: bounded pieces of a file that was made for it, for people who may read files."""

import io

import pytest

from files.choices import FileCategory
from files.storage import object_store
from tests.factories import make_file, make_user

pytestmark = pytest.mark.django_db
DATA = b"IDSTILES" + bytes(range(100))


@pytest.fixture
def tiles():
    file = make_file(
        category=FileCategory.PROCESSED, status="completed", size_bytes=len(DATA), extracted={"kind": "tiles"}
    )
    object_store().put(file.storage_key, io.BytesIO(DATA), size_bytes=len(DATA), content_type="x/y")
    return file


@pytest.fixture
def ines(client):
    client.force_login(make_user())
    return client


def test_a_tile_is_a_piece_of_the_file_and_is_kept_for_ever(ines, tiles):
    response = ines.get(f"/files/{tiles.pk}/tiles/abc/10-20")

    assert (response.status_code, response.content) == (200, DATA[10:30])
    assert response["Cache-Control"] == "private, max-age=31536000, immutable"
    assert response["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize("place", ["10-0", "100-9", "0-5000000", "9" * 5000 + "-1", "0-" + "9" * 30])
def test_a_place_outside_of_the_file_is_not_found(ines, tiles, place):
    assert ines.get(f"/files/{tiles.pk}/tiles/abc/{place}").status_code == 404


def test_other_files_have_no_tiles(ines, tiles):
    tiles.extracted = {"kind": "table"}
    tiles.save(update_fields=["extracted"])

    assert ines.get(f"/files/{tiles.pk}/tiles/abc/0-8").status_code == 404


def test_nobody_sees_a_tile_without_signing_in(client, tiles):
    response = client.get(f"/files/{tiles.pk}/tiles/abc/0-8")

    assert response.status_code == 302
    assert response["Location"].startswith("/accounts/login/")
