"""A configuration that was made elsewhere: what stays with this computer, and what its text becomes here."""

import json
from typing import Any

import yaml

from instrument_watcher.config.model import LOCAL_KEYS, Config, Remote
from instrument_watcher.config.reading import ConfigInvalid, read_config

KEPT = "# What stays with this computer:\n"


class NotTaken(Exception):
    """Says why this configuration does not become the agent's own."""


def adopt_config(wanted: str, *, running: Config, running_text: str) -> tuple[str, Config]:
    """The text to run, and what it means. Keys that stay here and are left out in it stand at its end.

    What it says goes to the file as it is, comments too. Raises NotTaken.
    """
    if running.remote is Remote.NONE:
        raise NotTaken("This computer takes no configuration from the service (remote: none).")
    text = _with_local_keys(wanted, kept=_keys_of(running_text))
    try:
        config = read_config(text)
    except ConfigInvalid as invalid:
        raise NotTaken("; ".join(invalid.faults)) from None
    changed = [key for key in LOCAL_KEYS if getattr(config, key) != getattr(running, key)]
    if changed and running.remote is not Remote.ALL:
        raise NotTaken(f"{', '.join(changed)}: stays with this computer (its configuration does not say remote: all)")
    return text, config


def _with_local_keys(wanted: str, *, kept: dict[Any, Any]) -> str:
    said = _keys_of(wanted)
    missing = {key: kept[key] for key in LOCAL_KEYS if key in kept and key not in said}
    if not missing:
        return wanted
    lines = "".join(f"{key}: {json.dumps(value)}\n" for key, value in missing.items())
    text = f"{wanted}{'' if wanted.endswith(chr(10)) or not wanted else chr(10)}\n{KEPT}{lines}"
    if not _says(text, said | missing):
        raise NotTaken("It is not written as `key: value` lines, so that the keys of this computer cannot be added.")
    return text


def _says(text: str, expected: dict[Any, Any]) -> bool:
    try:
        return _keys_of(text) == expected
    except NotTaken:
        return False


def _keys_of(text: str) -> dict[Any, Any]:
    try:
        content = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, AttributeError, IndexError, RecursionError) as error:
        raise NotTaken(f"not YAML: {error}") from None
    if not isinstance(content, dict):
        raise NotTaken("it must be a list of `key: value` lines")
    return content
