"""VAMAS (ISO 14976): spectra of surface analysis (XPS, AES, SIMS), tried with made files only."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta, timezone
from math import isfinite

import numpy as np

from processing.facts import Facts
from processing.formats.curve import Axis, Curve, Series
from processing.readings import MAX_ARTEFACTS, Artefact, Input, Output, Unreadable, Unrecognised
from processing.text_encoding import decode_text

MAPS = ("MAP", "MAPDP", "MAPSV", "MAPSVDP", "SEM")
WITH_REGIONS = ("MAP", "MAPDP", "NORM", "SDP")
WITH_SPUTTERING = ("MAPDP", "MAPSVDP", "SDP", "SDPSV")
SPUTTERED = ("FABMS", "FABMS energy spec", "ISS", "SIMS", "SIMS energy spec", "SNMS", "SNMS energy spec")
END = "end of experiment"
ITEMS = 40
UNITS = {
    "d": "",
    "n": "",
    "c/s": "counts/s",
    "micro m": "µm",
    "micro C": "µC",
    "degree": "°",
    "u": "u",
}  # as ISO 14976 spells them
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
    left_out: frozenset[int] = frozenset()  # numbers of the items in the head of a block, from 1 to 40

    def has(self, item: int) -> bool:
        return item not in self.left_out


@dataclass
class Block:
    name: str
    sample: str
    measured_at: datetime | None = None
    technique: str = ""
    source: str = ""
    species_parts: tuple[str, str] = ("", "")
    signal_mode: str = ""
    labels: list[tuple[str, str]] = field(default_factory=list)
    axis: tuple[str, str] = ("", "")
    start: float = 0.0
    step: float = 1.0
    abscissae: list[float] = field(default_factory=list)  # of an irregular scan, in place of start and step
    columns: list[tuple[str, str, list[float]]] = field(default_factory=list)

    @property
    def species(self) -> str:
        return " ".join(part for part in self.species_parts if part)


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
    blocks = read_blocks(lines, head)
    if not blocks:
        raise Unreadable("It holds no block.")
    is_ended = lines.place < len(lines.lines) and lines.text().lower() == END
    facts.add("blocks", len(blocks))
    facts.add_all("technique", [block.technique for block in blocks])
    facts.add_all("source", [block.source for block in blocks])
    facts.add_all("species", [block.species for block in blocks])
    facts.add_all("sample_id", [block.sample for block in blocks])
    times = [block.measured_at for block in blocks if block.measured_at]
    facts.add_times(times)
    drawn = enumerate(blocks[:MAX_ARTEFACTS], start=1)
    return Output(
        run=facts.as_json(),
        acquired_at=min(times).astimezone(UTC) if times else None,
        artefacts=[draw_block(block, f"block-{number}.json") for number, block in drawn],
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
    left_out = read_left_out(lines)
    lines.texts(lines.count())  # which items were entered by hand
    lines.texts(2 * lines.count())  # what later versions may say of the experiment
    future_entries = lines.count()
    return Head(mode, scan_mode == "REGULAR", variables, future_entries, lines.count(), left_out)


def read_left_out(lines: Lines) -> frozenset[int]:
    """The items of a block's head that blocks do not repeat: a list of those, or, counted upwards, of all others."""
    count = int(lines.number())
    items = {int(lines.number()) for _ in range(abs(count))}
    if abs(count) > ITEMS or not items <= set(range(1, ITEMS + 1)):
        raise Unreadable("Its list of what blocks leave out names what they never say.")
    return frozenset(range(1, ITEMS + 1)) - items if count > 0 else frozenset(items)


def read_blocks(lines: Lines, head: Head) -> list[Block]:
    """All blocks. What later ones leave out is said in the first, or, as some programs write it, nowhere."""
    if not head.left_out:
        return [read_block(lines, head) for _ in range(head.blocks)]
    place, problems = lines.place, []
    for is_first_whole in (True, False):
        lines.place = place
        try:
            blocks = list(read_shortened_blocks(lines, head, is_first_whole=is_first_whole))
            if lines.place == len(lines.lines) or lines.lines[lines.place].strip().lower() == END:
                return blocks
        except Unreadable as problem:
            problems.append(problem)
    raise problems[0] if problems else Unreadable("Its blocks do not end where it does.")


def read_shortened_blocks(lines: Lines, head: Head, *, is_first_whole: bool) -> Iterator[Block]:
    first: Block | None = None
    for _ in range(head.blocks):
        left_out = frozenset() if is_first_whole and first is None else head.left_out
        block = read_block(lines, replace(head, left_out=left_out), first)
        first = first or block
        yield block


def read_block(lines: Lines, head: Head, first: Block | None = None) -> Block:
    """One block; what it leaves out, of what is kept here, is as in the first."""
    block = replace(first or Block("", ""), name=lines.text(), sample=lines.text(), abscissae=[], columns=[])
    has = head.has
    block.measured_at = read_time([lines.number() if has(item) else None for item in range(1, 8)], block.measured_at)
    lines.texts(lines.count() if has(8) else 0)  # a comment
    block.technique = lines.text() if has(9) else block.technique
    lines.texts(2 if head.mode in ("MAP", "MAPDP") and has(10) else 0)
    lines.texts(head.variables if has(11) else 0)
    block.source = lines.text() if has(12) else block.source
    is_sputtering = head.mode in WITH_SPUTTERING
    lines.texts(3 if (is_sputtering or block.technique in SPUTTERED) and has(13) else 0)
    lines.texts(has(14) + has(15) + 2 * has(16))  # energy, strength and widths of the source
    lines.texts(2 if head.mode in MAPS and has(17) else 0)
    lines.texts(6 if head.mode in ("MAPSV", "MAPSVDP", "SEM") and has(18) else 0)
    lines.texts(has(19) + has(20) + has(21) + has(22))  # angles of the source, mode and pass energy of the analyser
    lines.texts(1 if block.technique == "AES diff" and has(23) else 0)
    lines.texts(has(24) + has(25) + has(26) + 2 * has(27) + 2 * has(28))  # lens, work function, bias, widths, angles
    block.species_parts = (
        lines.text() if has(29) else block.species_parts[0],
        lines.text() if has(30) else block.species_parts[1],
    )
    lines.texts(has(30))  # the particle's charge
    if head.is_regular and has(31):
        block.axis = (lines.text(), lines.text())
        block.start, block.step = lines.number(), lines.number()
    if has(32):
        block.labels = [(lines.text(), lines.text()) for _ in range(lines.count())]
    block.signal_mode = lines.text() if has(33) else block.signal_mode
    lines.texts(has(34) + has(35) + has(36))  # times and scans
    lines.texts(7 if is_sputtering and block.technique not in SPUTTERED and has(37) else 0)
    lines.texts(2 * has(38) + has(39))  # angles of the sample
    lines.texts(3 * lines.count() if has(40) else 0)
    lines.texts(head.future_entries)
    read_columns(lines, block)
    if not head.is_regular:
        take_first_as_axis(block)
    return block


def take_first_as_axis(block: Block) -> None:
    """An irregular scan has no start and step: the first of its variables is what it was scanned over."""
    if len(block.columns) < 2:
        raise Unreadable(f"Block {block.name} is irregular, but says only one number for each point.")
    (label, unit, block.abscissae), *block.columns = block.columns
    block.axis = (label, unit)


def read_columns(lines: Lines, block: Block) -> None:
    labels, total = block.labels, lines.count()
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


def read_time(parts: Sequence[float | None], usual: datetime | None) -> datetime | None:
    """Year to second, and by how many hours the clock is ahead of UTC; what is left out is as usual."""
    if usual is not None and None in parts:
        hours = (usual.utcoffset() or timedelta()).total_seconds() / 3600
        known = (usual.year, usual.month, usual.day, usual.hour, usual.minute, usual.second, hours)
        parts = [own if part is None else part for part, own in zip(parts, known, strict=True)]
    year, month, day, hour, minute, second = (int(part or 0) for part in parts[:6])
    try:
        return datetime(year, month, day, hour, minute, second, tzinfo=timezone(timedelta(hours=parts[6] or 0)))
    except (ValueError, OverflowError):
        return None


def draw_block(block: Block, name: str) -> Artefact:
    """A kinetic energy is drawn as it is measured. The one variable of a block is called as the block."""
    label, unit, _ = block.columns[0]
    count = len(block.columns[0][2])
    xs = np.array(block.abscissae or block.start + block.step * np.arange(count), dtype=np.float64)
    series = [Series(called, xs, values) for called, of, values in block.columns if of == unit]
    axes = name_axis(*block.axis, block), name_axis(label, unit, block)
    stored = Curve(title_of(block), *axes, series).artefact(name)
    if len(series) > 1:
        return stored
    shown = [replace(one, label=title_of(block)) for one in series]
    return replace(Curve(title_of(block), *axes, shown).artefact(name), datasets=stored.datasets)


def title_of(block: Block) -> str:
    """Its name, with the species and the transition where these do not stand in it."""
    is_said = block.species.replace(" ", "").lower() in block.name.replace(" ", "").lower()
    return " ".join(filter(None, (block.name, "" if is_said else block.species))) or "Spectrum"


def name_axis(label: str, unit: str, block: Block) -> Axis:
    """A number without a unit ("d") is a count where pulses were counted."""
    if unit == "d" and block.signal_mode.lower().startswith("pulse counting"):
        return Axis(label.capitalize(), "counts")
    return Axis(label.capitalize(), UNITS.get(unit, unit) or None)
