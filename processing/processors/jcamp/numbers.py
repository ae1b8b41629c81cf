"""The numbers of JCAMP-DX data lines: plain (AFFN), packed (PAC), squeezed (SQZ), as differences (DIF), repeated (DUP).

An exponent needs a sign: in `1514.1E96L31` the E is the digit +5, so the line says 1514.1, 596 and 31 more.
"""

import re
from dataclasses import dataclass, field
from enum import Enum

from processing.readings import Unreadable


class Form(Enum):
    VALUE = 1
    DIFFERENCE = 2
    REPEAT = 3
    MISSING = 4


MOST_REPEATS = 10_000_000
SQUEEZED = {letter: str(digit) for digit, letter in enumerate("@ABCDEFGHI")} | {
    letter: f"-{digit}" for digit, letter in enumerate("abcdefghi", start=1)
}
DIFFERENT = {letter: str(digit) for digit, letter in enumerate("%JKLMNOPQR")} | {
    letter: f"-{digit}" for digit, letter in enumerate("jklmnopqr", start=1)
}
REPEATED = {letter: str(digit) for digit, letter in enumerate("STUVWXYZs", start=1)}
TOKEN = re.compile(
    r"(?P<plain>[+-]?(?:\d+\.?\d*|\.\d+)(?:[Ee][+-]\d+)?)"
    r"|(?P<letter>[@A-Ia-i%J-Rj-rS-Zs])(?P<digits>\d*(?:\.\d*)?)"
    r"|(?P<missing>\?)"
    r"|(?P<gap>[\s,;]+)"
)


def tokens(line: str) -> list[tuple[Form, float]]:
    """The numbers of one line, each with what it stands for."""
    found: list[tuple[Form, float]] = []
    position = 0
    while position < len(line):
        token = TOKEN.match(line, position)
        if token is None:
            raise Unreadable(f"The data hold {line[position : position + 20]!r}, which is no number.")
        position = token.end()
        if token["plain"]:
            found.append((Form.VALUE, float(token["plain"])))
        elif token["letter"]:
            found.append(lettered(token["letter"], token["digits"]))
        elif token["missing"]:
            found.append((Form.MISSING, float("nan")))
    return found


def lettered(letter: str, digits: str) -> tuple[Form, float]:
    if letter in SQUEEZED:
        return Form.VALUE, float(SQUEEZED[letter] + digits)
    if letter in DIFFERENT:
        return Form.DIFFERENCE, float(DIFFERENT[letter] + digits)
    return Form.REPEAT, float(REPEATED[letter] + digits)


@dataclass
class Ordinates:
    """The ordinates of a table of the form (X++(Y..Y)), line after line. Each line begins with its abscissa."""

    values: list[float] = field(default_factory=list)
    last: tuple[Form, float] = (Form.VALUE, 0.0)
    ends_in_difference: bool = False

    def take(self, line: str) -> None:
        found = tokens(line)
        if not found:
            return
        if found[0][0] is not Form.VALUE:
            raise Unreadable(f"A data line does not begin with its abscissa: {line[:30]!r}.")
        ordinates = found[1:]
        if self.ends_in_difference and ordinates:
            self.check(ordinates.pop(0), line)
            if not ordinates:
                self.ends_in_difference = False
        for form, number in ordinates:
            self.add(form, number)

    def check(self, first: tuple[Form, float], line: str) -> None:
        """After differences a line repeats the ordinate that the one before ended with."""
        form, number = first
        if form is not Form.VALUE or abs(number - self.values[-1]) > 0.5:
            raise Unreadable(f"The ordinate check fails at the data line {line[:30]!r}: points are missing or damaged.")
        self.last = first

    def add(self, form: Form, number: float) -> None:
        if form is Form.REPEAT:
            self.repeat(int(number))
            return
        if form is Form.DIFFERENCE:
            if not self.values:
                raise Unreadable("The data begin with a difference.")
            self.values.append(self.values[-1] + number)
        else:
            self.values.append(number)
        self.last = (form, number)
        self.ends_in_difference = form is Form.DIFFERENCE

    def repeat(self, times: int) -> None:
        """A count includes the number that it follows. What repeats is the last thing said: a value, or a step."""
        form, number = self.last
        if not self.values or times > MOST_REPEATS:
            raise Unreadable("A repeat count follows nothing, or is far too large.")
        for _ in range(times - 1):
            self.values.append(self.values[-1] + number if form is Form.DIFFERENCE else self.values[-1])
