"""SeqXML: records as Biopython reads them, and files that do not keep to the format."""

import pytest

from processing.processors.sequencing.seqxml import read
from processing.readings import HEAD_BYTES, Kind, Unreadable
from processing.registry import choose_type
from tests.processing.here import read_here, the

SEQXML = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<seqXML source="Ensembl" sourceVersion="56" seqXMLversion="0.4">'
    '<entry id="E1"><species name="Mus musculus" ncbiTaxID="10090"/><description>synthetase 1</description>'
    "<DNAseq>CTTTGATTCACCATTTACTGGG</DNAseq></entry>"
    '<entry id="E2"><species name="Homo sapiens" ncbiTaxID="9606"/><AAseq>GAKKVFIEDVSK</AAseq></entry></seqXML>\n'
)


def test_records_are_read_with_their_species(tmp_path):
    chosen = choose_type(filename="a.xml", head=SEQXML.encode()[:HEAD_BYTES], instrument_type="generic")

    output = read_here(read, tmp_path / "a.xml", SEQXML)

    assert chosen.name == "seqxml"
    assert output.run["sequence_id"] == ["E1", "E2"]
    assert output.run["organism"] == ["Homo sapiens", "Mus musculus"]
    assert (output.file["length"], output.file["first_20_bases"]) == (34, "CTTTGATTCACCATTTACTG")
    assert the(output, Kind.TABLE)["rows"] == [["E1", "synthetase 1", 22], ["E2", "", 12]]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(SEQXML[:300], id="cut within a record"),
        pytest.param(SEQXML[:-20], id="cut before its end"),
        pytest.param(SEQXML.replace("DNAseq", "DNAsek"), id="a record without a sequence"),
        pytest.param(SEQXML.replace('id="E2"', 'no="E2"'), id="a record without a name"),
    ],
)
def test_what_does_not_keep_to_the_format_is_refused(text, tmp_path):
    with pytest.raises(Unreadable):
        read_here(read, tmp_path / "a.xml", text)
