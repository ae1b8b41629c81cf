import errno
import hashlib

import pytest

from instrument_data.cache import Cache, copy_whole, safe_name

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

    assert cache.find(SHA, "raw.csv", size=len(DATA)) == place
    assert place.name == "raw.csv"


def test_the_same_bytes_have_a_second_name_and_are_kept_once(cache):
    first = keep(cache)

    second = cache.find(SHA, "copy.txt", size=len(DATA))

    assert second.name == "copy.txt"
    assert second.samefile(first)


def test_what_was_not_kept_is_gone(cache):
    with cache.draft() as (target, draft):
        target.write(DATA)

    assert not draft.exists()
    assert cache.find(SHA, "raw.csv", size=len(DATA)) is None


def test_nobody_writes_into_what_is_verified(cache):
    assert keep(cache).stat().st_mode & 0o222 == 0


def test_what_lost_its_bytes_is_none_under_any_name(cache):
    """As a power cut leaves it: the name is there, the bytes are not."""
    place = keep(cache)
    place.chmod(0o644)
    place.write_bytes(b"")

    assert cache.find(SHA, "copy.txt", size=len(DATA)) is None
    assert cache.find(SHA, "raw.csv", size=len(DATA)) is None
    assert keep(cache).read_bytes() == DATA


def refuse(*_):
    raise OSError(errno.EPERM, "This disk has no links.")


def test_a_second_name_on_a_disk_without_links_is_whole_or_not_there(cache, monkeypatch):
    keep(cache)
    monkeypatch.setattr("os.link", refuse)

    assert cache.find(SHA, "copy.txt", size=len(DATA)).read_bytes() == DATA

    def fill_the_disk(source, target):
        target.write_bytes(DATA[:3])
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("shutil.copyfile", fill_the_disk)
    with pytest.raises(OSError, match="No space"):
        cache.find(SHA, "third.txt", size=len(DATA))
    assert sorted(path.name for path in cache.root.rglob("*.*")) == ["copy.txt", "raw.csv"]


def test_a_full_disk_is_said_to_be_the_caches(cache):
    """The folder that somebody names for what is fetched may be on another disk."""
    with pytest.raises(OSError, match="No space left on device in the cache") as full, cache.draft():
        raise OSError(errno.ENOSPC, "No space left on device")

    assert full.value.filename == str(cache.root)
    assert not list(cache.root.iterdir())


def test_of_two_who_keep_the_same_bytes_the_second_has_those_of_the_first(cache, monkeypatch):
    """Windows replaces no file that somebody reads, or that may not be written."""
    place = keep(cache)

    def refuse_to_replace(draft, target):
        raise PermissionError(errno.EACCES, "Access is denied", str(target))

    monkeypatch.setattr("pathlib.Path.replace", refuse_to_replace)

    assert keep(cache) == place
    with pytest.raises(PermissionError):
        keep(cache, "another.csv")


def test_a_full_disk_is_told_of_the_file_that_was_asked_for(tmp_path, monkeypatch):
    def refuse(source, target):
        raise OSError(errno.ENOSPC, "No space left on device", str(source), None, str(target))

    monkeypatch.setattr("shutil.copyfile", refuse)

    with pytest.raises(OSError, match="No space left") as caught:
        copy_whole(tmp_path / "kept.csv", tmp_path / "mine.csv")

    assert (caught.value.filename, caught.value.filename2) == (str(tmp_path / "mine.csv"), None)


def test_pruning_removes_what_nobody_asked_for(cache):
    place = keep(cache)
    used = place.stat().st_mtime

    assert cache.prune(unused_days=2, at=used + 86_400) == (0, 0)
    assert cache.prune(unused_days=1, at=used + 86_401) == (1, len(DATA))
    assert cache.find(SHA, "raw.csv", size=len(DATA)) is None


@pytest.mark.parametrize(
    ("name", "safe"),
    [("a/b\\c.csv", "a_b_c.csv"), ("CON.txt", "_CON.txt"), ("..", "file"), ("ü µ.raw", "ü µ.raw"), ("a\x00b", "a_b")],
)
def test_names_are_safe_on_every_system(name, safe):
    assert safe_name(name) == safe
