"""The texts of a column, packed one behind the other: a million cells are two objects, not a million."""

from array import array
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from processing.formats.table import Cell

if TYPE_CHECKING:
    from processing.dataset_making.files import TextValues


@dataclass
class PackedTexts:
    data: bytearray = field(default_factory=bytearray)
    ends: "array[int]" = field(default_factory=lambda: array("q", [0]))
    nulls: bytearray = field(default_factory=bytearray)

    def add(self, cell: Cell) -> None:
        """An empty cell is none."""
        is_null = cell is None or cell == ""
        self.nulls.append(is_null)
        if not is_null:
            self.data += (cell if isinstance(cell, str) else str(cell)).encode("utf-8", "replace")
        self.ends.append(len(self.data))

    def as_list(self) -> list[str | None]:
        """None for an empty cell."""
        spans = zip(self.ends, self.ends[1:], self.nulls, strict=False)
        return [None if is_null else self.data[start:end].decode("utf-8", "replace") for start, end, is_null in spans]

    def as_values(self) -> "TextValues":
        import numpy as np

        from processing.dataset_making.files import TextValues

        offsets, nulls = np.frombuffer(self.ends, np.int64), np.frombuffer(self.nulls, np.uint8)
        return TextValues(self.data, offsets, nulls)
