"""The shape of an Allotrope Simple Model: the aggregate document of a technique, lists, quantities, cubes."""

from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

import numpy as np

from processing.readings import Unreadable

Node: TypeAlias = dict[str, Any]
AGGREGATE_SUFFIX = " aggregate document"
MEASUREMENT_KEY = "measurement document"
PLAIN_TYPES = {bool, int, float, str, type(None)}  # of a detector's millions of values none is looked at alone


def plain_values(node: Any) -> Any:
    """The same document with lists and numbers of Python where a parser left arrays and scalars of numpy."""
    if isinstance(node, dict):
        return {key: plain_values(inner) for key, inner in node.items()}
    if isinstance(node, np.ndarray):
        return node.tolist()
    if isinstance(node, np.generic):
        return node.item()
    if isinstance(node, list | tuple):
        return list(node) if set(map(type, node)) <= PLAIN_TYPES else [plain_values(inner) for inner in node]
    return node


def aggregate_of(document: Node) -> tuple[str, Node]:
    """The technique and everything that was measured with it."""
    for key, value in document.items():
        if key.endswith(AGGREGATE_SUFFIX) and isinstance(value, dict):
            return key.removesuffix(AGGREGATE_SUFFIX), value
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


def walk_nodes(node: Any, key: str = "") -> Iterator[tuple[str, Node]]:
    """Every object within, with the key that it stands under, itself included."""
    if isinstance(node, dict):
        yield key, node
        for inner_key, inner in node.items():
            yield from walk_nodes(inner, inner_key)
    elif isinstance(node, list) and not is_column(node):
        for inner in node:
            yield from walk_nodes(inner, key)


def nodes_under(node: Any, key: str) -> Iterator[Node]:
    """Every object that stands under this key, at any depth."""
    return (found for found_key, found in walk_nodes(node) if found_key == key)


def values_under(node: Any, key: str) -> Iterator[Any]:
    """Every plain value of this key, at any depth."""
    for _, inner in walk_nodes(node):
        found = inner.get(key)
        if found is not None and not isinstance(found, dict | list):
            yield found


def first_text(node: Mapping[str, Any], *keys: str) -> str | None:
    """The first of these that says anything, as text."""
    return next((str(node[key]) for key in keys if node.get(key) not in (None, "")), None)
