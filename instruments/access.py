"""Who may do what with instruments."""

from accounts.access import Access, Only
from accounts.scopes import Scope

READ = Access(Scope.INSTRUMENTS_READ)
CREATE = Access(Scope.INSTRUMENTS_CREATE, only=Only.TOKEN)
CREATE_BY_HAND = Access(Scope.INSTRUMENTS_CREATE, only=Only.PERSON, admin=True)  # a page; the route is for tokens
CHANGE = Access(Scope.INSTRUMENTS_WRITE, admin=True, or_manager=True)
GROUPS = Access(None, only=Only.PERSON, admin=True, or_manager=True)
NEW_GROUP = Access(None, only=Only.PERSON, admin=True)
