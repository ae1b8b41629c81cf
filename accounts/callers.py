"""Who asks. Every topic function takes a Caller; rows are reached through what it may see."""

from dataclasses import dataclass, field
from functools import lru_cache

from accounts.models import Token, User
from accounts.scopes import Scope
from accounts.sight import sight_of
from wire.audit_context import Principal


@dataclass(frozen=True)
class OAuthClient:
    """The OAuth client through which a person acts."""

    id: str
    name: str


@dataclass(frozen=True)
class Caller:
    """A signed-in person, a person through an OAuth client, or a token under its own name.

    Exactly one of `user` and `token` is set. `instrument_ids` bounds a token to instruments, and a person to those that
    groups let them see; None is all. `managed` are those that a person rules as admins do.
    """

    user: User | None = None
    token: Token | None = None
    scopes: frozenset[Scope] = frozenset()
    instrument_ids: tuple[str, ...] | None = None
    managed: frozenset[str] = frozenset()
    client: OAuthClient | None = field(default=None)
    is_recent: bool = False  # a person who proved who they are a short while ago: accounts.sign_in.recent_sign_in

    @property
    def is_person(self) -> bool:
        return self.user is not None

    @property
    def is_admin(self) -> bool:
        return self.user is not None and self.user.is_admin

    @property
    def name(self) -> str:
        return self.user.name if self.user else self.token.name if self.token else ""

    @property
    def principal(self) -> Principal:
        """Who it was, as the trail names them."""
        acting = self.token or self.user
        myself = Principal("token" if self.token else "person", str(acting.pk) if acting else None, self.name)
        return Principal("client", self.client.id, self.client.name, person=myself) if self.client else myself

    def rules(self, instrument_id: str) -> bool:
        """Whether a person is an admin, or a manager of this instrument."""
        return self.is_admin or instrument_id in self.managed

    def holds(self, scope: Scope) -> bool:
        return scope in self.scopes


ALL_SCOPES = frozenset(Scope)


def caller_for_user(user: User, *, is_recent: bool = False) -> Caller:
    """A session holds every scope."""
    sight = sight_of(user)
    return Caller(
        user=user,
        scopes=ALL_SCOPES,
        instrument_ids=sight.instrument_ids,
        managed=sight.managed,
        is_recent=is_recent,
    )


@lru_cache(1_000)
def _read_scopes(written: tuple[str, ...]) -> frozenset[Scope]:
    return frozenset(Scope(scope) for scope in written if scope in ALL_SCOPES)


def caller_for_token(token: Token) -> Caller:
    """A token holds what it was given; scopes that no longer exist mean nothing."""
    scopes = _read_scopes(tuple(token.scopes))
    bound = None if token.instrument_ids is None else tuple(token.instrument_ids)
    return Caller(token=token, scopes=scopes, instrument_ids=bound)
