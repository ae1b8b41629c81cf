"""Averages that a list states, and that are not those of its rows: rows are missing, or stand there twice."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import combinations, groupby, islice, pairwise

from processing.doubts.lettered_rows import has_letter
from processing.doubts.sequences import hide_quoted

AVERAGE = re.compile(r"\b(mean|average|avg)\b", re.IGNORECASE)
ROW_OF_AVERAGES = re.compile(r"(mean|average|avg)\W*", re.IGNORECASE)
UNIT = re.compile(r"\s*[(\[].*?[)\]]")
NUMBER = re.compile(r"[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")
MOST_ROWS, MOST_CELLS = 20_000, 60  # that are looked at
LEAST_DIGITS = 3  # of an average that is compared
MOST_ODD = 2  # groups
LEAST_ALONE = 4  # rows of a group, where it is the only one
FEW, MOST_OMITTED = 12, 1  # rows of a group, of which people may have left out one
ROUNDED, NEAR = 1e-5, 0.1  # of an average; of one whose rows are not all there
WEIGHTED = 0.01  # of an average with none beside it: it may be one of counts
EMPTY = ' "\r'
Table = list[tuple[int, list[str]]]  # lines, from 0, with their cells


def list_stated_doubts(rows: Sequence[str], widths: Sequence[int], delimiter: str) -> Iterator[str]:
    """One sentence, about the first average that does not fit."""
    lines = rows[:MOST_ROWS]
    if not any(AVERAGE.search(line) for line in lines if has_letter(line)):
        return
    for _, run in groupby(range(len(lines)), key=lambda number: widths[number]):
        numbers = list(run)
        said = [number for number in numbers if has_letter(lines[number]) and AVERAGE.search(lines[number])]
        if not said or len(numbers) <= 2:
            continue
        table = [(number, split_cells(lines[number], delimiter)) for number in numbers]
        found = [*find_odd_means(table), *find_odd_row_of_averages(table)]
        if found:
            yield (
                f"The average in line {found[0] + 1:,} is not that of its rows: some may be missing, or damaged,"
                " or stand there twice."
            )
            return


def split_cells(row: str, delimiter: str) -> list[str]:
    cells = hide_quoted(row, delimiter).split(delimiter, MOST_CELLS)[:MOST_CELLS]
    return [cell.strip(EMPTY) for cell in cells]


def find_odd_means(table: Table) -> Iterator[int]:
    """Of columns “Cq” and “Cq Mean”: the first row of a group whose average is another, where hardly any is."""
    for place, (_, names) in enumerate(table[:-1]):
        if not any(map(AVERAGE.search, names)) or any(map(NUMBER.fullmatch, names)):
            continue
        bare = [UNIT.sub("", name).strip().lower() for name in names]
        for at, name in enumerate(bare):
            rest = " ".join(AVERAGE.sub("", name).split())
            if rest != name and rest and bare.count(rest) == 1 and bare.count(name) == 1:
                yield from islice(find_odd_groups(table[place + 1 :], bare.index(rest), at), 1)
        return


def find_odd_groups(rows: Table, value: int, mean: int) -> Iterator[int]:
    groups = defaultdict[str, list[tuple[int, str]]](list)
    for line, cells in rows:
        if NUMBER.fullmatch(cells[value]) and NUMBER.fullmatch(cells[mean]):
            groups[cells[mean]].append((line, cells[value]))
    judged = {stated: held for stated, held in groups.items() if count_digits(stated) >= LEAST_DIGITS}
    odd = [
        held[0][0]
        for stated, held in judged.items()
        if not is_average(stated, [cell for _, cell in held], is_only=len(judged) == 1)
    ]
    is_one_group = len(judged) == 1 and all(len(held) >= LEAST_ALONE for held in judged.values())
    if len(odd) <= MOST_ODD and (2 * len(odd) < len(judged) or is_one_group):
        yield from odd


def find_odd_row_of_averages(table: Table) -> Iterator[int]:
    """A row “Average” none of whose numbers is that of the rows below it, up to the next, while some are near."""
    starts = [place for place, (_, cells) in enumerate(table) if any(map(ROW_OF_AVERAGES.fullmatch, cells))]
    for start, end in pairwise([*starts, len(table)]):
        line, stated = table[start]
        rows = [cells for _, cells in table[start + 1 : end]]
        columns = [
            (cell, [cells[at] for cells in rows if NUMBER.fullmatch(cells[at])])
            for at, cell in enumerate(stated)
            if NUMBER.fullmatch(cell) and count_digits(cell) >= LEAST_DIGITS
        ]
        whole = [(cell, held) for cell, held in columns if len(held) >= LEAST_ALONE and len(held) == len(rows)]
        are_near = any(is_near(cell, held) for cell, held in whole)
        if are_near and not any(is_average(cell, held, is_only=False) for cell, held in whole):
            yield line


def is_average(stated: str, cells: Sequence[str], *, is_only: bool) -> bool:
    """Of all of them, or of those that people did not leave out; numbers are rounded."""
    numbers = [float(cell) for cell in cells]
    most = MOST_OMITTED if len(numbers) <= FEW and not is_only else 0
    exact = (WEIGHTED if is_only else ROUNDED) * abs(float(stated))
    near = max(exact, 10.0 ** -count_decimals(stated) + 10.0 ** -max(map(count_decimals, cells)) / 2)
    return any(
        abs(sum(kept) / len(kept) - float(stated)) <= near
        for omitted in range(min(most, len(numbers) - 1) + 1)
        for kept in combinations(numbers, len(numbers) - omitted)
    )


def is_near(stated: str, cells: Sequence[str]) -> bool:
    return abs(sum(map(float, cells)) / len(cells) - float(stated)) <= NEAR * abs(float(stated))


def count_digits(number: str) -> int:
    return sum(character.isdigit() for character in number.lstrip("+-0."))


def count_decimals(number: str) -> int:
    """Of one with an exponent fewer, at least as many as it shows."""
    return len(re.split("[eE]", number)[0].partition(".")[2])
