"""Questions about what was measured: wells, peaks, purities, whole series."""

from statistics import fmean, median, stdev

from operations.demo.drawings import Json, build_plate, build_spectrum, build_table
from operations.demo.series import CYCLES, EXCLUSION, GROWTH, PREPS, VIABILITY, Series
from operations.demo.showcase import RUN_ID
from tests.mcp_server.evals.questions import Client, question

SPECTRUM_30_MIN = {"minutes": 30, "seed": 2}  # of the showcase: lyso_t030_rep1.jdx


def newest(series: Series) -> Json:
    return series.build(series.count)


def wells_of(number: int) -> dict[str, float]:
    wells = GROWTH.build(number)["wells"]
    return {name: well["value"] for name, well in wells.items() if well["value"] is not None}


def read_table(series: Series, number: int) -> list[dict[str, object]]:
    document = series.build(number)
    names = [column["name"] for column in document["columns"]]
    return [dict(zip(names, row, strict=True)) for row in document["rows"]]


def trace_of(number: int) -> dict[float, float]:
    series = EXCLUSION.build(number)["series"][0]
    return dict(zip(series["x"], series["y"], strict=True))


@question("What is the OD600 in well H7 of the last growth plate?", lambda: wells_of(GROWTH.count)["H7"])
def od_of_a_well(client: Client) -> float:
    growth = client(
        "query_datasets", name="plate_absorbance", tag="growth", columns="value", where="well:eq:H7", limit=1
    )
    return growth["data"][0][0]


@question(
    "What was H7 on each of the last ten growth plates?",
    lambda: [(GROWTH.run_id(one), wells_of(one)["H7"]) for one in GROWTH.newest_first[:10]],
)
def a_well_over_plates(client: Client) -> list[tuple[object, ...]]:
    asked = {"name": "plate_absorbance", "tag": "growth", "columns": ["run_id", "value"], "where": "well:eq:H7"}
    return [tuple(row) for row in client("query_datasets", **asked, limit=10)["data"]]


@question(
    "What is the median OD600 of each growth plate?",
    lambda: {GROWTH.run_id(one): median(wells_of(one).values()) for one in GROWTH.newest_first},
)
def median_of_each_plate(client: Client) -> dict[object, object]:
    asked = {"name": "plate_absorbance", "tag": "growth", "group_by": "run_id", "aggregate": "median:value"}
    return dict(client.cells("query_datasets", **asked))


def _controls() -> list[float]:
    values = [well["value"] for one in GROWTH.newest_first for well in _column_12(one)]
    return [round(fmean(values), 9), round(stdev(values), 9)]


def _column_12(number: int) -> list[Json]:
    return [well for name, well in GROWTH.build(number)["wells"].items() if name[1:] == "12"]


@question("How do the medium controls of column 12 scatter over all growth plates?", _controls)
def scatter_of_controls(client: Client) -> list[float]:
    asked = {"name": "plate_absorbance", "where": "sample:eq:medium", "group_by": "sample"}
    ((_, mean, scatter),) = client.cells("query_datasets", **asked, aggregate=["mean:value", "stddev:value"])
    return [round(mean, 9), round(scatter, 9)]


@question(
    "Which wells of the last growth plate ran over?",
    lambda: {name for name, well in newest(GROWTH)["wells"].items() if well.get("note") == "OVRFLW"},
)
def which_wells_ran_over(client: Client) -> set[object]:
    asked = {"search": GROWTH.run_id(GROWTH.count), "columns": "well", "where": "flag:eq:OVRFLW"}
    return {row[0] for row in client.cells("query_datasets", name="plate_absorbance", **asked)}


@question(
    "Which strain grew densest on the last plate, by its mean?",
    lambda: max(
        (fmean(w["value"] for w in newest(GROWTH)["wells"].values() if w["value"] is not None and w["sample"] == s), s)
        for s in ("MG1655", "BL21", "DH5a")
    )[1],
)
def which_strain_grew_densest(client: Client) -> object:
    asked = {"search": GROWTH.run_id(GROWTH.count), "group_by": "sample", "aggregate": "mean:value"}
    answer = client("query_datasets", name="plate_absorbance", **asked, order_by="-mean_value", limit=1)
    return answer["data"][0][0]


@question(
    "What are the A260/A280 of the last two plasmid preparations?",
    lambda: [
        (PREPS.run_id(one), row["Sample"], row["A260/A280"])
        for one in PREPS.newest_first[:2]
        for row in read_table(PREPS, one)
    ],
)
def purity_of_the_last_two(client: Client) -> list[tuple[object, ...]]:
    names = [row["run_id"] for row in client.rows("search_runs", tag=PREPS.tag, per_page=2)]
    asked = {"columns": ["run_id", "sample", "a260_a280"], "where": f"run_id:in:{','.join(names)}"}
    return client.cells("query_datasets", name="nucleic_acids", **asked)


@question(
    "Which plasmid preparations were ever below an A260/A280 of 1.8?",
    lambda: {
        (PREPS.run_id(one), row["Sample"])
        for one in PREPS.newest_first
        for row in read_table(PREPS, one)
        if row["A260/A280"] < 1.8  # type: ignore[operator]
    },
)
def which_are_impure(client: Client) -> set[tuple[object, ...]]:
    asked = {"columns": ["run_id", "sample"], "where": "a260_a280:lt:1.8"}
    return set(client.cells("query_datasets", name="nucleic_acids", **asked))


@question(
    "In which units are the columns of the nucleic acid tables?",
    lambda: [column["unit"] for column in newest(PREPS)["columns"]],
)
def in_which_units(client: Client) -> list[object]:
    rows = client.rows("list_datasets", name="nucleic_acids", per_page=1)
    return [column["unit"] for column in rows[0]["columns"]]


@question(
    "At which volume did the last size exclusion peak, and how high?",
    lambda: max(trace_of(EXCLUSION.count).items(), key=lambda point: point[1]),
)
def where_is_the_peak(client: Client) -> tuple[object, ...]:
    asked = {"name": "chromatogram", "search": EXCLUSION.run_id(EXCLUSION.count)}
    answer = client("query_datasets", **asked, columns=["retention_volume", "uv_280"], order_by="-uv_280", limit=1)
    return tuple(answer["data"][0])


@question(
    "Where between 8 and 11 ml was the aggregate highest in each size exclusion?",
    lambda: {
        EXCLUSION.run_id(one): max(uv for volume, uv in trace_of(one).items() if 8 <= volume <= 11)
        for one in EXCLUSION.newest_first
    },
)
def aggregate_of_each(client: Client) -> dict[object, object]:
    asked = {"where": ["retention_volume:ge:8", "retention_volume:le:11"], "group_by": "run_id"}
    return dict(client.cells("query_datasets", name="chromatogram", **asked, aggregate="max:uv_280"))


@question(
    "By how much did the first and the last lysozyme spectrum differ at 280 nm?",
    lambda: round(_at(280, minutes=30, seed=3) - _at(280, minutes=0, seed=0), 9),
)
def difference_of_spectra(client: Client) -> float:
    listed = {row["source_filename"]: row["id"] for row in client.rows("list_datasets", search=RUN_ID, kind="spectrum")}
    asked = {"where": ["wavelength:eq:280", "trace:eq:Sample"], "columns": "absorbance"}
    first, last = (
        client.cells("read_dataset", dataset_id=listed[name], **asked)[0][0]
        for name in ("lyso_t000_rep1.jdx", "lyso_t030_rep2.jdx")
    )
    return round(last - first, 9)


def _at(nanometres: int, **which: int) -> float:
    series = build_spectrum("", **which)["series"][0]
    return series["y"][series["x"].index(nanometres)]


@question(
    "Which wells of the lysozyme plate have no number, and why?",
    lambda: {(name, well["note"]) for name, well in build_plate("", seed=3)["wells"].items() if "note" in well},
)
def which_wells_have_none(client: Client) -> set[tuple[object, ...]]:
    asked = {"search": RUN_ID, "columns": ["well", "flag"], "where": "value:is_null:true"}
    return set(client.cells("query_datasets", name="plate", **asked))


@question(
    "What was the A280 of LYS-refold-C after 55 min?",
    lambda: next(row[2] for row in build_table("", seed=4)["rows"] if row[0] == "LYS-refold-C" and row[1] == 55),
)
def absorbance_at_a_time(client: Client) -> object:
    asked = {"search": RUN_ID, "columns": "a280", "where": "time:eq:55"}
    return client.cells("query_datasets", name="table", **asked)[0][0]


@question(
    "What is the mean Cq of BRCA1 in the control and in the knockdown of the last plate?",
    lambda: {sample: _mean_cycle(sample) for sample in ("control", "siBRCA1")},
)
def mean_cycles(client: Client) -> dict[object, float]:
    asked = {"search": CYCLES.run_id(CYCLES.count), "where": ["target:eq:BRCA1", "sample:in:control,siBRCA1"]}
    rows = client.cells("query_datasets", name="cq", **asked, group_by="sample", aggregate="mean:cq")
    return {sample: round(float(mean), 9) for sample, mean in rows}


def _mean_cycle(sample: str) -> float:
    rows = [row for row in newest(CYCLES)["rows"] if row[1] == sample and row[2] == "BRCA1"]
    return round(fmean(row[3] for row in rows), 9)


@question(
    "Which bioreactor samples had a viability below 80 %, in which runs?",
    lambda: {
        (VIABILITY.run_id(one), row["Sample"], row["Viability"])
        for one in VIABILITY.newest_first
        for row in read_table(VIABILITY, one)
        if row["Viability"] < 80  # type: ignore[operator]
    },
)
def which_samples_died(client: Client) -> set[tuple[object, ...]]:
    asked = {"columns": ["run_id", "sample", "viability"], "where": "viability:lt:80"}
    return set(client.cells("query_datasets", name="viability", **asked))
