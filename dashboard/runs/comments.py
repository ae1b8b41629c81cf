"""Forms under a run: say something, change it, take it away."""

from collections.abc import Callable
from uuid import UUID

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.views.decorators.http import require_POST

from accounts.authentication import caller_of_page
from dashboard.guard import page
from dashboard.notices import Notice, add_notice
from runs import access
from runs.addresses import path_of_run
from runs.comments import add_comment, delete_comment, edit_comment
from runs.serializers import CommentBodySerializer
from wire.clock import now
from wire.errors import Conflict, ServiceError, ValidationError
from wire.inputs import read_body


@require_POST
@page(access.COMMENT)
def comment_on_run(request: HttpRequest, instrument_id: str, run_id: str) -> HttpResponse:
    """Add a comment. A body that is refused comes back in the notice, so that nothing typed is lost silently."""
    by = caller_of_page(request)
    url = path_of_run(instrument_id, run_id)

    def write() -> str:
        body = read_body(CommentBodySerializer, {"body": request.POST.get("body", "")})["body"]
        return str(add_comment(instrument=instrument_id, run_id=run_id, body=body, by=by, at=now()).pk)

    return _apply_and_redirect(request, url, write)


@require_POST
@page(access.COMMENT)
def change_comment(request: HttpRequest, instrument_id: str, run_id: str, comment_id: UUID) -> HttpResponse:
    """Save or delete one's own comment. Raises CommentMissing, NotTheAuthor."""
    by = caller_of_page(request)
    url = path_of_run(instrument_id, run_id)

    def save() -> str:
        body = read_body(CommentBodySerializer, {"body": request.POST.get("body", "")})["body"]
        edit_comment(comment_id, instrument=instrument_id, run_id=run_id, body=body, by=by, at=now())
        return str(comment_id)

    def delete() -> str:
        delete_comment(comment_id, instrument=instrument_id, run_id=run_id, by=by, at=now())
        add_notice(request, Notice("Comment deleted."))
        return ""

    return _apply_and_redirect(request, url, delete if request.POST.get("do") == "delete" else save)


def _apply_and_redirect(request: HttpRequest, url: str, act: Callable[[], str]) -> HttpResponse:
    try:
        written = act()
    except (ValidationError, Conflict) as error:
        add_notice(request, Notice(_explain_refusal(error), is_bad=True))
        written = ""
    return HttpResponseRedirect(f"{url}#{f'comment-{written}' if written else 'comments'}")


def _explain_refusal(error: ServiceError) -> str:
    fields = (error.details or {}).get("fields", {})
    return "A comment has 1 to 10,000 characters." if "body" in fields else error.message
