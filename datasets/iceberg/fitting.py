"""Which datasets one Iceberg table can hold together: columns may be added and floats widened, nothing else changes."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from datasets.iceberg.origin import ORIGIN_COLUMNS

if TYPE_CHECKING:
    from pyiceberg.schema import Schema
    from pyiceberg.types import IcebergType

MAX_COLUMNS = 10_000
ColumnTypes = tuple[tuple[str, str], ...]  # of one dataset, in its order


@dataclass
class Fit:
    """The columns that the table is to have, by name, and why datasets with these columns are left out."""

    types: dict[str, str]
    misfits: dict[ColumnTypes, str] = field(default_factory=dict)


def types_of(columns: Iterable[Mapping[str, Any]]) -> ColumnTypes:
    return tuple((column["name"], column["type"]) for column in columns)


def fit_columns(known: Mapping[str, str], wanted: Iterable[ColumnTypes]) -> Fit:
    """What most datasets have comes first, so that a table that is new holds most of them."""
    fit = Fit(dict.fromkeys(ORIGIN_COLUMNS, "string") | dict(known))
    for columns, _ in Counter(wanted).most_common():
        reason = find_misfit(fit.types, columns)
        if reason is None:
            fit.types.update((name, widen(fit.types.get(name), kind) or kind) for name, kind in columns)
        else:
            fit.misfits[columns] = reason
    return fit


def find_misfit(types: Mapping[str, str], columns: ColumnTypes) -> str | None:
    for name, kind in columns:
        if widen(types.get(name), kind) is None:
            return f"its column {name} is {kind}, the table's is {types[name]}"
    if len(types.keys() | dict(columns).keys()) > MAX_COLUMNS:
        return f"the table would have more than {MAX_COLUMNS:,} columns"
    return None


def widen(known: str | None, kind: str) -> str | None:
    """The type that holds both, as Iceberg may change it; None where there is none."""
    if known is None or known == kind:
        return kind
    return "float64" if {known, kind} == {"float32", "float64"} else None


def iceberg_types() -> dict[str, "IcebergType"]:
    from pyiceberg import types

    return {
        "float64": types.DoubleType(),
        "float32": types.FloatType(),
        "int64": types.LongType(),
        "bool": types.BooleanType(),
        "string": types.StringType(),
        "timestamp": types.TimestamptzType(),
    }


def read_types(schema: "Schema") -> dict[str, str]:
    """As datasets call them; of a type that no dataset has the name that Iceberg gives it."""
    names = {kind: name for name, kind in iceberg_types().items()}
    return {one.name: names.get(one.field_type, str(one.field_type)) for one in schema.fields}


def build_schema(types: Mapping[str, str]) -> "Schema":
    from pyiceberg.schema import Schema
    from pyiceberg.types import NestedField

    kinds = iceberg_types()
    fields = enumerate(types.items(), start=1)
    return Schema(*(NestedField(number, name, kinds[kind], required=False) for number, (name, kind) in fields))
