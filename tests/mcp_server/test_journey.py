"""What an assistant does when somebody asks: "What failed today, why, and get me the file" (no model needed)."""

from pathlib import Path
from urllib.parse import urlsplit

import pytest

from files.storage import object_store
from tests.factories import make_instrument, make_run, make_stored_file, make_token_with_text, make_user
from tests.mcp_server.assistants import Assistant, text_of
from tests.mcp_server.oauth_flow import access_token
from wire.clock import now

pytestmark = pytest.mark.django_db
REAL = Path(__file__).resolve().parents[3] / "shared" / "data" / "instruments"
CSV = b"sample;value\nA;1,5\n" * 40


def real_file() -> bytes:
    """An export of a real instrument, where the lab's samples are at hand."""
    found = sorted((REAL / "cell-counting").glob("*.csv"))
    return found[0].read_bytes() if found else CSV


@pytest.mark.parametrize("kind", ["token", "person"])
def test_what_failed_today_why_and_get_me_the_file(kind):
    counter = make_instrument(id="vi-cell", display_name="Vi-CELL BLU")
    for number in range(30):
        run = make_run(
            instrument=counter, run_id=f"count {number}", caller_metadata={"analyst": "Jenny", "cells": number}
        )
        status = "failed" if number == 12 else "completed"
        why = {"error_message": "Vi-CELL BLU could not read this file: no sample."} if number == 12 else {}
        make_stored_file(f"count {number}.csv", real_file(), run=run, status=status, **why)
    text = make_token_with_text()[1] if kind == "token" else access_token(make_user(), scope="read")
    assistant, today, sizes = Assistant(text), f"{now():%Y-%m-%d}", []

    def call(tool: str, **arguments):
        result = assistant.call(tool, **arguments)
        assert not result.is_error, result
        sizes.append(len(text_of(result).encode()))
        return result.structured_content

    (failed,) = call("search_runs", status="failed", date_from=today, date_to=today)["data"]
    named = {"instrument_id": failed["instrument_id"], "run_id": failed["run_id"]}
    run = call("get_run", **named)
    report = call("get_run_report", **named)
    url = call("get_file_download_url", file_id=report["failures"][0]["file_id"])
    call("search_runs", date_from=today, date_to=today)

    assert run["file_status_counts"]["failed"] == 1
    assert report["failures"][0]["error_message"] == "Vi-CELL BLU could not read this file: no sample."
    assert max(sizes) < 20_000
    assert url["filename"] == "count 12.csv"
    with object_store().open_range(run["files"][0]["storage_key"]) as source:
        assert source.read() == real_file()
    assert urlsplit(url["download_url"]).query
