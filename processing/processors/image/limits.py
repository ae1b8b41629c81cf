"""How large an image may be before it is decoded."""

from processing.readings import Unreadable

MAX_PIXELS = 100_000_000


def check_pixels(width: int, height: int) -> None:
    if width * height > MAX_PIXELS:
        millions = width * height / 1_000_000
        raise Unreadable(f"It has {millions:,.0f} million pixels; {MAX_PIXELS // 1_000_000} million are the most.")
    if width < 1 or height < 1:
        raise Unreadable("It has no pixels.")
