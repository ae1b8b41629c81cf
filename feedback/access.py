from accounts.access import Access, Only

REPORT = Access(None, only=Only.PERSON)
LIST_ALL = Access(None, only=Only.PERSON, admin=True)
