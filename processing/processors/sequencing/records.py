"""Annotated sequences (GenBank, EMBL, SnapGene) and plain ones (FASTA): what they are, and their features."""

import re
import struct
import warnings
from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from Bio import SeqIO
from Bio.Seq import UndefinedSequenceError
from Bio.SeqRecord import SeqRecord

from processing.facts import Facts, clean_text
from processing.formats.table import Cell, Column, Table
from processing.readings import HEAD_BYTES, MAX_VALUES_PER_FACT, Artefact, Input, Json, Output, Unreadable
from processing.text_encoding import open_without_mark

MAX_RECORDS = 10_000
MAX_FEATURES = 5_000
MAX_SHOWN_SEQUENCES = 5_000
FIRST_BASES = 20
BINARY = ("snapgene", "seqxml", "xdna", "gck")
UNKNOWN = "<unknown description>"
NAME_QUALIFIERS = ("label", "gene", "locus_tag", "product", "note")
LENGTH_MISMATCH = re.compile(r"Expected sequence length")
IMGT_START = re.compile(rb"ID   \S+(?: IMGT/|; SV \d+; standard; )")
RESIDUES = re.compile(r"[A-Za-z*.\-\s]*")
ANNOTATIONS = {"topology": "topology", "molecule_type": "molecule_type", "organism": "organism", "date": "record_date"}


def read_genbank(given: Input) -> Output:
    check_text(given)
    return read_annotated(given, "genbank", title="GenBank")


def read_embl(given: Input) -> Output:
    """Also as IMGT writes it, with another first line and longer names of features."""
    check_text(given)
    with given.path.open("rb") as file:
        is_imgt = IMGT_START.match(file.read(HEAD_BYTES).removeprefix(BOM_UTF8)) is not None
    return read_annotated(given, "imgt" if is_imgt else "embl", title="IMGT" if is_imgt else "EMBL")


def check_text(given: Input) -> None:
    if b"\0" in given.path.read_bytes():
        raise Unreadable("It holds bytes that are no text.")


def read_snapgene(given: Input) -> Output:
    return read_annotated(given, "snapgene", title="SnapGene")


def read_xdna(given: Input) -> Output:
    return read_whole(given, "xdna", title="XDNA")


def read_gck(given: Input) -> Output:
    return read_whole(given, "gck", title="GCK")


def read_pir(given: Input) -> Output:
    check_text(given)
    return read_whole(given, "pir", title="PIR")


def read_whole(given: Input, parser: str, *, title: str) -> Output:
    """Where the parser says in its own way that something is missing."""
    try:
        return read_annotated(given, parser, title=title)
    except (ValueError, struct.error, IndexError, AssertionError) as error:
        raise Unreadable(f"It is damaged, or a part of it is missing: {clean_text(str(error))}") from error


def open_annotated(path: Path, parser: str) -> IO[Any]:
    return path.open("rb") if parser in BINARY else open_without_mark(path, encoding="utf-8")


def read_annotated(given: Input, parser: str, *, title: str) -> Output:
    with collect_warnings() as said, open_annotated(given.path, parser) as file:
        records = [record for record, _ in zip(SeqIO.parse(file, parser), range(MAX_RECORDS), strict=False)]
    if not records:
        raise Unreadable("It holds no complete record.")
    if cut := [text for text in said if LENGTH_MISMATCH.search(text)]:
        raise Unreadable(f"Its sequence is not whole: {cut[0]}")
    facts = Facts()
    facts.add("technique", "sequence record")
    facts.add("format", title)
    facts.add("records", len(records))
    for record in records[:MAX_VALUES_PER_FACT]:
        facts.add("sequence_id", record.id)
        for name, key in ANNOTATIONS.items():
            facts.add(key, str(record.annotations.get(name, "")))
    return Output(
        run=facts.as_json(),
        file=describe_records(records),
        artefacts=tabulate_records(records),
        warnings=[clean_text(text) for text in said],
    )


@contextmanager
def collect_warnings() -> Iterator[list[str]]:
    """What the parser wonders at, each once."""
    said: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warnings.simplefilter("ignore", ResourceWarning)
        yield said
    said.extend(dict.fromkeys(str(warning.message) for warning in caught))


def describe_records(records: list[SeqRecord]) -> dict[str, Json]:
    """Of the first record, and of all its kind of features."""
    first = records[0]
    kinds = Counter(feature.type for record in records for feature in record.features)
    described: dict[str, Json] = {
        "first_id": str(first.id)[:200],
        "length": sum(len(record) for record in records),
        "first_length": len(first),
        "features": kinds.total(),
        "description": clean_text(describe(first)),
    }
    if bases := letters_of(first):
        described["first_20_bases"] = bases[:FIRST_BASES]
    return described | {kind: count for kind, count in kinds.most_common(30) if re.fullmatch(r"[\w.-]{1,64}", kind)}


def describe(record: SeqRecord) -> str:
    """Empty where the file says nothing, for which Biopython has words of its own."""
    said = record.description or ""
    return "" if said == UNKNOWN else said


def letters_of(record: SeqRecord) -> str:
    try:
        return str(record.seq)
    except UndefinedSequenceError:  # only its length is known
        return ""


def tabulate_records(records: list[SeqRecord]) -> list[Artefact]:
    features = [(record, feature) for record in records for feature in record.features]
    rows: list[list[Cell]] = [
        [record.id or "", feature.type, name_feature(feature.qualifiers), str(feature.location)]
        for record, feature in features[:MAX_FEATURES]
    ]
    columns = [Column("Record"), Column("Feature"), Column("Name"), Column("Location")]
    sequences: list[list[Cell]] = [[record.id or "", describe(record), len(record)] for record in records]
    made = [
        Table("Records", [Column("Record"), Column("Description"), Column("Length")], sequences).artefact(
            "records.json"
        )
    ]
    if rows:
        made.append(Table("Features", columns, rows, total_rows=len(features)).artefact("features.json"))
    return made


def name_feature(qualifiers: dict[str, list[str]]) -> str:
    return next((str(qualifiers[key][0]) for key in NAME_QUALIFIERS if qualifiers.get(key)), "")


def read_fasta(given: Input) -> Output:
    """How many sequences and how long; nothing of them is held in memory."""
    names: list[tuple[str, str]] = []
    lengths: list[int] = []
    start = ""
    with given.path.open(encoding="utf-8-sig", errors="replace") as file:
        for number, line in enumerate(file, start=1):
            if line.startswith(">"):
                name, _, description = line[1:].strip().partition(" ")
                lengths.append(0)
                if len(names) < MAX_SHOWN_SEQUENCES:
                    names.append((name, description))
            elif line.strip() and not line.startswith(";"):
                if not lengths or RESIDUES.fullmatch(line) is None:
                    raise Unreadable(f"Line {number:,} is no sequence.")
                residues = "".join(line.split())
                lengths[-1] += len(residues)
                start = start or residues[:FIRST_BASES]
    if not sum(lengths):
        raise Unreadable("It holds no sequence.")
    facts = Facts()
    facts.add("technique", "sequence record")
    facts.add("format", "FASTA")
    facts.add("records", len(lengths))
    facts.add_all("sequence_id", [name for name, _ in names[:MAX_VALUES_PER_FACT]])
    described: dict[str, Json] = {"first_id": names[0][0][:200], "length": sum(lengths), "first_length": lengths[0]}
    rows: list[list[Cell]] = [[name, text, length] for (name, text), length in zip(names, lengths, strict=False)]
    columns = [Column("Record"), Column("Description"), Column("Length")]
    return Output(
        run=facts.as_json(),
        file=described | {"first_20_bases": start},
        artefacts=[Table("Records", columns, rows, total_rows=len(lengths)).artefact("records.json")],
    )
