"""Saved views of the run list: their menu, and the pages that open, save and change them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.shortcuts import render
from django.utils.http import urlencode
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.authentication import caller_of_page
from accounts.callers import Caller
from dashboard.guard import page
from dashboard.notices import Notice, Undo, add_notice
from dashboard.origins import read_return_address
from dashboard.runs.columns import MAX_COLUMNS, is_column
from dashboard.runs.columns import PARAMETER as COLUMNS
from dashboard.runs.filters import ALL_RUNS, DEFAULT_VIEW, canonicalize_query
from dashboard.runs.groups import read_grouping
from runs import access
from runs.saved_views.catalogue import (
    MAX_OFFERED_VIEWS,
    ViewContent,
    ViewOfSomebodyElse,
    change_view,
    delete_view,
    find_default_view,
    find_view,
    list_offered_views,
    may_delete,
    save_view,
)
from runs.saved_views.models import SavedView
from runs.saved_views.serializers import SavedViewSerializer
from runs.serializers import read_run_search
from wire.clock import now
from wire.converters import SlugConverter
from wire.errors import Conflict, ValidationError
from wire.inputs import read_body

NEW_VIEW_URL = "/runs/views/new"
MAX_READ_CHARACTERS = 20_000  # of a query that a form sends


@dataclass(frozen=True)
class ViewMenu:
    """What the menu of views offers. `query` is what saving the list as it stands would keep."""

    own: Sequence[SavedView]
    shared: Sequence[SavedView]
    current: SavedView | None
    query: str
    all_runs: str
    is_whole: bool
    opening: str  # what stands behind the address of a view, and of its form
    changing: str


def build_view_menu(query: QueryDict, *, instrument: str | None, by: Caller) -> ViewMenu:
    views = list(list_offered_views(by=by))
    kept = write_view_query(query, instrument=instrument)
    here = {kept, write_view_query(query)}
    return ViewMenu(
        own=[view for view in views if view.owner_id == (by.user and by.user.pk)],
        shared=[view for view in views if view.owner_id != (by.user and by.user.pk)],
        current=next((view for view in views if view.query in here), None),
        query=kept,
        all_runs=f"/instruments/{instrument}?{DEFAULT_VIEW}={ALL_RUNS}" if instrument else "/runs",
        is_whole=len(views) < MAX_OFFERED_VIEWS,
        opening=f"?at={instrument}" if instrument else "",
        changing=f"?{urlencode({'to': kept} | ({'at': instrument} if instrument else {}))}",
    )


def write_view_query(query: QueryDict, *, instrument: str | None = None) -> str:
    """What a view keeps of an address: in the spelling of /runs, from the first page on."""
    kept = query.copy()
    for name in ("page", DEFAULT_VIEW):
        kept.pop(name, None)
    if instrument is not None:
        kept["instrument_id"] = instrument
    return canonicalize_query(kept).urlencode()


def read_view_query(text: str, *, by: Caller) -> tuple[QueryDict, list[str]]:
    """A view as the list can still show it, and what of it is no longer known."""
    asked = QueryDict(text)
    query = canonicalize_query(asked)
    gone = [name for name in asked if name not in query]
    if COLUMNS in query:
        names = query.get(COLUMNS, "").split(",")
        known = [name for name in names if is_column(name)][: MAX_COLUMNS - 1]
        gone += [name for name in names if name not in known]
        query[COLUMNS] = ",".join(known)
    gone += _drop_refused(query, by=by)
    return canonicalize_query(query), gone


def _drop_refused(query: QueryDict, *, by: Caller) -> list[str]:
    """Take away the filters that the search refuses, which it names."""
    try:
        read_run_search(query, by=by)
        read_grouping(query)
    except ValidationError as error:
        named = (error.details or {}).get("fields", {})
        refused = [name for name in query if any(f"{fault}.".startswith(f"{name}.") for fault in named)] or list(query)
        for name in refused:
            del query[name]
        return [*refused, *_drop_refused(query, by=by)]
    return []


def build_view_address(query: QueryDict, *, at: str = "") -> str:
    """On the page of the instrument `at` where the view is of its runs, or of any; else on /runs."""
    if at and re.fullmatch(SlugConverter.regex, at) and query.getlist("instrument_id") in ([], [at]):
        rest = query.copy()
        rest.pop("instrument_id", None)
        rest[DEFAULT_VIEW] = ALL_RUNS
        return f"/instruments/{at}?{canonicalize_query(rest).urlencode()}"
    return f"/runs?{query.urlencode()}".removesuffix("?")


def find_default_address(instrument: str, *, by: Caller) -> str:
    """Where the bare page of an instrument leads; empty where it has no default view."""
    view = find_default_view(instrument, by=by)
    return build_view_address(read_view_query(view.query, by=by)[0], at=instrument) if view else ""


@require_safe
@page(access.VIEWS)
def open_view(request: HttpRequest, view_id: UUID) -> HttpResponse:
    """To the list that a view names, less what is no longer there."""
    by = caller_of_page(request)
    query, gone = read_view_query(find_view(view_id, by=by).query, by=by)
    if gone:
        names = ", ".join(name[:40] for name in gone[:5])
        add_notice(request, Notice(f"The view names what is no longer there, and opens without: {names}."))
    return HttpResponseRedirect(build_view_address(query, at=request.GET.get("at", "")))


@require_POST
@page(access.VIEWS)
def new_view(request: HttpRequest) -> HttpResponse:
    """Save the list as it stands. What is refused comes back in its form."""
    typed = read_form(request)
    try:
        view = save_view(read_content(typed), by=caller_of_page(request), at=now())
    except (ValidationError, Conflict) as error:
        return render_form(request, typed, error)
    add_notice(request, Notice(f"View {view.name} saved."))
    return HttpResponseRedirect(read_return_address(request))


@require_http_methods(["GET", "HEAD", "POST"])
@page(access.VIEWS)
def edit_view(request: HttpRequest, view_id: UUID) -> HttpResponse:
    """Rename, share, replace or delete a view. An admin deletes shared ones of others here."""
    by = caller_of_page(request)
    view = find_view(view_id, by=by)
    if not may_delete(view, by=by):
        raise ViewOfSomebodyElse(view)
    if request.method != "POST":
        return render(request, "runs/view.html", build_form(request, read_typed(request, view), view=view))
    if request.POST.get("do") == "delete":
        return remove_view(request, view)
    typed = read_form(request)
    try:
        content = read_content(typed if typed["replaces"] else {**typed, "query": view.query})
        change_view(view_id, content, by=by)
    except (ValidationError, Conflict) as error:
        return render_form(request, typed, error, view=view)
    add_notice(request, Notice(f"View {content.name} saved."))
    return HttpResponseRedirect(read_return_address(request))


def remove_view(request: HttpRequest, view: SavedView) -> HttpResponse:
    by = caller_of_page(request)
    delete_view(view.pk, by=by)
    back = {"name": [view.name], "query": [view.query], "next": [read_return_address(request)]}
    back |= {"is_shared": ["on"]} if view.is_shared else {}
    is_mine = view.owner_id == (by.user and by.user.pk) and view.instrument_id is None
    add_notice(request, Notice(f"View {view.name} deleted.", undo=Undo(NEW_VIEW_URL, back) if is_mine else None))
    return HttpResponseRedirect(read_return_address(request))


def read_form(request: HttpRequest) -> dict[str, Any]:
    given = request.POST
    return {
        "name": given.get("name", "").strip(),
        "query": write_view_query(QueryDict(given.get("query", "")[:MAX_READ_CHARACTERS])),
        "instrument": given.get("instrument", ""),
        **{name: bool(given.get(name)) for name in ("is_shared", "is_default", "replaces")},
    }


def read_typed(request: HttpRequest, view: SavedView) -> dict[str, Any]:
    """The form of a view as it is; `to` is the list from which the form was opened."""
    query = write_view_query(QueryDict(request.GET.get("to", "")[:MAX_READ_CHARACTERS]))
    return {
        "name": view.name,
        "query": query,
        "instrument": view.instrument_id or "",
        "is_shared": view.is_shared,
        "is_default": view.instrument_id is not None,
        "replaces": False,
    }


def read_content(typed: dict[str, Any]) -> ViewContent:
    """Raises ValidationError that names each bad field."""
    read = read_body(SavedViewSerializer, {name: typed[name] for name in ("name", "query", "is_shared")})
    return ViewContent(**read, instrument=typed["instrument"] or None if typed["is_default"] else None)


def render_form(
    request: HttpRequest, typed: dict[str, Any], error: ValidationError | Conflict, *, view: SavedView | None = None
) -> HttpResponse:
    shown = build_form(request, typed, view=view)
    if isinstance(error, ValidationError):
        shown["faults"] = (error.details or {}).get("fields", {})
    else:
        shown["faults"] = {"name": [error.message]}
    return render(request, "runs/view.html", shown, status=error.status)


def build_form(request: HttpRequest, typed: dict[str, Any], *, view: SavedView | None) -> dict[str, Any]:
    by = caller_of_page(request)
    asked = QueryDict(typed["query"]).getlist("instrument_id")
    typed = {**typed, "instrument": typed["instrument"] or (asked[0] if len(asked) == 1 else "")}
    return {
        "view": view,
        "typed": typed,
        "is_mine": view is None or view.owner_id == (by.user and by.user.pk),
        "may_replace": view is not None and view.query != typed["query"] and bool(typed["query"]),
        "next": read_return_address(request) if request.method == "POST" else read_origin(request),
    }


def read_origin(request: HttpRequest) -> str:
    """The list from which the form of a view was opened."""
    query = QueryDict(request.GET.get("to", "")[:MAX_READ_CHARACTERS])
    return build_view_address(canonicalize_query(query), at=request.GET.get("at", ""))
