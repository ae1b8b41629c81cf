"""Damage that containers show by themselves: OLE documents and PDF."""

import io
import struct
import zipfile
import zlib

import numpy as np
import pytest
from PIL import Image

from processing.doubts.containers import has_hole, list_container_doubts
from processing.doubts.jpeg import list_jpeg_doubts
from processing.doubts.json_objects import list_json_doubts

FREE, END = 0xFFFFFFFF, 0xFFFFFFFE


def ole(sectors: int) -> bytes:
    """A document of one table of sectors, of which so many are used."""
    header = bytearray(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1".ljust(512, b"\0"))
    struct.pack_into("<H", header, 30, 9)
    struct.pack_into("<I", header, 44, 1)
    struct.pack_into("<109I", header, 76, 0, *[FREE] * 108)
    return (
        bytes(header) + struct.pack("<128I", *[END] * sectors, *[FREE] * (128 - sectors)) + bytes(512 * (sectors - 1))
    )


def pdf() -> bytes:
    packed = zlib.compress(b"0 0 m 100 100 l S " * 40)
    objects = [
        b"1 0 obj\n<< /Type /Catalog /Title (a \x07 bell) >>\nendobj\n",
        b"2 0 obj\n<< /Length %d /Filter /FlateDecode >>\nstream\n%s\nendstream\nendobj\n" % (len(packed), packed),
    ]
    places = [9, 9 + len(objects[0])]
    body = b"%PDF-1.4\n" + b"".join(objects)
    table = b"xref\n0 3\n0000000000 65535 f \n" + b"".join(b"%010d 00000 n \n" % place for place in places)
    return body + table + b"trailer\n<< /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % len(body)


def doubts(tmp_path, content):
    path = tmp_path / "file"
    path.write_bytes(content)
    return list(list_container_doubts(path))


def test_nothing_is_said_of_what_is_whole(tmp_path):
    assert doubts(tmp_path, ole(9)) == doubts(tmp_path, ole(9)[:-200]) == doubts(tmp_path, pdf()) == []


@pytest.mark.parametrize("kept", [300, 700, 512 * 9])
def test_sectors_beyond_the_end_are_told(tmp_path, kept):
    assert doubts(tmp_path, ole(9)[:kept]) == ["It announces more sectors than it has: the file is cut off."]


@pytest.mark.parametrize(
    ("whole", "damaged", "said"),
    [
        (b"endobj\n2 0", b"\n2 0", "Objects are not where its table says"),
        (b"/Catalog", b"/C\x01talog", "Objects are not where its table says"),
        (b"startxref", b"startxxxx", "Objects are not where its table says"),
        (b"\nendstream", b"", "1 of its compressed streams cannot be unpacked"),
        (b"stream\nx", b"stream\ny", "1 of its compressed streams cannot be unpacked"),
    ],
)
def test_broken_objects_and_streams_of_pdf_are_told(tmp_path, whole, damaged, said):
    content = pdf()
    assert whole in content

    if whole == b"\nendstream":
        content = content[: content.index(whole) - 9] + content[content.index(whole) :]
    assert any(one.startswith(said) for one in doubts(tmp_path, content.replace(whole, damaged)))


def test_a_hole_between_the_records_of_a_workbook_is_seen():
    record = struct.pack("<HH", 0x0203, 6) + b"\1\2\3\4\5\6"
    begun = struct.pack("<HH", 0x0809, 4) + b"\0\6\5\0" + 4 * record

    assert has_hole(begun + bytes(40) + record)
    assert not has_hole(begun + bytes(40))  # behind the last of them
    assert not has_hole(begun + record)
    assert not has_hole(bytes(40) + record)  # of something else


def jpeg(pixels, **options):
    written = io.BytesIO()
    Image.fromarray(pixels).save(written, "jpeg", **options)
    return written.getvalue()


def jpeg_doubts(tmp_path, content):
    path = tmp_path / "picture"
    path.write_bytes(content)
    return list(list_jpeg_doubts(path))


@pytest.mark.parametrize(
    ("place", "said"),
    [
        (lambda whole: len(whole) * 2 // 3, "a hole of zeros"),
        (lambda whole: whole.index(b"\xff\xc4") + 4, "a hole of zeros"),  # its first table
        (lambda whole: whole.index(b"\xff\xc4") + 1, "do not follow each other"),
    ],
)
def test_a_hole_within_a_jpeg_is_told(tmp_path, place, said):
    whole = jpeg(np.random.default_rng(3).integers(0, 255, (64, 64, 3), dtype=np.uint8))
    at = place(whole)

    (told,) = jpeg_doubts(tmp_path, whole[:at] + bytes(24) + whole[at + 24 :])

    assert said in told


@pytest.mark.parametrize("options", [{}, {"optimize": True}, {"progressive": True}, {"quality": 100}])
def test_whole_jpegs_are_not_doubted(tmp_path, options):
    noise = np.random.default_rng(3).integers(0, 255, (64, 64, 3), dtype=np.uint8)
    black = np.zeros((640, 640, 3), dtype=np.uint8)

    assert jpeg_doubts(tmp_path, jpeg(noise, **options)) == jpeg_doubts(tmp_path, jpeg(black, **options)) == []


def test_a_name_that_stands_twice_in_an_object_of_json_is_told(tmp_path):
    path = tmp_path / "document"
    path.write_text('{"rows": [{"value": 1, "unit": "s"}, {"value": 2, "unit": "s"}], "value": 3}')

    assert list(list_json_doubts(path)) == []
    path.write_text('{"rows": [{"value": 1, "value": 2, "unit": "s"}], "value": 3}')
    (said,) = list_json_doubts(path)
    assert "“value” stands twice in one object" in said
    path.write_text('{"rows": [{"value": 1, "value": 2')  # its reader says so
    assert list(list_json_doubts(path)) == []


def test_a_part_of_a_workbook_that_does_not_unpack_is_told(tmp_path):
    path = tmp_path / "results.xlsx"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for part in ("[Content_Types].xml", "xl/styles.xml"):
            archive.writestr(part, "".join(f"<{part[:2]} n='{n * n}'/>" for n in range(400)))
        place = archive.getinfo("xl/styles.xml").header_offset + 80
    whole = path.read_bytes()

    assert list(list_container_doubts(path)) == []
    path.write_bytes(whole[:place] + bytes(64) + whole[place + 64 :])
    assert list(list_container_doubts(path)) == [
        "The part xl/styles.xml is not what its checksum was made of: the file is damaged."
    ]
