"""Curves as artefacts: the format ids-curve/1."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from files.drawing.conventions import is_scattering, runs_left
from processing.dataset_making.files import TextValues
from processing.dataset_making.values import Column, Dataset, DatasetKind, Role, name_of_artefact
from processing.formats.numbers import encode_document, round_number
from processing.formats.thinning import thin_points
from processing.readings import Artefact, Json, Kind

FORMAT = "ids-curve/1"
MAX_SERIES = 400
MAX_POINTS = 200_000
MAX_MARKS = 200
MAX_LABEL_CHARACTERS = 80
MAX_POINTS_PER_SERIES = 5_000
MIN_POSITIVE_SHARE = 0.8  # of the values of a curve that is drawn on logarithmic axes
TIME_UNITS = {"s", "sec", "ms", "min", "h", "d", "hours", "minutes", "seconds"}
RETENTION = re.compile(r"retention|elution|chromatogram|volume", re.IGNORECASE)
TIME = re.compile(r"\btime\b|\bcycle", re.IGNORECASE)


Points = Sequence[float | None] | NDArray[np.float64]


@dataclass(frozen=True)
class Axis:
    label: str
    unit: str | None = None
    is_reversed: bool | None = None  # None: as its field has it (abscissae of wavenumbers and ppm run to the left)
    is_log: bool = False

    def as_json(self, *, is_abscissa: bool) -> dict[str, Json]:
        by_itself = is_abscissa and runs_left(self.label, self.unit)
        is_reversed = by_itself if self.is_reversed is None else self.is_reversed
        described: dict[str, Json] = {"label": self.label, "unit": self.unit}
        return described | ({"reversed": True} if is_reversed else {}) | ({"log": True} if self.is_log else {})


@dataclass(frozen=True)
class Series:
    """Points in the order of the file. None and NaN in y are gaps."""

    label: str
    x: Points
    y: Points
    total: int | None = None  # points of the file, where these are some of them
    is_hidden: bool = False  # there, and shown on demand: the imaginary part of a spectrum


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
        x, y = (replace(axis, is_log=axis.is_log or self.is_log_log) for axis in (self.x, self.y))
        is_thinned = any((series.total or len(series.x)) > most for series in shown)
        return {
            "format": FORMAT,
            "title": self.title,
            "style": self.style,
            "x": x.as_json(is_abscissa=True),
            "y": y.as_json(is_abscissa=self.style == "contours"),
            "series": [thin_series(series, most=most) for series in shown],
            **({"marks": [mark.as_json() for mark in self.marks[:MAX_MARKS]]} if self.marks else {}),
            **({"aspect": "equal"} if self.is_square else {}),
            "downsampled": len(shown) < len(self.series) or is_thinned,
        }

    @property
    def is_log_log(self) -> bool:
        """As scattering is looked at, where nearly all of it has a place on such axes."""
        return is_scattering(self.x.label, self.x.unit) and all(
            np.mean(as_floats(values) > 0) >= MIN_POSITIVE_SHARE
            for series in self.series
            for values in (series.x, series.y)
            if len(values)
        )

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
        **({"hidden": True} if series.is_hidden else {}),
    }


def as_floats(values: Points) -> NDArray[np.float64]:
    """None becomes NaN."""
    return np.asarray(values, dtype=np.float64)


def datasets_of_curve(curve: Curve, name: str) -> tuple[Dataset, ...]:
    """Long: trace, x, y. None of lines that only outline something, nor of points that are not all of them."""
    shown = [series for series in curve.series if len(series.x)]
    is_whole = all(series.total is None or series.total <= len(series.x) for series in shown)
    if not shown or not is_whole or curve.style == "contours":
        return ()
    lengths = [len(series.x) for series in shown]
    labels = [series.label or str(number) for number, series in enumerate(shown, start=1)]
    columns = [
        Column("trace", repeat_texts(labels, lengths), role=Role.KEY, title="Trace"),
        Column(curve.x.label or "x", join_floats(series.x for series in shown), curve.x.unit, Role.AXIS),
        Column(curve.y.label or "y", join_floats(series.y for series in shown), curve.y.unit, Role.VALUE),
    ]
    return (Dataset(name_of_artefact(name), curve.title, kind_of_curve(curve), columns),)


def repeat_texts(texts: Sequence[str], counts: Sequence[int]) -> Any:
    encoded = [text.encode("utf-8", "replace") for text in texts]
    lengths = np.repeat([len(text) for text in encoded], counts)
    offsets = np.concatenate(([0], np.cumsum(lengths))).astype(np.int64)
    data = b"".join(text * count for text, count in zip(encoded, counts, strict=True))
    return TextValues(data, offsets, np.zeros(len(lengths), np.uint8))


def join_floats(parts: Any) -> Any:
    """One column; None and NaN are gaps, as in the picture."""
    return np.ma.masked_invalid(np.concatenate([np.asarray(part, dtype=np.float64) for part in parts]))


def kind_of_curve(curve: Curve) -> DatasetKind:
    unit, said = (curve.x.unit or "").lower(), f"{curve.x.label} {curve.title}"
    is_time = unit in TIME_UNITS or TIME.search(curve.x.label) is not None
    if RETENTION.search(said) and (is_time or unit in ("ml", "l", "µl")):
        return DatasetKind.CHROMATOGRAM
    return DatasetKind.TIME_SERIES if is_time else DatasetKind.SPECTRUM
