"""The configuration as JSON Schema, told by the very checks that read it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from instrument_watcher.config.checks import Check, Value
from instrument_watcher.config.model import LOCAL_KEYS
from instrument_watcher.config.reading import Reader, take_config


@dataclass
class _Describer(Reader):
    """Takes nothing, and notes what would be taken."""

    properties: dict[str, Any] = field(default_factory=dict)

    def take(self, key: str, default: Value, check: Callable[[Any], Value], *, required: bool = False) -> Value:
        assert isinstance(check, Check), "every key has a check that can describe itself"
        known = {} if required or default is None else {"default": _plain(default)}
        self.properties[key] = {**check.schema, **known}
        return default

    def section(self, key: str) -> Reader:
        inner = _Describer({})
        message = "must hold keys of its own, indented below it"
        self.properties[key] = _object(inner, "null") | {"errorMessage": message}
        return inner


def describe_config() -> dict[str, Any]:
    """Draft 2020-12. No key is required, as a change may leave out what stays; `errorMessage` is said of a fault, and
    `localKeys` are those that stay with the computer unless its `remote` is `all`."""
    top = _Describer({})
    take_config(top)
    draft = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "instrument-watcher config.yaml"}
    return {**draft, **_object(top), "localKeys": list(LOCAL_KEYS)}


def _plain(value: Any) -> Any:
    if isinstance(value, Enum):
        return value.value
    return list(value) if isinstance(value, tuple) else value


def _object(reader: _Describer, *also: str) -> dict[str, Any]:
    return {"type": ["object", *also], "properties": reader.properties, "additionalProperties": False}
