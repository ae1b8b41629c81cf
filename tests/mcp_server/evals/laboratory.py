"""Questions about instruments, runs, people and files."""

from django.db.models import Count, Sum

from files.models import File
from operations.demo.laboratory import MACHINES, PEOPLE, Machine
from operations.demo.runs import RUN_NAMES
from operations.demo.series import GROWTH, PREPS
from operations.demo.showcase import DAMAGED_MESSAGE, METADATA, REMARKS, RUN_ID
from runs.models import Claim, Run
from tests.mcp_server.evals.questions import Client, question

CARY, NEO, ZEISS = "cary-60-uvvis-bench-3", "synergy-neo2", "zeiss-axio-observer-z1-imaging-core"
SHOWN = {"instrument_id": CARY, "run_id": RUN_ID}


def machine(**wanted: object) -> Machine:
    (found,) = [one for one in MACHINES if all(getattr(one, name) == value for name, value in wanted.items())]
    return found


def count_active(**wanted: object) -> int:
    return Run.objects.active().filter(**wanted).count()


@question("Which instruments wait to be confirmed?", lambda: {machine(status="pending").id})
def which_instruments_wait(client: Client) -> set[str]:
    return {row["id"] for row in client.rows("list_instruments", status="pending")}


@question("Which computer was not heard, and beside which instrument?", lambda: {("AKTA-1-07", "akta-pure-25")})
def which_computer_is_silent(client: Client) -> set[tuple[str, str]]:
    watchers = client.rows("list_watchers")
    return {(row["hostname"], row["instrument_id"]) for row in watchers if row["status"] == "offline"}


@question("Which computers run an agent older than 0.1.0?", lambda: {machine(id="quantstudio-7-a").host})
def which_agents_are_old(client: Client) -> set[str]:
    return {row["hostname"] for row in client.rows("list_watchers") if row["agent_version"] == "0.0.9"}


@question("Into which folder does the Cary 60 write?", lambda: machine(id=CARY).folder)
def where_does_it_write(client: Client) -> str:
    return client.one("list_watchers", instrument_id=CARY)["watch_directory"]


@question("Which runs failed?", lambda: {RUN_ID, RUN_NAMES[11][1]})
def which_runs_failed(client: Client) -> set[str]:
    return {row["run_id"] for row in client.rows("search_runs", status="failed")}


@question("Why did a file of the lysozyme run after the lamp change fail?", lambda: DAMAGED_MESSAGE)
def why_did_it_fail(client: Client) -> str:
    run = client.one("search_runs", search="after-lamp-change")
    (failure,) = client("get_run_report", instrument_id=run["instrument_id"], run_id=run["run_id"])["failures"]
    return failure["error_message"]


@question("Who ran the lysozyme series 2 of 4?", lambda: [PEOPLE["ines.okafor"]])
def who_ran_it(client: Client) -> list[str]:
    return client.one("search_runs", q="lysozyme 2of4")["attributions"]


@question("In which buffer and at what temperature was it measured?", lambda: [METADATA["buffer"], 25.0])
def in_which_buffer(client: Client) -> list[object]:
    metadata = client.one("search_runs", search="2of4", detail=True)["metadata"]
    return [metadata["buffer"], metadata["temperature_C"]]


@question("What did Tomáš say about its shoulder at 290 nm?", lambda: REMARKS[1][1])
def what_was_said(client: Client) -> str:
    run = client.one("search_runs", q="lysozyme 2of4")
    comments = client.rows("list_run_comments", instrument_id=run["instrument_id"], run_id=run["run_id"])
    (said,) = [one["body"] for one in comments if one["user"]["display_name"] == PEOPLE["tomas.vlcek"]]
    return said


@question("Which of its files wait for an upload?", lambda: ["cuvette-photo_before-cleaning.jpg"])
def which_files_wait(client: Client) -> list[str]:
    return [row["filename"] for row in client.rows("list_run_files", **SHOWN, status="detected")]


@question("Who deleted the run test-delete-me?", lambda: PEOPLE["ines.okafor"])
def who_deleted_it(client: Client) -> str:
    run = client.one("search_runs", search="test-delete-me", include_deleted=True, detail=True)
    return run["deleted_by"]["display_name"]


def _run_counts() -> dict[str, int]:
    counted = Run.objects.active().values_list("instrument_id").annotate(Count("pk"))
    return {str(name): count for name, count in counted}


@question("How many runs has each instrument?", _run_counts)
def how_many_runs_each(client: Client) -> dict[str, int]:
    return {row["key"]: row["run_count"] for row in client.rows("count_runs", group_by="instrument")}


def _microscope_bytes() -> int:
    stored = File.objects.filter(run__instrument_id=ZEISS, run__deleted_at=None, category="raw", deleted_at=None)
    return stored.aggregate(sum=Sum("size_bytes"))["sum"]


@question("How many bytes did the microscope write?", _microscope_bytes)
def how_many_bytes(client: Client) -> int:
    return client.one("count_runs", group_by="instrument", instrument_id=ZEISS)["total_size_bytes"]


@question(
    "How many runs of the Cary were measured above 20 °C?",
    lambda: count_active(instrument_id=CARY, extracted__temperature_C__gt=20),
)
def how_many_warm_runs(client: Client) -> int:
    warm = client("count_runs", group_by="status", instrument_id=CARY, metadata={"temperature_C": {"gt": 20}})
    return warm["total"]


def _claims() -> dict[str, int]:
    claims = Claim.objects.filter(run__deleted_at=None).values_list("user__display_name").annotate(Count("pk"))
    return {str(name): count for name, count in claims}


@question("Who ran how many runs?", _claims)
def who_ran_how_many(client: Client) -> dict[str, int]:
    people = client.rows("count_runs", group_by="person")
    return {row["key"]: row["run_count"] for row in people if row["key"]}


@question("How many growth plates and plasmid preparations were measured?", lambda: [GROWTH.count, PREPS.count])
def how_many_of_each_tag(client: Client) -> list[int]:
    counted = {row["key"]: row["run_count"] for row in client.rows("count_runs", group_by="tag")}
    return [counted[GROWTH.tag], counted[PREPS.tag]]
