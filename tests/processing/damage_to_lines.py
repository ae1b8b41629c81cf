"""Damage to texts: lines and cells, as editors, spreadsheets and broken exports leave them. Others stay as they are."""

import random
import re
from collections.abc import Callable

LEAST_LINES = 8
NUMBER = re.compile(rb"(?<=[\t,;])[+-]?\d+(?:\.\d+)?(?=[\t,;\r\n])")
COUNT = re.compile(
    rb"(?i)((?:N?POINTS|count|number of \w+|rows|samples|wells|BLOCKS|points)\b[\"'>=:,;\t ]{1,4})([1-9]\d{0,5})\b"
)
DELIMITER = re.compile(rb"[\t;,]")
FEW = (3, 6)  # lines
Lines = list[bytes]


def on_lines(change: Callable[[Lines, random.Random], Lines]) -> Callable[[bytes, random.Random], bytes]:
    """A damage of a file's bytes from one of its lines, which keep their ends."""

    def damage(data: bytes, chance: random.Random) -> bytes:
        if b"\0" in data or data.count(b"\n") < LEAST_LINES:
            return data
        return b"".join(change(data.splitlines(keepends=True), chance))

    return damage


def cut_at_line_end(lines: Lines, chance: random.Random) -> Lines:
    """The program stopped while it wrote; all that is there is whole."""
    return lines[: chance.randrange(len(lines) // 3, len(lines) - 1)]


def lose_line(lines: Lines, chance: random.Random) -> Lines:
    at = choose_line(lines, chance)
    return lines[:at] + lines[at + 1 :]


def lose_lines(lines: Lines, chance: random.Random) -> Lines:
    at = choose_line(lines, chance)
    return lines[:at] + lines[at + chance.randint(*FEW) :]


def double_line(lines: Lines, chance: random.Random) -> Lines:
    at = choose_line(lines, chance)
    return lines[: at + 1] + lines[at:]


def swap_lines(lines: Lines, chance: random.Random) -> Lines:
    """Two of them, far apart."""
    changed = list(lines)
    one, other = choose_line(lines, chance), choose_line(lines, chance)
    changed[one], changed[other] = lines[other], lines[one]
    return changed


def join_lines(lines: Lines, chance: random.Random) -> Lines:
    at = choose_line(lines, chance)
    return [*lines[:at], lines[at].rstrip(b"\r\n"), *lines[at + 1 :]]


def cut_line(lines: Lines, chance: random.Random) -> Lines:
    at = choose_line(lines, chance)
    line = lines[at].rstrip(b"\r\n")
    return [*lines[:at], line[: len(line) // 2] + lines[at][len(line) :], *lines[at + 1 :]]


def lose_cells(lines: Lines, chance: random.Random) -> Lines:
    """The same column in a few rows."""
    at = choose_line(lines, chance)
    return [lose_second_cell(line) if at <= n < at + FEW[0] else line for n, line in enumerate(lines)]


def lose_second_cell(line: bytes) -> bytes:
    delimiter = DELIMITER.search(line)
    if delimiter is None:
        return line
    cells = line.split(delimiter[0])
    return delimiter[0].join([cells[0], *cells[2:]]) if len(cells) > 2 else line


def exchange_parts(lines: Lines, chance: random.Random) -> Lines:
    """A few lines and others further down."""
    size = chance.randint(*FEW)
    one = chance.randrange(1, max(2, len(lines) // 2 - size))
    other = chance.randrange(len(lines) // 2, max(len(lines) // 2 + 1, len(lines) - size))
    here, there = lines[one : one + size], lines[other : other + size]
    if one + size > other:
        return lines
    return [*lines[:one], *there, *lines[one + size : other], *here, *lines[other + size :]]


def mix_line_ends(lines: Lines, chance: random.Random) -> Lines:
    """Half of them as another system writes them, which is no damage where everything is read as it was."""
    ends = [b"\n", b"\r\n", b"\r"]
    return [line.rstrip(b"\r\n") + chance.choice(ends) if line.endswith(b"\n") else line for line in lines]


def write_word(lines: Lines, chance: random.Random) -> Lines:
    """In place of a number among others."""
    places = [n for n, line in enumerate(lines) if len(NUMBER.findall(line)) > 1 and b"(" not in line]
    if not places:
        return lines
    at = chance.choice(places)
    numbers = list(NUMBER.finditer(lines[at]))
    found = numbers[-1 - chance.randrange(len(numbers) // 2)]
    return [*lines[:at], lines[at][: found.start()] + b"error" + lines[at][found.end() :], *lines[at + 1 :]]


def miscount(lines: Lines, _: random.Random) -> Lines:
    """What is announced is more than there is."""
    at = next((n for n, line in enumerate(lines) if COUNT.search(line)), None)
    if at is None:
        return lines
    more = COUNT.sub(lambda found: found[1] + str(int(found[2]) + 3).encode(), lines[at], count=1)
    return [*lines[:at], more, *lines[at + 1 :]]


def choose_line(lines: Lines, chance: random.Random) -> int:
    """In the middle, one that says something."""
    said = [n for n in range(1, len(lines) - 1) if len(lines[n].strip(b' \t,;"\r\n')) > 1]
    return chance.choice(said or [1])


LINE_DAMAGES = {
    name: on_lines(change)
    for name, change in {
        "cut at a line's end": cut_at_line_end,
        "a line lost": lose_line,
        "lines lost": lose_lines,
        "a line doubled": double_line,
        "two lines swapped": swap_lines,
        "parts exchanged": exchange_parts,
        "line ends mixed": mix_line_ends,
        "two lines joined": join_lines,
        "a line cut": cut_line,
        "cells lost": lose_cells,
        "a word for a number": write_word,
        "miscounted": miscount,
    }.items()
}
