"""Who may do what with watchers. Whose token it must be is asked by `ownership`."""

from accounts.access import Access, Only
from accounts.scopes import Scope

READ = Access(Scope.WATCHERS_READ)
REGISTER = Access(Scope.WATCHERS_REPORT, only=Only.TOKEN)
HEARTBEAT = Access(Scope.WATCHERS_REPORT, only=Only.TOKEN, counted=False)
REPORT = Access(Scope.WATCHERS_REPORT)
DEREGISTER = Access(Scope.WATCHERS_ADMIN, admin=True)
RELEASES = Access(None, only=Only.PERSON, admin=True)
