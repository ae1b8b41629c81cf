"""Who may say for how long bytes are kept."""

from accounts.access import Access, Only

RETENTION = Access(scope=None, only=Only.PERSON, admin=True)
