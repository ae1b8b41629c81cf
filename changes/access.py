"""Who may follow what happens, and who decides where it is sent."""

from accounts.access import Access, Only
from accounts.scopes import Scope

FOLLOW = Access(Scope.RUNS_READ)
WEBHOOKS_READ = Access(None, only=Only.PERSON, admin=True)
WEBHOOKS = Access(None, only=Only.PERSON, admin=True, recent_sign_in=True)
