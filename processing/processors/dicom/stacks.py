"""All frames of a DICOM file as a stack of planes, in the units and the window that the file names."""

from collections.abc import Iterator

import numpy as np
from pydicom import Dataset
from pydicom.pixels.processing import apply_color_lut
from pydicom.pixels.utils import iter_pixels

from processing.formats.stack import Channel, Stack
from processing.processors.image.pixels import Pixels


def stack_of_frames(dataset: Dataset, first: Pixels, *, title: str) -> Stack:
    """`first` is the first frame as it is stored."""
    interpretation = str(dataset.get("PhotometricInterpretation") or "")
    shown = apply_palette(dataset, first) if interpretation == "PALETTE COLOR" else first

    def read_plane(time: int, depth: int, group: int) -> Iterator[Pixels]:
        frame = next(iter_pixels(dataset, indices=[depth]))
        yield apply_palette(dataset, frame) if interpretation == "PALETTE COLOR" else frame

    colored = shown.ndim == 3
    names = ("Red", "Green", "Blue") if colored else (str(dataset.get("Modality") or "Intensity"),)
    return Stack(
        title=title,
        width=int(shown.shape[1]),
        height=int(shown.shape[0]),
        dtype=np.dtype(shown.dtype).newbyteorder("="),
        channels=[Channel(name) for name in names] if colored else [describe_values(dataset, names[0])],
        read_plane=read_plane,
        depths=int(dataset.get("NumberOfFrames") or 1),
        samples=len(names),
        pixel_size_um=pixel_size_of(dataset),
        is_inverted=interpretation == "MONOCHROME1",
    )


def apply_palette(dataset: Dataset, frame: Pixels) -> Pixels:
    return (apply_color_lut(frame, dataset) >> 8).astype(np.uint8)


def describe_values(dataset: Dataset, name: str) -> Channel:
    centre, width = first_number(dataset, "WindowCenter"), first_number(dataset, "WindowWidth")
    slope, intercept = first_number(dataset, "RescaleSlope"), first_number(dataset, "RescaleIntercept")
    window = None
    if centre is not None and width is not None and width > 1:
        window = (centre - width / 2, centre + width / 2)
    return Channel(name, slope=slope or 1.0, intercept=intercept or 0.0, window=window)


def pixel_size_of(dataset: Dataset) -> float | None:
    """Micrometres; the file says millimetres."""
    spacing = first_number(dataset, "PixelSpacing") or first_number(dataset, "ImagerPixelSpacing")
    return spacing * 1000 if spacing and spacing > 0 else None


def first_number(dataset: Dataset, keyword: str) -> float | None:
    stated = dataset.get(keyword)
    values = stated if isinstance(stated, list) or hasattr(stated, "__getitem__") else [stated]
    return float(values[0]) if stated not in (None, "") and len(values) else None
