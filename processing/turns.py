"""Fair shares: instruments take turns, so that a file of one never waits behind thousands of another.

Start-time fair queueing: a job's turn follows the last one of its instrument, or begins where reading has got to.
"""

from collections.abc import Collection, Iterable
from itertools import count
from typing import Any

from django.db.models import OuterRef, QuerySet
from django.db.models.functions import Coalesce, Greatest

from files.models import File
from instruments.models import Instrument
from processing.models import ProcessingJob
from wire.queries.compiled import CompiledQuery

FIRST_BACKGROUND_TURN = 2**40


def assign_turns(files: Collection[File], *, behind_new: bool = False) -> list[tuple[File, int]]:
    """Each of these files with its turn; those of one instrument in the order given.

    `behind_new`: after all that arrives meanwhile, oldest first.
    """
    if behind_new:
        return [(file, FIRST_BACKGROUND_TURN + file.pk) for file in files]
    turns = {name: count(first) for name, first in next_turns(file.run.instrument_id for file in files).items()}
    return [(file, next(turns[file.run.instrument_id])) for file in files]


def next_turns(instrument_ids: Iterable[str]) -> dict[str, int]:
    """The turn of the next job of each of these instruments."""
    return dict(NEXT_TURNS(tuple(sorted(set(instrument_ids)))))


def _select_next_turns(instrument_ids: Collection[Any]) -> QuerySet[Instrument, tuple[str, int]]:
    last = unfinished_turns().filter(instrument=OuterRef("pk")).order_by("-turn")
    waiting = unfinished_turns().filter(lease_until__isnull=True).order_by("turn")
    being_read = unfinished_turns().order_by("-turn")
    current = Coalesce(waiting[:1], being_read[:1], 0)
    instruments = Instrument.objects.filter(pk__in=instrument_ids)
    return instruments.values_list("pk", Greatest(current, Coalesce(last[:1], -1) + 1))


NEXT_TURNS = CompiledQuery(_select_next_turns)


def unfinished_turns() -> QuerySet[ProcessingJob, int]:
    """Of what arrived: nobody takes turns with what is read again in the background."""
    arrived = ProcessingJob.objects.unfinished().filter(turn__lt=FIRST_BACKGROUND_TURN)
    return arrived.values_list("turn", flat=True)
