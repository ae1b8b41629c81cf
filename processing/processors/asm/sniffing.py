"""Which vendors may have written a file.

allotropy's sniffers are asked, and ours where these ask for too much; its own choice between several is not.
"""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FrameType

from allotropy.named_file_contents import NamedFileContents
from allotropy.parser_factory import _VENDOR_TO_PARSER, Vendor

from processing.processors.asm.own_sniffers import NEEDED_WORDS, OWN_SNIFFERS, Sniffer
from processing.processors.asm.shared_workbook import SniffedWorkbook, shared_workbook
from processing.processors.asm.siblings import settle_siblings
from processing.readings import MIB, Input
from processing.text_encoding import detect_marked_encoding

EXCLUDED_VENDORS = {Vendor.EXAMPLE_WEYLAND_YUTANI}
SNIFFING_CPU_SECONDS = 10.0
MAX_SNIFFED_BYTES = 32 * MIB
HEAD_BYTES = 8192


class OutOfTime(BaseException):
    """Not an Exception: sniffers swallow those."""


@dataclass(frozen=True)
class Claims:
    """The vendors whose sniffers say yes, those that remain when siblings are told apart, and what was not asked."""

    claiming: list[Vendor] = field(default_factory=list)
    remaining: list[Vendor] = field(default_factory=list)
    excuse: str = ""


def find_claims(given: Input) -> Claims:
    """Ask every sniffer of the file's extension; none when the file is too large or they compute too long."""
    extension = given.path.suffix[1:].lower()
    if given.path.stat().st_size > MAX_SNIFFED_BYTES:
        return Claims(excuse=f"No vendor was asked: the file is larger than {MAX_SNIFFED_BYTES // MIB} MiB.")
    vendors = list_vendors_of_extension(extension)
    try:
        with limit_computing(SNIFFING_CPU_SECONDS), shared_workbook(given.path) as workbook:
            claiming = ask_sniffers(vendors, given)
            head = describe_head(given, workbook) if claiming else ""
            claiming = [vendor for vendor in claiming if has_needed_words(vendor, head)]
    except OutOfTime:
        return Claims(excuse=f"Recognition stopped after {SNIFFING_CPU_SECONDS:g} s of computing.")
    return Claims(claiming, settle_siblings(claiming, head=head, extension=extension))


def list_vendors_of_extension(extension: str) -> list[Vendor]:
    return [vendor for vendor in Vendor if vendor not in EXCLUDED_VENDORS and extension in vendor.supported_extensions]


def ask_sniffers(vendors: list[Vendor], given: Input) -> list[Vendor]:
    with given.path.open("rb") as file:
        contents = NamedFileContents(file, given.filename)
        return [vendor for vendor in vendors if claims_file(vendor, contents)]


def claims_file(vendor: Vendor, contents: NamedFileContents) -> bool:
    sniffers = (_VENDOR_TO_PARSER[vendor].sniff, OWN_SNIFFERS.get(vendor))
    return any(says_yes(sniff, contents) for sniff in sniffers if sniff is not None)


def has_needed_words(vendor: Vendor, head: str) -> bool:
    return vendor not in NEEDED_WORDS or NEEDED_WORDS[vendor].search(head) is not None


def says_yes(sniff: Sniffer, contents: NamedFileContents) -> bool:
    contents.contents.seek(0)
    try:
        return bool(sniff(contents))
    except Exception:  # a sniffer that breaks claims nothing
        return False


def describe_head(given: Input, workbook: SniffedWorkbook | None) -> str:
    """The beginning of the file as text, in which siblings have their words."""
    if workbook is not None:
        return workbook.describe()
    with given.path.open("rb") as file:
        head = file.read(HEAD_BYTES)
    return head.decode(detect_marked_encoding(head) or "utf-8", errors="replace")


@contextmanager
def limit_computing(seconds: float) -> Iterator[None]:
    """Raise OutOfTime within after so many seconds of the processor; waiting is free.

    Only in the main thread of a process of its own.
    """

    def out_of_time(_: int, __: FrameType | None) -> None:
        raise OutOfTime

    previous = signal.signal(signal.SIGPROF, out_of_time)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, previous)
