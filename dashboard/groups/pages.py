"""Settings: groups of people, and the instruments that are theirs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.views.decorators.http import require_http_methods, require_safe

from accounts.authentication import caller_of_page
from accounts.callers import Caller
from accounts.members import list_users
from accounts.models import User
from dashboard.guard import page
from dashboard.name_order import sort_instruments, sort_people
from dashboard.notices import Notice, add_notice
from instruments import access
from instruments.catalogue import list_instruments
from instruments.groups.catalogue import change_group, create_group, delete_group, find_group, list_groups
from instruments.groups.models import Group, GroupRole
from instruments.groups.serializers import GroupChangeSerializer, NewGroupSerializer
from wire.clock import now
from wire.errors import Conflict, ValidationError
from wire.inputs import read_body
from wire.lists.pagination import paginate, read_window

HOME = "/settings/groups"
PER_PAGE = 100
ROLE_PREFIX = "role-"  # of the fields that say what a member is; "" takes them out


@dataclass(frozen=True)
class Typed:
    """What a form says, or would say of a group as it is: nothing of it is lost when it is refused."""

    name: str = ""
    claimed_as: str = ""
    roles: Mapping[str, str] = field(default_factory=dict)
    added: Sequence[str] = ()
    instrument_ids: Sequence[str] = ()


@require_safe
@page(access.GROUPS)
def group_list(request: HttpRequest) -> HttpResponse:
    """All groups for admins, for managers their own."""
    found = paginate(list_groups(by=caller_of_page(request)), read_window(request.GET, per_page=PER_PAGE))
    return render(request, "groups/list.html", {"page": found, "query": request.GET, "claim": _name_claim()})


@require_http_methods(["GET", "HEAD", "POST"])
@page(access.NEW_GROUP)
def new_group(request: HttpRequest) -> HttpResponse:
    if request.method != "POST":
        return _render_form(request, Typed())
    typed = read_form(request)
    try:
        content = read_body(NewGroupSerializer, write_body(typed, is_admin=True))
        made = create_group(**content, by=caller_of_page(request), at=now())
    except (ValidationError, Conflict) as refused:
        return _render_form(request, typed, refused=refused)
    add_notice(request, Notice(f"Group {made.name} made."))
    return HttpResponseRedirect(HOME)


@require_http_methods(["GET", "HEAD", "POST"])
@page(access.GROUPS)
def edit_group(request: HttpRequest, group_id: UUID) -> HttpResponse:
    """Who is in a group, and for admins what it has; and its end."""
    by = caller_of_page(request)
    group = find_group(group_id, by=by)
    if request.method != "POST":
        return _render_form(request, describe_group(group), group=group)
    if request.POST.get("do") == "delete":
        delete_group(group_id, by=by)
        add_notice(request, Notice(f"Group {group.name} deleted."))
        return HttpResponseRedirect(HOME)
    typed = read_form(request)
    try:
        values = read_body(GroupChangeSerializer, write_body(typed, is_admin=by.is_admin))
        saved = change_group(group_id, values=values, by=by)
    except (ValidationError, Conflict) as refused:
        return _render_form(request, typed, group=group, refused=refused)
    add_notice(request, Notice(f"Group {saved.name} saved."))
    return HttpResponseRedirect(HOME if list_groups(by=by).filter(pk=group_id).exists() else "/")


def describe_group(group: Group) -> Typed:
    return Typed(
        name=group.name,
        claimed_as=group.claimed_as or "",
        roles={str(one.person_id): one.role for one in group.memberships.all()},
        instrument_ids=[entry.instrument_id for entry in group.group_instruments.all()],
    )


def read_form(request: HttpRequest) -> Typed:
    given = request.POST
    roles = {name.removeprefix(ROLE_PREFIX): given[name] for name in given if name.startswith(ROLE_PREFIX)}
    return Typed(
        name=given.get("name", ""),
        claimed_as=given.get("claimed_as", ""),
        roles=roles,
        added=given.getlist("add"),
        instrument_ids=given.getlist("instrument"),
    )


def write_body(typed: Typed, *, is_admin: bool) -> dict[str, Any]:
    """As REST takes it; what managers do not decide is left out."""
    roles = {person: role for person, role in typed.roles.items() if role}
    roles |= {person: GroupRole.MEMBER.value for person in typed.added if person not in roles}
    members = [{"person_id": person, "role": role} for person, role in roles.items()]
    body: dict[str, Any] = {"name": typed.name, "members": members}
    if is_admin:
        body["instrument_ids"] = list(typed.instrument_ids)
        if _name_claim():
            body["claimed_as"] = typed.claimed_as or None
    return body


def _render_form(
    request: HttpRequest, typed: Typed, *, group: Group | None = None, refused: ValidationError | Conflict | None = None
) -> HttpResponse:
    by = caller_of_page(request)
    faults = (getattr(refused, "details", None) or {}).get("fields", {})
    named = {name: texts for name, texts in faults.items() if name in ("name", "claimed_as")}
    people = sort_people(list_users())
    shown = {
        "group": group,
        "typed": typed,
        "faults": named,
        "fault": "" if refused is None or named else _tell(refused, faults),
        "members": _list_members(typed, people, group),
        "others": [one for one in people if one.is_active and str(one.pk) not in typed.roles],
        "instruments": _list_choices(typed, by),
        "claim": _name_claim(),
    }
    return render(request, "groups/group.html", shown, status=refused.status if refused else 200)


def _tell(refused: ValidationError | Conflict, faults: Mapping[str, Sequence[str]]) -> str:
    return " ".join(text for texts in faults.values() for text in texts) or refused.message


def _list_members(typed: Typed, people: Sequence[User], group: Group | None) -> list[dict[str, Any]]:
    """Each person whose role the form asks for."""
    claimed = {one.person_id for one in group.memberships.all() if one.is_claimed} if group else set()
    return [
        {"person": one, "role": typed.roles[str(one.pk)], "is_claimed": one.pk in claimed}
        for one in people
        if str(one.pk) in typed.roles
    ]


def _list_choices(typed: Typed, by: Caller) -> list[dict[str, Any]]:
    """Every instrument for admins, the group's own for its managers."""
    chosen = set(typed.instrument_ids)
    found = list_instruments(by=by)
    rows = found if by.is_admin else found.filter(pk__in=chosen)
    return [{"instrument": one, "is_chosen": one.pk in chosen} for one in sort_instruments(rows)]


def _name_claim() -> str:
    return settings.OIDC_GROUPS_CLAIM or ""
