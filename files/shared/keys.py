"""Keys of objects that files may share: `runs/shared/{two digits}/{nonce}` (docs/interface.md, Object keys).

Such a key stands in the URLs of all files that name it, so it tells nothing of any of them.
"""

import re

from django.db.models import F
from django.db.models.functions import Collate

SHARED_PREFIX = "runs/shared/"
SHARED_KEY = re.compile(rf"{SHARED_PREFIX}[0-9a-f]{{2}}/[0-9a-f]{{32}}")
KEY_IN_BYTE_ORDER = Collate(F("storage_key"), "C")  # as the index of shared keys has them


def build_shared_key(nonce: str) -> str:
    return f"{SHARED_PREFIX}{nonce[:2]}/{nonce}"


def is_shared_key(key: str) -> bool:
    """Whether any number of files may name this key."""
    return SHARED_KEY.fullmatch(key) is not None
