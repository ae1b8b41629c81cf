"""Rows of plates that stand where none should, or are missing where their siblings have them."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain, islice, takewhile

from processing.doubts.plate_blocks import (
    COLUMNS,
    LETTERS,
    NUMBER,
    WHOLE,
    Block,
    is_empty,
    list_plates,
    place_of,
    split_row,
    take_from,
)

LEAST_PLATES = 2  # whose names of columns stand alone in their lines, beside one where they do not
MOST_LOST = 6  # rows, at one end of a plate
LEAST_LINES = 6  # of a plate, among which a few shorter ones are odd
MOST_UNEVEN = 8  # lines, one below the other
ENDS = ("\t", ",", ";", "\t\r", ",\r", ";\r")
LETTER_CELL = re.compile(r'"?([A-P]|A[A-F])"?[\t,;]')
LEAST_RUN, MOST_LABELS = 2, 60  # rows of a plate with names; lines of each
LEAST_ORPHANS = 3  # rows
LEAST_CELLS = 6  # of a row, that are numbers


def list_plate_row_doubts(rows: Sequence[str], delimiter: str) -> Iterator[str]:
    """One sentence, about the first plate that is odd."""
    blocks = list_plates(rows)
    said = (
        find_lost_edges(blocks),
        find_bare_first(rows, blocks),
        find_joined_heads(rows, blocks),
        find_crowded_names(rows),
        find_uneven_lines(rows, delimiter, blocks),
        find_orphans(rows, delimiter, blocks),
        find_odd_labels(rows, delimiter),
    )
    yield from islice(chain.from_iterable(said), 1)


def find_lost_edges(blocks: Sequence[Block]) -> Iterator[str]:
    """A plate whose rows begin behind A and go on to the last; or that lacks the last, where another one has it."""
    complete = {block.columns for block in blocks if block.is_complete}
    for block in blocks:
        letters, whole = list(block.letters), WHOLE[block.columns]
        lost = len(whole) - len(letters)
        lacks_last = block.columns in complete and letters == whole[:-1]
        if lacks_last or (0 < lost <= MOST_LOST and letters == whole[lost:]):
            ends = f"{letters[0]} to {letters[-1]}"
            yield f"The plate in line {block.line + 1:,} has rows {ends} only: rows may be missing."


def find_bare_first(rows: Sequence[str], blocks: Sequence[Block]) -> Iterator[str]:
    """The first row of a plate has no letter, and the others go on with B."""
    for block in blocks:
        if block.letters:
            continue
        body = list(take_lines(rows, block))
        letters = [found[1] for line in body if (found := LETTERS.match(line))]
        if letters[:2] == ["B", "C"] and LETTERS.match(body[0]) is None:
            yield f"The plate in line {block.line + 1:,} has no row A: rows may be missing."


def take_lines(rows: Sequence[str], block: Block) -> Iterator[str]:
    """The lines below the numbers of its columns, up to an empty one."""
    yield from takewhile(lambda row: not is_empty([row]), take_from(rows, block.line + 1))


def find_joined_heads(rows: Sequence[str], blocks: Sequence[Block]) -> Iterator[str]:
    """A name before the numbers of columns, which stand alone in all other plates."""
    before = [
        rows[block.line][: found.start()].strip() for block in blocks if (found := COLUMNS.search(rows[block.line]))
    ]
    named = [number for number, text in enumerate(before) if text]
    if len(named) == 1 and len(before) > LEAST_PLATES and not before[named[0]].startswith("<"):
        line = blocks[named[0]].line + 1
        yield f"Line {line:,} has a name before the numbers of columns: two lines may have become one."


def find_crowded_names(rows: Sequence[str]) -> Iterator[str]:
    """The name of one plate, large or small, stands right below other lines, and those of all others below none.

    The first may stand below what is said of the whole file.
    """
    heads = [number for number, row in enumerate(rows) if number > 1 and COLUMNS.match(row.lstrip())]
    named = [number - 1 for number in heads if not is_empty(rows[number - 1 : number])]
    crowded = [line for line in named if not is_empty(rows[line - 1 : line])]
    if len(crowded) == 1 < len(named) == len(heads) and crowded != named[:1]:
        name = rows[crowded[0]].strip()[:40]
        yield f"There is no empty line above “{name}” in line {crowded[0] + 1:,}, as above others: it may be missing."


def find_uneven_lines(rows: Sequence[str], delimiter: str, blocks: Sequence[Block]) -> Iterator[str]:
    """A few lines of a plate, one below the other, with other cells than all others."""
    for block in blocks:
        lines = list(take_lines(rows, block))
        widths = [len(split_row(line, delimiter)) for line in lines]
        usual = Counter(widths).most_common(1)[0][0] if widths else 0
        odd = [place for place, width in enumerate(widths) if width != usual]
        is_few = len(widths) >= LEAST_LINES and 0 < len(odd) <= min(MOST_UNEVEN, len(widths) // 3)
        is_run = bool(odd) and odd[-1] - odd[0] == len(odd) - 1 and odd[-1] < len(widths) - 1
        ends = {line.endswith(ENDS) for line, width in zip(lines, widths, strict=True) if width == usual}
        is_alike = {lines[place].endswith(ENDS) for place in odd} <= ends
        if is_few and is_run and usual > block.columns and is_alike:
            yield (
                f"Line {block.line + 2 + odd[0]:,} of a plate has {widths[odd[0]]:,} cells, and most others have"
                f" {usual:,}: the file may be damaged."
            )


def find_odd_labels(rows: Sequence[str], delimiter: str) -> Iterator[str]:
    """Of plates with several lines a row, each with a name at its end: a row with other names than all others."""
    lettered = [number for number, row in enumerate(rows) if LETTER_CELL.match(row)]
    groups = [(number, list(take_labels(rows, number, delimiter))) for number in lettered]
    for run in split_plates(groups):
        labels = Counter(tuple(names) for _, names in run)
        usual, count = labels.most_common(1)[0]
        odd = [(line, names) for line, names in run if tuple(names) != usual]
        is_few = len(odd) == 1 and (count > 1 or len(run) == LEAST_RUN) and len(usual) > 1
        if is_few and len(odd[0][1]) == len(usual) and all(usual):
            place = next(at for at, (name, other) in enumerate(zip(odd[0][1], usual, strict=True)) if name != other)
            name = odd[0][1][place][:40]
            line = odd[0][0] + 1 + place
            yield f"“{name}” in line {line:,} is the name of no other row of its plate: it may be damaged."
        elif len(odd) == 2 and len(run) > 2 * LEAST_RUN and changed_places([len(names) for _, names in odd], usual):
            yield f"Lines of the plate near line {odd[1][0] + 1:,} belong to another row: they may have changed places."


def changed_places(counts: Sequence[int], usual: Sequence[str]) -> bool:
    """Whether of two rows the one has as many lines more as the other has fewer."""
    return counts[0] != counts[1] and sum(counts) == 2 * len(usual) and all(usual)


def take_labels(rows: Sequence[str], number: int, delimiter: str) -> Iterator[str]:
    """The last cells of a row and of those below it without a letter."""
    below = takewhile(lambda row: row.startswith(delimiter) and not is_empty([row]), take_from(rows, number + 1))
    for row in (rows[number], *islice(below, MOST_LABELS)):
        last = split_row(row, delimiter)[-1]
        yield "" if NUMBER.fullmatch(last) and "," not in last else last


def split_plates(groups: Sequence[tuple[int, list[str]]]) -> Iterator[list[tuple[int, list[str]]]]:
    """Rows right below each other."""
    run: list[tuple[int, list[str]]] = []
    for line, names in groups:
        if run and run[-1][0] + len(run[-1][1]) != line:
            yield from [run] if len(run) >= LEAST_RUN else []
            run = []
        run.append((line, names))
    yield from [run] if len(run) >= LEAST_RUN else []


def find_orphans(rows: Sequence[str], delimiter: str, blocks: Sequence[Block]) -> Iterator[str]:
    """Rows of a plate from B, C or later on that belong to none, in a text with plates or below numbers of columns."""
    held = {block.line + 1 + place for block in blocks for place, _ in enumerate(take_lines(rows, block))}
    for number, row in enumerate(rows[:-LEAST_ORPHANS]):
        found = LETTERS.match(row)
        if number in held or found is None or found[1] == "A":
            continue
        above = LETTERS.match(rows[number - 1]) if number else None
        names = [LETTERS.match(line) for line in rows[number : number + LEAST_ORPHANS]]
        is_run = all(name and place_of(name[1]) == place_of(found[1]) + step for step, name in enumerate(names))
        cells = split_row(row, delimiter)[1:]
        numbers = sum(NUMBER.fullmatch(cell) is not None for cell in cells)
        is_plate = bool(blocks) or any(COLUMNS.search(line) for line in rows[max(0, number - 1) : number])
        if is_run and above is None and numbers >= LEAST_CELLS and is_plate:
            yield f"Row {found[1]} of a plate in line {number + 1:,} has no row above it: rows may be missing."
