"""The OpenAPI 3.1 document: exactly the public routes, each with its scope and the envelope of every refusal.

An action says what it takes and gives with `@extend_schema`: a list with `paged(RunSerializer)`, a refusal with more to
say than its code with `refused("…")`; its docstring is the summary. What all operations share is added here, once.
"""

import inspect
import re
from functools import cache
from typing import Any

from django.core.validators import RegexValidator
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema_serializer
from rest_framework import serializers

from wire import change_reason
from wire.fields import Text
from wire.openapi_examples import add_examples

SerializerClass = type[serializers.Serializer[Any]]
SchemaNode = dict[str, Any]

READING_ORDER = ("get", "post", "put", "patch", "delete")
OPERATION_METHODS = frozenset(READING_ORDER)
STATUSES_EVERYWHERE = {"400", "401", "403", "404", "406", "409", "429", "503"}  # 429: all count bad credentials
STATUSES_OF_WRITES = {"413", "415"}  # also where no body is wanted: what comes is looked at all the same
REFUSALS_BY_STATUS = {  # status: (component, meaning)
    "400": ("BadRequest", "The input is not valid; `details.fields` names each bad member."),
    "401": ("Unauthorized", "No or bad credentials, or the wrong kind of caller for this route."),
    "403": ("Forbidden", "A scope (`details.scope`), the admin role, or ownership is missing."),
    "404": ("NotFound", "There is no such thing, or the caller may not see it."),
    "406": ("NotAcceptable", "`Accept` names no form in which this is answered."),
    "409": ("Conflict", "Something is in the way; `details` says what."),
    "413": ("PayloadTooLarge", "The body or one of its members is too large."),
    "415": ("UnsupportedMediaType", "The body is not plain `application/json`."),
    "429": ("RateLimited", "Too many requests; wait as `Retry-After` says."),
    "503": ("ServiceUnavailable", "The database or the object store is out of reach; try again as `Retry-After` says."),
}
LINE_PATTERN = r"^[^\x00-\x1f\x7f-\x9f]*$"
LONG_TEXT_PATTERN = r"^[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]*$"
SAYS_ITS_TEXT = {"$ref", "pattern", "enum", "format", "allOf", "oneOf"}
IDEMPOTENCY_KEY: SchemaNode = {
    "name": "Idempotency-Key",
    "in": "header",
    "description": "The first answer under this key is given again for 24 hours, and nothing is done twice.",
    "schema": {"type": "string", "minLength": 1, "maxLength": 64, "pattern": "^[!-~]+$"},
}
CHANGE_REASON: SchemaNode = {
    "name": change_reason.HEADER,
    "in": "header",
    "description": "Why this is changed; it stands in the history. Beyond ASCII it is percent-encoded UTF-8.",
    "schema": {"type": "string", "maxLength": 900, "pattern": "^[ -~]*$"},
}
SUCCESS_DESCRIPTIONS = {"200": "Done.", "201": "Made.", "202": "Begun.", "204": "Done; no body.", "302": "Look there."}
ERROR_CODES = (
    *("VALIDATION_ERROR", "UNAUTHORIZED", "FORBIDDEN", "NOT_FOUND", "METHOD_NOT_ALLOWED", "NOT_ACCEPTABLE"),
    *("REQUEST_TIMEOUT", "CONFLICT", "GONE", "LENGTH_REQUIRED", "PRECONDITION_FAILED", "PAYLOAD_TOO_LARGE"),
    *("UNSUPPORTED_MEDIA_TYPE", "RANGE_NOT_SATISFIABLE", "UPGRADE_REQUIRED", "RATE_LIMITED", "INTERNAL_ERROR"),
    *("TRACKER_UNAVAILABLE", "FEEDBACK_NOT_CONFIGURED", "BYTES_REFUSED", "QUERY_TOO_LARGE", "SERVICE_UNAVAILABLE"),
)
ERROR_SCHEMA: SchemaNode = {
    "type": "object",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["code", "message", "details"],
            "properties": {
                "code": {"type": "string", "enum": list(ERROR_CODES), "examples": ["NOT_FOUND"]},
                "message": {"type": "string", "examples": ["There is no such run."]},
                "details": {"type": ["object", "null"], "additionalProperties": True},
            },
        }
    },
}
CHANGE_SUFFIX = "ChangeRequest"
ERROR_REFERENCE: SchemaNode = {"$ref": "#/components/schemas/Error"}
HEADER_COMPONENTS: SchemaNode = {
    "RequestId": {
        "description": "The request's id: the caller's own where it sent a plain one, else new.",
        "schema": {"type": "string", "pattern": "^[A-Za-z0-9._-]{1,64}$"},
    },
    "RetryAfter": {"description": "Seconds to wait.", "schema": {"type": "integer", "minimum": 1}},
    "Challenge": {"description": "How to authenticate.", "schema": {"type": "string", "const": "Bearer"}},
}
HEADERS_BY_STATUS = {
    "401": {"WWW-Authenticate": "Challenge"},
    "429": {"Retry-After": "RetryAfter"},
    "503": {"Retry-After": "RetryAfter"},
}


class PaginationSerializer(serializers.Serializer[Any]):
    """Where a list stands: `page` and `total_pages` of a page, `next_cursor` of a list by cursor, null at its end.

    `total_is_exact` is there where `exact_total=false` was asked; false, there are more than `total`.
    """

    page = serializers.IntegerField(min_value=1, required=False)
    per_page = serializers.IntegerField(min_value=1)
    total = serializers.IntegerField(min_value=0)
    total_pages = serializers.IntegerField(min_value=0, required=False)
    next_cursor = serializers.CharField(required=False, allow_null=True)
    total_is_exact = serializers.BooleanField(required=False)


@cache
def page_serializer(row: SerializerClass) -> SerializerClass:
    """The body of a page-indexed list of `row`, for `@extend_schema(responses={200: paged(RunSerializer)})`."""
    name = f"{row.__name__.removesuffix('Serializer')}PageSerializer"
    members = {"data": row(many=True), "pagination": PaginationSerializer()}
    return extend_schema_serializer(many=False)(type(name, (serializers.Serializer,), members))


def refusal_response(meaning: str) -> OpenApiResponse:
    """A refusal that says more here than its code does elsewhere: `responses={409: refused("The run is deleted.")}`."""
    return OpenApiResponse(response=ERROR_REFERENCE, description=meaning)


IF_MATCH = OpenApiParameter(
    "If-Match", str, OpenApiParameter.HEADER, description="Change it only where it still has this ETag, else 412."
)
IF_NONE_MATCH = OpenApiParameter(
    "If-None-Match", str, OpenApiParameter.HEADER, description="Answer 304 where it still has this ETag."
)
NOT_MODIFIED = OpenApiResponse(description="Not changed since the ETag given.")
CHANGED_MEANWHILE = refusal_response("It has another ETag than `If-Match` names.")
PURGED = refusal_response("The bytes were purged by a rule of retention.")


class ServiceSchema(AutoSchema):
    """Operation ids, tags and summaries that read like the specification's tables."""

    def get_tags(self) -> list[str]:
        return [getattr(self.view, "tag", self._noun)]

    def get_operation_id(self) -> str:
        return f"{_snake_case(self._noun)}_{getattr(self.view, 'action', '')}"

    def get_summary(self) -> str | None:
        return " ".join(_docstring_of(self.view).partition("\n\n")[0].split()).removesuffix(".") or None

    def get_description(self) -> str:  # type: ignore[override]  # as in AutoSchema itself
        return _docstring_of(self.view).partition("\n\n")[2]

    def _map_serializer_field(self, field: Any, direction: Any, bypass_extensions: bool = False) -> SchemaNode:
        """What comes in as text is held to the input gate's signs, which a pattern can say; a list may need a row."""
        schema: SchemaNode = super()._map_serializer_field(field, direction, bypass_extensions)
        is_bare = schema.keys().isdisjoint(SAYS_ITS_TEXT)
        is_bare = is_bare and not any(isinstance(one, RegexValidator) for one in getattr(field, "validators", ()))
        if isinstance(field, Text) and direction == "request" and is_bare:
            schema["pattern"] = field.pattern or (LONG_TEXT_PATTERN if field.multiline else LINE_PATTERN)
        if isinstance(field, serializers.ListField) and not field.allow_empty:
            schema.setdefault("minItems", 1)
        return schema

    def _map_basic_serializer(self, serializer: Any, direction: Any) -> SchemaNode:
        """With what one member asks of another, where the serializer says it: `schema_conditions`."""
        schema: SchemaNode = super()._map_basic_serializer(serializer, direction)
        return schema | getattr(serializer, "schema_conditions", {})

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


def select_public_operations(endpoints: list[Any], **kwargs: Any) -> list[Any]:
    """Only /api/v1; the document itself, the alias at the root and pages are not the API's. Paths keep their order."""
    public = [
        endpoint
        for endpoint in endpoints
        if endpoint[0].startswith("/api/v1/") and not endpoint[0].endswith("openapi.json")
    ]
    places = {path: place for place, path in enumerate(dict.fromkeys(endpoint[0] for endpoint in public))}
    # a path's methods come in the order of a set, which is another in each process
    return sorted(public, key=lambda endpoint: (places[endpoint[0]], READING_ORDER.index(endpoint[2].lower())))


def complete_document(result: SchemaNode, generator: Any, request: Any, public: bool) -> SchemaNode:
    """What every operation shares: refusals, the request id, the caller it wants, names as in the specification."""
    components = result.setdefault("components", {})
    components.setdefault("schemas", {})["Error"] = ERROR_SCHEMA
    components["headers"] = HEADER_COMPONENTS
    components["responses"] = {
        name: _refusal_component(status, meaning) for status, (name, meaning) in REFUSALS_BY_STATUS.items()
    }
    for name, schema in components["schemas"].items():
        if name.endswith(CHANGE_SUFFIX):  # a PATCH names at least one field: wire.inputs.read_change
            schema["anyOf"] = [{"required": [member]} for member in schema["properties"]]
            _require_body_of_changes(result["paths"], f"#/components/schemas/{name}")
    for path in result["paths"].values():
        for method in OPERATION_METHODS & path.keys():
            _complete_operation(path[method], may_write=method != "get")
        if "post" in path:
            path["post"].setdefault("parameters", []).append(IDEMPOTENCY_KEY)
        for method in {"post", "put", "patch", "delete"} & path.keys():
            path[method].setdefault("parameters", []).append(CHANGE_REASON)
    result["paths"] = {_camel_case_parameters(path): item for path, item in result["paths"].items()}
    add_examples(result)
    return result


def _complete_operation(operation: SchemaNode, *, may_write: bool) -> None:
    responses = operation["responses"]
    wanted = STATUSES_EVERYWHERE | (STATUSES_OF_WRITES if may_write else set())
    if "302" in responses:  # downloads: errors are JSON whatever Accept says
        wanted = wanted - {"406"}
    for status, response in responses.items():
        response["description"] = response["description"] or SUCCESS_DESCRIPTIONS.get(status, "")
        response.setdefault("headers", {}).update(_header_references(status))
    for status in wanted - responses.keys():
        responses[status] = {"$ref": f"#/components/responses/{REFUSALS_BY_STATUS[status][0]}"}
    operation["responses"] = dict(sorted(responses.items()))
    operation["description"] = "\n\n".join(filter(None, [operation.get("description"), _describe_callers(operation)]))
    for parameter in operation.get("parameters", []):
        if parameter["in"] == "path":
            parameter["name"] = _camel_case(parameter["name"])


def _require_body_of_changes(paths: SchemaNode, reference: str) -> None:
    for operation in (operation for path in paths.values() for operation in path.values()):
        body = operation.get("requestBody", {}) if isinstance(operation, dict) else {}
        if body.get("content", {}).get("application/json", {}).get("schema") == {"$ref": reference}:
            body["required"] = True


def _refusal_component(status: str, meaning: str) -> SchemaNode:
    return {
        "description": meaning,
        "headers": _header_references(status),
        "content": {"application/json": {"schema": ERROR_REFERENCE}},
    }


def _header_references(status: str) -> SchemaNode:
    names = {"X-Request-ID": "RequestId"} | HEADERS_BY_STATUS.get(status, {})
    return {name: {"$ref": f"#/components/headers/{component}"} for name, component in names.items()}


def _describe_callers(operation: SchemaNode) -> str:
    """Who may call, in words: the roles of the security requirements (OpenAPI 3.1 lets any scheme name them)."""
    roles = {scheme: names for entry in operation.get("security", []) for scheme, names in entry.items()}
    if not roles:
        return "Needs no credentials."
    scopes = " and ".join(f"`{name}`" for name in roles.get("token", []))
    token = f"a token with the scope {scopes}" if scopes else "any token"
    person = "a signed-in admin" if roles.get("session") else "any signed-in person"
    callers = [text for scheme, text in (("token", token), ("session", person)) if scheme in roles]
    return f"Callers: {', or '.join(callers)}."


def _docstring_of(view: Any) -> str:
    return inspect.getdoc(getattr(view, getattr(view, "action", ""), None)) or ""


def _camel_case_parameters(path: str) -> str:
    return re.sub(r"\{(\w+)\}", lambda match: f"{{{_camel_case(match[1])}}}", path)


def _camel_case(name: str) -> str:
    """As the specification names path parameters: instrumentId, but /archive-jobs/{id}."""
    return "id" if name == "job_id" else re.sub(r"_([a-z])", lambda match: match[1].upper(), name)


def _snake_case(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()
