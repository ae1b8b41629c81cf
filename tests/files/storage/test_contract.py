"""The promises of files/storage/interface.py, kept by every adapter: whole objects."""

import email.message
import io

import pytest
import requests

from files.storage.checksums import crc32_of
from files.storage.interface import BytesRefused, ObjectExists, ObjectMissing
from tests.files.storage.sending import HELLO, put, read, send

NAMES_FROM_HELL = [
    "plain.csv",
    'quo"te\\back.csv',
    "Größe µm ☃.txt",
    "semi;colon=1.txt",
    "new\r\nline: x.txt",
    "‮gpj.exe",
    "a" * 255,
]


def keys(store, prefix=""):
    return sorted(stored.key for stored in store.list(prefix))


def test_an_object_is_found_as_it_was_put(store):
    put(store, "runs/1/a.csv", content_type="text/csv")

    found = store.head("runs/1/a.csv")

    assert (found.key, found.size_bytes, found.content_type) == ("runs/1/a.csv", 11, "text/csv")
    assert found.crc32 in (None, crc32_of(HELLO))
    assert found.etag
    assert '"' not in found.etag
    assert found.modified_at.tzinfo is not None


def test_what_was_never_put_is_not_found(store):
    assert store.head("runs/1/none") is None
    with pytest.raises(ObjectMissing), store.open_range("runs/1/none"):
        pass


@pytest.mark.parametrize(
    ("bounds", "expected"),
    [({}, HELLO), ({"start": 6}, b"world"), ({"start": 2, "end": 5}, b"llo"), ({"start": 11}, b""), ({"end": 0}, b"")],
)
def test_a_range_is_half_open(store, bounds, expected):
    put(store, "a")

    assert read(store, "a", **bounds) == expected


@pytest.mark.parametrize("bounds", [{"start": 12}, {"end": 12}, {"start": 5, "end": 4}, {"start": -1}])
def test_a_range_beyond_the_object_is_an_error(store, bounds):
    put(store, "a")

    with pytest.raises(ValueError, match="beyond"), store.open_range("a", **bounds):
        pass


def test_an_empty_object_is_an_object(store):
    put(store, "empty", b"")

    assert store.head("empty").size_bytes == 0
    assert read(store, "empty") == b""


def test_a_published_object_is_never_replaced(store):
    put(store, "a", b"first")

    with pytest.raises(ObjectExists):
        put(store, "a", b"second")

    assert read(store, "a") == b"first"


@pytest.mark.parametrize("announced", [10, 12])
def test_another_number_of_bytes_than_announced_publishes_nothing(store, announced):
    with pytest.raises(BytesRefused):
        store.put("a", io.BytesIO(HELLO), size_bytes=announced, content_type="text/plain")

    assert store.head("a") is None


def test_deleting_takes_the_object_and_its_neighbours_stay(store):
    put(store, "runs/1/a")
    put(store, "runs/1/b")

    store.delete("runs/1/a")
    store.delete("runs/1/a")

    assert keys(store) == ["runs/1/b"]


def test_a_deleted_key_can_be_used_again(store):
    put(store, "a", b"first")
    store.delete("a")

    put(store, "a", b"second")

    assert read(store, "a") == b"second"


def test_listing_goes_by_prefix(store):
    for key in ("runs/1/a", "runs/1/a/b", "runs/10/a", "archives/x.zip"):
        put(store, key)

    assert keys(store) == ["archives/x.zip", "runs/1/a", "runs/1/a/b", "runs/10/a"]
    assert keys(store, "runs/1") == ["runs/1/a", "runs/1/a/b", "runs/10/a"]
    assert keys(store, "runs/1/") == ["runs/1/a", "runs/1/a/b"]
    assert keys(store, "none/") == []


def test_listing_is_in_byte_order_and_goes_on_after_a_key(store):
    in_order = ["a-b", "a", "a.b/c", "a/b", "a/b/c", "a/b0", "a0/b", "aB", "aB/a", "a_"]
    for key in in_order:
        put(store, key)

    found = [stored.key for stored in store.list()]

    assert found == sorted(in_order)
    assert [stored.key for stored in store.list(after="a/b/c")] == ["a/b0", "a0/b", "aB", "aB/a", "a_"]
    assert [stored.key for stored in store.list(after="a/b/zzz")] == ["a/b0", "a0/b", "aB", "aB/a", "a_"]
    assert [stored.key for stored in store.list("a/", after="a/b")] == ["a/b/c", "a/b0"]


@pytest.mark.parametrize(
    "key", ["", "/a", "a/", "a//b", "../a", "a/../b", "a/.hidden", "a b", "ä", "a\0", "a@", "a" * 201]
)
def test_keys_of_another_form_are_errors(store, key):
    with pytest.raises(ValueError, match="Not an object key"):
        store.presign_put(key, size_bytes=1, content_type="text/plain")


def test_a_signed_upload_arrives(store):
    signed = store.presign_put("runs/1/a", size_bytes=11, content_type="text/csv", crc32=crc32_of(HELLO))

    answer = send(signed, HELLO)

    found = store.head("runs/1/a")
    assert answer.status_code == 200
    assert answer.headers["ETag"].strip('"') == found.etag
    assert (read(store, "runs/1/a"), found.content_type) == (HELLO, "text/csv")


def test_a_signed_upload_may_come_without_a_checksum(store):
    assert send(store.presign_put("a", size_bytes=11, content_type="text/csv"), HELLO).status_code == 200


def test_a_worker_that_makes_an_object_need_not_know_its_length(store):
    signed = store.presign_put("a", size_bytes=None, content_type="application/zip")

    answer = send(signed, HELLO)

    assert "Content-Length" not in signed.headers
    assert answer.status_code == 200
    assert store.head("a").size_bytes == 11


def test_an_empty_file_can_be_uploaded(store):
    signed = store.presign_put("a", size_bytes=0, content_type="text/csv", crc32=crc32_of(b""))

    assert send(signed, b"").status_code == 200
    assert store.head("a").size_bytes == 0


def test_a_second_upload_is_refused_and_the_first_stays(store):
    signed = store.presign_put("a", size_bytes=11, content_type="text/csv")
    send(signed, HELLO)

    again = send(signed, b"HELLO WORLD")

    assert again.status_code == 412
    assert read(store, "a") == HELLO


def test_a_signed_download_brings_the_bytes_under_the_given_type(store):
    put(store, "a", content_type="text/html")

    answer = requests.get(store.presign_get("a", filename="a.csv", content_type="text/csv"), timeout=30)

    assert (answer.status_code, answer.content) == (200, HELLO)
    assert answer.headers["Content-Type"] == "text/csv"
    assert answer.headers["Cache-Control"] == "private, no-store"


@pytest.mark.parametrize("name", NAMES_FROM_HELL)
def test_any_file_name_survives_the_download(store, name):
    put(store, "a")

    answer = requests.get(store.presign_get("a", filename=name, content_type="text/csv"), timeout=30)

    kind, found = disposition(answer)
    assert (kind, found) == ("attachment", name.replace("\r\n", "__"))


def test_a_type_that_is_none_becomes_octets(store):
    put(store, "a")

    answer = requests.get(store.presign_get("a", filename="a", content_type="text/csv\r\nX-Evil: 1"), timeout=30)

    assert answer.headers["Content-Type"] == "application/octet-stream"


def test_inline_is_said_where_it_is_asked_for(store):
    put(store, "a")

    answer = requests.get(store.presign_get("a", filename="a.png", content_type="image/png", inline=True), timeout=30)

    assert disposition(answer) == ("inline", "a.png")


def test_a_download_can_be_resumed(store):
    put(store, "a")
    url = store.presign_get("a", filename="a", content_type="text/csv")

    answer = requests.get(url, headers={"Range": "bytes=6-"}, timeout=30)

    assert (answer.status_code, answer.content) == (206, b"world")
    assert answer.headers["Content-Range"] == "bytes 6-10/11"


def test_a_missing_object_downloads_as_404(strict_store):
    url = strict_store.presign_get("a", filename="a", content_type="text/csv")

    assert requests.get(url, timeout=30).status_code == 404


def test_a_store_within_reach_passes_its_check(store):
    store.check()


def disposition(answer):
    message = email.message.Message()
    message["Content-Disposition"] = answer.headers["Content-Disposition"]
    return message.get_content_disposition(), message.get_filename()
