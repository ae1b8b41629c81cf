"""Sequences: traces, reads, records and assemblies, real ones as Biopython reads them, and damaged copies."""

import struct

import pytest
from Bio.Seq import Seq
from Bio.SeqFeature import SeqFeature, SimpleLocation
from Bio.SeqRecord import SeqRecord

from processing.processors.sequencing import assemblies, fastq, records, scf
from processing.readings import Kind, Unreadable
from processing.registry import choose_type
from tests.processing.here import documents, read_here, the
from tests.processing.techniques import (
    FILES,
    FOLDER,
    find_wrong_facts,
    list_files,
    needs_techniques,
    read_technique,
    type_of,
)

NAMES = {"sample": "", "quality_scale": "", "first_read_time": "", "first_site": ""}


@needs_techniques
@pytest.mark.parametrize("name", list_files("sequencing/"))
def test_facts_of_real_files_are_those_of_biopython(name):
    assert find_wrong_facts(read_technique(FOLDER / name), FILES[name]["facts"], names=NAMES) == {}


@needs_techniques
@pytest.mark.parametrize("name", list_files("sequencing/"))
@pytest.mark.parametrize("share", [0.0, 0.25, 0.63, 0.9])
def test_a_file_of_which_the_end_is_missing_is_refused(name, share, tmp_path):
    whole = (FOLDER / name).read_bytes()
    cut = tmp_path / (FOLDER / name).name
    cut.write_bytes(whole[: int(len(whole) * share)])
    if type_of(cut) is None:
        return

    with pytest.raises(Exception, match=r"."):
        read_technique(cut)


@pytest.mark.parametrize(
    ("head", "name"),
    [
        (b"@r1 x\nACGT\n+\nIIII\n", "fastq"),
        (b">chr1\nACGTACGTACGTACGTACGTACGT\n", "fasta"),
        (b">> a note\nACGTACGTACGTACGTACGTACGT\n", None),
        (b"@RELATION weather\nwind\n", None),
        (b"LOCUS       AB 10 bp\n", "genbank"),
        (b"AS 1 2\n\nCO Contig1 856 2 31 U\n", "ace"),
    ],
)
def test_formats_are_told_by_their_first_bytes(head, name):
    chosen = choose_type(filename="data", head=head, instrument_type="generic")

    assert (chosen.name if chosen else None) == name


@pytest.mark.parametrize(
    ("title", "qualities", "scale", "mean"),
    [
        ("r1", "!5I", "fastq-sanger", pytest.approx(20)),
        ("r1", "AAA", "fastq-sanger", pytest.approx(32)),  # might be anything; new files are Sanger's
        ("r1", "~~~", "fastq-sanger", pytest.approx(93)),
        ("r1", ";@h", "fastq-solexa", pytest.approx(11.666666666)),
        ("SLXA-B3", "YYY", "fastq-solexa", pytest.approx(25)),
        ("r1", "@Zh", "fastq-illumina", pytest.approx(22)),
    ],
)
def test_the_scale_of_qualities_is_told_by_their_range(title, qualities, scale, mean, tmp_path):
    output = read_here(fastq.read, tmp_path / "a.fastq", f"@{title}\nACG\n+\n{qualities}\n")

    assert (output.run["quality_scale"], output.file["mean_quality"]) == (scale, mean)


@pytest.mark.parametrize(("lowest", "scale", "best"), [(59, "fastq-solexa", 62), (64, "fastq-illumina", 62)])
def test_every_quality_of_a_scale_is_that_scale(lowest, scale, best, tmp_path):
    qualities = "".join(map(chr, range(lowest, 127)))

    output = read_here(fastq.read, tmp_path / "a.fastq", f"@r\n{'N' * len(qualities)}\n+\n{qualities}\n")

    assert (output.run["quality_scale"], output.file["quality_range"]) == (scale, [lowest - 64, best])
    assert output.warnings == [f"The qualities fit several scales; they were read as {scale}."]


@pytest.mark.parametrize(
    "text", ["@r\nACGT\n+\nIII\n", "@r\nACGT\n", "@r\nAC\n+\nII\nxx\n", "@r\nA5GT\n+\nIIII\n", "\n"]
)
def test_reads_that_contradict_themselves_are_refused(text, tmp_path):
    with pytest.raises(Unreadable):
        read_here(fastq.read, tmp_path / "a.fastq", text)


def test_sequences_of_fasta_are_counted(tmp_path):
    output = read_here(records.read_fasta, tmp_path / "a.fa", ">a first\nACGT\nAC\n>b\nMKV*\n")

    assert the(output, Kind.TABLE)["rows"] == [["a", "first", 6], ["b", "", 4]]
    assert (output.run["records"], output.file["length"]) == (2, 10)


def test_a_record_shorter_than_it_says_is_refused(tmp_path):
    locus = "LOCUS       AB000001                  24 bp    DNA     linear   SYN 01-JAN-2026"
    record = f"{locus}\nORIGIN\n        1 acgtacgtac\n//\n"

    with pytest.raises(Unreadable, match="not whole"):
        read_here(records.read_genbank, tmp_path / "a.gb", record)


def test_a_record_with_bytes_that_are_no_text_is_refused(tmp_path):
    with pytest.raises(Unreadable, match="no text"):
        read_here(records.read_genbank, tmp_path / "a.gb", b"LOCUS       AB000001 24 bp\n\0\0\0\n//\n".decode())


def test_a_record_of_embl_has_its_features(tmp_path):
    made = SeqRecord(Seq("ACGTACGTACGT"), id="X1.1", name="X1", annotations={"molecule_type": "DNA"})
    made.features = [SeqFeature(SimpleLocation(2, 8, strand=1), "CDS", qualifiers={"gene": ["abc"]})]

    output = read_here(records.read_embl, tmp_path / "a.embl", made.format("embl"))

    assert documents(output, Kind.TABLE)[1]["rows"] == [["X1.1", "CDS", "abc", "[2:8](+)"]]
    assert (output.file["length"], output.file["CDS"]) == (12, 1)


def test_an_assembly_without_all_its_reads_is_refused(tmp_path):
    contig = "CO C1 4 1 1 U\nacgt\n\nBQ\n20 20 20 20\n\nAF r1 U 1\nBS 1 4 r1\n\n"
    read = "RD r1 4 0 0\nacgt\n\nQA 1 4 1 4\nDS CHROMAT_FILE: r1\n"

    with pytest.raises(Unreadable, match="should hold 2 contigs"):
        read_here(assemblies.read_ace, tmp_path / "a.ace", f"AS 2 4\n\n{contig}{read}")


def make_scf(*, version: str, bases: bytes = b"AC") -> bytes:
    traces = [[1, 5, 2], [0, 7, 300], [2, 2, 2], [9, 0, 1]]
    if version < "3":
        samples = struct.pack(">12H", *(trace[place] for place in range(3) for trace in traces))
        called = b"".join(struct.pack(">I4Bc3x", at, 30, 20, 1, 1, bytes([base])) for at, base in enumerate(bases))
    else:
        samples = b"".join(struct.pack(">3H", a, b - 2 * a & 0xFFFF, c - 2 * b + a & 0xFFFF) for a, b, c in traces)
        called = struct.pack(">2I", 0, 1) + bytes([30, 30, 20, 20, 1, 1, 1, 1]) + bases + bytes(6)
    comments = b"NAME=S1\nMACH=ABI 3700\n\0"
    after = 128 + len(samples)
    header = struct.pack(
        ">4s8I4s4I", b".scf", 3, 128, 2, 0, 0, after, len(comments), after + len(called), version.encode(), 2, 0, 0, 0
    )
    return header.ljust(128, b"\0") + samples + called + comments


@pytest.mark.parametrize("version", ["2.00", "3.10"])
def test_traces_of_scf_are_the_same_in_either_version(version, tmp_path):
    output = read_here(scf.read, tmp_path / "a.scf", make_scf(version=version))

    called, curve = documents(output, Kind.CURVE)
    assert (called["title"], called["marks"]) == ("Bases 1 to 2", [{"label": "A", "x": 0}, {"label": "C", "x": 1}])
    assert [(series["label"], series["y"]) for series in curve["series"]] == [
        ("A", [1, 5, 2]), ("C", [0, 7, 300]), ("G", [2, 2, 2]), ("T", [9, 0, 1]),
    ]  # fmt: skip
    assert the(output, Kind.TABLE)["rows"] == [[1, "A", 0, 30], [2, "C", 1, 20]]
    assert (output.run["sample_id"], output.run["instrument_model"]) == ("S1", "ABI 3700")


@needs_techniques
def test_called_bases_stand_over_their_peaks_sixty_at_once():
    output = read_technique(FOLDER / "sequencing" / "310.ab1")

    stretches = [curve for curve in documents(output, Kind.CURVE) if curve["title"].startswith("Bases")]
    assert [stretches[0]["title"], stretches[-1]["title"], len(stretches)] == ["Bases 1 to 60", "Bases 841 to 868", 15]
    assert "".join(mark["label"] for mark in stretches[0]["marks"])[:20] == "TGATNTTNACNNTTTTGAAN"
    assert all(series["x"][0] <= stretches[1]["marks"][0]["x"] for series in stretches[1]["series"])


def test_a_trace_that_ends_early_is_refused(tmp_path):
    with pytest.raises(Unreadable, match="ends before"):
        read_here(scf.read, tmp_path / "a.scf", make_scf(version="3.10")[:-30])


@pytest.mark.parametrize(
    ("head", "name"),
    [
        (b"# solexa file\n\nBEGIN_SEQUENCE read_1\n", "phd"),
        (b"GBVRL1.SEQ           Genetic Sequence Data Bank\n   72061 loci\n\n\nLOCUS       AB000048", "genbank"),
        (b"ID   A04195 IMGT/LIGM annotation : by annotators; RNA; SYN; 51 BP.\n", "embl"),
        (b">read_1 a\n26 26 18 26 26 26\n", "qual"),
        (b'{"aggr_settings": {"method": "opm"}, "aggregated": {"H09": {"A": 69.0}}', "omnilog"),
        (b'{"metadata": [], "measurements": {"H09": [1.0, 1.0', "omnilog"),
    ],
)
def test_variants_are_told_by_their_first_bytes(head, name):
    kind = choose_type(filename="a.txt", head=head, instrument_type="generic")

    assert kind is not None
    assert kind.name == name


def test_qualities_without_their_bases_are_measured(tmp_path):
    output = read_here(fastq.read_qual, tmp_path / "a.qual", ">r1\n10 20 30\n40\n>r2\n10 30\n")

    assert (output.run["reads"], output.run["bases"]) == (2, 6)
    assert output.file["quality_range"] == [10, 40]
    assert "first_read_start" not in output.file


@needs_techniques
@pytest.mark.parametrize("name", ["NC_005816.gb", "example.fastq", "protein_refseq.gb"])
def test_the_mark_that_editors_put_before_a_text_is_no_part_of_it(name, tmp_path):
    usual = read_technique(FOLDER / "sequencing" / name)
    (tmp_path / name).write_bytes(b"\xef\xbb\xbf" + (FOLDER / "sequencing" / name).read_bytes())

    found = read_technique(tmp_path / name)

    assert [one.data for one in found.artefacts] == [one.data for one in usual.artefacts]


def make_gck(bases: bytes) -> bytes:
    """As Biopython reads it: packets with their lengths, and a tail with the name and whether it is a circle."""
    packets = [struct.pack(">I", len(bases)) + bases, b"", struct.pack(">IH", len(bases), 0)]
    packets += [struct.pack(">IH", len(bases), 0), b""]
    body = b"".join(struct.pack(">I", len(packet)) + packet for packet in packets)
    return struct.pack(">6I", 1, 12, 12, 0, 0, 0) + body + bytes(2 + 706) + b"\x05pUC19" + bytes(16) + b"\1"


def make_xdna(bases: bytes) -> bytes:
    return struct.pack(">BBB25xII60xI11xB", 0, 1, 1, len(bases), 0, 4, 255) + bases + b"None" + b"\0\x010\x010\0"


PIR = b">P1;CRAB_ANAPL\nALPHA CRYSTALLIN B CHAIN.\n  MDITIHNPLI RRPLFSWLAP SRIFDQIFGE*\n"


@pytest.mark.parametrize(
    ("content", "kind", "length", "topology"),
    [
        (make_gck(b"ACGT" * 9), "gck", 36, "circular"),
        (make_xdna(b"ACGT" * 9), "xdna", 36, "circular"),
        (PIR, "pir", 30, None),
    ],
)
def test_records_of_further_programs_are_read(content, kind, length, topology, tmp_path):
    path = tmp_path / "a.bin"
    path.write_bytes(content)

    output = read_technique(path)

    assert type_of(path).name == kind
    assert output.file["length"] == length
    assert output.run.get("topology") == topology


@pytest.mark.parametrize("content", [make_gck(b"ACGT" * 9), make_xdna(b"ACGT" * 9)])
def test_records_of_further_programs_that_are_cut_off_are_refused(content, tmp_path):
    path = tmp_path / "a.bin"
    path.write_bytes(content[:130])

    with pytest.raises(Unreadable):
        read_technique(path)
