"""The synchronous face is the asynchronous one, made again."""

import ast
import inspect
from graphlib import TopologicalSorter

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


def test_no_module_needs_itself_by_others():
    """Imports for types and within functions count, too."""
    root = make_sync.FACES
    needs = {}
    for path in root.rglob("*.py"):
        name = ".".join(path.relative_to(root.parent).with_suffix("").parts).removesuffix(".__init__")
        tree = ast.walk(ast.parse(path.read_text()))
        needs[name] = {node.module for node in tree if isinstance(node, ast.ImportFrom) and node.module != name}

    TopologicalSorter(needs).prepare()
