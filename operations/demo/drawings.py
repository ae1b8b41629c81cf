"""Made-up measurements in the formats that readers leave behind: a curve, a plate, a table, a picture."""

import json
import math
import random
import struct
import zlib
from typing import Any

Json = dict[str, Any]
PLATE_ROWS = "ABCDEFGH"


def build_spectrum(title: str, *, minutes: int, seed: int) -> Json:
    """Lysozyme between 220 and 400 nm with a blank; the peak at 280 nm grows with the minutes."""
    noise = random.Random(seed)
    x = list(range(220, 401))
    peak = 0.42 + 0.013 * minutes

    def sample(nm: int) -> float:
        band = peak * math.exp(-(((nm - 279) / 13) ** 2)) + 0.2 * peak * math.exp(-(((nm - 290) / 6) ** 2))
        return 0.024 + 1.5 * math.exp(-(nm - 220) / 11) + band + noise.uniform(-0.003, 0.003)

    return {
        "format": "ids-curve/1",
        "title": title,
        "style": "line",
        "x": {"label": "Wavelength", "unit": "nm"},
        "y": {"label": "Absorbance", "unit": "AU"},
        "series": [
            {"label": "Sample", "x": x, "y": [round(sample(nm), 4) for nm in x], "points": len(x)},
            {
                "label": "Blank",
                "x": x,
                "y": [round(0.021 + noise.uniform(-2e-3, 2e-3), 4) for _ in x],
                "points": len(x),
            },
        ],
        "downsampled": False,
    }


def build_plate(title: str, *, seed: int) -> Json:
    """A dilution series over twelve columns; two wells ran over, one was masked."""
    noise = random.Random(seed)
    wells: Json = {}
    for row, letter in enumerate(PLATE_ROWS):
        for column in range(1, 13):
            value = 1.9 / (1 + 0.42 * column) * (1 - row * 0.03) + noise.uniform(-0.02, 0.02)
            sample = "blank" if column == 12 else f"lyso 1:{2 ** (column - 1)}"
            wells[f"{letter}{column}"] = {"value": round(0.05 if column == 12 else value, 3), "sample": sample}
    wells["A1"] = wells["B1"] = {"value": None, "sample": "lyso 1:1", "note": "OVRFLW"}
    wells["F7"] = {"value": None, "sample": "lyso 1:64", "note": "masked by the operator"}
    return {
        "format": "ids-plate/1",
        "title": title,
        "rows": 8,
        "columns": 12,
        "quantity": "Absorbance at 280 nm",
        "unit": "AU",
        "wells": wells,
    }


def build_table(title: str, *, seed: int) -> Json:
    noise = random.Random(seed)
    rows = [
        [
            f"LYS-refold-{'ABC'[row % 3]}",
            row * 5,
            round(0.41 + 0.013 * row * 5 + noise.uniform(-0.01, 0.01), 4),
            row % 7 != 3,
        ]
        for row in range(24)
    ]
    columns = [("sample", None), ("time", "min"), ("A280", "AU"), ("used", None)]
    return {
        "format": "ids-table/1",
        "title": title,
        "columns": [{"name": name, "unit": unit} for name, unit in columns],
        "rows": rows,
        "total_rows": len(rows),
    }


def build_picture(*, width: int = 640, height: int = 420, seed: int = 1) -> bytes:
    """A PNG of stained cells on a dark ground."""
    noise = random.Random(seed)
    cells = [(noise.uniform(0, width), noise.uniform(0, height), noise.uniform(9, 26)) for _ in range(46)]
    rows = []
    for y in range(height):
        row = bytearray(b"\0")
        near = [cell for cell in cells if abs(cell[1] - y) < 60]
        for x in range(width):
            light = sum(
                math.exp(-(((cx - x) ** 2 + (cy - y) ** 2) / (r * r))) for cx, cy, r in near if abs(cx - x) < 60
            )
            level = min(1.0, light)
            row += bytes((int(14 + 40 * level), int(18 + 190 * level), int(40 + 120 * level**2)))
        rows.append(bytes(row))
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(b"".join(rows), 6)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_build_png_chunk(name, data) for name, data in chunks)


def encode_document(document: Json) -> bytes:
    return json.dumps(document, separators=(",", ":")).encode()


def _build_png_chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
