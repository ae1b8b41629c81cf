"""The OAuth server's endpoints: the toolkit's, narrowed to what AI clients need."""

import json
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from oauth2_provider import views
from oauth2_provider.exceptions import FatalClientError, OAuthToolkitError
from oauth2_provider.models import get_application_model
from oauth2_provider.settings import oauth2_settings
from oauth2_provider.views.dynamic_client_registration import (
    DynamicClientRegistrationManagementView,
    DynamicClientRegistrationView,
)
from oauthlib.oauth2.rfc6749.errors import CustomOAuth2Error

from accounts import rate_limits as rates
from accounts.oauth.clients import SUPPORTED_GRANT_TYPES, SUPPORTED_RESPONSE_TYPES, narrow_grants
from accounts.oauth.connections import MCP_PATHS, end_replayed_code
from accounts.oauth.server import authorization_fault, parameter_fault
from accounts.scopes import Scope
from wire.clock import now
from wire.errors import RateLimited, ValidationError
from wire.input_gate import read_json


class ResourceMetadataView(views.OAuthProtectedResourceMetadataView):
    """One document for each name of the MCP endpoint, nothing for other paths (RFC 9728)."""

    def get(self, request: HttpRequest, *args: Any, resource_path: str, **kwargs: Any) -> HttpResponse:
        if f"/{resource_path}" not in MCP_PATHS:
            raise Http404
        return super().get(request, *args, **kwargs)

    def get_resource(self, request: HttpRequest) -> str:
        return f"{settings.PUBLIC_URL}/{self.kwargs['resource_path']}"

    def get_resource_name(self) -> str:
        return "Instrument Data Service"


class RegistrationView(DynamicClientRegistrationView):
    """RFC 7591, open to anybody but not for ever: a client gets nothing until a person consents."""

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            rates.count_hit(rates.REGISTRATIONS, request.META.get("REMOTE_ADDR", ""))
            narrow_request_metadata(request)
        except RateLimited as error:
            return oauth_error_response("temporarily_unavailable", error.message, status=429, headers=error.headers)
        except ValidationError as error:
            return oauth_error_response("invalid_client_metadata", error.message)
        return complete_registration(super().post(request, *args, **kwargs))


class RegistrationManagementView(DynamicClientRegistrationManagementView):
    """RFC 7592: a client reads, changes or ends its own registration with the token it was given."""

    def put(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            narrow_request_metadata(request)
        except ValidationError as error:
            return oauth_error_response("invalid_client_metadata", error.message)
        return complete_registration(super().put(request, *args, **kwargs))


class ConsentView(views.AuthorizationView):
    """The consent page. It is always shown: no earlier consent speaks for a later request."""

    template_name = "accounts/consent.html"

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        asked: Any = request.GET.copy()
        asked.pop("approval_prompt", None)
        request.GET = asked
        return super().get(request, *args, **kwargs)

    def validate_authorization_request(self, request: HttpRequest) -> tuple[list[str], dict[str, Any]]:
        scopes, credentials = super().validate_authorization_request(request)
        fault = authorization_fault(credentials.get("code_challenge_method"), request.GET.getlist("resource"))
        if fault := fault or parameter_fault(request.GET):
            error = CustomOAuth2Error(error=fault[0], description=fault[1], state=credentials.get("state"))
            raise OAuthToolkitError(error=error, redirect_uri=credentials["redirect_uri"])
        return scopes, credentials

    def redirect(self, redirect_to: str, application: Any) -> HttpResponse:
        """With the issuer in refusals, too, where the toolkit leaves it out (RFC 9207)."""
        issuer = oauth2_settings.oauth2_authorization_server_issuer(self.request)
        parts = urlsplit(redirect_to)
        query = [(name, value) for name, value in parse_qsl(parts.query, keep_blank_values=True) if name != "iss"]
        said_by = parts._replace(query=urlencode([*query, ("iss", issuer)])).geturl()
        return super().redirect(said_by, application)

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        self.oauth2_data: dict[str, Any] = {}  # of the page's request; the form brings its own
        return super().post(request, *args, **kwargs)

    def form_valid(self, form: Any) -> HttpResponse:
        if not get_application_model().objects.filter(client_id=form.cleaned_data["client_id"]).exists():
            return self._refuse_form("There is no such client.")
        if fault := parameter_fault(form.cleaned_data):
            return self._refuse_form(fault[1])
        if self.request.POST.get("allow") == Scope.READ:
            form.cleaned_data["scope"] = str(Scope.READ)
        return super().form_valid(form)

    def form_invalid(self, form: Any) -> HttpResponse:
        return self._refuse_form("The form is not the one that was shown.")

    def _refuse_form(self, text: str) -> HttpResponse:
        """No page of ours sends this, so nobody is sent anywhere."""
        error = CustomOAuth2Error(error="invalid_request", description=text)
        return self.error_response(FatalClientError(error=error), application=None)

    def render_to_response(self, context: dict[str, Any], **response_kwargs: Any) -> HttpResponse:
        """The answer to the form leads to the client, which the page's policy must allow."""
        target = urlsplit(context.get("redirect_uri") or "")
        context["at"] = now()
        context["redirect_host"] = target.netloc if target.scheme in ("http", "https") else f"the app {target.scheme}"
        response = super().render_to_response(context, **response_kwargs)
        if target.scheme:
            place = f"{target.scheme}://{target.netloc}" if target.scheme in ("http", "https") else f"{target.scheme}:"
            response._csp_update = {"form-action": [place]}
        return response


class TokenEndpointView(views.TokenView):
    """Codes and refresh tokens for access tokens. Refusals are JSON too, and nothing of it is ever kept."""

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """One transaction: what is checked holds until the tokens are made (see accounts.oauth.server)."""
        try:
            with transaction.atomic():
                response = super().post(request, *args, **kwargs)
        except RateLimited as error:
            return oauth_error_response("temporarily_unavailable", error.message, status=429, headers=error.headers)
        if response.status_code in (400, 401):
            end_replayed_code(request.POST.get("code", ""))
            try:
                rates.count_hit(rates.BAD_CREDENTIALS, request.META.get("REMOTE_ADDR", ""))
            except RateLimited as error:
                return oauth_error_response("temporarily_unavailable", error.message, status=429, headers=error.headers)
        response["Content-Type"], response["Cache-Control"] = "application/json", "no-store"
        return response


def narrow_request_metadata(request: HttpRequest) -> None:
    """Put what the client may say of itself in the place of what it said; whose cookie came along is of no account."""
    metadata = read_json(request.body)
    if not isinstance(metadata, dict):
        raise ValidationError("The body must be a JSON object.")
    request.user = AnonymousUser()
    request._body = json.dumps(narrow_grants(metadata)).encode()


def complete_registration(response: HttpResponse) -> HttpResponse:
    """With the members that RFC 7591 wants and the toolkit leaves out."""
    if response.status_code not in (200, 201):
        return response
    metadata = json.loads(response.content)
    metadata |= {
        "grant_types": SUPPORTED_GRANT_TYPES,
        "response_types": SUPPORTED_RESPONSE_TYPES,
        "client_id_issued_at": int(now().timestamp()),
    }
    if "client_secret" in metadata:
        metadata["client_secret_expires_at"] = 0
    return JsonResponse(metadata, status=response.status_code, headers={"Cache-Control": "no-store"})


def oauth_error_response(
    error: str, description: str, *, status: int = 400, headers: dict[str, str] | None = None
) -> JsonResponse:
    return JsonResponse({"error": error, "error_description": description}, status=status, headers=headers)
