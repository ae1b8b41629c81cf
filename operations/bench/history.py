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

    def record_figure(self, measure: str, value: float) -> None:
        figures = self._read_figures(self.runs) | {measure: value}
        self.folder.mkdir(parents=True, exist_ok=True)
        self._path_of(self.runs).write_text(json.dumps(figures, indent=1, sort_keys=True))

    def find_figure(self, runs: int, measure: str) -> float | None:
        """The figure at another size, or None where it was not measured yet."""
        return self._read_figures(runs).get(measure) if runs != self.runs else None

    def _path_of(self, runs: int) -> Path:
        return self.folder / f"{runs}.json"

    def _read_figures(self, runs: int) -> dict[str, float]:
        file = self._path_of(runs)
        return json.loads(file.read_text()) if file.exists() else {}
