"""Time passes: rows and objects become older, and nothing else happens to them."""

import os
from pathlib import Path
from typing import Any

NIGHT = 40  # days
MOMENTS = {
    "files_file": ("uploaded_at", "created_at", "detected_at", "deleted_at", "hot_until", "upload_requested_at"),
    "runs_run": ("created_at", "deleted_at"),
    "files_objectremoval": ("due_at", "decided_at"),
    "archives_archivejob": ("created_at", "completed_at", "lease_until"),
    "processing_processingjob": ("lease_until", "requested_at"),
    "files_sharableobject": ("lease_until", "requested_at"),
    "files_recall": ("lease_until", "requested_at"),
    "files_filescrub": ("lease_until", "scrubbed_at"),
}


def pass_night(watch: Any, roots: list[Path]) -> None:
    """Without triggers: nobody changed anything."""
    with watch.transaction():
        for table, moments in MOMENTS.items():
            older = ", ".join(f"{moment} = {moment} - interval '{NIGHT} days'" for moment in moments)
            watch.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
            watch.execute(f"UPDATE {table} SET {older}")
            watch.execute(f"ALTER TABLE {table} ENABLE TRIGGER USER")
    for root in roots:
        for folder, _, names in os.walk(root):
            for path in (Path(folder), *(Path(folder, name) for name in names)):
                old = path.stat().st_mtime - NIGHT * 86_400
                os.utime(path, (old, old))
