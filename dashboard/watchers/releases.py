"""Settings: which version of the agent the watchers should run, how far it has come, and what they run."""

from collections.abc import Sequence
from dataclasses import dataclass

from django import forms
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from accounts.authentication import caller_of_page
from dashboard.guard import page
from dashboard.notices import Notice, add_notice
from watchers import access
from watchers.choices import Channel
from watchers.models import WatcherRelease
from watchers.releases import (
    NewRelease,
    ReleaseChange,
    VersionCount,
    change_release,
    count_running_versions,
    create_release,
    find_current_releases,
    list_releases,
)
from wire.clock import now
from wire.errors import Conflict, ServiceError, ValidationError
from wire.form_fields import LineField, LinesField

MAX_RELEASES = 200
ACTIONS = ("publish", "withdraw", "wave")


class ReleaseForm(forms.Form):
    version = LineField(max_length=64)
    channel = forms.ChoiceField(choices=Channel.choices, initial=Channel.STABLE)
    min_supported_version = LineField(max_length=64, required=False, label="Oldest supported version", empty_value=None)
    mandatory = forms.BooleanField(required=False)
    notes = LinesField(max_length=10_000, required=False)


class ChosenForm(forms.Form):
    """Releases by their ids, and what is to become of them."""

    do = forms.ChoiceField(choices=[(name, name) for name in ACTIONS])
    release = forms.TypedMultipleChoiceField(coerce=int, error_messages={"required": "No release was chosen."})
    wave_percent = forms.IntegerField(min_value=0, max_value=100, required=False, label="Share of the watchers")

    def clean(self) -> None:
        if self.cleaned_data.get("do") == "wave" and self.cleaned_data.get("wave_percent") is None:
            self.add_error("wave_percent", "A whole number from 0 to 100 is needed.")

    def change(self) -> ReleaseChange:
        """Publishing takes the wave along, so that nobody outside it hears of the release first."""
        do, wave_percent = self.cleaned_data["do"], self.cleaned_data["wave_percent"]
        if do == "withdraw":
            return ReleaseChange(withdrawn=True)
        return ReleaseChange(published=True if do == "publish" else None, wave_percent=wave_percent)


@dataclass(frozen=True)
class Rollout:
    """A current release, and how many of all watchers run it."""

    release: WatcherRelease
    running: int
    watchers: int


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@page(access.RELEASES)
def release_list(request: HttpRequest) -> HttpResponse:
    form = ReleaseForm(request.POST if request.POST.get("do") == "create" else None)
    if request.method == "POST":
        if request.POST.get("do") == "create":
            if form.is_valid() and _create_from_form(request, form):
                return HttpResponseRedirect(request.path)
        else:
            _change_chosen(request)
            return HttpResponseRedirect(request.path)
    current, running = find_current_releases(), count_running_versions(by=caller_of_page(request))
    shown = {
        "rows": [(one, one == current.get(one.channel)) for one in list_releases()[:MAX_RELEASES]],
        "rollouts": [_to_rollout(one, running) for one in current.values()],
        "running": running,
        "form": form,
        "channels": Channel.choices,
        "at": now(),
    }
    return render(request, "settings/releases.html", shown, status=400 if form.errors else 200)


def _to_rollout(release: WatcherRelease, running: Sequence[VersionCount]) -> Rollout:
    at_it = sum(one.watchers for one in running if one.version == release.version)
    return Rollout(release, at_it, sum(one.watchers for one in running))


def _create_from_form(request: HttpRequest, form: ReleaseForm) -> bool:
    try:
        release = create_release(NewRelease(**form.cleaned_data), by=caller_of_page(request), at=now())
    except ValidationError as refused:
        for name, texts in ((refused.details or {}).get("fields") or {}).items():
            form.add_error(name if name in form.fields else None, texts)
        return False
    except Conflict as known:
        form.add_error("version", known.message)
        return False
    add_notice(request, Notice(f"{release} is a draft. No agent is told of it before it is published."))
    return True


def _change_chosen(request: HttpRequest) -> None:
    form = ChosenForm(request.POST)
    form.fields["release"].choices = [(str(one.pk), one.version) for one in list_releases()[:MAX_RELEASES]]  # type: ignore[attr-defined]
    if not form.is_valid():
        add_notice(
            request, Notice(" ".join(str(text) for texts in form.errors.values() for text in texts), is_bad=True)
        )
        return
    try:
        for release_id in form.cleaned_data["release"]:
            release = change_release(release_id, form.change(), by=caller_of_page(request), at=now())
    except ServiceError as refused:
        add_notice(request, Notice(refused.message, is_bad=True))
    else:
        add_notice(request, Notice(_describe(form, release)))


def _describe(form: ChosenForm, release: WatcherRelease) -> str:
    number = len(form.cleaned_data["release"])
    what = str(release) if number == 1 else f"{number} releases"
    told = {
        "publish": f"Published: {what}, for {release.wave_percent} % of the watchers.",
        "withdraw": f"Withdrawn: {what}. Agents that run it go back with their next question, within the hour.",
        "wave": f"{what} is offered to {release.wave_percent} % of the watchers.",
    }
    return told[form.cleaned_data["do"]]
