"""Curves as artefacts: the format ids-curve/1."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from processing.formats.dataset import datasets_of_curve
from processing.formats.numbers import encode_document, round_number
from processing.formats.thinning import thin_points
from processing.readings import Artefact, Json, Kind

FORMAT = "ids-curve/1"
MAX_SERIES = 400
MAX_POINTS = 200_000
MAX_MARKS = 200
MAX_LABEL_CHARACTERS = 80
MAX_POINTS_PER_SERIES = 5_000
REVERSED_UNITS = {"1/cm", "cm-1", "cm^-1", "ppm"}


Points = Sequence[float | None] | NDArray[np.float64]


@dataclass(frozen=True)
class Axis:
    label: str
    unit: str | None = None
    is_reversed: bool | None = None  # None: as the unit has it (wavenumbers and ppm run to the left)
    is_log: bool = False

    def as_json(self) -> dict[str, Json]:
        runs_left = (self.unit or "").lower() in REVERSED_UNITS if self.is_reversed is None else self.is_reversed
        described: dict[str, Json] = {"label": self.label, "unit": self.unit}
        return described | ({"reversed": True} if runs_left else {}) | ({"log": True} if self.is_log else {})


@dataclass(frozen=True)
class Series:
    """Points in the order of the file. None and NaN in y are gaps."""

    label: str
    x: Points
    y: Points
    total: int | None = None  # points of the file, where these are some of them


@dataclass(frozen=True)
class Mark:
    """A place of the picture that has a name: a peak with its apex and its bounds, or a threshold."""

    label: str
    x: float | None = None
    y: float | None = None  # without x: a line across everything
    bounds: tuple[float, float] | None = None  # of a peak, on the abscissa
    area: float | None = None

    def as_json(self) -> dict[str, Json]:
        numbers = {"x": self.x, "y": self.y, "area": self.area}
        known: dict[str, Json] = {key: round_number(value) for key, value in numbers.items() if value is not None}
        bounds: dict[str, Json] = {"bounds": [round_number(value) for value in self.bounds]} if self.bounds else {}
        return {"label": self.label[:MAX_LABEL_CHARACTERS], **known, **bounds}


@dataclass(frozen=True)
class Curve:
    title: str
    x: Axis
    y: Axis
    series: Sequence[Series]
    style: Literal["line", "sticks", "contours"] = "line"  # sticks: peaks, each a line of its own from the axis
    marks: Sequence[Mark] = ()
    is_square: bool = False  # a unit is as long on the one axis as on the other

    def document(self) -> dict[str, Json]:
        """Thinned evenly where there are many points; `points` keeps the number of the file."""
        shown = self.series[:MAX_SERIES]
        most = min(MAX_POINTS_PER_SERIES, MAX_POINTS // max(1, len(shown)))
        is_thinned = any((series.total or len(series.x)) > most for series in shown)
        return {
            "format": FORMAT,
            "title": self.title,
            "style": self.style,
            "x": self.x.as_json(),
            "y": self.y.as_json(),
            "series": [thin_series(series, most=most) for series in shown],
            **({"marks": [mark.as_json() for mark in self.marks[:MAX_MARKS]]} if self.marks else {}),
            **({"aspect": "equal"} if self.is_square else {}),
            "downsampled": len(shown) < len(self.series) or is_thinned,
        }

    def artefact(self, name: str) -> Artefact:
        document = encode_document(self.document())
        made = datasets_of_curve(self, name)
        return Artefact(name, Kind.CURVE, "application/json", document, self.title, datasets=made)


def thin_series(series: Series, *, most: int) -> dict[str, Json]:
    x, y = thin_points(as_floats(series.x), as_floats(series.y), most=most)
    known = np.isfinite(x)  # a point without a place cannot be drawn
    return {
        "label": series.label,
        "x": [round_number(value) for value in x[known].tolist()],
        "y": [round_number(value) for value in y[known].tolist()],
        "points": series.total or len(series.x),
    }


def as_floats(values: Points) -> NDArray[np.float64]:
    """None becomes NaN."""
    return np.asarray(values, dtype=np.float64)
