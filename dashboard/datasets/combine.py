"""The page of chosen runs as one table with a plot. Its address says all of it, so it can be shared."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse, QueryDict
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.authentication import caller_of_page
from dashboard.datasets.table import MAX_COLUMNS, OPERATORS, PER_PAGE, heading_of, rows_of
from dashboard.guard import page
from dashboard.parameters import MAX_SELECTED, read_window
from dashboard.runs.picked import parse_run_key
from datasets import access
from datasets.columns import ColumnInfo
from datasets.combining import choose_lines, count_names, list_columns, list_of_runs, order_runs, read_lines
from datasets.models import Dataset
from datasets.requests import abandonment_of
from datasets.row_formats import build_json
from datasets.row_query import RowRequest
from datasets.stacking import ORIGIN, stack_rows
from files.drawing.curve import Plot, build_plot
from files.drawing.documents import NotDrawable
from runs.addresses import run_address
from wire.errors import NotFound, ValidationError
from wire.lists.pagination import Page

SHOWN_OF_RUN = ("run_id", "acquired_at")  # first and last: what was measured is seen beside its run
OF_TABLE, OF_PLOT = ("column", "op", "value", "sort"), ("name", "across", "up", "by")


@dataclass(frozen=True)
class Combination:
    """What an address asks for: the datasets of one name, of the runs that were chosen."""

    query: QueryDict
    runs: list[str]  # instrument/run
    left_out: int  # of the runs that the address names
    names: dict[str, int]  # of datasets, and in how many of the runs each is
    name: str
    datasets: list[Dataset]

    @property
    def where(self) -> list[str]:
        column, operator, value = (self.query.get(name, "") for name in ("column", "op", "value"))
        return [f"{column}:{operator}:{value}"] if column and value else []

    def list_columns(self) -> list[ColumnInfo]:
        return list_columns(self.datasets, name=self.name)


def read_combination(request: HttpRequest) -> Combination:
    """Raises NotFound where a run's key has another form."""
    given = list(dict.fromkeys(request.GET.getlist("run")))
    keys = given[:MAX_SELECTED]
    found = list_of_runs([parse_run_key(key) for key in keys], by=caller_of_page(request))
    names = count_names(found)
    wanted = request.GET.get("name", "")
    name = wanted if wanted in names else next(iter(names), "")
    chosen = [one for one in found if one.name == name]
    return Combination(request.GET, keys, len(given) - len(keys), names, name, chosen)


@require_safe
@page(access.READ)
def combine_page(request: HttpRequest) -> HttpResponse:
    """A filter that does not fit is said, and the page is 400."""
    asked, fault = read_combination(request), ""
    shown: dict[str, Any] = {"asked": asked, "url": request.path, "query": request.GET, "runs": list_runs(asked)}
    shown |= {"of_table": keep(request.GET, OF_TABLE), "of_plot": keep(request.GET, OF_PLOT)}
    if not asked.datasets:
        return render(request, "datasets/combine.html", shown)
    columns = asked.list_columns()
    run_id, acquired_at = (column for column in ORIGIN if column.name in SHOWN_OF_RUN)
    shown |= describe_table([run_id, *columns[:MAX_COLUMNS], acquired_at], request)
    try:
        shown |= read_table(asked, request, where=asked.where)
        shown |= draw(asked, columns, request)
    except ValidationError as error:
        fault = error.message
        shown |= read_table(asked, request, where=[])
    shown |= {"fault": fault, "download": f"/api/v1/dataset-rows?{urlencode(rest_query(asked), doseq=True)}"}
    return render(request, "datasets/combine.html", shown | {"python": python_of(asked)}, status=400 if fault else 200)


@require_safe
@page(access.READ)
def combined_curve(request: HttpRequest) -> HttpResponse:
    """What the page draws, for its script: every point of it."""
    asked = read_combination(request)
    lines = choose_lines(asked.list_columns(), **read_choices(request.GET)) if asked.datasets else None
    if lines is None:
        raise NotFound("Nothing is drawn.")
    where, abandonment = asked.where, abandonment_of(request)
    return JsonResponse(read_lines(asked.datasets, lines, name=asked.name, where=where, abandonment=abandonment))


def keep(query: QueryDict, names: Sequence[str]) -> list[tuple[str, str]]:
    """For the hidden fields of a form, which asks for something else."""
    return [(name, str(query[name])) for name in names if query.get(name)]


def read_choices(query: QueryDict) -> dict[str, str]:
    return {name: query.get(name, "") for name in ("across", "up", "by")}


def describe_table(columns: list[ColumnInfo], request: HttpRequest) -> dict[str, Any]:
    return {
        "headings": [heading_of(column, request.GET, url=request.path) for column in columns],
        "all_columns": columns,
        "numbers": [column for column in columns if column.is_number],
        "texts": [column for column in columns if column.type == "string" and column.name not in SHOWN_OF_RUN],
        "operators": [(str(operator), words) for operator, words in OPERATORS.items()],
    }


def read_table(asked: Combination, request: HttpRequest, *, where: list[str]) -> dict[str, Any]:
    window = read_window(asked.query, per_page=PER_PAGE)
    run_id, acquired_at = SHOWN_OF_RUN
    columns = [run_id, *(column.name for column in asked.list_columns()[:MAX_COLUMNS]), acquired_at]
    rows = RowRequest(columns, where, asked.query.get("sort", ""), limit=PER_PAGE, offset=window.start)
    found = stack_rows(asked.datasets, rows, name=asked.name, abandonment=abandonment_of(request))
    shown, answer = found.columns, build_json(found)
    return {
        "rows": rows_of(answer["data"], shown),
        "page": Page(answer["data"], window, answer["pagination"]["total"]),
    }


def draw(asked: Combination, columns: list[ColumnInfo], request: HttpRequest) -> dict[str, Any]:
    """The plot and what was chosen for it; the reason where there is none."""
    lines = choose_lines(columns, **read_choices(asked.query))
    if lines is None:
        return {"undrawn": "None of its columns holds numbers."}
    chosen = {"lines": lines, "curve_url": f"{request.path}/curve?{asked.query.urlencode()}"}
    try:
        return chosen | {"plot": build_drawing(asked, lines, request)}
    except NotDrawable:
        return chosen | {"undrawn": "No number is left by this filter."}


def build_drawing(asked: Combination, lines: Any, request: HttpRequest) -> Plot:
    where, abandonment = asked.where, abandonment_of(request)
    return build_plot(read_lines(asked.datasets, lines, name=asked.name, where=where, abandonment=abandonment))


def list_runs(asked: Combination) -> list[dict[str, Any]]:
    """The chosen ones, with what is to be said of each that has no such table."""
    having = {f"{one.run.instrument_id}/{one.run.run_id}": one.run for one in asked.datasets}
    return [
        {
            "key": key,
            "name": key.partition("/")[2],
            "url": run_address(having[key]) if key in having else "",
            "at": having[key].acquired_at if key in having else None,
        }
        for key in asked.runs
    ]


def rest_query(asked: Combination) -> dict[str, Any]:
    """The same rows over REST: of these runs, and of nothing but them."""
    runs = [f"{instrument}/{run}" for instrument, run in order_runs(asked.datasets)]
    query: dict[str, Any] = {"name": asked.name, "run": runs} | ({"where": asked.where} if asked.where else {})
    return query | ({"order_by": asked.query["sort"]} if asked.query.get("sort") else {})


def python_of(asked: Combination) -> str:
    """Lines that give the same rows as a DataFrame."""
    return (
        "import io, os, pandas, requests\n"
        f'url = "{settings.PUBLIC_URL}/api/v1/dataset-rows"\n'
        'headers = {"Authorization": "Bearer " + os.environ["IDS_TOKEN"]}\n'
        f"params = {rest_query(asked) | {'format': 'parquet'}!r}\n"
        "answer = requests.get(url, params=params, headers=headers)\n"
        "answer.raise_for_status()\n"
        "table = pandas.read_parquet(io.BytesIO(answer.content))\n"
    )
