"""Forms under a run: say something, change it, take it away."""

from collections.abc import Callable
from uuid import UUID

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from accounts.authentication import caller_of_page
from dashboard.guard import page
from dashboard.notices import Notice, add_notice
from dashboard.runs.detail import RefusedComment, render_run
from files.pictures.comment_pictures import add_comment_picture
from files.pictures.serializers import represent_picture
from runs import access
from runs.addresses import path_of_run
from runs.comments.discussion import add_comment, delete_comment, edit_comment
from runs.comments.serializers import CommentBodySerializer
from runs.lifecycle import find_run
from runs.mentions.naming import find_unclear_names, suggest_people
from wire.clock import now
from wire.conditional import PreconditionFailed
from wire.error_responses import error_response
from wire.errors import Conflict, ServiceError, ValidationError
from wire.input_gate import text_fault
from wire.inputs import read_body
from wire.versions import expected_by_form

MAX_SEARCH_CHARS, MAX_WAYS_TOLD = 100, 3
CHANGED_MEANWHILE = "It was changed since, perhaps in another tab. Saving now puts this in the place of that."


@never_cache
@require_safe
@page(access.COMMENT)
def people_to_mention(request: HttpRequest, instrument_id: str, run_id: str) -> HttpResponse:
    """Whom a comment may name, of those whose name has the part `q`: JSON {people: [{name, initials, text}]}."""
    search = request.GET.get("q", "")[:MAX_SEARCH_CHARS]
    find_run(instrument=instrument_id, run_id=run_id, by=caller_of_page(request))
    found = [] if text_fault(search, multiline=False) else suggest_people(search, instrument_id=instrument_id)
    rows = [{"name": one.name, "initials": one.initials, "text": text} for one, text in found]
    return JsonResponse({"people": rows})


@require_POST
@page(access.COMMENT)
def take_picture(request: HttpRequest, instrument_id: str, run_id: str) -> HttpResponse:
    """A picture for a comment, the body being its bytes and `name` its words: JSON {markdown} to show it by."""
    name = request.GET.get("name", "")
    by = caller_of_page(request)
    try:
        file = add_comment_picture(instrument=instrument_id, run_id=run_id, data=request.body, by=by, at=now())
    except ServiceError as error:
        return error_response(error)
    return JsonResponse(represent_picture(file, name=name), status=201)


@require_POST
@page(access.COMMENT)
def comment_on_run(request: HttpRequest, instrument_id: str, run_id: str) -> HttpResponse:
    """Add a comment. What is refused comes back in its form, so that nothing typed is lost."""
    by = caller_of_page(request)

    def write() -> str:
        body = read_body(CommentBodySerializer, {"body": request.POST.get("body", "")})["body"]
        return str(add_comment(instrument=instrument_id, run_id=run_id, body=body, by=by, at=now()).pk)

    return _apply(request, (instrument_id, run_id), write)


@require_POST
@page(access.COMMENT)
def change_comment(request: HttpRequest, instrument_id: str, run_id: str, comment_id: UUID) -> HttpResponse:
    """Save or delete one's own comment. Raises CommentMissing, NotTheAuthor."""
    by = caller_of_page(request)

    def save() -> str:
        body = read_body(CommentBodySerializer, {"body": request.POST.get("body", "")})["body"]
        edit_comment(
            comment_id,
            instrument=instrument_id,
            run_id=run_id,
            body=body,
            expected=expected_by_form(request),
            by=by,
            at=now(),
        )
        return str(comment_id)

    def delete() -> str:
        delete_comment(comment_id, instrument=instrument_id, run_id=run_id, by=by, at=now())
        add_notice(request, Notice("Comment deleted."))
        return ""

    act = delete if request.POST.get("do") == "delete" else save
    return _apply(request, (instrument_id, run_id), act, comment_id=str(comment_id))


def _apply(request: HttpRequest, run: tuple[str, str], act: Callable[[], str], *, comment_id: str = "") -> HttpResponse:
    try:
        written = act()
    except (ValidationError, Conflict, PreconditionFailed) as error:
        began = "" if isinstance(error, PreconditionFailed) else request.POST.get("version", "")
        refused = RefusedComment(request.POST.get("body", ""), _explain_refusal(error), comment_id, version=began)
        return render_run(request, *run, refused=refused)
    if written:
        _tell_of_unclear_names(request, instrument_id=run[0])
    return HttpResponseRedirect(f"{path_of_run(*run)}#{f'comment-{written}' if written else 'comments'}")


def _tell_of_unclear_names(request: HttpRequest, *, instrument_id: str) -> None:
    unclear = find_unclear_names(request.POST.get("body", ""), instrument_id=instrument_id)
    for name, ways in unclear.items():
        told = f"@{name} names nobody, because {len(ways)} people are called that."
        add_notice(request, Notice(f"{told} Edit the comment: {' or '.join(ways[:MAX_WAYS_TOLD])}.", is_bad=True))


def _explain_refusal(error: ServiceError) -> str:
    if isinstance(error, PreconditionFailed):
        return CHANGED_MEANWHILE
    faults = (error.details or {}).get("fields", {}).get("body")
    return " ".join([*faults, "A comment has 1 to 10,000 characters."]) if faults else error.message
