"""What the service is told about a file."""

import pytest

from instrument_watcher.journal.rows import Digest, FileRow, FileState, Sighting
from instrument_watcher.probing import NotFit, plain_http_warning, refuse_missing_scopes
from instrument_watcher.uploading.orders import detected_file, upload_order


def row(path: str, mtime_ns: int) -> FileRow:
    return FileRow(
        id=1, path=path, sighting=Sighting(5, mtime_ns), run_id="R1", state=FileState.FOUND, wanted=True, digest=None,
        sha256=None, file_id=None, upload_id=None, attempts=0, reason=None, uploaded_at=None,
    )  # fmt: skip


def test_a_file_is_named_with_its_place_size_and_time():
    assert detected_file(row("R1/raw/plate.csv", 1_700_000_000_123_456_789)) == {
        "filename": "plate.csv",
        "relative_path": "R1/raw/plate.csv",
        "size_bytes": 5,
        "file_created_at": "2023-11-14T22:13:20.123Z",
    }


@pytest.mark.parametrize("mtime_ns", [0, -1, 315_532_800 * 10**9, 2**62, 40 * 10**18])
def test_a_time_that_cannot_be_is_not_told(mtime_ns: int):
    assert "file_created_at" not in detected_file(row("a.csv", mtime_ns))


def test_an_upload_is_ordered_with_its_sums_and_its_type():
    order = upload_order(row("R1/report.pdf", 0), Digest("ab" * 32, "0badcafe", ()))

    assert (order["sha256"], order["crc32"], order["content_type"]) == ("ab" * 32, "0badcafe", "application/pdf")


def test_a_token_that_may_too_little_is_told_what_it_lacks():
    with pytest.raises(NotFit) as caught:
        refuse_missing_scopes({"scopes": ["instruments:read", "watchers:read", "watchers:report", "runs:read"]})

    assert caught.value.message == "The token lacks runs:create, runs:upload, files:update."


@pytest.mark.parametrize(
    ("server", "is_safe"),
    [
        ("https://data.lab.example", True),
        ("http://127.0.0.1:8000", True),
        ("http://[::1]:8000", True),
        ("http://data.lab.example", False),
        ("http://127.0.0.1.evil.example", False),
    ],
)
def test_plain_http_is_warned_of_unless_it_stays_on_this_machine(server: str, is_safe: bool):
    assert (plain_http_warning(server) == "") is is_safe
