"""Planes of images as tiles: the numbers of each, its place, its colours, and files too large to keep whole."""

import io
import json
import zlib

import numpy as np
import pytest
import tifffile
from PIL import Image

from files.drawing.stack import format_edge
from files.drawing.stack_faults import find_stack_fault
from processing.formats import stack as stacks
from processing.formats.stack import Channel, Stack
from processing.processors.image import large_pages
from processing.processors.image.reader import read
from processing.readings import Kind
from tests.processing.here import read_here
from tests.processing.reading import read as read_confined
from tests.samples.instruments import picture


class Shown:
    """The stack of an output, and its planes put together from the tiles of one level."""

    def __init__(self, artefacts, name="stack-1"):
        made = {artefact.name: artefact for artefact in artefacts}
        self.document = json.loads(made[f"{name}.json"].data)
        self.bytes = made[f"{name}.tiles"].path.read_bytes()

    def plane(self, *, time=0, depth=0, channel=0, level=0):
        said = self.document
        sizes, first = [], 0
        width, height = said["width"], said["height"]
        for _ in range(said["levels"]):
            columns, rows = -(-width // 512), -(-height // 512)
            sizes.append((width, height, columns, rows, first))
            first += columns * rows
            width, height = -(-width // 2), -(-height // 2)
        number = (time * (said["depths"] + said["has_projection"]) + depth) * len(said["channels"]) + channel
        width, _, columns, rows, begin = sizes[level]
        lines = [self.line(number * first + begin + row * columns, columns, width) for row in range(rows)]
        return np.vstack(lines)

    def line(self, number, columns, width):
        return np.hstack([self.tile(number + at, min(512, width - 512 * at)) for at in range(columns)])

    def tile(self, number, width):
        begin = self.document["offsets"][number]
        data = self.bytes[begin : begin + self.document["lengths"][number]]
        if self.document["coding"] == "jpeg":
            return np.asarray(Image.open(io.BytesIO(data)))
        values = np.frombuffer(zlib.decompress(data), dtype=np.uint8)
        if self.document["code_bytes"] == 2:
            low, high = np.split(values, 2)
            values = low + high.astype(np.uint16) * 256
        return values.reshape(-1, width)


def five_dimensions():
    return np.random.default_rng(5).integers(0, 60_000, (2, 3, 2, 600, 700), dtype=np.uint16)


def ome(pixels, **metadata):
    written = io.BytesIO()
    tifffile.imwrite(written, pixels, ome=True, metadata={"axes": "TZCYX", **metadata})
    return written.getvalue()


def imagej(pixels, **metadata):
    written = io.BytesIO()
    tifffile.imwrite(written, pixels, imagej=True, metadata={"axes": "TZCYX", **metadata})
    return written.getvalue()


@pytest.mark.parametrize("writer", [ome, imagej])
def test_every_plane_is_kept_with_its_sixteen_bits(writer, tmp_path):
    pixels = five_dimensions()

    shown = Shown(read_here(read, tmp_path / "cells.tif", writer(pixels)).artefacts)

    assert (shown.document["times"], shown.document["depths"], len(shown.document["channels"])) == (2, 3, 2)
    for time, depth, channel in np.ndindex(2, 3, 2):
        plane = shown.plane(time=time, depth=depth, channel=channel)
        assert np.array_equal(plane, pixels[time, depth, channel])


def test_the_maximum_of_all_depths_is_the_last_plane(tmp_path):
    pixels = five_dimensions()

    shown = Shown(read_here(read, tmp_path / "cells.ome.tif", ome(pixels)).artefacts)

    assert shown.document["has_projection"] is True
    assert np.array_equal(shown.plane(time=1, depth=3, channel=1), pixels[1, :, 1].max(axis=0))


def test_coarser_levels_are_means_of_two_by_two(tmp_path):
    pixels = five_dimensions()

    shown = Shown(read_here(read, tmp_path / "cells.ome.tif", ome(pixels)).artefacts)

    means = pixels[0, 0, 0].reshape(300, 2, 350, 2).mean(axis=(1, 3))
    assert np.abs(shown.plane(level=1) - means).max() <= 0.5


def test_names_colours_and_lengths_are_those_of_the_file(tmp_path):
    about = {
        "PhysicalSizeX": 650.0,
        "PhysicalSizeXUnit": "nm",
        "PhysicalSizeZ": 0.3,
        "TimeIncrement": 2.0,
        "TimeIncrementUnit": "min",
        "Channel": {"Name": ["DAPI", "GFP"], "Color": [65535, -1]},
    }

    output = read_here(read, tmp_path / "cells.ome.tif", ome(five_dimensions(), **about))
    said = Shown(output.artefacts).document

    assert (output.run["pixel_size_um"], output.run["z_step_um"], output.run["interval_s"]) == (0.65, 0.3, 120)
    assert [channel["name"] for channel in said["channels"]] == ["DAPI", "GFP"]
    assert said["channels"][0]["color"] == "#0000ff"
    assert (said["pixel_size_um"], said["z_step_um"], said["interval_s"]) == (0.65, 0.3, 120)


def test_imagej_says_its_lengths_too(tmp_path):
    written = io.BytesIO()
    about = {"axes": "ZYX", "unit": "um", "spacing": 1.5, "finterval": 4.0}
    tifffile.imwrite(written, np.zeros((3, 20, 30), np.uint16), imagej=True, resolution=(5.0, 5.0), metadata=about)

    output = read_here(read, tmp_path / "cells.tif", written.getvalue())
    said = Shown(output.artefacts).document

    assert (said["pixel_size_um"], said["z_step_um"], said["interval_s"]) == (0.2, 1.5, 4)
    assert (output.run["pixel_size_um"], output.run["z_step_um"], output.run["interval_s"]) == (0.2, 1.5, 4)


def test_colours_stay_the_colours_of_a_picture(tmp_path):
    pixels = np.random.default_rng(2).integers(0, 255, (40, 50, 3), dtype=np.uint8)

    shown = Shown(read_here(read, tmp_path / "gel.png", picture(pixels)).artefacts)

    assert [channel["color"] for channel in shown.document["channels"]] == ["#ff0000", "#00ff00", "#0000ff"]
    assert np.array_equal(np.dstack([shown.plane(channel=place) for place in range(3)]), pixels)
    assert [(channel["low"], channel["high"]) for channel in shown.document["channels"]] == [(0, 255)] * 3


def test_numbers_with_a_point_keep_their_range(tmp_path):
    pixels = np.linspace(-2.5, 7.5, 2000, dtype=np.float32).reshape(40, 50)
    written = io.BytesIO()
    tifffile.imwrite(written, pixels)

    shown = Shown(read_here(read, tmp_path / "phase.tif", written.getvalue()).artefacts)

    channel = shown.document["channels"][0]
    assert np.abs(channel["offset"] + channel["scale"] * shown.plane() - pixels).max() < 1e-3


def test_each_image_of_a_file_is_a_stack(tmp_path):
    written = io.BytesIO()
    with tifffile.TiffWriter(written, ome=True) as file:
        for size in (20, 30):
            file.write(np.full((2, size, size), size, dtype=np.uint8), metadata={"axes": "CYX"})

    output = read_here(read, tmp_path / "fields.ome.tif", written.getvalue())

    assert [Shown(output.artefacts, name).document["width"] for name in ("stack-1", "stack-2")] == [20, 30]


def test_what_is_too_large_is_compressed_and_then_reduced_and_that_is_said():
    pixels = np.random.default_rng(3).integers(0, 4000, (1024, 2048), dtype=np.uint16)
    whole = stack_of(pixels)

    compressed, words = whole.write("stack-1", most_bytes=2_000_000)
    reduced, more_words = whole.write("stack-1", most_bytes=300_000)

    shown = Shown(compressed)
    values = shown.document["channels"][0]["scale"] * shown.plane().astype(float) ** 2
    assert words == ["The image is large: it is shown compressed; the file has the numbers."]
    assert abs(values.mean() - pixels.mean()) < 40
    assert more_words == ["The image is large: it is shown with every 2 by 2 pixels as one."]
    assert (Shown(reduced).document["width"], Shown(reduced).document["reduced_by"]) == (1024, 2)
    assert reduced[1].path.stat().st_size <= 300_000


def stack_of(pixels, **more):
    def read_plane(time, depth, group):
        yield pixels

    height, width = pixels.shape
    return Stack("Made", width, height, pixels.dtype, [Channel("One")], read_plane, **more)


def test_too_many_planes_are_cut_and_that_is_said(monkeypatch):
    monkeypatch.setattr(stacks, "MAX_TILES", 40)

    made, words = stack_of(np.zeros((8, 8), np.uint8), times=50, depths=3).write("stack-1")

    assert words == ["The first 10 of 50 times and 3 of 3 depths are shown."]
    assert Shown(made).document["times"] == 10


def test_a_confined_reader_hands_over_its_tiles(tmp_path):
    path = tmp_path / "cells.ome.tif"
    path.write_bytes(ome(five_dimensions()))

    found = read_confined(path)

    assert found.artefacts["stack-1.json"].kind == Kind.STACK
    assert found.artefacts["stack-1.tiles"].data.startswith(b"IDSTILES")


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("width", 0),
        ("tile_size", 2),
        ("levels", 5),
        ("coding", "gif"),
        ("tiles", "../x"),
        ("offsets", [1, 2]),
        ("pixel_size_um", -1),
        ("channels", []),
    ],
)
def test_a_document_that_cannot_be_drawn_is_a_fault(key, value):
    made, _ = stack_of(np.zeros((8, 8), np.uint8)).write("stack-1")
    document = json.loads(made[0].data)

    assert find_stack_fault(document) is None
    assert find_stack_fault(document | {key: value}) is not None


@pytest.mark.parametrize("options", [{"tile": (64, 64)}, {"rowsperstrip": 100, "compression": "zlib"}, {}])
@pytest.mark.parametrize("samples", [(), (3,)])
def test_rows_of_a_large_page_come_whole_from_tiles_strips_and_plain_lines(samples, options, tmp_path, monkeypatch):
    pixels = np.random.default_rng(7).integers(0, 255, (333, 457, *samples), dtype=np.uint8)
    written = io.BytesIO()
    tifffile.imwrite(written, pixels, photometric="rgb" if samples else "minisblack", **options)
    monkeypatch.setattr(large_pages, "MAX_PIXELS", 1000)

    shown = Shown(read_here(read, tmp_path / "large.tif", written.getvalue()).artefacts)

    found = [shown.plane(channel=channel) for channel in range(3 if samples else 1)]
    assert np.array_equal(np.dstack(found), pixels.reshape(333, 457, -1))


@pytest.mark.parametrize("planar", ["contig", "separate"])
def test_channels_that_stand_in_one_pixel_are_shown_one_by_one(planar, tmp_path):
    pixels = np.arange(4 * 5 * 6, dtype=np.uint16).reshape(4, 5, 6)
    written = io.BytesIO()
    stored = pixels if planar == "contig" else np.moveaxis(pixels, -1, 0)
    tifffile.imwrite(written, stored, photometric="minisblack", planarconfig=planar)

    shown = Shown(read_here(read, tmp_path / "bands.tif", written.getvalue()).artefacts)

    assert len(shown.document["channels"]) == 6
    assert np.array_equal(shown.plane(channel=4), pixels[..., 4])


def test_black_that_is_next_to_nothing_is_0():
    channel = {"offset": 0.0, "scale": 1.0, "power": 1}

    assert format_edge(channel, 4.9e-9, other=0.0039) == "0"
    assert format_edge(channel, 0.0039, other=4.9e-9) == "0.0039"
    assert format_edge(channel, 4.9e-9, other=5.9e-9) != "0"
