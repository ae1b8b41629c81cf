"""FCS, mzML and TIFF beyond what is held at once: read in bounded memory, or left with the reason."""

import io

import numpy as np
import pytest
import tifffile
from PIL import Image

from processing.processors import fcs_events
from processing.processors.fcs import read as read_fcs
from processing.processors.image import large_pages, tiff
from processing.processors.image.reader import read as read_image
from processing.processors.mzml import reader as mzml_reader
from processing.readings import GIB, MIB, Kind, Unrecognised
from processing.registry import FCS_TYPE, IMAGE_TYPE, MZML_TYPE
from tests.processing.here import documents, read_here, the
from tests.processing.reading import read as read_in_child
from tests.processing.reading import read_peak
from tests.samples.instruments import fcs, mzml, mzml_spectrum
from tests.samples.instruments import tiff as tiff_of

PHOTOMETRIC = {(): "minisblack", (3,): "rgb"}
CHANNELS = {
    "$PAR": "2",
    "$DATATYPE": "F",
    "$MODE": "L",
    "$BYTEORD": "1,2,3,4",
    "$P1N": "FSC-A",
    "$P1B": "32",
    "$P1R": "1024",
    "$P2N": "CD4",
    "$P2B": "32",
    "$P2R": "1024",
}


def test_numbers_of_events_are_of_all_and_their_spread_of_every_nth(tmp_path, monkeypatch):
    monkeypatch.setattr(fcs_events, "MOST_EVENTS", 300)
    events = np.stack([np.arange(1, 1001), np.arange(1001, 2001)], axis=1).astype("<f4")

    output = read_here(read_fcs, tmp_path / "a.fcs", fcs(CHANNELS | {"$TOT": "1000"}, events=events.tobytes()))

    assert the(output, Kind.TABLE)["rows"] == [[1, "FSC-A", "", 1, 1000, 500.5], [2, "CD4", "", 1001, 2000, 1500.5]]
    scatter = documents(output, Kind.CURVE)[0]
    assert scatter["title"] == "Scatter, 250 of 1,000 events"
    assert sum(scatter["series"][0]["y"]) == 250


def test_curves_of_very_many_spectra_end_and_say_so(tmp_path, monkeypatch):
    monkeypatch.setattr(mzml_reader, "MOST_DRAWN_SPECTRA", 2)
    spectra = "".join(mzml_spectrum(f"s{n}", level=1, minutes=n, mz=[100.0], heights=[n + 1.0]) for n in range(4))

    output = read_here(
        mzml_reader.read, tmp_path / "run.mzML", mzml(f'<run><spectrumList count="4">{spectra}</spectrumList></run>')
    )

    assert output.run["spectra"] == 4
    assert output.warnings == ["The curves end after 2 spectra; all are counted."]


@pytest.mark.parametrize("options", [{}, {"tile": (64, 64), "compression": "zlib"}, {"rowsperstrip": 20}])
@pytest.mark.parametrize("channels", [(), (3,)])
def test_of_a_very_large_page_every_nth_pixel_is_shown(tmp_path, monkeypatch, options, channels):
    monkeypatch.setattr(large_pages, "MAX_PIXELS", 10_000)
    monkeypatch.setattr(large_pages, "MAX_KEPT_PIXELS", 5_000)
    values = np.arange(300 * 200, dtype=np.uint16).reshape(300, 200, *[1] * len(channels))
    pixels = np.broadcast_to(values, (300, 200, *channels)).copy()
    expected = pixels[::4, ::4]
    output = read_here(
        read_image, tmp_path / "slide.tif", tiff_of(pixels, photometric=PHOTOMETRIC[channels], **options)
    )

    assert (output.run["width"], output.run["height"]) == (200, 300)
    assert (output.run["min"], output.run["max"]) == (expected.min(), expected.max())
    assert output.warnings == ["The image is large: picture and numbers are of every 4th pixel of every 4th line."]
    assert Image.open(io.BytesIO(output.artefacts[0].data)).size == (50, 75)


def test_a_very_large_page_in_one_piece_stays_unread_with_the_reason(tmp_path, monkeypatch):
    monkeypatch.setattr(large_pages, "MAX_PIXELS", 10_000)
    monkeypatch.setattr(large_pages, "MAX_SEGMENT_BYTES", 10_000)
    pixels = np.random.default_rng(1).integers(0, 255, (300, 200), dtype=np.uint8)

    with pytest.raises(Unrecognised, match="stored in one piece"):
        read_here(read_image, tmp_path / "slide.tif", tiff_of(pixels, compression="zlib", rowsperstrip=300))


def test_pages_beyond_those_that_are_measured_are_said(tmp_path, monkeypatch):
    monkeypatch.setattr(tiff, "MAX_MEASURED_PIXELS", 250)
    pages = [np.full((10, 10), number, np.uint16) for number in range(4)]

    output = read_here(read_image, tmp_path / "stack.tif", tiff_of(*pages))

    assert output.run["max"] == 1
    assert output.warnings == ["Least, greatest and mean are of the first 2 of 4 pages."]


@pytest.mark.big
def test_events_of_three_gigabytes_are_read_in_bounded_memory(tmp_path):
    rows, blocks = 2_000_000, 200
    small, large = tmp_path / "small.fcs", tmp_path / "large.fcs"
    block = np.random.default_rng(1).uniform(1, 1000, (rows, 2)).astype("<f4").tobytes()
    small.write_bytes(fcs(CHANNELS | {"$TOT": "400"}, events=block[:3200]))
    large.write_bytes(fcs(CHANNELS | {"$TOT": str(rows * blocks)}, events=block))
    with large.open("ab") as file:
        for _ in range(blocks - 1):
            file.write(block)

    found = read_in_child(large)

    assert large.stat().st_size > 2.9 * GIB
    assert found.run["events"] == rows * blocks
    assert read_peak(FCS_TYPE, large) - read_peak(FCS_TYPE, small) < 150 * MIB


@pytest.mark.big
def test_mzml_of_more_than_512_mib_is_read_in_bounded_memory(tmp_path):
    small, large = tmp_path / "small.mzML", tmp_path / "large.mzML"
    numbers = np.random.default_rng(1).uniform(1, 1000, 20_000).tolist()
    spectrum = mzml_spectrum("s", level=1, minutes=1, mz=numbers, heights=numbers)
    head, tail = mzml("<run><spectrumList>SPECTRA</spectrumList></run>").split("SPECTRA")
    small.write_text(head + spectrum + tail)
    with large.open("w") as file:
        file.write(head)
        while file.tell() < 600 * MIB:
            file.write(spectrum)
        file.write(tail)

    found = read_in_child(large)

    assert found.run["spectra"] > 1000
    assert read_peak(MZML_TYPE, large) - read_peak(MZML_TYPE, small) < 150 * MIB


@pytest.mark.big
def test_a_tiff_of_two_gigabytes_is_read_in_bounded_memory(tmp_path):
    small, large = tmp_path / "small.tif", tmp_path / "large.tif"
    tifffile.imwrite(small, np.zeros((64, 64), np.uint16))
    tile = np.random.default_rng(1).integers(0, 65535, (256, 256), dtype=np.uint16)
    tifffile.imwrite(
        large, (tile for _ in range(128 * 128)), shape=(32768, 32768), dtype=np.uint16, tile=(256, 256), bigtiff=True
    )

    found = read_in_child(large)

    assert (found.run["width"], found.run["min"] < 100) == (32768, True)
    assert read_peak(IMAGE_TYPE, large) - read_peak(IMAGE_TYPE, small) < 400 * MIB
