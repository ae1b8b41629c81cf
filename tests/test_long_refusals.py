"""What is wrong with a body is told in few words, however much of it is wrong."""

import pytest

from tests.factories import make_run, make_token_with_text
from tests.mcp_server.assistants import Assistant, text_of

pytestmark = pytest.mark.django_db
API = "/api/v1"
RUNS = f"{API}/instruments/reader/runs"


@pytest.mark.parametrize(
    ("path", "body"),
    [
        (f"{API}/notifications/dispatch", {"message": "x", "user_ids": [1] * 20_000}),
        (RUNS, {"run_id": "R1", "detected_files": [1] * 20_000}),
        (RUNS, {"run_id": "R1", "detected_files": [{"filename": "a"}] * 1_000}),
        (f"{API}/files/1/multipart-upload/complete", {"upload_id": "x", "parts": [1] * 20_000}),
    ],
)
def test_a_list_with_a_fault_in_each_member_is_refused_in_few_words(as_token, path, body):
    answer = as_token().post(path, body)

    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "VALIDATION_ERROR")
    assert len(answer.content) < 10_000


def test_faults_beyond_those_that_are_told_are_counted(as_token):
    run = make_run()
    faulty = [{"filename": "a.csv", "relative_path": "b.csv"}] * 100

    answer = as_token().post(f"{API}/instruments/{run.instrument_id}/runs", {"run_id": "R", "detected_files": faulty})

    error = answer.json()["error"]
    assert len(error["details"]["fields"]) == 30
    assert error["message"].endswith(" And 70 more are not valid.")


@pytest.mark.parametrize("asked", [{"status": ["q"] * 3_000}, {"metadata": {"z" * 20_000: "1"}}, {"k" * 20_000: 1}])
def test_an_assistant_is_not_told_its_own_words_at_length(asked):
    refused = Assistant(make_token_with_text()[1]).call("search_runs", **asked)

    assert refused.is_error
    assert len(text_of(refused)) < 20_000
