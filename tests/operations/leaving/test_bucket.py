"""Everything that a lab owns, to a bucket and from there into an empty service."""

import io
import json
import zipfile
from argparse import ArgumentTypeError

import boto3
import pytest
from django.core.management import CommandError
from moto.server import ThreadedMotoServer

from files.storage.interface import StoreUnavailable
from operations.leaving import exporting, shelves
from operations.leaving.bucket import BucketPath, bucket_client, parse_place
from operations.leaving.comparing import Comparison, compare_everything
from operations.leaving.exporting import export_everything
from operations.leaving.folder import LeavingError, find_faults, read_manifest
from operations.leaving.importing import import_everything
from tests.operations.leaving.lab import make_lab, set_long_ago, stored_bytes
from tests.operations.leaving.test_exporting import command
from tests.operations.leaving.test_importing import empty
from wire.clock import now

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]


@pytest.fixture(scope="module")
def s3_url():
    server = ThreadedMotoServer("127.0.0.1", port=0)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


@pytest.fixture
def place(s3_url, settings):
    settings.EXPORT_S3 = {"endpoint_url": s3_url, "region": "us-east-1", "access_key": "key", "secret_key": "secret"}
    bucket_client.cache_clear()
    bucket = boto3.resource("s3", endpoint_url=s3_url, region_name="us-east-1", **keys()).create_bucket(Bucket="away")
    yield BucketPath("away", "lab/2026")
    bucket.objects.all().delete()
    bucket_client.cache_clear()


def keys():
    return {"aws_access_key_id": "key", "aws_secret_access_key": "secret"}


def objects():
    listed = bucket_client().list_objects_v2(Bucket="away").get("Contents", ())
    return {one["Key"]: bucket_client().get_object(Bucket="away", Key=one["Key"])["Body"].read() for one in listed}


def test_a_bucket_has_what_a_folder_has(store, folder, place):
    make_lab()

    export_everything(folder, store, at=now())
    done = export_everything(place, store, at=now())

    there = {name.removeprefix("lab/2026/") for name in objects()}
    assert there == {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    assert (done.runs, done.told) == (4, [])
    assert [fault for _, fault in find_faults(place) if fault] == []


def test_nothing_stays_behind_on_this_machine(store, place, settings):
    make_lab()

    export_everything(place, store, at=now())

    assert [path for path in (settings.IDS_DATA / "leaving").rglob("*") if path.is_file()] == []


@pytest.mark.parametrize("sent_before", [0, 1, 3])
def test_killed_at_any_run_it_goes_on_and_sends_nothing_twice(store, place, monkeypatch, sent_before):
    make_lab()
    send, sent = shelves.BucketShelf._send, []

    def send_and_die(shelf, path, sha256):
        if len(sent) == sent_before:
            raise KeyboardInterrupt
        sent.append(path)
        send(shelf, path, sha256)

    monkeypatch.setattr(shelves.BucketShelf, "_send", send_and_die)
    with pytest.raises(KeyboardInterrupt):
        export_everything(place, store, at=now())
    monkeypatch.undo()

    done = export_everything(place, store, at=now())

    assert (done.runs, done.kept) == (4, sent_before)
    assert [fault for _, fault in find_faults(place) if fault] == []


def test_killed_before_the_manifest_is_there_it_is_no_export_yet(store, place, monkeypatch):
    make_lab()
    take = shelves.BucketShelf.take_listing

    def die_at_manifest(shelf, path):
        if path == "manifest.json":
            raise KeyboardInterrupt
        take(shelf, path)

    monkeypatch.setattr(shelves.BucketShelf, "take_listing", die_at_manifest)
    with pytest.raises(KeyboardInterrupt):
        export_everything(place, store, at=now())
    monkeypatch.undo()
    with pytest.raises(LeavingError, match="not finished"):
        read_manifest(place)

    assert export_everything(place, store, at=now()).kept == 4
    assert read_manifest(place)["rows"]["runs"] == 4


def test_an_object_that_went_meanwhile_is_sent_again(store, place, monkeypatch):
    make_lab()
    with monkeypatch.context() as dying:
        dying.setattr(exporting, "finish_folder", raise_interrupt)
        with pytest.raises(KeyboardInterrupt):
            export_everything(place, store, at=now())
    gone = next(name for name in objects() if name.endswith(".zip"))
    bucket_client().delete_object(Bucket="away", Key=gone)

    assert export_everything(place, store, at=now()).kept == 3
    assert gone in objects()


def raise_interrupt(*_, **__):
    raise KeyboardInterrupt


def test_bytes_that_came_otherwise_than_they_were_sent_are_found_at_once(store, place, monkeypatch):
    make_lab()
    monkeypatch.setattr(BucketPath, "digest", lambda path: "0" * 64)

    with pytest.raises(LeavingError, match="other bytes than were sent"):
        export_everything(place, store, at=now())


@pytest.mark.parametrize("name", ["tables/runs.jsonl", "trail.jsonl", "runs/"])
def test_altered_bytes_in_the_bucket_are_named(store, place, name):
    make_lab()
    export_everything(place, store, at=now())
    key = next(one for one in objects() if one.startswith(f"lab/2026/{name}"))
    altered = bytearray(objects()[key])
    altered[len(altered) // 2] ^= 1
    bucket_client().put_object(Bucket="away", Key=key, Body=bytes(altered))

    with pytest.raises(CommandError, match="1 files are not"):
        command(place, "--verify")
    with pytest.raises(LeavingError, match="is not what was exported"):
        import_everything(place, store, at=now())


def test_a_finished_export_and_a_strange_place_are_left_alone(store, place):
    make_lab()
    export_everything(place, store, at=now())
    bucket_client().put_object(Bucket="away", Key="other/x", Body=b"theirs")

    with pytest.raises(LeavingError, match="finished export"):
        export_everything(place, store, at=now())
    with pytest.raises(LeavingError, match="neither empty"):
        export_everything(BucketPath("away", "other"), store, at=now())


def test_what_left_to_a_bucket_comes_in_from_it(store, place):
    run = make_lab()
    set_long_ago(run)
    before = stored_bytes(store)
    export_everything(place, store, at=now())
    empty(store)

    import_everything(place, store, at=now())

    assert stored_bytes(store) == before
    assert list(compare_everything(place, store, Comparison())) == []


def test_a_crate_in_a_bucket_is_read_in_pieces(place):
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as made:
        made.writestr("a", b"a" * 100_000)
        made.writestr("b", json.dumps([1, 2]))
    bucket_client().put_object(Bucket="away", Key="lab/2026/x.zip", Body=data.getvalue())

    with (place / "x.zip").open() as file, zipfile.ZipFile(file) as crate:
        assert json.loads(crate.read("b")) == [1, 2]
        assert crate.read("a") == b"a" * 100_000


def test_a_bucket_that_is_not_there_is_told_and_nothing_is_written(store, place):
    with pytest.raises(StoreUnavailable):
        export_everything(BucketPath("nobodys", "x"), store, at=now())


def test_a_place_is_a_folder_or_a_bucket(tmp_path):
    assert parse_place("s3://away/lab/2026/") == BucketPath("away", "lab/2026")
    assert parse_place(str(tmp_path)) == tmp_path
    with pytest.raises(ArgumentTypeError, match="names no bucket"):
        parse_place("s3:///x")
