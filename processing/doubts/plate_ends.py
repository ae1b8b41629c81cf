"""A plate at the end of a text that lacks its last rows: its columns say how many there must be."""

from collections.abc import Iterator, Sequence

LAST_ROWS = {12: "H", 24: "P"}  # by the number of columns, which stand above; smaller plates are measured in parts


def list_plate_doubts(rows: Sequence[str], delimiter: str) -> Iterator[str]:
    """Of plates within a text some software leaves out rows that hold nothing."""
    letters: list[str] = []
    for row in reversed(rows):
        first = next((cell.strip().strip('"') for cell in row.split(delimiter)[:2] if cell.strip()), "")
        if len(first) == 1 and "A" <= first <= "P":
            letters.append(first)
        elif last := LAST_ROWS.get(count_plate_columns(row, delimiter)):
            if is_beginning(letters) and max(letters) < last and not ends_with_empty_line(rows):
                yield f"The plate at its end has no rows behind {max(letters)}: the file may be cut off."
            return
        elif row.strip() and row[:1] != delimiter:
            return


def is_beginning(letters: Sequence[str]) -> bool:
    """Whether they are all from A on; whoever measures every second row leaves some out."""
    return [ord(letter) - ord("A") for letter in sorted(set(letters))] == list(range(len(set(letters)))) != []


def ends_with_empty_line(rows: Sequence[str]) -> bool:
    """Which programs write behind a plate, so that it is here as a whole."""
    return not "".join(rows[-2:]).strip()


def count_plate_columns(row: str, delimiter: str) -> int:
    """How many, where the row is that of their numbers, from 1 on; else 0."""
    if f"{delimiter}12" not in row:
        return 0
    cells = [cell.strip().strip('"') for cell in row.rstrip().rstrip(delimiter).split(delimiter)]
    numbers = cells[cells.index("1") :] if "1" in cells[:3] else []
    return len(numbers) if numbers == [str(number) for number in range(1, len(numbers) + 1)] else 0
