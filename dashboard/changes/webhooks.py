"""Settings: where events are sent to, how that goes, and a new receiver."""

from typing import Any
from uuid import UUID

from django import forms
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.authentication import caller_of_page
from changes import access
from changes.models import ChangeType
from changes.webhooks import catalogue, deliveries
from changes.webhooks.catalogue import NewWebhook, WebhookSettings
from changes.webhooks.models import MAX_DESCRIPTION_CHARS, MAX_URL_CHARS, Webhook, WebhookKind
from dashboard.fragments import is_fragment_request
from dashboard.guard import page
from dashboard.name_order import sort_instruments
from dashboard.notices import Notice, add_notice
from instruments.catalogue import list_instruments
from wire.clock import now
from wire.errors import Conflict, ValidationError
from wire.form_fields import LineField

HOME = "/settings/webhooks"
DELIVERIES_SHOWN = 50
KINDS = {
    WebhookKind.STANDARD: "Signed JSON for a program of yours: LIMS, ELN, a script.",
    WebhookKind.CHAT: "A short text: Slack, Mattermost, Rocket.Chat, Google Chat.",
    WebhookKind.TEAMS: "A card for a Workflow of Microsoft Teams.",
}


class WebhookForm(forms.Form):
    url = LineField(max_length=MAX_URL_CHARS, label="Address")
    description = LineField(max_length=MAX_DESCRIPTION_CHARS, required=False, label="What it is for")
    kind = forms.ChoiceField(choices=WebhookKind.choices, initial=WebhookKind.STANDARD)
    event_types = forms.MultipleChoiceField(choices=ChangeType.choices, required=False)
    instruments = forms.MultipleChoiceField(required=False)

    def to_settings(self, *, is_active: bool = True) -> WebhookSettings:
        given = self.cleaned_data
        return WebhookSettings(
            url=given["url"],
            kind=WebhookKind(given["kind"]),
            description=given["description"],
            event_types=given["event_types"],
            instrument_ids=given["instruments"] or None,
            is_active=is_active,
        )


@never_cache
@require_safe
@page(access.WEBHOOKS_READ)
def webhook_list(request: HttpRequest) -> HttpResponse:
    return render(request, "settings/webhooks.html", {"rows": catalogue.list_webhooks(), "at": now()})


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@page(access.WEBHOOKS)
def new_webhook(request: HttpRequest) -> HttpResponse:
    """The form; once it is right, the receiver's page with its secret, which is never shown again."""
    form = _build_form(request)
    if request.method == "POST" and form.is_valid():
        try:
            made = catalogue.add_webhook(form.to_settings(), by=caller_of_page(request), at=now())
        except ValidationError as refused:
            _show_faults(form, refused)
        else:
            return _render_webhook(request, made.webhook, made=made, status=201)
    shown = {"form": form, "kinds": KINDS.items(), "types": ChangeType.choices}
    return render(request, "settings/new_webhook.html", shown, status=400 if form.errors else 200)


@never_cache
@require_safe
@page(access.WEBHOOKS_READ)
def webhook_page(request: HttpRequest, webhook_id: UUID) -> HttpResponse:
    return _render_webhook(request, catalogue.find_webhook(webhook_id))


@never_cache
@require_POST
@page(access.WEBHOOKS)
def act_on_webhook(request: HttpRequest, webhook_id: UUID) -> HttpResponse:
    """Test it, rotate its secret, switch it off and on, send a message again, or take it away."""
    by, at, place = caller_of_page(request), now(), f"{HOME}/{webhook_id}"
    match request.POST.get("do"):
        case "rotate":
            made = catalogue.rotate_secret(webhook_id, by=by, at=at)
            return _render_webhook(request, made.webhook, made=made)
        case "delete":
            catalogue.delete_webhook(webhook_id, by=by)
            add_notice(request, Notice("The webhook is deleted."))
            return HttpResponseRedirect(HOME)
        case "off" | "on" as wanted:
            catalogue.change_webhook(webhook_id, {"is_active": wanted == "on"}, by=by, at=at)
            add_notice(request, Notice(f"The webhook is switched {wanted}."))
        case _:
            add_notice(request, _send_by_hand(request, webhook_id))
    return HttpResponseRedirect(place)


def _send_by_hand(request: HttpRequest, webhook_id: UUID) -> Notice:
    by, at, again = caller_of_page(request), now(), request.POST.get("again", "")
    try:
        if again:
            deliveries.redeliver(webhook_id, _parse_id(again), by=by, at=at)
            return Notice("The message is sent again.")
        deliveries.send_test(webhook_id, by=by, at=at)
    except Conflict as refused:
        return Notice(refused.message, is_bad=True)
    return Notice("A test is on its way. What comes of it is shown below.")


def _parse_id(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError:
        raise deliveries.DeliveryMissing from None


def _build_form(request: HttpRequest) -> WebhookForm:
    form = WebhookForm(request.POST or None)
    instruments = sort_instruments(list_instruments(by=caller_of_page(request)))
    form.fields["instruments"].choices = [(one.pk, one.display_name) for one in instruments]  # type: ignore[attr-defined]
    return form


def _show_faults(form: WebhookForm, refused: ValidationError) -> None:
    fields: dict[str, Any] = (refused.details or {}).get("fields", {})
    for name, texts in fields.items():
        form.add_error("url" if name == "url" else None, texts)


def _render_webhook(
    request: HttpRequest, webhook: Webhook, *, made: NewWebhook | None = None, status: int = 200
) -> HttpResponse:
    at = now()
    sent = deliveries.list_deliveries(webhook.pk)[:DELIVERIES_SHOWN]
    shown = {
        "webhook": webhook,
        "made": made,
        "deliveries": sent,
        "is_awaited": any(deliveries.is_due(one, at=at) for one in sent),
        "at": at,
    }
    template = "settings/_deliveries.html" if is_fragment_request(request) else "settings/webhook.html"
    return render(request, template, shown, status=status)
