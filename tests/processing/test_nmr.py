"""NMR: Bruker experiments in archives, NMRPipe, JCAMP-DX in ppm."""

import shutil

import nmrglue
import numpy as np
import pytest

from processing.processors.jcamp import reader as jcamp
from processing.processors.jcamp.reader import read as read_jcamp
from processing.processors.nmr import archives, nmrpipe, parameters, sparky
from processing.processors.nmr.experiment import Spectrum, draw_contours
from processing.readings import Unreadable, Unrecognised
from processing.recognition.analytical_signatures import is_nmr_archive, is_procpar
from tests.processing.here import read_here
from tests.processing.reading import read as read_in_child
from tests.processing.techniques import FOLDER, list_curves, name_type, needs_techniques, read_technique

JCAMP = """##TITLE= Ethanol
##JCAMP-DX= 5.00
##DATA TYPE= NMR SPECTRUM
##.OBSERVE FREQUENCY= 400.0
{more}##XUNITS= HZ
##YUNITS= ARBITRARY UNITS
##FIRSTX= 4000
##LASTX= 0
##NPOINTS= 3
##XYDATA= (X++(Y..Y))
4000 1 7 2
##END=
"""


@pytest.mark.parametrize(
    ("more", "shifts"),
    [
        ("", [10, 5, 0]),
        ("##$OFFSET= 9.5\n", [9.5, 4.5, -0.5]),
        ("##.SHIFT REFERENCE= INTERNAL, TMS, 3, 1.0\n", [11, 6, 1]),
    ],
)
def test_a_jcamp_spectrum_in_hertz_is_drawn_in_ppm(tmp_path, more, shifts):
    output = read_here(read_jcamp, tmp_path / "a.jdx", JCAMP.format(more=more))

    (curve,) = list_curves(output)
    assert (curve["x"]["unit"], curve["series"][0]["x"]) == ("ppm", shifts)
    assert output.run["x_at_y_max"] == shifts[1]


def test_a_reference_at_no_point_leaves_the_spectrum_in_hertz(tmp_path):
    more = "##.SHIFT REFERENCE= INTERNAL, TMS, 0, 0\n"

    output = read_here(read_jcamp, tmp_path / "a.jdx", JCAMP.format(more=more))

    assert (output.run["x_unit"], output.run["x_first"]) == ("HZ", 4000)


def test_contours_lie_around_their_peak():
    shifts = np.linspace(10, 0, 600)
    peak = np.exp(-((shifts[:, None] - 3) ** 2) - (shifts[None, :] - 7) ** 2)

    curve = draw_contours(Spectrum((shifts, shifts), peak), title="COSY")

    assert len({series.label for series in curve.series}) == 8
    for series in curve.series:
        assert abs(np.nanmean(series.x) - 7) < 0.1
        assert abs(np.nanmean(series.y) - 3) < 0.1


def test_other_archives_are_left_to_their_readers():
    assert not is_nmr_archive(b"PK\x03\x04" + bytes(22) + b"\x0c\0\0\0acqus.xml.gz")
    assert is_nmr_archive(b"PK\x03\x04" + bytes(22) + b"\x07\0\0\0" + b"1/acqus")


@needs_techniques
def test_a_real_time_signal_and_spectrum_have_the_numbers_of_the_reference_library():
    signal = read_in_child(FOLDER / "nmr" / "aspirin-1h.zip")
    spectrum = read_technique("nmr/aspirin-1h-processed.zip").run

    assert (signal.run["fid_points"], signal.run["nucleus"], signal.run["pulse_program"]) == (8192, "1H", "zg30")
    assert signal.run["fid_max"] == pytest.approx(1010563.5573728156, rel=1e-6)
    assert signal.run["sweep_width_hz"] == pytest.approx(4789.27203065134, rel=1e-6)
    assert set(signal.artefacts) == {"time-signal.json"}
    assert (spectrum["points"], spectrum["x_first"]) == (32768, 15.47866)
    assert spectrum["y_max"] == pytest.approx(110149250.25, rel=1e-6)


@needs_techniques
def test_a_real_folder_of_an_experiment_is_read_from_an_archive(tmp_path):
    path = shutil.make_archive(str(tmp_path / "coffee"), "zip", FOLDER / "nmr", "bruker_coffee_20")

    run = read_technique(path).run

    assert (run["fid_points"], run["points"], run["scans"], run["solvent"]) == (32768, 32768, 8, "COFFEE_calctemp")
    assert run["fid_max"] == pytest.approx(661624.9153296753, rel=1e-6)
    assert run["y_max"] == pytest.approx(1793914.23046875, rel=1e-6)


def write_signals(folder, *, signals, points, drop=0):
    """A Bruker experiment of two axes without its spectrum. Each signal is filled up to 256 numbers."""
    folder.mkdir(parents=True)
    said = "##TITLE= x\n##$BYTORDA= 0\n##$DTYPA= 0\n##$DECIM= 1\n##$DSPFVS= 0\n##$GRPDLY= 0\n##$NUC1= <1H>\n"
    said += "##$SW_h= 1000\n##$SFO1= 400\n##$AQ_mod= 3\n##$PULPROG= <hsqc>\n"
    (folder / "acqus").write_text(f"{said}##$TD= {points}\n##END=\n")
    (folder / "acqu2s").write_text(f"{said}##$TD= {signals}\n##$FnMODE= 6\n##END=\n")
    numbers = np.zeros((signals, 256), "<i4")
    numbers[:, :points] = np.arange(signals * points).reshape(signals, points)
    (folder / "ser").write_bytes(numbers.tobytes()[: len(numbers.tobytes()) - drop])


@pytest.mark.parametrize("points", [256, 200])
def test_signals_of_two_axes_without_a_spectrum_are_read(points, tmp_path):
    write_signals(tmp_path / "whole" / "1", signals=8, points=points)
    path = shutil.make_archive(str(tmp_path / "a"), "zip", tmp_path / "whole")

    output = read_technique(path)

    (curve,) = list_curves(output)
    assert (output.run["fid_points"], output.run["fid_signals"]) == (128, 8)  # as nmrglue: with what fills them up
    last = np.hypot(8 * points - 2, 8 * points - 1)
    assert output.run["fid_max"] == pytest.approx(last, rel=1e-6)
    assert curve["series"][0]["y"][:3] == [0, 2, 4]


@needs_techniques
def test_a_spectrum_that_was_passed_on_alone_is_read(tmp_path):
    whole = tmp_path / "whole" / "1" / "pdata"
    shutil.copytree(FOLDER / "nmr" / "bruker_coffee_20" / "pdata", whole)
    path = shutil.make_archive(str(tmp_path / "a"), "zip", tmp_path / "whole")

    run = read_technique(path).run

    assert (run["points"], run["nucleus"], run["observe_frequency_mhz"]) == (32768, "1H", 400.13)
    assert run["y_max"] == pytest.approx(1793914.23046875, rel=1e-6)


@needs_techniques
def test_a_signal_that_lacks_points_is_refused(tmp_path):
    folder = tmp_path / "whole" / "1"
    shutil.copytree(FOLDER / "nmr" / "bruker_coffee_20", folder)
    (folder / "fid").chmod(0o600)
    (folder / "fid").write_bytes((folder / "fid").read_bytes()[:1000])
    path = tmp_path / "cut.zip"
    shutil.make_archive(str(path.with_suffix("")), "zip", folder.parent)

    with pytest.raises(Unreadable, match="The signal announces 65,536 numbers"):
        read_technique(path)


def test_an_archive_without_an_experiment_is_refused(tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "notes.txt").write_text("nothing")
    path = shutil.make_archive(str(tmp_path / "a"), "zip", tmp_path / "folder")

    with pytest.raises(Unreadable, match="no NMR experiment"):
        read_here(archives.read, tmp_path / "b.zip", (tmp_path / path).read_bytes())


@needs_techniques
def test_real_nmrpipe_and_jcamp_files_have_the_numbers_of_the_reference_libraries():
    signal = read_in_child(FOLDER / "nmr" / "1D_time.fid").run
    jeol = read_technique("nmr/jeol.dx").run
    ether = list_curves(read_technique("nmr/ethylvinylether_1h.jdx"))[0]["series"][0]

    assert name_type(FOLDER / "nmr" / "nmrpipe_2d_freq.ft2") == "nmrpipe"
    assert (signal["fid_points"], signal["nucleus"], signal["sweep_width_hz"]) == (1500, "13C", 50000)
    assert signal["fid_max"] == pytest.approx(175951.625, rel=1e-6)
    assert jeol["x_first"] == pytest.approx(15.102905094284376, rel=1e-6)
    assert jeol["x_at_y_max"] == pytest.approx(2.612321845763589, rel=1e-6)
    assert (ether["x"][0], ether["y"][0]) == (11.00659, -119886)


@needs_techniques
def test_real_parameter_files_of_their_own_tell_what_was_measured():
    measured = read_technique("nmr/bruker_coffee_20/acqus")
    processed = read_technique("nmr/bruker_coffee_20/pdata/1/procs").run

    assert (measured.run["nucleus"], measured.run["scans"], measured.run["pulse_program"]) == ("1H", 8, "zg30")
    assert measured.run["observe_frequency_mhz"] == pytest.approx(400.13188235, rel=1e-6)
    assert measured.acquired_at is not None
    assert processed["points"] == 32768


@needs_techniques
def test_a_map_in_jcamp_is_drawn_as_contours():
    output = read_technique("nmr/cosyPPM.jdx")

    (contours,) = list_curves(output)
    assert (contours["style"], len(contours["series"])) == ("contours", 8)
    assert (output.run["rows"], output.run["columns"], output.run["z_max"]) == (1024, 1024, 21710000)
    diagonal = [(x, y) for series in contours["series"] for x, y in zip(series["x"], series["y"], strict=True) if y]
    assert any(abs(x - 7.18) < 0.1 and abs(y - 7.3) < 0.2 for x, y in diagonal)


def build_map(*, nuclei, heights):
    """Eight pages at shifts of 150 ppm of carbon, or 37.3 of protons, and less, in Hz."""
    pages = "".join(
        f"##PAGE=F1={15000 - 2000 * row}\n##FIRST=15000,4000,0\n##DATA TABLE=(F2++(Y..Y)), PROFILE\n"
        f"4000 {' '.join(map(str, heights[row]))}\n"
        for row in range(8)
    )
    return (
        "##TITLE=map\n##JCAMP-DX=6.00\n##DATA TYPE=nD NMR SPECTRUM\n##DATA CLASS=NTUPLES\n##NUM DIM=2\n"
        "##.OBSERVE FREQUENCY=400\n##.OBSERVE NUCLEUS=^1H\n##NTUPLES=nD NMR SPECTRUM\n"
        "##VAR_NAME=FREQUENCY1, FREQUENCY2, SPECTRUM\n##SYMBOL=F1, F2, Y\n"
        f"##.NUCLEUS={nuclei}\n##VAR_TYPE=INDEPENDENT, INDEPENDENT, DEPENDENT\n##VAR_FORM=AFFN, AFFN, ASDF\n"
        "##VAR_DIM=8, 6, 6\n##UNITS=HZ, HZ, ARBITRARY UNITS\n##FIRST=15000, 4000, 0\n##LAST=1000, 400, 0\n"
        f"##FACTOR=1,1,1\n{pages}##END NTUPLES=nD NMR SPECTRUM\n##END=\n"
    )


@pytest.mark.parametrize(
    ("nuclei", "highest", "lowest"),
    [("13C, 1H", 149.1349, 9.942327), ("1H, 1H", 37.5, 2.5), (", ", 37.5, 2.5), ("^15N, ^1H", 369.9404, 24.66269)],
)
def test_the_other_axis_of_a_map_is_in_ppm_of_its_own_nucleus(nuclei, highest, lowest, tmp_path):
    heights = np.zeros((8, 6), int)
    heights[3, 2] = 100

    output = read_here(read_jcamp, tmp_path / "a.jdx", build_map(nuclei=nuclei, heights=heights))

    run = output.run
    assert (run["f2_ppm_min"], run["f2_ppm_max"]) == (1, 10)
    assert (run["f1_ppm_min"], run["f1_ppm_max"]) == pytest.approx((lowest, highest), rel=1e-5)
    assert (run["z_min"], run["z_max"]) == (0, 100)


def test_a_map_without_a_line_of_its_heights_is_its_facts(tmp_path):
    output = read_here(read_jcamp, tmp_path / "a.jdx", build_map(nuclei="1H, 1H", heights=np.full((8, 6), 7)))

    assert (output.run["rows"], output.artefacts) == (8, [])


def write_pipe(path, points, *, is_frequency):
    """A file of NMRPipe as its library writes it, of axes of 1,000 Hz at 500 MHz."""
    axis = {"sw": 1000.0, "obs": 500.0, "car": 2500.0, "complex": not is_frequency, "time": not is_frequency}
    axis |= {"freq": is_frequency, "encoding": "states", "label": "1H"}
    axes = {number: axis | {"size": size} for number, size in enumerate(points.shape)}
    header = nmrglue.pipe.create_dic({"ndim": points.ndim, **axes})
    nmrglue.pipe.write(str(path), header, points.astype("float32" if is_frequency else "complex64"), overwrite=True)
    return path.read_bytes()


def test_signals_of_two_axes_are_drawn_by_their_first(tmp_path):
    data = write_pipe(tmp_path / "a.fid", np.ones((6, 8)) * np.exp(1j * np.arange(8)), is_frequency=False)

    output = read_here(nmrpipe.read, tmp_path / "b.fid", data)

    assert (output.run["format"], output.run["fid_points"]) == ("NMRPipe 2D", 8)
    assert output.warnings == ["It has 6 signals in time; the first is drawn."]


def write_sparky(path, points):
    """A file of Sparky as its library writes it, of axes of 1,000 Hz at 500 MHz with 5 ppm in their middle."""
    axis = {"sw": 1000.0, "obs": 500.0, "car": 2500.0, "complex": False, "time": False, "freq": True, "label": "1H"}
    axes = {number: axis | {"size": size} for number, size in enumerate(points.shape)}
    header = nmrglue.sparky.create_dic({"ndim": points.ndim, **axes}, user="ann")
    nmrglue.sparky.write(str(path), header, points.astype("float32"), overwrite=True)
    return path.read_bytes()


@pytest.mark.parametrize("shape", [(32, 64), (4, 32, 64)])
def test_spectra_of_sparky_are_drawn_by_their_last_two_axes(tmp_path, shape):
    points = np.full(shape, 0.5)
    points[..., 8:11, 40:44] = 7.5
    path = tmp_path / "noesy.ucsf"
    path.write_bytes(write_sparky(tmp_path / "a.ucsf", points))

    output = read_in_child(path)

    assert output.run["format"] == f"Sparky {len(shape)}D"
    assert (output.run["points_f1"], output.run["points_f2"], output.run["y_max"]) == (32, 64, 7.5)
    assert (output.run["nucleus"], output.run["observe_frequency_mhz"], output.run["analyst"]) == ("1H", 500, "ann")
    assert output.of_kind("curve")[0]["style"] == "contours"
    assert len(output.warnings) == (len(shape) > 2)


def test_a_spectrum_of_sparky_that_was_cut_off_is_refused(tmp_path):
    data = write_sparky(tmp_path / "a.ucsf", np.ones((32, 64)))

    with pytest.raises(Unreadable, match="not as many as its header"):
        read_here(sparky.read, tmp_path / "b.ucsf", data[: len(data) // 2])


def test_a_flat_map_has_no_contours(tmp_path):
    data = write_pipe(tmp_path / "a.ft2", np.zeros((6, 8)), is_frequency=True)

    assert read_here(nmrpipe.read, tmp_path / "b.ft2", data).artefacts == []


@pytest.mark.parametrize(
    ("reader", "name", "text"),
    [
        (parameters.read, "uxnmr.par", "##TITLE= Parameter file\n##$AMP= 1\n##END=\n"),
        (jcamp.read, "audita.txt", "##TITLE= Audit trail, TOPSPIN\n##JCAMPDX= 5.01\n##AUDIT TRAIL= (NUMBER)\n##END=\n"),
    ],
)
def test_parts_of_a_folder_that_hold_no_data_are_left(reader, name, text, tmp_path):
    with pytest.raises(Unrecognised, match="kept, and not read"):
        read_here(reader, tmp_path / name, text)


PROCPAR = {"sw": "4000", "sfrq": "400.13", "tn": "H1", "nt": "8", "solvent": "d2o", "time_run": "20240307T160533"}


def write_varian(folder, *, traces=1):
    points = np.exp((2j * np.pi * 0.1 - 0.01) * np.arange(256)).astype("complex64")
    shape = (traces, 256) if traces > 1 else (256,)
    sizes = {n: {"size": size, "complex": n == len(shape) - 1} for n, size in enumerate(shape)}
    written = nmrglue.varian.create_dic({"ndim": len(shape), **sizes})
    for key, value in PROCPAR.items():
        written["procpar"][key] = nmrglue.varian.create_pdic_param(key, [value])
        written["procpar"][key]["basictype"] = "1" if value.replace(".", "").isdigit() else "2"
    nmrglue.varian.write(str(folder), written, np.broadcast_to(points, shape).copy(), overwrite=True)
    return folder


@pytest.mark.parametrize("traces", [1, 3])
def test_a_varian_experiment_is_read_with_the_signal_beside_it(traces, tmp_path):
    folder = write_varian(tmp_path, traces=traces)

    found = read_here(parameters.read_procpar, folder / "procpar", (folder / "procpar").read_bytes())

    assert is_procpar((folder / "procpar").read_bytes())
    assert (found.run["nucleus"], found.run["fid_points"], found.run["solvent"]) == ("1H", 256, "d2o")
    assert (found.file, found.run["measured_from"]) == ({"assumed_time_zone": "UTC"}, "2024-03-07T16:05:33Z")
    (curve,) = list_curves(found)
    assert curve["series"][0]["y"][:2] == pytest.approx([1, 0.99005 * np.cos(0.2 * np.pi)], rel=1e-4)


def test_of_a_varian_experiment_without_its_signal_the_facts_are_read(tmp_path):
    folder = write_varian(tmp_path)
    (folder / "fid").unlink()

    found = read_here(parameters.read_procpar, folder / "procpar", (folder / "procpar").read_bytes())

    assert (found.run["observe_frequency_mhz"], found.artefacts) == (400.13, ())
