"""What a message says: ids and links, never what a file holds."""

import json
from typing import Any

from django.conf import settings

from changes.models import Change, ChangeType
from changes.webhooks.models import WebhookKind
from wire.clock import format_timestamp
from wire.page_paths import path_of_run

TEST_EVENT = "webhook.test"
MAX_CHAT_CHARS = 500
SAYINGS = {
    ChangeType.RUN_CREATED: "New run {run}",
    ChangeType.RUN_COMPLETED: "Run {run} is complete",
    ChangeType.RUN_FAILED: "Run {run} has a failed file",
    ChangeType.RUN_DELETED: "Run {run} was deleted",
    ChangeType.RUN_RESTORED: "Run {run} is back",
    ChangeType.RUN_PURGED: "The deleted run {run} is gone for good",
    ChangeType.FILE_UPLOADED: "A file of {run} is stored",
    ChangeType.FILE_COMPLETED: "A file of {run} was read",
    ChangeType.FILE_FAILED: "A file of {run} failed",
    ChangeType.FILE_PURGED: "The bytes of a file of {run} were purged",
    ChangeType.COMMENT_CREATED: "New comment on {run}",
    ChangeType.ARCHIVE_READY: "An archive of {run} is ready",
    ChangeType.ARCHIVE_FAILED: "An archive of {run} could not be built",
    ChangeType.INSTRUMENT_PENDING: "{instrument} waits to be confirmed",
    ChangeType.WATCHER_REGISTERED: "A watcher registered for {instrument}",
    ChangeType.WATCHER_OFFLINE: "The watcher of {instrument} fell silent",
    ChangeType.WATCHER_ONLINE: "The watcher of {instrument} is back",
}


def build_payload(change: Change) -> dict[str, Any]:
    """{"type", "timestamp", "data"} of one change."""
    ids: dict[str, Any] = {
        "position": change.position,
        "instrument_id": change.instrument_id,
        "run_id": change.run_id,
        "file_id": change.file_id,
        "comment_id": change.comment_id and str(change.comment_id),
        "archive_job_id": change.archive_job_id and str(change.archive_job_id),
        "watcher_id": change.watcher_id and str(change.watcher_id),
    }
    data = {name: value for name, value in ids.items() if value is not None}
    return {
        "type": change.type,
        "timestamp": format_timestamp(change.at),
        "data": data | {"links": _build_links(change)},
    }


def build_test_payload(*, at: Any, webhook_id: Any) -> dict[str, Any]:
    data = {"webhook_id": str(webhook_id), "links": {"page": f"{settings.PUBLIC_URL}/settings/webhooks"}}
    return {"type": TEST_EVENT, "timestamp": format_timestamp(at), "data": data}


def encode_body(kind: str, payload: dict[str, Any]) -> bytes:
    """The bytes that go out; of a chat a short text."""
    if kind == WebhookKind.CHAT:
        return _to_json({"text": describe(payload)})
    if kind == WebhookKind.TEAMS:
        return _to_json(_build_card(payload))
    return _to_json(payload)


def describe(payload: dict[str, Any]) -> str:
    """One line and the link, with nothing that a chat would take for a mention or markup of its own."""
    return f"{_say(payload)}\n{payload['data']['links']['page']}"


def _say(payload: dict[str, Any]) -> str:
    data = payload["data"]
    if payload["type"] == TEST_EVENT:
        return "A test from the Instrument Data Service."
    run, instrument = data.get("run_id", ""), data["instrument_id"]
    saying = SAYINGS[ChangeType(payload["type"])].format(run=run, instrument=instrument)
    place = "" if "{instrument}" in SAYINGS[ChangeType(payload["type"])] else f" ({instrument})"
    return _escape(f"{saying}{place}."[:MAX_CHAT_CHARS])


def _escape(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _build_card(payload: dict[str, Any]) -> dict[str, Any]:
    """An adaptive card, which a Workflow of Teams posts when it receives a webhook request."""
    link = {"type": "Action.OpenUrl", "title": "Open", "url": payload["data"]["links"]["page"]}
    card = {
        "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
        "type": "AdaptiveCard",
        "version": "1.4",
        "body": [{"type": "RichTextBlock", "inlines": [{"type": "TextRun", "text": _say(payload)}]}],
        "actions": [link],
    }
    content_type = "application/vnd.microsoft.card.adaptive"
    return {"type": "message", "attachments": [{"contentType": content_type, "content": card}]}


def _build_links(change: Change) -> dict[str, str]:
    page = f"/instruments/{change.instrument_id}"
    if change.run_id is not None:
        page = path_of_run(change.instrument_id, change.run_id)
    elif change.watcher_id is not None:
        page = f"/watchers/{change.watcher_id}"
    links = {"page": f"{settings.PUBLIC_URL}{page}", "api": f"{settings.PUBLIC_URL}/api/v1{page}"}
    if change.file_id is not None:
        links["file"] = f"{settings.PUBLIC_URL}/api/v1/files/{change.file_id}"
    return links


def _to_json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
