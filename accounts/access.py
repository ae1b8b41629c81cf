"""Access as data: who may perform an operation. REST, MCP and the dashboard all ask here."""

from dataclasses import dataclass
from enum import Enum

from accounts.callers import Caller
from accounts.scopes import Scope
from wire.errors import Forbidden, Unauthorized


class Only(Enum):
    TOKEN = "token"
    PERSON = "person"


@dataclass(frozen=True)
class Access:
    """One policy. The order of its checks is the contract's: kind of caller (401), scope (403), admin role (403)."""

    scope: Scope | None
    only: Only | None = None
    admin: bool = False  # asked of people; a token is bounded by its scopes instead
    counted: bool = True  # against the token's rate

    def check(self, caller: Caller) -> None:
        if self.only is Only.TOKEN and caller.token is None:
            raise Unauthorized("This route accepts API tokens only.")
        if self.only is Only.PERSON and caller.token is not None:
            raise Unauthorized("This route accepts signed-in people only.")
        if self.scope and not caller.holds(self.scope):
            raise Forbidden(f"The token lacks the scope {self.scope}.", scope=str(self.scope))
        if self.admin and caller.is_person and not caller.is_admin:
            raise Forbidden("This needs the admin role.")


@dataclass(frozen=True)
class Public:
    """No credentials needed, said aloud."""

    def check(self, caller: Caller) -> None:
        return None


PUBLIC = Public()
ANY_CALLER = Access(scope=None)
CONNECTIONS = Access(scope=None, only=Only.PERSON)
TOKENS_READ = Access(scope=None, only=Only.PERSON)
TOKENS_MANAGE = Access(scope=None, only=Only.PERSON, admin=True)
USERS_MANAGE = Access(scope=None, only=Only.PERSON, admin=True)
PROFILE = Access(scope=None, only=Only.PERSON)
