"""Means that a group of SoftMax Pro states of its samples, and that are not those of their rows."""

import re
from collections.abc import Iterator, Sequence

from processing.processors.asm.softmax_plates import GROUP

MEAN = re.compile(r"(?:Mean|Avg|Average) ?(\w+)")
NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
LEAST_FITTING, MOST_ODD = 3, 2  # samples of a group
ROUNDED = 1e-5  # of a mean
Rows = list[list[str]]


def list_odd_means(text: str) -> Iterator[str]:
    """One sentence, about the first sample whose mean is another, where those of nearly all others fit."""
    for group in GROUP.finditer(text.replace("\r\n", "\n")):
        table = list_rows(group[1])
        for value, mean in list_pairs(table[0]) if table else ():
            judged = [(cells[0][0], fits(cells, value, mean)) for cells in split_samples(table[1:], mean)]
            odd = [name for name, is_fitting in judged if is_fitting is False]
            if 0 < len(odd) <= MOST_ODD and sum(bool(is_fitting) for _, is_fitting in judged) >= LEAST_FITTING:
                stated = f"“{table[0][mean]}” of “{odd[0][:40]}”"
                yield f"{stated} is not the mean of its rows: some may be missing, or damaged, or stand there twice."
                return


def list_rows(body: str) -> Rows:
    """The names and what stands below them, as wide, up to an empty line."""
    lines = body.split("\n")
    width = lines[0].count("\t")
    end = next((number for number, line in enumerate(lines) if line.count("\t") != width), len(lines))
    return [[cell.strip() for cell in line.split("\t")] for line in lines[:end]] if width else []


def list_pairs(names: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Columns of values, and of their means."""
    for place, name in enumerate(names):
        found = MEAN.fullmatch(name)
        values = [at for at, other in enumerate(names) if found and other in (found[1], f"{found[1]}s")]
        if len(values) == 1:
            yield values[0], place


def split_samples(rows: Rows, mean: int) -> Iterator[Rows]:
    """Rows of one sample each: the first has a name and the mean, the others neither."""
    sample: Rows = []
    for cells in rows:
        if cells[0] or cells[mean]:
            yield from [sample] if sample else []
            sample = []
        sample.append(cells)
    yield from [sample] if sample else []


def fits(sample: Rows, value: int, mean: int) -> bool | None:
    """None: it states no mean, or some of its values are no numbers."""
    stated, cells = sample[0][mean], [cells[value] for cells in sample]
    if not all(map(NUMBER.fullmatch, (stated, *cells))):
        return None
    decimals = min(len(cell.partition(".")[2]) for cell in (stated, *cells))
    least = max(ROUNDED * abs(float(stated)), 1.5 * 10.0**-decimals)
    return abs(sum(map(float, cells)) / len(cells) - float(stated)) <= least
