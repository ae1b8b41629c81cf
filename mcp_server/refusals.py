"""Refusals as JSON-RPC errors: the only ones of which MCP clients show more than that there was one."""

import json
from contextlib import suppress
from typing import Any

from mcp.types import INTERNAL_ERROR, INVALID_REQUEST

from mcp_server.application import MOUNT_PATHS
from wire.asgi import Scope, find_header
from wire.errors import ServiceError, build_envelope
from wire.input_gate import text_fault

MAX_LENGTH = 64 * 1024


def is_message(scope: Scope) -> bool:
    """Whether a request has the form in which messages come; what is in it may be anything."""
    kind = (find_header(scope, b"content-type") or "").partition(";")[0].strip().lower()
    return scope["method"] == "POST" and scope["path"] in MOUNT_PATHS and kind == "application/json"


def build_rpc_error(error: ServiceError, message: bytes) -> dict[str, Any]:
    """The error of REST as `data`, and when to come back, which clients do not read from headers."""
    data = build_envelope(error)["error"]
    if retry_after := error.headers.get("Retry-After"):
        data["retry_after"] = int(retry_after)
    code = INTERNAL_ERROR if error.status >= 500 else INVALID_REQUEST
    return {"jsonrpc": "2.0", "id": find_id(message), "error": {"code": code, "message": error.message, "data": data}}


def find_id(message: bytes) -> int | str | None:
    """None where it cannot be told, as JSON-RPC asks for; nobody needs it of what is too long to be looked through."""
    found: Any = None
    if len(message) <= MAX_LENGTH:
        with suppress(ValueError, RecursionError):
            found = json.loads(message)
    told = found.get("id") if isinstance(found, dict) else None
    if isinstance(told, str):
        return None if text_fault(told, multiline=False) else told
    return told if type(told) is int else None
