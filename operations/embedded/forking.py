"""Children that begin as copies of this process and share with it the code that it has loaded."""

import atexit
import gc
import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from multiprocessing import get_context
from multiprocessing.context import ForkProcess
from pathlib import Path

from operations.embedded.processes import PR_SET_NAME, die_with, note_session, rotate_log
from wire.kernel import call_libc

FIRST_FILE = 3  # after stdin, stdout and stderr
ALIGNMENT, LARGEST_SMALL_OBJECT, POOL_BYTES, POOL_HEADER = 16, 512, 16_384, 48  # of CPython's obmalloc.c
EMPTY_BYTES, SMALLEST_INTEGER = 33, 1_000  # the size of `b""`, and a number that is no constant of CPython
BEGINNING = 4  # objects that show a new pool
MOST_BALLAST = 2**20  # bytes of each size
_BALLAST: list[object] = []
FORKING = get_context("fork")


class ForkedChild:
    """What a Popen tells of a child, of one that was forked."""

    def __init__(self, process: ForkProcess) -> None:
        self._process = process
        self.pid = process.pid or 0

    @property
    def returncode(self) -> int | None:
        """Negative: the signal that ended it."""
        return self._process.exitcode

    def poll(self) -> int | None:
        return self._process.exitcode


def share_loaded_code() -> None:
    """Call once everything is loaded: the collector writes into each object that it looks at, which copies its page."""
    gc.collect()
    _BALLAST.extend(fill_started_pages())
    gc.freeze()


def fill_started_pages() -> Iterator[object]:
    """Objects for all room between those that are there, in each of the sizes that CPython allocates together.

    What a child makes then lies in pages of its own, close together, instead of in one of ours each: those are copied
    whole. Full is a size whose next objects begin a pool, one beside the other. Where a Python lays them out otherwise,
    a bound ends it.
    """
    for size in range(2 * ALIGNMENT, LARGEST_SMALL_OBJECT + 1, ALIGNMENT):
        beginning, last = 0, 0
        for number in range(MOST_BALLAST // size):
            item = bytes(size - EMPTY_BYTES) if size > EMPTY_BYTES else SMALLEST_INTEGER + number
            yield item
            follows = beginning and id(item) == last + size
            beginning, last = beginning + 1 if follows else id(item) % POOL_BYTES == POOL_HEADER, id(item)
            if beginning == BEGINNING:
                break


def fork_module(arguments: Sequence[str], *, name: str, log: Path, inherit: Sequence[int] = ()) -> ForkedChild:
    """Run `main` of `python -m MODULE …` in a copy of ourselves, in a session of its own, writing to `log`.

    `arguments` are the module's name and its arguments, `inherit` the descriptors it keeps. Call from the main thread,
    before there are others.
    """
    rotate_log(log)
    main = _find_main(arguments[0])
    process = FORKING.Process(target=_run_main, args=(main, arguments, name, log, inherit, os.getpid()))
    process.start()
    child = ForkedChild(process)
    note_session(log, child.pid)
    return child


def _find_main(module: str) -> Callable[[], None]:
    """Loaded here, so that each copy has it: a module run anew would fill pages of each."""
    found = import_module(module)
    main: Callable[[], None] = (import_module(f"{module}.__main__") if hasattr(found, "__path__") else found).main
    return main


def _run_main(
    main: Callable[[], None], arguments: Sequence[str], name: str, log: Path, inherit: Sequence[int], parent: int
) -> None:
    os.setsid()
    _forget_signals()
    die_with(parent, signal.SIGTERM)
    call_libc("prctl", PR_SET_NAME, name.encode(), 0, 0, 0)
    _open_files(log, inherit)
    sys.argv = list(arguments)
    gc.enable()
    try:
        main()
    finally:
        atexit._run_exitfuncs()  # traces that wait to be sent: multiprocessing leaves this to its parent


def _forget_signals() -> None:
    """As exec does it: handlers go, what is ignored stays ignored."""
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        if callable(signal.getsignal(number)):
            signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)


def _open_files(log: Path, inherit: Sequence[int]) -> None:
    """Nothing of ours but what is inherited; the log is all it can write to."""
    for descriptor in [int(entry.name) for entry in Path("/proc/self/fd").iterdir()]:
        if descriptor >= FIRST_FILE and descriptor not in inherit:
            _close(descriptor)
    empty = os.open(os.devnull, os.O_RDONLY)
    output = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
    for descriptor, file in ((0, empty), (1, output), (2, output)):
        os.dup2(file, descriptor)
    os.close(empty)
    os.close(output)
    sys.stdin = os.fdopen(0, closefd=False)  # multiprocessing opened one of its own, which is closed by now


def _close(descriptor: int) -> None:
    try:
        os.close(descriptor)
    except OSError:  # the one that listed them
        return
