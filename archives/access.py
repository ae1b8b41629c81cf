from accounts.access import Access, Only
from accounts.scopes import Scope

DOWNLOAD = Access(Scope.FILES_READ)
READ_JOB = Access(Scope.ARCHIVE_JOBS_WRITE)
REPORT_JOB = Access(Scope.ARCHIVE_JOBS_WRITE, only=Only.TOKEN)
