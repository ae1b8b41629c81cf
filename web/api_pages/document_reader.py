"""The OpenAPI document as a person reads it: groups of calls, each with its inputs, answers and one example to copy."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from wire.openapi import OPERATION_METHODS
from wire.openapi_examples import resolve_schema

JsonObject = dict[str, Any]
FORMAT_NAMES = {"uuid": "UUID", "int64": "integer", "binary": "bytes"}  # other formats carry a name that people read
MAX_DEPTH = 4
SHARED_REFUSAL_STATUSES = ("400", "401", "403", "404", "406", "409", "413", "415", "429", "503")


@dataclass(frozen=True)
class Field:
    """A parameter, or a member of a body by its dotted name."""

    name: str
    kind: str
    required: bool
    about: str


@dataclass(frozen=True)
class Answer:
    status: str
    meaning: str
    shape: str
    fields: tuple[Field, ...]


@dataclass(frozen=True)
class Call:
    """One operation. `refusals` are those with more to say here than their code does elsewhere."""

    id: str
    method: str
    path: str
    summary: str
    about: str
    scope: str
    callers: str
    parameters: tuple[Field, ...]
    body: tuple[Field, ...]
    example: str
    answers: tuple[Answer, ...]
    list_refusals: tuple[Answer, ...]


@dataclass(frozen=True)
class Group:
    id: str
    name: str
    about: str
    calls: tuple[Call, ...]


class DocumentReader:
    """Reads one document. Holds it, because every schema in it may point to another."""

    def __init__(self, document: JsonObject) -> None:
        self.document = document
        self.base = document["servers"][0]["url"]

    def list_groups(self) -> list[Group]:
        """In the order of the document's tags, without those that no call has yet."""
        calls: dict[str, list[Call]] = {tag["name"]: [] for tag in self.document.get("tags", [])}
        abouts = {tag["name"]: tag.get("description", "") for tag in self.document.get("tags", [])}
        for path, item in self.document["paths"].items():
            for method in sorted(OPERATION_METHODS & item.keys(), key=list(item).index):
                for tag in item[method]["tags"]:
                    calls.setdefault(tag, []).append(self.read_call(method, path, item[method]))
        return [Group(tag.lower(), tag, abouts.get(tag, ""), tuple(made)) for tag, made in calls.items() if made]

    def list_refusals(self) -> list[Answer]:
        """What any call may answer instead."""
        found = {
            answer.status: answer for answer in map(self._read_shared_answer, self.document["components"]["responses"])
        }
        return [found[status] for status in SHARED_REFUSAL_STATUSES if status in found]

    def read_call(self, method: str, path: str, operation: JsonObject) -> Call:
        about, _, callers = operation["description"].rpartition("\n\n")
        body = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
        own = [(status, answer) for status, answer in operation["responses"].items() if "$ref" not in answer]
        answers = [self.read_answer(status, answer) for status, answer in own]
        return Call(
            id=operation["operationId"],
            method=method.upper(),
            path=path,
            summary=operation.get("summary", ""),
            about=about,
            scope=next((name for entry in operation.get("security", []) for name in entry.get("token", [])), ""),
            callers=callers.removeprefix("Callers: "),
            parameters=tuple(map(self.read_parameter, operation.get("parameters", []))),
            body=tuple(self.list_fields(body)),
            example=self.build_example(method, path, operation),
            answers=tuple(answer for answer in answers if answer.status < "400"),
            list_refusals=tuple(answer for answer in answers if answer.status >= "400"),
        )

    def read_parameter(self, parameter: JsonObject) -> Field:
        schema = self.resolve(parameter["schema"])
        return Field(
            parameter["name"],
            self.describe_type(schema),
            parameter.get("required", False),
            parameter.get("description", "") or schema.get("description", ""),
        )

    def read_answer(self, status: str, answer: JsonObject) -> Answer:
        media = answer.get("content", {})
        schema = media.get("application/json", {}).get("schema", {})
        shape = schema.get("$ref", "").rpartition("/")[2]
        fields = () if shape == "Error" else tuple(self.list_fields(schema))
        return Answer(status, answer["description"], shape or ", ".join(media), fields)

    def list_fields(self, schema: JsonObject, prefix: str = "", depth: int = 0) -> Iterator[Field]:
        """Members in the order of the document, those within members after them by dotted names."""
        schema = self.resolve(schema)
        required = set(schema.get("required", []))
        for name, member in schema.get("properties", {}).items():
            shape = self.resolve(member)
            inner = self.resolve_row(shape["items"]) if shape.get("type") == "array" else shape
            about = member.get("description", "") or (shape.get("description", "") if "properties" not in inner else "")
            yield Field(prefix + name, self.describe_type(shape), name in required, about)
            if depth < MAX_DEPTH and "properties" in inner:
                step = "[]." if shape.get("type") == "array" else "."
                yield from self.list_fields(inner, prefix + name + step, depth + 1)

    def resolve(self, schema: JsonObject) -> JsonObject:
        return resolve_schema(self.document, schema)

    def resolve_row(self, schema: JsonObject) -> JsonObject:
        """Of one that may be cut by `fields`, the whole one."""
        row = self.resolve(schema)
        return self.resolve(row["anyOf"][0]) if "anyOf" in row else row

    def describe_type(self, schema: JsonObject) -> str:
        """The type in words: `array of string`, `date-time or null`, `one of a, b`."""
        schema = self.resolve(schema)
        if "anyOf" in schema:
            return " or ".join(dict.fromkeys(self.describe_type(choice) for choice in schema["anyOf"]))
        given: Any = schema.get("type", "any")
        types = [given] if isinstance(given, str) else list(given)
        plain = [name for name in types if name != "null"]
        word = " or ".join(plain) or "null"
        if word == "array":
            word = f"array of {self.describe_type(schema['items'])}"
        elif "enum" in schema:
            word = f"one of {', '.join(str(value) for value in schema['enum'] if value not in (None, ''))}"
        elif "format" in schema and word in ("string", "integer"):
            word = FORMAT_NAMES.get(schema["format"]) or schema["format"]
        return word + _describe_bounds(schema) + (" or null" if "null" in types or schema.get("nullable") else "")

    def build_example(self, method: str, path: str, operation: JsonObject) -> str:
        """A curl command, or nothing for calls that only the dashboard may make."""
        if not any("token" in entry for entry in operation.get("security", [])):
            return ""
        verb = "" if method == "get" else f"-X {method.upper()} "
        filled, query = fill_address(path, operation.get("parameters", []))
        address = f"{self.base}{filled}{query}"
        shown = f'"{address}"' if query else address
        lines = [f"curl {verb}{shown}", '  -H "Authorization: Bearer $TOKEN"']
        media = operation.get("requestBody", {}).get("content", {})
        if "application/json" in media:
            sample = json.dumps(media["application/json"]["example"], indent=2, ensure_ascii=False)
            lines += ['  -H "Content-Type: application/json"', f"  -d '{sample}'"]
        elif "image/png" in media:
            lines += ['  -H "Content-Type: image/png"', "  --data-binary @picture.png"]
        return " \\\n".join(lines)

    def _read_shared_answer(self, name: str) -> Answer:
        response = self.document["components"]["responses"][name]
        status = next(
            status
            for path in self.document["paths"].values()
            for operation in path.values()
            for status, answer in operation["responses"].items()
            if answer.get("$ref", "").endswith(f"/{name}")
        )
        return Answer(status, response["description"], name, ())


def fill_address(path: str, parameters: Sequence[JsonObject]) -> tuple[str, str]:
    """`/files/1024` and `?kind=image`: with the examples of what a call cannot do without."""
    needed = [one for one in parameters if "example" in one]
    for one in needed:
        path = path.replace(f"{{{one['name']}}}", str(one["example"]))
    pairs = [f"{one['name']}={one['example']}" for one in needed if one["in"] == "query"]
    return path, "?" + "&".join(pairs) if pairs else ""


def _describe_bounds(schema: JsonObject) -> str:
    low, high = schema.get("minimum"), schema.get("maximum")
    if "maxLength" in schema and "format" not in schema and "enum" not in schema:
        return f", up to {schema['maxLength']:,} characters"
    if low is not None and high is not None and high < 2**53:
        return f", {low:,} to {high:,}"
    return f", from {low:,}" if low else ""
