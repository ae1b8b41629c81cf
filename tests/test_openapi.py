"""The OpenAPI document: valid 3.1, exactly the public routes, true to what the service answers."""

import json
import os
import re
import subprocess
import sys
from typing import Any

import pytest
from django.conf import settings
from jsonschema import Draft202012Validator
from openapi_spec_validator import OpenAPIV31SpecValidator

from files.naming import name_fault, path_fault
from tests.factories import make_comment, make_enrolment_code, make_file, make_instrument, make_run, make_watcher
from tests.openapi_operations import CONTRACTED, RUN, SPECIFIED, TOKEN_ONLY
from tests.service import CHECKOUT
from web.api_pages.document import get_document
from wire.errors import ServiceError
from wire.input_gate import text_fault
from wire.openapi import ERROR_CODES, OPERATION_METHODS


@pytest.fixture(scope="module")
def served() -> dict[str, Any]:
    return json.loads(get_document()[0])


@pytest.fixture(scope="module")
def operations(served):
    return {
        (method.upper(), path): operation
        for path, item in served["paths"].items()
        for method, operation in item.items()
        if method in OPERATION_METHODS
    }


def faults(served, operation, response):
    """What of an answer the document does not describe."""
    described = operation["responses"][str(response.status_code)]
    if "$ref" in described:
        described = served["components"]["responses"][described["$ref"].rpartition("/")[2]]
    schema = {**described["content"]["application/json"]["schema"], "components": served["components"]}
    return [fault.message for fault in Draft202012Validator(schema).iter_errors(response.json())]


def test_the_document_is_valid_3_1(served):
    assert served["openapi"].startswith("3.1")
    assert [fault.message for fault in OpenAPIV31SpecValidator(served).iter_errors()] == []


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/files/{file_id}/download"),
        ("GET", "/files/{file_id}/preview"),
        ("POST", f"{RUN}/restore"),
        ("GET", f"{RUN}/download-archive"),
        ("GET", "/datasets/{dataset_id}"),
        ("GET", "/datasets/{dataset_id}/rows"),
    ],
)
def test_what_may_be_purged_says_410(operations, method, path):
    (found,) = [one for (verb, route), one in operations.items() if verb == method and same_route(route, path)]

    assert "410" in found["responses"]


def same_route(one, other):
    """Whatever their parameters are called."""
    return re.sub(r"\{\w+\}", "{}", one).removeprefix("/api/v1") == re.sub(r"\{\w+\}", "{}", other)


def test_every_example_is_valid(served, operations):
    examples = [
        (f"{method} {path} {name}", schema, example)
        for (method, path), operation in operations.items()
        for name, schema, example in list_examples(operation)
    ]

    wrong = {
        name: [fault.message for fault in faults]
        for name, schema, example in examples
        if (faults := list(validator_of(served, schema).iter_errors(example)))
    }

    assert wrong == {}
    assert len(examples) > 100


def test_no_call_lacks_an_example_of_what_it_needs(operations):
    bodies = [operation["requestBody"]["content"] for operation in operations.values() if "requestBody" in operation]
    parameters = [one for operation in operations.values() for one in operation.get("parameters", [])]

    assert [body for body in bodies if "application/json" in body and "example" not in body["application/json"]] == []
    assert [one["name"] for one in parameters if one.get("required") and "example" not in one] == []


def list_examples(operation):
    for one in operation.get("parameters", []):
        if "example" in one:
            yield one["name"], one["schema"], one["example"]
    for kind, media in operation.get("requestBody", {}).get("content", {}).items():
        if "example" in media:
            yield kind, media["schema"], media["example"]


def validator_of(served, schema):
    whole = {"allOf": [schema], "components": served["components"]}
    return Draft202012Validator(whole, format_checker=Draft202012Validator.FORMAT_CHECKER)


@pytest.mark.parametrize("path", ["/openapi.json", "/api/v1/openapi.json"])
def test_it_is_served_at_both_addresses_without_credentials(anonymous, path):
    response = anonymous.get(path)

    assert (response.status_code, response["Content-Type"]) == (200, "application/json")
    assert response.content == get_document()[0]


@pytest.mark.parametrize("known", ["{tag}", "W/{tag}", "*", '"other", {tag}', '"a,b",W/"other" , W/{tag}'])
def test_an_unchanged_document_is_not_sent_again(anonymous, known):
    first = anonymous.get("/openapi.json")

    response = anonymous.get("/openapi.json", If_None_Match=known.format(tag=first["ETag"]))

    assert (response.status_code, response.content) == (304, b"")
    assert (response["ETag"], response["Cache-Control"]) == (first["ETag"], first["Cache-Control"])


@pytest.mark.parametrize("known", ['"other"', 'W/"other", "another"', "nonsense", ""])
def test_a_changed_document_is_sent(anonymous, known):
    response = anonymous.get("/openapi.json", If_None_Match=known)

    assert (response.status_code, response.content) == (200, get_document()[0])


def test_another_document_than_the_one_asked_for_is_412(anonymous):
    response = anonymous.get("/openapi.json", If_Match='"other"')

    assert (response.status_code, response.json()["error"]["code"]) == (412, "PRECONDITION_FAILED")


@pytest.mark.slow
def test_every_process_makes_the_same_bytes():
    program = (
        "import django; django.setup(); from web.api_pages.document import get_document;"
        "print(get_document()[0].decode())"
    )

    made = [
        subprocess.run(
            [sys.executable, "-c", program],
            cwd=CHECKOUT,
            env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2", "3")
    ]

    assert len(set(made)) == 1


def test_the_methods_of_a_path_stand_in_reading_order(served):
    item = served["paths"]["/instruments/{instrumentId}/runs/{runId}"]

    assert list(item) == ["get", "patch", "delete"]


def test_it_lists_exactly_the_public_routes(operations):
    assert operations.keys() == SPECIFIED | CONTRACTED


def test_token_only_routes_name_the_bearer_alone(operations):
    bearer_alone = {key for key, operation in operations.items() if [*_schemes(operation)] == ["token"]}

    assert bearer_alone == TOKEN_ONLY


def test_claims_settlements_holds_and_signatures_name_the_session_alone(operations):
    session_alone = {key for key, operation in operations.items() if [*_schemes(operation)] == ["session"]}

    assert session_alone == {
        ("PUT", f"{RUN}/attributions/me"),
        ("DELETE", f"{RUN}/attributions/me"),
        ("POST", "/watchers/{watcherId}/instance"),
        ("POST", f"{RUN}/signatures"),
        ("POST", f"{RUN}/signatures/passkey-question"),
        ("POST", f"{RUN}/signatures/{{signatureId}}/revoke"),
        ("GET", "/instruments/{instrumentId}/retention"),
        ("PUT", "/instruments/{instrumentId}/retention"),
        ("GET", "/instruments/{instrumentId}/retention/preview"),
        *((method, f"{kept}/hold") for method in ("PUT", "DELETE") for kept in (RUN, "/projects/{projectId}")),
    }


def test_every_operation_needs_credentials_and_says_which_scope(operations):
    assert operations["DELETE", RUN]["security"] == [{"token": ["runs:delete"]}, {"session": []}]
    assert operations["PATCH", "/instruments/{instrumentId}"]["security"][1] == {"session": ["admin"]}
    assert [key for key, operation in operations.items() if not operation.get("security")] == [("POST", "/enrol")]
    assert "Needs no credentials." in operations["POST", "/enrol"]["description"]


def test_every_operation_describes_five_refusals_and_a_success(operations):
    poor = [
        key
        for key, operation in operations.items()
        if not {"400", "401", "403", "404", "409"} < operation["responses"].keys()
        or not any(status.startswith("2") for status in operation["responses"])
    ]

    assert poor == []


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
def test_every_write_tells_of_bodies_that_are_refused(operations, method):
    """Also where none is wanted: one that comes all the same is looked at."""
    silent = [
        key
        for key, operation in operations.items()
        if key[0] == method and not {"413", "415"} < {*operation["responses"]}
    ]

    assert silent == []


def test_every_operation_has_a_summary_a_tag_with_a_meaning_and_an_id_of_its_own(served, operations):
    tags = {tag["name"] for tag in served["tags"]}

    assert [key for key, operation in operations.items() if not operation.get("summary")] == []
    assert [key for key, operation in operations.items() if not set(operation["tags"]) <= tags] == []
    assert len({operation["operationId"] for operation in operations.values()}) == len(operations)


def test_every_answer_carries_the_request_id(served, operations):
    answers = [answer for operation in operations.values() for answer in operation["responses"].values()]
    answers += served["components"]["responses"].values()

    assert [answer for answer in answers if "$ref" not in answer and "X-Request-ID" not in answer["headers"]] == []


def test_path_parameters_are_named_and_typed_as_specified(operations):
    parameters = operations["PATCH", f"{RUN}/comments/{{commentId}}"]["parameters"]

    named = {parameter["name"]: parameter["schema"]["type"] for parameter in parameters if parameter["in"] == "path"}
    assert named == {"instrumentId": "string", "runId": "string", "commentId": "string"}
    assert operations["GET", "/files/{fileId}"]["parameters"][0]["schema"]["type"] == "integer"


def test_extra_answers_stand_where_they_occur(operations):
    assert {"200", "202", "302"} <= operations["GET", f"{RUN}/download-archive"]["responses"].keys()
    assert {"200", "302"} <= operations["GET", "/files/{fileId}/download"]["responses"].keys()
    assert {"200", "201", "413"} <= operations["POST", "/instruments/{instrumentId}/runs"]["responses"].keys()
    assert "426" in operations["POST", "/watchers/{watcherId}/heartbeat"]["responses"]


def test_a_delete_that_takes_a_body_says_so(operations):
    assert "requestBody" in operations["DELETE", "/files/{fileId}/multipart-upload"]


def test_a_change_that_needs_a_member_says_so(served, operations):
    body = operations["PATCH", f"{RUN}/comments/{{commentId}}"]["requestBody"]["content"]["application/json"]["schema"]

    assert served["components"]["schemas"][body["$ref"].rpartition("/")[2]]["required"] == ["body"]


@pytest.mark.parametrize(
    ("method", "template", "path"),
    [
        ("GET", "/instruments", "/instruments"),
        ("GET", "/instruments/{instrumentId}", "/instruments/cary-60"),
        ("GET", "/instruments/{instrumentId}/filter-options", "/instruments/cary-60/filter-options"),
        ("GET", "/instrument-runs", "/instrument-runs"),
        ("GET", "/instruments/{instrumentId}/runs", "/instruments/cary-60/runs"),
        ("GET", RUN, "/instruments/cary-60/runs/plate-7"),
        ("DELETE", RUN, "/instruments/cary-60/runs/plate-7"),
        ("POST", f"{RUN}/restore", "/instruments/cary-60/runs/plate-7/restore"),
        ("GET", f"{RUN}/comments", "/instruments/cary-60/runs/plate-7/comments"),
        ("GET", f"{RUN}/files", "/instruments/cary-60/runs/plate-7/files"),
        ("GET", f"{RUN}/report-items", "/instruments/cary-60/runs/plate-7/report-items?kind=image"),
        ("GET", "/watchers", "/watchers"),
        ("GET", "/search", "/search?q=plate"),
        ("GET", "/system/status", "/system/status"),
        ("GET", "/whoami", "/whoami"),
        ("GET", RUN, "/instruments/cary-60/runs/nowhere"),
        ("GET", "/instrument-runs", "/instrument-runs?page=0"),
    ],
)
def test_real_answers_match_the_document(as_token, served, operations, method, template, path):
    run = make_run(instrument=make_instrument(id="cary-60"), run_id="plate-7", caller_metadata={"plate": "P-7"})
    make_file("plate.png", run=run, status="uploaded")
    make_comment(run=run)
    make_watcher(instrument=run.instrument)

    response = as_token().send(method, f"/api/v1{path}")

    assert faults(served, operations[method, template], response) == []


def test_a_claim_matches_the_document(as_person, served, operations):
    run = make_run()

    response = as_person().put(f"/api/v1/instruments/{run.instrument_id}/runs/{run.run_id}/attributions/me")

    assert faults(served, operations["PUT", f"{RUN}/attributions/me"], response) == []


def test_an_enrolment_and_its_refusal_match_the_document(anonymous, served, operations, db):
    make_enrolment_code("ABCD-EFGH-JKMN-PQRS")
    asked = {
        "code": "ABCD-EFGH-JKMN-PQRS",
        "hostname": "bench-5",
        "instance_id": "0190f2b4-0000-7000-8000-000000000001",
    }

    enrolled, refused = (anonymous.post("/api/v1/enrol", asked) for _ in range(2))

    assert (enrolled.status_code, refused.status_code) == (201, 404)
    assert faults(served, operations["POST", "/enrol"], enrolled) == []
    assert faults(served, operations["POST", "/enrol"], refused) == []


def test_an_address_that_guesses_codes_is_told_to_wait_as_documented(anonymous, served, operations, db):
    guess = {"hostname": "bench-5", "instance_id": "0190f2b4-0000-7000-8000-000000000001"}
    for number in range(20):
        anonymous.post("/api/v1/enrol", {**guess, "code": f"guess-{number}"})

    told = anonymous.post("/api/v1/enrol", {**guess, "code": "guess-20"})

    assert told.status_code == 429
    assert faults(served, operations["POST", "/enrol"], told) == []


def test_an_upload_matches_the_document(as_token, served, operations):
    run = make_run()
    path = f"/api/v1/instruments/{run.instrument_id}/runs/{run.run_id}/request-upload-url"

    response = as_token().post(path, {"filename": "scan.csv", "size_bytes": 5})

    assert faults(served, operations["POST", f"{RUN}/request-upload-url"], response) == []


@pytest.mark.parametrize(
    ("path", "address"),
    [
        ("/instrument-runs", "/instrument-runs"),
        ("/instruments/{instrumentId}/runs", "/instruments/reader/runs"),
        (f"{RUN}/files", "/instruments/reader/runs/7/files"),
    ],
)
@pytest.mark.parametrize("query", ["", "?fields=id,status"])
@pytest.mark.django_db
def test_rows_are_whole_or_what_fields_leaves_of_them(as_token, served, operations, path, address, query):
    make_file(run=make_run(instrument=make_instrument(id="reader"), run_id="7"))

    response = as_token().get(f"/api/v1{address}{query}")

    assert response.json()["pagination"]["total"] == 1
    assert faults(served, operations["GET", path], response) == []


def _schemes(operation):
    return [scheme for entry in operation.get("security", []) for scheme in entry]


def schema_of(served, name):
    return served["components"]["schemas"][name]


@pytest.mark.parametrize(
    ("name", "is_allowed"),
    [("a.csv", True), (".hidden", True), ("...", True), ("a b", True), ("", False), (".", False), ("..", False),
     ("a/b", False), ("a\\b", False), ("a\x1b", False)],
)  # fmt: skip
def test_the_pattern_of_a_file_name_says_what_its_rule_does(served, name, is_allowed):
    pattern = schema_of(served, "NewFileRequest")["properties"]["filename"]["pattern"]

    assert bool(re.search(pattern, name)) is is_allowed
    assert is_allowed is (bool(name) and name_fault(name) is None and text_fault(name, multiline=False) is None)


@pytest.mark.parametrize(
    ("path", "is_allowed"),
    [("a.csv", True), ("b/a.csv", True), (".b/..c/a.csv", True), ("/a.csv", False), ("b//a.csv", False),
     ("b/../a.csv", False), ("./a.csv", False), ("C:/a.csv", False), ("C:a.csv", False), ("b\\a.csv", False)],
)  # fmt: skip
def test_the_pattern_of_a_path_says_what_its_rule_does(served, path, is_allowed):
    pattern = schema_of(served, "NewFileRequest")["properties"]["relative_path"]["pattern"]

    assert bool(re.search(pattern, path)) is is_allowed
    assert is_allowed is (path_fault(path, filename=path.rpartition("/")[2]) is None)


def test_the_document_says_what_queries_and_lists_hold(served, operations):
    archive = operations["GET", f"{RUN}/download-archive"]["parameters"]
    file_ids = next(one["schema"] for one in archive if one["name"] == "file_ids")

    assert re.search(file_ids["pattern"], "1,22")
    assert not re.search(file_ids["pattern"], "1, 22")
    assert schema_of(served, "QueueRequestRequest")["properties"]["file_ids"]["minItems"] == 1


def test_a_new_version_needs_a_checksum_in_the_document_too(served):
    schema = schema_of(served, "UploadRequestRequest")

    def is_allowed(**members):
        body = {"filename": "a.csv", "size_bytes": 1} | members
        return Draft202012Validator({**schema, "components": served["components"]}).is_valid(body)

    assert is_allowed(new_version=False)
    assert not is_allowed(new_version=True)
    assert not is_allowed(new_version=True, sha256=None)
    assert is_allowed(new_version=True, crc32="00000000")


def test_every_code_of_a_refusal_is_in_the_document():
    kinds, codes = [ServiceError], set()
    for kind in kinds:
        kinds += kind.__subclasses__()
        codes.add(kind.code)

    assert codes <= set(ERROR_CODES)


@pytest.mark.django_db
def test_statuses_are_named_and_the_version_is_the_services(client):
    document = client.get("/openapi.json").json()
    schemas = document["components"]["schemas"]

    assert document["info"]["version"] == client.get("/readyz").json()["version"] == settings.VERSION
    assert document["info"]["license"]["identifier"] == "Apache-2.0"
    for name in ("ReadyArchive", "BuildingArchive", "ArchiveJob"):
        assert schemas[name]["properties"]["status"] == {"$ref": "#/components/schemas/ArchiveStatus"}
    assert "RunStatus" in str(schemas["FoundRun"]["properties"]["status"])
    assert "InstrumentStatus" in str(schemas["FoundInstrument"]["properties"]["status"])


def test_what_accept_may_be_refused_for_is_said_where_it_is(operations, as_token):
    kept = [name for name, operation in operations.items() if "406" not in operation["responses"]]
    redirecting = [name for name, operation in operations.items() if "302" in operation["responses"]]

    answer = as_token("instruments:read").send("GET", "/api/v1/instruments", None, Accept="application/xml")

    assert answer.status_code == 406
    assert kept == redirecting
