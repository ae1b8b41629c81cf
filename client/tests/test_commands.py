"""`ids-data` as a process: what it prints, to whom, and how it ends."""

import json
import os
import pty
import subprocess
import sys
import uuid
from contextlib import suppress
from pathlib import Path

import pytest

import instrument_data as ids
from client.tests import shapes
from client.tests.desk import Answer, listed, refusal
from client.tests.test_changes import page

SOURCE = Path(__file__).parents[1] / "src"
PROJECT = "01990000-0000-7000-8000-000000000000"


@pytest.fixture
def ids_data(tmp_path):
    """Runs the command; `env` goes on top of an environment without a service."""

    def run(*arguments, stdin="", **env):
        return subprocess.run(
            [sys.executable, "-m", "instrument_data.cli.main", *map(str, arguments)],
            input=stdin,
            capture_output=True,
            text=True,
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(SOURCE), "COLUMNS": "120", **env},
        )

    return run


@pytest.fixture
def mine(ids_data, bench):
    """The command against the running service."""
    return lambda *arguments, **more: ids_data(*arguments, IDS_URL=bench.url, IDS_TOKEN=bench.token, **more)


@pytest.fixture
def told(ids_data, desk):
    """The command against answers that were told."""
    desk.tell("GET", "/instruments", listed([{"id": "reader", "display_name": "Reader"}]))
    desk.tell("GET", "/instrument-runs", listed([shapes.run()]))
    desk.tell("GET", "/instruments/reader/runs/R1", Answer(shapes.run()))
    desk.tell("GET", "/instruments/reader/runs/R1/datasets", listed([shapes.dataset()]))
    return lambda *arguments: ids_data(*arguments, IDS_URL=desk.url, IDS_TOKEN="ids_x")


def test_a_login_is_kept_for_the_next_command(ids_data, bench):
    done = ids_data("login", bench.url, "--token-stdin", stdin=bench.token)

    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    assert bench.token not in done.stderr
    assert bench.instrument in ids_data("instruments").stdout
    assert ids_data("logout").returncode == 0
    assert "ids-data login" in ids_data("whoami").stderr


def test_a_token_that_is_refused_is_not_kept(ids_data, bench):
    done = ids_data("login", bench.url, "--token-stdin", stdin="ids_wrong")

    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert ids_data("whoami").returncode == 1


def test_a_folder_goes_there_and_comes_back(mine, bench, results, tmp_path):
    sent = mine("put", results, "-i", bench.instrument, "-m", "plate_id=P7", "--json")
    again = mine("put", results, "-i", bench.instrument)
    got = mine("get", f"{bench.instrument}/results", "-o", tmp_path / "copy")

    assert sorted(json.loads(sent.stdout)["uploaded"]) == ["plate 1/empty.txt", "plate 1/scan.bin", "raw.csv"]
    assert again.stdout == f"{bench.instrument}/results: 0 uploaded, 3 known already, 0 failed\n"
    copy = tmp_path / "copy" / bench.instrument / "results"
    assert (copy / "plate 1" / "scan.bin").read_bytes() == (results / "plate 1" / "scan.bin").read_bytes()
    assert got.stdout.splitlines() == sorted(str(path) for path in copy.rglob("*") if path.is_file())


def test_one_file_of_what_a_search_finds(mine, bench, results, tmp_path):
    mine("put", results / "raw.csv", "-i", bench.instrument, "-r", "R1", "-m", "plate_id=P7")

    got = mine("get", "-i", bench.instrument, "-m", "plate_id=P7", "-o", tmp_path / "copy", "--json")

    assert json.loads(got.stdout) == {
        "run": "R1",
        "path": str(tmp_path / "copy" / bench.instrument / "R1" / "raw.csv"),
    }


def test_metadata_are_text_or_what_json_says(mine, bench, results):
    sent = mine(
        "put", results, "-i", bench.instrument, "-m", "plate_id=7", "-m", "temperature:=37.5", "-m", "rinsed:=true"
    )

    [run] = mine("runs", "-i", bench.instrument, "-m", "temperature__gt=9", "--json").stdout.splitlines()

    assert sent.returncode == 0, sent.stderr
    told = {"plate_id": "7", "temperature": 37.5, "rinsed": True}
    assert json.loads(run)["metadata"].items() >= told.items()  # what was read of the file may stand beside it


def test_an_instrument_is_made_where_that_is_asked_for(mine, results):
    name = f"hplc-{uuid.uuid4().hex[:8]}"

    refused = mine("put", results, "-i", name)
    first, second = (mine("put", results, "-i", name, "--create-instrument") for _ in range(2))

    assert refused.returncode == 1
    assert (first.returncode, first.stderr) == (0, f"The instrument {name} is made; an admin confirms it.\n")
    assert (second.returncode, second.stderr) == (0, "")


def test_a_search_that_finds_nothing_says_so(mine, bench, tmp_path):
    search = ("-i", bench.instrument, "-m", "plate_id=P7")

    told = [mine(*command, *search) for command in (("runs",), ("get", "-o", tmp_path), ("datasets",))]

    assert [done.returncode for done in told] == [0, 0, 0]
    assert [done.stderr for done in told] == ["No run is found.\n", "No run is found.\n", "No dataset is found.\n"]


def test_metadata_called_as_options_are(told, desk):
    """`project` is an option of the library; behind -m everything is metadata."""
    done = told("runs", "-m", "instrument=x", "-m", "project=y", "-m", "tags=z", "-m", "od600__gt=1", "--json")

    assert done.returncode == 0, done.stderr
    [asked] = desk.asked("/instrument-runs")
    assert [pair for pair in asked.query if pair[0].startswith("metadata")] == [
        ("metadata[instrument]", "x"),
        ("metadata[project]", "y"),
        ("metadata[tags]", "z"),
        ("metadata[od600][gt]", "1"),
    ]


def test_a_comparison_that_is_called_otherwise_is_told(told):
    done = told("runs", "-m", "od600__gte=1")

    assert done.returncode == 1
    assert done.stderr == (
        "ids-data: gte is no comparison here: ge is meant? There are gt, ge, lt, le, ne, contains, exists.\n"
    )


def test_a_list_in_another_order(told, desk):
    told("runs", "--sort", "total_size_bytes", "--order", "asc", "--project", PROJECT)

    [asked] = desk.asked("/instrument-runs")
    assert [asked.asked(name) for name in ("sort", "order", "project_id")] == [
        ["total_size_bytes"], ["asc"], [PROJECT]
    ]  # fmt: skip


def test_metadata_said_twice_narrow_a_search(told, desk):
    told("runs", "-m", "plate_id=P7", "-m", "plate_id=P8")

    [asked] = desk.asked("/instrument-runs")
    assert asked.asked("metadata[plate_id]") == ["P7", "P8"]


def test_other_bytes_end_the_upload_with_the_services_sentence(mine, bench, results):
    mine("put", results / "raw.csv", "-i", bench.instrument, "-r", "R1")
    (results / "raw.csv").write_text("other")

    done = mine("put", results / "raw.csv", "-i", bench.instrument, "-r", "R1")

    assert done.returncode == 1
    assert done.stderr.startswith("raw.csv: ")


def test_runs_as_a_table_and_as_lines_of_json(mine, bench, results):
    mine("put", results / "raw.csv", "-i", bench.instrument, "-r", "R1", "-m", "plate_id=P7")

    shown = mine("runs", "-i", bench.instrument, "--since", "last week")
    lines = mine("runs", "-i", bench.instrument, "--json").stdout.splitlines()

    assert f"{bench.instrument}/R1" in shown.stdout
    assert "plate_id: P7" in shown.stdout
    assert [json.loads(line)["run_id"] for line in lines] == ["R1"]


def test_sql_over_runs(mine, bench, results):
    pytest.importorskip("duckdb")
    for name, plate in (("R1", "P7"), ("R2", "P8")):
        mine("put", results / "raw.csv", "-i", bench.instrument, "-r", name, "-m", f"plate_id={plate}")

    query = 'SELECT run_id, "metadata.plate_id" AS plate FROM runs ORDER BY run_id'
    done = mine("sql", query, "-i", bench.instrument, "--json")

    assert [json.loads(line) for line in done.stdout.splitlines()] == [
        {"run_id": "R1", "plate": "P7"},
        {"run_id": "R2", "plate": "P8"},
    ], done.stderr


def test_sql_over_no_runs_at_all(mine, bench):
    pytest.importorskip("duckdb")

    assert mine("sql", "SELECT count(*) AS runs FROM runs", "-i", bench.instrument, "--csv").stdout == "runs\n0\n"


def test_sql_over_a_dataset(told, desk, tmp_path):
    pytest.importorskip("duckdb")
    import io

    import pyarrow.parquet as parquet

    sink = io.BytesIO()
    import pyarrow as pa

    parquet.write_table(pa.table({"run_id": ["R1", "R2"], "well": ["B3", "B3"], "value": [0.5, 0.7]}), sink)
    desk.tell("GET", "/datasets", listed([shapes.dataset("plate")]))
    desk.tell("GET", "/dataset-rows", Answer(sink.getvalue()))

    done = told("sql", "SELECT well, max(value) AS top FROM plate GROUP BY well", "--csv")

    assert done.stdout == "well,top\nB3,0.7\n", done.stderr
    [asked] = desk.asked("/dataset-rows")
    assert (asked.asked("name"), asked.asked("format")) == (["plate"], ["parquet"])


@pytest.mark.parametrize("query", ["SELEC", "DROP TABLE runs", "SELECT nothing FROM runs"])
def test_sql_that_is_wrong_is_one_line(told, query):
    pytest.importorskip("duckdb")

    done = told("sql", query)

    assert done.returncode == 1
    assert "Traceback" not in done.stderr


def test_numbers_that_are_none_are_null_in_json(told):
    pytest.importorskip("duckdb")

    done = told("sql", "SELECT 'NaN'::DOUBLE AS a, ['Infinity'::DOUBLE, 1.5] AS b FROM runs", "--json")

    assert done.stdout == '{"a": null, "b": [null, 1.5]}\n', done.stderr


def test_datasets_with_their_units(told):
    assert "wavelength [nm]" in told("datasets", "reader/R1").stdout


def test_rows_as_csv(told, desk):
    rows = "/datasets/0199-spectrum-scan.csv/rows"
    desk.tell("GET", rows, Answer(b"trace,wavelength\nA,400\n"))

    done = told("rows", "spectrum", "reader/R1", "-w", "wavelength:lt:500", "-c", "trace,wavelength", "--limit", "5")

    assert done.stdout == "trace,wavelength\nA,400\n", done.stderr
    assert desk.asked(rows)[-1].asked("where") == ["wavelength:lt:500"]


def test_watching_goes_on_where_it_ended(told, desk, tmp_path):
    desk.tell("GET", "/changes", page(1, 2, following=2), page(following=2))
    state = tmp_path / "position"

    first = told("watch", "--once", "--after", "0", "--state", state, "--json")
    told("watch", "--once", "--state", state)

    assert [json.loads(line)["position"] for line in first.stdout.splitlines()] == [1, 2]
    assert state.read_text() == "2"
    assert desk.asked("/changes")[-1].asked("after") == ["2"]


def test_a_position_that_is_gone_says_where_to_begin(told, desk):
    desk.tell("GET", "/changes", refusal("GONE", "Not kept.", status=410, details={"oldest": 40}))

    done = told("watch", "--after", "3", "--once")

    assert (done.returncode, done.stderr) == (
        1,
        "ids-data: Not kept. Begin anew with --after 40, the earliest that is kept.\n",
    )


def test_a_refusal_is_one_line(told, desk):
    desk.tell("GET", "/instrument-runs", refusal("FORBIDDEN", "The token lacks the scope runs:read.", status=403))

    done = told("runs")

    assert (done.returncode, done.stderr) == (1, "ids-data: The token lacks the scope runs:read.\n")


@pytest.mark.parametrize(
    "arguments",
    [
        ("get",),
        ("get", "R1"),
        ("runs", "-m", "plate"),
        ("rows", "plate", "-w", "value>1"),
        ("put", "nowhere", "-i", "x"),
        ("put", ".", "-i", "x", "-m", "a=1", "-m", "a=2"),
        ("put", ".", "-i", "x", "-m", "a:=one"),
    ],
)
def test_what_is_not_understood_is_code_2(told, arguments):
    done = told(*arguments)

    assert done.returncode == 2
    assert "Usage" in done.stderr


def test_a_time_that_is_none_says_what_would_be_one(told):
    done = told("runs", "--since", "soon")

    assert done.returncode == 1
    assert "last week" in done.stderr


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_is_one_line_for_the_profile(ids_data, shell):
    assert f"{shell}_source" in ids_data("completion", shell).stdout


def test_instruments_complete_themselves(told, ids_data, desk):
    done = ids_data(
        IDS_URL=desk.url,
        IDS_TOKEN="ids_x",
        _IDS_DATA_COMPLETE="bash_complete",
        COMP_WORDS="ids-data runs -i rea",
        COMP_CWORD="3",
    )

    assert "reader" in done.stdout


def test_the_cache_tells_and_removes(mine, bench, results, tmp_path):
    mine("put", results / "raw.csv", "-i", bench.instrument, "-r", "R1")
    mine("get", f"{bench.instrument}/R1", "raw.csv", "-o", tmp_path / "copy")

    before = json.loads(mine("cache", "--json").stdout)
    after = json.loads(mine("cache", "--prune", "0", "--json").stdout)

    assert (before["files"], before["bytes"], after["removed_files"], after["files"]) == (1, 18, 1, 0)


def test_every_command_explains_itself(ids_data):
    commands = ids_data("--help").stdout.partition("Commands:")[2].split("\n")
    names = [line.split()[0] for line in commands if line.startswith("  ") and line.strip()]

    assert {"login", "runs", "get", "put", "datasets", "sql", "watch"} <= set(names)
    assert {ids_data(name, "--help").returncode for name in names} == {0}


def test_a_refusal_says_each_thing_once(told, desk):
    details = {"fields": {"where": ["There is no column 'wel'."]}}
    desk.tell("GET", "/datasets", listed([shapes.dataset("plate", kind="plate")]))
    desk.tell(
        "GET",
        "/dataset-rows",
        refusal("VALIDATION_ERROR", "where: There is no column 'wel'.", status=400, details=details),
    )

    done = told("rows", "plate", "-w", "wel:eq:B3")

    assert (done.returncode, done.stderr) == (1, "ids-data: where: There is no column 'wel'.\n")


@pytest.mark.parametrize(
    ("variables", "sentence"),
    [
        ({"IDS_URL": "http://lab:door", "IDS_TOKEN": "ids_x"}, "http://lab:door is no address of a service"),
        ({"IDS_URL": "http://lab data", "IDS_TOKEN": "ids_x"}, "http://lab data is no address of a service"),
        ({"IDS_URL": "http://lab", "IDS_TOKEN": "ids_ä"}, "The token has characters that no token has"),
        ({"IDS_URL": "http://lab", "IDS_TOKEN": "ids_s3cret\nmore"}, "The token has characters that no token has"),
    ],
)
def test_what_is_no_address_or_token_is_told_in_one_sentence(ids_data, variables, sentence):
    done = ids_data("whoami", **variables)

    assert done.returncode == 1
    assert done.stderr.startswith(f"ids-data: {sentence}")
    assert done.stderr.count("\n") == 1
    assert "s3cret" not in done.stderr


def test_patience_for_a_service_that_is_away_is_ones_own(ids_data):
    done = ids_data("--patience", "0", "whoami", IDS_URL="http://127.0.0.1:9", IDS_TOKEN="ids_x")

    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert done.stderr.startswith("ids-data: http://127.0.0.1:9 does not answer: ")


def test_login_sends_the_token_of_another_service_nowhere(ids_data, desk):
    done = ids_data("login", desk.url, IDS_URL="https://lab.example", IDS_TOKEN="ids_x")

    assert desk.questions == []
    assert "Token" in done.stderr  # it asks for one


def test_a_page_that_is_no_answer_of_the_service_is_told(told, desk):
    desk.tell("GET", "/whoami", Answer(b"<html>Welcome</html>"))

    done = told("whoami")

    assert (done.returncode, done.stderr) == (
        1,
        f"ids-data: {desk.url} answers 200, but not as an Instrument Data Service does:"
        " it is another address, or a proxy stands between.\n",
    )


def test_a_full_disk_is_a_sentence(tmp_path):
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "instrument_data.cli.main", "completion", "bash"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            env={**os.environ, "PYTHONPATH": str(SOURCE)},
        )

    assert (done.returncode, done.stderr) == (1, "ids-data: No space left on device.\n")


def test_a_reader_that_has_read_enough_is_no_failure(told, desk):
    desk.tell("GET", "/instrument-runs", listed([shapes.run(f"R{number}") for number in range(2_000)]))
    command = f"set -o pipefail; {sys.executable} -m instrument_data.cli.main runs --all --json | head -1"
    variables = {"PYTHONPATH": str(SOURCE), "IDS_URL": desk.url, "IDS_TOKEN": "ids_x"}

    done = subprocess.run(
        ["bash", "-c", command], capture_output=True, text=True, check=False, env=os.environ | variables
    )

    assert (done.returncode, done.stderr) == (0, "")


def test_a_table_that_nobody_looks_at_has_no_blanks_at_the_ends_of_lines(told):
    assert [line for line in told("runs").stdout.splitlines() if line != line.rstrip()] == []


def test_watching_keeps_the_position_before_the_first_event(told, desk, tmp_path):
    state = tmp_path / "position"
    desk.tell("GET", "/changes", page(following=7), page(following=7), refusal("FORBIDDEN", "Enough.", status=403))

    told("watch", "--state", state)

    assert state.read_text() == "7"


def test_the_command_of_the_wheel_is_the_command():
    done = subprocess.run(
        [sys.executable, "-c", "import instrument_data_command as it; it.main()", "--version"],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
    )

    assert (done.returncode, done.stdout) == (0, f"ids-data, version {ids.__version__}\n")


def test_in_a_terminal_a_run_takes_one_line(desk):
    run = shapes.run() | {"metadata": {"note": "long " * 100}, "created_at": "2026-11-26T10:00:00.000Z"}
    desk.tell("GET", "/instrument-runs", listed([run]))
    ours, theirs = pty.openpty()
    asked = [sys.executable, "-m", "instrument_data.cli.main", "runs"]
    env = {**os.environ, "PYTHONPATH": str(SOURCE), "COLUMNS": "100", "IDS_URL": desk.url, "IDS_TOKEN": "ids_x"}

    done = subprocess.run(asked, stdout=theirs, env=env, timeout=60, check=False)
    os.close(theirs)

    shown = b""
    with suppress(OSError):  # Linux' word for the end of a terminal
        while piece := os.read(ours, 10_000):
            shown += piece
    lines = shown.decode().splitlines()
    os.close(ours)
    assert (done.returncode, len(lines)) == (0, 2), lines
    assert "R1" in lines[1]
    assert "…" in lines[1]


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads every file")
def test_a_file_that_may_not_be_read_is_told_without_numbers(mine, bench, results):
    (results / "raw.csv").chmod(0)

    done = mine("put", results, "-i", bench.instrument)

    assert done.returncode == 1
    assert f"raw.csv: Permission denied: {results / 'raw.csv'}.\n" in done.stderr
