"""Rows of numbers and nothing else, of which long tables are made: no rule about words needs to look into them."""

import re
from functools import cache

LETTER = re.compile(r"[^\W\d_]")


def has_letter(row: str) -> bool:
    """In ASCII two cases tell, at a tenth of the cost."""
    return row.upper() != row.lower() if row.isascii() else LETTER.search(row) is not None


@cache
def plain_row(delimiter: str) -> re.Pattern[str]:
    """One number in each cell; cells may be empty at either end."""
    between = rf"[{delimiter}\r]"
    return re.compile(rf"[ {delimiter}]*+(?:[+-]?\d++(?:[.,]\d++)?+ *+(?:{between}++ *+|$))++")
