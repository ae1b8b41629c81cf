"""TIFF: the first page as pixels, and what tags, OME and ImageJ say of the whole."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from pathlib import Path
from xml.etree.ElementTree import Element

import numpy as np
from defusedxml.ElementTree import fromstring
from tifffile import PHOTOMETRIC, TiffFile, TiffPage, TiffPages

from processing.facts import Fact
from processing.processors.image import large_pages
from processing.processors.image.large_pages import choose_step, is_large, read_sparsely
from processing.processors.image.limits import check_pixels
from processing.processors.image.pixels import Pixels
from processing.readings import Unreadable

MAX_MEASURED_PIXELS = 100_000_000  # of all pages together, for the numbers
TAG_TIME_FORMAT = "%Y:%m:%d %H:%M:%S"
OME_NAMESPACE = re.compile(r"\{[^}]*\}")


@dataclass
class Tiff:
    file: TiffFile
    pixels: Pixels
    pages: int
    frames: Iterator[Pixels]
    facts: dict[str, Fact | list[Fact]] = field(default_factory=dict)
    taken_at: datetime | None = None
    warnings: list[str] = field(default_factory=list)


def open_tiff(path: Path, *, zone: tzinfo) -> Tiff:
    file = TiffFile(path)
    if not len(file.pages):
        raise Unreadable("The TIFF holds no image.")
    first = page_of(file.pages, 0)
    tiff = open_large_page(file, first) if is_large(first) else open_pages(file, first)
    tiff.pages = len(file.pages)
    tiff.facts |= describe_series(file)
    tiff.facts |= {"dtype": str(first.dtype), "width": first.imagewidth, "height": first.imagelength}
    tiff.taken_at = read_tag_time(first, zone=zone)
    add_tags(tiff, first)
    if file.is_ome and file.ome_metadata:
        add_ome(tiff, fromstring(file.ome_metadata), zone=zone)
    elif file.is_imagej and file.imagej_metadata:
        add_imagej(tiff, file.imagej_metadata)
    return tiff


def open_pages(file: TiffFile, first: TiffPage) -> Tiff:
    check_page(first)
    tiff = Tiff(file=file, pixels=pixels_of(first), pages=len(file.pages), frames=iter(()))
    tiff.frames = read_measured_pages(file.pages, warnings=tiff.warnings)
    return tiff


def open_large_page(file: TiffFile, page: TiffPage) -> Tiff:
    step = choose_step(page)
    pixels = read_sparsely(page, step=step)
    said = f"The image is large: picture and numbers are of every {step}th pixel of every {step}th line."
    return Tiff(file=file, pixels=pixels, pages=1, frames=iter([pixels]), warnings=[said])


def describe_series(file: TiffFile) -> dict[str, Fact | list[Fact]]:
    """The axes of the whole, their lengths ("2 x 2 x 3 x 48 x 64") and the order of its bytes."""
    first = file.series[0]
    shape = " x ".join(map(str, first.shape))
    return {"axes": first.axes, "shape": shape, "byteorder": "little" if file.byteorder == "<" else "big"}


def page_of(pages: TiffPages, number: int) -> TiffPage:
    page = pages[number]
    return page if isinstance(page, TiffPage) else page.aspage()


def check_page(page: TiffPage) -> None:
    """By what the directory says, before anything is decoded."""
    check_pixels(page.imagewidth, page.imagelength * max(1, page.imagedepth))
    if page.nbytes > large_pages.MAX_PAGE_BYTES or page.dtype is None:
        raise Unreadable("The image is too deep for a preview, or of an unknown kind.")


def pixels_of(page: TiffPage) -> Pixels:
    """Rows, columns and, where there are several, channels; a palette applied, white-is-zero turned round."""
    pixels = np.asarray(page.asarray())
    if pixels.ndim > 2 and page.axes.startswith("S"):
        pixels = np.moveaxis(pixels, 0, -1)
    while pixels.ndim > 3 or (pixels.ndim == 3 and "S" not in page.axes):
        pixels = pixels[0]
    if np.iscomplexobj(pixels):
        pixels = np.abs(pixels)
    if page.photometric == PHOTOMETRIC.PALETTE and page.colormap is not None:
        return np.moveaxis((page.colormap >> 8).astype(np.uint8)[:, pixels], 0, -1)
    if page.photometric == PHOTOMETRIC.MINISWHITE and np.issubdtype(pixels.dtype, np.unsignedinteger):
        return np.iinfo(pixels.dtype).max - pixels
    return pixels


def read_measured_pages(pages: TiffPages, *, warnings: list[str]) -> Iterator[Pixels]:
    """The pages as they are stored, as long as they are not too many pixels; a word where they are."""
    seen = 0
    for number in range(len(pages)):
        page = page_of(pages, number)
        seen += page.imagewidth * page.imagelength
        if seen > MAX_MEASURED_PIXELS:
            warnings.append(f"Least, greatest and mean are of the first {number} of {len(pages):,} pages.")
            return
        check_page(page)
        yield np.asarray(page.asarray())


def read_tag_time(page: TiffPage, *, zone: tzinfo) -> datetime | None:
    stated = page.tags.valueof("DateTime")
    try:
        return datetime.strptime(str(stated).strip("\0 "), TAG_TIME_FORMAT).replace(tzinfo=zone)
    except ValueError:
        return None


def add_tags(tiff: Tiff, page: TiffPage) -> None:
    """Make, model and software. Neither EXIF nor places nor people."""
    for key, tag in (("manufacturer", "Make"), ("instrument_model", "Model"), ("software", "Software")):
        stated = page.tags.valueof(tag)
        if isinstance(stated, str):
            tiff.facts[key] = stated


def add_ome(tiff: Tiff, root: Element, *, zone: tzinfo) -> None:
    """Sizes, channels, time and instrument of the first image."""
    tiff.facts["format"] = "OME-TIFF"
    named = {OME_NAMESPACE.sub("", element.tag): element for element in reversed(list(root.iter()))}
    if "Pixels" in named:
        add_ome_pixels(tiff, named["Pixels"])
    channels = [element for element in root.iter() if element.tag.endswith("}Channel")]
    tiff.facts["channel"] = [name for channel in channels if (name := channel.get("Name"))]
    for key, element, attribute in (
        ("instrument_model", "Microscope", "Model"),
        ("manufacturer", "Microscope", "Manufacturer"),
        ("objective", "Objective", "Model"),
    ):
        if element in named and (stated := named[element].get(attribute)):
            tiff.facts[key] = stated
    if "AcquisitionDate" in named and (stated := named["AcquisitionDate"].text):
        tiff.taken_at = parse_iso_time(stated, zone=zone) or tiff.taken_at


def add_ome_pixels(tiff: Tiff, pixels: Element) -> None:
    for key, attribute in (("size_z", "SizeZ"), ("size_c", "SizeC"), ("size_t", "SizeT")):
        if (stated := pixels.get(attribute, "")).isdigit():
            tiff.facts[key] = int(stated)


def parse_iso_time(stated: str, *, zone: tzinfo) -> datetime | None:
    try:
        time = datetime.fromisoformat(stated.strip())
    except ValueError:
        return None
    return time if time.tzinfo else time.replace(tzinfo=zone)


def add_imagej(tiff: Tiff, described: dict[str, object]) -> None:
    tiff.facts["format"] = "ImageJ TIFF"
    for key, name in (("size_z", "slices"), ("size_c", "channels"), ("size_t", "frames"), ("unit", "unit")):
        stated = described.get(name)
        if isinstance(stated, int | str):
            tiff.facts[key] = stated
