"""Who may do what with watchers. Whose token it must be is asked by `ownership`."""

from accounts.access import PUBLIC, Access, Only
from accounts.scopes import Scope

READ = Access(Scope.WATCHERS_READ)
REGISTER = Access(Scope.WATCHERS_REPORT, only=Only.TOKEN)
HEARTBEAT = Access(Scope.WATCHERS_REPORT, only=Only.TOKEN, counts_against_rate=False)
REPORT = Access(Scope.WATCHERS_REPORT)
DEREGISTER = Access(Scope.WATCHERS_ADMIN, admin=True)
CONFIGURE = Access(Scope.WATCHERS_ADMIN, admin=True)
SETTLE_INSTANCE = Access(None, only=Only.PERSON, admin=True)
RELEASES = Access(None, only=Only.PERSON, admin=True)
ENROLMENT_CODES = Access(None, only=Only.PERSON, admin=True, recent_sign_in=True)
ENROLMENT = Access(None, only=Only.PERSON, admin=True)  # how far a computer is that was given a code
ENROL = PUBLIC  # the code is the credential
