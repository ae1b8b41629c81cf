"""The OpenAPI 3.1 document: exactly the public routes, each with its scope and the envelope of every refusal.

An action says what it takes and gives with `@extend_schema`: a list with `paged(RunSerializer)`, a refusal with more to
say than its code with `refused("…")`; its docstring is the summary. What all operations share is added here, once.
"""

import inspect
import re
from functools import cache
from typing import Any

from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import OpenApiResponse, extend_schema_serializer
from rest_framework import serializers

Rows = type[serializers.Serializer[Any]]
Node = dict[str, Any]

METHODS = {"get", "post", "put", "patch", "delete"}
EVERYWHERE = {"400", "401", "403", "404", "409", "503"}
WITH_BODY = {"413", "415"}
WITH_CREDENTIALS = {"429"}
REFUSALS = {  # status: (component, meaning)
    "400": ("BadRequest", "The input is not valid; `details.fields` names each bad member."),
    "401": ("Unauthorized", "No or bad credentials, or the wrong kind of caller for this route."),
    "403": ("Forbidden", "A scope (`details.scope`), the admin role, or ownership is missing."),
    "404": ("NotFound", "There is no such thing, or the caller may not see it."),
    "409": ("Conflict", "Something is in the way; `details` says what."),
    "413": ("PayloadTooLarge", "The body or one of its members is too large."),
    "415": ("UnsupportedMediaType", "The body is not plain `application/json`."),
    "429": ("RateLimited", "Too many requests; wait as `Retry-After` says."),
    "503": ("ServiceUnavailable", "The database or the object store is out of reach; try again as `Retry-After` says."),
}
DONE = {"200": "Done.", "201": "Made.", "202": "Begun.", "204": "Done; no body.", "302": "Look there."}
ERROR: Node = {
    "type": "object",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["code", "message", "details"],
            "properties": {
                "code": {"type": "string", "examples": ["NOT_FOUND"]},
                "message": {"type": "string", "examples": ["There is no such run."]},
                "details": {"type": ["object", "null"], "additionalProperties": True},
            },
        }
    },
}
ERROR_BODY: Node = {"$ref": "#/components/schemas/Error"}
HEADERS: Node = {
    "RequestId": {
        "description": "The request's id: the caller's own where it sent a plain one, else new.",
        "schema": {"type": "string", "pattern": "^[A-Za-z0-9._-]{1,64}$"},
    },
    "RetryAfter": {"description": "Seconds to wait.", "schema": {"type": "integer", "minimum": 1}},
    "Challenge": {"description": "How to authenticate.", "schema": {"type": "string", "const": "Bearer"}},
}
EXTRA_HEADERS = {
    "401": {"WWW-Authenticate": "Challenge"},
    "429": {"Retry-After": "RetryAfter"},
    "503": {"Retry-After": "RetryAfter"},
}


class PaginationSerializer(serializers.Serializer[Any]):
    """Where a page-indexed list stands."""

    page = serializers.IntegerField(min_value=1)
    per_page = serializers.IntegerField(min_value=1)
    total = serializers.IntegerField(min_value=0)
    total_pages = serializers.IntegerField(min_value=0)


@cache
def paged(row: Rows) -> Rows:
    """The body of a page-indexed list of `row`, for `@extend_schema(responses={200: paged(RunSerializer)})`."""
    name = f"{row.__name__.removesuffix('Serializer')}PageSerializer"
    members = {"data": row(many=True), "pagination": PaginationSerializer()}
    return extend_schema_serializer(many=False)(type(name, (serializers.Serializer,), members))


def refused(meaning: str) -> OpenApiResponse:
    """A refusal that says more here than its code does elsewhere: `responses={409: refused("The run is deleted.")}`."""
    return OpenApiResponse(response=ERROR_BODY, description=meaning)


class ServiceSchema(AutoSchema):
    """Operation ids, tags and summaries that read like the specification's tables."""

    def get_tags(self) -> list[str]:
        return [getattr(self.view, "tag", self._noun)]

    def get_operation_id(self) -> str:
        return f"{_snake(self._noun)}_{getattr(self.view, 'action', '')}"

    def get_summary(self) -> str | None:
        return " ".join(_doc_of(self.view).partition("\n\n")[0].split()).removesuffix(".") or None

    def get_description(self) -> str:  # type: ignore[override]  # as in AutoSchema itself
        return _doc_of(self.view).partition("\n\n")[2]

    def _get_serializer(self) -> None:
        """Nothing is guessed: an action says what it takes and gives."""

    def _get_request_body(self, direction: Any = "request") -> Any:
        """What the serializer says, whatever the method: a PATCH may need a member, a DELETE may have a body."""
        method, self.method = self.method, "POST"
        try:
            return super()._get_request_body(direction)
        finally:
            self.method = method

    def _is_list_view(self, serializer: Any = None) -> bool:
        return False  # a list is an envelope of its own, never a bare array

    @property
    def _noun(self) -> str:
        return type(self.view).__name__.removesuffix("ViewSet")


def public_operations(endpoints: list[Any], **kwargs: Any) -> list[Any]:
    """Only /api/v1; the document itself, the alias at the root and pages are not the API's."""
    return [
        endpoint
        for endpoint in endpoints
        if endpoint[0].startswith("/api/v1/") and not endpoint[0].endswith("openapi.json")
    ]


def complete_document(result: Node, generator: Any, request: Any, public: bool) -> Node:
    """What every operation shares: refusals, the request id, the caller it wants, names as in the specification."""
    components = result.setdefault("components", {})
    components.setdefault("schemas", {})["Error"] = ERROR
    components["headers"] = HEADERS
    components["responses"] = {name: _refusal(status, meaning) for status, (name, meaning) in REFUSALS.items()}
    for path in result["paths"].values():
        for operation in (path[method] for method in METHODS & path.keys()):
            _complete(operation)
    result["paths"] = {_camel_parameters(path): item for path, item in result["paths"].items()}
    return result


def _complete(operation: Node) -> None:
    responses = operation["responses"]
    wanted = EVERYWHERE | (WITH_BODY if "requestBody" in operation else set())
    wanted |= WITH_CREDENTIALS if operation.get("security") else set()
    for status, response in responses.items():
        response["description"] = response["description"] or DONE.get(status, "")
        response.setdefault("headers", {}).update(_headers(status))
    for status in wanted - responses.keys():
        responses[status] = {"$ref": f"#/components/responses/{REFUSALS[status][0]}"}
    operation["responses"] = dict(sorted(responses.items()))
    operation["description"] = "\n\n".join(filter(None, [operation.get("description"), _callers(operation)]))
    for parameter in operation.get("parameters", []):
        if parameter["in"] == "path":
            parameter["name"] = _camel(parameter["name"])


def _refusal(status: str, meaning: str) -> Node:
    return {
        "description": meaning,
        "headers": _headers(status),
        "content": {"application/json": {"schema": ERROR_BODY}},
    }


def _headers(status: str) -> Node:
    names = {"X-Request-ID": "RequestId"} | EXTRA_HEADERS.get(status, {})
    return {name: {"$ref": f"#/components/headers/{component}"} for name, component in names.items()}


def _callers(operation: Node) -> str:
    """Who may call, in words: the roles of the security requirements (OpenAPI 3.1 lets any scheme name them)."""
    roles = {scheme: names for entry in operation.get("security", []) for scheme, names in entry.items()}
    if not roles:
        return "Needs no credentials."
    scopes = " and ".join(f"`{name}`" for name in roles.get("token", []))
    token = f"a token with the scope {scopes}" if scopes else "any token"
    person = "a signed-in admin" if roles.get("session") else "any signed-in person"
    callers = [text for scheme, text in (("token", token), ("session", person)) if scheme in roles]
    return f"Callers: {', or '.join(callers)}."


def _doc_of(view: Any) -> str:
    return inspect.getdoc(getattr(view, getattr(view, "action", ""), None)) or ""


def _camel_parameters(path: str) -> str:
    return re.sub(r"\{(\w+)\}", lambda match: f"{{{_camel(match[1])}}}", path)


def _camel(name: str) -> str:
    """As the specification names path parameters: instrumentId, but /archive-jobs/{id}."""
    return "id" if name == "job_id" else re.sub(r"_([a-z])", lambda match: match[1].upper(), name)


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()
