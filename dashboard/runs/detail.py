"""The page of one run: what it is, what it left, what people say about it."""

from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.authentication import caller_of_page
from accounts.callers import Caller
from dashboard.files.listing import files_of
from dashboard.files.report import report_of
from dashboard.guard import page
from dashboard.overview.timeline import build_timeline
from dashboard.runs.rows import build_run_rows, explain_kept_files, explain_status
from dashboard.runs.tags import group_tags
from dashboard.signatures.pages import signatures_of
from dashboard.store_access import sends_to_store
from datasets.catalogue import list_datasets_of
from files.pictures.comment_pictures import list_comment_pictures
from runs import access
from runs.addresses import run_address
from runs.comments.discussion import list_comments_of
from runs.eln.links import list_links
from runs.holds.rules import find_hold
from runs.lifecycle import describe_run
from runs.markdown import list_pictures, render_markdown
from runs.mentions.naming import find_named_people, names_to_show
from runs.models import Comment, Run
from runs.neighbours import find_neighbours
from runs.projects.catalogue import list_offered_projects
from wire.clock import now
from wire.lists.pagination import Page, Window, paginate
from wire.versions import version_of

COMMENTS_PER_PAGE = 100
MAX_DATASETS = 100


@dataclass(frozen=True)
class RefusedComment:
    """What somebody typed and why it was not taken; `comment_id` names the one it would have changed, if any.

    `version`: of that one, as it was when they began; empty where they have been told that it changed since.
    """

    body: str
    fault: str
    comment_id: str = ""
    version: str = ""


@dataclass(frozen=True)
class RefusedTags:
    """What somebody typed as tags, and why it was not taken."""

    typed: str
    fault: str


@require_safe
@page(access.READ)
@sends_to_store
def run_page(request: HttpRequest, instrument_id: str, run_id: str) -> HttpResponse:
    """One run, deleted or not."""
    return render_run(request, instrument_id, run_id)


def render_run(
    request: HttpRequest,
    instrument_id: str,
    run_id: str,
    *,
    refused: RefusedComment | None = None,
    refused_tags: RefusedTags | None = None,
) -> HttpResponse:
    """The page of a run; with a comment or tags that were refused it is 400, and the form holds what was typed."""
    by, at = caller_of_page(request), now()
    run = describe_run(instrument=instrument_id, run_id=run_id, by=by)
    near = find_neighbours(run, by=by)
    word, kept = explain_kept_files(run)
    shown = {
        "at": at,
        "url": run_address(run),
        "here": run_address(run) if refused or refused_tags else request.get_full_path(),
        "run": run,
        "zone": run.instrument.time_zone,
        "row": build_run_rows([run], by=by, at=at)[0],
        "status_word": word,
        "reason": kept or explain_status(run, at=at),
        "earlier": run_address(near.earlier) if near.earlier else "",
        "later": run_address(near.later) if near.later else "",
        "hold": find_hold(run),
        "links": list_links(run),
        "tags": group_tags(run),
        "refused_tags": refused_tags,
        "projects": list_offered_projects(run, by=by),
        "report": report_of(run, request.GET, by=by),
        "story": build_timeline(run),
        "datasets": list_datasets_of(run)[:MAX_DATASETS],
        **signatures_of(run, by=by),
        **files_of(run, request.GET, by=by),
        **comments_of(run, request.GET, by=by),
        **({"refused": refused, "editing": refused.comment_id} if refused else {}),
    }
    return render(request, "runs/run.html", shown, status=400 if refused or refused_tags else 200)


def comments_of(run: Run, query: QueryDict, *, by: Caller) -> dict[str, Any]:
    """The comments with their HTML, the last page first; `edit` names the one whose form is open."""
    last = max(1, -(-run.comment_count // COMMENTS_PER_PAGE))
    asked = query.get("comments", "")
    number = min(int(asked), last) if asked.isascii() and asked.isdigit() and 0 < len(asked) <= 6 else last
    found = paginate(list_comments_of(run), Window(page=max(1, number), per_page=COMMENTS_PER_PAGE))
    people = find_named_people([comment.body for comment in found.rows], instrument_id=run.instrument_id)
    names = names_to_show(people)
    pictures = list_comment_pictures(run, set().union(*(list_pictures(comment.body) for comment in found.rows)))
    shown = [
        {
            "comment": comment,
            "html": render_markdown(comment.body, names=names, pictures=pictures),
            "is_mine": is_mine(comment, by=by),
            "version": version_of(*comment.changeable_values),
        }
        for comment in found.rows
    ]
    return {
        "comments": Page(shown, found.window, found.total),
        "editing": query.get("edit", "") if run.deleted_at is None else "",
        "can_write": run.deleted_at is None,
    }


def is_mine(comment: Comment, *, by: Caller) -> bool:
    return by.user is not None and comment.user_id == by.user.pk
