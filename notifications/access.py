from accounts.access import Access, Only
from accounts.scopes import Scope

DISPATCH = Access(Scope.NOTIFICATIONS_CREATE, only=Only.TOKEN)
INBOX = Access(None, only=Only.PERSON)
SETTINGS = Access(None, only=Only.PERSON)
