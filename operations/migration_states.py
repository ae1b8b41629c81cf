"""The models between two steps of a migration, at a tenth of Django's price.

After each step Django renders anew every model that is related to the one that changed: nearly all of ours, as each
row has its person. SQL is made of the changed model alone; of its relations it takes names of tables and columns, which
stay. A step in Python asks for whole models: for it Django renders all.

tests/operations/test_squashed_migrations.py holds what comes out to what Django's own way makes.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db.migrations.state import ProjectState


@contextmanager
def rendering_changed_models_alone() -> Iterator[None]:
    states: Any = ProjectState
    djangos_own = states._find_reload_model
    states._find_reload_model = _find_changed
    try:
        yield
    finally:
        states._find_reload_model = djangos_own


def _find_changed(state: Any, app_label: str, model_name: str, delay: bool = False) -> set[tuple[str, str]]:
    state.is_delayed = True  # by which a step in Python knows that it has to render
    return {(app_label, model_name.lower())}
