"""The numbers of JCAMP-DX data lines: plain (AFFN), packed (PAC), squeezed (SQZ), as differences (DIF), repeated (DUP).

An exponent needs a sign: in `1514.1E96L31` the E is the digit +5, so the line says 1514.1, 596 and 31 more.
"""

import re
from dataclasses import dataclass, field
from enum import Enum

from processing.readings import Unreadable


class NumberForm(Enum):
    VALUE = 1
    DIFFERENCE = 2
    REPEAT = 3
    MISSING = 4


LEAST_LINES = 4  # among which one is odd
MAX_REPEATS = 10_000_000
SQUEEZED_DIGITS = {letter: str(digit) for digit, letter in enumerate("@ABCDEFGHI")} | {
    letter: f"-{digit}" for digit, letter in enumerate("abcdefghi", start=1)
}
DIFFERENCE_DIGITS = {letter: str(digit) for digit, letter in enumerate("%JKLMNOPQR")} | {
    letter: f"-{digit}" for digit, letter in enumerate("jklmnopqr", start=1)
}
REPEAT_DIGITS = {letter: str(digit) for digit, letter in enumerate("STUVWXYZs", start=1)}
TOKEN = re.compile(
    r"(?P<plain>[+-]?(?:\d+\.?\d*|\.\d+)(?:[Ee][+-]\d+)?)"
    r"|(?P<letter>[@A-Ia-i%J-Rj-rS-Zs])(?P<digits>\d*(?:\.\d*)?)"
    r"|(?P<missing>\?)"
    r"|(?P<gap>[\s,;]+)"
)


def tokenize_line(line: str) -> list[tuple[NumberForm, float]]:
    """The numbers of one line, each with what it stands for."""
    found: list[tuple[NumberForm, float]] = []
    position = 0
    while position < len(line):
        token = TOKEN.match(line, position)
        if token is None:
            raise Unreadable(f"The data hold {line[position : position + 20]!r}, which is no number.")
        position = token.end()
        if token["plain"]:
            found.append((NumberForm.VALUE, float(token["plain"])))
        elif token["letter"]:
            found.append(decode_letter(token["letter"], token["digits"]))
        elif token["missing"]:
            found.append((NumberForm.MISSING, float("nan")))
    return found


def decode_letter(letter: str, digits: str) -> tuple[NumberForm, float]:
    if letter in SQUEEZED_DIGITS:
        return NumberForm.VALUE, float(SQUEEZED_DIGITS[letter] + digits)
    if letter in DIFFERENCE_DIGITS:
        return NumberForm.DIFFERENCE, float(DIFFERENCE_DIGITS[letter] + digits)
    return NumberForm.REPEAT, float(REPEAT_DIGITS[letter] + digits)


@dataclass
class Ordinates:
    """The ordinates of a table of the form (X++(Y..Y)), line after line. Each line begins with its abscissa."""

    values: list[float] = field(default_factory=list)
    last: tuple[NumberForm, float] = (NumberForm.VALUE, 0.0)
    ends_in_difference: bool = False
    starts: list[tuple[int, float]] = field(default_factory=list)  # of each line: which ordinate, and its abscissa
    widths: list[int] = field(default_factory=list)  # numbers of each line

    @property
    def has_joined_line(self) -> bool:
        """Whether one line has as many numbers as two of the others, which have as many each, but for the last."""
        usual = self.widths[0] if self.widths else 0
        odd = [width for width in self.widths[:-1] if width != usual]
        return len(self.widths) > LEAST_LINES and odd in ([2 * usual], [2 * usual - 1])

    def add_line(self, line: str) -> None:
        found = tokenize_line(line)
        if not found:
            return
        self.widths.append(len(found))
        if found[0][0] is not NumberForm.VALUE:
            raise Unreadable(f"A data line does not begin with its abscissa: {line[:30]!r}.")
        ordinates = found[1:]
        if self.ends_in_difference and ordinates:
            self.check_ordinate(ordinates.pop(0), line)
            self.starts.append((len(self.values) - 1, found[0][1]))
            if not ordinates:
                self.ends_in_difference = False
        elif ordinates:
            self.starts.append((len(self.values), found[0][1]))
        for form, number in ordinates:
            self.add_number(form, number)

    def check_ordinate(self, first: tuple[NumberForm, float], line: str) -> None:
        """After differences a line repeats the ordinate that the one before ended with."""
        form, number = first
        if form is not NumberForm.VALUE or abs(number - self.values[-1]) > 0.5:
            raise Unreadable(f"The ordinate check fails at the data line {line[:30]!r}: points are missing or damaged.")
        self.last = first

    def add_number(self, form: NumberForm, number: float) -> None:
        if form is NumberForm.REPEAT:
            self.repeat_last(int(number))
            return
        if form is NumberForm.DIFFERENCE:
            if not self.values:
                raise Unreadable("The data begin with a difference.")
            self.values.append(self.values[-1] + number)
        else:
            self.values.append(number)
        self.last = (form, number)
        self.ends_in_difference = form is NumberForm.DIFFERENCE

    def repeat_last(self, times: int) -> None:
        """A count includes the number that it follows. What repeats is the last thing said: a value, or a step."""
        form, number = self.last
        if not self.values or times > MAX_REPEATS:
            raise Unreadable("A repeat count follows nothing, or is far too large.")
        for _ in range(times - 1):
            self.values.append(self.values[-1] + number if form is NumberForm.DIFFERENCE else self.values[-1])
