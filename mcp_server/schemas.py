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
PAGINATION_SCHEMA: Schema = {
    "type": "object",
    "properties": {
        **{name: {"type": "integer"} for name in ("page", "per_page", "total", "total_pages")},
        "next_cursor": {
            "type": ["string", "null"],
            "description": "The argument `cursor` that goes on; null at the end.",
        },
        "total_is_exact": {"type": "boolean", "description": "Where it is false, there are more than `total`."},
    },
    "required": ["per_page", "total", "next_cursor"],
}
ABRIDGED_SCHEMA: Schema = {"type": "string", "description": "Present when the answer was too long: what was left out."}


def serializer_schema(serializer: SerializerClass) -> Schema:
    """What `serializer` answers."""
    return record_schema(serializer().fields)


def page_schema(row: SerializerClass) -> Schema:
    """A page-indexed list of what `row` answers."""
    return object_schema(data=list_schema(serializer_schema(row)), pagination=PAGINATION_SCHEMA)


def list_schema(item: Schema) -> Schema:
    return {"type": "array", "items": item}


def object_schema(**members: Schema) -> Schema:
    """An object in which every one of `members` is present."""
    return {"type": "object", "properties": members, "required": list(members)}


def with_more(shape: Schema, **members: Schema) -> Schema:
    """The object with these members too, every one of them present."""
    return {**shape, "properties": shape["properties"] | members, "required": [*shape["required"], *members]}


def answer_schema(shape: Schema) -> Schema:
    """The shape of a whole answer, which may have been abridged."""
    return {**shape, "properties": {**shape["properties"], "abridged": ABRIDGED_SCHEMA}}


def record_schema(members: Any) -> Schema:
    required = [name for name, field in members.items() if field.required or field.read_only]
    properties = {name: _describe_field(field) for name, field in members.items()}
    return {"type": "object", "properties": properties, "required": required}


def _describe_field(field: Any) -> Schema:
    schema = _field_schema(field)
    if field.allow_null and "type" in schema:
        schema = {**schema, "type": [schema["type"], "null"]}
        if "enum" in schema:
            schema["enum"] = [*schema["enum"], None]
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
    if isinstance(field, fields.ChoiceField):
        return {"type": "string", "enum": list(field.choices)}
    if isinstance(field, fields.SerializerMethodField):
        return _method_field_schema(field)
    return next((schema for kinds, schema in SIMPLE_TYPES if isinstance(field, kinds)), {"type": "string"})


def _method_field_schema(field: Any) -> Schema:
    """As `@extend_schema_field` says beside the method; text where it says nothing."""
    method = getattr(field.parent, field.method_name, None)
    said = getattr(method, "_spectacular_annotation", {}).get("field")
    return _describe_field(said) if isinstance(said, fields.Field) else {"type": "string"}
