"""What the order of rows shows of damage: a number, or the letter of a row, left out where all others follow."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import dropwhile, groupby, islice, pairwise

MOST_COLUMNS, MOST_ROWS = 4, 50_000  # that are looked at: what numbers rows stands before what was measured
LEAST_NUMBERS, LEAST_LETTERS = 10, 6
LEAST_GROUPS = 4  # rows of a plate
LEAST_MATRIX_WIDTH = 6  # columns of a plate beside the letter of its row
LEAST_STEPS, EVENNESS, DAY = 12, 0.01, 86_400  # of a step: numbers are rounded; seconds
PAUSE = 0.05  # of a step, by which it is none of several: times of day are rounded to seconds
MOST_SWAPPED = 4  # steps, where two pieces changed places
EVEN_AT_ENDS = 2  # steps that stand before and behind; the last ones may be of another kind
LEAST_CYCLE, LEAST_CYCLES, MANY_CYCLES = 9, 4, 6  # numbers of a list; such lists, long ones and any
MOST_LOST = 6  # numbers at an end of one
LONGEST_GAP = 50  # numbers that are left out at once
WHOLE_NUMBER, LETTER = re.compile(r"\d{1,6}"), re.compile(r"[A-P]")
QUOTED = re.compile(r'"[^"]*"')
NUMBER, CLOCK = re.compile(r"-?\d{1,9}([.,]\d{1,9})?"), re.compile(r"(\d{1,2}):(\d{2})(?::(\d{2}))?")
WELL = re.compile(r"[A-P]\d{1,2}")  # some of which people leave empty


def list_sequence_doubts(rows: Sequence[str], widths: Sequence[int], delimiter: str) -> Iterator[str]:
    """One sentence about the first gap, for rows that follow each other and have as many cells."""
    numbered = zip(range(MOST_ROWS), rows, widths, strict=False)
    found = (
        f"{gap} near line {lines[0] + 1:,}: rows may be missing, or have changed places."
        for width, block in groupby(numbered, key=lambda one: one[2])
        if width > 1
        for lines, cells in list_columns(list(block), delimiter)
        if (gap := find_gap(cells, width=width))
    )
    yield from islice(found, 1)


def list_columns(block: Sequence[tuple[int, str, int]], delimiter: str) -> Iterator[tuple[Sequence[int], list[str]]]:
    """The first columns of a block, each with the numbers of its lines."""
    if len(block) < LEAST_LETTERS:
        return
    lines = [number for number, _, _ in block]
    split = [hide_quoted(row, delimiter).split(delimiter, MOST_COLUMNS)[:MOST_COLUMNS] for _, row, _ in block]
    columns = [[cells[place].strip().strip('"') for cells in split] for place in range(min(map(len, split)))]
    if not any(WELL.fullmatch(column[-1]) for column in columns):
        yield from ((lines, column) for column in columns)


def hide_quoted(row: str, delimiter: str) -> str:
    """Without the delimiters that stand within quotation marks."""
    return QUOTED.sub(lambda found: found[0].replace(delimiter, " "), row) if '"' in row else row


def find_gap(cells: Sequence[str], *, width: int) -> str:
    """What is left out of the column, in words; nothing where it counts nothing."""
    counted = [cell for cell, _ in groupby(cells[1:] if not counts(cells[0]) else cells)]
    if counted and all(map(WHOLE_NUMBER.fullmatch, counted)):
        return find_lost_number([int(cell) for cell in counted]) or find_broken_step(counted)
    if width >= LEAST_MATRIX_WIDTH and (found := find_in_plates(cells)):
        return found
    return find_broken_step(list(dropwhile(lambda cell: read_place(cell) is None, cells)))


def find_in_plates(cells: Sequence[str]) -> str:
    """Of each plate among the cells: letters, and nothing where a well has values in several lines."""
    for is_plate, run in groupby(cells, key=lambda cell: not cell or LETTER.fullmatch(cell) is not None):
        lines = list(dropwhile(lambda cell: not cell, run)) if is_plate else []
        letters = [cell for cell, _ in groupby(filter(None, lines))]
        if found := letters and (find_lost_letter(letters) or find_odd_group(lines)):
            return found
    return ""


def counts(cell: str) -> bool:
    return any(pattern.fullmatch(cell) for pattern in (WHOLE_NUMBER, LETTER))


def find_odd_group(cells: Sequence[str]) -> str:
    """The row of a plate that has another number of lines than all the others."""
    starts = [place for place, cell in enumerate(cells) if cell]
    sizes = [after - before for before, after in pairwise([*starts, len(cells)])]
    usual = sorted(sizes)[len(sizes) // 2]
    sizes[-1] = min(sizes[-1], usual)  # lines that hold nothing may follow the plate
    odd = [cells[start] for start, size in zip(starts, sizes, strict=True) if size != usual]
    is_odd = usual > 1 and len(starts) >= LEAST_GROUPS and len(odd) == 1
    return f"Of row {odd[0]} there are not {usual} lines" if is_odd else ""


def find_lost_number(numbers: Sequence[int]) -> str:
    """Where all others are the next one, or begin anew."""
    steps = [(before, after) for before, after in pairwise(numbers) if after not in (before + 1, numbers[0])]
    anew = Counter(before for before, after in pairwise(numbers) if after == numbers[0])
    if len(numbers) < LEAST_NUMBERS or len(steps) > 1:
        return ""
    usual, times = anew.most_common(1)[0] if anew else (0, 0)
    is_cyclic = usual - numbers[0] >= LEAST_CYCLE and times >= LEAST_CYCLES
    if not steps and is_cyclic and len(anew) == 2 and min(anew.values()) == 1:  # each but one is as long
        odd = min(anew, key=lambda before: anew[before])
        return f"{numbers[0]} follows {odd}" if usual - odd <= MOST_LOST else ""
    before, after = steps[0] if steps else (0, 0)
    is_often = is_cyclic or times >= MANY_CYCLES
    is_late = is_often and len(anew) == 1 and before == usual and 0 < after - numbers[0] <= MOST_LOST
    return f"{after} follows {before}" if 1 < after - before <= LONGEST_GAP or is_late else ""


def find_broken_step(cells: Sequence[str]) -> str:
    """Where numbers or times of day follow each other in one even step but in one place, which is at neither end."""
    places = [read_place(cell) for cell in cells]
    if None in places or 0 < sum(":" in cell for cell in cells) < len(cells):
        return ""
    known = [place for place in places if place is not None]
    steps = [after - before for before, after in pairwise(known)]
    usual = sorted(steps)[len(steps) // 2] if len(steps) > LEAST_STEPS else 0
    broken = [at for at, step in enumerate(steps) if abs(step - usual) > EVENNESS * abs(usual)]
    if not usual or not broken:
        return ""
    at = broken[0]
    if 2 < len(broken) <= MOST_SWAPPED and abs(known[-1] - known[0] - usual * len(steps)) <= EVENNESS * abs(usual):
        return f"{cells[at + 1]} follows {cells[at]}"
    if len(broken) > 2 or broken[-1] - at > 1:
        return ""
    is_end = known[at + 1] == known[0] or at < EVEN_AT_ENDS or broken[-1] >= len(steps) - EVEN_AT_ENDS
    is_midnight = ":" in cells[at] and abs(steps[at] + DAY - usual) <= EVENNESS * abs(usual)
    is_same = known[at + 1] == known[at]  # which is said of the whole row
    has_pause = len(broken) == 1 and is_pause(steps, at)
    return "" if is_end or is_midnight or is_same or has_pause else f"{cells[at + 1]} follows {cells[at]}"


def is_pause(steps: Sequence[float], at: int) -> bool:
    """A longer step that is not several of the others: whoever measures paused, or went over to another range."""
    times = steps[at] * (len(steps) - 1) / (sum(steps) - steps[at] or 1)
    return times > 1 and abs(times - round(times)) > PAUSE


def read_place(cell: str) -> float | None:
    """A number, or the seconds of a time of day."""
    if ":" in cell and (clock := CLOCK.fullmatch(cell)):
        hours, minutes, seconds = (int(part or 0) for part in clock.groups())
        return 3600.0 * hours + 60 * minutes + seconds
    return float(cell.replace(",", ".")) if NUMBER.fullmatch(cell) else None


def find_lost_letter(letters: Sequence[str]) -> str:
    codes = [ord(letter) for letter in letters]
    steps = [(before, after) for before, after in pairwise(codes) if after not in (before + 1, codes[0])]
    if len(letters) < LEAST_LETTERS or len(steps) != 1:
        return ""
    before, after = steps[0]
    return f"Row {after:c} follows row {before:c}" if after > before else ""
