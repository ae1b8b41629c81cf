"""The codes for which `ids-data login` gets a token, as digests."""

from django.contrib.postgres.fields import ArrayField
from django.db import models


class LoginCode(models.Model):
    """What a person allowed a command in the browser, and the token that came of it. It is good once, and shortly."""

    digest = models.CharField(max_length=64, primary_key=True)
    challenge = models.CharField(max_length=43)  # PKCE S256, of a text that only the command knows
    name = models.CharField(max_length=100)
    scopes = ArrayField(models.CharField(max_length=40))
    instrument_ids = ArrayField(models.CharField(max_length=64), null=True)
    token_expires_at = models.DateTimeField(null=True)
    person = models.ForeignKey("accounts.User", models.CASCADE, related_name="+")
    expires_at = models.DateTimeField(db_index=True)
    used_at = models.DateTimeField(null=True)
    token = models.ForeignKey("accounts.Token", models.CASCADE, null=True, related_name="+", db_index=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["challenge"], name="one_login_code_of_a_challenge"),
            models.CheckConstraint(
                condition=models.Q(token__isnull=True) | models.Q(used_at__isnull=False),
                name="login_code_with_a_token_is_used",
            ),
        ]

    def __str__(self) -> str:
        return f"code for {self.name}"
