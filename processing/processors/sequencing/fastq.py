"""FASTQ: how many reads, how long, how good, and on which scale their qualities are. Streamed: any number of reads."""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from Bio.SeqIO.QualityIO import FastqGeneralIterator, QualPhredIterator
from numpy.typing import NDArray

from processing.facts import Facts
from processing.formats.curve import Axis, Curve, Series
from processing.formats.table import Cell, Column, Table
from processing.readings import Input, Output, Unreadable
from processing.text_encoding import open_without_mark

LETTERS = dict.fromkeys(map(ord, "ACGTUNRYSWKMBDHVXacgtunryswkmbdhvx.-*"))
LOWEST, HIGHEST = 33, 126
MAX_SHOWN_READS = 1000
MAX_POSITIONS = 100_000
FIRST_BASES = 12
SANGER, SOLEXA, ILLUMINA = "fastq-sanger", "fastq-solexa", "fastq-illumina"  # as Biopython and EMBOSS name them
SANGER_OFFSET = 33
OFFSETS = {SANGER: SANGER_OFFSET, SOLEXA: 64, ILLUMINA: 64}
LEAST_QUALITIES, HIGHEST_USUAL, LEAST_GAP = 4, 45, 15
LOWEST_SOLEXA, LOWEST_ILLUMINA = 59, 64
HIGHEST_OLD_SANGER, HIGHEST_OFFSET_64 = 75, 105
LEAST_OF_WHOLE_SCALE = 60  # different qualities
SOLEXA_READ_PREFIXES = ("SLXA", "SOLEXA")


@dataclass
class Summary:
    """What is kept of all reads."""

    reads: int = 0
    bases: int = 0
    first: tuple[str, str] = ("", "")
    shortest: int = 0
    longest: int = 0
    codes: NDArray[np.int64] = field(default_factory=lambda: np.zeros(128, dtype=np.int64))
    sums: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))  # of codes, by position
    counts: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    shown: list[tuple[str, int, float]] = field(default_factory=list)

    def add(self, title: str, bases: str, qualities: str) -> None:
        if bases.translate(LETTERS):
            raise Unreadable(f"Read {self.reads + 1:,} holds something else than bases.")
        codes = np.frombuffer(qualities.encode("latin-1"), dtype=np.uint8)
        if len(codes) and not (codes.min() >= LOWEST and codes.max() <= HIGHEST):
            raise Unreadable(f"The qualities of read {self.reads + 1:,} are on no known scale.")
        self.first = self.first if self.reads else (title, bases)
        self.shortest = min(self.shortest, len(bases)) if self.reads else len(bases)
        self.longest = max(self.longest, len(bases))
        self.reads += 1
        self.bases += len(bases)
        self.codes += np.bincount(codes, minlength=128)
        self.add_positions(codes[:MAX_POSITIONS])
        if len(self.shown) < MAX_SHOWN_READS:
            self.shown.append((title.split(maxsplit=1)[0] if title.strip() else "", len(bases), mean_of(codes)))

    def add_positions(self, codes: NDArray[np.uint8]) -> None:
        if len(codes) > len(self.sums):
            self.sums = np.pad(self.sums, (0, len(codes) - len(self.sums)))
            self.counts = np.pad(self.counts, (0, len(codes) - len(self.counts)))
        self.sums[: len(codes)] += codes
        self.counts[: len(codes)] += 1


def mean_of(codes: NDArray[np.uint8]) -> float:
    return float(codes.mean()) if len(codes) else float("nan")


def read(given: Input) -> Output:
    """Unreadable: no reads, or one whose bases and qualities do not match."""
    summary = Summary()
    with open_without_mark(given.path, encoding="ascii") as file:
        try:
            for title, bases, qualities in FastqGeneralIterator(file):
                summary.add(title, bases, qualities)
        except UnicodeDecodeError as error:
            raise Unreadable("It holds bytes that are no text.") from error
        except ValueError as error:
            raise Unreadable(f"After {summary.reads:,} reads: {error}") from error
    if not summary.bases:
        raise Unreadable("It holds no reads.")
    scale, is_certain = tell_scale(summary, filename=given.filename)
    facts = Facts()
    facts.add("technique", "sequencing")
    facts.add("format", "FASTQ")
    facts.add("quality_scale", scale)
    facts.add("reads", summary.reads)
    facts.add("bases", summary.bases)
    return Output(
        run=facts.as_json(),
        file=describe(summary, offset=OFFSETS[scale]),
        artefacts=[
            draw_qualities(summary, offset=OFFSETS[scale]).artefact("quality.json"),
            tabulate_reads(summary, offset=OFFSETS[scale]).artefact("reads.json"),
        ],
        warnings=[
            *([] if is_certain else [f"The qualities fit several scales; they were read as {scale}."]),
            *list_lone_quality(summary, offset=OFFSETS[scale]),
        ],
    )


def list_lone_quality(summary: Summary, *, offset: int) -> Iterator[str]:
    """One base of all that is far better than the next best: no base caller leaves such a gap."""
    present = np.flatnonzero(summary.codes)
    if len(present) < LEAST_QUALITIES:
        return
    next_best, best = (int(code) - offset for code in present[-2:])
    if summary.codes[present[-1]] == 1 and best > HIGHEST_USUAL and best - next_best > LEAST_GAP:
        yield f"One base alone has the quality {best}, and all others {next_best} at most: the file may be damaged."


def read_qual(given: Input) -> Output:
    """The qualities alone, as numbers, of reads whose bases are in a FASTA file. Unreadable: it ends early."""
    summary = Summary()
    try:
        for record in QualPhredIterator(given.path):
            codes = "".join(chr(SANGER_OFFSET + quality) for quality in record.letter_annotations["phred_quality"])
            summary.add(record.description, "N" * len(codes), codes)
    except (ValueError, OverflowError) as error:
        raise Unreadable(f"After {summary.reads:,} reads: {error}") from error
    if not summary.bases:
        raise Unreadable("It holds no reads.")
    facts = Facts()
    facts.add("technique", "sequencing")
    facts.add("format", "QUAL")
    facts.add("reads", summary.reads)
    facts.add("bases", summary.bases)
    described = describe(summary, offset=SANGER_OFFSET)
    del described["first_read_start"]
    return Output(
        run=facts.as_json(),
        file=described,
        artefacts=[
            draw_qualities(summary, offset=SANGER_OFFSET).artefact("quality.json"),
            tabulate_reads(summary, offset=SANGER_OFFSET).artefact("reads.json"),
        ],
    )


def tell_scale(summary: Summary, *, filename: str) -> tuple[str, bool]:
    """By the range of the codes, then by the name that Solexa gave its reads; whether that is certain."""
    present = np.flatnonzero(summary.codes)
    lowest, highest = int(present[0]), int(present[-1])
    if lowest < LOWEST_SOLEXA:
        return SANGER, True
    if highest > HIGHEST_OFFSET_64:  # beyond what machines gave, but some files hold every quality of their scale
        if len(present) < LEAST_OF_WHOLE_SCALE or lowest > LOWEST_ILLUMINA:
            return SANGER, True
        return (SOLEXA if lowest < LOWEST_ILLUMINA else ILLUMINA), False
    if lowest < LOWEST_ILLUMINA:
        return (SANGER, False) if highest <= HIGHEST_OLD_SANGER else (SOLEXA, True)
    if summary.first[0].upper().startswith(SOLEXA_READ_PREFIXES) or "solexa" in filename.lower():
        return SOLEXA, True
    return (SANGER, False) if highest <= HIGHEST_OLD_SANGER else (ILLUMINA, False)


def describe(summary: Summary, *, offset: int) -> dict[str, int | float | str | list[int]]:
    title, bases = summary.first
    present = np.flatnonzero(summary.codes)
    codes = np.arange(len(summary.codes))
    return {
        "first_id": title.split(maxsplit=1)[0][:200] if title.strip() else "",
        "first_read_length": len(bases),
        "first_read_start": bases[:FIRST_BASES],
        "shortest_read": summary.shortest,
        "longest_read": summary.longest,
        "mean_read_length": summary.bases / summary.reads,
        "mean_quality": float((codes * summary.codes).sum() / summary.codes.sum()) - offset,
        "quality_range": [int(present[0]) - offset, int(present[-1]) - offset],
    }


def draw_qualities(summary: Summary, *, offset: int) -> Curve:
    means = summary.sums / np.maximum(1, summary.counts) - offset
    series = [Series("Mean quality", range(1, len(means) + 1), means)]
    return Curve("Quality by position", Axis("Position", "base"), Axis("Mean quality"), series)


def tabulate_reads(summary: Summary, *, offset: int) -> Table:
    rows: list[list[Cell]] = [[name, length, mean - offset] for name, length, mean in summary.shown]
    columns = [Column("Read"), Column("Length", "base"), Column("Mean quality")]
    return Table("Reads", columns, rows, total_rows=summary.reads)
