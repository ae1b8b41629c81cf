"""mzXML, MGF, MS1, pepXML, and GC-MS in JCAMP-DX."""

import base64
import struct

import pytest

from processing.processors.jcamp.reader import read as read_jcamp
from processing.processors.mass_spectrometry import identifications, mzxml, peak_lists, pepxml
from processing.readings import Unreadable
from tests.processing.here import read_here
from tests.processing.techniques import list_curves, list_tables, name_type, needs_techniques, read_technique

POINTS = base64.b64encode(struct.pack(">4f", 100, 5, 200, 7)).decode()
MZXML = (
    '<?xml version="1.0"?>\n<mzXML xmlns="http://x/mzXML_3.2"><msRun scanCount="{announced}">'
    '<scan num="1" msLevel="1" peaksCount="{points}" retentionTime="PT60S">'
    f'<peaks precision="32">{POINTS}</peaks>'
    '<scan num="2" msLevel="2" peaksCount="2" retentionTime="PT1M1S"><precursorMz>200</precursorMz>'
    f'<peaks precision="32">{POINTS}</peaks></scan></scan></msRun></mzXML>'
)
MGF = "BEGIN IONS\nTITLE=One\nPEPMASS=983.6 12\nCHARGE=2+\n846.6 73\n846.8 44\nEND IONS\n"
MS1 = "H\tExtractor\tMakeMS\nS\t1\t1\nI\tRTime\t0.5\n100.5 3\n101.5 9\n"


def test_mzxml_scans_within_scans_are_all_read_in_their_order(tmp_path):
    output = read_here(mzxml.read, tmp_path / "a.mzXML", MZXML.format(announced=2, points=2))

    rows = list_tables(output)[0]["rows"]
    assert [row[:4] for row in rows] == [["1", 1, 1, 2], ["2", 2, 1.016667, 2]]
    assert rows[1][-1] == 200
    assert [curve["series"][0]["y"] for curve in list_curves(output)] == [[5, 7], [5, 7]]
    assert output.warnings == []


def test_mzxml_that_announces_more_scans_than_it_holds_says_so(tmp_path):
    output = read_here(mzxml.read, tmp_path / "a.mzXML", MZXML.format(announced=3, points=2))

    assert output.warnings == ["The header announces 3 scans; the file holds 2."]


def test_mzxml_points_that_are_missing_are_refused(tmp_path):
    with pytest.raises(Unreadable, match="Scan 1 announces 3 points and holds 2"):
        read_here(mzxml.read, tmp_path / "a.mzXML", MZXML.format(announced=2, points=3))


def test_mgf_spectra_keep_title_precursor_and_charge(tmp_path):
    output = read_here(peak_lists.read_mgf, tmp_path / "a.mgf", MGF)

    assert list_tables(output)[0]["rows"] == [["One", 2, 2, 117, 846.6, 73, 983.6, "2+"]]


@pytest.mark.parametrize(
    ("reader", "text", "sentence"),
    [
        (peak_lists.read_mgf, MGF[:-10], "It ends within a spectrum"),
        (peak_lists.read_mgf, MGF.replace("846.8 44", "846.8"), "Line 6 is no pair of mass and intensity"),
        (peak_lists.read_ms1, MS1.replace("101.5 9", "101.5 x"), "Line 5 is no pair of mass and intensity"),
        (peak_lists.read_ms1, "H\tExtractor\tMakeMS\n", "It holds no spectra"),
        (pepxml.read, "<msms_pipeline_analysis><spectrum_query>", "The XML is damaged, or ends too early"),
        (mzxml.read, MZXML[:300], "The XML is damaged, or ends too early"),
    ],
)
def test_damage_is_told_with_a_sentence(tmp_path, reader, text, sentence):
    with pytest.raises(Unreadable, match=sentence):
        read_here(reader, tmp_path / "a.txt", text)


def test_ms1_that_ends_without_a_line_end_warns(tmp_path):
    assert read_here(peak_lists.read_ms1, tmp_path / "a.ms1", MS1[:-1]).warnings == [peak_lists.CUT_OFF]


def test_each_is_known_by_its_first_bytes(tmp_path):
    for name, text in (("mzxml", MZXML), ("mgf", MGF), ("ms1", MS1), ("pepxml", "<msms_pipeline_analysis date=''>")):
        (tmp_path / "a.txt").write_text(text)
        assert name_type(tmp_path / "a.txt") == name


@needs_techniques
def test_real_files_give_the_numbers_that_the_reference_library_finds():
    scans = list_tables(read_technique("mass-spectrometry/test.mzXML"))[0]["rows"]
    ions = list_tables(read_technique("mass-spectrometry/test.mgf"))[0]["rows"]
    first = read_technique("mass-spectrometry/test.ms1")
    peptides = read_technique("mass-spectrometry/test.pep.xml")

    assert scans[0] == ["19", 1, 5.8905, 1313, 16675500, 445.3467, 120053, None]
    assert scans[1][-1] == 445.35
    assert ions[0] == ["Spectrum 1", 2, None, 6, 578, 1640.1, 291, 983.6, "2+"]
    assert (first.run["spectra"], first.run["tic_max"], first.run["time_first"]) == (2, 3728760, 0.987225)
    assert (peptides.run["spectrum_queries"], peptides.run["hits"]) == (5, 6)
    assert list_tables(peptides)[0]["rows"][0][:6][2:] == [860.392, 1, 1, "SLNGEWR"]


GCMS = """##TITLE=
##JCAMP-DX=
##SCAN_NUMBER= 1
##RETENTION_TIME= 125.5
##TIC= 12
##NPOINTS= 2
##XYDATA= (XY..XY)
 309.0, 5
 307.1, 7
##SCAN_NUMBER= 2
##RETENTION_TIME= 126.5
##TIC= 30
##NPOINTS= {points}
##XYDATA= (XY..XY)
 309.0, 30
"""


def test_jcamp_scans_make_ion_curves_against_retention_time(tmp_path):
    output = read_here(read_jcamp, tmp_path / "a.jdx", GCMS.format(points=1))

    ions = list_curves(output)[0]
    assert (ions["series"][0]["x"], ions["series"][0]["y"]) == ([125.5, 126.5], [12, 30])
    assert (output.run["spectra"], output.run["mass_points"], output.run["tic_max"]) == (2, 3, 30)


def test_a_jcamp_scan_that_lacks_points_is_refused(tmp_path):
    with pytest.raises(Unreadable, match="announces 2 points, the data hold 1"):
        read_here(read_jcamp, tmp_path / "a.jdx", GCMS.format(points=2))


@needs_techniques
def test_a_real_gas_chromatography_run_in_jcamp_has_all_its_scans():
    output = read_technique("chromatography/gcms.jdx")

    assert (output.run["spectra"], output.run["time_first"], output.run["time_last"]) == (2420, 125.207, 1799.596)
    assert list_tables(output)[0]["rows"][0][:5] == ["1", 1, 125.207, 78, 16132]


MZIDENTML = """<?xml version="1.0"?><MzIdentML xmlns="http://psidev.info/psi/pi/mzIdentML/1.1" version="1.1.0" id="a">
<AnalysisSoftwareList><AnalysisSoftware id="AS" name="Mascot Server" version="2.5"/></AnalysisSoftwareList>
<SequenceCollection><DBSequence id="P1" accession="sp|P02768"/><Peptide id="pep1">
<PeptideSequence>SLNGEWR</PeptideSequence></Peptide><PeptideEvidence id="E1" dBSequence_ref="P1" peptide_ref="pep1"/>
</SequenceCollection><DataCollection><AnalysisData><SpectrumIdentificationList id="L">
<SpectrumIdentificationResult id="R1" spectrumID="index=7"><SpectrumIdentificationItem id="I1" rank="1" chargeState="2"
experimentalMassToCharge="431.2" calculatedMassToCharge="431.197" peptide_ref="pep1" passThreshold="true">
<PeptideEvidenceRef peptideEvidence_ref="E1"/><cvParam accession="MS:1001171" name="Mascot:score" value="33.8"/>
</SpectrumIdentificationItem></SpectrumIdentificationResult>
</SpectrumIdentificationList></AnalysisData></DataCollection></MzIdentML>"""
TANDEM = """<?xml version="1.0"?><bioml xmlns:GAML="http://www.bioml.com/gaml/" label="models from 'a.mgf'">
<group id="7" mh="861.4" z="2" expect="0.01" label="sp|P02768" type="model"><protein label="sp|P02768"><peptide>
<domain id="7.1.1" seq="SLNGEWR" mh="861.42" delta="-0.02" expect="0.01" hyperscore="33.8"/></peptide></protein></group>
<group label="performance parameters" type="parameters">
<note label="process, version">X! Tandem Vengeance</note></group>
</bioml>"""


@pytest.mark.parametrize(
    ("text", "name", "software", "spectrum"),
    [(MZIDENTML, "a.mzid", "Mascot Server", "index=7"), (TANDEM, "a.t.xml", "X! Tandem Vengeance", 7)],
)
def test_peptides_that_engines_found_are_tables(text, name, software, spectrum, tmp_path):
    (tmp_path / name).write_text(text)

    output = read_technique(tmp_path / name)

    assert (output.run["spectrum_queries"], output.run["hits"], output.run["software"]) == (1, 1, software)
    (table,) = list_tables(output)
    (row,) = (dict(zip([column["name"] for column in table["columns"]], one, strict=True)) for one in table["rows"])
    assert (row["Spectrum"], row["Peptide"], row["Protein"]) == (spectrum, "SLNGEWR", "sp|P02768")
    assert row["Charge"] == 2
    assert 33.8 in row.values()


@pytest.mark.parametrize(
    ("reader", "text"), [(identifications.read_mzidentml, MZIDENTML), (identifications.read_tandem, TANDEM)]
)
def test_identifications_that_break_off_are_refused(reader, text, tmp_path):
    with pytest.raises(Unreadable, match="ends too early"):
        read_here(reader, tmp_path / "a.xml", text[:-20])
