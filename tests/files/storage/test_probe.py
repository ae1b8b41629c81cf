"""What is found out about a store before it is believed."""

import pytest

from files.storage.interface import StoreUnavailable
from files.storage.semantics import KEEPS_EVERY_PROMISE, StoreUnsuitable
from tests.moto_servers import running_moto
from tests.stores import s3_store_at


def store_at(url):
    return s3_store_at(url, bucket="suite")


def test_the_local_store_keeps_every_promise(local_store):
    assert local_store.probe() == KEEPS_EVERY_PROMISE
    assert local_store.checksum_mode == "verified"


def test_a_store_that_ignores_checksums_is_found_out(moto, moto_url):
    store = store_at(moto_url)

    before, found, after = store.checksum_mode, store.probe(), store.checksum_mode

    assert not found.verifies_checksums
    assert (before, after) == ("unknown", "read_back")
    assert (found.refuses_overwrite, found.reads_ranges, found.copies_parts) == (True, True, True)


def test_a_probe_leaves_nothing_behind(moto_store):
    moto_store.probe()

    assert list(moto_store.list()) == []
    assert moto_store._quick.list_multipart_uploads(Bucket="suite").get("Uploads", []) == []


def test_a_store_that_compares_checksums_is_believed(moto):
    with running_moto(verifies_checksums=True) as url:
        store = store_at(url)

        assert store.probe().verifies_checksums
        assert store.checksum_mode == "verified"


@pytest.mark.parametrize(
    ("header", "said"), [("If-None-Match", "ignores `If-None-Match"), ("Range", "ignores `Range`")]
)
def test_a_store_that_lacks_what_nothing_stands_in_for_is_refused_every_time(moto, header, said):
    with running_moto(without=(header,)) as url:
        store = store_at(url)

        for _ in range(2):
            with pytest.raises(StoreUnsuitable, match=said):
                store.probe()


def test_a_store_that_cannot_copy_is_told_apart(moto):
    with running_moto(without=("x-amz-copy-source",)) as url:
        assert not store_at(url).probe().copies_parts


def test_a_store_out_of_reach_is_asked_again_later(moto, moto_url):
    store = store_at("http://127.0.0.1:9")
    with pytest.raises(StoreUnavailable):
        store.probe()

    store._quick = store_at(moto_url)._quick

    assert store.probe().refuses_overwrite


def test_a_bucket_that_is_not_there_says_nothing_of_the_store(moto_url):
    with pytest.raises(StoreUnavailable):
        s3_store_at(moto_url, bucket="none").probe()
