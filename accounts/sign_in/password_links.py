"""The one-time link by which a person sets a password that nobody else knows.

Admins make it for members. For an admin only the machine's shell does (`./ids manage password_link`), so that no admin
can become another one.
"""

from uuid import UUID

from allauth.socialaccount.models import SocialAccount
from django.contrib.auth.hashers import make_password
from django.contrib.auth.tokens import PasswordResetTokenGenerator
from django.db import transaction

from accounts.callers import Caller
from accounts.models import Session, User
from accounts.oauth.connections import disconnect_all
from wire.errors import Conflict, Forbidden, NotFound


class PasswordLinkInvalid(NotFound):
    def __init__(self) -> None:
        super().__init__("This link was used, has expired, or its account has changed since.")


class NotForAdmins(Forbidden):
    def __init__(self) -> None:
        super().__init__("An admin's password is set by that admin, or on the machine: ./ids manage password_link.")


class SignsInElsewhere(Conflict):
    def __init__(self, person: User) -> None:
        super().__init__(
            f"{person.name} signs in through the identity provider and has no password here.", user_id=str(person.pk)
        )


class LinkSecrets(PasswordResetTokenGenerator):
    """Django's, which end with the password they replace and after PASSWORD_RESET_TIMEOUT; ours with the role too."""

    key_salt = "accounts.sign_in.password_links"

    def _make_hash_value(self, user: User, timestamp: int) -> str:
        return f"{super()._make_hash_value(user, timestamp)}{user.is_admin}{user.is_active}"


secrets_of_links = LinkSecrets()


def make_password_link(person: User) -> str:
    """The path of a link for this person, whoever they are: for those who rule the machine."""
    return f"/accounts/password/{person.pk}/{secrets_of_links.make_token(person)}/"


def make_member_link(*, user_id: UUID, by: Caller) -> str:
    """The path of a link for a member. Raises NotForAdmins, NotFound, and Conflict for people of the provider."""
    person = User.objects.filter(pk=user_id, is_active=True).first()
    if person is None:
        raise NotFound("There is no such person, or they are switched off.")
    if person.is_admin:
        raise NotForAdmins
    if not person.has_usable_password() and SocialAccount.objects.filter(user=person).exists():
        raise SignsInElsewhere(person)
    return make_password_link(person)


def find_person_of_link(user_id: UUID, secret: str, *, lock: bool = False) -> User:
    """Whose link it is. Raises PasswordLinkInvalid."""
    people = User.objects.select_for_update() if lock else User.objects.all()
    person = people.filter(pk=user_id, is_active=True).first()
    if person is None or not secrets_of_links.check_token(person, secret):
        raise PasswordLinkInvalid
    return person


def use_password_link(user_id: UUID, secret: str, *, password: str) -> None:
    """Set the password; sessions end with the former one, and so does what AI clients hold of the person.

    Of many who use a link at once, one does; the hash is made before anything is locked.
    """
    encoded = make_password(password)
    with transaction.atomic():
        person = find_person_of_link(user_id, secret, lock=True)
        person.password = encoded
        person.save(update_fields=["password"])
        Session.objects.filter(user=person).delete()
        disconnect_all(person.pk)
