"""Who may do what with files."""

from accounts.access import Access, Only
from accounts.scopes import Scope

READ = Access(Scope.FILES_READ)
CREATE = Access(Scope.FILES_CREATE)
CHANGE = Access(Scope.FILES_UPDATE, only=Only.TOKEN)
BRING_BACK = Access(Scope.FILES_READ)  # what one may download, one may ask for
DISMISS = Access(Scope.FILES_DELETE)
REQUEST_UPLOAD = Access(Scope.RUNS_UPLOAD)  # the dashboard's way to ask a watcher for files (manual mode)
UPLOAD = Access(Scope.RUNS_UPLOAD, only=Only.TOKEN)
UPLOAD_BY_HAND = Access(Scope.RUNS_UPLOAD, only=Only.PERSON)  # a page; the routes are for tokens
QUEUE = Access(Scope.WATCHERS_READ)  # of a watcher; whose token it must be is asked there
