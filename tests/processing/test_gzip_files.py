"""Files packed with gzip, through the real child."""

import gzip

import pytest

from processing.failures import ReadingFailed
from processing.gzip_files import unpack_file
from processing.readings import Unreadable
from processing.registry import choose_type
from tests.processing.reading import read
from tests.processing.techniques import FOLDER, needs_techniques
from tests.samples.generate import spectrum

COLUMNS = b"time (s),voltage (V)\n" + b"".join(b"%d,%d.5\n" % (row, row * row) for row in range(20))


def test_columns_and_spectra_are_read_as_if_they_were_not_packed(tmp_path):
    (tmp_path / "trace.csv.gz").write_bytes(gzip.compress(COLUMNS))
    (tmp_path / "infrared.jdx.gz").write_bytes(gzip.compress(spectrum()))

    assert len(read(tmp_path / "trace.csv.gz").of_kind("curve")[0]["series"][0]["x"]) == 20
    assert read(tmp_path / "infrared.jdx.gz").run["format"].startswith("JCAMP-DX")


@pytest.mark.parametrize("name", ["folder.tar.gz", "LICENSE.gz"])
def test_what_nobody_reads_unpacked_nobody_reads_packed(name):
    assert choose_type(filename=name, head=gzip.compress(b"anything"), instrument_type="generic") is None


@pytest.mark.parametrize("damage", [lambda data: data[:-9], lambda data: data[:40] + b"\xff\xff" + data[42:]])
def test_a_damaged_one_is_refused_with_a_sentence(tmp_path, damage):
    (tmp_path / "trace.csv.gz").write_bytes(damage(gzip.compress(COLUMNS)))

    with pytest.raises(ReadingFailed, match="The gzip file is damaged, or ends too early"):
        read(tmp_path / "trace.csv.gz")


def test_a_bomb_is_refused_before_it_fills_the_disk(tmp_path):
    (tmp_path / "bomb.gz").write_bytes(gzip.compress(bytes(3 * 1024 * 1024)))

    with pytest.raises(Unreadable, match="It unpacks to more than 1 MiB"):
        unpack_file(tmp_path / "bomb.gz", to=tmp_path / "bomb", max_bytes=1024 * 1024)

    assert (tmp_path / "bomb").stat().st_size <= 1024 * 1024


@needs_techniques
def test_a_real_packed_table_is_read():
    assert read(FOLDER / "csv" / "amplification.csv.gz").artefacts
