"""Changing a JSON object: as a whole, or by a patch (RFC 7396)."""

from collections.abc import Mapping
from typing import Any

from rest_framework import serializers

from wire.fields import MAX_METADATA_BYTES
from wire.input_gate import refuse_oversized_json

PATCH_HELP = "A merge patch (RFC 7396) of what callers wrote: null takes a key away. Not together with `metadata`."


def refuse_metadata_twice(attrs: dict[str, Any]) -> dict[str, Any]:
    """For a serializer's `validate`: metadata is replaced or patched."""
    if "metadata" in attrs and "metadata_patch" in attrs:
        raise serializers.ValidationError({"metadata_patch": ["Send metadata or metadata_patch, not both."]})
    return attrs


def change_metadata(
    stored: Mapping[str, Any], *, replaced: Mapping[str, Any] | None, patch: Mapping[str, Any] | None
) -> dict[str, Any]:
    """What callers' metadata is afterwards. Raises PayloadTooLarge where a patch makes it larger than it may be."""
    metadata = dict(stored if replaced is None else replaced)
    if patch is None:
        return metadata
    merged = apply_merge_patch(metadata, patch)
    refuse_oversized_json(merged, limit=MAX_METADATA_BYTES, name="metadata")
    return merged


def apply_merge_patch(target: Any, patch: Mapping[str, Any]) -> dict[str, Any]:
    """`target` with the members of `patch` set, objects merged member by member, and nulls taken away."""
    merged = dict(target) if isinstance(target, Mapping) else {}
    for name, value in patch.items():
        if value is None:
            merged.pop(name, None)
        else:
            merged[name] = apply_merge_patch(merged.get(name), value) if isinstance(value, Mapping) else value
    return merged
