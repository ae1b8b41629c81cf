"""VAMAS (ISO 14976): spectra of surface analysis (XPS, AES, SIMS), tried with made files only."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, timezone
from math import isfinite

import numpy as np

from processing.facts import Facts
from processing.formats.curve import Axis, Curve, Series
from processing.readings import MAX_ARTEFACTS, Input, Output, Unreadable, Unrecognised
from processing.text_encoding import decode_text

MAPS = ("MAP", "MAPDP", "MAPSV", "MAPSVDP", "SEM")
WITH_REGIONS = ("MAP", "MAPDP", "NORM", "SDP")
WITH_SPUTTERING = ("MAPDP", "MAPSVDP", "SDP", "SDPSV")
SPUTTERED = ("FABMS", "FABMS energy spec", "ISS", "SIMS", "SIMS energy spec", "SNMS", "SNMS energy spec")
NO_OPERATOR = "Not Specified"


@dataclass
class Lines:
    """The lines of the file, one after the other."""

    lines: list[str]
    place: int = 0

    def text(self) -> str:
        if self.place >= len(self.lines):
            raise Unreadable("It ends before the last of its blocks.")
        self.place += 1
        return self.lines[self.place - 1].strip()

    def number(self) -> float:
        text = self.text()
        try:
            number = float(text)
        except ValueError as error:
            raise Unreadable(f"Line {self.place} should hold a number.") from error
        if not isfinite(number):
            raise Unreadable(f"Line {self.place} should hold a number.")
        return number

    def count(self) -> int:
        number = self.number()
        if number != int(number) or not 0 <= number <= len(self.lines):
            raise Unreadable(f"Line {self.place} should hold a number of lines or blocks.")
        return int(number)

    def texts(self, count: int) -> list[str]:
        return [self.text() for _ in range(count)]


SCAN_MODES = ("REGULAR", "IRREGULAR")


@dataclass
class Head:
    mode: str
    is_regular: bool
    variables: int
    future_entries: int
    blocks: int


@dataclass
class Block:
    name: str
    sample: str
    measured_at: datetime | None = None
    technique: str = ""
    source: str = ""
    species: str = ""
    axis: tuple[str, str] = ("", "")
    start: float = 0.0
    step: float = 1.0
    abscissae: list[float] = field(default_factory=list)  # of an irregular scan, in place of start and step
    columns: list[tuple[str, str, list[float]]] = field(default_factory=list)


def read(given: Input) -> Output:
    """Unreadable: it is damaged. Unrecognised: it is a kind of VAMAS that is not read."""
    lines = Lines(decode_text(given.path.read_bytes()).text.rstrip("\n").split("\n"))
    facts = Facts()
    facts.add("format", "VAMAS (ISO 14976)")
    lines.text()
    institution, model, operator, experiment = lines.texts(4)
    for key, value in (("institution", institution), ("instrument_model", model), ("experiment", experiment)):
        facts.add(key, value if value != NO_OPERATOR else None)
    facts.add("analyst", operator if operator != NO_OPERATOR else None)
    head = read_head(lines)
    blocks = [read_block(lines, head) for _ in range(head.blocks)]
    if not blocks:
        raise Unreadable("It holds no block.")
    is_ended = lines.place < len(lines.lines) and lines.text().lower() == "end of experiment"
    facts.add("blocks", len(blocks))
    facts.add_all("technique", [block.technique for block in blocks])
    facts.add_all("source", [block.source for block in blocks])
    facts.add_all("species", [block.species for block in blocks])
    facts.add_all("sample_id", [block.sample for block in blocks])
    times = [block.measured_at for block in blocks if block.measured_at]
    facts.add_times(times)
    curves = draw_blocks(blocks[:MAX_ARTEFACTS])
    return Output(
        run=facts.as_json(),
        acquired_at=min(times).astimezone(UTC) if times else None,
        artefacts=[curve.artefact(f"block-{number}.json") for number, curve in enumerate(curves, start=1)],
        warnings=list(list_doubts(blocks, is_ended=is_ended)),
    )


def list_doubts(blocks: Sequence[Block], *, is_ended: bool) -> Iterator[str]:
    if not is_ended:
        yield "Its last line is missing: a part of the file may be."
    if len(blocks) > MAX_ARTEFACTS:
        yield f"The first {MAX_ARTEFACTS} of {len(blocks)} blocks are drawn."


def read_head(lines: Lines) -> Head:
    lines.texts(lines.count())  # a comment
    mode, scan_mode = lines.texts(2)
    if scan_mode not in SCAN_MODES:
        raise Unrecognised(
            f"It is kept, and not read: VAMAS of the scan mode {scan_mode[:30]}; {' and '.join(SCAN_MODES)} are read."
        )
    if mode in WITH_REGIONS:
        lines.count()
    if mode in ("MAP", "MAPDP"):
        lines.texts(3)
    variables = lines.count()
    lines.texts(2 * variables)
    if int(lines.number()):
        raise Unrecognised("It is kept, and not read: VAMAS whose blocks leave out what the first one says.")
    lines.texts(lines.count())  # which items were entered by hand
    lines.texts(2 * lines.count())  # what later versions may say of the experiment
    future_entries = lines.count()
    return Head(mode, scan_mode == "REGULAR", variables, future_entries, lines.count())


def read_block(lines: Lines, head: Head) -> Block:
    block = Block(lines.text(), lines.text())
    block.measured_at = read_time([lines.number() for _ in range(7)])
    lines.texts(lines.count())  # a comment
    block.technique = lines.text()
    lines.texts((2 if head.mode in ("MAP", "MAPDP") else 0) + head.variables)
    block.source = lines.text()
    is_sputtering = head.mode in WITH_SPUTTERING
    lines.texts(3 if is_sputtering or block.technique in SPUTTERED else 0)
    lines.texts(4)  # energy, strength and widths of the source
    lines.texts((2 if head.mode in MAPS else 0) + (6 if head.mode in ("MAPSV", "MAPSVDP", "SEM") else 0))
    lines.texts(4)  # angles of the source, mode and pass energy of the analyser
    lines.texts(1 if block.technique == "AES diff" else 0)
    lines.texts(7)  # magnification, work function, bias, widths and angles of the analyser
    block.species = " ".join(lines.texts(2))
    lines.text()  # the particle's charge
    if head.is_regular:
        block.axis = (lines.text(), lines.text())
        block.start, block.step = lines.number(), lines.number()
    labels = [(lines.text(), lines.text()) for _ in range(lines.count())]
    lines.texts(4)  # mode of the signal, times and scans
    lines.texts(7 if is_sputtering and block.technique not in SPUTTERED else 0)
    lines.texts(3)  # angles of the sample
    lines.texts(3 * lines.count() + head.future_entries)
    read_columns(lines, block, labels)
    if not head.is_regular:
        take_first_as_axis(block)
    return block


def take_first_as_axis(block: Block) -> None:
    """An irregular scan has no start and step: the first of its variables is what it was scanned over."""
    if len(block.columns) < 2:
        raise Unreadable(f"Block {block.name} is irregular, but says only one number for each point.")
    (label, unit, block.abscissae), *block.columns = block.columns
    block.axis = (label, unit)


def read_columns(lines: Lines, block: Block, labels: list[tuple[str, str]]) -> None:
    total = lines.count()
    if not labels or total % len(labels):
        raise Unreadable(f"The numbers of block {block.name} do not fill its columns.")
    extremes = [(lines.number(), lines.number()) for _ in labels]
    numbers = [lines.number() for _ in range(total)]
    for place, ((label, unit), (least, greatest)) in enumerate(zip(labels, extremes, strict=True)):
        values = numbers[place :: len(labels)]
        check_extremes(values, least, greatest, name=block.name)
        block.columns.append((label, unit, values))


def check_extremes(values: list[float], least: float, greatest: float, *, name: str) -> None:
    """The least and the greatest number are announced, as far as they are written."""
    margin = 1e-4 * max(abs(least), abs(greatest), 1.0)
    is_announced = least < greatest and bool(values)
    if is_announced and (min(values) < least - margin or max(values) > greatest + margin):
        raise Unreadable(f"Block {name} holds numbers beyond the least and the greatest that it announces.")


def read_time(parts: list[float]) -> datetime | None:
    """Year to second, and by how many hours the clock is ahead of UTC."""
    year, month, day, hour, minute, second = map(int, parts[:6])
    try:
        return datetime(year, month, day, hour, minute, second, tzinfo=timezone(timedelta(hours=parts[6])))
    except (ValueError, OverflowError):
        return None


def draw_blocks(blocks: Sequence[Block]) -> Iterator[Curve]:
    """One curve for each block; a kinetic energy is drawn as it is measured."""
    for block in blocks:
        label, unit, _ = block.columns[0]
        count = len(block.columns[0][2])
        xs = np.array(block.abscissae or block.start + block.step * np.arange(count), dtype=np.float64)
        series = [Series(name, xs, values) for name, of, values in block.columns if of == unit]
        title = " ".join(part for part in (block.name, block.species) if part) or "Spectrum"
        yield Curve(
            title,
            Axis(block.axis[0].capitalize(), block.axis[1] or None),
            Axis(label.capitalize(), unit or None),
            series,
        )


def name_axis(label: str, unit: str) -> Axis:
    return Axis(label.capitalize(), unit or None)
