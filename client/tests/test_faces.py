"""The synchronous face is the asynchronous one, made again."""

import inspect

import pytest

from client import make_sync
from instrument_data._async.lab import AsyncLab
from instrument_data._sync.lab import Lab


@pytest.mark.parametrize("path", make_sync.sources(), ids=lambda path: path.name)
def test_what_is_committed_is_what_the_source_makes(path):
    assert (make_sync.TARGET / path.name).read_text() == make_sync.made_from(path)


def test_nothing_of_a_source_that_is_gone_is_left():
    made = {path.name for path in make_sync.TARGET.glob("*.py")}

    assert made == {path.name for path in make_sync.sources()} | make_sync.BY_HAND


def test_both_faces_offer_the_same():
    def offered(face):
        return {name for name, _ in inspect.getmembers(face) if not name.startswith("_")}

    assert offered(Lab) == offered(AsyncLab)


def test_nothing_of_the_synchronous_face_waits_for_a_loop():
    words = "".join(path.read_text() for path in make_sync.TARGET.glob("*.py"))

    assert "await " not in words
    assert "asyncio" not in words
