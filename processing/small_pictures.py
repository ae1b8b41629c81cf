"""A picture shrunk until it fits a row of a list, in the confined child that reads files: a stranger made it."""

import io

from PIL import Image

from files.thumbnails.size import MAX_THUMBNAIL_BYTES, SIDES
from processing.processors.image.limits import check_pixels
from processing.readings import Artefact, Input, Kind, Output, Unreadable

QUALITIES = (80, 60, 40, 20)
NAME = "small.jpg"


def shrink(given: Input) -> Output:
    """One JPEG of at most 4 kB."""
    with Image.open(given.path, formats=("PNG", "JPEG")) as image:
        check_pixels(*image.size)
        image.draft("RGB", SIDES)
        small = flatten(image)
    small.thumbnail(SIDES, Image.Resampling.LANCZOS, reducing_gap=2.0)
    for quality in QUALITIES:
        written = io.BytesIO()
        small.save(written, "JPEG", quality=quality, optimize=True)
        if written.tell() <= MAX_THUMBNAIL_BYTES:
            return Output(artefacts=[Artefact(NAME, Kind.IMAGE, "image/jpeg", written.getvalue())])
    raise Unreadable("The picture does not become small.")


def flatten(image: Image.Image) -> Image.Image:
    """Without transparency, on white."""
    if "A" not in image.getbands() and "transparency" not in image.info:
        return image.convert("RGB")
    clear = image.convert("RGBA")
    return Image.alpha_composite(Image.new("RGBA", clear.size, "white"), clear).convert("RGB")
