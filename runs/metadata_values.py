"""Values of metadata in their order: which lexemes of `run_values` a run has that meets a comparison.

They find every run that meets it, and some that do not: numbers are kept with about seven digits, texts with ten
characters. So the comparison itself, of runs.metadata_filters, is asked of what is found.
"""

import struct
from collections.abc import Iterator, Sequence
from decimal import Decimal

from django.contrib.postgres.search import SearchVectorField
from django.db.models import BooleanField, F, Func, Q, TextField, Value

from runs.metadata_filters import NUMBER, Comparison, Operator

LARGEST, SMALLEST = Decimal("3.4e38"), Decimal("1e-36")  # numbers beyond them are kept as the largest, and as zero
SIGN_BIT = 1 << 31
TEXT_BYTES = 10
HEX_DIGITS = "0123456789abcdef"
FIRST, LAST = 0, SIGN_BIT - 1  # of the places of numbers of one sign
RANGES = frozenset({Operator.GREATER, Operator.AT_LEAST, Operator.LESS, Operator.AT_MOST})
LOWER_BOUNDS = frozenset({Operator.GREATER, Operator.AT_LEAST})


class MetadataValues(Func):
    """A lexeme for each value of a run's metadata."""

    function = "public.run_values"

    def __init__(self, metadata: str = "metadata") -> None:
        super().__init__(F(metadata), output_field=SearchVectorField())


class HasLexemes(Func):
    """From a query of its own, so that the planner expects few: what it guesses from many prefixes is nearly all."""

    template, arg_joiner = "(%(expressions)s::tsquery))", " @@ (SELECT "
    output_field = BooleanField()

    def __init__(self, asked: str) -> None:
        super().__init__(MetadataValues(), Value(asked, TextField()))


def may_meet(key: str, comparisons: Sequence[Comparison]) -> Q | None:
    """By the index: the runs that can meet these comparisons of one key. None where no index leads to them."""
    ranges = [asked for asked in comparisons if asked.operator in RANGES]
    if ranges:
        lexemes = [f"'{key}={lexeme}" for lexeme in (*_list_numbers(ranges), *_list_texts(ranges))]
        if len(ranges) > 1:
            lexemes.append(f"'{key}=a'")  # one member of an array may meet the one, and another the other
    elif any(asked.operator is not Operator.EXISTS or asked.value == "true" for asked in comparisons):
        lexemes = [f"'{key}=':*"]
    else:
        return None
    return Q(HasLexemes(" | ".join((*lexemes, "'*'")))) & ~Q(metadata={})


def _list_numbers(ranges: Sequence[Comparison]) -> Iterator[str]:
    """Nothing where one of them asks for a text."""
    least, most = -LAST, LAST
    for asked in ranges:
        if not NUMBER.fullmatch(asked.value):
            return
        place = _place_number(Decimal(asked.value))
        if asked.operator in LOWER_BOUNDS:
            least = max(least, place - 1)  # it may be rounded another way than the database rounds
        else:
            most = min(most, place + 1)
    if least <= most and most >= 0:
        yield from _cover("n", f"{max(least, 0):08x}", f"{most:08x}")
    if least <= most and least <= 0:
        yield from _cover("n", f"{SIGN_BIT - min(most, 0):08x}", f"{SIGN_BIT - least:08x}")


def _list_texts(ranges: Sequence[Comparison]) -> Iterator[str]:
    least, most = "", HEX_DIGITS[-1]
    for asked in ranges:
        place = asked.value[:TEXT_BYTES].encode()[:TEXT_BYTES].hex()
        if asked.operator in LOWER_BOUNDS:
            least = max(least, place)
        else:
            most = min(most, place)
    if least <= most or least.startswith(most):
        yield from _cover("t", least, most)


def _place_number(number: Decimal) -> int:
    """Where it stands among the numbers of float4, zero being at 0."""
    size = min(abs(number), LARGEST)
    bits: int = struct.unpack(">I", struct.pack(">f", float(size)))[0] if size >= SMALLEST else 0
    return -bits if number < 0 else bits


def _cover(kind: str, least: str, most: str) -> Iterator[str]:
    """Lexemes of hex digits from `least` to `most`, and all that begin with `most`: each, or what they begin with."""
    shared = 0
    while shared < min(len(least), len(most)) and least[shared] == most[shared]:
        shared += 1
    if shared == len(most):
        yield f"{kind}{most}':*"
        return
    first = least[shared : shared + 1]
    for digit in HEX_DIGITS[HEX_DIGITS.index(first) + 1 if first else 0 : HEX_DIGITS.index(most[shared])]:
        yield f"{kind}{most[:shared]}{digit}':*"
    for length in range(shared + 1, len(least)):
        for digit in HEX_DIGITS[HEX_DIGITS.index(least[length]) + 1 :]:
            yield f"{kind}{least[:length]}{digit}':*"
    if first:
        yield f"{kind}{least}':*"
    elif len(most) > shared:
        yield f"{kind}{most[:shared]}'"
    for length in range(shared + 1, len(most)):
        if length % 2 == 0:  # whole bytes
            yield f"{kind}{most[:length]}'"
        for digit in HEX_DIGITS[: HEX_DIGITS.index(most[length])]:
            yield f"{kind}{most[:length]}{digit}':*"
    yield f"{kind}{most}':*"
