"""The page of one run: what it is, what it left, what people say about it."""

from typing import Any

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.authentication import caller_of_page
from accounts.callers import Caller
from accounts.guard import page
from files.pages.listing import files_of
from files.pages.report import report_of
from overview.story import tell_story
from runs import access
from runs.addresses import run_address
from runs.comments import list_comments
from runs.lifecycle import describe_run
from runs.markdown import render_markdown
from runs.models import Comment, Run
from runs.neighbours import find_neighbours
from runs.pages.rows import reason_of, rows_of
from runs.pages.tags import tags_of
from wire.clock import now
from wire.pagination import Page, Window, page_of

COMMENTS = 100


@require_safe
@page(access.READ)
def run_page(request: HttpRequest, instrument_id: str, run_id: str) -> HttpResponse:
    """One run, deleted or not."""
    by, at = caller_of_page(request), now()
    run = describe_run(instrument=instrument_id, run_id=run_id, by=by)
    near = find_neighbours(run, by=by)
    shown = {
        "at": at,
        "url": run_address(run),
        "here": request.get_full_path(),
        "run": run,
        "zone": run.instrument.time_zone,
        "row": rows_of([run], by=by, at=at)[0],
        "reason": reason_of(run, at=at),
        "earlier": run_address(near.earlier) if near.earlier else "",
        "later": run_address(near.later) if near.later else "",
        "tags": tags_of(run.metadata, instrument=run.instrument_id),
        "report": report_of(run, request.GET, by=by),
        "story": tell_story(run),
        **files_of(run, request.GET, by=by),
        **comments_of(run, request.GET, by=by),
    }
    return render(request, "runs/run.html", shown)


def comments_of(run: Run, query: QueryDict, *, by: Caller) -> dict[str, Any]:
    """The comments with their HTML, the last page first; `edit` names the one whose form is open."""
    comments = list_comments(instrument=run.instrument_id, run_id=run.run_id, by=by)
    last = max(1, -(-run.comment_count // COMMENTS))
    asked = query.get("comments", "")
    number = min(int(asked), last) if asked.isascii() and asked.isdigit() and 0 < len(asked) <= 6 else last
    found = page_of(comments, Window(page=max(1, number), per_page=COMMENTS))
    shown = [
        {"comment": comment, "html": render_markdown(comment.body), "is_mine": is_mine(comment, by=by)}
        for comment in found.rows
    ]
    return {
        "comments": Page(shown, found.window, found.total),
        "editing": query.get("edit", ""),
        "can_write": run.deleted_at is None,
    }


def is_mine(comment: Comment, *, by: Caller) -> bool:
    return by.user is not None and comment.user_id == by.user.pk
