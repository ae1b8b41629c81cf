"""One NMR experiment, whatever wrote it: facts, the time signal, the spectrum in ppm."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import cast

import numpy as np
from contourpy import LineType, contour_generator
from numpy.typing import NDArray

from processing.facts import Fact, Facts
from processing.formats.curve import MAX_POINTS_PER_SERIES, Axis, Curve, Series
from processing.formats.trace_facts import round_fact
from processing.readings import Artefact

PPM = Axis("Chemical shift", "ppm")
INTENSITY = Axis("Intensity", "a.u.")
MAX_GRID = 256  # places along each axis of a map that contours are drawn of
CONTOUR_LEVELS = 8
LOWEST_LEVEL, LEVEL_RATIO = 0.02, 1.6  # of the highest value; each level above the one below
MAX_SERIES_PER_LEVEL = 6


@dataclass(frozen=True)
class Signal:
    """Complex points against seconds; of several signals the first, and all of them."""

    seconds: NDArray[np.float64]
    points: NDArray[np.complex128]
    signals: NDArray[np.complex128] | None = None


@dataclass(frozen=True)
class Spectrum:
    """Intensities against ppm: of one axis, or (rows, columns) of two."""

    axes: tuple[NDArray[np.float64], ...]
    intensities: NDArray[np.float64]


@dataclass
class Experiment:
    name: str
    facts: dict[str, Fact | None] = field(default_factory=dict)
    measured_at: datetime | None = None
    signal: Signal | None = None
    spectrum: Spectrum | None = None


def add_experiment_facts(facts: Facts, experiment: Experiment) -> None:
    for key, value in experiment.facts.items():
        facts.add(key, value)
    if experiment.signal:
        several = experiment.signal.signals
        magnitudes = np.abs(experiment.signal.points if several is None else several)
        facts.add("fid_points", magnitudes.shape[-1])
        facts.add("fid_signals", None if several is None else len(several))
        facts.add("fid_max", round_fact(float(magnitudes.max())))
        facts.add("fid_index_of_max", int(magnitudes.argmax()))
    if experiment.spectrum:
        heights = experiment.spectrum.intensities
        for dimension, size in enumerate(heights.shape, start=1):
            facts.add("points" if heights.ndim == 1 else f"points_f{dimension}", size)
        facts.add("y_max", round_fact(float(heights.max())))
        shifts = experiment.spectrum.axes[-1]
        facts.add("x_first", round_fact(float(shifts[0])))
        facts.add("x_last", round_fact(float(shifts[-1])))
        facts.add("x_unit", "ppm")
        if heights.ndim == 1:
            facts.add("x_at_y_max", round_fact(float(shifts[heights.argmax()])))


def draw_experiment(experiment: Experiment, *, number: int) -> Iterator[Artefact]:
    suffix = "" if number == 1 else f"-{number}"
    if experiment.spectrum and experiment.spectrum.intensities.ndim == 1:
        series = [Series(experiment.name, experiment.spectrum.axes[0], experiment.spectrum.intensities)]
        yield Curve(f"{experiment.name}: spectrum", PPM, INTENSITY, series).artefact(f"spectrum{suffix}.json")
    elif experiment.spectrum:
        contours = draw_contours(experiment.spectrum, title=experiment.name)
        if contours.series:  # a flat map has none
            yield contours.artefact(f"contours{suffix}.json")
    if experiment.signal:
        seconds, points = experiment.signal.seconds, experiment.signal.points
        series = [Series("Real", seconds, points.real)]
        series += [Series("Imaginary", seconds, points.imag, is_hidden=True)] if points.imag.any() else []
        drawn = Curve(f"{experiment.name}: FID", Axis("Time", "s"), INTENSITY, series).artefact(f"fid{suffix}.json")
        yield replace(drawn, name=f"time-signal{suffix}.json")  # behind the spectrum; its dataset is called `fid`


def draw_contours(spectrum: Spectrum, *, title: str) -> Curve:
    """Lines of equal height; every series holds as many points as are never thinned."""
    rows, columns = spectrum.axes
    heights = keep_peaks(spectrum.intensities)
    if min(heights.shape) < 2:
        return Curve(title, Axis("F2", "ppm"), Axis("F1", "ppm"), [], style="contours")
    y, x = (resample(axis, count) for axis, count in zip((rows, columns), heights.shape, strict=True))
    generator = contour_generator(x=x, y=y, z=heights, line_type=LineType.Separate)
    highest = float(heights.max())
    series: list[Series] = []
    for step in range(CONTOUR_LEVELS):
        level = highest * LOWEST_LEVEL * LEVEL_RATIO**step
        for number, points in enumerate(pack_lines(cast(list[NDArray[np.float64]], generator.lines(level)))):
            if number < MAX_SERIES_PER_LEVEL:
                series.append(Series(f"{level:.3g}", points[:, 0], points[:, 1]))
    return Curve(title, Axis("F2", "ppm"), Axis("F1", "ppm"), series, style="contours")


def keep_peaks(heights: NDArray[np.float64]) -> NDArray[np.float64]:
    """The highest value of each tile, so that no peak is lost on a smaller map."""
    for axis in (0, 1):
        size = heights.shape[axis]
        tile = -(-size // MAX_GRID)
        if tile > 1:
            heights = np.maximum.reduceat(heights, np.arange(0, size, tile), axis=axis)
    return heights


def resample(axis: NDArray[np.float64], count: int) -> NDArray[np.float64]:
    """The middles of the tiles."""
    tile = -(-len(axis) // count)
    return np.array([axis[start : start + tile].mean() for start in range(0, len(axis), tile)])


def pack_lines(lines: list[NDArray[np.float64]]) -> Iterator[NDArray[np.float64]]:
    """Several lines in one series, with a gap between two of them; the longest first."""
    gathered: list[NDArray[np.float64]] = []
    count = 0
    for line in sorted(lines, key=len, reverse=True):
        if count + len(line) + 1 > MAX_POINTS_PER_SERIES and gathered:
            yield np.concatenate(gathered)
            gathered, count = [], 0
        gathered += [line, np.array([[line[-1, 0], np.nan]])]
        count += len(line) + 1
    if gathered:
        yield np.concatenate(gathered)
