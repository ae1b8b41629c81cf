"""What every process of the service asks before it begins. It has no models, so that it can be imported at any time."""

import gc
from collections.abc import Iterable
from functools import cache

from django.core.checks import run_checks, tag_exists
from django.core.exceptions import ImproperlyConfigured

ACCESS = "access"


class UndeclaredAccess(ImproperlyConfigured):
    """Something would answer without saying whom; the message names it, in one line."""


def require_declared_access() -> None:
    """Raises UndeclaredAccess. Django runs its system checks in some commands only; servers and workers ask here."""
    if not tag_exists(ACCESS):
        raise UndeclaredAccess("The check of who may use what is not installed.")
    refuse_faults(fault.msg for fault in run_checks(tags=[ACCESS]))


@cache
def require_declared_access_once() -> None:
    """A process that begins as a copy of one that asked need not ask again."""
    require_declared_access()


def refuse_faults(faults: Iterable[str]) -> None:
    """Raises UndeclaredAccess where there are any."""
    if found := list(faults):
        raise UndeclaredAccess(" ".join(found))


def exempt_loaded_code() -> None:
    """Call once everything is loaded: what is there stays, and the collector need not look at it again.

    It looks through everything once a quarter as much is new: of a million loaded objects that is 10 MB that requests
    left behind. The second look tells it how little there is now.
    """
    gc.collect()
    gc.freeze()
    gc.collect()
