"""What a store must refuse of a signed request, checked on those that do: ours and Swift's."""

import time

import pytest
import requests

from files.storage.checksums import crc32_of
from files.storage.interface import MIN_PART_SIZE
from tests.files.storage.sending import REFUSED, send, send_partly, with_header, with_url, without

HELLO = b"hello world"
OTHER = b"hello w0rld"
SUM = "0d4a1185"  # the CRC32 of HELLO
PART = b"a" * MIN_PART_SIZE
OTHER_PART = b"b" * MIN_PART_SIZE


def sign(store, key="a", crc32=SUM, **terms):
    return store.presign_put(key, size_bytes=11, content_type="text/csv", crc32=crc32, **terms)


def sign_part(store, upload_id, number=1, key="big"):
    return store.presign_part(key, upload_id=upload_id, part_number=number, size_bytes=len(PART), crc32=crc32_of(PART))


def start(store, key="big"):
    return store.start_multipart(key, content_type="text/csv", size_bytes=None, part_size=MIN_PART_SIZE)


def is_empty(store):
    return list(store.list()) == []


def test_other_bytes_are_refused(strict_store):
    assert send(sign(strict_store), OTHER).status_code == 400
    assert is_empty(strict_store)


@pytest.mark.parametrize("body", [HELLO[:-1], HELLO + b"!"])
def test_another_length_is_refused(strict_store, body):
    assert send(sign(strict_store, crc32=None), body).status_code in REFUSED
    assert is_empty(strict_store)


@pytest.mark.parametrize("header", ["Content-Type", "If-None-Match", "x-amz-checksum-crc32"])
def test_every_listed_header_must_be_sent(strict_store, header):
    assert send(without(sign(strict_store), header), HELLO).status_code == 403
    assert is_empty(strict_store)


@pytest.mark.parametrize(("header", "value"), [("Content-Type", "text/html"), ("x-amz-checksum-crc32", "AAAAAA==")])
def test_no_header_may_differ(strict_store, header, value):
    assert send(with_header(sign(strict_store), header, value), HELLO).status_code in REFUSED
    assert is_empty(strict_store)


def test_a_body_without_a_length_is_refused(strict_store):
    signed = without(sign(strict_store), "Content-Length")

    assert send(signed, iter([HELLO])).status_code in REFUSED
    assert is_empty(strict_store)


def test_another_key_is_refused(strict_store):
    assert send(with_url(sign(strict_store, "runs/1/a"), "runs/1/a", "runs/1/b"), HELLO).status_code == 403
    assert is_empty(strict_store)


def test_a_changed_signature_is_refused(strict_store):
    signed = sign(strict_store)
    last = "0" if signed.url[-1] != "0" else "1"

    assert send(with_url(signed, signed.url, signed.url[:-1] + last), HELLO).status_code == 403
    assert is_empty(strict_store)


def test_an_upload_url_does_not_download(strict_store):
    signed = sign(strict_store)
    send(signed, HELLO)

    assert requests.get(signed.url, timeout=30).status_code == 403


def test_a_download_url_does_not_upload(strict_store):
    url = strict_store.presign_get("a", filename="a", content_type="text/csv")

    assert requests.put(url, data=HELLO, timeout=30).status_code == 403
    assert is_empty(strict_store)


def test_an_expired_upload_url_is_refused(strict_store):
    signed = sign(strict_store, expires_in=1)

    wait_until_past(1)

    assert send(signed, HELLO).status_code == 403
    assert is_empty(strict_store)


def test_an_expired_download_url_is_refused(strict_store):
    send(sign(strict_store), HELLO)
    url = strict_store.presign_get("a", filename="a", content_type="text/csv", expires_in=1)

    wait_until_past(1)

    assert requests.get(url, timeout=30).status_code == 403


def test_a_life_cannot_be_prolonged(strict_store):
    signed = sign(strict_store, expires_in=777)
    term = "X-Amz-Expires=777" if "X-Amz-Expires" in signed.url else "expires="

    assert send(with_url(signed, term, term.replace("777", "9999") + "9"), HELLO).status_code == 403


def test_an_upload_that_breaks_off_leaves_nothing(strict_store):
    answer = send_partly(sign(strict_store), HELLO[:5])

    assert b" 200 " not in answer
    assert is_empty(strict_store)


def test_a_part_of_other_bytes_is_refused(strict_store):
    upload_id = start(strict_store)

    assert send(sign_part(strict_store, upload_id), OTHER_PART).status_code == 400
    assert strict_store.list_parts("big", upload_id=upload_id) == []


def test_a_part_under_another_number_is_refused(strict_store):
    upload_id = start(strict_store)
    signed = sign_part(strict_store, upload_id, number=7)
    term = "partNumber=7" if "partNumber=7" in signed.url else "part=7"

    assert send(with_url(signed, term, term.replace("7", "8")), PART).status_code == 403
    assert strict_store.list_parts("big", upload_id=upload_id) == []


def test_a_part_of_another_upload_is_refused(strict_store):
    mine, other = start(strict_store), start(strict_store)

    assert send(with_url(sign_part(strict_store, mine), mine, other), PART).status_code == 403
    assert strict_store.list_parts("big", upload_id=other) == []


def wait_until_past(seconds):
    """Signatures count whole seconds: one that lives n is dead when n + 1 have begun."""
    time.sleep(seconds + 1.1)
