"""Settings: which version of the agent the watchers should run."""

from django import forms
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from accounts.authentication import caller_of_page
from accounts.guard import page
from watchers import access
from watchers.releases import NewRelease, create_release, current_releases, list_releases, set_published
from watchers.vocabulary import Channel
from wire.clock import now
from wire.errors import Conflict, ServiceError, ValidationError
from wire.notices import Notice, tell

MOST = 200


class ReleaseForm(forms.Form):
    version = forms.CharField(max_length=64)
    channel = forms.ChoiceField(choices=Channel.choices, initial=Channel.STABLE)
    min_supported_version = forms.CharField(
        max_length=64, required=False, label="Oldest that is heard", empty_value=None
    )
    mandatory = forms.BooleanField(required=False)
    notes = forms.CharField(max_length=10_000, required=False)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@page(access.RELEASES)
def releases(request: HttpRequest) -> HttpResponse:
    form = ReleaseForm(request.POST if request.POST.get("do") == "create" else None)
    if request.method == "POST":
        if request.POST.get("do") == "create":
            if form.is_valid() and _create(request, form):
                return HttpResponseRedirect(request.path)
        else:
            _change(request)
            return HttpResponseRedirect(request.path)
    current = {release.pk for release in current_releases().values()}
    rows = [(release, release.pk in current) for release in list_releases()[:MOST]]
    shown = {"rows": rows, "form": form, "channels": Channel.choices, "at": now()}
    return render(request, "settings/releases.html", shown, status=400 if form.errors else 200)


def _create(request: HttpRequest, form: ReleaseForm) -> bool:
    try:
        release = create_release(NewRelease(**form.cleaned_data), by=caller_of_page(request), at=now())
    except ValidationError as refused:
        for name, texts in ((refused.details or {}).get("fields") or {}).items():
            form.add_error(name if name in form.fields else None, texts)
        return False
    except Conflict as known:
        form.add_error("version", known.message)
        return False
    tell(request, Notice(f"{release} is a draft. No agent is told of it before it is published."))
    return True


def _change(request: HttpRequest) -> None:
    """The picked ones are published, or withdrawn."""
    is_published = request.POST.get("do") == "publish"
    chosen = [text for text in request.POST.getlist("release")[:MOST] if text.isascii() and text.isdigit()]
    try:
        for text in chosen:
            set_published(min(int(text), 2**63 - 1), is_published=is_published, by=caller_of_page(request), at=now())
    except ServiceError as refused:
        tell(request, Notice(refused.message, is_bad=True))
    else:
        tell(request, Notice(f"{len(chosen)} {'published' if is_published else 'withdrawn'}.", is_bad=not chosen))
