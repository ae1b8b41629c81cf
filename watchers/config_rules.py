"""What may be asked of an agent's configuration from afar: the agent's own schema, and the keys that stay with it.

`agent_config.schema.json` is written by the agent (`instrument-watcher config schema`); nothing of it is repeated here.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator, ValidationError

SCHEMA: Mapping[str, Any] = json.loads(Path(__file__).with_name("agent_config.schema.json").read_text())
VALIDATOR = Draft202012Validator(SCHEMA)
LOCAL_KEYS: tuple[str, ...] = tuple(SCHEMA["localKeys"])
NO_REMOTE, ALL_REMOTE = "none", "all"  # of the key `remote`
MAX_FAULTS = 20


@dataclass(frozen=True)
class Key:
    """One that a configuration may hold: `uploads.parallel`. `default` is as YAML has it, "" where it has none."""

    name: str
    rule: str
    default: str
    is_local: bool


def list_keys() -> list[Key]:
    """All that the agent knows, in its order."""
    return [key for name, schema in SCHEMA["properties"].items() for key in _keys_below(name, schema)]


def _keys_below(name: str, schema: Mapping[str, Any]) -> Iterator[Key]:
    inner = schema.get("properties")
    if inner is None:
        default = json.dumps(schema["default"], ensure_ascii=False) if schema.get("default") else ""
        yield Key(name, schema["errorMessage"], default, name.partition(".")[0] in LOCAL_KEYS)
        return
    for part, of_part in inner.items():
        yield from _keys_below(f"{name}.{part}", of_part)


def read_patterns(keys: Mapping[Any, Any]) -> tuple[list[str], list[str]]:
    """Those of wanted and of ignored files, of keys that hold, as the agent would read them."""
    known = SCHEMA["properties"]
    wanted, ignored = (keys.get(name) for name in ("file_patterns", "ignore_patterns"))
    return (
        known["file_patterns"]["default"] if wanted is None else wanted,
        known["ignore_patterns"]["default"] if ignored is None else ignored,
    )


def takes_nothing(reported: Mapping[Any, Any]) -> bool:
    """Whether the computer of this configuration takes no configuration from afar."""
    return reported.get("remote") == NO_REMOTE


def find_faults(wanted: Mapping[Any, Any], *, reported: Mapping[Any, Any]) -> list[str]:
    """What is wrong with the keys that would change, in up to 20 sentences. What runs already is not judged."""
    changed = {key: value for key, value in wanted.items() if key not in reported or reported[key] != value}
    faults = [*_find_local_keys(changed, reported), *_find_schema_faults(changed)]
    return faults[:MAX_FAULTS]


def _find_local_keys(changed: Mapping[Any, Any], reported: Mapping[Any, Any]) -> Iterator[str]:
    if reported.get("remote") == ALL_REMOTE:
        return
    for key in LOCAL_KEYS:
        if key in changed:
            yield f"{key}: stays with the computer, whose configuration does not say `remote: {ALL_REMOTE}`."


def _find_schema_faults(changed: Mapping[Any, Any]) -> Iterator[str]:
    for error in VALIDATOR.iter_errors(changed):
        if error.validator == "additionalProperties":
            yield from (f"{_place(error, key)}: is not a known key." for key in _unknown_keys(error))
        else:
            yield f"{_place(error)}: {_say(error)}."


def _unknown_keys(error: ValidationError) -> list[Any]:
    schema: Any = error.schema
    instance: Any = error.instance
    return [key for key in instance if key not in schema["properties"]]


def _place(error: ValidationError, *more: Any) -> str:
    """uploads.parallel; of an item in a list the list's key."""
    return ".".join(str(part)[:100] for part in (*error.absolute_path, *more) if not isinstance(part, int))


def _say(error: ValidationError) -> str:
    """In the agent's own words, which stand where the value's check does."""
    schema: Any = SCHEMA
    path: Any = error.absolute_schema_path
    words = ""
    for part in path:
        words = schema.get("errorMessage", words) if isinstance(schema, dict) else words
        schema = schema[part]
    return words or error.message[:200]
