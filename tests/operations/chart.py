"""Renders deploy/chart where there is no helm: the few words of Go's templates that it keeps to, and nothing else."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import yaml

CHART = Path(__file__).resolve().parents[2] / "deploy" / "chart"
TAG = re.compile(r"(\{\{-? .+? \}\}|\{\{-? end \}\})")
RANGE = re.compile(r"range (\$\w+), (\$\w+) := (\S+)")
FILTERS: dict[str, Callable[[Any], str]] = {"toJson": json.dumps, "toString": str}
Names = dict[str, Any]


def read_values() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((CHART / "values.yaml").read_text())
    return found


def render_chart(values: dict[str, Any], *, release: str = "lab") -> list[dict[str, Any]]:
    """Every object of every template."""
    names = {"$": {"Values": values, "Release": {"Name": release}}}
    texts = (render(path.read_text(), names) for path in sorted((CHART / "templates").glob("*.yaml")))
    return [one for text in texts for one in yaml.safe_load_all(text) if one]


def render(text: str, names: Names) -> str:
    parts = TAG.split(text)
    for number, part in enumerate(parts[1:], 1):
        if part.startswith("{{-"):  # takes the white space before it away
            parts[number - 1] = parts[number - 1].rstrip()
    return _render_block(parts, names)


def _render_block(parts: list[str], names: Names) -> str:
    """Up to the `end` that belongs to it; takes what it reads from `parts`."""
    text = ""
    while parts:
        part = parts.pop(0)
        words = part.strip("{}- ") if TAG.fullmatch(part) else None
        if words is None:
            text += part
        elif words == "end":
            return text
        elif words.startswith(("range ", "if ")):
            text += _render_inner(words, parts, names)
        else:
            text += str(evaluate(words, names))
    return text


def _render_inner(words: str, parts: list[str], names: Names) -> str:
    before = list(parts)
    _render_block(parts, Anything())  # finds its end
    if looped := RANGE.fullmatch(words):
        rows = sorted(evaluate(looped[3], names).items())
        return "".join(_render_block(list(before), {**names, looped[1]: key, looped[2]: row}) for key, row in rows)
    return _render_block(list(before), names) if evaluate(words.removeprefix("if "), names) else ""


class Anything(dict[str, Any]):
    """Names whose values do not matter."""


def evaluate(words: str, names: Names) -> Any:
    if isinstance(names, Anything):
        return {}
    first, *filters = words.split(" | ")
    value = _format(first, names) if first.startswith("printf ") else look_up(first, names)
    for name in filters:
        value = FILTERS[name](value)
    return value


def _format(words: str, names: Names) -> str:
    pattern, *values = words.removeprefix("printf ").split()
    return str(json.loads(pattern)) % tuple(look_up(value, names) for value in values)


def look_up(path: str, names: Names) -> Any:
    """Of `$.Values.web.command` or `$values.command`. What is not there is a KeyError, not an empty text."""
    first, *rest = path.split(".")
    value = names[first]
    for name in rest:
        value = value[name]
    return value
