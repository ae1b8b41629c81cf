"""Who comes in through the identity provider, and as what (OIDC_ALLOWED_DOMAINS, ADMIN_EMAILS)."""

from dataclasses import dataclass

from django.conf import settings

from accounts.models import User
from wire.errors import Forbidden


@dataclass(frozen=True)
class ProviderIdentity:
    """What the provider says of somebody; `email_verified` as it came, None where it is silent."""

    email: str
    name: str
    email_verified: object

    @property
    def domain(self) -> str:
        return self.email.rpartition("@")[2]


def check_identity(identity: ProviderIdentity, *, is_known: bool) -> None:
    """Raises Forbidden for whom the workspace is not. The domain is asked at every sign-in, also of known people."""
    if not identity.domain:
        raise Forbidden("The identity provider did not tell your e-mail address, and the service knows people by it.")
    allowed = settings.OIDC_ALLOWED_DOMAINS
    if allowed and (identity.domain not in allowed or identity.email_verified is False):
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
    return person
