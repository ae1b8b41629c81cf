"""What a signature is bound to: the run as callers told it, and its raw files with their checksums and sizes."""

import hashlib
import json
from typing import Any

from files.choices import FileCategory
from files.models import File
from runs.models import Run
from wire.clock import format_timestamp

SIGNED_FIELDS = ("relative_path", "size_bytes", "sha256", "caller_metadata")


def digest_of_run(run: Run) -> str:
    """SHA-256 of the canonical JSON: keys sorted, no spaces, UTF-8. docs/signatures.md shows how to make it again."""
    text = json.dumps(describe_content(run), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def describe_content(run: Run) -> dict[str, Any]:
    """The files in the order of the bytes of their paths."""
    files = list_signed_files(run).order_by("relative_path").values_list(*SIGNED_FIELDS)
    return {
        "instrument_id": run.instrument_id,
        "run_id": run.run_id,
        "acquired_at": format_timestamp(run.acquired_at),
        "metadata": run.caller_metadata,
        "files": [
            {"relative_path": path, "size_bytes": size, "sha256": sha256, "metadata": metadata}
            for path, size, sha256, metadata in files
        ],
    }


def list_signed_files(run: Run) -> Any:
    return File.objects.active().filter(run=run, category=FileCategory.RAW)
