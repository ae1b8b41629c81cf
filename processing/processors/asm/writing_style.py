"""How a text writes numbers and dates: decimal comma or point, commas between thousands, the day or the month first.

Windows programs write what the country's settings say. allotropy's parsers take a comma as they like: most as that of
decimals, some as that of thousands, so that 39,814 becomes 39814 without a word. Blanks and apostrophes between
thousands make a number a word to them, which they leave out.
"""

import re
from dataclasses import dataclass
from functools import cached_property

LEAST_COMMAS = 4  # decimal commas for each decimal point: versions have points everywhere
MANY_COMMAS = 2  # of them between two delimiters would be cells of their own
DATED_CHARACTERS = 1_000_000  # from the beginning; dates stand there
SIGN, EXPONENT = r"[ <>≤≥~=*+-]*", r"(?:[eE][+-]?\d+)?[ %*]*"
AS_THOUSANDS = re.compile(r"[1-9]\d{0,2}(?:[,.]\d{3})+")
GROUPED = re.compile(r"[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?")
POINTED = re.compile(r"[1-9]\d{0,2}(?:\.\d{3})+")
BETWEEN = re.compile("[ '\u2019\u00a0\u2009\u202f]")  # of other countries, between thousands
SPACED = re.compile(rf"\d{BETWEEN.pattern}\d\d\d(?!\d)")
CERTAIN_SPACES = rf"[1-9]\d{{0,2}}(?:{BETWEEN.pattern.replace(' ', '', 1)}\d{{3}})+(?:[.,]\d+)?"
SPACES_WITH_DECIMALS = r"[1-9]\d{0,2}(?: \d{3})+[.,]\d+"
PAIR = re.compile(r"[2-9]\d\d(?:,[2-9]\d\d)+")  # 504,531: wavelengths of excitation and emission
BARE_NUMBER = re.compile(r'[ "<>+-]*\d+(?:[.,]\d+)?[ "]*')
QUOTED = re.compile(r'"[^",]*\d,\d')
COMMA_NUMBER = re.compile(r"\d,\d")
SLASHED_DATE = re.compile(r"(?<![\d/-])(\d{1,2})([/-])(\d{1,2})\2\d{4}(?!\d)")
TWELVE_HOURS = re.compile(r"\d\s?[AP]M\b", re.IGNORECASE)
MONTHS = 12


@dataclass(frozen=True)
class WritingStyle:
    written: str  # lines end with LF

    @cached_property
    def text(self) -> str:
        """Without blanks and apostrophes between thousands. A plain blank alone may stand in a name: 12 345."""
        if not SPACED.search(self.written):
            return self.written

        def without(found: re.Match[str]) -> str:
            return found[0].replace(found["number"], BETWEEN.sub("", found["number"]))

        number = f"{CERTAIN_SPACES}|{SPACES_WITH_DECIMALS}"
        closed = self.cells(number, quoted=False).sub(without, self.written)
        if self.delimiter == ",":  # in quotes, for the sake of a decimal comma
            closed = self.cells(number).sub(without, closed)
        return closed

    @cached_property
    def delimiter(self) -> str:
        """Of cells. Decimal commas may be as many as these."""
        tabs, semicolons, commas = (self.written.count(character) for character in "\t;,")
        if tabs >= semicolons and MANY_COMMAS * tabs >= commas and tabs:
            return "\t"
        return ";" if semicolons and MANY_COMMAS * semicolons >= commas else ","

    @cached_property
    def has_decimal_commas(self) -> bool:
        """Whether commas stand where no thousands end, and hardly any point does."""
        commas = sum(not AS_THOUSANDS.fullmatch(number) for number in self.find_numbers(r"\d+,\d+"))
        commas += len(self.find_numbers(r"\d{1,3}(?:\.\d{3})+,\d+"))
        return commas > 0 and commas >= LEAST_COMMAS * self.decimal_points

    @cached_property
    def decimal_points(self) -> int:
        """Points need no quotation between commas."""
        if not self.has_comma_numbers:
            return 0
        points = self.cells(r"\d+\.\d+", quoted=False).finditer(self.text)
        return sum(not AS_THOUSANDS.fullmatch(found["number"]) for found in points)

    @cached_property
    def grouped_numbers(self) -> list[str]:
        """Those that may have commas between thousands, and are no wavelengths."""
        if self.has_decimal_commas:
            return []
        return [number for number in self.find_numbers(GROUPED.pattern) if not PAIR.fullmatch(number)]

    @property
    def has_thousands_commas(self) -> bool:
        """Between commas a quoted number hardly has a decimal one; elsewhere the numbers have to tell."""
        return bool(self.grouped_numbers) and (self.delimiter == "," or self.shows_thousands)

    @property
    def shows_thousands(self) -> bool:
        """Whether a point, or a second comma, tells what the commas are."""
        return self.decimal_points > 0 or any("." in number or number.count(",") > 1 for number in self.grouped_numbers)

    @property
    def unclear_number(self) -> str:
        """One that may be of thousands or have decimals, where nothing in the text tells; empty: there is none."""
        if self.has_decimal_commas:
            return "" if self.has_thousands_points else next(iter(self.pointed_numbers), "")
        return "" if self.shows_thousands or not self.grouped_numbers else self.grouped_numbers[0]

    @property
    def has_thousands_points(self) -> bool:
        """Whether points stand before a decimal comma, or twice in a number."""
        return any("," in number or number.count(".") > 1 for number in self.pointed_numbers)

    @cached_property
    def pointed_numbers(self) -> list[str]:
        """Those that may have points between thousands, where commas are of decimals."""
        found = self.cells(rf"{POINTED.pattern}(?:,\d+)?", quoted=False).finditer(self.text)
        return [*(one["number"] for one in found), *self.find_numbers(rf"{POINTED.pattern},\d+")]

    @cached_property
    def is_day_first(self) -> bool:
        """In dates with slashes or dashes: by one whose month would be beyond 12; in countries with decimal commas."""
        return self.largest_parts[1] <= MONTHS and (self.largest_parts[0] > MONTHS or self.is_day_first_by_country)

    @cached_property
    def is_day_first_by_country(self) -> bool:
        """Whether nothing but decimal commas says so; clocks of twelve hours are of other countries."""
        is_unclear = all(0 < part <= MONTHS for part in self.largest_parts)
        return is_unclear and self.has_decimal_commas and not TWELVE_HOURS.search(self.text[:DATED_CHARACTERS])

    @cached_property
    def largest_parts(self) -> tuple[int, int]:
        """The first and the second number of such dates."""
        dates = SLASHED_DATE.findall(self.text[:DATED_CHARACTERS])
        first, second = (max((int(date[place]) for date in dates), default=0) for place in (0, 2))
        return first, second

    def write_plainly(self, *, keeps_pairs: bool = False) -> str:
        """The text with decimal points, and nothing between thousands."""

        kept = self.named_pairs if keeps_pairs else set()

        def with_point(found: re.Match[str]) -> str:
            return found[0] if found["number"] in kept else found[0].replace(",", ".")

        if self.has_decimal_commas:
            whole = self.text
            if self.has_thousands_points:
                for is_quoted in (True, False):
                    number = rf"{POINTED.pattern}(?:,\d+)?"
                    whole = self.cells(number, quoted=is_quoted).sub(lambda found: found[0].replace(".", ""), whole)
            return self.cells(r"\d+,\d+").sub(with_point, whole)
        if self.has_thousands_commas:
            return self.cells(GROUPED.pattern).sub(lambda found: found[0].replace(",", ""), self.text)
        return self.text

    @cached_property
    def named_pairs(self) -> set[str]:
        """Wavelengths stand at the end of rows, or above them; a measured number stands among others too."""
        pairs = list(self.cells(PAIR.pattern).finditer(self.text)) if self.has_comma_numbers else []
        numbers_by_row: dict[int, int] = {}
        measured = set()
        for found in pairs:
            begin, end = self.text.rfind("\n", 0, found.start()) + 1, self.text.find("\n", found.end())
            if begin not in numbers_by_row:
                numbers_by_row[begin] = self.count_numbers(self.text[begin : end if end >= 0 else None])
            is_among_others = numbers_by_row[begin] > self.count_numbers(found[0])
            is_last = end in (-1, found.end())
            if found[0] != found["number"] or (is_among_others and not is_last):
                measured.add(found["number"])
        return {found["number"] for found in pairs} - measured

    def count_numbers(self, row: str) -> int:
        return sum(BARE_NUMBER.fullmatch(cell) is not None for cell in row.split(self.delimiter))

    def find_numbers(self, number: str) -> list[str]:
        return [found["number"] for found in self.cells(number).finditer(self.text)] if self.has_comma_numbers else []

    @cached_property
    def has_comma_numbers(self) -> bool:
        """Texts without them are let alone, at the cost of one look."""
        return COMMA_NUMBER.search(self.text) is not None if self.delimiter != "," else bool(QUOTED.search(self.text))

    def cells(self, number: str, *, quoted: bool = True) -> re.Pattern[str]:
        """Cells that hold nothing but such a number, with its sign and exponent; with a comma they may need quotes."""
        before, behind = r'(?<=")', r'(?=")'
        if not quoted or self.delimiter != ",":
            before, behind = rf'(?:(?<=[{self.delimiter}"\n])|\A)', rf'(?=[{self.delimiter}"\n]|\Z)'
        return re.compile(rf"{before}{SIGN}(?P<number>{number}){EXPONENT}{behind}")
