"""The people of the workspace, and who of them is an admin."""

from uuid import UUID

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from accounts.access import USERS_MANAGE
from accounts.authentication import caller_of_page
from accounts.guard import page
from accounts.members import list_users, set_admin
from wire.clock import now
from wire.errors import ServiceError, ValidationError
from wire.notices import Notice, tell
from wire.pagination import page_of, read_window

PER_PAGE, MOST = 100, 100
ROLES = {"promote": True, "demote": False}


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@page(USERS_MANAGE)
def members(request: HttpRequest) -> HttpResponse:
    if request.method == "POST":
        tell(request, change_roles(request))
        return HttpResponseRedirect(request.path)
    found = page_of(list_users().order_by("display_name", "email"), read_window(request.GET, per_page=PER_PAGE))
    shown = {"page": found, "query": request.GET, "at": now(), "provider": settings.OIDC_NAME}
    return render(request, "settings/members.html", shown)


def change_roles(request: HttpRequest) -> Notice:
    """What was done, or why it was not."""
    action, by = request.POST.get("do", ""), caller_of_page(request)
    if action not in ROLES:
        raise ValidationError("This is not a role.")
    chosen, names = _ids(request.POST.getlist("member")), []
    try:
        for user_id in chosen:
            names.append(set_admin(user_id=user_id, is_admin=ROLES[action], by=by).name)
    except ServiceError as refused:
        return Notice(refused.message, is_bad=True)
    if not names:
        return Notice("Nobody was selected.", is_bad=True)
    are = "is" if len(names) == 1 else "are"
    end = f"{'now' if ROLES[action] else 'no longer'} {'an admin' if len(names) == 1 else 'admins'}."
    return Notice(f"{', '.join(names)} {are} {end}")


def _ids(texts: list[str]) -> list[UUID]:
    try:
        return [UUID(text) for text in texts[:MOST]]
    except ValueError:
        raise ValidationError("These are not people.") from None
