"""Images: numbers of all pages, previews for a screen, and bombs that are not decoded."""

import io

import numpy as np
import pytest
import tifffile
from PIL import Image

from processing.processors.image.reader import read
from processing.readings import Unreadable
from processing.recognition.signatures import is_image
from processing.registry import choose_type
from tests.processing.here import read_here
from tests.samples.instruments import picture, png_bomb, tiff


def preview(output, name="thumbnail.png"):
    (artefact,) = (artefact for artefact in output.artefacts if artefact.name == name)
    return Image.open(io.BytesIO(artefact.data))


def test_numbers_are_of_all_pages_and_percentiles_of_the_first(tmp_path):
    pages = [np.full((10, 10), value, dtype=np.uint16) for value in (100, 300)]
    pages[0][0, 0] = 50

    run = read_here(read, tmp_path / "stack.tif", tiff(*pages)).run

    assert (run["pages"], run["width"], run["height"], run["dtype"]) == (2, 10, 10, "uint16")
    assert (run["min"], run["max"], run["mean"]) == (50, 300, 199.75)
    assert (run["percentile_1"], run["percentile_99"]) == (np.percentile(pages[0], 1), 100)


def test_the_mean_has_every_digit_beside_the_rounded_one(tmp_path):
    pixels = np.array([[1000, 1000, 1001]], dtype=np.uint16)

    output = read_here(read, tmp_path / "a.tif", tiff(pixels))

    assert (output.run["mean"], output.file["pixel_mean"]) == (1000.333, pytest.approx(1000 + 1 / 3, rel=1e-9))
    assert output.file["array_shape"] == [1, 3]


def test_sixteen_bits_are_stretched_onto_the_screen(tmp_path):
    pixels = np.linspace(1000, 3000, 10_000).reshape(100, 100).astype(np.uint16)

    shown = np.asarray(preview(read_here(read, tmp_path / "scan.tif", tiff(pixels))))

    assert shown.dtype == np.uint8
    assert (shown.min(), shown.max()) == (0, 255)
    assert abs(int(shown[50, 50]) - 128) < 5


def test_a_dark_eight_bit_image_is_stretched_and_a_full_one_is_not(tmp_path):
    dark = np.tile(np.arange(60, dtype=np.uint8), (60, 1))
    full = np.tile(np.linspace(0, 255, 60).astype(np.uint8), (60, 1))

    assert np.asarray(preview(read_here(read, tmp_path / "a.png", picture(dark)))).max() == 255
    assert np.array_equal(np.asarray(preview(read_here(read, tmp_path / "b.png", picture(full)))), full)


def test_a_large_image_gets_a_thumbnail_and_a_preview(tmp_path):
    output = read_here(read, tmp_path / "large.png", picture(np.zeros((1500, 3000), dtype=np.uint8)))

    assert preview(output).size == (512, 256)
    assert preview(output, "preview.png").size == (2048, 1024)


def test_floats_with_holes_are_shown(tmp_path):
    pixels = np.linspace(0, 1, 400, dtype=np.float32).reshape(20, 20)
    pixels[0, 0] = np.nan

    output = read_here(read, tmp_path / "float.tif", tiff(pixels))

    assert np.asarray(preview(output)).max() == 255
    assert output.run["max"] == 1


def test_colours_and_palettes_are_kept(tmp_path):
    red = np.zeros((8, 8, 3), dtype=np.uint8)
    red[..., 0] = 200
    indexed = io.BytesIO()
    Image.fromarray(red).convert("P", palette=Image.Palette.ADAPTIVE).save(indexed, "GIF")

    shown = preview(read_here(read, tmp_path / "red.gif", indexed.getvalue()))

    assert shown.mode == "RGB"
    assert shown.getpixel((4, 4))[0] > 190


def test_compressed_tiff_of_microscopes_is_read(tmp_path):
    pixels = np.arange(64 * 64, dtype=np.uint16).reshape(64, 64)

    assert read_here(read, tmp_path / "lzw.tif", tiff(pixels, compression="lzw")).run["max"] == 4095


def test_ome_says_what_was_imaged(tmp_path):
    written = io.BytesIO()
    metadata = {"axes": "CYX", "PhysicalSizeX": 0.65, "PhysicalSizeXUnit": "µm", "Channel": {"Name": ["DAPI", "GFP"]}}
    tifffile.imwrite(written, np.zeros((2, 16, 16), dtype=np.uint16), ome=True, metadata=metadata)

    run = read_here(read, tmp_path / "cells.ome.tif", written.getvalue()).run

    assert (run["format"], run["size_c"], run["pixel_size_um"], run["channel"]) == (
        "OME-TIFF",
        2,
        0.65,
        ["DAPI", "GFP"],
    )


def test_the_time_in_a_tiff_is_the_instruments_own(tmp_path):
    data = tiff(np.zeros((4, 4), dtype=np.uint8), datetime="2026:03:14 09:26:53")

    output = read_here(read, tmp_path / "scan.tif", data, zone="Europe/Berlin")

    assert output.acquired_at.isoformat() == "2026-03-14T08:26:53+00:00"
    assert output.file == {"assumed_time_zone": "Europe/Berlin", "array_shape": [4, 4], "pixel_mean": 0}


def test_what_a_camera_knows_of_places_is_not_passed_on(tmp_path):
    exif = Image.Exif()
    exif[0x010F] = "Camera maker"
    exif.get_ifd(0x8825)[1] = "N"

    output = read_here(read, tmp_path / "photo.jpg", picture(np.zeros((16, 16, 3), dtype=np.uint8), "JPEG", exif=exif))

    assert preview(output).getexif() == {}
    assert "manufacturer" not in output.run


def test_an_image_that_says_it_is_huge_is_not_decoded(tmp_path):
    with pytest.raises(Unreadable, match="It has 400 million pixels; 100 million are the most"):
        read_here(read, tmp_path / "bomb.png", png_bomb())


def test_a_tiff_that_says_it_is_huge_is_not_decoded(tmp_path):
    path = tmp_path / "bomb.tif"
    path.write_bytes(tiff(np.zeros((4, 4), dtype=np.uint8)))
    with tifffile.TiffFile(path, mode="r+") as file:
        for tag in ("ImageWidth", "ImageLength"):
            file.pages[0].tags[tag].overwrite(60_000)

    with pytest.raises(Unreadable, match="3,600 million pixels"):
        read_here(read, path, path.read_bytes())


def test_half_an_image_is_an_error(tmp_path):
    whole = picture(np.random.default_rng(1).integers(0, 255, (200, 200), dtype=np.uint8))

    with pytest.raises(OSError, match="truncated"):
        read_here(read, tmp_path / "half.png", whole[: len(whole) // 2])


@pytest.mark.parametrize(
    ("name", "written", "stated"), [("a.bmp", "BMP", "BMP"), ("a.jp2", "JPEG2000", "JPEG2000"), ("a.ppm", "PPM", "PPM")]
)
def test_further_picture_formats_of_instruments_are_read(name, written, stated, tmp_path):
    pixels = np.arange(64 * 96 * 3, dtype=np.uint8).reshape(64, 96, 3)
    Image.fromarray(pixels).save(tmp_path / "made", written)
    content = (tmp_path / "made").read_bytes()

    run = read_here(read, tmp_path / name, content).run

    assert choose_type(filename=name, head=content[:8192], instrument_type="generic").name == "image"
    assert (run["format"], run["width"], run["height"], run["max"]) == (stated, 96, 64, 255)


def test_a_text_that_begins_like_a_picture_is_none():
    assert not is_image(b"BM,1\n2,3\n" * 20)
    assert not is_image(b"P5 well,value\n" * 20)
