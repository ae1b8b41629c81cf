"""Which vendors claim a file. allotropy's sniffers are asked, its own choice between several is not: it guesses."""

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from allotropy.named_file_contents import NamedFileContents
from allotropy.parser_factory import _VENDOR_TO_PARSER, Vendor

from processing.readings import MIB, Input

NOT_OURS = {Vendor.EXAMPLE_WEYLAND_YUTANI}
SECONDS = 10.0
MOST_BYTES = 32 * MIB
MOST_WORKBOOK_BYTES = 2 * MIB  # every sniffer opens the workbook again
WORKBOOKS = {"xlsx", "xlsm", "xls"}


class OutOfTime(BaseException):
    """Not an Exception: sniffers swallow those."""


def vendors_claiming(given: Input) -> list[Vendor]:
    """Every vendor whose sniffer says yes; none when they are too slow or the file is too large to ask."""
    extension = given.path.suffix[1:].lower()
    size = given.path.stat().st_size
    if size > (MOST_WORKBOOK_BYTES if extension in WORKBOOKS else MOST_BYTES):
        return []
    try:
        with bounded(SECONDS), given.path.open("rb") as file:
            contents = NamedFileContents(file, given.filename)
            return [vendor for vendor in vendors_of(extension) if claims(vendor, contents)]
    except OutOfTime:
        return []


def vendors_of(extension: str) -> list[Vendor]:
    return [vendor for vendor in Vendor if vendor not in NOT_OURS and extension in vendor.supported_extensions]


def claims(vendor: Vendor, contents: NamedFileContents) -> bool:
    contents.contents.seek(0)
    try:
        return bool(_VENDOR_TO_PARSER[vendor].sniff(contents))
    except Exception:  # a sniffer that breaks claims nothing
        return False


@contextmanager
def bounded(seconds: float) -> Iterator[None]:
    """Raise OutOfTime within when the time is up. Only in the main thread of a process of its own."""
    until = time.monotonic() + seconds

    def out_of_time(_: int, __: FrameType | None) -> None:
        raise OutOfTime

    previous = signal.signal(signal.SIGALRM, out_of_time)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)
    if time.monotonic() > until:
        raise OutOfTime
