"""Pictures of a DICOM file: every frame measured, the first one drawn."""

import warnings
from collections.abc import Iterator

import numpy as np
from PIL import Image
from pydicom import Dataset
from pydicom.pixels.processing import apply_color_lut
from pydicom.pixels.utils import iter_pixels

from processing.processors.dicom.decoders import install_decoders
from processing.processors.dicom.stacks import first_number, stack_of_frames
from processing.processors.image.limits import check_pixels
from processing.processors.image.pixels import (
    Pixels,
    Statistics,
    encode_png,
    list_pixel_doubts,
    render_image,
    stretch_contrast,
)
from processing.processors.image.stacks import write_stacks
from processing.readings import Artefact, Json, Kind, Unreadable

MAX_MEASURED_PIXELS = 100_000_000
PREVIEW_PIXELS = 1024
install_decoders()


def read_pictures(dataset: Dataset, *, title: str) -> tuple[dict[str, Json], list[Artefact]]:
    """Every frame is measured and stands in the stack; the first is a picture, too."""
    rows, columns = int(dataset.get("Rows") or 0), int(dataset.get("Columns") or 0)
    frames = int(dataset.get("NumberOfFrames") or 1)
    check_pixels(columns, rows)
    statistics = Statistics()
    artefacts, measured, shape = [], 0, ()
    doubts: dict[str, None] = {}
    for number, frame in enumerate(list_frames(dataset)):
        if measured + rows * columns > MAX_MEASURED_PIXELS:
            break
        statistics.add(frame)
        doubts |= dict.fromkeys(list_pixel_doubts(frame))
        measured += rows * columns
        shape = frame.shape
        if number == 0:
            artefacts.append(draw_frame(dataset, frame, title=title))
            stack = stack_of_frames(dataset, frame, title=title)
    numbers = {f"pixel_{name}": value for name, value in statistics.facts().items()}
    if statistics.count:
        numbers["pixel_mean"] = statistics.mean
    whole = [frames, *shape] if frames > 1 else list(shape)
    described: dict[str, Json] = {"rows": rows, "columns": columns, "frames": frames, **numbers, "array_shape": whole}
    for key, keyword in (("pixel_spacing_mm", "PixelSpacing"), ("slice_thickness_mm", "SliceThickness")):
        if (stated := dataset.get(keyword)) not in (None, ""):
            described[key] = [float(value) for value in stated] if key == "pixel_spacing_mm" else float(stated)
    for doubt in doubts:
        warnings.warn(doubt, stacklevel=1)
    if statistics.count:
        shown, words = write_stacks([stack])
        for word in words:
            warnings.warn(word, stacklevel=1)  # the reader gathers them
        artefacts += shown
    return described, artefacts


def list_frames(dataset: Dataset) -> Iterator[Pixels]:
    """As they are stored, one after the other; luminance and chrominance become red, green and blue."""
    try:
        yield from iter_pixels(dataset)
    except (NotImplementedError, RuntimeError, AttributeError, ValueError) as error:
        raise Unreadable(f"Its picture cannot be decoded: {error}") from error


def draw_frame(dataset: Dataset, frame: Pixels, *, title: str) -> Artefact:
    data = encode_png(render(dataset, frame), most=PREVIEW_PIXELS)
    return Artefact("thumbnail.png", Kind.IMAGE, "image/png", data, title)


def render(dataset: Dataset, frame: Pixels) -> Image.Image:
    """With the palette, the inversion and the window that the file asks for."""
    interpretation = str(dataset.get("PhotometricInterpretation") or "")
    if interpretation == "PALETTE COLOR":
        return render_image((apply_color_lut(frame, dataset) >> 8).astype(np.uint8))
    if frame.ndim == 3:
        return render_image(frame)
    grey = apply_window(dataset, frame)
    return Image.fromarray(255 - grey if interpretation == "MONOCHROME1" else grey)


def apply_window(dataset: Dataset, frame: Pixels) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    """Of several windows the first; without one, stretched from the 1st to the 99th percentile."""
    centre, width = (first_number(dataset, keyword) for keyword in ("WindowCenter", "WindowWidth"))
    if centre is None or width is None or width <= 1:
        return stretch_contrast(np.ascontiguousarray(frame))
    slope, intercept = first_number(dataset, "RescaleSlope"), first_number(dataset, "RescaleIntercept")
    values = frame.astype(np.float32) * (1.0 if slope is None else slope) + (intercept or 0.0)
    return np.clip(((values - (centre - 0.5)) / (width - 1) + 0.5) * 255, 0, 255).astype(np.uint8)
