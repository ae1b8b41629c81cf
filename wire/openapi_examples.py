"""Believable values for the examples of the OpenAPI document, of which the page of the API makes its commands."""

from collections.abc import Callable
from hashlib import sha256
from typing import Any

JsonObject = dict[str, Any]
CONFIGURATION = 'file_patterns: ["*.csv", "*.xlsx"]\n'
SAMPLE_VALUES: dict[str, Any] = {
    "acquired_at": "2026-11-20T14:58:00Z",
    "body": "The shoulder at 290 nm is real.",
    "checksum": sha256(CONFIGURATION.encode()).hexdigest(),
    "config_yaml": CONFIGURATION,
    "content_type": "text/csv",
    "crc32": "9ae0daaf",
    "detected_files": [{"filename": "scan.csv", "relative_path": "plate-7/scan.csv", "size_bytes": 52133}],
    "display_name": "NanoDrop, bench 5",
    "error_message": "The file ends early.",
    "etag": "9b2cf535f27731c974343645a3985328",
    "file_created_at": "2026-11-20T14:57:31Z",
    "file_ids": [1024, 1025],
    "filename": "scan.csv",
    "id": "nanodrop-bench-5",
    "instrument_type": "generic",
    "message": "Plate 7 is ready.",
    "metadata": {"plate": "P-0093", "operator": "Ines"},
    "name": "Stability of batch 7",
    "part_number": 1,
    "relative_path": "plate-7/scan.csv",
    "run_id": "2026-11-20_plate-7",
    "sha256": "2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae",
    "size_bytes": 52133,
    "time_zone": "Europe/Prague",
    "upload_id": "f3KqVw0aJ7vX",
    "users": ["Ines Okafor"],
}
QUERY_SAMPLES = {"name": "plate", "q": "plate"}
PATH_SAMPLES: dict[str, Any] = {
    "instrumentId": "nanodrop-bench-5",
    "runId": "2026-11-20_plate-7",
    "fileId": 1024,
}
SOME_UUID = "01939a3c-7a20-7c1e-9f5d-3b8e2a64c0d1"
# Optional members that most callers leave out.
RARELY_SENT = {"watcher_id", "worker", "source", "part_size", "new_version"}


def add_examples(document: JsonObject) -> None:
    """To every JSON body, and to every parameter that a call cannot do without."""

    def resolved(schema: JsonObject) -> JsonObject:
        return resolve_schema(document, schema)

    operations = [operation for path in document["paths"].values() for operation in path.values()]
    for operation in (one for one in operations if isinstance(one, dict)):
        for parameter in operation.get("parameters", []):
            if parameter.get("required"):
                parameter["example"] = _choose_parameter(parameter, resolved(parameter["schema"]))
        media = operation.get("requestBody", {}).get("content", {}).get("application/json")
        if media:
            media["example"] = build_sample_body(resolved(media["schema"]), resolved)


def resolve_schema(document: JsonObject, schema: JsonObject) -> JsonObject:
    """Without references; of one shape or null, the shape with `nullable` set."""
    if "$ref" in schema:
        found: Any = document
        for part in schema["$ref"].removeprefix("#/").split("/"):
            found = found[part]
        return resolve_schema(document, {**found, **{key: value for key, value in schema.items() if key != "$ref"}})
    choices = [choice for choice in schema.get("oneOf", []) if choice != {"type": "null"}]
    if len(choices) == 1 and len(choices) < len(schema["oneOf"]):
        return {**resolve_schema(document, choices[0]), "nullable": True}
    if len(schema.get("allOf", [])) == 1:
        said = {key: value for key, value in schema.items() if key != "allOf"}
        return {**resolve_schema(document, schema["allOf"][0]), **said}
    return schema


def _choose_parameter(parameter: JsonObject, schema: JsonObject) -> Any:
    known = PATH_SAMPLES if parameter["in"] == "path" else QUERY_SAMPLES
    if parameter["name"] in known:
        return known[parameter["name"]]
    return schema["enum"][0] if "enum" in schema else SOME_UUID


def build_sample_body(schema: JsonObject, resolved: Callable[[JsonObject], JsonObject]) -> JsonObject:
    """The members a caller would send: required ones, and optional ones of which a sample is known."""
    required = schema.get("required", [])
    return {
        name: _choose_sample(name, resolved(member), resolved)
        for name, member in schema.get("properties", {}).items()
        if name in required or (name in SAMPLE_VALUES and name not in RARELY_SENT)
    }


def _choose_sample(name: str, schema: JsonObject, resolved: Callable[[JsonObject], JsonObject]) -> Any:
    if schema.get("format") == "uuid":
        return SOME_UUID
    if name in SAMPLE_VALUES:
        return SAMPLE_VALUES[name]
    if schema.get("format") == "date-time":
        return SAMPLE_VALUES["acquired_at"]
    if "enum" in schema:
        return schema["enum"][0]
    given = schema.get("type")
    kind = given if isinstance(given, str) else next((name for name in given or [] if name != "null"), "string")
    if kind == "array":
        inner = resolved(schema["items"])
        return [build_sample_body(inner, resolved) if "properties" in inner else _choose_sample("", inner, resolved)]
    if kind == "object":
        return build_sample_body(schema, resolved)
    return {"integer": 1, "number": 1.5, "boolean": True, "string": "…"}.get(kind)
