"""The page of one dataset: its rows, sorted and filtered on the server, page by page."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.conf import settings
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.authentication import caller_of_page
from dashboard.guard import page
from dashboard.parameters import read_window
from datasets import access
from datasets.catalogue import find_dataset
from datasets.columns import ColumnInfo
from datasets.models import Dataset
from datasets.requests import abandonment_of
from datasets.row_formats import build_json
from datasets.row_query import Operator, RowRequest
from datasets.rows import columns_of, read_rows
from files.drawing.conventions import write_title
from files.drawing.decimals import list_fillers
from runs.addresses import run_address
from wire.errors import ValidationError
from wire.lists.pagination import Page

PER_PAGE, MAX_COLUMNS = 50, 60
MAX_CELL_CHARACTERS = 200
OPERATORS = {
    Operator.EQ: "is",
    Operator.NE: "is not",
    Operator.LT: "is below",
    Operator.LE: "is at most",
    Operator.GT: "is above",
    Operator.GE: "is at least",
    Operator.CONTAINS: "contains",
    Operator.IN: "is one of",
}


@dataclass(frozen=True)
class Heading:
    column: ColumnInfo
    href: str
    sorted: str  # ascending, descending, or nothing

    @property
    def title(self) -> str:
        """With the unit, as axes have it."""
        return write_title(self.column.title or self.column.name, self.column.unit or "")


@require_safe
@page(access.READ)
def dataset_page(request: HttpRequest, dataset_id: UUID) -> HttpResponse:
    """A filter that does not fit is said beside the form, and the page is 400."""
    dataset = find_dataset(dataset_id, by=caller_of_page(request))
    query, fault = request.GET, ""
    window = read_window(query, per_page=PER_PAGE)
    asked = read_request(query, dataset, limit=PER_PAGE, offset=window.start)
    abandonment = abandonment_of(request)
    try:
        answer = build_json(read_rows(dataset, asked, abandonment=abandonment))
    except ValidationError as error:
        fault = error.message
        plain = RowRequest(columns=asked.columns, limit=PER_PAGE, offset=window.start)
        answer = build_json(read_rows(dataset, plain, abandonment=abandonment))
    columns = columns_of(dataset).all
    shown = {
        "dataset": dataset,
        "run_url": run_address(dataset.run),
        "url": request.path,
        "query": query,
        "fault": fault,
        "headings": [heading_of(column, query, url=request.path) for column in columns[:MAX_COLUMNS]],
        "left_out": max(0, len(columns) - MAX_COLUMNS),
        "rows": rows_of(answer["data"], columns[:MAX_COLUMNS]),
        "page": Page(answer["data"], window, answer["pagination"]["total"]),
        "operators": [(str(operator), words) for operator, words in OPERATORS.items()],
        "all_columns": columns[:MAX_COLUMNS],
        "download": f"/api/v1/datasets/{dataset.pk}/rows?{rest_query(asked)}",
        "python": python_of(dataset, asked),
    }
    return render(request, "datasets/dataset.html", shown, status=400 if fault else 200)


def read_request(query: QueryDict, dataset: Dataset, *, limit: int, offset: int) -> RowRequest:
    column, operator, value = (query.get(name, "") for name in ("column", "op", "value"))
    return RowRequest(
        columns=[column.name for column in columns_of(dataset).all[:MAX_COLUMNS]],
        where=[f"{column}:{operator}:{value}"] if column and value else [],
        order_by=query.get("sort", ""),
        limit=limit,
        offset=offset,
    )


def heading_of(column: ColumnInfo, query: QueryDict, *, url: str) -> Heading:
    """Sorts upward first, then the other way."""
    now = query.get("sort", "")
    changed = query.copy()
    changed["sort"] = f"-{column.name}" if now == column.name else column.name
    changed.pop("page", None)
    is_sorted = {column.name: "ascending", f"-{column.name}": "descending"}.get(now, "")
    return Heading(column, f"{url}?{changed.urlencode()}", is_sorted)


@dataclass(frozen=True)
class CellShown:
    text: str
    is_number: bool = False
    at: datetime | None = None  # of a time, which is shown in the zone of whoever reads
    filler: str = ""  # unseen, so that the points of a column stand under each other

    @property
    def show(self) -> str:
        return "fraction" if self.at and self.at.microsecond else "second"


def rows_of(data: Sequence[Sequence[Any]], columns: Sequence[ColumnInfo]) -> list[tuple[CellShown, ...]]:
    made = [[cell_of(row[place], column) for row in data] for place, column in enumerate(columns)]
    return list(zip(*map(align, made), strict=True))


def align(cells: Sequence[CellShown]) -> list[CellShown]:
    fillers = list_fillers([cell.text if cell.is_number else "" for cell in cells])
    return [replace(cell, filler=filler) for cell, filler in zip(cells, fillers, strict=True)]


def cell_of(value: Any, column: ColumnInfo) -> CellShown:
    text = "" if value is None else str(value)[:MAX_CELL_CHARACTERS]
    at = datetime.fromisoformat(text) if column.type == "timestamp" and text else None
    if at is not None and at.year in (datetime.min.year, datetime.max.year):
        at = None  # some zones have no such year
    return CellShown(text, isinstance(value, int | float) and not isinstance(value, bool), at)


def rest_query(asked: RowRequest) -> str:
    """What the same rows, all of them, are called over REST."""
    chosen = [("where", condition) for condition in asked.where]
    return urlencode([*chosen, *([("order_by", asked.order_by)] if asked.order_by else [])])


def python_of(dataset: Dataset, asked: RowRequest) -> str:
    """Lines that give the same rows as a DataFrame."""
    params: dict[str, Any] = {"format": "parquet"}
    params |= {"where": list(asked.where)} if asked.where else {}
    params |= {"order_by": asked.order_by} if asked.order_by else {}
    return (
        "import io, os, pandas, requests\n"
        f'url = "{settings.PUBLIC_URL}/api/v1/datasets/{dataset.pk}/rows"\n'
        'headers = {"Authorization": "Bearer " + os.environ["IDS_TOKEN"]}\n'
        f"answer = requests.get(url, params={params!r}, headers=headers)\n"
        "answer.raise_for_status()\n"
        "table = pandas.read_parquet(io.BytesIO(answer.content))\n"
    )
