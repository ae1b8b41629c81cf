"""Seven hundred files that were damaged on their way, the same ones in every run: read or refused, and nothing else."""

import random
from contextlib import suppress

import pytest

from processing.failures import ReadingFailed
from tests.processing.reading import read
from tests.processing.test_hostile_files import IMAGE, WHOLE
from tests.samples.generate import amplification, chromatogram, plate_reader, spectrum

SAMPLES = WHOLE | {
    "plate.csv": plate_reader(),
    "cycles.csv": amplification(),
    "infrared.jdx": spectrum(),
    "trace.csv": chromatogram(),
}
MUTATIONS_PER_SAMPLE = 50  # of 14 samples: 700 files

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("name", SAMPLES)
def test_every_damaged_file_is_read_or_refused_and_the_next_one_is_read(tmp_path, name):
    chance = random.Random(name)
    for _ in range(MUTATIONS_PER_SAMPLE):
        path = tmp_path / name
        path.write_bytes(mutate(SAMPLES[name], chance))
        with suppress(ReadingFailed):
            read(path)

    (tmp_path / "scan.png").write_bytes(IMAGE)
    assert read(tmp_path / "scan.png").run["width"] == 200


def mutate(data: bytes, chance: random.Random) -> bytes:
    """One to eight times: bits flipped, pieces lost, doubled or overwritten, numbers made enormous, ends cut off."""
    changed = bytearray(data)
    for _ in range(chance.randint(1, 8)):
        at, length = chance.randrange(len(changed) + 1), chance.choice([1, 2, 4, 8, 64, 512])
        piece = changed[at : at + length]
        match chance.randrange(6):
            case 0:
                changed[at : at + 1] = bytes(byte ^ 1 << chance.randrange(8) for byte in changed[at : at + 1])
            case 1:
                del changed[at : at + length]
            case 2:
                changed[at:at] = piece * chance.choice([1, 2, 100])
            case 3:
                changed[at : at + length] = chance.randbytes(len(piece))
            case 4:
                changed[at : at + length] = chance.choice([b"\xff", b"\x00", b"9", b"-"]) * len(piece)
            case _:
                del changed[max(at, 1) :]
    return bytes(changed)
