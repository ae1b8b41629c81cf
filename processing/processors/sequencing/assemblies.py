"""What phred, phrap and the 454 wrote: base calls (PHD), contigs (ACE) and reads with flowgrams (SFF)."""

import re
import struct
from itertools import pairwise
from statistics import median

from Bio import SeqIO
from Bio.SeqRecord import SeqRecord
from Bio.Sequencing import Ace

from processing.facts import Facts
from processing.formats.curve import Axis, Curve, Series
from processing.formats.table import Cell, Column, Table
from processing.local_times import as_utc, describe_zone, parse_local_time
from processing.processors.sequencing.records import collect_warnings
from processing.processors.sequencing.traces import BaseCalls, describe_calls, tabulate_calls
from processing.readings import MAX_VALUES_PER_FACT, Input, Json, Output, Unreadable

PHD_TIME = "%a %b %d %H:%M:%S %Y"
SFF_READS = struct.Struct(">20xI")
ACE_COUNTS = re.compile(r"\s*AS\s+(\d+)\s+(\d+)")
LEAST_BASES, MOST_BACK = 20, 4
GAP, USUAL = 4, 2.5  # steps from one base to the next, as the middle one of all: of a gap, and of all others
OUT_OF_ORDER = "Bases are called out of the order of their places: lines may have changed places, or stand there twice."
BASES_LOST = "One base alone is called far behind the one above it: lines may be missing."
LENGTH, READS = Column("Length", "base"), Column("Reads")


def read_phd(given: Input) -> Output:
    text = given.path.read_text(encoding="latin-1")
    if text.count("BEGIN_SEQUENCE") != text.count("END_SEQUENCE"):
        raise Unreadable("A sequence begins that does not end: a part of the file is missing.")
    records = list(SeqIO.parse(given.path, "phd"))
    if not records:
        raise Unreadable("It holds no sequence.")
    notes = records[0].annotations
    calls = calls_of(records[0])
    called_at = parse_local_time(str(notes.get("time", "")), PHD_TIME, given=given)
    facts = Facts()
    facts.add("technique", "Sanger sequencing")
    facts.add("format", "PHD")
    facts.add("records", len(records))
    facts.add("chromatogram_file", str(notes.get("chromat_file") or ""))
    facts.add("software_version", str(notes.get("phred_version") or ""))
    facts.add("chemistry", str(notes.get("chem") or ""))
    facts.add("dye", str(notes.get("dye") or ""))
    rows: list[list[Cell]] = [[record.id or "", len(record)] for record in records]
    return Output(
        run=facts.as_json(),
        file={
            "first_name": str(records[0].id)[:200],
            "first_bases": len(records[0]),
            "bases": sum(map(len, records)),
            **describe_calls(calls),
            **describe_zone(called_at, given),
        },
        acquired_at=as_utc(called_at),
        artefacts=[
            tabulate_calls(calls).artefact("bases.json"),
            Table("Records", [Column("Record"), LENGTH], rows).artefact("records.json"),
        ],
        warnings=[
            *([OUT_OF_ORDER] if any(map(goes_back, records)) else []),
            *([BASES_LOST] if any(map(has_gap, records)) else []),
        ],
    )


def calls_of(record: SeqRecord) -> BaseCalls:
    marks = record.letter_annotations
    return BaseCalls(str(record.seq), bytes(marks["phred_quality"]), marks.get("peak_location", ()))


def read_ace(given: Input) -> Output:
    with given.path.open(encoding="latin-1") as file:
        stated = ACE_COUNTS.match(file.readline())
        file.seek(0)
        contigs = [
            (str(one.name), int(one.nbases or 0), int(one.nreads or 0), len(one.reads)) for one in Ace.parse(file)
        ]
    if stated is None:
        raise Unreadable("It does not say how many contigs it holds.")
    reads = sum(found for *_, found in contigs)
    if (len(contigs), reads) != (int(stated[1]), int(stated[2])):
        raise Unreadable(
            f"It should hold {stated[1]} contigs of {stated[2]} reads; {len(contigs)} of {reads} are there."
        )
    facts = Facts()
    facts.add("technique", "sequence assembly")
    facts.add("format", "ACE")
    facts.add("contigs", len(contigs))
    facts.add("reads", reads)
    facts.add_all("contig", [name for name, *_ in contigs[:MAX_VALUES_PER_FACT]])
    rows: list[list[Cell]] = [[name, length, count] for name, length, count, _ in contigs]
    first: dict[str, Json] = {}
    if contigs:
        first = dict(zip(("first_contig", "first_contig_bases", "first_contig_reads"), contigs[0], strict=False))
    return Output(
        run=facts.as_json(),
        file=first,
        artefacts=[Table("Contigs", [Column("Contig"), LENGTH, READS], rows).artefact("contigs.json")],
    )


def goes_back(record: SeqRecord) -> bool:
    """Whether a few bases, and no more, are called well before the one above; noise is close to its neighbours."""
    places = record.letter_annotations.get("peak_location", [])
    if len(places) < LEAST_BASES:
        return False
    steps = [after - before for before, after in pairwise(places)]
    back = sum(-step > median(steps) / 2 for step in steps)
    return 0 < back <= MOST_BACK


def has_gap(record: SeqRecord) -> bool:
    """Whether one base alone stands far behind the one above, where bases were called throughout."""
    places = record.letter_annotations.get("peak_location", [])
    if len(places) < LEAST_BASES:
        return False
    steps = sorted(after - before for before, after in pairwise(places))
    usual = median(steps)
    return bool(steps[-1] > GAP * usual and steps[-2] < USUAL * usual)


def read_sff(given: Input) -> Output:
    """Reads of the 454: how many, how long, and the flowgram of the first."""
    with given.path.open("rb") as file:
        head = file.read(SFF_READS.size)
    if len(head) < SFF_READS.size:
        raise Unreadable("It ends within its header.")
    (stated,) = SFF_READS.unpack(head)
    rows: list[list[Cell]] = []
    first = None
    with collect_warnings() as said:
        for record in SeqIO.parse(given.path, "sff"):
            first = first or record
            rows.append([record.id or "", len(record)])
    if first is None or len(rows) != stated:
        raise Unreadable(f"It should hold {stated:,} reads; {len(rows):,} are there.")
    flows = first.annotations["flow_values"]
    time = "-".join(map(str, first.annotations.get("time") or ()))
    measured_at = parse_local_time(time, "%Y-%m-%d-%H-%M-%S", given=given)
    facts = Facts()
    facts.add("technique", "sequencing")
    facts.add("format", "SFF")
    facts.add("manufacturer", "Roche 454")
    facts.add("reads", len(rows))
    facts.add("bases", sum(int(str(length)) for _, length in rows))
    if measured_at:
        facts.add_times([measured_at])
    series = [Series(str(first.id), range(1, len(flows) + 1), [value / 100 for value in flows])]
    return Output(
        run=facts.as_json(),
        file={
            "first_id": str(first.id),
            "first_read_bases": len(first),
            "flow_values_first_read": len(flows),
            "first_20_bases": str(first.seq)[:20],
            **describe_zone(measured_at, given),
        },
        acquired_at=as_utc(measured_at),
        artefacts=[
            Curve("Flowgram of the first read", Axis("Flow"), Axis("Signal"), series, style="sticks").artefact(
                "flowgram.json"
            ),
            Table("Reads", [Column("Read"), LENGTH], rows).artefact("reads.json"),
        ],
        warnings=said,
    )
