"""`./ids manage process_file`: the desk tool of those who write readers."""

import json

import pytest
from django.core.management import CommandError, call_command

from tests.samples.instruments import csv, jcamp_spectrum, vi_cell

pytestmark = pytest.mark.usefixtures("light_fork_server")


@pytest.fixture
def spectrum(tmp_path):
    path = tmp_path / "sample.jdx"
    path.write_text(jcamp_spectrum("1 5 6 7", first=1, last=3, points=3))
    return path


def test_it_prints_what_would_be_found_and_writes_the_artefacts(spectrum, tmp_path, capsys):
    call_command("process_file", str(spectrum), "--out", str(tmp_path / "out"))

    printed = json.loads(capsys.readouterr().out)
    assert printed["run"]["points"] == 3
    assert printed["artefacts"][0]["path"] == str(tmp_path / "out" / "curves.json")
    assert json.loads((tmp_path / "out" / "curves.json").read_text())["series"][0]["y"] == [5, 6, 7]


def test_artefacts_lie_beside_the_file_unless_told_otherwise(spectrum, capsys):
    call_command("process_file", str(spectrum))

    assert (spectrum.parent / "sample.jdx.processed" / "curves.json").exists()
    assert "sample.jdx is read as JCAMP-DX spectrum (jcamp-dx)." in capsys.readouterr().err


def test_the_type_and_the_time_zone_may_be_named(tmp_path, capsys):
    path = tmp_path / "scan.csv"
    path.write_bytes(csv([["nm", "AU"], *[[step, step] for step in range(6)]]))

    call_command("process_file", str(path), "--type", "columns", "--time-zone", "Europe/Berlin")

    assert "(columns)" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--type", "no-such"], "There is no type no-such. There are: abif, ace, agilent-gen5,"),
        (["--time-zone", "Mars/Olympus"], "--time-zone takes an IANA name"),
    ],
)
def test_a_wrong_argument_says_what_is_right(arguments, message, spectrum):
    with pytest.raises(CommandError, match=message):
        call_command("process_file", str(spectrum), *arguments)


def test_a_file_that_nobody_reads_is_told_so(tmp_path):
    path = tmp_path / "movie.avi"
    path.write_bytes(b"RIFF")

    with pytest.raises(CommandError, match="No reader takes"):
        call_command("process_file", str(path))


def test_a_failure_is_told_with_what_is_behind_it(tmp_path):
    path = tmp_path / "half.jdx"
    path.write_text(jcamp_spectrum("1 5 6 7", first=1, last=3, points=4).replace("##END=", ""))

    with pytest.raises(CommandError, match="announces 4 points, the data hold 3"):
        call_command("process_file", str(path))


def test_a_path_to_nothing_is_told_so(tmp_path):
    with pytest.raises(CommandError, match="is no file"):
        call_command("process_file", str(tmp_path / "absent.csv"))


def test_a_recognition_is_explained_step_by_step(tmp_path, capsys):
    path = tmp_path / "export.csv"
    path.write_text(vi_cell())

    call_command("process_file", str(path), "--explain")

    printed = capsys.readouterr().out
    assert "The first bytes carry the mark of: none." in printed
    assert "By their contents these may have: Beckman Coulter Vi-Cell BLU" in printed
    assert "So it is Beckman Coulter Vi-Cell BLU (beckman-vi-cell-blu)." in printed


def test_a_file_that_carries_its_mark_is_explained_by_it(spectrum, capsys):
    call_command("process_file", str(spectrum), "--explain")

    assert "The first bytes carry the mark of: JCAMP-DX spectrum." in capsys.readouterr().out
