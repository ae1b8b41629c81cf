"""Spectra in Bruker OPUS: a directory of blocks, each either numbers or parameters with names of three letters."""

import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from processing.facts import Facts
from processing.formats.curve import Axis, Curve, Series
from processing.formats.trace_facts import add_trace_facts
from processing.readings import Artefact, Input, Output, Unreadable

MAX_BLOCKS = 1000
EXTENSION_BITS = 0x3FF80000  # reports and the like, kept under the type of what they are about
SAMPLE, REFERENCE, RATIO = 1, 2, 3
QUANTITIES = {  # by the kind of data in a block's type
    1: ("Single channel", None),
    2: ("Interferogram", None),
    3: ("Phase", "rad"),
    4: ("Absorbance", "AU"),
    5: ("Transmittance", None),
    6: ("Kubelka-Munk", None),
    7: ("Trace", None),
    10: ("Raman intensity", "a.u."),
    11: ("Emission", None),
    12: ("Reflectance", None),
    14: ("Power", None),
    15: ("log(1/R)", None),
    16: ("ATR", None),
    17: ("Photoacoustic", None),
}
SOURCES = {SAMPLE: "sample", REFERENCE: "reference"}
X_AXES = {
    "WN": Axis("Wavenumber", "1/cm"),
    "RSH": Axis("Raman shift", "1/cm"),
    "MI": Axis("Wavelength", "µm"),
    "MIN": Axis("Time", "min"),
    "PNT": Axis("Points"),
}
FACTS = {
    "instrument_model": "INS",
    "serial_number": "SRN",
    "sample_id": "SNM",
    "sample_form": "SFM",
    "analyst": "CNM",
    "method": "EXP",
    "scans": "NSS",
    "resolution": "RES",
    "detector": "DTC",
    "beam_splitter": "BMS",
    "light_source": "SRC",
    "measured_accessory": "ACC",
    "software_version": "VSN",
}
DATE = re.compile(r"(\d{1,2})/(\d{1,2})/(\d{4})|(\d{4})/(\d{1,2})/(\d{1,2})")
CLOCK = re.compile(r"(\d{1,2}):(\d{2}):(\d{2})[.\d]*(?:\s*\((?:GMT|UTC)([+-]\d+)(?::(\d+))?\))?")
EXTREME_TOLERANCE = 1e-4
Parameters: TypeAlias = dict[str, int | float | str]


@dataclass(frozen=True)
class Block:
    """What a block holds, by the bits of its type: of which kind it is, and of sample, reference or both."""

    source: int
    kind: int
    derivative: int
    group: int  # 0: numbers; 1: the parameters of numbers; others: of the measurement
    is_data: bool
    is_original: bool  # of the measurement; what was computed anew later is not
    content: bytes

    def belongs_to(self, data: "Block") -> bool:
        mine, its = ((block.source, block.kind, block.derivative, block.is_original) for block in (self, data))
        return mine == its


@dataclass(frozen=True)
class Spectrum:
    block: Block
    status: Parameters
    x: NDArray[np.float64]
    y: NDArray[np.float64]

    @property
    def name(self) -> str:
        quantity = QUANTITIES.get(self.block.kind, ("Signal", None))[0]
        source = SOURCES.get(self.block.source)
        derivative = f", derivative {self.block.derivative}" if self.block.derivative else ""
        return f"{quantity}{derivative}{f' ({source})' if source else ''}"


def read(given: Input) -> Output:
    blocks = list(iterate_blocks(given.path.read_bytes()))
    spectra = list(iterate_spectra(blocks))
    if not spectra:
        raise Unreadable("It holds no spectrum.")
    main = min(spectra, key=lambda spectrum: (spectrum.block.source != RATIO, spectrum.block.is_original))
    times = [time for spectrum in spectra if (time := measured_at(spectrum.status, zone=given.time_zone))]
    started_at = measured_at(main.status, zone=given.time_zone)
    facts = describe(blocks, main, spectra)
    facts.add_times([started_at] if started_at else times[:1])
    return Output(
        run=facts.as_json(),
        file={"assumed_time_zone": str(given.time_zone)} if started_at and started_at.tzinfo is given.time_zone else {},
        acquired_at=started_at.astimezone(UTC) if started_at else None,
        artefacts=list(draw(main, spectra)),
        warnings=[warning for spectrum in spectra for warning in check_extremes(spectrum)],
    )


def iterate_blocks(content: bytes) -> Iterator[Block]:
    if len(content) < 24:
        raise Unreadable("It is shorter than the header of an OPUS file.")
    start, _, count = struct.unpack_from("<3i", content, 12)
    if not 0 < count <= MAX_BLOCKS or start < 24 or start + 12 * count > len(content):
        raise Unreadable("Its directory is damaged, or not in the file.")
    for place in range(count):
        bits, length, position = struct.unpack_from("<Iii", content, start + 12 * place)
        if length < 0 or position < 0 or position + 4 * length > len(content):
            raise Unreadable("It ends before the last of its blocks: a part of the file is missing.")
        yield Block(
            source=bits >> 2 & 3,
            kind=bits >> 10 & 127,
            derivative=bits >> 17 & 3,
            group=bits >> 4 & 63,
            is_data=bits & 3 == 3 and not bits & EXTENSION_BITS,
            is_original=bool(bits >> 30 & 1),
            content=content[position : position + 4 * length],
        )


def iterate_spectra(blocks: list[Block]) -> Iterator[Spectrum]:
    """Data blocks of one value for each point, with the parameters that belong to them."""
    statuses = [block for block in blocks if block.is_data and block.group == 1]
    for block in (block for block in blocks if block.is_data and block.group == 0 and block.kind in QUANTITIES):
        status = next((parse_parameters(other.content) for other in statuses if other.belongs_to(block)), {})
        count, first, last = (status.get(name) for name in ("NPT", "FXV", "LXV"))
        if not isinstance(count, int) or not isinstance(first, float) or not isinstance(last, float):
            continue
        stored = np.frombuffer(block.content, "<i4" if status.get("DPF") == 2 else "<f4")
        if not 0 < count <= len(stored):
            raise Unreadable(f"It announces {count:,} points and holds {len(stored):,}.")
        factor = status.get("CSF", 1.0)
        y = stored[:count].astype(np.float64) * (factor if isinstance(factor, float) else 1.0)
        yield Spectrum(block, status, np.linspace(first, last, count), y)


def parse_parameters(content: bytes) -> Parameters:
    """Name, type, length in pairs of bytes, value; up to END."""
    found: Parameters = {}
    position = 0
    while position + 8 <= len(content):
        name = content[position : position + 3].decode("latin-1")
        kind, pairs = struct.unpack_from("<2H", content, position + 4)
        value = content[position + 8 : position + 8 + 2 * pairs]
        if name == "END":
            return found
        if kind == 0 and len(value) >= 4:
            found[name] = int(struct.unpack_from("<i", value)[0])
        elif kind == 1 and len(value) >= 8:
            found[name] = float(struct.unpack_from("<d", value)[0])
        elif kind in (2, 3, 4):
            found[name] = value.partition(b"\0")[0].decode("latin-1").strip()
        position += 8 + 2 * pairs
    return found


def describe(blocks: list[Block], main: Spectrum, spectra: list[Spectrum]) -> Facts:
    stated: Parameters = {}
    for block in sorted((block for block in blocks if not block.is_data), key=lambda block: block.source == REFERENCE):
        if block.kind == 0 and block.group:
            stated = parse_parameters(block.content) | stated
    is_raman = main.block.kind == 10
    axis = X_AXES.get(str(main.status.get("DXU")), Axis("x"))
    facts = Facts()
    facts.add("technique", "Raman spectroscopy" if is_raman else "infrared spectroscopy")
    facts.add("format", "Bruker OPUS")
    for key, name in FACTS.items():
        facts.add(key, stated.get(name))
    facts.add("spectra", len(spectra))
    facts.add_all("data_type", [spectrum.name for spectrum in spectra])
    facts.add("x_unit", axis.unit)
    facts.add("y_unit", QUANTITIES[main.block.kind][1])
    add_trace_facts(facts, main.x, main.y)
    return facts


def draw(main: Spectrum, spectra: list[Spectrum]) -> Iterator[Artefact]:
    """The result first, then each of what it was made from."""
    for number, spectrum in enumerate([main, *(other for other in spectra if other is not main)], start=1):
        label, unit = QUANTITIES[spectrum.block.kind]
        axes = X_AXES.get(str(spectrum.status.get("DXU")), Axis("x")), Axis(label, unit)
        curve = Curve(spectrum.name, *axes, [Series(spectrum.name, spectrum.x, spectrum.y)])
        yield curve.artefact("spectrum.json" if number == 1 else f"spectrum-{number}.json")


def check_extremes(spectrum: Spectrum) -> Iterator[str]:
    """The file says how high and how low its numbers go."""
    for name, found in (("MXY", float(spectrum.y.max())), ("MNY", float(spectrum.y.min()))):
        stated = spectrum.status.get(name)
        span = float(np.ptp(spectrum.y)) or 1.0
        if isinstance(stated, float) and not abs(stated - found) <= EXTREME_TOLERANCE * max(span, abs(stated)):
            which = "highest" if name == "MXY" else "lowest"
            yield f"{spectrum.name}: the {which} value is {found:.6g}, and should be {stated:.6g}."


def measured_at(status: Parameters, *, zone: tzinfo) -> datetime | None:
    date, clock = DATE.match(str(status.get("DAT", ""))), CLOCK.match(str(status.get("TIM", "")))
    if date is None or clock is None:
        return None
    day, month, year = (int(part) for part in (date.groups()[:3] if date[1] else date.groups()[:2:-1]))
    try:
        return datetime(year, month, day, *map(int, clock.groups()[:3]), tzinfo=offset_of(clock) or zone)  # type: ignore[misc, arg-type]
    except ValueError:
        return None


def offset_of(clock: re.Match[str]) -> tzinfo | None:
    if clock[4] is None:
        return None
    minutes = int(clock[5] or 0) * (-1 if clock[4].startswith("-") else 1)
    return timezone(timedelta(hours=int(clock[4]), minutes=minutes))
