"""Whether a document of allotropy keeps to its Allotrope schema.

allotropy validates with a class that newer releases of jsonschema deprecate, and which there resolves the second
document of a process wrongly. This resolves the references with `referencing`, as those releases mean it.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from allotropy.allotrope import schemas
from allotropy.allotrope.path_util import get_schema_path_from_asm
from allotropy.exceptions import AllotropeValidationError
from jsonschema import ValidationError
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

Schema = Mapping[str, Any]
SCHEMAS_BY_ADDRESS: Mapping[str, Schema] = schemas._get_schema_store()  # read once, before the first fork


def validate_document(document: dict[str, Any]) -> None:
    """Raise AllotropeValidationError for the first place where the document and its schema differ."""
    path = str(get_schema_path_from_asm(document))
    try:
        build_validator(path).validate(document)
    except ValidationError as error:
        where = "/".join(str(part) for part in error.absolute_path)
        raise AllotropeValidationError(f"{error.message[:200]} ({where})") from error


@cache
def build_validator(path: str) -> Any:
    schema = schemas._get_schema_by_path(path)  # type: ignore[arg-type]  # it takes any part of a path
    return schemas.FastDraft202012Validator(
        schema, registry=build_registry(schema), format_checker=schemas.FORMAT_CHECKER
    )


def build_registry(schema: Schema) -> Registry[Schema]:
    """All schemas by their address. Those that this one brings along, extended, stand before those they replace."""
    known = {address: resource_of(found) for address, found in SCHEMAS_BY_ADDRESS.items()}
    brought = {found["$id"]: resource_of(found) for found in find_embedded_schemas(schema)}
    return Registry().with_resources((known | brought).items())


def resource_of(schema: Schema) -> Resource[Schema]:
    return DRAFT202012.create_resource(schema)


def find_embedded_schemas(schema: Any) -> Iterator[Schema]:
    if isinstance(schema, dict):
        if isinstance(schema.get("$id"), str):
            yield schema
        for part in schema.values():
            yield from find_embedded_schemas(part)
    elif isinstance(schema, list):
        for part in schema:
            yield from find_embedded_schemas(part)
