"""Spectra in Galactic SPC, of the format's first version (1987) and of its second (1996)."""

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo

import numpy as np
from numpy.typing import NDArray

from processing.facts import Facts
from processing.formats.curve import Axis, Curve, Series
from processing.formats.trace_facts import add_trace_facts
from processing.processors.spectra.spc_vocabulary import TECHNIQUES, X_AXES, Y_AXES
from processing.readings import Input, Output, Unreadable

Floats = NDArray[np.float64]
OLD_VERSION = 0x4D
SIXTEEN_BITS, MULTIPLE, OWN_X_FOR_EACH, HAS_X = 1, 4, 64, 128  # flags
FLOATS_EXPONENT = -128
LOG_AT = 248  # where the header says at which byte the log begins; 0: there is none
LOG_HEADER_BYTES = 64
HEADER_BYTES, OLD_HEADER_BYTES, SUBHEADER_BYTES = 512, 256, 32
MAX_POINTS, MAX_SPECTRA = 20_000_000, 100_000


@dataclass(frozen=True)
class Header:
    flags: int
    byte_order: str
    is_old: bool
    experiment: int
    exponent: int
    points: int
    first: float
    last: float
    spectra: int
    x_type: int
    y_type: int
    measured_at: datetime | None  # without a zone
    source: str
    comment: str
    axis_labels: list[str]

    @property
    def size(self) -> int:
        return OLD_HEADER_BYTES - SUBHEADER_BYTES if self.is_old else HEADER_BYTES


def read(given: Input) -> Output:
    content = given.path.read_bytes()
    header = read_header(content)
    series = name_series(list(iterate_series(content, header)))
    facts = describe(header, series)
    measured_at = with_zone(header.measured_at, given.time_zone)
    facts.add_times([measured_at] if measured_at else [])
    curve = Curve(header.comment.split(",")[0] or given.path.stem, *build_axes(header), series)
    return Output(
        run=facts.as_json(),
        file={"assumed_time_zone": str(given.time_zone)} if measured_at else {},
        acquired_at=measured_at.astimezone(UTC) if measured_at else None,
        artefacts=[curve.artefact("curves.json")],
        warnings=list(list_doubts(content, header, series)),
    )


def list_doubts(content: bytes, header: Header, series: list[Series]) -> Iterator[str]:
    """A word where the spectra do not end at the log, or at the end of the file, in the forms that state it plainly."""
    if header.is_old:
        return
    log = struct.unpack_from(f"{header.byte_order}i", content, LOG_AT)[0]
    if log and not holds_log(content, log, header.byte_order):
        yield "Its log is not where its header says: bytes may be missing, or have been added."
    elif not header.flags & (MULTIPLE | HAS_X | SIXTEEN_BITS) and header.size + SUBHEADER_BYTES + 4 * len(
        series[0].y
    ) != (log or len(content)):
        yield "Its spectrum does not end where its header says: bytes may be missing, or have been added."


def holds_log(content: bytes, at: int, byte_order: str) -> bool:
    """Whether what stands there says of a size of its own that the file has."""
    if not 0 < at <= len(content) - LOG_HEADER_BYTES:
        return False
    size, _, text = struct.unpack_from(f"{byte_order}3i", content, at)
    return 0 < size <= len(content) - at and 0 <= text <= size


def with_zone(time: datetime | None, zone: tzinfo) -> datetime | None:
    return time.replace(tzinfo=zone) if time else None


def describe(header: Header, series: list[Series]) -> Facts:
    x_axis, y_axis = build_axes(header)
    facts = Facts()
    facts.add("technique", TECHNIQUES.get(header.experiment) or guess_technique(header))
    facts.add("format", "SPC (Galactic, 1987)" if header.is_old else "SPC (Galactic)")
    facts.add("source", header.source)
    facts.add("title", header.comment)
    facts.add("spectra", len(series))
    facts.add("x_unit", x_axis.unit)
    facts.add("y_unit", y_axis.unit)
    facts.add("y_label", y_axis.label)
    first = series[0]
    add_trace_facts(facts, np.asarray(first.x, dtype=np.float64), np.asarray(first.y, dtype=np.float64))
    return facts


def guess_technique(header: Header) -> str:
    is_raman = header.x_type == 13 or any("raman" in label.lower() for label in header.axis_labels)
    return "Raman spectroscopy" if is_raman else "spectroscopy"


def build_axes(header: Header) -> tuple[Axis, Axis]:
    """Own labels, where the header has them and says so, stand before the usual ones."""
    x_label, x_unit = X_AXES.get(header.x_type, ("x", None))
    y_label, y_unit = Y_AXES.get(header.y_type, ("Intensity", None))
    own = [*header.axis_labels, "", ""]
    return Axis(own[0] or x_label, x_unit), Axis(own[1] or y_label, y_unit)


def read_header(content: bytes) -> Header:
    is_old = content[1:2] == bytes([OLD_VERSION])
    if len(content) < (OLD_HEADER_BYTES if is_old else HEADER_BYTES):
        raise Unreadable("It is shorter than the header of an SPC file.")
    if is_old:
        return read_old_header(content)
    order = ">" if content[1] == 0x4C else "<"
    flags, _, experiment, exponent, points, first, last, spectra, x_type, y_type, _, _, date = struct.unpack_from(
        f"{order}BBBbiddiBBBBi", content
    )
    has_labels = flags & 32
    labels = [text_of(part) for part in content[218:248].split(b"\0")] if has_labels else []
    return Header(
        flags=flags,
        byte_order=order,
        is_old=False,
        experiment=experiment,
        exponent=exponent,
        points=points,
        first=first,
        last=last,
        spectra=max(1, spectra),
        x_type=x_type,
        y_type=y_type,
        measured_at=time_of(full_year(date >> 20 & 4095), date >> 16 & 15, date >> 11 & 31, date >> 6 & 31, date & 63),
        source=text_of(content[45:54]),
        comment=text_of(content[88:218]),
        axis_labels=labels,
    )


def read_old_header(content: bytes) -> Header:
    flags, _, exponent, points, first, last, x_type, y_type, year, month, day, hour, minute = struct.unpack_from(
        "<BBhfffBBHBBBB", content
    )
    return Header(
        flags=flags,
        byte_order="<",
        is_old=True,
        experiment=0,
        exponent=FLOATS_EXPONENT if exponent == -FLOATS_EXPONENT else exponent,  # of two bytes there, of one later
        points=int(points),
        first=first,
        last=last,
        spectra=MAX_SPECTRA if flags & MULTIPLE else 1,
        x_type=x_type,
        y_type=y_type,
        measured_at=time_of(year, month, day, hour, minute),
        source="",
        comment=text_of(content[64:194]),
        axis_labels=[],
    )


def time_of(*numbers: int) -> datetime | None:
    try:
        return datetime(*numbers)  # type: ignore[arg-type]
    except ValueError:
        return None


def text_of(content: bytes) -> str:
    """Up to the first NUL; nothing where that is no text (some programs leave what the memory held)."""
    text = content.partition(b"\0")[0].decode("cp1252", errors="replace").strip()
    return text if text.isprintable() else ""


def name_series(spectra: list[tuple[float, Floats, Floats]]) -> list[Series]:
    """By the place of each along the third axis, where all have one of their own; else by their number."""
    places = [f"{place:g}" for place, _, _ in spectra]
    have_own = len(spectra) > 1 and len(set(places)) == len(places) and all(np.isfinite(z) for z, _, _ in spectra)
    names = places if have_own else [str(number) for number in range(1, len(spectra) + 1)]
    return [Series(name, x, y) for name, (_, x, y) in zip(names, spectra, strict=True)]


def iterate_series(content: bytes, header: Header) -> Iterator[tuple[float, Floats, Floats]]:
    """Each spectrum has a header of its own, then x where it has its own, then y."""
    if not 0 < header.spectra <= MAX_SPECTRA:
        raise Unreadable(f"The header announces {header.spectra:,} spectra.")
    position, x = header.size, None
    if header.flags & HAS_X and not header.flags & OWN_X_FOR_EACH:
        x, position = take(content, position, header.points, f"{header.byte_order}f4"), position + 4 * header.points
    for number in range(1, header.spectra + 1):
        if header.is_old and number > 1 and position + SUBHEADER_BYTES >= len(content):
            return
        if position + SUBHEADER_BYTES > len(content):
            raise Unreadable(f"It ends before spectrum {number:,} of {header.spectra:,}.")
        _, exponent, _, z, _, _, own_points = struct.unpack_from(f"{header.byte_order}BbHfffi", content, position)
        position += SUBHEADER_BYTES
        count = own_points if header.flags & OWN_X_FOR_EACH else header.points
        if header.flags & OWN_X_FOR_EACH:
            x, position = take(content, position, count, f"{header.byte_order}f4"), position + 4 * count
        exponent = exponent if header.flags & MULTIPLE else header.exponent
        y, width = read_ordinates(content, position, count, header, exponent=exponent)
        position += width * count
        places = np.linspace(header.first, header.last, count) if x is None else x
        yield z, places, y


def read_ordinates(content: bytes, position: int, count: int, header: Header, *, exponent: int) -> tuple[Floats, int]:
    """Floats, or fractions of 2^exponent in 32 or 16 bits; and how many bytes each takes."""
    order = header.byte_order
    if exponent == FLOATS_EXPONENT:
        return take(content, position, count, f"{order}f4"), 4
    if header.flags & SIXTEEN_BITS:
        return take(content, position, count, f"{order}i2") * 2.0 ** (exponent - 16), 2
    if header.is_old:  # the upper half comes first
        halves = take(content, position, 2 * count, "<u2").reshape(-1, 2)
        whole = (halves[:, 0] * 65536 + halves[:, 1]).astype(np.int64).astype(np.uint32).view(np.int32)
        return whole.astype(np.float64) * 2.0 ** (exponent - 32), 4
    return take(content, position, count, f"{order}i4") * 2.0 ** (exponent - 32), 4


def take(content: bytes, position: int, count: int, number_type: str) -> Floats:
    size = np.dtype(number_type).itemsize * count
    if not 0 < count <= MAX_POINTS:
        raise Unreadable(f"The header announces {count:,} points.")
    if position + size > len(content):
        raise Unreadable(f"The header announces {count:,} points; the file ends before the last of them.")
    return np.frombuffer(content, number_type, count, position).astype(np.float64)


def full_year(stated: int) -> int:
    """Some programs count the years from 1900, as the C library does."""
    return stated + 1900 if 80 <= stated < 200 else stated
