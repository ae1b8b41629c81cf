"""Which values a file has no number for, why, and in which wells, in a sentence for each quantity and reason."""

from collections.abc import Iterable

from processing.formats.plate import Well
from processing.processors.asm.calculated import Origins
from processing.processors.asm.document import MEASUREMENT_KEY, Node, is_quantity, nodes_under, walk_nodes
from processing.processors.asm.stand_ins import MissingNumber

MAX_WARNINGS = 20
MAX_WELLS = 6  # that a warning names
WELL_KEYS = ("well location identifier", "location identifier")
GROUP_KEY, RESULT_KEY = "measurement aggregate document", "calculated data document"


class MissingValues:
    """How many there are of each quantity, for which reason, and in which wells."""

    def __init__(self) -> None:
        self.wells: dict[tuple[str, str], list[str]] = {}

    def add(self, key: str, reason: str, well: str) -> None:
        self.wells.setdefault((key, reason), []).append(well)

    @property
    def count(self) -> int:
        return sum(map(len, self.wells.values()))

    def describe(self) -> list[str]:
        most = sorted(self.wells.items(), key=lambda one: -len(one[1]))[:MAX_WARNINGS]
        return [describe_missing_values(key, reason, wells) for (key, reason), wells in most]


def describe_missing_values(key: str, reason: str, wells: list[str]) -> str:
    count = len(wells)
    subject = f"1 value of {key} holds" if count == 1 else f"{count:,} values of {key} hold"
    named = list(dict.fromkeys(filter(None, wells)))
    more = f" and {len(named) - MAX_WELLS:,} more" if len(named) > MAX_WELLS else ""
    where = f": {', '.join(named[:MAX_WELLS])}{more}" if named else ""
    return f"{subject} no number ({reason}){where}."


def find_missing_results(origins: Origins) -> MissingValues:
    """Calculated values in whose place the file has a word."""
    missing = MissingValues()
    for name, value, place in origins.list_results():
        if isinstance(value, MissingNumber):
            missing.add(name, value.word, str(place.well) if place else "")
    return missing


def find_missing_elsewhere(aggregate: Node) -> MissingValues:
    """Such values that stand neither in a measurement, which says so itself, nor among the calculated ones."""
    missing = MissingValues()
    seen = set()
    for group in (*nodes_under(aggregate, GROUP_KEY), aggregate):
        documents = (*nodes_under(group, MEASUREMENT_KEY), *nodes_under(group, RESULT_KEY))
        known = {id(inner) for document in documents for _, inner in walk_nodes(document)}
        wells = wells_of(nodes_under(group, "sample document"))
        well = str(next(iter(wells))) if len(wells) == 1 else ""
        for key, inner in walk_nodes(group):
            is_missing = is_quantity(inner) and isinstance(inner["value"], MissingNumber)
            if is_missing and id(inner) not in known and id(inner) not in seen:
                seen.add(id(inner))
                missing.add(key, inner["value"].word, well)
    return missing


def wells_of(samples: Iterable[Node]) -> set[Well]:
    stated = (str(sample[key]) for sample in samples for key in WELL_KEYS if key in sample)
    return {well for text in stated if (well := Well.parse(text))}
