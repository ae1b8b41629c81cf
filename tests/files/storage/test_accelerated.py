"""Downloads whose bytes nginx sends, behind deploy/nginx.conf as it is shipped: no other than the service's own."""

import io
import os
import stat

import pytest
import requests
from django.core.exceptions import ImproperlyConfigured

from files.storage.accelerated import check_prefix
from tests.faults.nginx import find_nginx, running_nginx
from tests.files.storage.conftest import local_store_at
from tests.ports import free_port

HELLO = b"hello world"
NO_NGINX = "nginx is not installed (Debian: apt-get install nginx)"
BY_NGINX = {"date", "server", "connection", "transfer-encoding"}
needs_nginx = pytest.mark.skipif(find_nginx() is None, reason=NO_NGINX)


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    with local_store_at(tmp_path_factory.mktemp("accelerated"), accel_prefix="/_stored/") as store:
        store.put("runs/a", io.BytesIO(HELLO), size_bytes=len(HELLO), content_type="text/plain")
        yield store


@pytest.fixture(scope="module")
def proxy(store, tmp_path_factory):
    yield from behind_nginx(store, tmp_path_factory.mktemp("proxy"), objects=store.layout.root)


@pytest.fixture(scope="module")
def blind_proxy(store, tmp_path_factory):
    """It finds no file of the store."""
    folder = tmp_path_factory.mktemp("blind")
    yield from behind_nginx(store, folder, objects=folder / "nowhere")


def behind_nginx(store, folder, *, objects):
    port, served = free_port(), int(direct_url(store).split(":")[2].split("/")[0])
    with running_nginx((served, served), port=port, folder=folder / "nginx", objects=objects):
        yield f"http://127.0.0.1:{port}"


def direct_url(store, filename="plate.csv"):
    return store.presign_get("runs/a", filename=filename, content_type="text/csv")


def ask(store, proxy, *, filename="plate.csv", **headers):
    """The answers to one URL, of the service and of nginx before it."""
    url = direct_url(store, filename)
    path = url.split("/", 3)[3]
    return tuple(requests.get(address, headers=headers, timeout=30) for address in (url, f"{proxy}/{path}"))


def shown(answer):
    told = {name.lower(): value for name, value in answer.headers.items() if name.lower() not in BY_NGINX}
    return answer.status_code, answer.content, told | {"x-request-id": "any"}


@needs_nginx
@pytest.mark.slow
@pytest.mark.parametrize(
    "asked",
    ["", "bytes=0-4", "bytes=6-", "bytes=6-999", "bytes=-5", "bytes=5-4", "bytes=0-1,3-4", "bytes=-", "lines=1-2"],
)
def test_nginx_answers_as_the_service_does(store, proxy, asked):
    ours, theirs = ask(store, proxy, **({"Range": asked} if asked else {}))

    assert shown(theirs) == shown(ours)


@needs_nginx
@pytest.mark.slow
def test_a_range_beyond_the_end_is_refused_in_the_envelope(store, proxy):
    ours, theirs = ask(store, proxy, Range="bytes=11-")

    assert (theirs.status_code, theirs.json()) == (416, ours.json())


@needs_nginx
@pytest.mark.slow
@pytest.mark.parametrize("name", ["If-Range", "If-Match", "If-None-Match"])
@pytest.mark.parametrize("holds", [True, False])
def test_conditions_are_judged_alike(store, proxy, name, holds):
    whole, _ = ask(store, proxy)
    value = whole.headers["ETag"] if holds else '"another"'

    ours, theirs = ask(store, proxy, **{name: value, "Range": "bytes=6-"})

    assert (theirs.status_code, theirs.content[:5]) == (ours.status_code, ours.content[:5])
    assert theirs.headers.get("ETag") == ours.headers.get("ETag")


@needs_nginx
@pytest.mark.slow
@pytest.mark.parametrize("filename", ["Überstand 1.csv", 'a"b\\c.csv', "..;x=%2f\u202e.csv", "a\r\nSet-Cookie: x.csv"])
def test_odd_names_stay_quoted(store, proxy, filename):
    ours, theirs = ask(store, proxy, filename=filename)

    assert theirs.headers["Content-Disposition"] == ours.headers["Content-Disposition"]
    assert "Set-Cookie" not in theirs.headers


@needs_nginx
@pytest.mark.slow
def test_the_bytes_are_sent_by_nginx(store, proxy):
    path = direct_url(store).split("/", 3)[3]
    data = store.layout.object_directory("runs/a") / "data"
    written = data.read_bytes()
    data.write_bytes(b"HELLO WORLD")

    answer = requests.get(f"{proxy}/{path}", headers={"X-Sendfile-Type": "nothing"}, timeout=30)
    data.write_bytes(written)

    assert answer.content == b"HELLO WORLD"
    assert "X-Accel-Redirect" not in answer.headers


@needs_nginx
@pytest.mark.slow
@pytest.mark.parametrize("path", ["/_stored/runs/a@/data", "/_stored/", "/_stored/../_stored/runs/a@/data"])
def test_nobody_outside_reaches_the_internal_place(store, proxy, path):
    answer = requests.get(proxy + path, headers={"X-Accel-Redirect": "/_stored/runs/a@/data"}, timeout=30)

    assert answer.status_code == 404
    assert HELLO not in answer.content


@needs_nginx
@pytest.mark.slow
def test_an_unsigned_download_is_refused_as_ever(store, proxy):
    answer = requests.get(f"{proxy}/objects/runs/a", timeout=30)

    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "FORBIDDEN")


@needs_nginx
@pytest.mark.slow
@pytest.mark.parametrize("asked", ["", "bytes=6-"])
def test_what_nginx_cannot_read_the_service_sends(store, blind_proxy, asked):
    ours, theirs = ask(store, blind_proxy, **({"Range": asked} if asked else {}))

    assert shown(theirs) == shown(ours)


def test_who_asks_without_a_proxy_gets_the_bytes(store):
    answer = requests.get(direct_url(store), timeout=30)

    assert (answer.content, "X-Accel-Redirect" in answer.headers) == (HELLO, False)


def test_an_offer_is_answered_with_the_place_and_no_bytes(store):
    answer = requests.get(direct_url(store), headers={"X-Sendfile-Type": "X-Accel-Redirect"}, timeout=30)

    assert (answer.content, answer.headers["X-Accel-Redirect"]) == (b"", "/_stored/runs/a%40/data")


@pytest.mark.parametrize("prefix", ["_stored/", "/_stored", "/", "/a b/", "/objects/x/", "/../", "/_stored/\r\n"])
def test_a_prefix_that_is_no_place_of_nginx_is_refused_at_the_start(prefix):
    with pytest.raises(ImproperlyConfigured, match="ACCEL_REDIRECT_PREFIX"):
        check_prefix(prefix)


@pytest.mark.parametrize(("group_reads", "file_mode", "folder_mode"), [(True, 0o640, 0o750), (False, 0o600, 0o700)])
def test_the_group_reads_objects_only_where_it_should(tmp_path, group_reads, file_mode, folder_mode):
    root = tmp_path / "objects"
    before = os.umask(0o077)
    try:
        with local_store_at(root, group_reads=group_reads) as store:
            put_in_every_way(store)
    finally:
        os.umask(before)

    assert modes_of(root.rglob("*@/data")) == {file_mode}
    assert modes_of([root, root / "runs", *root.rglob("*@")]) == {folder_mode}


def put_in_every_way(store):
    store.put("runs/put", io.BytesIO(HELLO), size_bytes=len(HELLO), content_type="text/plain")
    upload_id = store.start_multipart("runs/parts", content_type="text/plain", size_bytes=None, part_size=5 * 1024**2)
    part = store.put_part("runs/parts", upload_id=upload_id, part_number=1, data=HELLO)
    store.complete_multipart("runs/parts", upload_id=upload_id, parts=[part])
    crc32 = store.head("runs/put").crc32
    store.mend("runs/put", io.BytesIO(HELLO), size_bytes=len(HELLO), crc32=crc32, content_type="text/plain")


def modes_of(paths):
    return {stat.S_IMODE(path.stat().st_mode) for path in paths}
