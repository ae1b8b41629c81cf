"""What is the S3 adapter's own: what its URLs bind, the two addresses, and what a store that fails is called."""

from contextlib import contextmanager
from urllib.parse import parse_qs, urlsplit

import pytest
from django.core.exceptions import ImproperlyConfigured

from files.storage import object_store
from files.storage.interface import StoreUnavailable
from files.storage.s3_errors import MAX_WAITING_THREADS
from tests.live_server import address_of, empty_app, listening, serving
from tests.stores import S3_BACKEND, s3_store_at, use_backend
from wire.asgi import send_response

ERROR = b"<Error><Code>InternalError</Code><Message>No.</Message></Error>"
LISTED = {
    b"list-type": [
        b"<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>2</NextContinuationToken>"
        b"<Contents><Key>a</Key><Size>1</Size><ETag>x</ETag><LastModified>2025-01-01T00:00:00Z</LastModified></Contents>"
        b"</ListBucketResult>",
        b"<ListBucketResult><IsTruncated>false</IsTruncated>"
        b"<Contents><Key>b</Key><Size>1</Size><ETag>x</ETag><LastModified>2025-01-01T00:00:00Z</LastModified></Contents>"
        b"</ListBucketResult>",
    ]
}
KEYS = {"access_key": "key", "secret_key": "secret"}


def store_at(url="http://127.0.0.1:9", **options):
    return s3_store_at(url, bucket="lab", **options)


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
    store = store_at(public="https://files.lab.example")

    url = store.presign_get("a", filename="a", content_type="text/csv")

    assert url.startswith("https://files.lab.example/lab/a?")


def test_aws_is_addressed_by_bucket_name():
    store = s3_store_at(None, bucket="lab", region_name="eu-central-1")

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


def test_a_listing_that_is_read_slowly_keeps_nobody_waiting():
    with paging(LISTED) as url:
        store = store_at(url)
        listings = [store.list() for _ in range(MAX_WAITING_THREADS + 1)]

        first = [next(listing).key for listing in listings]
        rest = [[stored.key for stored in listing] for listing in listings]

    assert first == ["a"] * (MAX_WAITING_THREADS + 1)
    assert rest == [["b"]] * (MAX_WAITING_THREADS + 1)


def test_a_store_that_breaks_off_between_pages_is_unavailable():
    with paging({b"list-type": LISTED[b"list-type"][:1]}) as url:
        listing = store_at(url).list()

        assert next(listing).key == "a"
        with pytest.raises(StoreUnavailable):
            next(listing)


def test_a_bucket_that_is_not_there_fails_the_check(moto_url):
    store = s3_store_at(moto_url, bucket="none")

    with pytest.raises(StoreUnavailable):
        store.check()


@contextmanager
def paging(pages):
    """A store that answers each kind of listing page by page, and after its last page with an error."""

    async def app(scope, receive, send):
        if scope["type"] == "lifespan":
            await empty_app(scope, receive, send)
            return
        query = scope["query_string"]
        is_next = b"continuation-token" in query or b"marker=" in query
        asked = next((found for kind, found in pages.items() if kind in query), ())
        found = asked[is_next:][:1]
        await send_response(
            send, 200 if found else 500, [("Content-Type", "application/xml")], found[0] if found else ERROR
        )

    with listening() as sock, serving(app, sock):
        yield address_of(sock)


@contextmanager
def answering(status, body, announced=None):
    """A store that answers this to everything."""
    length = str(announced or len(body))

    async def app(scope, receive, send):
        if scope["type"] == "lifespan":
            await empty_app(scope, receive, send)
            return
        headers = [("Content-Length", length), ("ETag", '"x"'), ("Last-Modified", "Sat, 21 Nov 2026 02:45:54 GMT")]
        await send_response(send, status, headers, body, more=announced is not None)

    with listening() as sock, serving(app, sock):
        yield address_of(sock)


def test_the_options_of_django_storages_say_how_to_reach_the_bucket(settings):
    address = {"endpoint_url": "https://s3.lab.example", "addressing_style": "virtual", "region_name": "eu-1"}
    use_backend(settings, S3_BACKEND, bucket_name="lab", **KEYS, **address)

    url = object_store().presign_get("a", filename="a", content_type="text/csv")

    object_store.cache_clear()
    assert urlsplit(url).netloc == "lab.s3.lab.example"
    assert "/eu-1/s3/aws4_request" in query(url)["X-Amz-Credential"]


def test_certificates_of_the_lab_are_those_that_every_client_asks(settings):
    address = {"endpoint_url": "https://s3.lab.example", "region_name": "eu-1", "verify": "/etc/ssl/lab.pem"}
    use_backend(settings, S3_BACKEND, bucket_name="lab", **KEYS, **address)

    store = object_store()

    object_store.cache_clear()
    asked = {client._endpoint.http_session._verify for client in (store._quick, store._patient)}
    assert asked == {"/etc/ssl/lab.pem"}


@pytest.mark.parametrize("option", ["location", "gzip", "nonsense"])
def test_an_option_that_would_have_no_effect_is_refused(settings, option):
    use_backend(settings, S3_BACKEND, bucket_name="lab", **{option: "x"})

    with pytest.raises(ImproperlyConfigured, match=option):
        object_store()


def test_another_backend_is_refused(settings):
    use_backend(settings, "django.core.files.storage.InMemoryStorage")

    with pytest.raises(ImproperlyConfigured, match="InMemoryStorage"):
        object_store()
