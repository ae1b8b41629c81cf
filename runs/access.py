"""Who may do what with runs."""

from accounts.access import Access, Only
from accounts.scopes import Scope
from instruments.access import READ as READ_INSTRUMENTS

READ = Access(Scope.RUNS_READ)
CREATE = Access(Scope.RUNS_CREATE, only=Only.TOKEN)
CREATE_BY_HAND = Access(Scope.RUNS_CREATE, only=Only.PERSON)  # a page; the route is for tokens
CHANGE = Access(Scope.RUNS_UPDATE, only=Only.TOKEN)
EDIT_METADATA = Access(Scope.RUNS_UPDATE, only=Only.PERSON)  # a page; the route is for tokens
DELETE = Access(Scope.RUNS_DELETE)  # and restore
COMMENT = Access(Scope.RUNS_COMMENT)  # authorship is asked in comments
TAG = Access(Scope.RUNS_UPDATE)
CHANGE_PROJECT = Access(Scope.RUNS_UPDATE)
DELETE_PROJECT = Access(Scope.RUNS_DELETE, admin=True)
HOLD = Access(scope=None, only=Only.PERSON, admin=True)  # and lift
SIGN = Access(scope=None, only=Only.PERSON)  # the password is asked in files.signing; whose it is to revoke, there too
SHARE = Access(Scope.RUNS_SHARE)  # links for outsiders; whose they are is asked in sharing.links
SHARED_LINKS = Access(scope=None, only=Only.PERSON, admin=True)
CLAIM = Access(scope=None, only=Only.PERSON)
VIEWS = Access(scope=None, only=Only.PERSON)  # ownership is asked in saved_views
FILTER_OPTIONS = READ_INSTRUMENTS
