"""Many texts of `__in` are one parameter, and find what Django's own `__in` finds."""

from functools import reduce
from operator import or_

import pytest
from django.db.models import Q

from instruments.models import Instrument
from runs.models import Run
from runs.status import RunStatus
from tests.factories import make_instrument, make_run
from wire.queries.many_texts import MANY

NAMES = [f"reader-{number:03}" for number in range(MANY)]


@pytest.fixture
def runs(db):
    """One of each of ten instruments: nine of the named, and one that nobody named."""
    others = {name: make_instrument(id=name) for name in (*NAMES[:9], "unnamed")}
    return {name: make_run(run_id=f'{name} "{{,}}', instrument=instrument) for name, instrument in others.items()}


@pytest.mark.parametrize("name", ["instrument_id", "instrument", "instrument__id"])
@pytest.mark.parametrize("many", [list, tuple])
def test_runs_of_many_instruments(runs, name, many):
    found = Run.objects.filter(**{f"{name}__in": many(NAMES)})

    assert found.query.sql_with_params()[1] == (NAMES,)
    assert {run.pk for run in found} == {runs[name].pk for name in NAMES[:9]}
    assert [run.pk for run in Run.objects.exclude(**{f"{name}__in": NAMES})] == [runs["unnamed"].pk]


def test_texts_that_arrays_write_in_their_own_way(runs):
    names = [*(run.run_id for run in runs.values()), *(f'"{number}' for number in range(MANY)), "NULL", "", "a,b", "\\"]
    found = Run.objects.filter(run_id__in=names)

    assert found.query.sql_with_params()[1] == (names,)
    assert found.count() == len(runs)


def test_what_is_no_plain_text_stays_djangos(runs):
    """Members of enumerations, which an array would write by their names; numbers; missing values; other queries."""
    statuses = [*RunStatus] * MANY
    same = reduce(or_, (Q(status=status) for status in RunStatus))

    assert set(Run.objects.filter(status__in=statuses)) == set(Run.objects.filter(same)) != set()
    assert Run.objects.filter(instrument_id__in=[*NAMES, None]).count() == 9
    assert Run.objects.filter(file_count__in=list(range(MANY))).count() == 10
    assert Run.objects.filter(instrument__in=Instrument.objects.filter(id__in=NAMES)).count() == 9
    assert Run.objects.filter(instrument_id__in=[]).count() == 0
