"""What the OpenAPI document says beside its operations; drf-spectacular reads it from the settings."""

from copy import deepcopy
from pathlib import Path
from typing import Any

from files.artefact_schemas import ARTEFACT_SCHEMAS

INTRODUCTION = Path(__file__).parent / "introduction.md"


def openapi_settings(*, public_url: str, version: str) -> dict[str, Any]:
    return {
        "TITLE": "Instrument Data Service",
        "DESCRIPTION": INTRODUCTION.read_text(),
        "VERSION": version,
        "LICENSE": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        "CONTACT": {"name": "Whoever runs this installation", "url": public_url},
        "OAS_VERSION": "3.1.1",
        "SERVE_INCLUDE_SCHEMA": False,
        "SCHEMA_PATH_PREFIX": "/api/v1",
        "SCHEMA_PATH_PREFIX_TRIM": True,
        "SERVERS": [{"url": f"{public_url}/api/v1"}],
        "TAGS": [
            {"name": "Instruments", "description": "The machines of the lab."},
            {"name": "Runs", "description": "What instruments did: found, read, claimed, deleted and restored."},
            {"name": "Comments", "description": "What people and scripts say about a run, in markdown."},
            {"name": "Files", "description": "What a run left behind: records, downloads, report items."},
            {
                "name": "Datasets",
                "description": "What was measured, as numbers: tables, their rows, one table over many runs.",
            },
            {"name": "Projects", "description": "What runs are gathered under."},
            {"name": "Uploads", "description": "How bytes come in: signed URLs, whole or in parts."},
            {"name": "Watchers", "description": "The agents on the instruments' computers."},
            {"name": "Archives", "description": "A run's files as one ZIP, built in the background."},
            {"name": "Events", "description": "What happened, in order: to ask for, or to listen to."},
            {"name": "Notifications", "description": "Short messages to people."},
            {"name": "People", "description": "Who works here, to be named elsewhere."},
            {"name": "Search", "description": "Everything that has a name, at once."},
            {"name": "System", "description": "How the service does, and who is asking."},
        ],
        "PATH_CONVERTER_OVERRIDES": {
            "slug_id": {"type": "string", "pattern": "^[a-z0-9-]{1,64}$"},
            "run_id": {"type": "string", "minLength": 1, "maxLength": 255, "pattern": r"^[^/\\]+$"},
            "file_id": {"type": "integer", "format": "int64", "minimum": 1},
            "id": {"type": "string", "format": "uuid"},
        },
        "SORT_OPERATIONS": False,
        "SORT_OPERATION_PARAMETERS": False,
        "ENUM_NAME_OVERRIDES": {
            "InstrumentStatus": "instruments.models.InstrumentStatus",
            "ChangeType": "changes.models.ChangeType",
            "RunStatus": "runs.status.RunStatus",
            "RunSource": "runs.models.RunSource",
            "FileStatus": "files.choices.FileStatus",
            "FileCategory": "files.choices.FileCategory",
            "DatasetKind": "datasets.models.DatasetKind",
            "ArchiveStatus": "archives.models.ArchiveStatus",
            "WatcherStatus": "watchers.status.DISPLAY_STATUSES",
            "ReportedStatus": "watchers.choices.WatcherStatus",
            "UploadMode": "watchers.choices.UploadMode",
            "EventType": "watchers.choices.EventType",
            "Channel": "watchers.choices.Channel",
            "FolderState": "watchers.choices.FolderState",
            "WantedConfigState": "watchers.choices.WantedConfigState",
        },
        "APPEND_COMPONENTS": {"schemas": deepcopy(ARTEFACT_SCHEMAS)},
        "COMPONENT_SPLIT_REQUEST": True,
        "ENUM_GENERATE_CHOICE_DESCRIPTION": False,
        "PREPROCESSING_HOOKS": ["wire.openapi.select_public_operations"],
        "POSTPROCESSING_HOOKS": [
            "drf_spectacular.hooks.postprocess_schema_enums",
            "wire.lists.sparse.describe_cut_rows",
            "wire.openapi.complete_document",
        ],
    }
