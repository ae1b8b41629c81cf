"""Access as data: who may perform an operation. REST, MCP and the dashboard all ask here."""

from dataclasses import dataclass
from enum import Enum

from accounts.callers import Caller
from accounts.scopes import Scope
from accounts.sign_in.recent_sign_in import SignInTooOld
from wire.errors import Forbidden, Unauthorized


class Only(Enum):
    TOKEN = "token"
    PERSON = "person"


@dataclass(frozen=True)
class Access:
    """One policy. Its checks come in the order of docs/interface.md: kind of caller (401), scope (403), admin (403)."""

    scope: Scope | None
    only: Only | None = None
    admin: bool = False  # asked of people; a token is bounded by its scopes instead
    or_manager: bool = (
        False  # of people who are no admins too, who manage an instrument; which, the topic function asks
    )
    counts_against_rate: bool = True  # against the token's rate
    recent_sign_in: bool = False  # asked of people who change something

    def check(self, caller: Caller) -> None:
        if self.only is Only.TOKEN and caller.token is None:
            raise Unauthorized("This route accepts API tokens only.")
        if self.only is Only.PERSON and caller.token is not None:
            raise Unauthorized("This route accepts signed-in people only.")
        if self.scope and not caller.holds(self.scope):
            raise Forbidden(f"The token lacks the scope {self.scope}.", scope=str(self.scope))
        is_enough = caller.is_admin or (self.or_manager and bool(caller.managed))
        if self.admin and caller.is_person and not is_enough:
            raise Forbidden("This needs the admin role.")

    def check_recent(self, caller: Caller) -> None:
        """Asked before a change, after all else. Raises SignInTooOld."""
        if self.recent_sign_in and caller.is_person and not caller.is_recent:
            raise SignInTooOld


@dataclass(frozen=True)
class Public:
    """No credentials needed, said aloud."""

    def check(self, caller: Caller) -> None:
        return None


@dataclass(frozen=True)
class Maintainers:
    """The admin site judges by itself: admins, of whom it also asks what each model allows."""


class AccessUndeclared(Forbidden):
    """A fault of ours: a route that does not say who may use it. So nobody may."""

    def __init__(self) -> None:
        super().__init__("Nobody may use this: it does not say who may.")


PUBLIC = Public()
MAINTAINERS = Maintainers()
ANY_CALLER = Access(scope=None)
CONNECTIONS = Access(scope=None, only=Only.PERSON)
TOKENS_READ = Access(scope=None, only=Only.PERSON)
TOKENS_CREATE = Access(scope=None, only=Only.PERSON, admin=True, recent_sign_in=True)
TOKENS_MANAGE = Access(scope=None, only=Only.PERSON, admin=True)
TOKENS_EXCHANGE = PUBLIC  # the code is the credential
TOKEN_ASKED_FOR = Access(scope=None, only=Only.PERSON)  # the page also tells those who may make none
USERS_MANAGE = Access(scope=None, only=Only.PERSON, admin=True, recent_sign_in=True)
PROFILE = Access(scope=None, only=Only.PERSON)
SECOND_FACTOR = Access(scope=None, only=Only.PERSON, recent_sign_in=True)
