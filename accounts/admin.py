"""People and tokens, for maintainers."""

from typing import Any

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount, SocialApp, SocialToken
from django.contrib import admin
from django.contrib.auth.models import Group
from django.db import models
from django.db.models import QuerySet
from django.http import HttpRequest
from oauth2_provider.models import (
    get_access_token_model,
    get_application_model,
    get_grant_model,
    get_id_token_model,
    get_refresh_token_model,
)

from accounts.authentication import caller_of_page
from accounts.members import set_person_active
from accounts.models import (
    FirstLink,
    IdempotentAnswer,
    Integration,
    Invitation,
    LoginCode,
    SecondFactor,
    Session,
    SpentCode,
    Token,
    TrailChain,
    TrailDetachment,
    TrailLink,
    TrailSealer,
    User,
)
from accounts.tokens import revoke_token
from wire.admin import ReadOnlyAdmin, ServiceAdmin
from wire.clock import now
from wire.errors import ServiceError
from wire.form_fields import NameField

admin.site.site_header = admin.site.site_title = "Instrument Data, maintenance"
admin.site.index_title = "Everything the service keeps"
admin.site.site_url = "/"
admin.site.unregister(
    [SocialApp, SocialToken, Group, Authenticator]
)  # set by the environment; not kept; not used; below

FOREIGN = (  # model, columns that are shown; of the others some open doors
    (EmailAddress, ("user", "email", "verified", "primary")),
    (SocialAccount, ("user", "provider", "uid", "last_login", "date_joined")),
    (get_application_model(), ("name", "client_id", "user", "redirect_uris", "created", "updated")),
    (get_grant_model(), ("application", "user", "scope", "expires", "created")),
    (get_access_token_model(), ("application", "user", "scope", "expires", "created")),
    (get_refresh_token_model(), ("application", "user", "created", "revoked")),
    (get_id_token_model(), ("application", "user", "scope", "expires", "created")),
)
admin.site.unregister([model for model, _ in FOREIGN])


class ForeignAdmin(ReadOnlyAdmin):
    """Rows of the libraries: whoever could write them would sign in as somebody else. They can be taken away."""

    ordering = ("-pk",)
    list_select_related = True

    def __init__(self, model: Any, admin_site: Any) -> None:
        super().__init__(model, admin_site)
        self.list_display = next(shown for known, shown in FOREIGN if known is model)

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return self.list_display

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return self.list_display

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return True


admin.site.register([model for model, _ in FOREIGN], ForeignAdmin)


@admin.register(User)
class PersonAdmin(ServiceAdmin):
    """Roles, links to set a password and second factors are under Settings, Members; no password is set here."""

    list_display = ("email", "display_name", "is_admin", "is_active", "last_login", "created_at")
    list_filter = ("is_admin", "is_active")
    search_fields = ("email", "display_name")
    ordering = ("email",)
    readonly_fields = ("id", "email", "is_admin", "is_active", "last_login", "created_at")
    fieldsets = (
        (None, {"fields": ("id", "email", "display_name")}),
        ("Rights", {"fields": ("is_admin", "is_active")}),
        ("Times", {"fields": ("created_at", "last_login")}),
    )
    add_fieldsets = ((None, {"fields": ("email", "display_name")}),)
    actions = ("switch_off", "switch_on")
    formfield_overrides = {models.CharField: {"form_class": NameField}}

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        return self.fieldsets if obj else self.add_fieldsets

    def save_model(self, request: HttpRequest, obj: User, form: Any, change: bool) -> None:
        """Who is added has no password until they choose one."""
        if not change:
            obj.email = obj.email.lower()
            obj.set_unusable_password()
        super().save_model(request, obj, form, change)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """A new person's address can be typed."""
        return self.readonly_fields if obj else ()

    @admin.action(description="Switch off: no sign-in, open sessions end")
    def switch_off(self, request: HttpRequest, chosen: QuerySet[User]) -> None:
        self._switch(request, chosen, is_active=False)

    @admin.action(description="Switch on again")
    def switch_on(self, request: HttpRequest, chosen: QuerySet[User]) -> None:
        self._switch(request, chosen, is_active=True)

    def _switch(self, request: HttpRequest, chosen: QuerySet[User], *, is_active: bool) -> None:
        by = caller_of_page(request)
        try:
            for person in chosen:
                set_person_active(user_id=person.pk, is_active=is_active, by=by)
        except ServiceError as refused:
            self.message_user(request, refused.message, level="ERROR")
        else:
            self.message_user(request, f"Done: {len(chosen)}.")


@admin.register(Token)
class TokenAdmin(ReadOnlyAdmin):
    """Tokens are made in the dashboard, where their text is shown once."""

    list_display = ("name", "prefix", "created_by", "last_used_at", "expires_at", "revoked_at")
    list_filter = (("revoked_at", admin.EmptyFieldListFilter), ("expires_at", admin.EmptyFieldListFilter))
    list_select_related = ("created_by",)
    search_fields = ("name", "prefix", "created_by__email")
    ordering = ("-created_at", "-id")
    date_hierarchy = "created_at"
    fields = (
        *("id", "name", "prefix", "scopes", "instrument_ids", "created_by", "created_at", "expires_at"),
        *("last_used_at", "revoked_at"),
    )
    actions = ("revoke",)

    @admin.action(description="Revoke: refused from the next call on")
    def revoke(self, request: HttpRequest, chosen: QuerySet[Token]) -> None:
        at, by = now(), caller_of_page(request)
        active = list(chosen.filter(revoked_at__isnull=True))
        for token in active:
            revoke_token(token_id=token.pk, by=by, at=at)
        self.message_user(request, f"Revoked: {len(active)}.")


@admin.register(FirstLink)
class FirstLinkAdmin(ReadOnlyAdmin):
    list_display = ("created_at", "expires_at", "used_at")
    fields = ("created_at", "expires_at", "used_at")
    ordering = ("-created_at",)


@admin.register(Invitation)
class InvitationAdmin(ReadOnlyAdmin):
    """Made in the dashboard, under Settings, Members, where the link is shown once."""

    list_display = ("email", "is_admin", "invited_by", "created_at", "expires_at", "accepted_at")
    list_filter = ("is_admin", ("accepted_at", admin.EmptyFieldListFilter))
    list_select_related = ("invited_by",)
    search_fields = ("email", "invited_by__email")
    fields = ("id", "email", "is_admin", "invited_by", "created_at", "expires_at", "accepted_at")
    ordering = ("-created_at", "-id")


@admin.register(Integration)
class IntegrationAdmin(ReadOnlyAdmin):
    """Services are connected in the dashboard, under Settings, Integrations."""

    list_display = ("kind", "base_url", "target", "changed_by", "changed_at", "last_ok_at", "last_error_at")
    list_select_related = ("changed_by",)
    fields = (*("kind", "base_url", "target", "changed_by", "changed_at", "last_ok_at", "last_error_at", "last_error"),)
    ordering = ("kind",)


@admin.register(SecondFactor)
class SecondFactorAdmin(ReadOnlyAdmin):
    """Set by their person; taken away under Settings, Members."""

    list_display = ("user", "type", "created_at", "last_used_at")
    list_select_related = ("user",)
    search_fields = ("user__email",)
    fields = ("user", "type", "created_at", "last_used_at")
    ordering = ("user", "type")


@admin.register(Session)
class SessionAdmin(ReadOnlyAdmin):
    """Ended by their person, in Settings."""

    list_display = ("user", "signed_in_at", "last_used_at", "expires_at", "address")
    list_select_related = ("user",)
    search_fields = ("user__email", "address")
    fields = ("user", "signed_in_at", "last_used_at", "expires_at", "address", "user_agent")
    ordering = ("-last_used_at",)


@admin.register(IdempotentAnswer)
class IdempotentAnswerAdmin(ReadOnlyAdmin):
    list_display = ("created_at", "principal", "key", "status")
    fields = ("created_at", "principal", "key", "status", "etag")
    ordering = ("-created_at",)


@admin.register(SpentCode)
class SpentCodeAdmin(ReadOnlyAdmin):
    list_display = ("spent_at", "token_family")
    fields = ("spent_at", "token_family")
    ordering = ("-spent_at",)


@admin.register(LoginCode)
class LoginCodeAdmin(ReadOnlyAdmin):
    """Made where `ids-data login` is allowed; the token that came of one is among the tokens."""

    list_display = ("name", "person", "expires_at", "used_at", "token")
    list_select_related = ("person", "token")
    search_fields = ("name", "person__email")
    fields = ("name", "scopes", "instrument_ids", "person", "expires_at", "used_at", "token", "token_expires_at")
    ordering = ("-expires_at",)


@admin.register(TrailChain)
class TrailChainAdmin(ReadOnlyAdmin):
    list_display = ("day", "kind", "rows_count", "last_id", "head")
    fields = ("day", "kind", "rows_count", "first_id", "last_id", "head")
    ordering = ("-day", "kind")

    @admin.display(description="Head")
    def head(self, chain: TrailChain) -> str:
        return bytes(chain.sha256).hex()


admin.site.register(TrailLink, ReadOnlyAdmin, fields=("row_id", "kind"), ordering=("-row_id",))
admin.site.register(TrailDetachment, ReadOnlyAdmin, exclude=("file_sha256",), ordering=("-detached_at",))
admin.site.register(TrailSealer, ReadOnlyAdmin)
