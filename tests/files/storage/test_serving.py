"""How the service answers the URLs of its local store."""

import errno
import io
import os
import time
from pathlib import Path

import pytest
import requests

from files.storage.checksums import crc32_of
from files.storage.interface import SignedRequest
from tests.files.storage.conftest import local_store_at
from tests.files.storage.sending import opened, send

HELLO = b"hello world"


def put(store, data=HELLO):
    return store.put("a", io.BytesIO(data), size_bytes=len(data), content_type="text/plain")


def download(store, method="GET", **headers):
    url = store.presign_get("a", filename="plate.csv", content_type="text/csv")
    return requests.request(method, url, headers=headers, timeout=30)


def error_of(answer):
    assert answer.headers["Content-Type"] == "application/json"
    assert set(answer.json()["error"]) == {"code", "message", "details"}
    return answer.status_code, answer.json()["error"]["code"]


@pytest.mark.parametrize(
    ("asked", "status", "body", "told"),
    [
        ("bytes=0-4", 206, b"hello", "bytes 0-4/11"),
        ("bytes=6-", 206, b"world", "bytes 6-10/11"),
        ("bytes=6-999", 206, b"world", "bytes 6-10/11"),
        ("bytes=-5", 206, b"world", "bytes 6-10/11"),
        ("bytes=-999", 206, HELLO, "bytes 0-10/11"),
        ("bytes=5-4", 200, HELLO, None),
        ("bytes=0-1,3-4", 200, HELLO, None),
        ("bytes=-", 200, HELLO, None),
        ("bytes=\u0661-\u0662", 200, HELLO, None),
        ("lines=1-2", 200, HELLO, None),
    ],
)
def test_ranges(local_store, asked, status, body, told):
    put(local_store)

    answer = download(local_store, Range=asked.encode())

    assert (answer.status_code, answer.content, answer.headers.get("Content-Range")) == (status, body, told)


@pytest.mark.parametrize("asked", ["bytes=11-", "bytes=999999999999-", "bytes=-0"])
def test_a_range_beyond_the_end_is_416(local_store, asked):
    put(local_store)

    answer = download(local_store, Range=asked)

    assert error_of(answer) == (416, "RANGE_NOT_SATISFIABLE")
    assert answer.headers["Content-Range"] == "bytes */11"


def test_a_range_of_the_same_object_is_partial(local_store):
    put(local_store)
    whole = download(local_store)

    by_etag = download(local_store, **{"Range": "bytes=6-", "If-Range": whole.headers["ETag"]})
    by_date = download(local_store, **{"Range": "bytes=6-", "If-Range": whole.headers["Last-Modified"]})

    assert (by_etag.status_code, by_date.status_code) == (206, 206)


@pytest.mark.parametrize("condition", ['"another"', "Sat, 21 Nov 2020 02:45:54 GMT", "nonsense"])
def test_a_range_of_another_object_is_the_whole(local_store, condition):
    put(local_store)

    answer = download(local_store, **{"Range": "bytes=6-", "If-Range": condition})

    assert (answer.status_code, answer.content) == (200, HELLO)


@pytest.mark.parametrize("method", ["GET", "HEAD"])
@pytest.mark.parametrize("known", ["{tag}", "W/{tag}", "*", '"other", {tag}'])
def test_an_object_that_the_client_has_is_not_sent_again(local_store, method, known):
    put(local_store)
    etag = download(local_store).headers["ETag"]

    answer = download(local_store, method, **{"If-None-Match": known.format(tag=etag), "Range": "bytes=6-"})

    assert (answer.status_code, answer.content, answer.headers["ETag"]) == (304, b"", etag)
    assert answer.headers["Cache-Control"] == "private, no-store"


def test_an_object_is_not_sent_again_unless_modified_since(local_store):
    put(local_store)
    modified = download(local_store).headers["Last-Modified"]

    assert download(local_store, **{"If-Modified-Since": modified}).status_code == 304


def test_another_object_than_the_one_asked_for_is_412(local_store):
    put(local_store)

    answer = download(local_store, **{"If-Match": '"other"', "Range": "bytes=6-"})

    assert error_of(answer) == (412, "PRECONDITION_FAILED")


def test_head_answers_as_get_without_the_bytes(local_store):
    put(local_store)

    head, get = download(local_store, "HEAD"), download(local_store)

    assert (head.status_code, head.content) == (200, b"")
    ours = {"content-length", "content-type", "etag", "last-modified", "accept-ranges", "content-disposition"}
    assert {name: head.headers[name] for name in ours} == {name: get.headers[name] for name in ours}


def test_what_is_served_cannot_act_on_our_origin(local_store):
    put(local_store)

    headers = download(local_store).headers

    assert headers["X-Content-Type-Options"] == "nosniff"
    assert "sandbox" in headers["Content-Security-Policy"]
    assert headers["Content-Disposition"] == 'attachment; filename="plate.csv"'
    assert headers["Referrer-Policy"] == "no-referrer"
    assert "Set-Cookie" not in headers
    assert "Access-Control-Allow-Origin" not in headers


def test_a_pdf_may_use_the_viewer_of_the_browser(local_store):
    put(local_store)
    url = local_store.presign_get("a", filename="a.pdf", content_type="application/pdf", inline=True)

    headers = requests.get(url, timeout=30).headers

    assert "Content-Security-Policy" not in headers
    assert headers["X-Content-Type-Options"] == "nosniff"


def test_an_empty_object_downloads(local_store):
    put(local_store, b"")

    answer = download(local_store)

    assert (answer.status_code, answer.content, answer.headers["Content-Length"]) == (200, b"", "0")


def test_an_object_larger_than_any_buffer_downloads_whole(local_store):
    data = os.urandom(5_000_001)
    put(local_store, data)

    assert download(local_store).content == data


def test_every_answer_carries_its_request_id(local_store):
    answer = download(local_store, **{"X-Request-ID": "mine-1"})

    assert answer.headers["X-Request-ID"] == "mine-1"
    assert answer.json()["error"]["code"] == "NOT_FOUND"


@pytest.mark.parametrize("method", ["POST", "DELETE", "PATCH", "OPTIONS", "TRACE"])
def test_other_methods_are_405(local_store, method):
    assert error_of(download(local_store, method)) == (405, "METHOD_NOT_ALLOWED")


@pytest.mark.parametrize(
    "path", ["", "a", "..%2f..%2fetc%2fpasswd", "%00", "%ff", "a?signature=", "a?x=\xff&signature=0"]
)
def test_an_unsigned_path_is_403(local_store, path):
    root = local_store.presign_get("a", filename="a", content_type="text/csv").partition("a?")[0]

    answer = requests.get(root + path, timeout=30)

    assert error_of(answer) == (403, "FORBIDDEN")


def test_neither_token_nor_cookie_opens_an_object(local_store):
    put(local_store)
    url = local_store.presign_get("a", filename="a", content_type="text/csv").partition("?")[0]

    answer = requests.get(url, headers={"Authorization": "Bearer ids_x", "Cookie": "sessionid=x"}, timeout=30)

    assert answer.status_code == 403


def test_a_longer_body_is_413_and_a_shorter_400(local_store):
    signed = local_store.presign_put("a", size_bytes=11, content_type="text/csv")

    assert error_of(send(signed, HELLO + b"!")) == (413, "PAYLOAD_TOO_LARGE")
    assert error_of(send(signed, HELLO[:-1])) == (400, "BYTES_REFUSED")


def test_other_bytes_are_told_both_checksums(local_store):
    signed = local_store.presign_put("a", size_bytes=11, content_type="text/csv", crc32=crc32_of(HELLO))

    answer = send(signed, HELLO.upper())

    assert error_of(answer) == (400, "BYTES_REFUSED")
    assert answer.json()["error"]["details"] == {"crc32": crc32_of(HELLO), "received": crc32_of(HELLO.upper())}


def test_a_full_disk_is_503_and_says_when_to_come_back(local_store, monkeypatch):
    def full(*arguments):
        raise OSError(errno.ENOSPC, "full")

    monkeypatch.setattr(os, "pwrite", full)
    signed = local_store.presign_put("a", size_bytes=11, content_type="text/csv")

    answer = send(signed, HELLO)

    assert error_of(answer) == (503, "SERVICE_UNAVAILABLE")
    assert answer.headers["Retry-After"] == "60"
    assert list(local_store.layout.staging.iterdir()) == []


def test_a_client_is_told_before_it_has_sent_everything(local_store):
    put(local_store)
    signed = local_store.presign_put("a", size_bytes=1 << 30, content_type="text/csv")

    with opened(signed) as connection:
        answer = connection.recv(65536)

    assert answer.startswith(b"HTTP/1.1 412 ")
    assert b"connection: close" in answer


def test_a_refused_client_that_keeps_sending_still_reads_its_answer(local_store, monkeypatch):
    monkeypatch.setattr("wire.asgi.LINGER_SECONDS", 60)
    monkeypatch.setattr("wire.asgi.LINGER_IDLE_SECONDS", 60)  # it never stops by itself, only where the machine does
    put(local_store)
    body = bytes(32 << 20)
    signed = local_store.presign_put("a", size_bytes=len(body), content_type="text/csv")

    assert error_of(send(signed, body)) == (412, "PRECONDITION_FAILED")


@pytest.mark.parametrize("size_bytes", [11, 2 << 20])  # of one block, and of several
def test_a_stalled_upload_is_given_up(tmp_path, size_bytes):
    with local_store_at(tmp_path, idle_seconds=0.2) as store:
        with opened(store.presign_put("a", size_bytes=size_bytes, content_type="text/csv")) as connection:
            connection.sendall(b"hello")
            answer = connection.recv(65536)

        assert answer.startswith(b"HTTP/1.1 408 ")
        assert not list(tmp_path.rglob("data"))


@pytest.mark.parametrize("size_bytes", [0, 1, 1 << 20, (1 << 20) + 1])  # around a block
def test_what_is_sent_is_what_is_kept(local_store, size_bytes):
    body = bytes(range(256)) * (size_bytes // 256) + bytes(size_bytes % 256)
    signed = local_store.presign_put("a", size_bytes=size_bytes, content_type="text/csv", crc32=crc32_of(body))

    answer = send(signed, body)

    assert answer.status_code == 200
    stored = local_store.head("a")
    assert (stored.size_bytes, stored.crc32, f'"{stored.etag}"') == (size_bytes, crc32_of(body), answer.headers["ETag"])
    assert list(local_store.layout.staging.iterdir()) == []


def test_a_reader_that_stalls_is_given_up(tmp_path, monkeypatch):
    with local_store_at(tmp_path, idle_seconds=0.2) as store:
        put(store, bytes(64 << 20))
        open_data, was_open = store.open_data, []

        def open_and_look(key):
            data = open_data(key)
            was_open.append(is_open(tmp_path / "a@/data"))
            return data

        monkeypatch.setattr(store, "open_data", open_and_look)
        url = store.presign_get("a", filename="a", content_type="text/csv")

        with opened(SignedRequest("GET", url, {}, 900)) as connection:
            answer = connection.recv(1024)
            wait_until(lambda: not is_open(tmp_path / "a@/data"))

    assert was_open == [True]
    assert answer.startswith(b"HTTP/1.1 200 ")


def is_open(path):
    """Whether this process, and so the server in it, holds the file."""
    return any(os.path.realpath(link) == str(path) for link in Path("/proc/self/fd").iterdir())


def wait_until(condition, seconds=60):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)
