import hashlib

import pytest

from instrument_data.cache import Cache, safe_name

DATA = b"absorbance"
SHA = hashlib.sha256(DATA).hexdigest()


@pytest.fixture
def cache(tmp_path):
    return Cache(tmp_path / "cache")


def keep(cache, name="raw.csv"):
    with cache.draft() as (target, draft):
        target.write(DATA)
        target.flush()
        return cache.keep(draft, SHA, name)


def test_what_was_kept_is_found_under_its_name(cache):
    place = keep(cache)

    assert cache.find(SHA, "raw.csv") == place
    assert place.name == "raw.csv"


def test_the_same_bytes_have_a_second_name_and_are_kept_once(cache):
    first = keep(cache)

    second = cache.find(SHA, "copy.txt")

    assert second.name == "copy.txt"
    assert second.samefile(first)


def test_what_was_not_kept_is_gone(cache):
    with cache.draft() as (target, draft):
        target.write(DATA)

    assert not draft.exists()
    assert cache.find(SHA, "raw.csv") is None


def test_nobody_writes_into_what_is_verified(cache):
    assert keep(cache).stat().st_mode & 0o222 == 0


def test_pruning_removes_what_nobody_asked_for(cache):
    place = keep(cache)
    used = place.stat().st_mtime

    assert cache.prune(unused_days=2, at=used + 86_400) == (0, 0)
    assert cache.prune(unused_days=1, at=used + 86_401) == (1, len(DATA))
    assert cache.find(SHA, "raw.csv") is None


@pytest.mark.parametrize(
    ("name", "safe"),
    [("a/b\\c.csv", "a_b_c.csv"), ("CON.txt", "_CON.txt"), ("..", "file"), ("ü µ.raw", "ü µ.raw"), ("a\x00b", "a_b")],
)
def test_names_are_safe_on_every_system(name, safe):
    assert safe_name(name) == safe
