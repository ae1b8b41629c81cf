"""What was measured at other sizes, for the targets that speak of growth."""

import json
from dataclasses import dataclass
from pathlib import Path

SMALL, MIDDLE, LARGE = 10_000, 100_000, 1_000_000


@dataclass(frozen=True)
class History:
    """One JSON file a size, {measure: milliseconds}, in a folder that the sizes share."""

    folder: Path
    runs: int

    def note(self, measure: str, value: float) -> None:
        figures = self._read(self.runs) | {measure: value}
        self.folder.mkdir(parents=True, exist_ok=True)
        self._file(self.runs).write_text(json.dumps(figures, indent=1, sort_keys=True))

    def at(self, runs: int, measure: str) -> float | None:
        """The figure at another size, or None where it was not measured yet."""
        return self._read(runs).get(measure) if runs != self.runs else None

    def _file(self, runs: int) -> Path:
        return self.folder / f"{runs}.json"

    def _read(self, runs: int) -> dict[str, float]:
        file = self._file(runs)
        return json.loads(file.read_text()) if file.exists() else {}
