"""The identifiers that allotropy invents at every run: counted instead, so that they can be followed and dropped."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from uuid import UUID

from allotropy.parsers.utils import uuids

from processing.processors.asm.document import Node


class CountedIdentifiers(uuids.IdGenerator):
    def __init__(self) -> None:
        self.given: set[str] = set()

    def generate_id(self) -> str:
        identifier = str(UUID(int=len(self.given) + 1))
        self.given.add(identifier)
        return identifier


@contextmanager
def counted_identifiers() -> Iterator[set[str]]:
    """The identifiers that are given while this is open."""
    generator, usual = CountedIdentifiers(), uuids._ID_GENERATOR
    uuids._ID_GENERATOR = generator  # type: ignore[assignment]
    try:
        yield generator.given
    finally:
        uuids._ID_GENERATOR = usual


def drop_identifiers(node: Any, identifiers: set[str]) -> Any:
    """A copy that mentions none of them; objects and lists that then say nothing are dropped with them."""
    if isinstance(node, dict):
        kept = {
            key: drop_identifiers(inner, identifiers)
            for key, inner in node.items()
            if not is_identifier(inner, identifiers)
        }
        return {key: inner for key, inner in kept.items() if not (inner == {} or inner == []) or node[key] == inner}
    if isinstance(node, list):
        if node and isinstance(node[0], int | float):
            return node
        return [drop_identifiers(inner, identifiers) for inner in node if not is_identifier(inner, identifiers)]
    return node


def is_identifier(value: Any, identifiers: set[str]) -> bool:
    return isinstance(value, str) and value in identifiers


def map_owners(measurements: list[Node], identifiers: set[str]) -> dict[str, int]:
    """Which measurement each identifier belongs to, by its place in the list."""
    found: dict[str, int] = {}
    for place, measurement in enumerate(measurements):
        for identifier in find_mentioned(measurement, identifiers):
            found.setdefault(identifier, place)
    return found


def find_mentioned(node: Any, identifiers: set[str]) -> Iterator[str]:
    if isinstance(node, dict):
        for inner in node.values():
            yield from find_mentioned(inner, identifiers)
    elif isinstance(node, list) and not (node and isinstance(node[0], int | float)):
        for inner in node:
            yield from find_mentioned(inner, identifiers)
    elif is_identifier(node, identifiers):
        yield node
