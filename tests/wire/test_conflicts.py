"""Whoever reads a 409 learns from its `details` what is in the way, whichever rule refused."""

import ast

import pytest

from tests.test_architecture import ROOT, modules


def conflicts_of(path):
    """The name of each Conflict that this module makes, and the call that makes its message."""
    for node in ast.walk(ast.parse((ROOT / path).read_text())):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "Conflict":
            yield "Conflict", node
        if isinstance(node, ast.ClassDef) and "Conflict" in map(ast.unparse, node.bases):
            calls = [one for one in ast.walk(node) if isinstance(one, ast.Call)]
            yield from ((node.name, one) for one in calls if ast.unparse(one.func) == "super().__init__")


@pytest.mark.parametrize("path", modules(), ids=str)
def test_a_conflict_says_in_its_details_what_is_in_the_way(path):
    assert [name for name, call in conflicts_of(path) if not call.keywords] == []


def test_somebody_who_would_take_the_admin_role_from_themself_is_named(as_admin):
    admin = as_admin()

    answer = admin.patch(f"/api/v1/users/{admin.user.pk}", {"is_admin": False})

    assert answer.json()["error"]["details"] == {"user_id": str(admin.user.pk)}
