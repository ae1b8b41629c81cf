"""What is in the JSON of artefacts, as JSON Schema: curves, plates and tables. Other formats name themselves likewise.

Members may be added within a format; one that changes its meaning is a new number.
"""

from typing import Any

Schema = dict[str, Any]
TEXT: Schema = {"type": "string"}
UNIT: Schema = {"type": ["string", "null"], "examples": ["AU", "1/cm"]}
COUNT: Schema = {"type": "integer", "minimum": 0}
NUMBER: Schema = {"type": ["number", "null"], "description": "Seven significant digits; null where there is none."}
TITLE: Schema = TEXT | {"description": "As people read it, where that is another word than the name."}
NUMBERS: Schema = {"type": "array", "items": {"type": ["number", "null"]}}


def _object(required: dict[str, Schema], **optional: Schema) -> Schema:
    return {"type": "object", "properties": required | optional, "required": list(required)}


def _format(name: str) -> Schema:
    return {"type": "string", "const": name}


AXIS = _object(
    {"label": TEXT, "unit": UNIT},
    reversed={"type": "boolean", "description": "It runs to the left, as wavenumbers and ppm do."},
    log={"type": "boolean"},
)
SERIES = _object(
    {"label": TEXT, "x": NUMBERS, "y": NUMBERS, "points": COUNT | {"description": "As many as the file has."}},
    hidden={"type": "boolean", "description": "Pages show it on demand, as the imaginary part of a spectrum."},
)
MARK = _object(
    {"label": TEXT},
    x=NUMBER,
    y=NUMBER,
    area=NUMBER,
    bounds={"type": "array", "items": {"type": ["number", "null"]}, "minItems": 2, "maxItems": 2},
)
WELL = _object({"value": NUMBER}, values=NUMBERS, sample=TEXT, note=TEXT)
STEPS = _object(
    {"label": TEXT, "unit": UNIT, "values": {"type": "array", "items": {"type": ["number", "string", "null"]}}}
)
ARTEFACT_SCHEMAS: dict[str, Schema] = {
    "IdsCurve": _object(
        {
            "format": _format("ids-curve/1"),
            "title": TEXT,
            "style": {"type": "string", "enum": ["line", "sticks", "contours"]},
            "x": AXIS,
            "y": AXIS,
            "series": {"type": "array", "items": SERIES},
            "downsampled": {"type": "boolean", "description": "Points are left out; a dataset has all of them."},
        },
        marks={"type": "array", "items": MARK},
        aspect={"type": "string", "enum": ["equal"]},
    ),
    "IdsPlate": _object(
        {
            "format": _format("ids-plate/1"),
            "title": TEXT,
            "rows": COUNT,
            "columns": COUNT,
            "quantity": TEXT,
            "unit": UNIT,
            "wells": {"type": "object", "additionalProperties": WELL, "description": "By name: A1 to AF48."},
        },
        steps=STEPS,
    ),
    "IdsTable": _object(
        {
            "format": _format("ids-table/1"),
            "title": TEXT,
            "columns": {"type": "array", "items": _object({"name": TEXT, "unit": UNIT}, title=TITLE)},
            "rows": {
                "type": "array",
                "items": {"type": "array", "items": {"type": ["string", "number", "boolean", "null"]}},
            },
            "total_rows": COUNT | {"description": "Of the file; `rows` may be the first of them."},
        }
    ),
}
ARTEFACT_SCHEMA: Schema = {
    "anyOf": [
        *({"$ref": f"#/components/schemas/{name}"} for name in ARTEFACT_SCHEMAS),
        {"type": ["object", "array"], "items": {}, "additionalProperties": True},
    ]
}
