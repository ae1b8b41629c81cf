"""What runs have in common in a list that is grouped, as the database sees it: the key, and the order of groups."""

from typing import Any

from django.db.models import CharField, F, Func, OrderBy, OuterRef, Subquery, TextField, Value
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Cast, Concat, NullIf, TruncDate

from runs.metadata_terms import is_filterable_key
from runs.models import Claim, RunQuerySet
from wire.errors import ValidationError

PARAMETER = "group_by"
METADATA = "metadata."
INSTRUMENT, DAY, PERSON, TAG, SAMPLE = "instrument", "day", "person", "tag", "metadata.sample"
GROUPINGS = {SAMPLE: "Sample", DAY: "Day", INSTRUMENT: "Instrument", PERSON: "Person", TAG: "Tag"}
KEY = "group_key"


def read_list_grouping(text: str) -> str:
    """One of GROUPINGS or another metadata key; `sample` is short for that of the metadata. Raises ValidationError."""
    asked = SAMPLE if text == "sample" else text
    if asked in GROUPINGS or (asked.startswith(METADATA) and is_filterable_key(asked.removeprefix(METADATA))):
        return asked
    known = ", ".join(name for name in GROUPINGS if name != SAMPLE)
    raise ValidationError(fields={PARAMETER: [f"One of sample, {known} or {METADATA}<key>."]})


def with_group_key(runs: RunQuerySet, grouping: str) -> RunQuerySet:
    """Each run with its one key, null where it has nothing of the kind. Of several people the first who claimed."""
    return runs.annotate(**{KEY: _build_key(grouping)})


def order_groups(grouping: str) -> list[OrderBy]:
    """By name, the newest day first, and last what has no key; then come the rows within each."""
    match grouping:
        case "day":
            return [F(KEY).desc(nulls_last=True)]
        case "instrument":
            return [F("instrument__display_name").asc(), F(KEY).asc()]
        case "person":  # one look at the claims of each run
            named = Concat("user__display_name", Value("\n"), "user_id", output_field=TextField())
            return [OrderBy(_first_claim(named), nulls_last=True)]
    return [F(KEY).asc(nulls_last=True)]


def _build_key(grouping: str) -> Any:
    match grouping:
        case "instrument":
            return F("instrument_id")
        case "day":
            return Cast(TruncDate("happened_at"), TextField())
        case "person":
            return Cast(_first_claim(F("user_id")), TextField())
        case "tag":
            joined = Func(F("tags"), Value(" "), function="array_to_string", output_field=CharField())
            return NullIf(joined, Value(""), output_field=CharField())
    return KeyTextTransform(grouping.removeprefix(METADATA), "metadata")


def _first_claim(said: F | Concat) -> Subquery:
    """What is said of the person who claimed a run first."""
    first = Claim.objects.filter(run=OuterRef("pk")).order_by("claimed_at", "id")
    return Subquery(first.annotate(said=said).values("said")[:1])
