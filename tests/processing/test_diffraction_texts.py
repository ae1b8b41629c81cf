"""Diffractograms as text, made here from what public readers say of the formats."""

import pytest

from processing.processors import generic
from processing.processors.diffraction.texts import read
from processing.readings import Kind, Unreadable, Unrecognised
from processing.registry import choose_type
from tests.processing.here import documents, read_here, the

COUNTS = [640 + 7 * (place * place % 11) for place in range(40)]
COUNTS[25] = 9_000


def in_rows(values, width, separator=", "):
    return [separator.join(map(str, values[at : at + width])) for at in range(0, len(values), width)]


def udf(counts=COUNTS, *, end="/"):
    head = ["SampleIdent,quartz,/", "Title1,CeO2, standard,/", "Title2,,/", "DiffrType,PW3710,/", "Anode,Cu,/"]
    head += ["LabdaAlpha1, 1.54060,/", "DivergenceSlit,Fixed, 1/2,/", "GeneratorVoltage,  40,/"]
    head += ["FileDateTime,03-jun-2025 15:55,/", "DataAngleRange,   5.0000,   5.7800,/", "ScanStepSize,    0.020,/"]
    return "\r\n".join([*head, "ScanStepTime,    1.50,/", "RawScan", ",\r\n".join(in_rows(counts, 8))]) + end + "\r\n"


def cpi(counts=COUNTS):
    head = ["SIETRONICS XRD SCAN", "5.000", "5.780", "0.020", "Cu", "1.54060", "29-4-2002", "0.080", "quartz"]
    return "\n".join([*head, "SCANDATA", *map(str, counts), ""])


def uxd(counts=COUNTS, *, marker="_COUNTS", ranges=1, drive="COUPLED", announced=40):
    head = ["; converted from quartz.raw", "_FILEVERSION=1", "_SAMPLE='quartz'", "_ANODE='Cu'", "_WL1=1.540600"]
    head += ["_DATEMEASURED='26-Jul-2006 12:18:25'"]
    one = ["; Data for range 1", f"_DRIVE='{drive}'", "_STEPTIME=1.500000", "_STEPSIZE=0.020000", "_START=5.000000"]
    one += [f"_STEPCOUNT={announced}", marker]
    pairs = [f"{5 + 0.02 * place:.4f}  {count}" for place, count in enumerate(counts)]
    return "\n".join([*head, *(one + (pairs if "2THETA" in marker else in_rows(counts, 8, "  "))) * ranges, ""])


def rigaku(counts=COUNTS):
    head = ["*TYPE\t\t=  Raw", "*SAMPLE\t\t=  quartz", "*DATE\t\t=  16-Nov-06 14:43", "*GONIO\t\t=  Ultima"]
    group = ["*BEGIN", "*START\t\t=  5.0", "*STOP\t\t=  5.78", "*STEP\t\t=  0.02", "*COUNT\t\t=  40"]
    return "\n".join([*head, *group, *in_rows(counts, 4), "*END", "*EOF", ""])


def gsas(form="STD", counts=COUNTS):
    number = len(counts)
    title = ["quartz, room temperature", "Instrument parameter  d1a.prm"]
    if form == "FXYE":
        rows = [f"{500 + 2 * place:.2f} {count} {count**0.5:.3f}" for place, count in enumerate(counts)]
        bank = f"BANK 1 {number} {number} CONS 500.00 2.00 0 0 FXYE"
    else:
        fields = [f" 1{count:6d}" if form == "STD" else f"{count:8.1f}{count**0.5:8.2f}" for count in counts]
        each = 10 if form == "STD" else 5
        rows = ["".join(fields[at : at + each]).ljust(80) for at in range(0, number, each)]
        bank = f"BANK 1 {number} {len(rows)} CONST 500.00 2.00 0 0 {form}".ljust(80)
    return "\n".join([*title, bank, *rows, ""])


def stepped(counts=COUNTS, *, head="   5.000   0.020   5.780 quartz"):
    return "\n".join([head, *in_rows(counts, 8, "   "), ""])


TEXTS = {
    "quartz.udf": udf(),
    "quartz.cpi": cpi(),
    "quartz.uxd": uxd(),
    "pairs.uxd": uxd(marker="_2THETACOUNTS"),
    "rigaku.dat": rigaku(),
    "std.gsa": gsas(),
    "esd.gsa": gsas("ESD"),
    "triples.fxye": gsas("FXYE"),
    "quartz.rit": stepped(),
    "stop.rit": stepped(head="5.0 5.78 0.02"),
}


@pytest.mark.parametrize("name", TEXTS)
def test_counts_stand_over_their_angles(tmp_path, name):
    output = read_here(read, tmp_path / name, TEXTS[name])

    curve = the(output, Kind.CURVE)
    assert (curve["x"]["label"], curve["x"]["unit"]) == ("2θ", "°")
    (series,) = curve["series"]
    assert series["y"] == COUNTS
    assert series["x"] == pytest.approx([5 + 0.02 * place for place in range(40)])
    assert (output.file["points"], output.file["two_theta_at_max_deg"], output.file["max_counts"]) == (40, 5.5, 9_000)
    assert output.warnings == []


@pytest.mark.parametrize("name", [name for name in TEXTS if "rit" not in name])
def test_it_is_known_by_how_it_begins(name):
    head = TEXTS[name].encode()[:8192]

    assert choose_type(filename="scan.txt", head=head, instrument_type="generic").name == "diffraction-text"


def test_counts_below_a_start_a_step_and_a_stop_are_no_table(tmp_path):
    output = read_here(generic.read, tmp_path / "quartz.dat", stepped(), instrument_type="generic")

    assert the(output, Kind.CURVE)["series"][0]["y"] == COUNTS


@pytest.mark.parametrize("first", ["5.0 0.02 6", "Cycle FAM HEX\n1 0.5 45"])
def test_a_table_that_begins_with_three_numbers_stays_a_table(tmp_path, first):
    rows = [f"{5 + 0.5 * place} {0.02 * place:.2f} {6 + place}" for place in range(1, 29)]

    output = read_here(generic.read, tmp_path / "table.txt", "\n".join([first, *rows]), instrument_type="generic")

    assert output.run["columns"] == 3


@pytest.mark.parametrize("name", ["quartz.udf", "quartz.uxd", "rigaku.dat"])
def test_facts_of_the_head_are_found(tmp_path, name):
    output = read_here(read, tmp_path / name, TEXTS[name], zone="Europe/Berlin")

    assert (output.run["technique"], output.run["sample_id"]) == ("XRD", "quartz")
    assert output.acquired_at is not None
    assert output.file["assumed_time_zone"] == "Europe/Berlin"


def test_numbers_of_the_head_are_facts(tmp_path):
    run = read_here(read, tmp_path / "a.udf", udf()).run

    assert (run["anode"], run["wavelength_k_alpha1_angstrom"], run["tension_kv"]) == ("Cu", 1.5406, 40)
    assert (run["counting_time_s"], run["instrument_model"], run["title"]) == (1.5, "PW3710", "CeO2, standard")
    assert read_here(read, tmp_path / "a.cpi", cpi()).run["measured_on"] == "2002-04-29"


def test_several_ranges_are_several_scans(tmp_path):
    output = read_here(read, tmp_path / "a.uxd", uxd(ranges=3))

    assert output.file["scans"] == len(the(output, Kind.CURVE)["series"]) == 3


def test_a_rate_and_another_axis_are_called_so(tmp_path):
    output = read_here(read, tmp_path / "a.uxd", uxd(marker="_2THETACPS", drive="THETA"))

    curve = the(output, Kind.CURVE)
    assert (curve["x"]["label"], curve["y"]["unit"]) == ("θ", "counts/s")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.udf", udf(COUNTS[:30])),
        ("a.udf", udf(end="")),
        ("a.cpi", cpi(COUNTS[:-1])),
        ("a.uxd", uxd(COUNTS[:-1])),
        ("a.dat", rigaku(COUNTS[:30])),
        ("a.gsa", gsas("STD", COUNTS).replace("BANK 1 40", "BANK 1 41")),
        ("a.rit", stepped(COUNTS[:32])),
    ],
)
def test_fewer_points_than_announced_are_told(tmp_path, name, text):
    assert len(read_here(read, tmp_path / name, text).warnings) == 1


def test_a_step_that_was_rounded_is_no_damage(tmp_path):
    text = udf().replace("5.7800", "5.6520").replace("0.020,/", "0.017,/")  # steps of 0.01672

    output = read_here(read, tmp_path / "a.udf", text)

    assert output.warnings == []
    assert output.file["two_theta_end_deg"] == 5.652


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("a.udf", udf()[:200], "within its head"),
        ("a.cpi", cpi()[:60], "within its head"),
        ("a.cpi", cpi().replace("641", "6?1").replace("640", "6?0"), "no count"),
        ("a.uxd", uxd(marker="_D-I"), "list of peaks"),
        ("a.gsa", gsas().replace("CONST", "TIME_MAP"), "not read"),
    ],
)
def test_what_is_damaged_or_not_read_is_refused(tmp_path, name, text, said):
    with pytest.raises(Unreadable, match=said):
        read_here(read, tmp_path / name, text)


def test_what_only_ends_like_one_is_left_alone(tmp_path):
    with pytest.raises(Unrecognised):
        read_here(read, tmp_path / "a.rit", "a letter to a friend\n")


def test_scans_of_two_axes_are_two_pictures(tmp_path):
    text = uxd() + uxd(drive="PHI").partition("_DATEMEASURED='26-Jul-2006 12:18:25'\n")[2]

    assert len(documents(read_here(read, tmp_path / "a.uxd", text), Kind.CURVE)) == 2
