"""Raman spectra in Renishaw WDF: blocks of a mark and a length, of which DATA and XLST hold the numbers."""

import struct
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import numpy as np
from numpy.typing import NDArray

from processing.facts import Facts
from processing.formats.curve import MAX_SERIES, Axis, Curve, Series
from processing.formats.trace_facts import add_trace_facts, round_fact
from processing.readings import Input, Output, Unreadable

HEADER_BYTES, BLOCK_HEADER_BYTES = 512, 16
MEASUREMENT_TYPES = {1: "single", 2: "series", 3: "map"}
X_UNITS = {
    1: Axis("Raman shift", "1/cm"),
    2: Axis("Wavenumber", "1/cm"),
    3: Axis("Wavelength", "nm"),
    4: Axis("Energy", "eV"),
}
WINDOWS_EPOCH = datetime(1601, 1, 1, tzinfo=UTC)
INTENSITY = Axis("Intensity", "counts")


def read(given: Input) -> Output:
    content = given.path.read_bytes()
    if len(content) < HEADER_BYTES:
        raise Unreadable("It is shorter than the header of a WDF file.")
    blocks = dict(iterate_blocks(content))
    points, _, spectra = struct.unpack_from("<IQQ", content, 0x3C)
    if not points or not spectra:
        raise Unreadable("It holds no spectrum.")
    _, x_unit = struct.unpack_from("<2I", blocks.get(b"XLST", b"").ljust(8, b"\0"))
    x = numbers_of(blocks, b"XLST", points, offset=8)
    heights = numbers_of(blocks, b"DATA", points * spectra).reshape(spectra, points)
    axis = X_UNITS.get(x_unit, Axis("x"))
    facts = describe(content, axis, spectra)
    add_trace_facts(facts, x, heights[0])
    times = list(read_times(content))
    facts.add_times(times)
    series = [Series(str(number), x, row) for number, row in enumerate(heights[:MAX_SERIES], start=1)]
    curve = Curve(text_of(content[0xF0:0x190]) or given.path.stem, axis, INTENSITY, series)
    left_out = spectra - len(series)
    return Output(
        run=facts.as_json(),
        acquired_at=times[0] if times else None,
        artefacts=[curve.artefact("curves.json")],
        warnings=[f"Of {spectra:,} spectra the first {len(series)} are shown."] if left_out > 0 else [],
    )


def iterate_blocks(content: bytes) -> Iterator[tuple[bytes, bytes]]:
    position = 0
    while position + BLOCK_HEADER_BYTES <= len(content):
        mark, _, size = struct.unpack_from("<4sIQ", content, position)
        if size < BLOCK_HEADER_BYTES or position + size > len(content):
            raise Unreadable("It ends within one of its blocks: a part of the file is missing.")
        yield mark, content[position + BLOCK_HEADER_BYTES : position + size]
        position += size


def numbers_of(blocks: dict[bytes, bytes], mark: bytes, count: int, *, offset: int = 0) -> NDArray[np.float64]:
    content = blocks.get(mark, b"")
    if len(content) < offset + 4 * count:
        raise Unreadable(f"The header announces {count:,} numbers; the block {mark.decode()} holds fewer.")
    return np.frombuffer(content, "<f4", count, offset).astype(np.float64)


def describe(content: bytes, axis: Axis, spectra: int) -> Facts:
    wavenumber = struct.unpack_from("<f", content, 0x9C)[0]
    facts = Facts()
    facts.add("technique", "Raman spectroscopy")
    facts.add("format", "Renishaw WDF")
    facts.add("title", text_of(content[0xF0:0x190]))
    facts.add("analyst", text_of(content[0xD0:0xF0]))
    facts.add("software", text_of(content[0x60:0x78]))
    facts.add("software_version", ".".join(map(str, struct.unpack_from("<4H", content, 0x78))))
    facts.add("measurement_type", MEASUREMENT_TYPES.get(struct.unpack_from("<I", content, 0x84)[0]))
    facts.add("spectra", spectra)
    facts.add("accumulations", struct.unpack_from("<I", content, 0x50)[0] or None)
    facts.add("laser_nm", round_fact(1e7 / wavenumber) if wavenumber > 0 else None)
    facts.add("x_unit", axis.unit)
    return facts


def text_of(content: bytes) -> str:
    return content.partition(b"\0")[0].decode("utf-8", errors="replace").strip()


def read_times(content: bytes) -> Iterator[datetime]:
    """Start and end, in tenths of microseconds since 1601."""
    for stamp in struct.unpack_from("<2Q", content, 0x88):
        if 0 < stamp < 2**61:
            yield WINDOWS_EPOCH + timedelta(microseconds=stamp // 10)
