"""Compiled queries find what the ORM finds, whatever is asked of them."""

import json
from itertools import product

import pytest
from django.db import connection, models, transaction
from django.db.models import Sum

from accounts.callers import Caller
from accounts.tokens import TOKEN_BY_DIGEST
from files.choices import FileStatus
from files.listing import FIRST_FILES, STATUS_COUNTS
from files.models import File
from instruments.catalogue import SHOWN_INSTRUMENT
from instruments.models import Instrument
from instruments.run_counts import sum_run_counts
from runs.lifecycle import BARE_RUN, DESCRIBED_RUN, LOCKED_RUN, with_eln_template
from runs.models import Claim, Run
from runs.rows import represent_run
from runs.search import UNFILTERED_PAGE, Sort
from runs.serializers import RunSerializer
from tests.factories import make_file, make_instrument, make_run, make_token, make_user, make_watcher
from wire.clock import now
from wire.outputs import represent
from wire.queries.compiled import CompiledQuery

pytestmark = pytest.mark.django_db
BOUNDS = [None, ("a",), ("b", "a"), ("nowhere",), ("b",), ()]


@pytest.fixture
def laboratory():
    """Two instruments with runs of every kind."""
    a, b = make_instrument(id="a", display_name="Ä"), make_instrument(id="b", instrument_type="generic")
    watcher = make_watcher(instrument=a, file_patterns=["*.csv"])
    whole = make_run(
        instrument=a, run_id="%s '1'", watcher=watcher, acquired_at="2026-01-01T00:00:00.123Z", tags=["x", "y"],
        caller_metadata={"wells": [1, None], "t": 21.5, "Ω": "%(a)s"}, source="watcher",
    )  # fmt: skip
    for status in (FileStatus.DETECTED, FileStatus.UPLOAD_REQUESTED):
        make_file(run=whole, status=status, size_bytes=7)
    make_file(run=whole, deleted_at=now())
    for email, name in (("x.y@lab.example", ""), ("z@lab.example", "Ana María Gil")):
        Claim.objects.create(run=whole, user=make_user(email, display_name=name))
    make_run(instrument=b, deleted_at=now(), deleted_by=make_user())
    make_run(instrument=a, deleted_at=now(), deleted_by_token=make_token())
    for number in range(4):
        make_run(instrument=b, run_id=f"{number}")
    return whole


def everything_of(record: models.Model) -> dict[str, object]:
    """Also what was annotated, and of whom it was loaded."""
    known = {name: value for name, value in vars(record).items() if name != "_state"}
    return known | {name: other and everything_of(other) for name, other in record._state.fields_cache.items()}


def same(compiled: list[models.Model], plain: models.QuerySet[models.Model]) -> None:
    """Twice, as the second call finds the plan of the first."""
    assert [everything_of(one) for one in compiled] == [everything_of(one) for one in plain]


@pytest.mark.parametrize("bound", BOUNDS)
def test_a_run_is_found_as_by_the_orm(laboratory, bound):
    everything = Run.objects.all() if bound is None else Run.objects.filter(instrument_id__in=bound)
    for _, name in product(range(2), ["%s '1'", "nothing", "0"]):
        for instrument in ("a", "b"):
            asked = everything.filter(instrument_id=instrument, run_id=name)
            same(BARE_RUN(bound, instrument, name), asked)
            same(LOCKED_RUN(bound, instrument, name), asked.select_for_update(no_key=True))
            same(DESCRIBED_RUN(bound, instrument, name), with_eln_template(asked.with_details("caller_metadata")))


@pytest.mark.parametrize("bound", BOUNDS)
def test_an_instrument_is_found_as_by_the_orm(laboratory, bound):
    everything = Instrument.objects.all() if bound is None else Instrument.objects.filter(id__in=bound)
    for _, name in product(range(2), ["a", "b", "c"]):
        same(SHOWN_INSTRUMENT(bound, name), everything.with_details().filter(id=name))


def test_a_token_and_files_are_found_as_by_the_orm(laboratory):
    token = make_token(instrument_ids=["a"])
    same(TOKEN_BY_DIGEST(token.digest), type(token).objects.filter(pk=token.pk).defer("digest"))
    assert TOKEN_BY_DIGEST.first("0" * 64) is None
    for limit in (1, 1_000):
        files = File.objects.active().filter(run=laboratory).order_by("natural_key", "id")
        same(
            FIRST_FILES(laboratory.pk, limit=limit), files.defer("caller_metadata", "extracted", "natural_key")[:limit]
        )
    assert dict(STATUS_COUNTS(laboratory.pk, "raw")) == {"detected": 1, "upload_requested": 1}


@pytest.mark.parametrize("bound", BOUNDS)
@pytest.mark.parametrize("asked", [(), ("a",), ("b", "a"), ("nowhere",)])
def test_a_page_of_runs_is_the_orms(laboratory, bound, asked):
    runs = Run.objects.active() if bound is None else Run.objects.active().filter(instrument_id__in=bound)
    instruments = Instrument.objects.all() if bound is None else Instrument.objects.filter(id__in=bound)
    if asked:
        runs, instruments = runs.filter(instrument_id__in=asked), instruments.filter(id__in=asked)
    columns = {Sort.ACQUIRED_AT: "happened_at"}
    for sort, descending, gathers in product(Sort, (True, False), (True, False)):
        if gathers and sort not in (Sort.ACQUIRED_AT, Sort.CREATED_AT):
            continue
        sign, column = "-" if descending else "", columns.get(sort, str(sort))
        plain = runs.with_details().order_by(sign + column, sign + "pk")[1:4]
        choices = {"sort": sort, "descending": descending, "start": 1, "stop": 4, "gathers": gathers}
        same(UNFILTERED_PAGE(bound, asked or None, **choices), plain)
    by = Caller(instrument_ids=bound)
    assert sum_run_counts(asked, by=by) == (instruments.aggregate(runs=Sum("run_count", default=0))["runs"])


def test_a_run_is_written_as_its_serializer_says(laboratory):
    for run in Run.objects.with_details():
        assert json.dumps(represent_run(run)) == json.dumps(represent(RunSerializer, run))


def test_a_form_of_a_query_is_compiled_once_however_often_it_is_asked(laboratory):
    built = []

    def build(bound, name, *, limit):
        built.append(limit)
        return Run.objects.within(bound).filter(run_id=name)[:limit]

    query = CompiledQuery(build)
    for bound, name in [(None, "0"), (None, "1"), (("a",), "0"), (("b",), "0"), (("a", "b"), "2")]:
        assert [run.run_id for run in query(bound, name, limit=2)] == ([] if bound == ("a",) else [name])
    assert len(built) == 3
    query(None, "0", limit=1)
    assert built == [2, 2, 2, 1]


@pytest.mark.django_db(transaction=True)
def test_a_compiled_lock_needs_a_transaction(django_assert_num_queries):
    for _ in range(2):
        with django_assert_num_queries(0), pytest.raises(transaction.TransactionManagementError):
            LOCKED_RUN(None, "a", "b")
        with transaction.atomic():
            assert LOCKED_RUN(None, "a", "b") == []
    assert not connection.in_atomic_block


def test_what_a_run_lacks_of_its_columns_is_loaded_at_the_first_look(laboratory):
    (run,) = DESCRIBED_RUN(None, "a", "%s '1'")

    assert run.terms == Run.objects.get(pk=run.pk).terms
    run.tags = ["z"]
    run.save(update_fields=["tags"])
    assert Run.objects.get(pk=run.pk).tags == ["z"]


def test_a_model_somebody_listens_to_is_made_by_django(laboratory):
    heard = []

    def hear(instance, **_):
        heard.append(instance)

    models.signals.post_init.connect(hear, sender=Instrument)
    try:
        found = CompiledQuery(lambda key: Instrument.objects.filter(id=key))("a")
    finally:
        models.signals.post_init.disconnect(hear, sender=Instrument)

    assert heard == found
