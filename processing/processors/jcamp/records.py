"""JCAMP-DX as labelled records in blocks (McDonald and Wilks 1988; Davies and Lampen 1993; Lampen et al. 1999)."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from processing.readings import Unreadable

RECORD = re.compile(r"\s*##([^=]*?)=(.*)", re.DOTALL)
IGNORED_LABEL_CHARACTERS = str.maketrans("", "", " -/_\t")
DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+(?:[Ee][+-]?\d+)?")
THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2}(?:,\d{3})+(?:\.\d*)?")
NUMBER_LABELS = {"NPOINTS", "FIRSTX", "LASTX", "DELTAX", "FIRSTY", "MAXX", "MINX", "MAXY", "MINY"} | {
    "XFACTOR",
    "YFACTOR",
}
COMMENT = re.compile(r"\$\$[^\n]*")
DATA_LABELS = {"XYDATA", "XYPOINTS", "PEAKTABLE", "PEAKASSIGNMENTS", "RADATA", "DATATABLE"}


@dataclass(frozen=True)
class DataTable:
    """One data table: what its form says, its lines, and the records that stand between the page's start and it."""

    label: str
    form: str
    lines: list[str]
    page: str | None
    page_records: dict[str, str]


@dataclass
class Block:
    """From one TITLE to its END, without the blocks inside."""

    records: dict[str, str] = field(default_factory=dict)  # by plain label; the first of a label counts
    tables: list[DataTable] = field(default_factory=list)
    has_end: bool = False  # its ##END= is there: the file was not cut off within

    def text(self, *labels: str) -> str | None:
        """The first of these records that says anything."""
        return next((self.records[label] for label in labels if self.records.get(label)), None)

    def number(self, label: str) -> float | None:
        return parse_number(self.records.get(label))


def parse_blocks(text: str) -> list[Block]:
    """Every block of the file in its order; a LINK block comes before those that it holds."""
    blocks: list[Block] = []
    open_blocks: list[Block] = []
    page: str | None = None
    page_records: dict[str, str] = {}
    for label, value in read_records(text):
        if label == "TITLE":
            open_blocks.append(Block())
            blocks.append(open_blocks[-1])
        elif not open_blocks:
            continue  # before the first block, or behind the last
        block = open_blocks[-1]
        if label == "END":
            open_blocks.pop().has_end = True
        elif label in {"NTUPLES", "ENDNTUPLES", "TITLE"}:
            page, page_records = None, {}
        elif label == "PAGE":
            page, page_records = value, {}
        if label in DATA_LABELS:
            form, _, body = value.partition("\n")
            block.tables.append(DataTable(label, form.strip(), body.splitlines(), page, dict(page_records)))
        elif page is not None:
            page_records.setdefault(label, value)
        else:
            block.records.setdefault(label, value)
    if not blocks:
        raise Unreadable("It has no ##TITLE=, with which JCAMP-DX begins.")
    for block in blocks:
        block.records |= join_thousands(block.records)
    return blocks


def join_thousands(records: Mapping[str, str]) -> dict[str, str]:
    """Numbers without commas between their thousands, which the standard does not have and people write.

    A count has no decimals. Another number may have them behind a comma, unless some of its block stand behind a
    point and none behind what can only be a decimal comma.
    """
    stated = {label: records[label] for label in NUMBER_LABELS & records.keys()}
    has_commas = any(DECIMAL_COMMA.fullmatch(one) and not THOUSANDS.fullmatch(one) for one in stated.values())
    has_points = not has_commas and any("." in one for one in stated.values())
    return {
        label: number.replace(",", "")
        for label, number in stated.items()
        if THOUSANDS.fullmatch(number) and (has_points or label == "NPOINTS")
    }


def read_records(text: str) -> Iterator[tuple[str, str]]:
    """Plain labels (upper case, no blanks, hyphens, slashes or underlines) and their values without comments."""
    record: list[str] = []
    for line in (*text.splitlines(), "##="):
        if line.lstrip().startswith("##") and record:
            found = RECORD.match("\n".join(record))
            if found and found[1].strip():
                yield found[1].upper().translate(IGNORED_LABEL_CHARACTERS), COMMENT.sub("", found[2]).strip()
            record = []
        if record or line.lstrip().startswith("##"):
            record.append(line if "=" in line or record else f"{line}=")


def parse_number(text: str | None) -> float | None:
    """A header's number: blanks within it are forgiven, words after it are not read. A comma may be of decimals."""
    if DECIMAL_COMMA.fullmatch((text or "").strip()):
        text = (text or "").replace(",", ".")
    found = re.match(r"[+-]?\s*(?:\d+\.?\s?\d*|\.\d+)(?:[EeDd][+-]?\d+)?", (text or "").strip())
    return float(found[0].replace(" ", "").upper().replace("D", "E")) if found else None


def parse_list(text: str | None) -> list[str]:
    return [part.strip() for part in text.split(",")] if text else []
