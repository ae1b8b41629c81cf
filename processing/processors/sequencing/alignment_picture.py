"""Alignments as pictures: residues in the colours of their kinds, with letters and names where there is room."""

from collections.abc import Sequence

import numpy as np
from Bio.Align import MultipleSeqAlignment
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from processing.processors.image.pixels import encode_png
from processing.readings import Artefact, Kind

GAPS = "-.~"
MOST_LETTERED = (40, 1200)  # sequences and columns; of more only the colours are drawn
MOST_DRAWN = (300, 2000)
BLOCK = 60  # columns beside each other
BOX, NAME, MARGIN = (14, 18), 20, 14  # pixels of a residue; characters of a name; pixels between two blocks
LINE = 12  # pixels of a sequence without letters
CHARACTER = 6  # pixels of the bitmap font
PICTURE_PIXELS = 2000
NUCLEIC_SHARE = 0.95
BLANK, OTHER, INK = (255, 255, 255), (205, 205, 205), (20, 20, 20)
NUCLEOTIDES = {"A": (150, 215, 130), "C": (140, 180, 245), "G": (250, 205, 110), "TU": (245, 140, 140)}
AMINO_ACIDS = {  # in the groups of Clustal X
    "AILMFWV": (140, 180, 245),
    "KR": (245, 140, 140),
    "DE": (220, 150, 220),
    "NQST": (150, 215, 130),
    "C": (245, 180, 180),
    "G": (250, 195, 130),
    "P": (225, 215, 90),
    "HY": (130, 210, 215),
}


def draw(alignment: MultipleSeqAlignment, *, title: str) -> Artefact:
    """A line for each sequence; gaps are blank."""
    letters = [str(record.seq).upper()[: MOST_DRAWN[1]].encode("ascii", "replace") for record in alignment]
    codes = np.frombuffer(b"".join(letters[: MOST_DRAWN[0]]), np.uint8).reshape(-1, len(letters[0]))
    has_letters = codes.shape[0] <= MOST_LETTERED[0] and codes.shape[1] <= MOST_LETTERED[1]
    names = [str(record.id) for record in alignment]
    image = draw_letters(codes, names) if has_letters else draw_colors(codes)
    return Artefact("alignment.png", Kind.IMAGE, "image/png", encode_png(image, most=PICTURE_PIXELS), title)


def colors_of(codes: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Red, green and blue of each residue."""
    is_nucleic = bool(np.isin(codes, np.frombuffer(b"ACGTUN-.~?*", np.uint8)).mean() > NUCLEIC_SHARE)
    colors = np.full((256, 3), OTHER, np.uint8)
    for kind, color in (NUCLEOTIDES if is_nucleic else AMINO_ACIDS).items():
        colors[list(kind.encode())] = color
    colors[list(GAPS.encode())] = BLANK
    return colors[codes]


def draw_colors(codes: NDArray[np.uint8]) -> Image.Image:
    width = max(1, PICTURE_PIXELS // codes.shape[1])
    boxes = np.repeat(np.repeat(colors_of(codes), LINE, axis=0), width, axis=1)
    boxes[LINE - 1 :: LINE] = BLANK
    return Image.fromarray(boxes)


def draw_letters(codes: NDArray[np.uint8], names: Sequence[str]) -> Image.Image:
    """Blocks of sixty columns below each other, with names before and the number of the last column behind them."""
    colors, font = colors_of(codes), ImageFont.load_default_imagefont()
    (count, length), (width, height) = codes.shape, BOX
    blocks, left = -(-length // BLOCK), (NAME + 1) * CHARACTER
    size = (left + min(length, BLOCK) * width + 6 * CHARACTER, blocks * (count * height + MARGIN))
    image = Image.new("RGB", size, BLANK)
    pen = ImageDraw.Draw(image)
    for block in range(blocks):
        for row, name in enumerate(names[:count]):
            top = block * (count * height + MARGIN) + row * height
            pen.text((0, top + 3), name[:NAME].encode("latin-1", "replace"), INK, font)
            end = min(length, (block + 1) * BLOCK)
            for place, column in enumerate(range(block * BLOCK, end)):
                x = left + place * width
                pen.rectangle((x, top, x + width - 1, top + height - 2), tuple(map(int, colors[row, column])))
                pen.text((x + 4, top + 3), chr(codes[row, column]), INK, font)
            pen.text((left + (end - block * BLOCK) * width + 4, top + 3), str(end), INK, font)
    return image
