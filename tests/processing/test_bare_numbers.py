"""Texts of bare numbers and files in archives: peak lists of SEQUEST and Micromass, one column, one file of a ZIP."""

import io
import tracemalloc
import zipfile
from zoneinfo import ZoneInfo

import pytest

from processing.processors import generic
from processing.processors.asm import sniffing
from processing.processors.columns import blocks
from processing.processors.columns import reader as columns
from processing.processors.mass_spectrometry import bare_peaks, identifications
from processing.readings import Input, Kind, Unreadable, Unrecognised
from processing.registry import choose_type
from tests.processing.here import read_here, the

PEAKS = "187.1 520.0\n245.25 1800.5\n301.5 77\n860.125 12\n"
DTA = f"1200.5 2\n{PEAKS}"
PKL = f"700.25 5000.0 2\n{PEAKS}\n800.5 100 3\n{PEAKS}\n"
CSV = "Time (s),Signal (mV)\n" + "".join(f"{n},{n * n / 10}\n" for n in range(1, 9))


def name_of_type(text, name="a.txt"):
    kind = choose_type(filename=name, head=text.encode(), instrument_type="generic")
    return kind.name if kind else None


def test_a_spectrum_of_sequest_has_its_precursor(tmp_path):
    output = read_here(bare_peaks.read, tmp_path / "run.0012.0012.2.dta", DTA)

    table = the(output, Kind.TABLE)
    names = [column["name"] for column in table["columns"]]
    row = dict(zip(names, table["rows"][0], strict=True))
    assert (row["Precursor m/z"], row["Charge"]) == (pytest.approx(600.753638), "2+")
    assert output.run["format"] == "SEQUEST DTA"
    assert the(output, Kind.CURVE)["series"][0]["y"] == [520, 1800.5, 77, 12]
    assert output.warnings == []


def test_spectra_of_micromass_and_named_ones_of_sequest_are_apart(tmp_path):
    several = "".join(f'=================================== "b.{n}.{n}.2.dta" ===\n{DTA}\n' for n in (3, 4))

    assert the(read_here(bare_peaks.read, tmp_path / "a.pkl", PKL), Kind.TABLE)["total_rows"] == 2
    named = the(read_here(bare_peaks.read, tmp_path / "a.txt", several), Kind.TABLE)
    assert [row[0] for row in named["rows"]] == ["b.3.3.2", "b.4.4.2"]


@pytest.mark.parametrize("text", [DTA, PKL, DTA.replace("\n", "\r\n")])
def test_bare_peaks_are_known_by_how_they_begin(text):
    assert name_of_type(text) == "bare-peaks"


@pytest.mark.parametrize(
    "text",
    ["10.5 3\n10.6 4\n10.7 6\n10.8 2\n10.9 1\n", "4000.5 3\n3999.5 4\n3998.5 6\n3997.5 2\n3996.5 1\n", "10.5 3\n"],
    ids=["rising", "falling", "one row"],
)
def test_a_table_of_points_is_no_peak_list(text):
    assert name_of_type(text) == "generic"


@pytest.mark.parametrize("text", [DTA + "301.x 4\n", DTA + "301.5\n"])
def test_what_is_no_pair_is_refused(text, tmp_path):
    with pytest.raises(Unreadable):
        read_here(bare_peaks.read, tmp_path / "a.dta", text)


def test_a_peak_list_without_its_end_is_told(tmp_path):
    assert read_here(bare_peaks.read, tmp_path / "a.dta", DTA[:-2]).warnings == [bare_peaks.CUT_OFF]


@pytest.mark.parametrize("head", ["", "Absorbance (AU)\n", "Operator: Jenny\nLamp: on\n\nAbsorbance (AU)\n"])
def test_numbers_one_a_line_are_a_curve(head, tmp_path):
    text = head + "".join(f"{0.5 + n / 8:.4f}\n" for n in range(9))

    output = read_here(columns.read, tmp_path / "trace.txt", text)

    curve = the(output, Kind.CURVE)
    assert curve["series"][0]["y"] == [0.5 + n / 8 for n in range(9)]
    assert curve["y"]["unit"] == ("AU" if head else None)
    assert output.run["rows"] == 9
    assert output.run.get("analyst") == ("Jenny" if "Jenny" in head else None)


def test_decimal_commas_in_quotes_are_one_column(tmp_path):
    text = "Signal (mV)\n" + "".join(f'"{n},25"\n' for n in range(9))

    output = read_here(columns.read, tmp_path / "a.csv", text)

    assert the(output, Kind.CURVE)["series"][0]["y"][:2] == [0.25, 1.25]


def test_a_table_of_two_rows_below_facts_is_a_table(tmp_path):
    text = "Instrument\tUV\nOperator\tJenny\n\nSample\tResult\tFlag\nP-1\t0.5\tH\nP-2\t0.7\tL\n"

    assert read_here(columns.read, tmp_path / "a.txt", text).run["rows"] == 2


@pytest.mark.parametrize("text", ["1\n2\n3\n", "".join(f"{n}\nword\n" for n in range(9)), "007\n" * 9])
def test_other_texts_are_no_column(text, tmp_path):
    with pytest.raises(columns.NoTable):
        read_here(columns.read, tmp_path / "a.txt", text)


def pack(**files):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return packed.getvalue()


def test_the_only_file_of_an_archive_is_read(tmp_path):
    data = pack(**{"sent/trace.csv": CSV, "__MACOSX/sent/._trace.csv": "x", "sent/.DS_Store": "x"})

    output = read_here(generic.read, tmp_path / "trace.zip", data, instrument_type="generic")

    assert the(output, Kind.CURVE)["x"]["unit"] == "s"
    assert (output.file["unpacked"], output.warnings) == ("trace.csv", [])


def test_the_only_file_of_an_archive_is_read_by_its_own_reader(tmp_path):
    output = read_here(generic.read, tmp_path / "a.zip", pack(**{"a.dta": DTA}), instrument_type="generic")

    assert output.run["format"] == "SEQUEST DTA"


def test_doubts_of_what_is_packed_are_told(tmp_path):
    rows = [f"S{n},{n * 1.25},{n * 0.5}" for n in range(1, 30)]
    text = "\n".join(["Sample,Mean,SD", *rows, "S30,3"])

    output = read_here(generic.read, tmp_path / "a.zip", pack(**{"a.csv": text}), instrument_type="generic")

    assert output.warnings != []


def test_an_archive_of_several_files_says_so(tmp_path):
    data = pack(**{"a.csv": CSV, "b.csv": CSV})

    with pytest.raises(Unrecognised, match="2 files: send them unpacked"):
        read_here(generic.read, tmp_path / "a.zip", data, instrument_type="generic")


def test_an_archive_that_unpacks_to_too_much_is_not_unpacked(tmp_path, monkeypatch):
    monkeypatch.setattr("processing.single_members.MAX_UNPACKED_BYTES", 2**20)
    data = pack(**{"a.csv": CSV + "\n" * 2**20})

    with pytest.raises(Unreadable, match="It unpacks to more than 1 MiB"):
        read_here(generic.read, tmp_path / "a.zip", data, instrument_type="generic")


@pytest.mark.parametrize("name", ["a.xyz", "a.csv.gz"])
def test_an_archive_of_what_nobody_reads_is_left_alone(name, tmp_path):
    with pytest.raises(Unrecognised):
        read_here(generic.read, tmp_path / "a.zip", pack(**{name: b"\x1f\x8b\x08\0"}), instrument_type="generic")


def identified(results, *, size=0):
    head = '<?xml version="1.0"?><MzIdentML xmlns="http://psidev.info/psi/pi/mzIdentML/1.1"><SequenceCollection>'
    parts = [f'<DBSequence id="D{n}" accession="P{n}"><Seq>{"A" * size}</Seq></DBSequence>' for n in range(results)]
    parts += [f'<Peptide id="Q{n}"><PeptideSequence>PEPTIDE{"K" * n}</PeptideSequence></Peptide>' for n in range(9)]
    parts += [f'<PeptideEvidence id="E{n}" peptide_ref="Q0" dBSequence_ref="D{n}"/>' for n in range(results)]
    parts.append("</SequenceCollection><DataCollection><SpectrumIdentificationList>")
    parts += [
        f'<SpectrumIdentificationResult spectrumID="scan={n}"><SpectrumIdentificationItem id="I{n}" rank="1" '
        f'chargeState="2" peptide_ref="Q{n % 9}"><PeptideEvidenceRef peptideEvidence_ref="E{n}"/>'
        f'<cvParam name="score" value="{n}"/></SpectrumIdentificationItem></SpectrumIdentificationResult>'
        for n in range(results)
    ]
    return "".join([head, *parts, "</SpectrumIdentificationList></DataCollection></MzIdentML>"])


def test_identifications_name_their_peptides_and_proteins(tmp_path):
    output = read_here(identifications.read_mzidentml, tmp_path / "a.mzid", identified(3))

    table = the(output, Kind.TABLE)
    names = [column["name"] for column in table["columns"]]
    found = [dict(zip(names, row, strict=True)) for row in table["rows"]]
    assert [(row["Peptide"], row["Protein"]) for row in found] == [
        ("PEPTIDE", "P0"),
        ("PEPTIDEK", "P1"),
        ("PEPTIDEKK", "P2"),
    ]
    assert output.run["hits"] == 3


def test_identifications_need_no_memory_for_what_is_not_shown(tmp_path, monkeypatch):
    monkeypatch.setattr(identifications, "MAX_ROWS", 10)
    path = tmp_path / "a.mzid"
    path.write_text(identified(4_000, size=2_000))
    tracemalloc.start()

    output = read_here(identifications.read_mzidentml, path, path.read_bytes())

    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert output.run["hits"] == 4_000
    assert peak < path.stat().st_size + 2 * 2**20  # the bytes that the test itself holds, and little more


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_a_table_of_one_row_below_facts_is_a_table(delimiter, tmp_path):
    lines = [
        ["Instrument", "UV-1900"],
        ["Operator", "Jenny"],
        [],
        ["Well", "Conc (ng/uL)", "A260"],
        ["A1", "51.5", "1"],
    ]

    output = read_here(columns.read, tmp_path / "a.csv", "\r\n".join(map(delimiter.join, lines)) + "\r\n")

    assert (output.run["rows"], output.run["analyst"]) == (1, "Jenny")
    assert the(output, Kind.TABLE)["rows"] == [["A1", 51.5, 1]]


@pytest.mark.parametrize("text", ["Instrument,UV-1900\nPulses,5\n", "Dear Tom,\nsee you at 5, or 6\n"])
def test_pairs_and_prose_are_no_table_of_one_row(text):
    assert blocks.find_single_row(text.split("\n")) is None


@pytest.mark.parametrize(
    "text", ["Sample Name,Result,Flag\nP-1,0.5,H\nP-2,0.7,L\n", "Date;Viability (%)\n1/3/2026;95\n"]
)
def test_names_that_many_columns_have_are_no_vendors(text, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(text)

    assert sniffing.find_claims(Input(path, path.name, "generic", ZoneInfo("UTC"))).claiming == []
