"""The page that compares chosen runs: curves, plates, metadata. Its address says all of it, so it can be sent."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, TypeVar
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse, JsonResponse, QueryDict
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.authentication import caller_of_page
from accounts.callers import Caller
from dashboard.datasets.combine import keep
from dashboard.datasets.compared_facts import describe_facts, list_facts
from dashboard.datasets.compared_plates import Plates, describe_wells, is_plate, read_plates, view_plates
from dashboard.guard import page
from dashboard.runs.picked import parse_run_key
from datasets import access
from datasets.columns import ColumnInfo
from datasets.combining import MAX_POINTS_OF_LINE, Lines, choose_lines, count_names, list_columns, list_of_runs
from datasets.engine import Abandonment
from datasets.models import Dataset
from datasets.overlay import MAX_CURVES, keep_alike, read_curves
from datasets.overlaying import Layout, Scale, draw_overlay, needs_means
from datasets.requests import abandonment_of
from files.drawing.curve import build_plot
from files.drawing.documents import NotDrawable
from runs.addresses import run_address
from runs.choice import list_chosen_runs, list_offered_runs
from runs.models import Run
from wire.clock import now
from wire.errors import NotFound, ServiceError

MAX_COMPARED = 20
MAX_NAMES = 200
OF_CURVES, OF_PLATES, OF_FACTS = ("name", "up", "scale", "layout"), ("plate", "value", "step"), ("facts",)
PARTS = {"curve": "curve", "plates": "plates", "facts": "metadata"}
SCALES = {Scale.MEASURED: "as measured", Scale.HIGHEST: "highest = 1", Scale.AREA: "area = 1"}
LAYOUTS = {
    Layout.OVER: "over each other",
    Layout.OFFSET: "offset",
    Layout.DIFFERENCE: "less the first",
    Layout.MEAN: "mean and band",
}
Choice = TypeVar("Choice", bound=StrEnum)


@dataclass(frozen=True)
class Comparison:
    """What an address asks for, in its order."""

    query: QueryDict
    keys: list[str]  # instrument/run
    left_out: int
    runs: list[Run]
    datasets: list[Dataset]

    @property
    def curves(self) -> dict[str, int]:
        """Names of those that have an axis, and in how many of the runs each is."""
        return count_names([one for one in self.datasets if has_axis(one)])

    @property
    def plates(self) -> dict[str, int]:
        return count_names([one for one in self.datasets if is_plate(one)])

    def choose(self, parameter: str, names: dict[str, int]) -> tuple[str, list[Dataset]]:
        """The datasets of the name that the address says, else of the first."""
        wanted = self.query.get(parameter, "")
        name = wanted if wanted in names else next(iter(names), "")
        return name, [one for one in self.datasets if one.name == name]


def has_axis(dataset: Dataset) -> bool:
    columns = [ColumnInfo.of(column) for column in dataset.columns]
    roles = {column.role for column in columns if column.is_number}
    return {"axis", "value"} <= roles and not is_plate(dataset)


def read_comparison(request: HttpRequest) -> Comparison:
    """Raises NotFound where a run's key has another form."""
    by = caller_of_page(request)
    given = list(dict.fromkeys(request.GET.getlist("run")))
    keys = given[:MAX_COMPARED]
    runs = [parse_run_key(key) for key in keys]
    place = {run: number for number, run in enumerate(runs)}
    found = list_of_runs(runs, by=by)
    found.sort(key=lambda one: place[one.run.instrument_id, one.run.run_id])
    return Comparison(request.GET, keys, len(given) - len(keys), list_chosen_runs(runs, by=by), found)


def read_choice(query: QueryDict, name: str, choices: type[Choice]) -> Choice:
    """The first where the address names none."""
    known = {str(choice): choice for choice in choices}
    return known.get(query.get(name, ""), next(iter(choices)))


@require_safe
@page(access.READ)
def compare_page(request: HttpRequest) -> HttpResponse:
    asked, query = read_comparison(request), request.GET
    facts = list_facts(asked.runs) if asked.runs else []
    differing = [fact for fact in facts if fact.differs]
    shown = {
        "asked": asked,
        "url": request.path,
        "query": query,
        "runs": [(run, f"{run.instrument_id}/{run.run_id}", run_address(run)) for run in asked.runs],
        "of_curves": keep(query, OF_CURVES),
        "of_plates": keep(query, OF_PLATES),
        "of_facts": keep(query, OF_FACTS),
        "facts": facts if query.get("facts") == "all" else differing,
        "all_facts": len(facts),
        "differing": len(differing),
        "combine": f"/combine?{urlencode({'run': asked.keys}, doseq=True)}",
        "tables": list(count_names(asked.datasets).items())[:MAX_NAMES],
        **{f"{part}_url": f"{request.path}/{path}?{query.urlencode()}" for part, path in PARTS.items()},
        **offer_runs(asked, by=caller_of_page(request)),
        **draw_curves(asked, abandonment_of(request)),
        **draw_plates(asked, abandonment_of(request)),
    }
    return render(request, "datasets/compare.html", shown)


@require_safe
@page(access.READ)
def compared_curves(request: HttpRequest) -> HttpResponse:
    """What the page draws, for its script."""
    asked = read_comparison(request)
    found = choose_curves(asked)
    if found is None:
        raise NotFound("Nothing is drawn.")
    try:
        return JsonResponse(build_document(asked, *found, abandonment_of(request)))
    except NotDrawable:
        raise NotFound("Nothing is drawn.") from None


@require_safe
@page(access.READ)
def compared_wells(request: HttpRequest) -> HttpResponse:
    found = find_plates(read_comparison(request), abandonment_of(request))
    if found is None:
        raise NotFound("There are no plates.")
    return JsonResponse(describe_wells(found))


@require_safe
@page(access.READ)
def compared_facts(request: HttpRequest) -> HttpResponse:
    asked = read_comparison(request)
    if not asked.runs:
        raise NotFound("There are no runs.")
    return JsonResponse(describe_facts(list_facts(asked.runs), asked.runs))


def offer_runs(asked: Comparison, *, by: Caller) -> dict[str, Any]:
    """Runs that may be added: by a part of their name, else the latest of the same instruments."""
    if len(asked.keys) >= MAX_COMPARED:
        return {"offered": []}
    text = asked.query.get("find", "")[:255]
    instruments = () if text else tuple(sorted({run.instrument_id for run in asked.runs}))
    found = list_offered_runs(text, beside=asked.runs, by=by, at=now(), instrument_ids=instruments)
    return {"offers": True, "offered": [(run, add_run(asked, run)) for run in found]}


def add_run(asked: Comparison, run: Run) -> str:
    query = asked.query.copy()
    query.pop("find", None)
    query.setlist("run", [*asked.keys, f"{run.instrument_id}/{run.run_id}"])
    return f"/compare?{query.urlencode()}"


def choose_curves(asked: Comparison) -> tuple[str, list[Dataset], Lines] | None:
    """The datasets that are overlaid, and which of their columns; None where there is none."""
    name, datasets = asked.choose("name", asked.curves)
    if not datasets:
        return None
    lines = choose_lines(list_columns(datasets, name=name), across="", up=asked.query.get("up", ""), by="")
    if lines is None or lines.across is None:
        return None
    return name, keep_alike(datasets, lines), lines


def build_document(
    asked: Comparison, name: str, datasets: Sequence[Dataset], lines: Lines, abandonment: Abandonment | None
) -> dict[str, Any]:
    scale, layout = read_choice(asked.query, "scale", Scale), read_choice(asked.query, "layout", Layout)
    curves = read_curves(datasets, lines, as_means=needs_means(scale, layout), abandonment=abandonment)
    if not curves:
        raise NotDrawable("Its columns hold no numbers.")
    return draw_overlay(curves, lines, scale=scale, layout=layout, title=name)


def draw_curves(asked: Comparison, abandonment: Abandonment | None) -> dict[str, Any]:
    """The plot and what was chosen for it; the reason where there is none."""
    found = choose_curves(asked)
    if found is None:
        return {}
    name, datasets, lines = found
    scale, layout = read_choice(asked.query, "scale", Scale), read_choice(asked.query, "layout", Layout)
    of_name = [one for one in asked.datasets if one.name == name]
    columns = list_columns(datasets, name=name)
    shown: dict[str, Any] = {
        "curve_name": name,
        "lines": lines,
        "values": [column for column in columns if column.is_number and column.role == "value"],
        "scales": [(str(one), words, one is scale) for one, words in SCALES.items()],
        "layouts": [(str(one), words, one is layout) for one, words in LAYOUTS.items()],
        "other_units": len(of_name) - len(datasets),
        "is_thinned": any(one.row_count > MAX_POINTS_OF_LINE for one in datasets),
        "is_reckoned": needs_means(scale, layout),
        "layout": str(layout),
        "max_curves": MAX_CURVES,
    }
    try:
        return shown | {"plot": build_plot(build_document(asked, name, datasets, lines, abandonment))}
    except NotDrawable as error:
        return shown | {"undrawn": str(error) or "No numbers."}
    except ServiceError as error:
        return shown | {"undrawn": error.message}


def find_plates(asked: Comparison, abandonment: Abandonment | None) -> Plates | None:
    name, datasets = asked.choose("plate", asked.plates)
    chosen = {"value": asked.query.get("value", ""), "step": asked.query.get("step", "")}
    return read_plates(datasets, name=name, **chosen, abandonment=abandonment) if datasets else None


def draw_plates(asked: Comparison, abandonment: Abandonment | None) -> dict[str, Any]:
    try:
        found = find_plates(asked, abandonment)
    except ServiceError as error:
        return {"no_plates": error.message}
    if found is None or not found.plates:
        return {}
    views, less = view_plates(found)
    name, _ = asked.choose("plate", asked.plates)
    return {"plates": found, "plate_name": name, "plate_views": views, "difference": less}
