"""What the runs of every day show: each its own, and the same whenever the demonstration is made."""

import math
import random
from collections.abc import Callable, Mapping
from io import BytesIO

from PIL import Image, ImageDraw, ImageFilter

from operations.demo.drawings import PLATE_ROWS, Json
from operations.demo.everyday_curves import DRAWN, choose_subject

PLATES_READ = "plate reader"
PICTURE_SIZE = (360, 240)
STAINS = ((0.25, 0.55, 1.0), (0.3, 1.0, 0.55), (1.0, 0.35, 0.45))  # of nuclei, of tubulin, of actin


def draw_everyday(technique: str, *, run_id: str) -> Json | None:
    """A curve, or a plate; None of what only has pictures."""
    noise = random.Random(f"everyday {run_id}")
    if technique == PLATES_READ:
        return draw_plate(noise, run_id)
    return DRAWN[technique](noise, run_id) if technique in DRAWN else None


def draw_plate(noise: random.Random, run_id: str) -> Json:
    title = choose_subject(list(PLATES), run_id, noise)
    quantity, level = PLATES[title]
    tilt = noise.uniform(-0.006, 0.006)
    wells: Json = {}
    for row, letter in enumerate(PLATE_ROWS):
        for column in range(12):
            value = level(row, column, noise) * (1 + tilt * column) + noise.gauss(0, 0.012)
            wells[f"{letter}{column + 1}"] = {"value": round(max(0.04, value), 4)}
    about = {"format": "ids-plate/1", "title": title, "rows": 8, "columns": 12}
    return about | {"quantity": quantity, "unit": "AU", "wells": wells}


def _respond_to_dose(row: int, column: int, noise: random.Random) -> float:
    return 0.08 + 1.7 / (1 + math.exp(column - 3.5 - 0.7 * row))


def _screen(row: int, column: int, noise: random.Random) -> float:
    """Controls in the outer columns; of the compounds, one in twelve stops the reaction."""
    if column in (0, 11):
        return 1.6 if column == 0 else 0.09
    return noise.choice([0.3, 0.6]) if noise.random() < 1 / 12 else noise.uniform(1.35, 1.7)


def _combine_drugs(row: int, column: int, noise: random.Random) -> float:
    return 0.07 + 1.3 * math.exp(-0.16 * row - 0.13 * column - 0.035 * row * column)


def _quantify(row: int, column: int, noise: random.Random) -> float:
    """A standard twice in the first columns, samples twice beside."""
    if column < 2:
        return 0.06 + 2.4 / 2**row
    return random.Random(f"{row} {column // 2}").uniform(0.08, 1.9)


Level = Callable[[int, int, random.Random], float]
PLATES: Mapping[str, tuple[str, Level]] = {
    "Viability, eight compounds": ("Absorbance at 570 nm", _respond_to_dose),
    "Kinase screen": ("Absorbance at 405 nm", _screen),
    "Two drugs, checkerboard": ("Absorbance at 600 nm", _combine_drugs),
    "ELISA, standard and samples": ("Absorbance at 450 nm", _quantify),
}


def draw_field(run_id: str) -> bytes:
    """A PNG of one stain, in the colour of its channel."""
    noise = random.Random(f"field {run_id}")
    light = Image.new("L", PICTURE_SIZE, 8)
    draw = ImageDraw.Draw(light)
    for _ in range(noise.randint(14, 60)):
        x, y = noise.uniform(0, PICTURE_SIZE[0]), noise.uniform(0, PICTURE_SIZE[1])
        wide, high = noise.uniform(6, 20), noise.uniform(6, 14)
        draw.ellipse((x - wide, y - high, x + wide, y + high), fill=noise.randint(90, 235))
    blurred = light.filter(ImageFilter.GaussianBlur(noise.uniform(1.5, 4)))
    shares = noise.choice(STAINS)
    written = BytesIO()
    Image.merge("RGB", [blurred.point([int(level * share) for level in range(256)]) for share in shares]).save(
        written, "PNG"
    )
    return written.getvalue()
