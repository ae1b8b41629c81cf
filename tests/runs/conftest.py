"""What the tests of the run list share."""

import pytest


@pytest.fixture
def found(as_token):
    """found("status=failed") is the run_ids a search answers, in order."""
    api = as_token("runs:read")

    def search(query: str = "") -> list[str]:
        answer = api.get(f"/api/v1/instrument-runs?{query}")
        assert answer.status_code == 200, answer.content
        rows = [row["run_id"] for row in answer.json()["data"]]
        assert answer.json()["pagination"]["total"] == len(rows)
        return rows

    return search
