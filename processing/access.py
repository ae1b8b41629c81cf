"""Who may have files read again."""

from accounts.access import Access, Only
from accounts.scopes import Scope

REPROCESS_FILE = Access(Scope.FILES_REPROCESS)
REPROCESS_RUN = Access(Scope.RUNS_REPROCESS)
READ_AGAIN = Access(None, only=Only.PERSON, admin=True)
