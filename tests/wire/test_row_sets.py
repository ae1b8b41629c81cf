"""One row by one statement: as the ORM would write it, and once."""

import pytest

from notifications.models import Announcement, NotificationKind
from runs.models import Run
from tests.factories import make_instrument, make_run
from wire.clock import now
from wire.queries.row_sets import insert_row

pytestmark = pytest.mark.django_db


def test_a_row_is_what_the_orm_makes_of_it():
    instrument, at = make_instrument(), now()
    said = {
        "instrument": instrument, "acquired_at": at, "tags": ["a", "b"],
        "caller_metadata": {"Ω": [1, None, 21.5, {"%s": "'\"\\\n"}], "big": 2**70},
    }  # fmt: skip
    written, saved = Run(run_id="1", **said), Run(run_id="2", **said)

    assert insert_row(written)
    saved.save(force_insert=True)

    rows = [dict(Run.objects.values().get(pk=run.pk)) for run in (written, saved)]
    for row in rows:
        for name in ("id", "run_id", "search_key", "created_at", "updated_at", "happened_at"):
            row.pop(name)
    assert rows[0] == rows[1]
    assert not written._state.adding


def test_a_row_gets_the_key_that_the_database_makes():
    line = Announcement(kind=NotificationKind.GENERIC, message="x", sender_name="y")

    assert insert_row(line)
    assert Announcement.objects.get(message="x").pk == line.pk


def test_a_row_that_is_there_is_not_made_again():
    known = make_run(run_id="1")

    assert not insert_row(Run(instrument=known.instrument, run_id="1"), unless=("instrument", "run_id"))
    assert Run.objects.get().pk == known.pk
