"""What alike parts of a text show of damage: another number of rows, wells that one list lacks, rows twice."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import chain, groupby, islice, takewhile

from processing.doubts.lettered_rows import has_letter
from processing.doubts.lists import WELL, Well, name_well, read_well
from processing.doubts.plate_blocks import find_blocks, take_from
from processing.doubts.sequences import hide_quoted

MOST_ROWS = 20_000  # that are looked at
MOST_CELLS = 8  # of a row among which wells stand
EMPTY = ' \t,;"\r'
LEAST_SIBLINGS, LEAST_ROWS, LARGEST = 2, 3, 400  # tables alike, beside which one is odd; rows of each
LEAST_NAMES = 2  # cells of a heading
LEAST_WELLS, MOST_LOST = 12, 6  # of a list; that one of them lacks
MANY_WELLS = 48  # of one list that has them all; of several fewer are enough
LEAST_NUMBERS, LEAST_DECIMALS = 4, 2  # of a row that nobody writes twice: with three digits, and with decimals
MOST_TWICE, LEAST_UNLIKE = 8, 8  # rows
MOST_FINDS = 12  # rows of most tables of what is found; longer ones are as long as somebody planned
WELL_CELL = re.compile(rf'(?:^|[\t;,"] ?)({WELL.pattern})(?=[\t;,"]|$)')
MEASURED = re.compile(r"[+-]?\d+[.,]\d+(?:[eE][+-]?\d+)?|[+-]?\d{3,}")
DIGIT = re.compile(r"\d")
SECTION = re.compile(r"\[[A-Za-z][\w &/-]*\]")
LEAST_SECTIONS = 3
Rows = Sequence[str]


def list_sibling_doubts(rows: Rows, widths: Sequence[int], delimiter: str) -> Iterator[str]:
    """One sentence, about the first that is odd."""
    lines = [row.rstrip("\r") for row in rows[:MOST_ROWS]]
    said = (
        find_odd_table(lines, delimiter),
        find_lost_wells(lines, delimiter),
        find_rows_twice(lines, widths, delimiter),
        find_lost_section(lines, delimiter),
        find_lost_title(lines, delimiter),
    )
    yield from islice(chain.from_iterable(said), 1)


def find_odd_table(lines: Rows, delimiter: str) -> Iterator[str]:
    """One of several tables below the same names that has another number of rows than all others."""
    places = defaultdict[str, list[int]](list)
    for number, line in enumerate(lines):
        places[line].append(number)
    for heading, starts in places.items():
        if len(starts) <= LEAST_SIBLINGS or not is_heading(heading, delimiter):
            continue
        counts = [count_rows(lines, start + 1, delimiter) for start in starts]
        usual, alike = Counter(counts).most_common(1)[0]
        odd = next((place for place, count in enumerate(counts) if count != usual), 0)
        is_odd = LEAST_ROWS <= usual <= LARGEST and alike == len(counts) - 1
        first = starts[odd] + 1
        firsts = [line.split(delimiter)[0] for line in lines[first : first + counts[odd]]]
        if is_odd and not (are_finds(firsts, usual) if firsts else says_nothing_found(lines, first)):
            yield (
                f"The table in line {starts[odd] + 1:,} has {counts[odd]:,} rows, and all {alike:,} others with these"
                f" names have {usual:,}: rows may be missing, or stand there twice."
            )


def are_finds(firsts: Sequence[str], usual: int) -> bool:
    """Peaks, hits and the like, numbered from 1 on: of these there are as many as were found."""
    numbers = [cell.strip(EMPTY) for cell in firsts]
    return usual <= MOST_FINDS and numbers == [str(number) for number in range(1, len(numbers) + 1)]


def says_nothing_found(lines: Rows, first: int) -> bool:
    """Below names of columns an empty line, or words alone, and further on the rest of the text."""
    below = lines[first : first + 1]
    return bool(below) and DIGIT.search(below[0]) is None and any(map(str.strip, lines[first + 1 :]))


def is_heading(line: str, delimiter: str) -> bool:
    """Names, and hardly a digit."""
    cells = [cell.strip(EMPTY) for cell in line.split(delimiter)]
    names = [cell for cell in cells if cell[:1].isalpha()]
    return len(names) >= LEAST_NAMES and len(names) == sum(map(bool, cells))


def count_rows(lines: Rows, start: int, delimiter: str) -> int:
    """Of as many cells as the names have, and numbers among them."""
    rows = (hide_quoted(line, delimiter) for line in take_from(lines, start - 1))
    width = next(rows).count(delimiter)
    return sum(1 for _ in takewhile(lambda row: row.count(delimiter) == width and DIGIT.search(row), rows))


def find_lost_wells(lines: Rows, delimiter: str) -> Iterator[str]:
    """Wells that follow each other and that one list lacks, where all others of the text have them."""
    lists = [one for one in find_well_lists(lines, delimiter) if len(one[1]) >= LEAST_WELLS]
    lists += [(block.line, block.wells) for block in find_blocks(lines) if block.is_complete] if len(lists) == 1 else []
    most = max((len(wells) for _, wells in lists), default=0)
    whole = [wells for _, wells in lists if len(wells) == most]
    short = [(line, wells) for line, wells in lists if len(wells) < most]
    if len(short) != 1 or not whole or any(set(wells) != set(whole[0]) for wells in whole):
        return
    is_last = short[0][0] == max(line for line, _ in lists)  # results may leave out what was planned
    if is_last or most < (MANY_WELLS if len(whole) == 1 else LEAST_WELLS):
        return
    line, wells = short[0]
    lost = [place for place, well in enumerate(whole[0]) if well not in wells]
    if len(lost) <= MOST_LOST and len(lost) == most - len(wells) and lost[-1] - lost[0] == len(lost) - 1:
        names = ", ".join(name_well(list(whole[0])[place]) for place in lost)
        yield f"The list in line {line + 1:,} lacks {names}, which all others of this file have: rows may be missing."


def find_well_lists(lines: Rows, delimiter: str) -> Iterator[tuple[int, dict[Well, None]]]:
    """Rows that follow each other and have wells in one column: where they begin, and the wells in their order."""
    found = [WELL_CELL.search(line) if has_letter(line) else None for line in lines]
    columns = [line.count(delimiter, 0, cell.start(1)) if cell else -1 for line, cell in zip(lines, found, strict=True)]
    for column, run in groupby(range(len(lines)), key=lambda number: columns[number]):
        numbers = list(run)
        if 0 <= column < MOST_CELLS and len(numbers) >= LEAST_WELLS:
            cells = [cell[1] for number in numbers if (cell := found[number])]
            yield numbers[0], {well: None for cell in cells if (well := read_well(cell)) is not None}


def find_rows_twice(lines: Rows, widths: Sequence[int], delimiter: str) -> Iterator[str]:
    """A few rows of measured numbers that stand in the same table again, where all others are there once."""
    for width, run in groupby(range(len(lines)), key=lambda number: widths[number]):
        numbers = list(run)
        if width < LEAST_NUMBERS or len(numbers) < LEAST_UNLIKE:
            continue
        first: dict[str, int] = {}
        again = [number for number in numbers if first.setdefault(lines[number], number) != number]
        again = [number for number in again if is_measured(lines[number], delimiter)]
        if again and len(again) <= MOST_TWICE and len(first) >= len(again) + LEAST_UNLIKE:
            line = again[0]
            yield f"Line {line + 1:,} is the same as line {first[lines[line]] + 1:,}: a piece may stand there twice."


def is_measured(line: str, delimiter: str) -> bool:
    """What has nothing in front may be what people planned for a row of wells."""
    cells = {text for cell in line.split(delimiter) if MEASURED.fullmatch(text := cell.strip(EMPTY))}
    return (
        not line.startswith(delimiter)
        and len(cells) >= LEAST_NUMBERS
        and sum("." in cell or "," in cell for cell in cells) >= LEAST_DECIMALS
    )


def find_lost_title(lines: Rows, delimiter: str) -> Iterator[str]:
    """The same names of columns below an empty line, where all others stand below a title of their own."""
    places = defaultdict[str, list[int]](list)
    for number, line in enumerate(lines):
        places[line].append(number)
    for heading, starts in places.items():
        if len(starts) < LEAST_SIBLINGS or starts[0] == 0 or not is_heading(heading, delimiter):
            continue
        bare = [start for start in starts if not lines[start - 1].strip(EMPTY)]
        titles = {lines[start - 1] for start in starts if start not in bare}
        is_titled = all(title.count(delimiter) < heading.count(delimiter) for title in titles)
        if len(bare) == 1 and is_titled and len(titles) == len(starts) - 1 >= LEAST_SIBLINGS:
            yield f"The table in line {bare[0] + 1:,} has no title above it, as all others have: a line may be missing."
        joined = [number for number, line in enumerate(lines) if line.endswith(heading) and number not in starts]
        if len(joined) == 1 and is_titled and not lines[joined[0]][: -len(heading)].endswith((delimiter, " ")):
            yield f"Line {joined[0] + 1:,} ends with the names of a table: two lines may have become one."


def find_lost_section(lines: Rows, delimiter: str) -> Iterator[str]:
    """The names of a table below an empty line, where all other tables stand below the name of their section."""
    sections = [number for number, line in enumerate(lines) if SECTION.fullmatch(line.strip(EMPTY))]
    if len(sections) < LEAST_SECTIONS:
        return
    firsts = {lines[number + 1].split(delimiter)[0] for number in sections if number + 1 < len(lines)}
    for number in range(sections[0] + 1, len(lines)):
        line = lines[number]
        is_first = bool(line.strip(EMPTY)) and not lines[number - 1].strip(EMPTY)
        if is_first and line.split(delimiter)[0] in firsts - {""} and is_heading(line, delimiter):
            yield f"The table in line {number + 1:,} has no name above it, as all others have: a line may be missing."
