"""Sizes as people read them."""

UNITS = ("KB", "MB", "GB", "TB", "PB")


def format_size(count: int) -> str:
    """`0 B`, `410 KB`, `1.4 GB`: decimal units, as disks and vendors count."""
    if count < 1000:
        return f"{count} B"
    amount, unit = count / 1000, 0
    while amount >= 999.5 and unit < len(UNITS) - 1:
        amount, unit = amount / 1000, unit + 1
    return f"{amount:.0f} KB" if unit == 0 else f"{amount:.1f} {UNITS[unit]}"
