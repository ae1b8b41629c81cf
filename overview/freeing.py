"""What the rules of retention would free now, of all instruments: counted with the space, not when it is shown."""

import logging
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from django.db import OperationalError, connection, transaction

from files.stored.sizes import MAX_COUNT_SECONDS
from instruments.models import Instrument
from instruments.retention_rules import COLD_RULE, RetentionRule
from retention.cooling import list_cooling_instruments
from retention.preview import Preview, preview_instrument
from retention.purging import list_instruments

log = logging.getLogger(__name__)
NAMES = {rule.value: f"Purged: {rule.label}" for rule in RetentionRule} | {COLD_RULE: "To the cold store: raw files"}


@dataclass(frozen=True)
class RuleFrees:
    """What one rule holds for now, as people call it; of archives `files` are archives."""

    name: str
    files: int
    size_bytes: int


@dataclass(frozen=True)
class Freeing:
    """By rule, all that hold for something; `instruments` have rules, of which `uncounted` took too long."""

    instruments: int = 0
    uncounted: int = 0
    files: Mapping[str, int] = field(default_factory=dict)
    sizes: Mapping[str, int] = field(default_factory=dict)

    @property
    def rules(self) -> list[RuleFrees]:
        return [
            RuleFrees(name, self.files[rule], self.sizes.get(rule, 0))
            for rule, name in NAMES.items()
            if self.files.get(rule)
        ]

    @property
    def size_bytes(self) -> int:
        """Of all rules together."""
        return sum(self.sizes.values())


def count_freeing(*, at: datetime) -> Freeing:
    """One instrument is a few queries, each cut off after a time."""
    ruled = {one.pk: one for one in (*list_instruments(), *list_cooling_instruments())}
    files, sizes, uncounted = Counter[str](), Counter[str](), 0
    for instrument in ruled.values():
        due = _preview_in_time(instrument, at=at)
        uncounted += due is None
        for rule, freed in due.by_rule.items() if due else ():
            files[rule] += freed.files
            sizes[rule] += freed.bytes
    return Freeing(len(ruled), uncounted, dict(files), dict(sizes))


def _preview_in_time(instrument: Instrument, *, at: datetime) -> Preview | None:
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(f"SET LOCAL statement_timeout = '{MAX_COUNT_SECONDS}s'")
            return preview_instrument(instrument, at=at)
    except OperationalError as problem:
        log.warning("what retention would free of %s is not counted: %s", instrument.pk, str(problem).strip())
        return None
