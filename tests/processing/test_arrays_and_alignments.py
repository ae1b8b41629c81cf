"""Arrays of NumPy, tables of Arrow and alignments, as the libraries write them, and copies that are cut off."""

import io

import numpy as np
import pyarrow
import pyarrow.feather
import pyarrow.ipc
import pytest
from Bio import AlignIO
from Bio.Align import MultipleSeqAlignment
from Bio.Seq import Seq
from Bio.SeqRecord import SeqRecord
from PIL import Image

from processing.processors import arrow_ipc, numpy_arrays
from processing.processors.sequencing import alignments
from processing.readings import Kind, Unreadable
from tests.processing.here import documents, read_here, the
from tests.processing.techniques import name_type

PLACES = np.linspace(200, 800, 61)
TABLE = pyarrow.table({"time_s": PLACES, "uv": np.sin(PLACES), "sample": ["S1"] * 61})
SEQUENCES = ("ACGTACGTACGT" * 8, "ACGT-CGTACGA" * 8, "ACGTACG--CGT" * 8)
FORMS = ["clustal", "stockholm", "nexus", "phylip", "phylip-relaxed", "phylip-sequential", "maf"]
ENDINGS = {"clustal": "aln", "stockholm": "sto", "nexus": "nex", "maf": "maf"}


def written(save, *arrays, **named):
    file = io.BytesIO()
    save(file, *arrays, **named)
    return file.getvalue()


def arrow(*, is_stream=False):
    file = io.BytesIO()
    new = pyarrow.ipc.new_stream if is_stream else pyarrow.ipc.new_file
    with new(file, TABLE.schema) as writer:
        writer.write_table(TABLE)
    return file.getvalue()


def feather():
    file = io.BytesIO()
    pyarrow.feather.write_feather(TABLE, file)
    return file.getvalue()


def aligned(form):
    records = [
        SeqRecord(Seq(letters), id=f"Species{n}", annotations={"molecule_type": "DNA"})
        for n, letters in enumerate(SEQUENCES)
    ]
    file = io.StringIO()
    AlignIO.write([MultipleSeqAlignment(records)], file, form)
    return file.getvalue()


def test_named_arrays_are_drawn_over_the_one_that_rises(tmp_path):
    bundle = written(np.savez, wavelength=PLACES, absorbance=np.sin(PLACES), note=np.array("Run 7"), n=np.int64(5))

    found = read_here(numpy_arrays.read_npz, tmp_path / "a.npz", bundle)

    curve = the(found, Kind.CURVE)
    assert (curve["x"]["label"], curve["y"]["label"]) == ("wavelength", "absorbance")
    assert found.run["array_names"] == ["absorbance", "n", "note", "wavelength"]
    assert (found.file["note"], found.file["n"], found.file["wavelength_max"]) == ("Run 7", 5, 800.0)


@pytest.mark.parametrize(
    ("array", "kinds"),
    [
        (np.sin(PLACES), {"curve"}),
        (np.sin(PLACES).astype(">f4"), {"curve"}),
        (np.asfortranarray(np.column_stack([PLACES, np.sin(PLACES)])), {"curve"}),
        (np.arange(4800, dtype="u2").reshape(60, 80), {"image", "stack", "tiles"}),
        (np.arange(9600, dtype="u2").reshape(2, 60, 80), {"image", "stack", "tiles"}),
        (np.zeros((60, 80, 3), "u1"), {"image", "stack", "tiles"}),
        (np.ones((30, 40), bool), {"image", "stack", "tiles"}),
        (np.array([("A1", 0.5)], dtype=[("well", "U4"), ("od", "f8")]), set()),
        (np.empty((0, 3)), set()),
        (np.array(5 + 2j), set()),
    ],
)
def test_an_array_is_shown_as_what_it_is(array, kinds, tmp_path):
    found = read_here(numpy_arrays.read_npy, tmp_path / "a.npy", written(np.save, array))

    assert {artefact.kind.value for artefact in found.artefacts} - {"table"} == kinds
    assert documents(found, Kind.TABLE)[-1]["rows"][0][0] == "a"


def test_columns_keep_their_order_however_they_are_stored(tmp_path):
    array = np.asfortranarray(np.column_stack([PLACES, PLACES * 2]))

    found = read_here(numpy_arrays.read_npy, tmp_path / "a.npy", written(np.save, array))

    assert documents(found, Kind.TABLE)[0]["rows"][:2] == [[200.0, 400.0], [210.0, 420.0]]


@pytest.mark.parametrize(
    "content",
    [
        written(np.save, PLACES)[:-8],
        written(np.save, PLACES) + b"\0" * 8,
        written(np.save, PLACES)[:40],
        written(np.save, PLACES).replace(b"(61,)", b"(99,)"),
        written(np.save, np.array([{"a": 1}], dtype=object)),
    ],
)
def test_an_array_that_is_not_whole_or_holds_objects_is_refused(content, tmp_path):
    with pytest.raises(Unreadable):
        read_here(numpy_arrays.read_npy, tmp_path / "a.npy", content)


def test_an_archive_of_arrays_with_a_byte_changed_is_refused(tmp_path):
    content = bytearray(written(np.savez, a=PLACES))
    content[300] ^= 1

    with pytest.raises(Unreadable, match="Bad CRC"):
        read_here(numpy_arrays.read_npz, tmp_path / "a.npz", bytes(content))


@pytest.mark.parametrize("content", [arrow(), arrow(is_stream=True), feather()])
def test_a_table_of_arrow_is_read_as_one_of_parquet(content, tmp_path):
    found = read_here(arrow_ipc.read, tmp_path / "a.arrow", content)

    assert found.run["format"] == "Arrow"
    assert (found.file["rows"], found.file["time_s_max"]) == (61, 800.0)
    assert the(found, Kind.CURVE)["series"][0]["points"] == 61


@pytest.mark.parametrize("content", [arrow(), feather()])
@pytest.mark.parametrize("share", [0.3, 0.9])
def test_a_table_of_arrow_that_is_cut_off_is_refused(content, share, tmp_path):
    with pytest.raises(Unreadable):
        read_here(arrow_ipc.read, tmp_path / "a.arrow", content[: int(len(content) * share)])


@pytest.mark.parametrize("form", FORMS)
def test_an_alignment_is_read_with_its_gaps(form, tmp_path):
    found = read_here(alignments.read, tmp_path / "a.txt", aligned(form))

    assert found.run["technique"] == "sequence alignment"
    assert (found.run["records"], found.run["alignment_length"]) == (3, 96)
    assert (found.run["sequence_id"], found.file["identical_columns"]) == (["Species0", "Species1", "Species2"], 64)
    assert [row[3] for row in the(found, Kind.TABLE)["rows"]] == [0, 8, 16]
    (picture,) = (Image.open(io.BytesIO(one.data)) for one in found.artefacts if one.kind is Kind.IMAGE)
    assert picture.size == (126 + 60 * 14 + 36, 2 * (3 * 18 + 14))
    assert picture.getpixel((126 + 4 * 14 + 1, 19)) == (255, 255, 255)  # the gap of the second one
    assert picture.getpixel((126 + 1, 1)) == (150, 215, 130)


def test_an_alignment_of_many_columns_is_drawn_in_colours_alone(tmp_path):
    records = [SeqRecord(Seq("ARNDC" * 500), id=f"Protein{n}") for n in range(3)]
    file = io.StringIO()
    AlignIO.write([MultipleSeqAlignment(records)], file, "clustal")

    found = read_here(alignments.read, tmp_path / "a.aln", file.getvalue())

    (picture,) = (Image.open(io.BytesIO(one.data)) for one in found.artefacts if one.kind is Kind.IMAGE)
    assert (picture.size, picture.getpixel((1, 0))) == ((2000, 36), (245, 140, 140))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("share", [0.4, 0.6, 0.8, 0.97])
def test_an_alignment_that_is_cut_off_is_refused(form, share, tmp_path):
    whole = aligned(form).rstrip()

    with pytest.raises(Unreadable):
        read_here(alignments.read, tmp_path / "a.txt", whole[: int(len(whole) * share)])


@pytest.mark.parametrize("content", ["#NEXUS\nbegin trees;\ntree a = (b,c);\nend;\n", "1 2\n3 4\n", "4 9 of them\nx\n"])
def test_what_holds_no_alignment_is_refused(content, tmp_path):
    with pytest.raises(Unreadable):
        read_here(alignments.read, tmp_path / "a.phy", content)


@pytest.mark.parametrize(
    ("name", "content", "kind"),
    [
        ("a.bin", written(np.save, PLACES), "npy"),
        ("a.zip", written(np.savez, a=PLACES), "npz"),
        ("a.feather", feather(), "arrow"),
        ("a.arrows", arrow(is_stream=True), "arrow"),
        *((f"a.{ENDINGS.get(form, 'phy')}", aligned(form).encode(), "alignment") for form in FORMS),
        ("notes.txt", b"CLUSTAL was run today\nWell,Value\n", "generic"),
    ],
)
def test_they_are_told_by_their_first_bytes_or_their_names(name, content, kind, tmp_path):
    path = tmp_path / name
    path.write_bytes(content)

    assert name_type(path) == kind
