"""People, how they are signed in, and the tokens their scripts and instruments use."""

from datetime import datetime, timedelta

from allauth.mfa.models import Authenticator
from django.contrib.auth.models import AbstractBaseUser, BaseUserManager, PermissionsMixin
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.functions import Lower

from accounts.display_names import choose_display_name, initials_of
from accounts.scopes import Scope
from accounts.sign_in.login_code_models import LoginCode as LoginCode
from accounts.trail.rows import audited
from accounts.trail.seal_models import TrailChain as TrailChain
from accounts.trail.seal_models import TrailDetachment as TrailDetachment
from accounts.trail.seal_models import TrailLink as TrailLink
from accounts.trail.seal_models import TrailSealer as TrailSealer
from wire.clock import now
from wire.ids import new_id


class UserManager(BaseUserManager["User"]):
    def create_user(self, email: str, password: str | None = None, **fields: object) -> "User":
        """A person. Without a password only an identity provider can sign them in."""
        user = self.model(email=email.strip().lower(), **fields)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def create_superuser(self, email: str, password: str | None = None, **fields: object) -> "User":
        return self.create_user(email, password, is_admin=True, **fields)

    def get_by_natural_key(self, username: str | None) -> "User":
        return self.get(email=(username or "").lower())


@audited("email", "display_name", "is_admin", "is_active", secret=("password",))
class User(AbstractBaseUser, PermissionsMixin):
    """A person of the workspace. `is_admin` rules the dashboard and the admin site: there is no other notion of it."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    email = models.EmailField(max_length=254, unique=True)
    display_name = models.CharField(max_length=100, blank=True)
    is_admin = models.BooleanField(default=False)
    is_active = models.BooleanField(default=True)
    time_zone = models.CharField(max_length=64, blank=True, default="", db_default="")  # empty: the service's own
    created_at = models.DateTimeField(default=now, editable=False)
    tour_ended_at = models.DateTimeField(null=True, editable=False)  # since then it is not offered

    objects = UserManager()

    USERNAME_FIELD = "email"
    EMAIL_FIELD = "email"

    class Meta:
        constraints = [models.UniqueConstraint(Lower("email"), name="one_user_per_email")]

    def __str__(self) -> str:
        return self.name

    @property
    def is_staff(self) -> bool:
        """What Django's admin site asks."""
        return self.is_admin

    @property
    def is_superuser(self) -> bool:  # type: ignore[override]  # no column: it cannot differ
        return self.is_admin

    @property
    def name(self) -> str:
        return choose_display_name(display_name=self.display_name, email=self.email)

    @property
    def initials(self) -> str:
        return initials_of(self.name)

    def get_full_name(self) -> str:
        return self.name


@audited("user", "type", secret=("data",))
class SecondFactor(Authenticator):
    """An authenticator app, a passkey or the recovery codes of a person, as allauth keeps them, with a trail."""

    class Meta:
        proxy = True


class Session(models.Model):
    """What a browser's cookie stands for. Of the cookie's text only the digest is kept."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    digest = models.CharField(max_length=64, unique=True, editable=False)
    data = models.TextField(editable=False)
    user = models.ForeignKey(User, on_delete=models.CASCADE, null=True, related_name="sessions")
    signed_in_at = models.DateTimeField(null=True)
    last_used_at = models.DateTimeField()
    expires_at = models.DateTimeField(db_index=True)
    address = models.CharField(max_length=45, blank=True)
    user_agent = models.CharField(max_length=300, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(user__isnull=True) | models.Q(signed_in_at__isnull=False),
                name="session_of_a_person_has_a_beginning",
            )
        ]

    def __str__(self) -> str:
        return f"session of {self.last_used_at:%Y-%m-%d %H:%M}"


class SpentCode(models.Model):
    """An authorization code that was redeemed, as its digest, and the tokens that it gave."""

    digest = models.CharField(max_length=64, primary_key=True)
    token_family = models.UUIDField()
    spent_at = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return f"code of {self.spent_at:%Y-%m-%d %H:%M}"


class IdempotentAnswer(models.Model):
    """What was answered to a POST under a key of its caller. The answer is sealed, as it may hold a token."""

    principal = models.CharField(max_length=80)
    key = models.CharField(max_length=64)
    digest = models.CharField(max_length=64)
    status = models.SmallIntegerField(default=0)
    etag = models.CharField(max_length=80, blank=True)
    sealed_body = models.TextField(blank=True)
    sight = ArrayField(models.CharField(max_length=64), null=True)  # the instruments that its caller saw; "*" is all
    created_at = models.DateTimeField(db_index=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["principal", "key"], name="one_answer_per_caller_and_key")]

    def __str__(self) -> str:
        return f"answer of {self.created_at:%Y-%m-%d %H:%M}"


class TokenQuerySet(models.QuerySet["Token"]):
    def active(self) -> "TokenQuerySet":
        """Not revoked; an expired token still shows in lists, so that people see why it stopped working."""
        return self.filter(revoked_at__isnull=True)

    def ending(self, *, within: timedelta, at: datetime) -> "TokenQuerySet":
        """Those that still work and end in that time, the next one first."""
        return self.active().filter(expires_at__gt=at, expires_at__lte=at + within).order_by("expires_at", "id")


@audited("name", "scopes", "instrument_ids", "created_by", "expires_at", "revoked_at")
class Token(models.Model):
    """A personal access token. Only the digest of its text is kept; the row outlives its revocation: names stay."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    digest = models.CharField(max_length=64, unique=True, editable=False)
    prefix = models.CharField(max_length=12, editable=False)
    name = models.CharField(max_length=100)
    scopes = ArrayField(models.CharField(max_length=40, choices=Scope.choices()))
    instrument_ids = ArrayField(models.CharField(max_length=64), null=True, blank=True)
    created_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="tokens")
    created_at = models.DateTimeField(default=now, editable=False)
    expires_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, editable=False)
    revoked_at = models.DateTimeField(null=True, blank=True)

    objects = TokenQuerySet.as_manager()

    class Meta:
        indexes = [models.Index(fields=["created_at", "id"], name="tokens_by_age")]
        constraints = [
            models.CheckConstraint(condition=models.Q(digest__regex=r"^[0-9a-f]{64}$"), name="token_digest_is_sha256"),
            models.CheckConstraint(condition=~models.Q(scopes=[]), name="token_has_scopes"),
            models.CheckConstraint(condition=~models.Q(scopes__contains=["*"]), name="token_has_no_wildcard"),
            models.CheckConstraint(condition=~models.Q(instrument_ids=[]), name="token_is_bound_to_something_or_all"),
            models.CheckConstraint(condition=~models.Q(name=""), name="token_has_a_name"),
        ]

    def __str__(self) -> str:
        return self.name


class FirstLink(models.Model):
    """The one-time link that makes the first admin, as its digest."""

    digest = models.CharField(max_length=64, primary_key=True)
    created_at = models.DateTimeField(default=now)
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"first link of {self.created_at:%Y-%m-%d %H:%M}"


@audited("email", "is_admin", "group_ids", "invited_by", "expires_at", "accepted_at")
class Invitation(models.Model):
    """A one-time link by which somebody joins, as its digest. A newer one for the same address takes its place."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    email = models.EmailField(max_length=254)
    is_admin = models.BooleanField(default=False)
    group_ids = ArrayField(models.UUIDField(), default=list, db_default=[])  # joined with it, where still there
    digest = models.CharField(max_length=64, unique=True)
    invited_by = models.ForeignKey(User, models.PROTECT, related_name="+")
    created_at = models.DateTimeField(default=now)
    expires_at = models.DateTimeField()
    accepted_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["email"], condition=models.Q(accepted_at__isnull=True), name="one_open_invitation_of_an_address"
            )
        ]

    def __str__(self) -> str:
        return f"invitation of {self.email}"


class IntegrationKind(models.TextChoices):
    CHAT = "chat", "Chat"
    TRACKER = "tracker", "Issue tracker"


@audited("base_url", "target", secret=("sealed_secret",))
class Integration(models.Model):
    """A service outside that the workspace is connected to, with how it answered last. The secret is sealed."""

    kind = models.CharField(max_length=7, choices=IntegrationKind, primary_key=True)
    base_url = models.CharField(max_length=500)
    target = models.CharField(max_length=200, blank=True)  # the tracker's repository
    sealed_secret = models.TextField(editable=False)
    changed_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+", db_index=False)
    changed_at = models.DateTimeField(default=now, editable=False)
    last_ok_at = models.DateTimeField(null=True, editable=False)
    last_error_at = models.DateTimeField(null=True, editable=False)
    last_error = models.TextField(blank=True, editable=False)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(kind__in=IntegrationKind.values), name="integration_kind_is_known"
            ),
            models.CheckConstraint(condition=~models.Q(sealed_secret=""), name="integration_has_a_secret"),
            models.CheckConstraint(
                condition=models.Q(kind=IntegrationKind.CHAT) | models.Q(target__regex=r"^[^/\s]+/[^/\s]+$"),
                name="tracker_names_a_repository",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} at {self.base_url}"
