"""Schemas of arguments as assistants read them: what pydantic writes, without what it repeats.

The list of tools is what an assistant reads first, each time. Left out are titles and definitions apart; and null,
defaults that mean "not given" and a single value where a list may stand, which are taken all the same.
"""

from typing import Any

Schema = dict[str, Any]
NOT_GIVEN: tuple[Any, ...] = (None, "", False)


def shorten_arguments(parameters: Schema) -> Schema:
    """The arguments of a tool, of which no others are taken."""
    shown = _shorten_record(parameters, parameters.get("$defs", {}))
    return {**shown, "additionalProperties": False}


def _shorten_record(record: Schema, definitions: Schema) -> Schema:
    members = {name: _shorten(schema, definitions) for name, schema in record["properties"].items()}
    required = {"required": record["required"]} if record.get("required") else {}
    return {"type": "object", "properties": members, **required}


def _shorten(schema: Schema, definitions: Schema) -> Schema:
    said = {name: value for name, value in schema.items() if name not in ("title", "default", "anyOf", "$ref")}
    if "default" in schema and not any(schema["default"] is one for one in NOT_GIVEN):
        said["default"] = schema["default"]
    if "anyOf" in schema:
        return _choose([_shorten(one, definitions) for one in schema["anyOf"]]) | said
    if "$ref" in schema:
        named = {**definitions[schema["$ref"].rpartition("/")[2]]}
        named.pop("description", "")  # of the code, not of the argument
        return _shorten(named, definitions) | said
    if "items" in said:
        said["items"] = _shorten(said["items"], definitions)
    if isinstance(said.get("additionalProperties"), dict):
        del said["additionalProperties"]  # the values' types: the description shows them
    return said | _shorten_record(said, definitions) if "properties" in said else said


def _choose(alternatives: list[Schema]) -> Schema:
    """The list where there is one, else the only kind of value that is not null."""
    kinds = [one for one in alternatives if one.get("type") != "null"]
    lists = [one for one in kinds if one.get("type") == "array"]
    (chosen,) = lists or kinds
    return chosen
