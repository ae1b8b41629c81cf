"""Who may look across everything."""

from accounts.access import Access, Only
from accounts.scopes import Scope

HOME = Access(Scope.RUNS_READ, only=Only.PERSON)
SEARCH = Access(Scope.RUNS_READ)
STATUS = Access(Scope.INSTRUMENTS_READ)
METRICS = Access(Scope.INSTRUMENTS_READ)
WHOAMI = Access(None)
INTEGRATIONS = Access(None, only=Only.PERSON, admin=True)
