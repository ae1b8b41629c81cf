"""`fields=a,b` on a list, and its export: each row has these members and no others."""

from collections.abc import Callable, Mapping
from typing import Any

from wire.errors import ValidationError
from wire.fields import Text
from wire.inputs import SerializerClass, read_query
from wire.lists.pagination import PageParams

FIELDS_PATTERN = r"^[a-z0-9_]+(,[a-z0-9_]+)*$"
FIELDS_HELP = "The members that each row shall have, such as `id,run_id`; the rest is left out."
Present = Callable[[Any], dict[str, Any]]
SchemaNode = dict[str, Any]


class SparsePageParams(PageParams):
    """Query parameters of a page-indexed list whose rows can be cut."""

    fields = Text(  # type: ignore[assignment]  # a parameter, not DRF's member of this name
        max_length=2_000, pattern=FIELDS_PATTERN, required=False, help_text=FIELDS_HELP
    )


def select_fields(present: Present, query: Mapping[str, Any], *, row: SerializerClass) -> Present:
    """`present`, cut to the members that the query asks for. Raises ValidationError, which names the known ones."""
    wanted = read_fields(query, row=row)
    if wanted is None:
        return present
    return lambda record: {name: value for name, value in present(record).items() if name in wanted}


def read_fields(query: Mapping[str, Any], *, row: SerializerClass) -> frozenset[str] | None:
    """The members of a row that the query asks for; None: all. Raises ValidationError, which names the known ones."""
    asked = read_query(SparsePageParams, query).get("fields")
    if asked is None:
        return None
    wanted, known = frozenset(asked.split(",")), row._declared_fields
    if unknown := sorted(wanted - known.keys()):
        text = f"There is no field {unknown[0]!r}; there are {', '.join(known)}."
        raise ValidationError(fields={"fields": [text]})
    return wanted


def describe_cut_rows(result: SchemaNode, generator: Any, request: Any, public: bool) -> SchemaNode:
    """In the OpenAPI document a row is whole, or what `fields` leaves of it: the same members, none required."""
    schemas = result["components"]["schemas"]
    for operation in (operation for path in result["paths"].values() for operation in path.values()):
        if any(parameter["name"] == "fields" for parameter in operation.get("parameters", [])):
            page = operation["responses"]["200"]["content"]["application/json"]["schema"]
            rows = schemas[_name_of(page)]["properties"]["data"]
            if "$ref" in rows["items"]:
                rows["items"] = {"anyOf": [rows["items"], _add_cut_row(schemas, _name_of(rows["items"]))]}
    return result


def _add_cut_row(schemas: SchemaNode, row: str) -> SchemaNode:
    """The reference to what is left of a row."""
    whole = {name: said for name, said in schemas[row].items() if name not in ("required", "description")}
    schemas[f"Cut{row}"] = whole | {"description": "The members of a row that `fields` names.", "minProperties": 1}
    return {"$ref": f"#/components/schemas/Cut{row}"}


def _name_of(reference: SchemaNode) -> str:
    return str(reference["$ref"]).rpartition("/")[2]
