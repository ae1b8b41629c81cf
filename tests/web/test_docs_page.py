"""/api/docs: the OpenAPI document as a person reads it."""

import html
import json
import os
import subprocess
import sys
from urllib.parse import parse_qsl, urlsplit

import pytest
from jsonschema import Draft202012Validator

from tests.factories import make_user
from tests.markup import flat
from tests.service import CHECKOUT
from web.api_pages.document import get_document
from web.api_pages.document_reader import DocumentReader
from wire.openapi import OPERATION_METHODS
from wire.openapi_examples import add_examples

SMALL = {
    "servers": [{"url": "https://ids.lab.example/api/v1"}],
    "tags": [{"name": "Things", "description": "What there is."}, {"name": "Unused"}],
    "paths": {
        "/instruments/{instrumentId}/things": {
            "post": {
                "operationId": "thing_create",
                "tags": ["Things"],
                "summary": "Make a thing",
                "description": "Twice is once.\n\nCallers: a token with the scope `runs:create`.",
                "security": [{"token": ["runs:create"]}],
                "parameters": [
                    {"name": "instrumentId", "in": "path", "required": True, "schema": {"type": "string"}},
                    {"name": "limit", "in": "query", "schema": {"type": "integer", "minimum": 1, "maximum": 200}},
                ],
                "requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/NewThing"}}}},
                "responses": {
                    "201": {
                        "description": "Made.",
                        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Thing"}}},
                    },
                    "404": {"$ref": "#/components/responses/NotFound"},
                },
            }
        }
    },
    "components": {
        "responses": {"NotFound": {"description": "There is no such thing."}},
        "schemas": {
            "NewThing": {
                "type": "object",
                "required": ["run_id"],
                "properties": {
                    "run_id": {"type": "string", "maxLength": 255},
                    "state": {"enum": ["on", "off"], "type": "string"},
                    "parts": {"type": "array", "items": {"$ref": "#/components/schemas/Part"}},
                },
            },
            "Part": {"type": "object", "properties": {"size": {"type": "integer", "description": "In bytes."}}},
            "Thing": {
                "type": "object",
                "properties": {
                    "id": {"type": "string", "format": "uuid"},
                    "made_at": {"type": ["string", "null"], "format": "date-time"},
                    "part": {"oneOf": [{"$ref": "#/components/schemas/Part"}, {"type": "null"}]},
                },
            },
        },
    },
}

add_examples(SMALL)


@pytest.fixture(scope="module")
def call():
    [group] = DocumentReader(SMALL).list_groups()
    return group.calls[0]


def test_every_call_of_the_document_stands_on_the_page(client):
    page = html.unescape(flat(client.get("/api/docs")))

    served = json.loads(get_document()[0])
    calls = [
        (method.upper(), path) for path, item in served["paths"].items() for method in OPERATION_METHODS & item.keys()
    ]
    shown = '<span class="verb">{}</span><span class="path">{}</span>'
    assert [call for call in calls if shown.format(*call) not in page] == []


@pytest.mark.django_db
def test_signed_in_people_keep_their_shell(client):
    client.force_login(make_user(display_name="Ines Okafor"))

    page = client.get("/api/docs").content.decode()

    assert "Ines Okafor" in page


def test_another_method_is_refused_as_everything_under_api(anonymous):
    response = anonymous.put("/api/docs")

    assert response.status_code in (403, 405)
    assert set(response.json()["error"]) == {"code", "message", "details"}


def test_calls_stand_in_their_groups():
    groups = DocumentReader(SMALL).list_groups()

    assert [(group.name, group.about, len(group.calls)) for group in groups] == [("Things", "What there is.", 1)]


def test_a_call_says_who_may_make_it_and_why(call):
    assert (call.summary, call.about) == ("Make a thing", "Twice is once.")
    assert (call.scope, call.callers) == ("runs:create", "a token with the scope `runs:create`.")


def test_parameters_read_in_words(call):
    read = [(field.name, field.kind, field.required) for field in call.parameters]

    assert read == [("instrumentId", "string", True), ("limit", "integer, 1 to 200", False)]


def test_members_of_members_have_dotted_names(call):
    read = [(field.name, field.kind, field.about) for field in call.body]

    assert read == [
        ("run_id", "string, up to 255 characters", ""),
        ("state", "one of on, off", ""),
        ("parts", "array of object", ""),
        ("parts[].size", "integer", "In bytes."),
    ]


def test_what_may_be_null_says_so(call):
    read = [(field.name, field.kind) for field in call.answers[0].fields]

    assert read == [
        ("id", "UUID"),
        ("made_at", "date-time or null"),
        ("part", "object or null"),
        ("part.size", "integer"),
    ]


def test_the_example_can_be_pasted(call):
    assert call.example.splitlines() == [
        "curl -X POST https://ids.lab.example/api/v1/instruments/nanodrop-bench-5/things \\",
        '  -H "Authorization: Bearer $TOKEN" \\',
        '  -H "Content-Type: application/json" \\',
        "  -d '{",
        '  "run_id": "2026-11-20_plate-7"',
        "}'",
    ]


def test_shared_refusals_are_listed_once():
    refusals = DocumentReader(SMALL).list_refusals()

    assert [(refusal.status, refusal.meaning) for refusal in refusals] == [("404", "There is no such thing.")]


def test_readers_who_come_first_together_all_get_it():
    program = (
        "import django; django.setup();"
        "from concurrent.futures import ThreadPoolExecutor; from web.api_pages.document import get_document;"
        "print(len(set(ThreadPoolExecutor(6).map(lambda _: get_document()[1], range(6)))))"
    )

    ran = subprocess.run([sys.executable, "-c", program], cwd=CHECKOUT, env=os.environ, capture_output=True, text=True)

    assert ran.stdout.strip() == "1", ran.stderr


def list_faults(document, operation, example):
    """What of an example the document does not allow: its body, a required parameter that it lacks."""
    head, _, sent = example.partition("  -d '")
    asked = dict(parse_qsl(urlsplit(head.splitlines()[0].removesuffix("\\").replace('"', "")).query))
    yield from (
        f"{one['name']} is missing"
        for one in operation.get("parameters", [])
        if one["in"] == "query" and one.get("required") and one["name"] not in asked
    )
    content = operation.get("requestBody", {}).get("content", {})
    if "application/json" in content:
        schema = {**content["application/json"]["schema"], "components": document["components"]}
        yield from (fault.message for fault in Draft202012Validator(schema).iter_errors(json.loads(sent[:-1])))
    elif content and "--data-binary" not in example:
        yield "nothing is sent"


def test_the_document_allows_every_example():
    body, _ = get_document()
    document = json.loads(body)
    reader, faults = DocumentReader(document), {}
    for path, item in document["paths"].items():
        for method in OPERATION_METHODS & item.keys():
            example = reader.read_call(method, path, item[method]).example
            if example and (found := list(list_faults(document, item[method], example))):
                faults[f"{method} {path}"] = found

    assert faults == {}


def test_a_row_that_fields_may_cut_is_told_whole():
    document = json.loads(get_document()[0])
    call = DocumentReader(document).read_call("get", "/instrument-runs", document["paths"]["/instrument-runs"]["get"])

    told = {field.name: (field.kind, field.required) for field in call.answers[0].fields}

    assert told["data"] == ("array of object", True)
    assert told["data[].run_id"] == ("string", True)
