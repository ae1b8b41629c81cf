"""Changes as server-sent events, and the signs of life between them."""

import json

from changes.models import Change
from changes.serializers import ChangeSerializer
from wire.outputs import represent


def encode_event(change: Change) -> bytes:
    data = json.dumps(represent(ChangeSerializer, change), ensure_ascii=False, separators=(",", ":"))
    return f"id: {change.position}\ndata: {data}\n\n".encode("utf-8", "replace")


def encode_sign_of_life(text: str, position: int) -> bytes:
    """No event, as it has no data, but readers keep its id for Last-Event-ID."""
    return f": {text}\nid: {position}\n\n".encode()
