"""Instrument files small enough to be understood at a glance, all of our own making, for tests of the readers."""

import base64
import io
import struct
import zipfile
import zlib
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import tifffile
from openpyxl import Workbook
from PIL import Image


def jcamp(*records: str, title: str = "Sample") -> str:
    """One block of labelled records: jcamp("NPOINTS=3", "XYDATA=(X++(Y..Y))\\n1 2 3 4")."""
    lines = [f"TITLE={title}", "JCAMP-DX=4.24", *records, "END="]
    return "\n".join(f"##{line}" for line in lines) + "\n"


def jcamp_spectrum(table: str, *, first: float, last: float, points: int, **more: str) -> str:
    """An infrared spectrum around a data table in any of the forms."""
    header = {
        "DATA TYPE": "INFRARED SPECTRUM",
        "XUNITS": "1/CM",
        "YUNITS": "ABSORBANCE",
        "XFACTOR": "1",
        "YFACTOR": "1",
    }
    known = header | {"FIRSTX": str(first), "LASTX": str(last), "NPOINTS": str(points)} | more
    return jcamp(*(f"{label}={value}" for label, value in known.items()), f"XYDATA=(X++(Y..Y))\n{table}")


def csv(rows: Iterable[Sequence[object]], *, delimiter: str = ",") -> bytes:
    return "".join(delimiter.join(map(str, row)) + "\r\n" for row in rows).encode()


def workbook(sheets: dict[str, list[list[object]]]) -> bytes:
    book = Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    written = io.BytesIO()
    book.save(written)
    return written.getvalue()


def tiff(*pages: np.ndarray, **options: Any) -> bytes:
    written = io.BytesIO()
    with tifffile.TiffWriter(written) as writer:
        for page in pages:
            writer.write(page, **{"photometric": "minisblack", "metadata": None, **options})
    return written.getvalue()


def picture(pixels: np.ndarray, form: str = "PNG", **options: Any) -> bytes:
    written = io.BytesIO()
    Image.fromarray(pixels).save(written, form, **options)
    return written.getvalue()


def png_bomb(side: int = 20_000) -> bytes:
    """A few bytes that say they are an image of that many rows and columns."""

    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    header = struct.pack(">IIBBBBB", side, side, 8, 0, 0, 0, 0)
    body = zlib.compress(b"\0" * 1_000_000)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", body) + chunk(b"IEND", b"")


def zip_of(members: dict[str, bytes]) -> bytes:
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return written.getvalue()


def fcs(keywords: dict[str, str], *, delimiter: str = "/", version: str = "3.1", events: bytes = b"") -> bytes:
    """FCS with these keywords, and events where they are given."""
    text = delimiter + delimiter.join(
        part.replace(delimiter, delimiter * 2) for pair in keywords.items() for part in pair
    )
    text += delimiter
    begin = 58 + len(text) if events else 0
    end = begin + len(events) - 1 if events else 0
    header = f"FCS{version}    {58:>8}{57 + len(text):>8}{begin:>8}{end:>8}{0:>8}{0:>8}"
    return (header + text).encode() + events


def mzml(body: str, *, started: str = "", model: str = "Q Exactive") -> str:
    """An mzML document around spectra and chromatograms."""
    stamp = f' startTimeStamp="{started}"' if started else ""
    return f"""<?xml version="1.0" encoding="utf-8"?>
<indexedmzML xmlns="http://psi.hupo.org/ms/mzml"><mzML version="1.1.0">
<referenceableParamGroupList count="1"><referenceableParamGroup id="common">
<cvParam cvRef="MS" accession="MS:1001911" name="{model}"/>
<cvParam cvRef="MS" accession="MS:1000529" name="instrument serial number" value="SN-7"/>
</referenceableParamGroup></referenceableParamGroupList>
<instrumentConfigurationList count="1"><instrumentConfiguration id="IC1">
<referenceableParamGroupRef ref="common"/></instrumentConfiguration></instrumentConfigurationList>
<run id="run"{stamp}>{body}</run></mzML></indexedmzML>"""


def mzml_array(accession: str, values: Sequence[float], *, compressed: bool = True, unit: str = "") -> str:
    """One binary array: 32-bit floats, packed or not."""
    data = np.array(values, dtype="<f4").tobytes()
    packed = "MS:1000574" if compressed else "MS:1000576"
    encoded = base64.b64encode(zlib.compress(data) if compressed else data).decode()
    unit_of = f' unitAccession="{unit}"' if unit else ""
    return (
        f'<binaryDataArray><cvParam accession="MS:1000521" name="32-bit float"/>'
        f'<cvParam accession="{packed}" name="packing"/><cvParam accession="{accession}" name="kind"{unit_of}/>'
        f"<binary>{encoded}</binary></binaryDataArray>"
    )


def mzml_spectrum(name: str, *, level: int, minutes: float, mz: Sequence[float], heights: Sequence[float]) -> str:
    return (
        f'<spectrum id="{name}"><cvParam accession="MS:1000511" name="ms level" value="{level}"/>'
        f'<cvParam accession="MS:1000130" name="positive scan"/>'
        f'<scanList><scan><cvParam accession="MS:1000016" name="scan start time" value="{minutes}" '
        f'unitAccession="UO:0000031"/></scan></scanList><binaryDataArrayList>'
        f"{mzml_array('MS:1000514', mz)}{mzml_array('MS:1000515', heights)}</binaryDataArrayList></spectrum>"
    )


def pdf(*pages: str, title: str = "Report", size: tuple[int, int] = (595, 842), encrypted: bool = False) -> bytes:
    """A line of text on each page."""
    count = len(pages)
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(count))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {count} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for number, text in enumerate(pages):
        stream = f"BT /F1 18 Tf 72 720 Td ({text}) Tj ET"
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {size[0]} {size[1]}] /Contents {5 + 2 * number} 0 R"
            " /Resources << /Font << /F1 3 0 R >> >> >>"
        )
        objects.append(f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream")
    objects.append(f"<< /Title ({title}) /Author (Nobody) /CreationDate (D:20260314092653+01'00') >>")
    key = "00" * 32
    guard = (
        f" /Encrypt << /Filter /Standard /V 1 /R 2 /O <{key}> /U <{key}> /P -4 >> /ID [<00> <00>]" if encrypted else ""
    )
    document, places = bytearray(b"%PDF-1.4\n"), []
    for number, body in enumerate(objects, start=1):
        places.append(len(document))
        document += f"{number} 0 obj\n{body}\nendobj\n".encode()
    start, total = len(document), len(objects) + 1
    document += f"xref\n0 {total}\n0000000000 65535 f \n".encode()
    document += b"".join(b"%010d 00000 n \n" % place for place in places)
    document += f"trailer\n<< /Size {total} /Root 1 0 R /Info {len(objects)} 0 R{guard} >>\n".encode()
    document += f"startxref\n{start}\n%%EOF\n".encode()
    return bytes(document)


def vi_cell() -> str:
    """A Vi-Cell BLU export of two samples: the vendor format that is quickest to write by hand."""
    names = [
        "Sample ID", "Analysis date/time", "Viability (%)", "Total (x10^6) cells/mL", "Viable (x10^6) cells/mL",
        "Cell count", "Viable cells", "Average diameter (μm)", "Average viable diameter (μm)", "Average circularity",
        "Average viable circularity", "Cell type", "Dilution", "Minimum Diameter (μm)", "Maximum Diameter (μm)",
        "Analysis by", "Images for analysis",
    ]  # fmt: skip
    first = [
        "CLB001",
        "03/21/2022 04:56:00 PM",
        96.9,
        0.78,
        0.75,
        2191,
        2123,
        18.5,
        18.7,
        0.88,
        0.88,
        "CHO",
        1,
        6,
        30,
        "Ann",
        100,
    ]
    second = [
        "CLB002",
        "03/28/2022 10:12:00 AM",
        90.1,
        0.50,
        0.45,
        1500,
        1350,
        17.0,
        17.2,
        0.87,
        0.87,
        "CHO",
        1,
        6,
        30,
        "Ann",
        100,
    ]
    return "".join(",".join(map(str, row)) + "\n" for row in (names, first, second))
