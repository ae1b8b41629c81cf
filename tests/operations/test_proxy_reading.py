"""`./ids manage doctor` says where nginx cannot read the files that it is to send."""

import io
from pathlib import Path
from tempfile import gettempdir

import pytest

from files.storage import object_store
from operations.proxy_reading import check_proxy_reading, judge_reading
from tests.stores import s3_store_at, use_files, use_s3


@pytest.fixture
def store(settings, tmp_path):
    settings.ACCEL_REDIRECT_PREFIX = "/_stored/"
    for place in tmp_path.parents:
        if Path(gettempdir()) in place.parents:  # pytest's own, one more of them where tests run side by side
            place.chmod(0o711)
    tmp_path.chmod(0o750)
    use_files(settings, tmp_path / "objects")
    object_store().put("runs/a", io.BytesIO(b"x"), size_bytes=1, content_type="text/plain")
    yield object_store()
    object_store.cache_clear()


def test_files_that_the_group_reads_are_well(store):
    (finding,) = check_proxy_reading()

    assert (finding.remedy, "nginx's user has to be in it" in finding.state) == ("", True)


def test_an_older_file_is_named_with_what_mends_it(store):
    (store.layout.object_directory("runs/a") / "data").chmod(0o600)

    (finding,) = check_proxy_reading()

    assert "runs/a@/data" in finding.state
    assert finding.remedy == f"chmod -R g+rX {store.layout.root}"


def test_the_folder_of_all_objects_is_called_by_its_name(store):
    store.layout.root.chmod(0o700)

    assert "cannot read objects, so" in judge_reading(store.layout).state


def test_a_folder_above_that_lets_nobody_in_is_named(store):
    above = store.layout.root.parent
    above.chmod(0o700)

    assert judge_reading(store.layout).remedy.endswith(f"chmod g+x {above}")


def test_without_the_setting_nothing_is_said(store, settings):
    settings.ACCEL_REDIRECT_PREFIX = ""

    assert list(check_proxy_reading()) == []


def test_on_s3_the_setting_has_no_effect_and_that_is_said(settings, monkeypatch):
    settings.ACCEL_REDIRECT_PREFIX = "/_stored/"
    use_s3(settings, monkeypatch, s3_store_at(None, bucket="suite"))

    (finding,) = check_proxy_reading()
    object_store.cache_clear()

    assert (finding.remedy, "no effect" in finding.state) == ("", True)
