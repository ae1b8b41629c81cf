"""Questions that were asked when the tools were there: the last ones, why, since when, by whom, and is it kept."""

from datetime import timedelta
from statistics import fmean

from files.models import File
from operations.demo.laboratory import PEOPLE
from operations.demo.runs import RUN_NAMES
from operations.demo.series import CYCLES, EXCLUSION, GROWTH, PREPS, VIABILITY
from operations.demo.showcase import DAMAGED_MESSAGE, RUN_ID
from runs.models import Comment, Run
from tests.mcp_server.evals.laboratory import NEO, SHOWN
from tests.mcp_server.evals.numbers import read_table, trace_of, wells_of
from tests.mcp_server.evals.questions import Client, question
from watchers.models import Watcher
from wire.clock import format_timestamp, now


def days_ago(count: int) -> str:
    return (now() - timedelta(days=count)).date().isoformat()


@question(
    "Which runs of the last week failed, with which file, and why?",
    lambda: {
        RUN_ID: ("lyso_t045_rep1.jdx", DAMAGED_MESSAGE),
        RUN_NAMES[11][1]: (f"{RUN_NAMES[11][1]}_1.txt", ""),
    },
)
def which_failed_and_why(client: Client) -> dict[str, tuple[str, str]]:
    rows = client.rows("search_runs", status="failed", date_from=days_ago(7))
    return {row["run_id"]: (row["failure"]["filename"], row["failure"]["error_message"]) for row in rows}


def _mean_of_column_1(number: int) -> float:
    return round(fmean(wells_of(number)[f"{row}1"] for row in "ABCDEFGH"), 9)


@question(
    "What is the mean of A1 to H1 on each of the last three growth plates?",
    lambda: {GROWTH.run_id(one): _mean_of_column_1(one) for one in GROWTH.newest_first[:3]},
)
def mean_of_the_last_three(client: Client) -> dict[object, float]:
    asked = {"name": "plate_absorbance", "tag": "growth", "latest": 3, "where": "column:eq:1", "group_by": "run_id"}
    return {run: round(float(mean), 9) for run, mean in client.cells("query_datasets", **asked, aggregate="mean:value")}


@question(
    "At which volume is the highest peak of the newest chromatogram, in which run?",
    lambda: (
        EXCLUSION.run_id(EXCLUSION.count),
        max(trace_of(EXCLUSION.count).items(), key=lambda point: point[1])[0],
    ),
)
def highest_of_the_newest(client: Client) -> tuple[object, ...]:
    asked = {"name": "chromatogram", "latest": 1, "order_by": "-uv_280", "limit": 1}
    return tuple(client("query_datasets", **asked, columns=["run_id", "retention_volume"])["data"][0])


def _silence() -> tuple[str, str]:
    watcher = Watcher.objects.get(hostname="AKTA-1-07")
    return watcher.instrument_id, format_timestamp(watcher.last_heartbeat_at) or ""


@question("Which instrument is silent, and since when?", _silence)
def silent_since(client: Client) -> tuple[str, str]:
    row = client.one("list_watchers", offline=True)
    return row["instrument_id"], row["last_heartbeat_at"]


@question("Is the lysozyme run after the lamp change signed, or on hold?", lambda: ([], None))
def signed_or_held(client: Client) -> tuple[list[object], object]:
    run = client("get_run", **SHOWN)
    return run["signatures"], run["hold"]


def _changes_of_showcase() -> int:
    run = Run.objects.get(run_id=RUN_ID)
    return Comment.objects.filter(run=run).count()


@question("How many comments were written on it since yesterday, by the trail?", _changes_of_showcase)
def changed_since_yesterday(client: Client) -> int:
    told = client("get_history", **SHOWN, since=days_ago(1), per_page=100)
    rows = told["data"]
    while told["pagination"]["next_cursor"]:
        told = client("get_history", **SHOWN, since=days_ago(1), per_page=100, cursor=told["pagination"]["next_cursor"])
        rows += told["data"]
    return sum(row["object"]["kind"] == "comment" and row["action"] == "created" for row in rows)


def _busiest_day() -> tuple[str, int]:
    counted: dict[str, int] = {}
    for moment in Run.objects.active().values_list("happened_at", flat=True):
        day = moment.date().isoformat()
        counted[day] = counted.get(day, 0) + 1
    return max(counted.items(), key=lambda pair: (pair[1], pair[0]))


@question("On which day were most runs measured, and how many?", _busiest_day)
def busiest_day(client: Client) -> tuple[str, int]:
    days = client.rows("count_runs", group_by="day")
    return max(((row["key"], row["run_count"]) for row in days), key=lambda pair: (pair[1], pair[0]))


@question(
    "What did nobody claim on the Synergy Neo2 so far: how many runs?",
    lambda: Run.objects.active().filter(instrument_id=NEO, claims=None).count(),
)
def unclaimed(client: Client) -> int:
    return client("count_runs", group_by="status", instrument_id=NEO, ran_by="unattributed")["total"]


@question(
    "When did Ines last run something, on which instrument?",
    lambda: (
        Run.objects.active()
        .filter(claims__user__display_name=PEOPLE["ines.okafor"])
        .order_by("-happened_at", "-id")
        .values_list("instrument_id", "run_id")[0]
    ),
)
def last_of_a_person(client: Client) -> tuple[str, str]:
    row = client.rows("search_runs", ran_by=PEOPLE["ines.okafor"], per_page=1)[0]
    return row["instrument_id"], row["run_id"]


def _stalled() -> set[str]:
    return {run.run_id for run in Run.objects.active().with_details() if run.status_at(now()) == "stalled"}


@question("Which runs take too long to be read?", _stalled)
def which_are_stalled(client: Client) -> set[str]:
    return {row["run_id"] for row in client.rows("search_runs", status="stalled")}


@question(
    "By how much did the mean Cq of GAPDH in the control change from the last but one plate to the last?",
    lambda: round(_mean_reference(CYCLES.count) - _mean_reference(CYCLES.count - 1), 9),
)
def drift_of_the_reference(client: Client) -> float:
    asked = {"name": "cq", "latest": 2, "where": ["target:eq:GAPDH", "sample:eq:control"], "aggregate": "mean:cq"}
    rows = client.cells("query_datasets", **asked, group_by=["acquired_at", "run_id"], order_by="-acquired_at")
    return round(float(rows[0][2]) - float(rows[1][2]), 9)


def _mean_reference(number: int) -> float:
    rows = read_table(CYCLES, number)
    return fmean(float(str(row["Cq"])) for row in rows if (row["Sample"], row["Target"]) == ("control", "GAPDH"))


@question(
    "Which preparation of the last Take3 run has most DNA, and how much?",
    lambda: max(
        ((row["Sample"], row["Concentration"]) for row in read_table(PREPS, PREPS.count)),
        key=lambda pair: float(str(pair[1])),
    ),
)
def most_concentrated(client: Client) -> tuple[object, ...]:
    asked = {"name": "nucleic_acids", "latest": 1, "columns": ["sample", "concentration"]}
    return tuple(client("query_datasets", **asked, order_by="-concentration", limit=1)["data"][0])


@question(
    "In which runs was the water control of the BRCA1 plates above the threshold?",
    lambda: set(),
)
def contaminated_water(client: Client) -> set[object]:
    asked = {"name": "cq", "where": ["sample:eq:water", "cq:is_null:false"], "columns": "run_id"}
    return {row[0] for row in client.cells("query_datasets", **asked)}


@question(
    "What was the mean viability of each day's bioreactor samples, the newest first?",
    lambda: [
        (VIABILITY.run_id(one), round(fmean(row["Viability"] for row in read_table(VIABILITY, one)), 9))  # type: ignore[misc]
        for one in VIABILITY.newest_first
    ],
)
def viability_by_day(client: Client) -> list[tuple[object, float]]:
    asked = {"name": "viability", "group_by": ["acquired_at", "run_id"], "aggregate": "mean:viability"}
    rows = client.cells("query_datasets", **asked, order_by="-acquired_at")
    return [(run, round(float(mean), 9)) for _, run, mean in rows]


@question(
    "Which of its raw files is the largest, and is it stored?",
    lambda: (
        File.objects.active()
        .filter(run__run_id=RUN_ID, category="raw")
        .order_by("-size_bytes", "id")
        .values_list("filename", "status")[0]
    ),
)
def largest_file(client: Client) -> tuple[str, str]:
    rows = client.rows("list_run_files", **SHOWN, category="raw", per_page=100)
    row = max(rows, key=lambda one: (one["size_bytes"] or 0, -one["id"]))
    return row["filename"], row["status"]
