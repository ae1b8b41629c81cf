"""The shape of an Allotrope Simple Model: the aggregate document of a technique, lists, quantities, cubes."""

from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

from processing.readings import Unreadable

Node: TypeAlias = dict[str, Any]
AGGREGATE = " aggregate document"
MEASUREMENTS = "measurement document"


def aggregate_of(document: Node) -> tuple[str, Node]:
    """The technique and everything that was measured with it."""
    for key, value in document.items():
        if key.endswith(AGGREGATE) and isinstance(value, dict):
            return key.removesuffix(AGGREGATE), value
    raise Unreadable("It holds no measurements.")


def is_quantity(node: Any) -> bool:
    """{"value": 0.31, "unit": "AU"}"""
    return isinstance(node, dict) and "value" in node and not isinstance(node["value"], dict | list)


def is_cube(node: Any) -> bool:
    return isinstance(node, dict) and "cube-structure" in node


def columns_of(cube: Node) -> Iterator[list[Any]]:
    """Dimensions and measures."""
    data = cube.get("data", {})
    yield from data.get("dimensions", [])
    yield from data.get("measures", [])


def is_column(node: list[Any]) -> bool:
    """Plain values, perhaps millions of them: there is nothing inside to be found."""
    return not node or not isinstance(node[0], dict | list)


def nodes(node: Any, key: str = "") -> Iterator[tuple[str, Node]]:
    """Every object within, with the key that it stands under, itself included."""
    if isinstance(node, dict):
        yield key, node
        for inner_key, inner in node.items():
            yield from nodes(inner, inner_key)
    elif isinstance(node, list) and not is_column(node):
        for inner in node:
            yield from nodes(inner, key)


def under(node: Any, key: str) -> Iterator[Node]:
    """Every object that stands under this key, at any depth."""
    return (found for found_key, found in nodes(node) if found_key == key)


def values(node: Any, key: str) -> Iterator[Any]:
    """Every plain value of this key, at any depth."""
    for _, inner in nodes(node):
        found = inner.get(key)
        if found is not None and not isinstance(found, dict | list):
            yield found


def first_text(node: Mapping[str, Any], *keys: str) -> str | None:
    """The first of these that says anything, as text."""
    return next((str(node[key]) for key in keys if node.get(key) not in (None, "")), None)
