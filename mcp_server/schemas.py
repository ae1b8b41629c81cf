"""Output schemas of tools, read off the serializers of REST: one truth for both faces.

A schema only describes. Members that it does not name may come: the API grows, and answers that were too long say so.
"""

from typing import Any

from rest_framework import fields, serializers

from wire.fields import Details, Metadata, QueryDateTime, Timestamp, Uuid

Schema = dict[str, Any]
SerializerClass = type[serializers.Serializer[Any]]
SIMPLE_TYPES: list[tuple[tuple[type[Any], ...], Schema]] = [
    ((fields.BooleanField,), {"type": "boolean"}),
    ((fields.IntegerField,), {"type": "integer"}),
    ((fields.FloatField,), {"type": "number"}),
    ((Metadata, Details), {"type": "object"}),
    ((Timestamp, QueryDateTime), {"type": "string", "format": "date-time"}),
    ((Uuid, fields.UUIDField), {"type": "string", "format": "uuid"}),
    ((fields.JSONField,), {}),  # anything
]
PAGINATION_SCHEMA: Schema = {"type": "object"}  # `cursor` is described where it is taken
TEXT: tuple[Any, ...] = ("string", ["string", "null"])


def serializer_schema(serializer: SerializerClass) -> Schema:
    """What `serializer` answers."""
    return record_schema(serializer().fields)


def page_schema(row: SerializerClass) -> Schema:
    """A page-indexed list of what `row` answers."""
    return object_schema(data=list_schema(serializer_schema(row)), pagination=PAGINATION_SCHEMA)


def list_schema(item: Schema) -> Schema:
    return {"type": "array", "items": item}


def object_schema(**members: Schema) -> Schema:
    return {"type": "object", "properties": members}


def with_more(shape: Schema, **members: Schema) -> Schema:
    """The object with these members too."""
    return {**shape, "properties": shape["properties"] | members}


def like(record: str, **members: Schema) -> Schema:
    """What another tool shows already: `record` says which; and these members."""
    return {"type": "object", "properties": members, "description": f"As {record}."}


def outline_answer(shape: Schema) -> Schema:
    """What is published of an answer: its members, and of a list called `data` those of a row.

    The list of tools is read before anything is asked. What lies deeper, which members are always there and the forms
    of text say little to whoever will see the answer.
    """
    shown = {name: _outline(member, "type", "description") for name, member in shape["properties"].items()}
    row = shape["properties"].get("data", {}).get("items", {}).get("properties", {})
    if row:
        rows = object_schema(**{name: _outline(member, "type") for name, member in row.items()})
        shown["data"] = list_schema(rows)
    about = {"description": shape["description"]} if "description" in shape else {}
    return object_schema(**shown) | about


def _outline(member: Schema, *said: str) -> Schema:
    """Text has no type here: it is what most members are, and null where there is none."""
    shown = {name: member[name] for name in said if name in member}
    if shown.get("type") in TEXT:
        del shown["type"]
    return shown


def record_schema(members: Any) -> Schema:
    return object_schema(**{name: _describe_field(field) for name, field in members.items()})


def _describe_field(field: Any) -> Schema:
    schema = _field_schema(field)
    if field.allow_null and "type" in schema:
        schema = {**schema, "type": [schema["type"], "null"]}
    return {**schema, "description": str(field.help_text)} if field.help_text else schema


def _field_schema(field: Any) -> Schema:
    """As `@extend_schema_field` says of the field's class where that gives a schema, else by what the field is."""
    said = getattr(field, "_spectacular_annotation", {}).get("field")
    return said if isinstance(said, dict) else _schema_by_type(field)


def _schema_by_type(field: Any) -> Schema:
    if isinstance(field, serializers.ListSerializer):
        child: Any = field.child
        return list_schema(record_schema(child.fields))
    if isinstance(field, serializers.Serializer):
        return record_schema(field.fields)
    if isinstance(field, fields.ListField):
        return list_schema(_field_schema(field.child))
    if isinstance(field, fields.DictField):
        return {"type": "object", "additionalProperties": _field_schema(field.child)}
    if isinstance(field, fields.SerializerMethodField):
        return _method_field_schema(field)
    return next((schema for kinds, schema in SIMPLE_TYPES if isinstance(field, kinds)), {"type": "string"})


def _method_field_schema(field: Any) -> Schema:
    """As `@extend_schema_field` says beside the method; text where it says nothing."""
    method = getattr(field.parent, field.method_name, None)
    said = getattr(method, "_spectacular_annotation", {}).get("field")
    return _describe_field(said) if isinstance(said, fields.Field) else {"type": "string"}
