"""The hot and the cold store as one. Keys are drawn anew for each copy, so no key is in both."""

import heapq
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from operator import attrgetter
from typing import BinaryIO

from files.storage.interface import ObjectMissing, ObjectStore, StoredObject


@dataclass(frozen=True)
class WholeStore:
    """`StoredObjects` of both: of what looks after all objects, wherever they lie."""

    hot: ObjectStore
    cold: ObjectStore

    @property
    def bucket(self) -> str:
        return self.hot.bucket

    def head(self, key: str) -> StoredObject | None:
        return self.hot.head(key) or self.cold.head(key)

    @contextmanager
    def open_range(self, key: str, *, start: int = 0, end: int | None = None) -> Iterator[BinaryIO]:
        with ExitStack() as opened:
            try:
                source = opened.enter_context(self.hot.open_range(key, start=start, end=end))
            except ObjectMissing:
                source = opened.enter_context(self.cold.open_range(key, start=start, end=end))
            yield source

    def delete(self, key: str) -> None:
        self.hot.delete(key)
        self.cold.delete(key)

    def list(self, prefix: str = "", *, after: str = "") -> Iterator[StoredObject]:
        both = (store.list(prefix, after=after) for store in (self.hot, self.cold))
        return heapq.merge(*both, key=attrgetter("key"))

    def check(self) -> None:
        self.hot.check()
        self.cold.check()
