"""Alignments of sequences (Clustal, Stockholm, NEXUS, PHYLIP, MSF, MAF): what is aligned, how long, and how alike."""

import re
from collections.abc import Iterator
from itertools import islice

from Bio import AlignIO
from Bio.Align import MultipleSeqAlignment
from Bio.Nexus.Nexus import NexusError

from processing.facts import Facts, clean_text
from processing.formats.table import Cell, Column, Table
from processing.processors.sequencing.alignment_picture import GAPS, draw
from processing.processors.sequencing.records import describe
from processing.readings import HEAD_BYTES, MAX_VALUES_PER_FACT, Artefact, Input, Json, Output, Unreadable
from processing.text_encoding import open_without_mark

MAX_ALIGNMENTS = 1000
MAX_COMPARED = 20_000_000  # residues
PHYLIP = ("phylip", "phylip-relaxed", "phylip-sequential")  # which do not say which of them they are
CLUSTAL_START = re.compile(r"(?:CLUSTAL|PROBCONS|MUSCLE|MSAPROBS|Kalign|Biopython)\b")
STARTS = {
    "clustal": ("Clustal", CLUSTAL_START),
    "stockholm": ("Stockholm", re.compile(r"# STOCKHOLM 1\.")),
    "nexus": ("NEXUS", re.compile(r"#NEXUS\b", re.IGNORECASE)),
    "maf": ("MAF", re.compile(r"##maf\b")),
    "msf": ("MSF", re.compile(r"(?:!!(?:NA|AA)_MULTIPLE_ALIGNMENT|PileUp|[\s\S]*?\bMSF: +\d+ )")),
}
ENDS = {"stockholm": "//", "maf": "\n"}
PHYLIP_START = re.compile(r"\s*\d+\s+\d+\s*[IS]?\s*[\r\n]+\S")
STATED_SEQUENCES = re.compile(r"^#=GF SQ +(\d+)\s*$", re.MULTILINE)


def read(given: Input) -> Output:
    """Unreadable: sequences of one alignment differ in length, or something that was announced is missing."""
    title, parsers = tell_format(given)
    alignments = parse(given, parsers)
    records = [record for alignment in alignments for record in alignment]
    facts = Facts()
    facts.add("technique", "sequence alignment")
    facts.add("format", title)
    facts.add("records", len(records))
    facts.add("alignments", len(alignments) if len(alignments) > 1 else None)
    facts.add("alignment_length", sum(alignment.get_alignment_length() for alignment in alignments))
    for record in records[:MAX_VALUES_PER_FACT]:
        facts.add("sequence_id", str(record.id))
    return Output(
        run=facts.as_json(),
        file=describe_alignments(alignments),
        artefacts=[draw(alignments[0], title=given.filename), *tabulate(alignments)],
    )


def tell_format(given: Input) -> tuple[str, tuple[str, ...]]:
    with open_without_mark(given.path, encoding="utf-8") as file:
        try:
            head = file.read(HEAD_BYTES)
        except UnicodeDecodeError as error:
            raise Unreadable("It holds bytes that are no text.") from error
    if "\0" in head:
        raise Unreadable("It holds bytes that are no text.")
    for name, (title, pattern) in STARTS.items():
        if pattern.match(head):
            return title, (name,)
    if PHYLIP_START.match(head):
        return "PHYLIP", PHYLIP
    raise Unreadable("It is no alignment of a form that is known.")


def parse(given: Input, parsers: tuple[str, ...]) -> list[MultipleSeqAlignment]:
    """By the first of them that finds what the file announces."""
    complaint: Exception | None = None
    for parser in parsers:
        try:
            with open_without_mark(given.path, encoding="utf-8") as file:
                found = list(islice(AlignIO.parse(file, parser), MAX_ALIGNMENTS))
        except (ValueError, AssertionError, IndexError, KeyError, NexusError) as error:
            complaint = complaint or error
            continue
        if parser in ENDS:
            check_end(given, parser, count=sum(map(len, found)))
        if any(len(alignment) for alignment in found) and any(map(has_letters, found)):
            return found
    said = clean_text(str(complaint or ""))
    raise Unreadable(f"It holds no whole alignment{f': {said}' if said else '.'}") from complaint


def has_letters(alignment: MultipleSeqAlignment) -> bool:
    """Two numbers above others are no PHYLIP."""
    return any(character.isalpha() for record in alignment for character in f"{record.id}{record.seq}")


def check_end(given: Input, parser: str, *, count: int) -> None:
    """Alignments of Stockholm end with two strokes, and may say of how many sequences they are."""
    text = given.path.read_text(encoding="utf-8", errors="replace")
    stated = sum(map(int, STATED_SEQUENCES.findall(text)))
    if not text.rstrip(" \t\r").endswith(ENDS[parser]) and not text.rstrip().endswith("//"):
        raise Unreadable("It has no end: a part of the file is missing.")
    if stated and text.count("\n#=GF SQ") == text.count("# STOCKHOLM 1.") and stated != count:
        raise Unreadable(f"It says that it holds {stated:,} sequences; {count:,} are there.")


def describe_alignments(alignments: list[MultipleSeqAlignment]) -> dict[str, Json]:
    """Of the first one how many columns have the same letter throughout."""
    first = alignments[0]
    described: dict[str, Json] = {
        "first_id": str(first[0].id)[:200],
        "first_length": len(str(first[0].seq).translate(dict.fromkeys(map(ord, GAPS)))),
        "first_alignment_length": first.get_alignment_length(),
    }
    if len(first) * first.get_alignment_length() <= MAX_COMPARED:
        columns = zip(*(str(record.seq).upper() for record in first), strict=True)
        described["identical_columns"] = sum(len(set(column)) == 1 and column[0] not in GAPS for column in columns)
    return described


def tabulate(alignments: list[MultipleSeqAlignment]) -> Iterator[Artefact]:
    """One row for each sequence; how they are aligned is drawn, as tables break their lines where they like."""
    names = ["Record", "Description", "Length", "Gaps"]
    several = len(alignments) > 1
    rows: list[list[Cell]] = []
    for number, alignment in enumerate(alignments, start=1):
        for record in alignment:
            letters = str(record.seq)
            gaps = sum(letters.count(gap) for gap in GAPS)
            said = describe(record)
            row: list[Cell] = [str(record.id), said if said != record.id else "", len(letters) - gaps, gaps]
            rows.append([number, *row] if several else row)
    columns = [Column(name) for name in (["Alignment", *names] if several else names)]
    yield Table("Sequences", columns, rows).artefact("sequences.json")
