"""Sizes and spans of time for people."""

KILO = 1000


def bytes_text(size: float) -> str:
    """1.2 MB, in steps of a thousand."""
    for unit in ("B", "kB", "MB", "GB"):
        if size < KILO:
            return f"{size:.0f} {unit}" if unit == "B" or size >= 100 else f"{size:.1f} {unit}"
        size /= KILO
    return f"{size:.1f} TB"


def seconds_text(seconds: float) -> str:
    """The two largest units: 3 d 4 h, 12 min 5 s, 8 s."""
    rest = int(seconds)
    parts: list[str] = []
    for unit, length in (("d", 86_400), ("h", 3_600), ("min", 60), ("s", 1)):
        count, rest = divmod(rest, length)
        if count or (unit == "s" and not parts):
            parts.append(f"{count} {unit}")
    return " ".join(parts[:2])


def count_text(count: int, noun: str, plural: str = "") -> str:
    """1 file, 1,204 files."""
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"
