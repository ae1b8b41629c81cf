"""What NeXus says is to be plotted: @default leads to a group, @signal and @axes to its values."""

from dataclasses import dataclass

import h5py
import numpy as np

from processing.formats.curve import Axis, Curve, Series
from processing.processors.hdf5.tree import Tree, numbers_of, summarise, text_attribute, text_attributes
from processing.processors.image.limits import check_pixels
from processing.processors.image.pixels import encode_png, render_image
from processing.readings import Artefact, Json, Kind

MAX_PLOTS = 6
MAX_STEPS = 20  # on the way from the root
PREVIEW_PIXELS = 1024


@dataclass(frozen=True)
class Plot:
    path: str
    signal: h5py.Dataset
    axis: h5py.Dataset | None  # of the last dimension

    @property
    def name(self) -> str:
        return name_of(self.signal)


def name_of(dataset: h5py.Dataset) -> str:
    return str(dataset.name).rpartition("/")[2]


def list_plots(file: h5py.File, tree: Tree) -> list[Plot]:
    """The default plot first, then other data groups."""
    default = follow_default(file, tree)
    others = [path for path, group in tree.groups.items() if text_attribute(group, "NX_class") == "NXdata"]
    paths = list(dict.fromkeys([*([default] if default else []), *others]))
    return [plot for path in paths if (plot := find_plot(path, tree))][:MAX_PLOTS]


def follow_default(file: h5py.File, tree: Tree) -> str:
    """The path to which @default leads, from one group to the next; empty where it leads nowhere."""
    path, group = "", file
    for _ in range(MAX_STEPS):
        name = text_attribute(group, "default")
        below = f"{path}/{name}".lstrip("/")
        if not name or below not in tree.groups:
            break
        path, group = below, tree.groups[below]
    return path


def find_plot(path: str, tree: Tree) -> Plot | None:
    group = tree.groups[path]
    members = {name: dataset for name in group if (dataset := tree_dataset(tree, path, name)) is not None}
    marked = [name for name, dataset in members.items() if "signal" in dataset.attrs]
    signal = tree_dataset(tree, path, text_attribute(group, "signal") or (marked[0] if marked else ""))
    if signal is None:
        return None
    axes = text_attributes(group, "axes") or text_attribute(signal, "axes").replace(",", ":").split(":")
    axis = tree_dataset(tree, path, axes[-1].strip()) if axes else None
    fits = axis is not None and len(axis.shape or ()) == 1 and axis.shape[0] == (signal.shape or (0,))[-1]
    return Plot(path, signal, axis if fits else None)


def tree_dataset(tree: Tree, path: str, name: str) -> h5py.Dataset | None:
    return tree.datasets.get(f"{path}/{name}".lstrip("/")) if name else None


def draw_plot(plot: Plot, *, number: int) -> Artefact | None:
    """One dimension as a curve, two as a picture, more by their first plane."""
    values = numbers_of(plot.signal)
    if values is None or not values.size or not values.ndim:
        return None
    if values.ndim == 1:
        return draw_curve(plot, values.astype(np.float64)).artefact(f"plot-{number}.json")
    while values.ndim > 2:
        values = values[0]
    check_pixels(values.shape[1], values.shape[0])
    data = encode_png(render_image(values), most=PREVIEW_PIXELS)
    return Artefact(f"plot-{number}.png", Kind.IMAGE, "image/png", data, plot.path[:200])


def draw_curve(plot: Plot, values: "np.ndarray[tuple[int, ...], np.dtype[np.float64]]") -> Curve:
    places = numbers_of(plot.axis) if plot.axis is not None else None
    x = np.arange(len(values), dtype=np.float64) if places is None else places.astype(np.float64)
    label = (
        Axis(name_of(plot.axis), text_attribute(plot.axis, "units") or None) if plot.axis is not None else Axis("Point")
    )
    unit = text_attribute(plot.signal, "units") or None
    return Curve(plot.path[:200], label, Axis(plot.name, unit), [Series(plot.name, x, values)])


def describe_plot(plot: Plot) -> dict[str, Json]:
    """How many values signal and axis have, the first and the last, and the greatest."""
    described: dict[str, Json] = {}
    for dataset in (plot.signal, plot.axis):
        values = numbers_of(dataset) if dataset is not None else None
        if dataset is None or values is None or not values.size:
            continue
        first, last, _, greatest = summarise(values)
        name = name_of(dataset)
        described |= {f"{name}_points": values.size, f"{name}_first_last": [first, last], f"{name}_max": greatest}
    return described
