"""The list of runs: all of them, or those of one instrument."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.shortcuts import render
from django.utils.timezone import localtime
from django.views.decorators.http import require_safe

from accounts.authentication import caller_of_page
from accounts.callers import Caller
from dashboard.fragments import is_fragment_request, push_address
from dashboard.guard import page
from dashboard.name_order import sort_instruments
from dashboard.runs.actions import list_leaving_actions
from dashboard.runs.columns import (
    MOVES,
    PREVIEW,
    Column,
    apply_widths,
    list_addable_columns,
    list_summary_columns,
    list_usual_columns,
    read_columns,
)
from dashboard.runs.columns import PARAMETER as COLUMNS
from dashboard.runs.filters import (
    CARRIED_PARAMETERS,
    DEFAULT_VIEW,
    PRESENTATION_PARAMETERS,
    build_chips,
    canonicalize_query,
    drop_parameters,
    keep_presentation,
    list_date_presets,
    map_display_names,
    needs_redirect,
)
from dashboard.runs.groups import group_rows, list_group_choices, name_grouping, read_grouping
from dashboard.runs.picked import MAX_MATCHING, Picked
from dashboard.runs.rows import align_numbers, build_run_rows, choose_metadata_columns, list_metadata_keys
from dashboard.runs.saved_views import build_view_menu
from dashboard.runs.typed import read_list_search
from datasets.summaries import list_summaries, map_summaries
from files.thumbnails.keeping import map_thumbnails
from instruments.catalogue import list_instruments
from instruments.models import Instrument
from runs import access
from runs.claims import list_claimants
from runs.filter_options import list_filter_options
from runs.models import Run
from runs.projects.catalogue import MAX_OFFERED_PROJECTS, list_projects
from runs.projects.models import Project
from runs.search import RunSearch, search_runs
from runs.status import RunStatus
from wire.clock import now
from wire.lists.pagination import Page, read_window

PER_PAGE = 50
SUMMARIES = "data"
MAX_MENU_INSTRUMENTS = 100  # instruments to choose from; more are found by name on their own page


@require_safe
@page(access.READ)
def run_list(request: HttpRequest) -> HttpResponse:
    """/runs: the whole search, one address a view."""
    query = canonicalize_query(request.GET)
    query.pop(DEFAULT_VIEW, None)
    if not is_fragment_request(request) and needs_redirect(request.GET, query):
        return redirect_to_view(request, query)
    shown = build_run_list_context(query, url=request.path, by=caller_of_page(request), at=now())
    return render_run_list(request, query, "runs/list.html", shown)


@require_safe
@page(access.FILTER_OPTIONS)
def filter_options(request: HttpRequest) -> HttpResponse:
    """The metadata keys and values of the one instrument that is chosen, as a fragment of the filter menu."""
    query = canonicalize_query(request.GET)
    if not is_fragment_request(request):
        return HttpResponseRedirect(f"/runs?{query.urlencode()}")
    if request.GET.get("of") == SUMMARIES:
        return render(request, "runs/_addable.html", {"addable": list_offered_summaries(request, query)})
    chosen = query.getlist("instrument_id")
    options = list_filter_options(chosen[0], by=caller_of_page(request)) if len(chosen) == 1 else {}
    url = "/runs"
    if request.GET.get("at") == "instrument" and chosen:
        url = f"/instruments/{chosen[0]}"
        query.pop("instrument_id")
    if request.GET.get("of") == COLUMNS:
        offered = list_addable_columns(read_columns(query), keys=options)
        return render(request, "runs/_addable.html", {"addable": offered})
    rest = drop_parameters(query)
    return render(request, "runs/_options.html", {"options": options, "url": url, "rest": rest})


def list_offered_summaries(request: HttpRequest, query: QueryDict) -> list[Column]:
    """Of the datasets of the newest fifty that are found."""
    by, at = caller_of_page(request), now()
    picked = Picked(matching=query.urlencode(), instrument=request.GET.get("on", ""))
    newest = picked.find_runs(by=by, at=at).order_by("-happened_at", "-pk").values_list("pk", flat=True)[:PER_PAGE]
    return list_summary_columns(read_columns(query), summaries=list_summaries(newest, by=by))


def redirect_to_view(request: HttpRequest, query: QueryDict) -> HttpResponse:
    """To the one spelling of a view; after a column was moved, with the menu of columns open."""
    anchor = "#columns" if any(move in request.GET for move in MOVES) else ""
    return HttpResponseRedirect(f"{request.path}?{query.urlencode()}".removesuffix("?") + anchor)


def render_run_list(request: HttpRequest, query: QueryDict, template: str, shown: dict[str, Any]) -> HttpResponse:
    """The page, or for htmx the part of it that changes, and the address the view now has."""
    shown["is_moving"] = any(move in request.GET for move in MOVES)
    response = render(request, "runs/_found.html" if is_fragment_request(request) else template, shown)
    response["Vary"] = "HX-Request"
    if is_fragment_request(request):
        push_address(response, request, f"{request.path}?{query.urlencode()}".removesuffix("?"))
    return response


def build_run_list_context(
    query: QueryDict, *, url: str, instrument: str | None = None, by: Caller, at: datetime
) -> dict[str, Any]:
    """All that the list of runs shows, of every instrument or of one."""
    people, today = list(list_claimants(by=by)), localtime(at).date()
    understood, search = read_list_search(query, people=people, today=today, instrument=instrument, by=by)
    grouping = read_grouping(query)
    window = replace(read_window(query, per_page=PER_PAGE), exact_total=False)
    found = search_runs(search, window=window, by=by, at=at, grouping=grouping)
    asked = read_columns(query)
    shows_previews = not asked or any(column.name == PREVIEW for column in asked)
    thumbnails = map_thumbnails(found.rows, by=by) if shows_previews else {}
    columns = asked or list_usual_columns(
        keys=choose_metadata_columns(found.rows) if instrument else [],
        instrument=instrument,
        has_previews=bool(thumbnails),
    )
    columns = align_numbers(apply_widths(columns, query), found.rows)
    instruments = [] if instrument else list_menu_instruments(query.getlist("instrument_id"), by=by)
    projects = list(list_projects(by=by)[:MAX_OFFERED_PROJECTS])
    named = {
        "instruments": map_display_names(instruments),
        "projects": {str(project.pk): project.name for project in projects},
    }
    rows = build_run_rows(
        found.rows,
        columns=columns,
        projects=name_projects(found.rows, projects, columns, by=by),
        thumbnails=thumbnails,
        summaries=map_summaries(
            [run.pk for run in found.rows], [column.summary for column in columns if column.summary], by=by
        ),
        by=by,
        at=at,
    )
    keys = list_metadata_keys(found.rows)
    return {
        "at": at,
        "url": url,
        "query": query,
        "chosen": {name: query.getlist(name) for name in ("instrument_id", "status")},
        "options_at": build_options_address(query, instrument=instrument),
        "here": f"{url}?{query.urlencode()}".removesuffix("?"),
        "page": found,
        "rows": rows,
        "groups": group_rows(rows, found, query=query, grouping=grouping, search=search, by=by, at=at)
        if grouping
        else [],
        "grouping": name_grouping(grouping) if grouping else "",
        "group_choices": list_group_choices(query, grouping=grouping, is_one_instrument=instrument is not None),
        "columns": columns,
        "metadata_keys": keys,
        "addable": list_addable_columns(columns, keys=keys),
        "has_own_columns": bool(query.get(COLUMNS)),
        "sized": " sized" if any(column.width for column in columns) else "",
        "is_compact": query.get("density") == "compact",
        "matching": describe_matching(query, found, search=search, url=url),
        "views": build_view_menu(query, instrument=instrument, by=by),
        "bare": keep_presentation(query),
        "instrument_id": instrument,
        "instruments": instruments,
        "has_more_instruments": len(instruments) >= MAX_MENU_INSTRUMENTS,
        "people": people,
        "projects": projects,
        "carried": CARRIED_PARAMETERS,
        "statuses": list(RunStatus),
        "presets": list_date_presets(today=today),
        "chips": build_chips(query, **named, people=people, today=today),
        "typed": understood,
        "is_filtered": any(name not in PRESENTATION_PARAMETERS for name in query),
        "has_box_only": {*query} - {*PRESENTATION_PARAMETERS} == {"search"},
        "sort": {"by": str(search.sort), "descending": search.descending},
    }


def describe_matching(query: QueryDict, found: Page[Run], *, search: RunSearch, url: str) -> dict[str, Any]:
    """Whether all that match can be picked, and `scope`: within which picked runs stay picked from page to page.

    `leaving` are the actions that may take runs out of this list.
    """
    is_too_many = found.total > MAX_MATCHING or not found.total_is_exact
    return {
        "query": drop_parameters(query),
        "scope": f"{url}?{drop_parameters(query, *PRESENTATION_PARAMETERS)}",
        "leaving": " ".join(list_leaving_actions(search)),
        "is_offered": len(found.rows) < found.total and not is_too_many,
        "is_too_many": is_too_many,
        "most": MAX_MATCHING,
    }


def name_projects(
    runs: Sequence[Run], known: Sequence[Project], columns: Sequence[Column], *, by: Caller
) -> dict[UUID, str]:
    """The names of the projects of these runs, where a column shows them; one query for those not known."""
    if all(column.name != "project" for column in columns):
        return {}
    names = {project.pk: project.name for project in known}
    missing = {run.project_id for run in runs if run.project_id} - names.keys()
    return names | dict(list_projects(by=by).filter(pk__in=missing).values_list("pk", "name")) if missing else names


def list_menu_instruments(chosen: list[str], *, by: Caller) -> list[Instrument]:
    """Those that are chosen, and the first by name."""
    rows = list_instruments(by=by).only("id", "display_name")
    first = list(rows[:MAX_MENU_INSTRUMENTS])
    missing = set(chosen) - {one.pk for one in first}
    return sort_instruments([*rows.filter(pk__in=missing), *first] if missing else first)


def build_options_address(query: QueryDict, *, instrument: str | None) -> str:
    """Where the metadata filters of the one instrument come from; empty where there is not exactly one."""
    if instrument is not None:
        asked = query.copy()
        asked["instrument_id"] = instrument
        return f"/runs/options?{drop_parameters(asked)}&at=instrument"
    return f"/runs/options?{drop_parameters(query)}" if len(query.getlist("instrument_id")) == 1 else ""
