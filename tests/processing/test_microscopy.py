"""Images of microscopes in their makers' formats: every plane where it belongs, facts, and what is missing is told."""

from dataclasses import replace

import imagecodecs
import numpy as np
import pytest

from processing.formats.stack import Stack
from processing.processors.microscopy import acquisitions, czi, lif, nd2
from processing.readings import HEAD_BYTES, Unreadable
from processing.registry import choose_type
from tests.processing.here import read_here
from tests.processing.microscope_files import (
    BGR24,
    depth_loop,
    make_czi,
    make_lif,
    make_nd2,
    position_loop,
    time_loop,
)
from tests.processing.reading import read


@pytest.fixture
def stacks(monkeypatch):
    """The stacks that a reader gives, with all their planes, before they become tiles."""
    seen: list[Stack] = []

    def keep(found):
        seen.extend(replace(stack, read_plane=hold_planes(stack)) for stack in found)
        return [], []

    monkeypatch.setattr(acquisitions, "write_stacks", keep)
    return seen


def hold_planes(stack):
    places = np.ndindex(stack.times, stack.depths, stack.groups)
    return {place: np.concatenate(list(stack.read_plane(*place))) for place in places}


def plane(stack, *, time=0, depth=0, group=0):
    return stack.read_plane[time, depth, group]


def numbered(count, *, shape=(6, 8, 2), dtype=np.uint16):
    return [np.arange(np.prod(shape), dtype=dtype).reshape(shape) + 100 * number for number in range(count)]


def test_nd2_gives_every_plane_of_each_position(tmp_path, stacks):
    frames = numbered(12)
    loops = [time_loop(2), position_loop("A1", "B2"), depth_loop(3)]

    output = read_here(nd2.read, tmp_path / "cells.nd2", make_nd2(frames, loops=loops))

    assert [stack.title for stack in stacks] == ["cells.nd2, A1", "cells.nd2, B2"]
    assert (stacks[1].times, stacks[1].depths, stacks[1].groups) == (2, 3, 2)
    assert np.array_equal(plane(stacks[1], time=1, depth=2, group=1), frames[11][..., 1])
    assert np.array_equal(plane(stacks[0], time=1, depth=1, group=0), frames[7][..., 0])
    assert output.warnings == []


def test_nd2_says_channels_scale_objective_and_time(tmp_path, stacks):
    text = {
        "TextInfoItem_4": "Ada",
        "TextInfoItem_6": "Camera Name: Andor Zyla\r\nExposure: 100 ms",
        "TextInfoItem_14": "5.30",
    }
    made = make_nd2(numbered(3), loops=[depth_loop(3)], text=text)

    output = read_here(nd2.read, tmp_path / "cells.nd2", made)

    assert (
        output.run.items()
        >= {
            "format": "ND2",
            "technique": "imaging",
            "manufacturer": "Nikon",
            "size_z": 3,
            "size_c": 2,
            "size_t": 1,
            "channel": ["DAPI", "GFP"],
            "objective": "Plan Apo 20x",
            "magnification": 20,
            "numerical_aperture": 0.75,
            "pixel_size_um": 0.325,
            "z_step_um": 0.5,
            "exposure_ms": 100,
            "camera": "Andor Zyla",
            "analyst": "Ada",
            "width": 8,
            "height": 6,
            "dtype": "uint16",
            "min": 0,
            "max": 295,
            "measured_from": "2023-02-24T18:00:00Z",
        }.items()
    )
    assert [(channel.name, channel.color) for channel in stacks[0].channels] == [
        ("DAPI", "#0000ff"),
        ("GFP", "#00ff00"),
    ]
    assert (stacks[0].pixel_size_um, stacks[0].z_step_um) == (0.325, 0.5)


def test_nd2_that_names_no_dyes_is_read_without_them(tmp_path, stacks):
    frames = numbered(1)

    output = read_here(nd2.read, tmp_path / "cells.nd2", make_nd2(frames, has_dyes=False))

    assert np.array_equal(plane(stacks[0], group=1), frames[0][..., 1])
    assert output.run["size_c"] == 2


def test_nd2_of_a_color_camera_is_red_green_and_blue(tmp_path, stacks):
    frame = numbered(1, shape=(6, 8, 3), dtype=np.uint8)[0]
    made = make_nd2([frame], channels=[("Brightfield", 0xFFFFFF)], samples=3)

    read_here(nd2.read, tmp_path / "tissue.nd2", made)

    assert np.array_equal(plane(stacks[0])[..., 0], frame[..., 0])
    assert [channel.name for channel in stacks[0].channels] == ["Red", "Green", "Blue"]


def test_nd2_without_all_its_frames_says_so(tmp_path, stacks):
    made = make_nd2(numbered(2), loops=[time_loop(3)], planned=3)

    output = read_here(nd2.read, tmp_path / "cells.nd2", made)

    assert output.warnings == ["2 of 6 planes are not in the file and are black: it may have been ended early."]


def test_nd2_with_an_overwritten_frame_says_so(tmp_path, stacks):
    made = make_nd2(numbered(2), loops=[time_loop(2)])
    at = made.index(b"ImageDataSeq|1!")

    output = read_here(nd2.read, tmp_path / "cells.nd2", made[: at - 16] + bytes(64) + made[at + 48 :])

    assert output.warnings == ["2 of 4 planes cannot be read and are black: the file is damaged or incomplete."]


@pytest.mark.parametrize("share", [0.3, 0.9, 0.999])
def test_nd2_that_is_cut_off_is_refused(tmp_path, share):
    made = make_nd2(numbered(2), loops=[time_loop(2)])

    with pytest.raises(Unreadable, match="cut off"):
        read_here(nd2.read, tmp_path / "cells.nd2", made[: int(len(made) * share)])


def mosaic():
    """Two scenes, the first of two tiles that overlap by two columns, in two channels and two depths."""
    tiles = []
    for channel in range(2):
        for depth in range(2):
            start = {"C": channel, "Z": depth}
            number = 10 * channel + 100 * depth
            tiles += [
                ({"X": 0, "Y": 0, "S": 0, "M": 0, **start}, np.full((4, 6), number + 1, np.uint16)),
                ({"X": 4, "Y": 1, "S": 0, "M": 1, **start}, np.full((4, 6), number + 2, np.uint16)),
                ({"X": 50, "Y": 50, "S": 1, "M": 0, **start}, np.full((3, 5), number + 3, np.uint16)),
            ]
    return tiles


def test_czi_puts_scenes_together_from_their_tiles(tmp_path, stacks):
    pyramid = [({"X": 0, "Y": 0, "S": 0, "M": 0, "C": 0, "Z": 0}, np.full((2, 5), 999, np.uint16))]

    output = read_here(czi.read, tmp_path / "slide.czi", make_czi(mosaic(), pyramid=pyramid))

    assert [(one.title, one.width, one.height) for one in stacks] == [("slide.czi, A1", 10, 5), ("slide.czi, A2", 5, 3)]
    shown = plane(stacks[0], depth=1, group=1)
    assert shown[0].tolist() == [111] * 6 + [0] * 4
    assert shown[1].tolist() == [111] * 4 + [112] * 6
    assert shown[4].tolist() == [0] * 4 + [112] * 6
    assert plane(stacks[1], depth=1).tolist() == [[103] * 5] * 3
    assert output.warnings == []


def test_czi_says_channels_scale_objective_and_time(tmp_path, stacks):
    output = read_here(czi.read, tmp_path / "slide.czi", make_czi(mosaic()))

    assert (
        output.run.items()
        >= {
            "format": "CZI",
            "manufacturer": "Zeiss",
            "instrument_model": "Axio Observer.Z1 / 7",
            "objective": "Plan-Apochromat 20x/0.8",
            "magnification": 20,
            "numerical_aperture": 0.8,
            "software": "ZEN 3.4 (blue edition)",
            "channel": ["EGFP", "mCherry"],
            "exposure_ms": 25,
            "pixel_size_um": 0.345,
            "z_step_um": 1,
            "size_z": 2,
            "size_c": 2,
            "size_t": 1,
            "scenes": 2,
            "scene": ["A1", "A2"],
            "measured_from": "2024-05-06T07:08:09.123Z",
        }.items()
    )
    assert [(one.name, one.color) for one in stacks[0].channels] == [("EGFP", "#00ff5b"), ("mCherry", "")]


@pytest.mark.parametrize("compression", [5, 6])
def test_czi_compressed_with_zstandard_holds_the_same_numbers(tmp_path, stacks, compression):
    pixels = np.arange(48, dtype=np.uint16).reshape(6, 8) * 777

    def encode(plain):
        if compression == 5:
            return imagecodecs.zstd_encode(plain)
        apart = np.frombuffer(plain, np.uint8).reshape(-1, 2).T.tobytes()
        return b"\x03\x01\x01" + imagecodecs.zstd_encode(apart)

    made = make_czi([({"X": 0, "Y": 0, "C": 0}, pixels)], compression=compression, encode=encode)

    read_here(czi.read, tmp_path / "one.czi", made)

    assert np.array_equal(plane(stacks[0]), pixels)


def test_czi_of_a_color_camera_is_red_green_and_blue(tmp_path, stacks):
    pixels = np.arange(6 * 8 * 3, dtype=np.uint8).reshape(6, 8, 3)

    read_here(czi.read, tmp_path / "he.czi", make_czi([({"X": 0, "Y": 0}, pixels)], pixel_type=BGR24))

    assert np.array_equal(plane(stacks[0]), pixels)


def test_czi_that_lacks_a_plane_or_has_an_overwritten_one_says_so(tmp_path, stacks):
    tiles = [one for one in mosaic() if (one[0]["C"], one[0]["Z"]) != (1, 1)]
    made = make_czi(tiles)
    second = made.index(b"ZISRAWSUBBLOCK", made.index(b"ZISRAWSUBBLOCK") + 1)

    output = read_here(czi.read, tmp_path / "slide.czi", made[:second] + bytes(32) + made[second + 32 :])

    assert output.warnings == [
        "1 of 8 planes cannot be read and are black: the file is damaged or incomplete.",
        "2 of 8 planes are not in the file and are black: it may have been ended early.",
    ]


@pytest.mark.parametrize("share", [0.05, 0.3, 0.7])
def test_czi_that_is_cut_off_is_refused(tmp_path, share):
    made = make_czi(mosaic())

    with pytest.raises(Unreadable, match="cut off"):
        read_here(czi.read, tmp_path / "slide.czi", made[: int(len(made) * share)])


def volume(number=0):
    return (np.arange(2 * 3 * 4 * 5, dtype=np.uint16) + 1000 * number).reshape(2, 3, 4, 5)


def test_lif_gives_every_plane_of_each_image(tmp_path, stacks):
    lens = '<Lens ObjectiveName="HC PL APO 63x" Magnification="63"/>'
    attachment = f'<Attachment Name="HardwareSetting" SystemTypeName="TCS SP8">{lens}</Attachment>'
    made = make_lif([("Series001", volume()), ("Series002", volume(1))], attachment=attachment)

    output = read_here(lif.read, tmp_path / "cells.lif", made)

    assert [one.title for one in stacks] == ["cells.lif, Series001", "cells.lif, Series002"]
    assert np.array_equal(plane(stacks[1], depth=2, group=1), volume(1)[1, 2])
    assert [(one.name, one.color) for one in stacks[0].channels] == [("Green", "#00ff00"), ("Red", "#ff0000")]
    assert (
        output.run.items()
        >= {
            "format": "LIF",
            "manufacturer": "Leica",
            "instrument_model": "TCS SP8",
            "objective": "HC PL APO 63x",
            "magnification": 63,
            "images": 2,
            "image": ["Series001", "Series002"],
            "size_z": 3,
            "size_c": 2,
            "pixel_size_um": 0.5,
            "z_step_um": 2,
            "min": 0,
            "max": 1119,
            "measured_from": "2022-12-01T20:03:37Z",
        }.items()
    )
    assert output.warnings == []


def test_lif_that_ends_within_an_image_says_how_much_is_missing(tmp_path, stacks):
    made = make_lif([("Series001", volume()), ("Series002", volume(1))])

    output = read_here(lif.read, tmp_path / "cells.lif", made[:-50])

    assert output.warnings == ["2 of 12 planes cannot be read and are black: the file is damaged or incomplete."]


def test_lif_without_the_data_of_an_image_says_so(tmp_path, stacks):
    made = make_lif([("Series001", volume()), ("Series002", volume(1))], blocks=1)

    output = read_here(lif.read, tmp_path / "cells.lif", made)

    assert output.warnings == ["1 of 2 images cannot be read: their data is missing, or of a kind that is not known."]


def test_lif_that_ends_within_its_description_is_refused(tmp_path):
    made = make_lif([("Series001", volume())])

    with pytest.raises(Unreadable, match="cut off"):
        read_here(lif.read, tmp_path / "cells.lif", made[:700])


@pytest.mark.parametrize(
    ("name", "made", "kind"),
    [
        ("a.bin", make_nd2(numbered(1)), "nd2"),
        ("a.bin", make_czi(mosaic()), "czi"),
        ("a.bin", make_lif([("One", volume())]), "lif"),
        ("old.nd2", b"\0\0\0\x0cjP  \r\n\x87\n", "nd2"),
    ],
)
def test_they_are_told_by_their_first_bytes(name, made, kind):
    chosen = choose_type(filename=name, head=made[:HEAD_BYTES], instrument_type="generic")

    assert chosen is not None
    assert chosen.name == kind


def test_they_are_read_within_the_walls(tmp_path):
    files = {
        "cells.nd2": make_nd2(numbered(6), loops=[time_loop(2), depth_loop(3)]),
        "slide.czi": make_czi(mosaic()),
        "cells.lif": make_lif([("Series001", volume())]),
    }
    for name, made in files.items():
        (tmp_path / name).write_bytes(made)

    found = {name: read(tmp_path / name) for name in files}

    assert {name: sorted(one.artefacts) for name, one in found.items()} == {
        "cells.nd2": ["stack-1.json", "stack-1.tiles", "thumbnail.png"],
        "slide.czi": ["stack-1.json", "stack-1.tiles", "stack-2.json", "stack-2.tiles", "thumbnail.png"],
        "cells.lif": ["stack-1.json", "stack-1.tiles", "thumbnail.png"],
    }
    assert [one.warnings for one in found.values()] == [[], [], []]
