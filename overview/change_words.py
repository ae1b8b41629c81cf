"""The words for what the trail keeps: fields as people call them, and values as they read them."""

import json
import re
from datetime import datetime, tzinfo
from typing import Any

METADATA_PREFIX = "metadata."
MAX_VALUE_CHARACTERS = 60
TIME = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d.*")
FIELD_WORDS = {
    "acquired_at": "Measured",
    "agent_version": "Version of the agent",
    "body": "Text",
    "caller_metadata": "Metadata",
    "config_yaml": "Configuration",
    "content_type": "Kind of content",
    "crc32": "CRC-32",
    "deleted_at": "Deleted",
    "display_name": "Name",
    "error_message": "Reason",
    "expect_files_every_hours": "Hours between files",
    "expires_at": "Ends",
    "file_created_at": "Written by the instrument",
    "file_patterns": "Patterns of files",
    "hostname": "Computer",
    "instrument_type": "Type",
    "os_info": "System",
    "purged_at": "Purged",
    "purged_by_rule": "Purged by the rule",
    "relative_path": "Path",
    "restore_requested_at": "Asked back",
    "revoked_at": "Revoked",
    "run_id": "Name",
    "sha256": "SHA-256",
    "size_bytes": "Size",
    "storage_class": "Kept",
    "time_zone": "Time zone",
    "upload_mode": "Way of uploading",
    "watch_directory": "Folder",
}
STATUS_PHRASES = {
    "pending": "expects {name}",
    "uploading": "began to receive {name}",
    "uploaded": "received {name}",
    "processing": "began to read {name}",
    "completed": "read {name}",
    "failed": "marked {name} as failed",
}
UNSAID = re.compile(r".*_id|config_checksum|signer|made_by|revoked_by|deleted_by|deleted_by_token|folder_state|digest")


def is_told(field: str) -> bool:
    """Whether it says something to people: numbers of other rows do not."""
    return field in FIELD_WORDS or field.startswith(METADATA_PREFIX) or UNSAID.fullmatch(field) is None


def name_field(field: str) -> str:
    """Metadata are called as whoever set them called them."""
    if field.startswith(METADATA_PREFIX):
        return field.removeprefix(METADATA_PREFIX)
    return FIELD_WORDS.get(field) or field.replace("_", " ").capitalize()


def write_value(field: str, value: Any, *, zone: tzinfo | None) -> str:
    """In one line of at most 60 characters; times by the clock of `zone`, sizes to the byte."""
    if field.endswith("_bytes") and isinstance(value, int) and not field.startswith(METADATA_PREFIX):
        return f"{value:,} byte{'' if value == 1 else 's'}"
    if field.startswith(METADATA_PREFIX) or not isinstance(value, str):
        said = describe(value)
    else:
        said = write_time(value, zone=zone) if TIME.fullmatch(value) else value
    line = " ".join(said.split())
    return line if len(line) <= MAX_VALUE_CHARACTERS else f"{line[: MAX_VALUE_CHARACTERS - 1]}…"


def describe(value: Any) -> str:
    if value is None or value == "" or value == [] or value == {}:
        return "nothing"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return ", ".join(value)
    if isinstance(value, int):
        return f"{value:,}"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def write_time(stated: str, *, zone: tzinfo | None) -> str:
    """2024-10-26 22:00; as it stands where it is no time."""
    try:
        time = datetime.fromisoformat(stated)
    except ValueError:
        return stated
    return f"{time.astimezone(zone) if zone and time.tzinfo else time:%Y-%m-%d %H:%M}"
