"""What is the S3 adapter's own: what its URLs bind, the two addresses, and what a store that fails is called."""

from contextlib import contextmanager
from urllib.parse import parse_qs, urlsplit

import pytest

from files.storage.port import StoreUnavailable
from files.storage.s3 import S3Store
from tests.web import address_of, empty_app, listening, serving
from wire.asgi import answer

ERROR = b"<Error><Code>InternalError</Code><Message>No.</Message></Error>"
KEYS = {"access_key_id": "key", "secret_access_key": "secret"}


def store_at(url="http://127.0.0.1:9", **options):
    return S3Store(bucket="lab", endpoint_url=url, **KEYS, **options)


def query(url):
    return {name: values[0] for name, values in parse_qs(urlsplit(url).query).items()}


def test_an_upload_url_binds_length_type_checksum_and_absence():
    signed = store_at().presign_put("a", size_bytes=11, content_type="text/csv", crc32="0d4a1185")

    assert (
        query(signed.url)["X-Amz-SignedHeaders"]
        == "content-length;content-type;host;if-none-match;x-amz-checksum-crc32"
    )
    assert query(signed.url)["X-Amz-Algorithm"] == "AWS4-HMAC-SHA256"
    assert query(signed.url)["X-Amz-Expires"] == "900"
    assert signed.headers == {
        "Content-Length": "11",
        "Content-Type": "text/csv",
        "If-None-Match": "*",
        "x-amz-checksum-crc32": "DUoRhQ==",
    }


def test_an_upload_url_without_a_checksum_binds_the_rest():
    signed = store_at().presign_put("a", size_bytes=0, content_type="text/csv")

    assert query(signed.url)["X-Amz-SignedHeaders"] == "content-length;content-type;host;if-none-match"
    assert signed.headers == {"Content-Length": "0", "Content-Type": "text/csv", "If-None-Match": "*"}


def test_a_part_url_binds_upload_number_length_and_checksum():
    signed = store_at().presign_part("a", upload_id="u-1", part_number=3, size_bytes=11, crc32="0d4a1185")

    assert query(signed.url)["X-Amz-SignedHeaders"] == "content-length;host;x-amz-checksum-crc32"
    assert (query(signed.url)["uploadId"], query(signed.url)["partNumber"]) == ("u-1", "3")
    assert signed.headers == {"Content-Length": "11", "x-amz-checksum-crc32": "DUoRhQ=="}


def test_a_download_url_binds_name_and_type():
    url = store_at().presign_get("a", filename="plate 1.csv", content_type="text/csv", inline=True)

    assert query(url)["X-Amz-SignedHeaders"] == "host"
    assert query(url)["response-content-type"] == "text/csv"
    assert query(url)["response-content-disposition"] == 'inline; filename="plate 1.csv"'


def test_urls_are_signed_for_the_address_that_callers_see():
    store = store_at(public_endpoint_url="https://files.lab.example")

    url = store.presign_get("a", filename="a", content_type="text/csv")

    assert url.startswith("https://files.lab.example/lab/a?")


def test_aws_is_addressed_by_bucket_name():
    store = S3Store(bucket="lab", region="eu-central-1", **KEYS)

    url = store.presign_get("a", filename="a", content_type="text/csv")

    assert urlsplit(url).hostname == "lab.s3.eu-central-1.amazonaws.com"


def test_a_store_that_refuses_connections_is_unavailable():
    store = store_at()

    with pytest.raises(StoreUnavailable) as refusal:
        store.head("a")

    assert (refusal.value.status, refusal.value.code) == (503, "SERVICE_UNAVAILABLE")
    assert refusal.value.headers["Retry-After"]
    with pytest.raises(StoreUnavailable):
        store.check()
    with pytest.raises(StoreUnavailable):
        list(store.list())


def test_an_error_of_the_store_is_unavailable():
    with answering(500, ERROR) as url, pytest.raises(StoreUnavailable, match="InternalError"):
        store_at(url).start_multipart("a", content_type="text/csv", size_bytes=1, part_size=1)


def test_an_answer_that_is_no_xml_is_unavailable():
    with answering(502, b"<html>gateway</html>") as url, pytest.raises(StoreUnavailable):
        store_at(url).start_multipart("a", content_type="text/csv", size_bytes=1, part_size=1)


def test_a_download_that_breaks_off_is_unavailable():
    with answering(200, b"only this", announced=100) as url, store_at(url).open_range("a") as source:
        assert source.read(4) == b"only"
        with pytest.raises(StoreUnavailable):
            source.read()


def test_a_bucket_that_is_not_there_fails_the_check(moto_url):
    store = S3Store(bucket="none", endpoint_url=moto_url, **KEYS)

    with pytest.raises(StoreUnavailable):
        store.check()


@contextmanager
def answering(status, body, announced=None):
    """A store that answers this to everything."""
    length = str(announced or len(body))

    async def app(scope, receive, send):
        if scope["type"] == "lifespan":
            await empty_app(scope, receive, send)
            return
        headers = [("Content-Length", length), ("ETag", '"x"'), ("Last-Modified", "Sat, 21 Nov 2026 02:45:54 GMT")]
        await answer(send, status, headers, body, more=announced is not None)

    with listening() as sock, serving(app, sock):
        yield address_of(sock)
