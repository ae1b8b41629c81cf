"""What can prove, when it is asked once more, that somebody is who their session says."""

from django.db import models


class ProvenBy(models.TextChoices):
    """`sign_in`: one of the minutes before, as by the identity provider, of people without a password here."""

    PASSWORD = "password", "with the password"
    PASSKEY = "passkey", "with a passkey"
    SIGN_IN = "sign_in", "after a recent sign-in"
