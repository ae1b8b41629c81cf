"""Who may look across everything."""

from accounts.access import Access, Only
from accounts.scopes import Scope
from instruments.access import READ as READ_INSTRUMENTS
from runs.access import READ as READ_RUNS

HOME = Access(Scope.RUNS_READ, only=Only.PERSON)
SEARCH = Access(Scope.RUNS_READ)
STATUS = Access(Scope.INSTRUMENTS_READ)
METRICS = Access(Scope.INSTRUMENTS_READ)
WHOAMI = Access(None)
PROJECT_METADATA = READ_RUNS
RUN_HISTORY = READ_RUNS
INSTRUMENT_HISTORY = READ_INSTRUMENTS
INTEGRATIONS = Access(None, only=Only.PERSON, admin=True, recent_sign_in=True)
STORE = Access(None, only=Only.PERSON, admin=True)  # of all groups: who uses how much, and whether it is sound
