"""Two machines do not write to one place of a bucket at once."""

import threading
from contextlib import contextmanager
from datetime import timedelta

import boto3
import pytest

from operations.leaving import bucket_lock
from operations.leaving.bucket import BucketPath, bucket_client
from operations.leaving.bucket_lock import PlaceLost, PlaceTaken, hold_place
from operations.leaving.exporting import export_everything
from operations.leaving.folder import LeavingError, find_faults
from tests import radosgw
from tests.moto_servers import running_moto
from tests.operations.leaving.lab import make_lab
from wire.clock import now

pytestmark = pytest.mark.slow
PLACE = BucketPath("turns", "lab/2026")


@pytest.fixture(scope="module")
def moto_url():
    with running_moto() as url:
        yield url


@contextmanager
def bucket_at(url, settings, *, key="key", secret="secret"):
    settings.EXPORT_S3 = {"endpoint_url": url, "region": "us-east-1", "access_key": key, "secret_key": secret}
    bucket_client.cache_clear()
    keys = {"aws_access_key_id": key, "aws_secret_access_key": secret}
    bucket = boto3.resource("s3", endpoint_url=url, region_name="us-east-1", **keys).create_bucket(Bucket="turns")
    yield PLACE
    bucket.objects.all().delete()
    bucket_client.cache_clear()


@pytest.fixture(params=["moto", "radosgw"])
def place(request, settings):
    if request.param == "moto":
        with bucket_at(request.getfixturevalue("moto_url"), settings) as place:
            yield place
    else:
        url = request.getfixturevalue("radosgw_url")
        with bucket_at(url, settings, key=radosgw.USER, secret=radosgw.SECRET) as place:
            yield place


@pytest.fixture
def moto_place(moto_url, settings):
    with bucket_at(moto_url, settings) as place:
        yield place


def keys():
    return [one["Key"] for one in bucket_client().list_objects_v2(Bucket="turns").get("Contents", ())]


def silent_at_once(monkeypatch):
    monkeypatch.setattr(bucket_lock, "SILENT_AFTER", timedelta(seconds=-5))  # a store's times are of whole seconds


def test_the_second_is_refused_in_words_and_comes_when_the_first_is_done(place, monkeypatch):
    monkeypatch.setattr("socket.gethostname", lambda: "lab-server")

    with hold_place(place, holder="a"), pytest.raises(PlaceTaken, match="on lab-server, heard of"):
        hold_place(place, holder="b").__enter__()
    with hold_place(place, holder="b"):
        assert keys() == ["lab/2026/export.lock.000001"]

    assert keys() == []


def test_of_two_at_once_one_gets_the_place(place):
    for _ in range(5):
        begun, ended, got = threading.Barrier(2), threading.Barrier(2), []

        def take(holder, begun=begun, ended=ended, got=got):
            begun.wait()
            try:
                with hold_place(place, holder=holder):
                    got.append(holder)
                    ended.wait()
            except PlaceTaken:
                ended.wait()

        threads = [threading.Thread(target=take, args=[holder]) for holder in "ab"]
        [one.start() for one in threads]
        [one.join(60) for one in threads]

        assert len(got) == 1


def test_one_that_is_silent_for_long_gives_way_and_stops_when_it_wakes(place, monkeypatch):
    with hold_place(place, holder="a") as first:
        silent_at_once(monkeypatch)
        with hold_place(place, holder="b") as second:
            monkeypatch.setattr(bucket_lock, "RENEW_SECONDS", -1.0)

            with pytest.raises(PlaceLost, match="took over"):
                first.check()
            second.check()

    assert keys() == []


def test_cut_off_it_goes_on_at_once(place):
    killed = hold_place(place, holder="a")
    killed.__enter__()

    with hold_place(place, holder="a") as again:
        assert again.number == 2


def test_a_holder_says_that_it_is_at_work(place, monkeypatch):
    monkeypatch.setattr(bucket_lock, "RENEW_SECONDS", 0.05)
    written, renewed, write = [], threading.Event(), bucket_lock._write

    def note(*told, **terms):
        written.append(terms.get("is_new", False))
        if written.count(False):
            renewed.set()
        return write(*told, **terms)

    monkeypatch.setattr(bucket_lock, "_write", note)

    with hold_place(place, holder="a"):
        assert renewed.wait(30)


def test_who_finds_their_lock_gone_stops(place, monkeypatch):
    with hold_place(place, holder="a") as held:
        for key in keys():
            bucket_client().delete_object(Bucket="turns", Key=key)
        monkeypatch.setattr(bucket_lock, "RENEW_SECONDS", -1.0)

        with pytest.raises(PlaceLost):
            held.check()


def test_a_store_without_conditional_writes_is_told_of(settings, caplog):
    with (
        running_moto(without=("If-None-Match",)) as url,
        bucket_at(url, settings) as place,
        hold_place(place, holder="a"),
    ):
        assert "takes no conditional writes" in caplog.text


@pytest.mark.django_db(transaction=True)
def test_an_export_of_another_machine_waits_for_the_first(store, moto_place, settings, tmp_path, monkeypatch):
    make_lab()
    refused, here = [], settings.IDS_DATA

    def export_there(*_, **__):
        settings.IDS_DATA = tmp_path / "other"
        with pytest.raises(LeavingError) as problem:
            export_everything(moto_place, store, at=now())
        refused.append(str(problem.value))
        settings.IDS_DATA = here
        return iter([])

    monkeypatch.setattr("operations.leaving.exporting.find_changes", lambda run: list(export_there()))
    export_everything(moto_place, store, at=now())

    assert ["is being written to by another export" in one for one in refused] == [True] * 4
    assert [fault for _, fault in find_faults(moto_place) if fault] == []


@pytest.mark.django_db(transaction=True)
def test_where_another_left_off_nothing_is_begun(store, moto_place, settings, tmp_path, monkeypatch):
    make_lab()
    with monkeypatch.context() as dying:
        dying.setattr("operations.leaving.exporting.finish_folder", raise_interrupt)
        with pytest.raises(KeyboardInterrupt):
            export_everything(moto_place, store, at=now())
    here, settings.IDS_DATA = settings.IDS_DATA, tmp_path / "other"
    with pytest.raises(LeavingError, match="neither empty nor an export that was begun here"):
        export_everything(moto_place, store, at=now())
    settings.IDS_DATA = here

    assert export_everything(moto_place, store, at=now()).kept == 4


def raise_interrupt(*_, **__):
    raise KeyboardInterrupt
