"""Who comes in through the identity provider, and as what (OIDC_ALLOWED_DOMAINS, ADMIN_EMAILS, OIDC_ADMIN_GROUPS)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.conf import settings

from accounts.members import follow_provider
from accounts.models import User
from accounts.signals import groups_claimed
from wire.errors import Forbidden


@dataclass(frozen=True)
class ProviderIdentity:
    """What the provider says of somebody; `email_verified` as it came, None where it is silent, as `groups` is."""

    email: str
    name: str
    email_verified: object
    groups: frozenset[str] | None = None

    @property
    def domain(self) -> str:
        return self.email.rpartition("@")[2]

    @property
    def is_admin(self) -> bool | None:
        """As the groups say; None where they say nothing, or no group makes admins here."""
        if not settings.OIDC_ADMIN_GROUPS or self.groups is None:
            return None
        return not self.groups.isdisjoint(settings.OIDC_ADMIN_GROUPS)


def check_identity(identity: ProviderIdentity, *, is_known: bool) -> None:
    """Raises Forbidden for whom the workspace is not. The domain is asked at every sign-in, also of known people."""
    if not identity.domain:
        raise Forbidden("The identity provider did not tell your e-mail address, and the service knows people by it.")
    allowed = settings.OIDC_ALLOWED_DOMAINS
    if allowed and identity.email_verified is False:
        advice = "Verify it there, then sign in again."
        raise Forbidden(f"The identity provider has not verified that {identity.email} is your address. {advice}")
    if allowed and identity.domain not in allowed:
        raise Forbidden(f"{identity.email} does not belong to this workspace. An admin can say which addresses do.")
    if not is_known and User.objects.filter(email=identity.email).exists():
        advice = "Sign in with it, then connect the two in your profile."
        raise Forbidden(f"{identity.email} has an account with a password here. {advice}")


def provision_user(identity: ProviderIdentity, *, person: User) -> User:
    """The person to be saved. ADMIN_EMAILS counts for addresses that the provider has verified, and only now."""
    person.email, person.display_name = identity.email, identity.name
    person.set_unusable_password()
    if identity.email in settings.ADMIN_EMAILS and identity.email_verified is True:
        person.is_admin = True
    if identity.is_admin is not None:
        person.is_admin = identity.is_admin
    return person


def refresh_role(identity: ProviderIdentity, *, person: User) -> None:
    """At each sign-in: whoever joined or left a group of admins becomes one, or is none any longer."""
    if identity.is_admin is not None and identity.is_admin != person.is_admin:
        follow_provider(user_id=person.pk, is_admin=identity.is_admin)


def announce_groups(identity: ProviderIdentity, *, person: User) -> None:
    """At each sign-in, once the person is saved; a provider that names no groups changes nothing."""
    if identity.groups is not None:
        groups_claimed.send(User, person=person, groups=identity.groups)


def read_groups(claims: Mapping[str, Any]) -> frozenset[str] | None:
    """The groups of somebody in the claim that OIDC_GROUPS_CLAIM names; None where there is no such claim."""
    found = claims.get(settings.OIDC_GROUPS_CLAIM) if settings.OIDC_GROUPS_CLAIM else None
    if isinstance(found, str):
        return frozenset({found})
    return frozenset(str(group) for group in found) if isinstance(found, list) else None
