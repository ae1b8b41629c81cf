"""What makes numbers doubtful, whoever read them: bytes that were overwritten become floats beyond all measuring."""

import json
from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import chain, pairwise
from typing import Any

from processing.dataset_making.values import Role
from processing.doubts.sequences import is_pause
from processing.facts import shorten_text
from processing.readings import Artefact, Kind

FIRST_YEAR = 1900
LARGEST, SMALLEST = 1e30, 1e-30  # of magnitudes; nothing that an instrument counts or weighs lies beyond
MAX_TITLE_CHARACTERS = 80
LEAST_STEPS, MOST_STEPS = 20, 4000  # beyond it a curve may be thinned
SPIKE, MOST_SPIKES = 1e6, 3
LEAST_HOLE, LEAST_AROUND, FAR = 4, 4, 0.25  # zeros; points for each of them; of the median, beside them
LEAST_EXACT = 16  # zeros among numbers with decimals
MOST_WHOLE = 1  # of these numbers: 1, the greatest of a spectrum that was brought between 0 and 1
LEAST_STRETCH, MOST_BESIDE = 16, 2  # zeros that follow each other, where hardly two do anywhere else
LEAST_NOISE, LONGER = 100, 16  # places in which a trace is zero, and how much longer a hole is than these
LONGER_OF_NOISE = 6  # where much of it lies below zero
LEAST_END = 30  # zeros behind all other points
MOST_BROKEN = 4  # steps, where two lines changed places
WINDOW, LEAST_UNLIKE = 16, 12  # numbers that are compared at once, and how many of them differ from each other
LONGEST_PIECE, MOST_NUMBERS, AT_JOINT = 2000, 20_000, 4  # numbers; of these some are broken where two copies meet
EVENNESS = 0.05  # of a step: numbers are rounded


def list_doubts(artefacts: Sequence[Artefact]) -> Iterator[str]:
    """A sentence for each kind, of curves of one title once; thinning keeps what stands out of a curve."""
    curves = (artefact for artefact in artefacts if artefact.kind is Kind.CURVE)
    yield from dict.fromkeys(chain.from_iterable(map(list_curve_doubts, curves)))


def list_curve_doubts(artefact: Artefact) -> Iterator[str]:
    title = shorten_text(artefact.title or artefact.name, MAX_TITLE_CHARACTERS)
    series = list_series(artefact.data)
    if count := sum(is_impossible(number) for _, ys in series for number in ys):
        yield f"{count:,} points of “{title}” are no measured numbers (beyond 1e±30): the file may be damaged."
    elif any(has_spike(ys) for _, ys in series):
        yield f"A few points of “{title}” are a million times as high as all others: the file may be damaged."
    if any(has_hole(ys) for _, ys in series):
        yield f"Points of “{title}” that follow each other are zero, and no others are: the file may be damaged."
    elif any(has_blank_stretch(ys) for ys in list_whole(artefact)):
        yield f"“{title}” is zero for longer in one place than in all others: the file may be damaged."
    whole = list_whole(artefact) if len(series) == 1 else ()  # two traces may be the same
    if any(map(has_piece_twice, whole)):
        yield f"A piece of “{title}” is repeated number by number: it may stand in the file twice."
    if any(breaks_its_step(xs) for xs, _ in series):
        yield f"The even steps of “{title}” are broken in one place: points may be missing, or damaged."


def list_time_doubts(acquired_at: datetime | None) -> Iterator[str]:
    """Of a moment before there were such files. What lies ahead is a matter of clocks."""
    if acquired_at is not None and acquired_at.year < FIRST_YEAR:
        yield f"It says that it was measured in {acquired_at.year}: the file may be damaged."


def list_series(document: bytes) -> list[tuple[Sequence[float], Sequence[float | None]]]:
    """Abscissae and ordinates of a curve. What is no curve is judged elsewhere."""
    try:
        return [(one["x"], one["y"]) for one in json.loads(document)["series"]]
    except (ValueError, KeyError, TypeError):
        return []


def list_whole(artefact: Artefact) -> Iterator[Any]:
    """The ordinates of a curve before it was thinned, as masked arrays, one trace behind the other."""
    for dataset in artefact.datasets:
        yield from (column.values for column in dataset.columns if column.role is Role.VALUE and len(column.values))


def breaks_its_step(xs: Sequence[float]) -> bool:
    """Whether all steps but one or two in sequence are the same; the last one may be cut short."""
    if len(xs) < LEAST_STEPS or len(xs) > MOST_STEPS:
        return False
    try:
        steps = [after - before for before, after in pairwise(xs)][:-1]
    except TypeError:
        return False
    usual = sorted(steps)[len(steps) // 2]
    broken = [number for number, step in enumerate(steps) if abs(step - usual) > EVENNESS * abs(usual)]
    is_gap = 0 < len(broken) <= 2 and broken[-1] - broken[0] < 2
    if len(broken) == 1 and is_pause(steps, broken[0]):
        return False
    is_swap = 2 < len(broken) <= MOST_BROKEN and abs(sum(steps) / usual - len(steps)) < EVENNESS if usual else False
    return usual != 0 and (is_gap or is_swap)


def has_spike(ys: Sequence[float | None]) -> bool:
    """Whether one to three points tower above the rest, as floats do whose exponents were hit."""
    sizes = sorted(abs(y) for y in ys if y)
    if len(sizes) < LEAST_STEPS:
        return False
    return sizes[-1] > SPIKE * sizes[-1 - MOST_SPIKES]


def has_hole(ys: Sequence[float | None]) -> bool:
    """Whether zeros stand in one place only, beside points that are far from it; at its end they are many.

    The first and the last point alone may be zero: the least of a spectrum that was brought between 0 and 1.
    """
    zeros = [place for place, y in enumerate(ys) if y == 0]
    zeros = zeros[1:] if zeros[:1] == [0] and zeros[1:2] != [1] else zeros
    zeros = zeros[:-1] if zeros[-1:] == [len(ys) - 1] and zeros[-2:-1] != [len(ys) - 2] else zeros
    together = len(zeros) >= LEAST_HOLE and zeros[-1] - zeros[0] == len(zeros) - 1
    is_end = together and zeros[-1] == len(ys) - 1 and len(zeros) >= LEAST_END
    if not together or zeros[0] == 0 or (not is_end and (zeros[-1] == len(ys) - 1 or is_wide(zeros, ys))):
        return False
    sizes = sorted(abs(y) for y in ys if y)
    if len(zeros) >= LEAST_EXACT and sum(y == int(y) for y in ys if y) <= MOST_WHOLE:
        return True  # what is measured with decimals is hardly ever nothing at all, and several times in sequence never
    beside = [abs(ys[place] or 0) for place in (zeros[0] - 1, zeros[-1] + 1) if place < len(ys)]
    return min(beside) > FAR * sizes[len(sizes) // 2]


def has_blank_stretch(ys: Any) -> bool:
    """Whether there are far more zeros in one place than in any other: two at most, or those of a noise around zero."""
    if not hasattr(ys, "filled"):
        return False
    zeros = (ys == 0).filled(False).nonzero()[0]
    if len(zeros) < LEAST_STRETCH:
        return False
    breaks = (zeros[1:] - zeros[:-1] > 1).nonzero()[0]
    starts, ends = [zeros[0], *zeros[breaks + 1]], [*zeros[breaks], zeros[-1]]
    lengths = sorted((end - start + 1, start, end) for start, end in zip(starts, ends, strict=True))
    length, start, end = lengths[-1]
    if length < LEAST_STRETCH or start == 0 or end == len(ys) - 1:
        return False
    others = lengths[-2][0] if len(lengths) > 1 else 0
    falls_below = (ys < 0).filled(False).sum() >= FAR * (ys != 0).filled(False).sum()  # so it is not cut off at zero
    if len(lengths) > LEAST_NOISE and length >= (LONGER_OF_NOISE if falls_below else LONGER) * others:
        return True  # what crosses zero by itself so often stays there for a few points
    sizes = sorted(abs(ys[ys != 0].compressed()))
    is_far = min(abs(ys[start - 1]), abs(ys[end + 1])) > FAR * sizes[len(sizes) // 2]
    return bool(others <= MOST_BESIDE and is_far)


def has_piece_twice(ys: Any) -> bool:
    """Whether some tens of numbers follow once more right behind themselves, in one place: noise never does."""
    if not hasattr(ys, "compressed") or len(ys) > MOST_NUMBERS:
        return False
    numbers = ys.compressed()
    places: dict[bytes, int] = {}
    found: list[int] = []  # how far each window lies behind its like
    for place in range(len(numbers) - WINDOW + 1):
        window = numbers[place : place + WINDOW]
        before = places.setdefault(window.tobytes(), place)
        if before != place and len(set(window.tolist())) >= LEAST_UNLIKE:
            found.append(place - before)
        if len(found) > LONGEST_PIECE:
            return False
    size = found[0] if found else 0
    is_adjacent = size >= WINDOW and size - WINDOW - AT_JOINT < len(found) <= size
    return is_adjacent and set(found) == {size}


def is_wide(zeros: Sequence[int], ys: Sequence[float | None]) -> bool:
    return len(ys) < LEAST_AROUND * len(zeros)


def is_impossible(number: float | None) -> bool:
    return bool(number) and not SMALLEST <= abs(number or 0) <= LARGEST
