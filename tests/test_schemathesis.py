"""No input is a 5xx, and every answer is one that the OpenAPI document describes.

Schemathesis calls each operation as a token that holds every scope: with what its schemas allow and what they forbid
(NUL included) at invented ids, and with what they allow at ids of things that exist.
"""

import re
from dataclasses import replace

import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis import GenerationMode, checks
from schemathesis.config import (
    CoveragePhaseConfig,
    GenerationConfig,
    PhasesConfig,
    ProjectConfig,
    ProjectsConfig,
    SchemathesisConfig,
)

from accounts import rate_limits as rates
from config.wsgi import application
from tests.factories import make_comment, make_file, make_run, make_token_with_text, make_watcher

CHECKS = [
    checks.not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_headers_conformance,
    checks.response_schema_conformance,
]
BEYOND_SCHEMAS = re.compile(
    "characters are not allowed"  # in members that are not declared, and in free objects: docs/interface.md
    "|not the SHA-256 of config_yaml|The last segment must equal filename"  # what one member says of another
    "|metadata or metadata_patch, not both|This field is required, or users"
    "|There is no such (project|instrument type)|An IANA name is needed"  # the names are the installation's
    "|no active watcher of the instrument|Needed for [0-9]+ bytes, which go in parts"
    "|At most 8 different words"  # a pattern of so many blanks would be slow
    "|The end must lie in the future|A link ends within|Either this or days"  # likewise
    "|A time from 2000"  # its end moves with the clock
    "|of a file of this run|Not files of this run|Nobody has this id|Several people have"  # rows
    "|[Tt]here is no column|does not fit|is no number, which|is no time, which|true or false is needed for"  # its own
    "|<column>:<operator>:<value> is needed|<function>:<column> is needed|It needs a column of the role"
    "|Groups have the columns of|Points are of rows|Of JSON 100,000 rows are the most"
    "|There is no field"  # the row's own, and its members are its schema
    "|at most 10 MiB, and is not empty"  # a binary part has no length to JSON Schema
    "|no cursor of this list"  # it is signed
    "|A token has claimed nothing"  # `me` is for sessions
    "|A (file name|relative path) has at most"  # bytes, where JSON Schema counts characters
    "|An address such as https://eln"  # a host that is one, and keys in braces
    "|A whole number is needed"  # 5.0 is an integer to JSON Schema
)
UNHURRIED = settings(deadline=None, suppress_health_check=list(HealthCheck), database=None, derandomize=True)


def document(*modes, allow_x00, coverage):
    project = ProjectConfig(
        generation=GenerationConfig(modes=list(modes), allow_x00=allow_x00, deterministic=True),
        phases=PhasesConfig(coverage=CoveragePhaseConfig(enabled=coverage)),
    )
    config = SchemathesisConfig(projects=ProjectsConfig(default=project))
    return schemathesis.openapi.from_wsgi("/openapi.json", application, config=config)


ANYTHING = document(*GenerationMode, allow_x00=True, coverage=True)
ALLOWED = document(GenerationMode.POSITIVE, allow_x00=False, coverage=False)

pytestmark = [pytest.mark.django_db, pytest.mark.slow, pytest.mark.usefixtures("kept_connections")]


@pytest.fixture(autouse=True)
def _no_rate(monkeypatch):
    monkeypatch.setattr(rates, "REQUESTS", replace(rates.REQUESTS, max_hits=0))


@pytest.fixture
def caller(db):
    """A token and the headers that it is sent in; what reads the answers here unpacks nothing."""
    token, text = make_token_with_text()
    return token, {"Authorization": f"Bearer {text}", "Accept-Encoding": "identity"}


@pytest.fixture
def existing(caller):
    """Path parameters that lead to what the token may touch."""
    token, run = caller[0], make_run()
    return {
        "instrumentId": run.instrument_id,
        "runId": run.run_id,
        "fileId": make_file(run=run).pk,
        "commentId": str(make_comment(run=run, token=token).pk),
        "watcherId": str(make_watcher(instrument=run.instrument, token=token).pk),
    }


@ANYTHING.parametrize()
@settings(UNHURRIED, max_examples=20)
def test_nothing_that_a_caller_sends_is_a_server_error(case, caller):
    case.call_and_validate(headers=caller[1], checks=CHECKS)


@ALLOWED.parametrize()
@settings(UNHURRIED, max_examples=10)
def test_answers_about_what_exists_are_as_documented(case, caller, existing):
    case.path_parameters = {name: existing.get(name, value) for name, value in (case.path_parameters or {}).items()}

    case.call_and_validate(headers=caller[1], checks=CHECKS)


@ALLOWED.parametrize()
@settings(UNHURRIED, max_examples=10)
def test_what_the_document_allows_is_refused_only_for_what_no_schema_can_say(case, caller, existing):
    case.path_parameters = {name: existing.get(name, value) for name, value in (case.path_parameters or {}).items()}

    answer = case.call(headers=caller[1])

    assert answer.status_code not in (400, 413, 415, 422) or BEYOND_SCHEMAS.search(answer.text), answer.text


@ANYTHING.parametrize()
@settings(UNHURRIED, max_examples=60)
def test_no_longer_try_is_a_server_error(case, caller):
    case.call_and_validate(headers=caller[1], checks=CHECKS)
