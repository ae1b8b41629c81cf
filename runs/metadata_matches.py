"""Which runs meet comparisons of metadata: few are gathered by an index, many are met soon on a walk.

The planner cannot tell the two apart, as it knows nothing of the values below a key: a sample of runs is asked.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import groupby

from django.db.models import Count, F, Func, Q, TextField, Value
from django.db.models.lookups import Exact, IContains

from runs.metadata_filters import Comparison, Operator, comparison_filter
from runs.metadata_terms import MetadataWords
from runs.metadata_values import RANGES, may_meet
from runs.models import Run, RunQuerySet
from runs.words import MAX_FEW_RUNS, WordMatches
from wire.columns import IsAnyOf, Searchable
from wire.queries.samples import ALL, count_roughly, sample_rows

MAX_GATHERED = 20_000  # an index finds them within the time of a total
SAMPLED_RUNS = 1_000
ASCII_PARTS = re.compile(r"[ -~]+")
TRIGRAM = re.compile(r"[A-Za-z0-9]{3}")


@dataclass(frozen=True)
class Lead:
    """`found` by an index holds every run that meets some comparisons, about as many as are `expected`."""

    found: Q
    expected: Q


def match_comparisons(comparisons: tuple[Comparison, ...], *, among: RunQuerySet) -> WordMatches:
    """Among these runs, which meet all of them."""
    if not comparisons:
        return WordMatches(among)
    every, among = among, among.filter(comparison_filter(comparisons))
    lead = _choose_lead(list(_list_leads(comparisons)))
    if lead is None:
        return WordMatches(among, all_but=_take_away_few(comparisons, every=every))
    gathered = _gather(among, lead)
    few = list(gathered.order_by().values_list("pk", flat=True)[: MAX_FEW_RUNS + 1])
    if len(few) <= MAX_FEW_RUNS:
        return WordMatches(among.filter(IsAnyOf("pk", few)), count=len(few))
    return WordMatches(gathered, walked=among, at_least=MAX_FEW_RUNS, is_bounded=True)


def _gather(among: RunQuerySet, lead: Lead) -> RunQuerySet:
    return among.filter(pk__in=Run.objects.filter(lead.found).values("pk")[:ALL])


def _take_away_few(
    comparisons: tuple[Comparison, ...], *, every: RunQuerySet
) -> tuple[RunQuerySet, RunQuerySet] | None:
    """Runs without a key that few have are all but these few; None where no such key is asked about."""
    for asked in comparisons:
        if asked.operator is Operator.EXISTS and asked.value == "false":
            having = replace(asked, value="true")
            lead = _choose_lead(list(_list_leads([having])))
            if lead is not None:
                rest = every.filter(comparison_filter(other for other in comparisons if other != asked))
                return rest, _gather(rest.filter(comparison_filter([having])), lead)
    return None


def _choose_lead(leads: list[Lead]) -> Lead | None:
    """The one that fewest runs are found by; None where these are too many to be gathered."""
    if not leads:
        return None
    runs = count_roughly(Run)
    if runs <= MAX_GATHERED:
        return leads[0]
    sample = sample_rows(Run.objects.all(), about=SAMPLED_RUNS, of=runs)
    asked = {f"lead_{number}": Count("pk", filter=lead.expected) for number, lead in enumerate(leads)}
    counted = sample.aggregate(sampled=Count("pk"), **asked)
    fewest, best = min((counted[f"lead_{number}"], number) for number in range(len(leads)))
    return leads[best] if fewest * runs <= MAX_GATHERED * max(counted["sampled"], 1) else None


def _list_leads(comparisons: Iterable[Comparison]) -> Iterator[Lead]:
    for key, of_key in groupby(sorted(comparisons, key=lambda asked: asked.key), key=lambda asked: asked.key):
        group = list(of_key)
        yield from (Lead(found, comparison_filter([asked])) for asked in group if (found := _may_contain(asked)))
        found = may_meet(key, group)
        if found is not None:
            yield Lead(found, _expect(key, group))


def _expect(key: str, group: list[Comparison]) -> Q:
    ranges = [asked for asked in group if asked.operator in RANGES]
    if not ranges:
        return Q(metadata__has_key=key)
    return comparison_filter(ranges) | _is_array(key) if len(ranges) > 1 else comparison_filter(ranges)


def _is_array(key: str) -> Q:
    value = Func(F("metadata"), Value(key), function="jsonb_extract_path")
    return Q(Exact(Func(value, function="jsonb_typeof", output_field=TextField()), "array"))


def _may_contain(asked: Comparison) -> Q | None:
    """By the index of words: the runs that have the value, or a part of it, anywhere in their metadata.

    Only ASCII, which has one form and one case; a mark behind the last character may make another one of it.
    """
    parts = ASCII_PARTS.findall(asked.value) if asked.operator is Operator.CONTAINS else []
    longest = max(parts, key=len, default="")[:-1]
    return Q(IContains(Searchable(MetadataWords()), longest)) if TRIGRAM.search(longest) else None
