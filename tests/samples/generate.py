"""Small files such as instruments write, of this project's own making: `python tests/samples/generate.py FOLDER`.

The same bytes on every machine. They stand in where no real exports are at hand, in tests and in the demo.
"""

import io
import json
import math
import struct
import sys
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

ROWS, COLUMNS = "ABCDEFGH", range(1, 13)


def plate_reader() -> bytes:
    """An absorbance read of 96 wells, with a preamble, as a semicolon CSV with decimal commas."""
    head = ["Plate;P-0042", "Date;2026-03-14 15:09:26", "Mode;Absorbance 450 nm", "", ";" + ";".join(map(str, COLUMNS))]
    body = [";".join([row, *(f"{well(row, column):.3f}".replace(".", ",") for column in COLUMNS)]) for row in ROWS]
    return "\r\n".join([*head, *body, ""]).encode("latin-1")


def well(row: str, column: int) -> float:
    return 0.05 + 2 / (1 + math.exp(column - 6)) + ROWS.index(row) / 100


def amplification() -> bytes:
    """Forty cycles of four samples, as CSV."""
    lines = ["Cycle,Sample 1,Sample 2,Sample 3,Sample 4"]
    for cycle in range(1, 41):
        lines.append(",".join([str(cycle), *(f"{1000 / (1 + math.exp(at - cycle)):.2f}" for at in (18, 21, 24, 27))]))
    return "\n".join([*lines, ""]).encode()


def spectrum() -> bytes:
    """An infrared spectrum in JCAMP-DX, wavenumbers falling."""
    first, step, count = 4000, -10, 361
    values = [round(1000 * (1 - 0.8 * math.exp(-((((first + step * i) - 1700) / 40) ** 2)))) for i in range(count)]
    lines = ["##TITLE=Sample", "##JCAMP-DX=4.24", "##DATA TYPE=INFRARED SPECTRUM", "##OWNER=nobody"]
    lines += ["##ORIGIN=generated", "##XUNITS=1/CM", "##YUNITS=TRANSMITTANCE", "##XFACTOR=1", "##YFACTOR=0.001"]
    lines += [f"##FIRSTX={first}", f"##LASTX={first + step * (count - 1)}"]
    lines += [f"##NPOINTS={count}", f"##FIRSTY={values[0] / 1000}"]
    lines += ["##XYDATA=(X++(Y..Y))"]
    lines += [" ".join([str(first + step * i), *map(str, values[i : i + 8])]) for i in range(0, count, 8)]
    return "\n".join([*lines, "##END=", ""]).encode()


def picture() -> bytes:
    """A 64 by 64 grey image with a bright disc, as PNG."""
    rows = bytearray()
    for y in range(64):
        rows.append(0)
        rows += bytes(220 if math.hypot(x - 32, y - 32) < 20 else 30 + x for x in range(64))
    header = struct.pack(">IIBBBBB", 64, 64, 8, 0, 0, 0, 0)
    chunks = [(b"IHDR", header), (b"IDAT", zlib.compress(bytes(rows), 0)), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data)) for name, data in chunks
    )


def report() -> bytes:
    """One page of PDF with a line of text."""
    text = b"BT /F1 18 Tf 72 720 Td (Run report, generated) Tj ET"
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R"
        b" /Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(text), text),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    document, places = bytearray(b"%PDF-1.4\n"), []
    for number, body in enumerate(objects, start=1):
        places.append(len(document))
        document += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start, size = len(document), len(objects) + 1
    document += b"xref\n0 %d\n0000000000 65535 f \n" % size
    document += b"".join(b"%010d 00000 n \n" % place for place in places)
    document += b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (size, start)
    return bytes(document)


def chromatogram() -> bytes:
    """Detector points as JSON."""
    points = [[round(t / 10, 1), round(50 * math.exp(-((t / 10 - 4) ** 2)), 4)] for t in range(100)]
    return json.dumps({"method": "gradient 5-95", "unit": "mAU", "points": points}, indent=1).encode()


def bundle() -> bytes:
    """A ZIP of two of the others, as some systems export."""
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w") as archive:
        for name, data in {"method/amplification.csv": amplification(), "trace.json": chromatogram()}.items():
            archive.writestr(zipfile.ZipInfo(name, date_time=(2026, 3, 14, 15, 9, 26)), data)
    return whole.getvalue()


SAMPLES: dict[str, Callable[[], bytes]] = {
    "plate-reader/2026-03-14 P-0042.csv": plate_reader,
    "qpcr/amplification.csv": amplification,
    "spectra/sample.jdx": spectrum,
    "image/scan_0001.png": picture,
    "pdf/Bericht Größe µ.pdf": report,
    "chromatography/trace.json": chromatogram,
    "chromatography/export.zip": bundle,
    "empty/aborted.raw": bytes,
}


def write_samples(folder: Path) -> list[Path]:
    """All of them below `folder`."""
    written = [folder / name for name in SAMPLES]
    for path, make in zip(written, SAMPLES.values(), strict=True):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(make())
    return written


if __name__ == "__main__":
    for path in write_samples(Path(sys.argv[1])):
        sys.stdout.write(f"{path}\n")
