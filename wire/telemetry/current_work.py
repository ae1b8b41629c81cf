"""What a thread is at work on: the route of a request, or the name of a task. Told beside what went slowly."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_current: ContextVar[Callable[[], str] | None] = ContextVar("current_work", default=None)


@contextmanager
def working_on(route: Callable[[], str]) -> Iterator[None]:
    """`route` is asked as late as can be: a request begins before its route is known. Names of ours."""
    before = _current.set(route)
    try:
        yield
    finally:
        _current.reset(before)


def current_route() -> str:
    """Empty where nothing is known: a command, a thread of its own."""
    route = _current.get()
    return route() if route else ""
