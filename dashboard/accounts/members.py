"""The people of the workspace, and who of them is an admin."""

from collections.abc import Iterable

from django import forms
from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from accounts.access import USERS_MANAGE
from accounts.authentication import caller_of_page
from accounts.members import list_users, set_admin
from accounts.models import Invitation
from accounts.sign_in.invitations import end_invitations, invite, list_open_invitations
from accounts.sign_in.mailed_links import mail_invitation, mail_password_link
from accounts.sign_in.password_links import make_member_link
from accounts.sign_in.second_factors import reset_second_factors
from dashboard.guard import page
from dashboard.notices import Notice, add_notice
from dashboard.parameters import read_ids
from instruments.groups.models import Group
from wire.clock import now
from wire.errors import ServiceError, ValidationError
from wire.lists.pagination import paginate, read_window

PER_PAGE = 100


class InvitationForm(forms.Form):
    email = forms.EmailField(max_length=254, label="E-mail address")
    is_admin = forms.BooleanField(required=False, label="Admin")
    groups = forms.ModelMultipleChoiceField(
        queryset=Group.objects.order_by("name", "id"),
        required=False,
        error_messages={"invalid_choice": "One of these groups is no longer there."},
    )


ROLE_ACTIONS = {"promote": True, "demote": False}


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@page(USERS_MANAGE)
def member_list(request: HttpRequest) -> HttpResponse:
    if request.method == "POST" and request.POST.get("do") == "link":
        return show_password_link(request)
    if request.method == "POST" and request.POST.get("do") == "invite":
        return show_invitation(request)
    if request.method == "POST" and request.POST.get("do") == "reset":
        add_notice(request, reset_factors(request))
        return HttpResponseRedirect(request.path)
    if request.method == "POST" and request.POST.get("do") == "end":
        ended = end_invitations(read_ids(request.POST.getlist("invitation"), of="invitations"))
        add_notice(request, Notice("The invitation has ended." if ended else "It was used or has ended already."))
        return HttpResponseRedirect(request.path)
    if request.method == "POST":
        add_notice(request, change_roles(request))
        return HttpResponseRedirect(request.path)
    return render(request, "settings/members.html", _build_list_context(request))


def show_password_link(request: HttpRequest) -> HttpResponse:
    """The list with the link of one member: it is shown this once."""
    chosen = read_ids(request.POST.getlist("member"), of="people")
    if len(chosen) != 1:
        add_notice(request, Notice("Select the one person whom the link is for.", is_bad=True))
        return HttpResponseRedirect(request.path)
    try:
        path = make_member_link(user_id=chosen[0], by=caller_of_page(request))
    except ServiceError as refused:
        add_notice(request, Notice(refused.message, is_bad=True))
        return HttpResponseRedirect(request.path)
    link = settings.PUBLIC_URL + path
    mailed = mail_password_link(user_id=chosen[0], link=link)
    shown = _build_list_context(request) | {"link": link, "is_mailed": mailed, "has_mail": bool(settings.EMAIL_URL)}
    return render(request, "settings/members.html", shown)


def show_invitation(request: HttpRequest) -> HttpResponse:
    """The list with the link of somebody new: it is shown this once."""
    form = InvitationForm(request.POST)
    if not form.is_valid():
        return _render_refused(request, form, status=400)
    try:
        new = invite(
            email=form.cleaned_data["email"],
            is_admin=form.cleaned_data["is_admin"],
            group_ids=[group.pk for group in form.cleaned_data["groups"]],
            by=caller_of_page(request),
            at=now(),
        )
    except ServiceError as refused:
        form.add_error("email", refused.message)
        return _render_refused(request, form, status=refused.status)
    link = settings.PUBLIC_URL + new.path
    mailed = mail_invitation(new.invitation, link=link)
    shown = {
        "invited": new.invitation,
        "joins": name_groups([new.invitation])[0],
        "link": link,
        "is_mailed": mailed,
        "has_mail": bool(settings.EMAIL_URL),
    }
    return render(request, "settings/members.html", _build_list_context(request) | shown)


def _render_refused(request: HttpRequest, form: InvitationForm, *, status: int) -> HttpResponse:
    """With what was typed."""
    shown = _build_list_context(request) | {"invitation": form}
    return render(request, "settings/members.html", shown, status=status)


def reset_factors(request: HttpRequest) -> Notice:
    """For people who lost theirs."""
    by = caller_of_page(request)
    names = [
        reset_second_factors(user_id=one, by=by).name for one in read_ids(request.POST.getlist("member"), of="people")
    ]
    told = f"{', '.join(names)}: the password alone opens the account now."
    return Notice(told if names else "Nobody was selected.", is_bad=not names)


def change_roles(request: HttpRequest) -> Notice:
    """What was done, or why it was not."""
    action, by = request.POST.get("do", ""), caller_of_page(request)
    if action not in ROLE_ACTIONS:
        raise ValidationError("This is not a role.")
    chosen, names = read_ids(request.POST.getlist("member"), of="people"), []
    try:
        for user_id in chosen:
            names.append(set_admin(user_id=user_id, is_admin=ROLE_ACTIONS[action], by=by).name)
    except ServiceError as refused:
        return Notice(refused.message, is_bad=True)
    if not names:
        return Notice("Nobody was selected.", is_bad=True)
    are = "is" if len(names) == 1 else "are"
    end = f"{'now' if ROLE_ACTIONS[action] else 'no longer'} {'an admin' if len(names) == 1 else 'admins'}."
    return Notice(f"{', '.join(names)} {are} {end}")


def _build_list_context(request: HttpRequest) -> dict[str, object]:
    found = paginate(list_users().order_by("display_name", "email"), read_window(request.GET, per_page=PER_PAGE))
    at = now()
    waiting = list_open_invitations(at=at)[:PER_PAGE]
    return {
        "page": found,
        "query": request.GET,
        "at": at,
        "provider": settings.OIDC_NAME,
        "invitation": InvitationForm(),
        "waiting": list(zip(waiting, name_groups(waiting), strict=True)),
    }


def name_groups(invitations: Iterable[Invitation]) -> list[str]:
    """Of each the groups that it leads into, those that are still there."""
    asked = [one.group_ids for one in invitations]
    there = list(Group.objects.filter(pk__in={pk for ids in asked for pk in ids}).order_by("name", "id"))
    return [", ".join(group.name for group in there if group.pk in ids) for ids in asked]
