"""Output schemas of tools, read off the serializers of REST: one truth for both faces.

A schema only describes. Members that it does not name may come: the API grows, and answers that were too long say so.
"""

from typing import Any

from rest_framework import fields, serializers

from wire.fields import Details, Metadata, QueryMoment, Timestamp, Uuid

Schema = dict[str, Any]
Rows = type[serializers.Serializer[Any]]
SIMPLE: list[tuple[tuple[type[Any], ...], Schema]] = [
    ((fields.BooleanField,), {"type": "boolean"}),
    ((fields.IntegerField,), {"type": "integer"}),
    ((fields.FloatField,), {"type": "number"}),
    ((Metadata, Details), {"type": "object"}),
    ((Timestamp, QueryMoment), {"type": "string", "format": "date-time"}),
    ((Uuid, fields.UUIDField), {"type": "string", "format": "uuid"}),
]
PAGINATION: Schema = {
    "type": "object",
    "properties": {name: {"type": "integer"} for name in ("page", "per_page", "total", "total_pages")},
    "required": ["page", "per_page", "total", "total_pages"],
}
ABRIDGED: Schema = {"type": "string", "description": "Present when the answer was too long: what was left out."}


def shape_of(serializer: Rows) -> Schema:
    """What `serializer` answers."""
    return record_shape(serializer().fields)


def page_shape(row: Rows) -> Schema:
    """A page-indexed list of what `row` answers."""
    return object_shape(data=list_shape(shape_of(row)), pagination=PAGINATION)


def list_shape(item: Schema) -> Schema:
    return {"type": "array", "items": item}


def object_shape(**members: Schema) -> Schema:
    """An object in which every one of `members` is present."""
    return {"type": "object", "properties": members, "required": list(members)}


def answer_shape(shape: Schema) -> Schema:
    """The shape of a whole answer, which may have been abridged."""
    return {**shape, "properties": {**shape["properties"], "abridged": ABRIDGED}}


def record_shape(members: Any) -> Schema:
    required = [name for name, field in members.items() if field.required or field.read_only]
    properties = {name: _described(field) for name, field in members.items()}
    return {"type": "object", "properties": properties, "required": required}


def _described(field: Any) -> Schema:
    schema = _type_of(field)
    if field.allow_null and "type" in schema:
        schema = {**schema, "type": [schema["type"], "null"]}
        if "enum" in schema:
            schema["enum"] = [*schema["enum"], None]
    return {**schema, "description": str(field.help_text)} if field.help_text else schema


def _type_of(field: Any) -> Schema:
    if isinstance(field, serializers.ListSerializer):
        child: Any = field.child
        return list_shape(record_shape(child.fields))
    if isinstance(field, serializers.Serializer):
        return record_shape(field.fields)
    if isinstance(field, fields.ListField):
        return list_shape(_type_of(field.child))
    if isinstance(field, fields.DictField):
        return {"type": "object", "additionalProperties": _type_of(field.child)}
    if isinstance(field, fields.ChoiceField):
        return {"type": "string", "enum": list(field.choices)}
    if isinstance(field, fields.SerializerMethodField):
        return _type_of_method(field)
    return next((schema for kinds, schema in SIMPLE if isinstance(field, kinds)), {"type": "string"})


def _type_of_method(field: Any) -> Schema:
    """As `@extend_schema_field` says beside the method; text where it says nothing."""
    method = getattr(field.parent, field.method_name, None)
    said = getattr(method, "_spectacular_annotation", {}).get("field")
    return _type_of(said) if isinstance(said, fields.Field) else {"type": "string"}
