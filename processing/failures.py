"""Why a file could not be read, in sentences for the person who looks at it."""

import re
import signal
from pathlib import PurePosixPath

from processing.readings import GIB, MIB, InstrumentType
from processing.recognition.unread_formats import find_unread_format

MAX_SENTENCE_CHARACTERS = 500
STRUCTURAL_ERRORS = (AttributeError, TypeError, IndexError, AssertionError, RecursionError, NotImplementedError)
BYTES_LITERAL = re.compile(r"[:,]?\s*\bb(['\"]).*?\\x.*", re.DOTALL)  # a piece of the file itself, as Python writes it
ABSOLUTE_PATH = re.compile(r"(?<![\w.:/])(?:[A-Za-z]:)?/(?:[^\s'\":,;<>|]+/)+(?=[^\s'\":,;<>|/])")
TRACEBACK_FRAME = re.compile(r'(Traceback \(most recent call last\).*|File ".*?", line \d+.*)', re.DOTALL)


class ReadingFailed(Exception):
    """The text is for people. `detail` is for the log: the exception, the last lines of its traceback, the output."""

    def __init__(self, sentence: str, *, detail: str = "") -> None:
        super().__init__(clean_sentence(sentence))
        self.detail = "".join(c if c.isprintable() or c in "\n\t" else "\N{REPLACEMENT CHARACTER}" for c in detail)

    @property
    def sentence(self) -> str:
        return str(self)


class NotRecognised(ReadingFailed):
    """No reader knows the kind of this file; that is no failure of the file."""


class ReaderLost(ReadingFailed):
    """The process that read the file went away for reasons of its own: worth another attempt."""

    def __init__(self, *, detail: str = "") -> None:
        super().__init__("The worker stopped while reading this file.", detail=detail)


class ReaderDelayed(ReadingFailed):
    """The time on the clock ran out before that of the processor, which others were using: worth another attempt."""


def describe_unknown_file(filename: str, head: bytes = b"") -> str:
    """Why a file stays uploaded, and what would read it."""
    known = find_unread_format(filename, head)
    if known is not None:
        return f"This is {known.title}, which is kept and not read. {known.remedy}"
    extension = PurePosixPath(filename).suffix
    kind = f"files that end in {extension}" if extension else "files without an extension"
    return f"No reader knows {kind}. A plug-in for them, or the instrument's type, would have it read."


def describe_unreadable(kind: InstrumentType, message: str) -> str:
    return f"{kind.title} could not read this file: {message}"


def describe_damaged(kind: InstrumentType, message: str) -> str:
    return f"{kind.title} could not read this file (damaged or another format): {message}"


def describe_timeout(kind: InstrumentType) -> str:
    return f"Reading stopped after {kind.limits.seconds} s."


def describe_cpu_limit(kind: InstrumentType) -> str:
    return f"Reading stopped after {kind.limits.cpu_seconds} s of computing."


def describe_memory_limit(kind: InstrumentType) -> str:
    return f"Reading this file needs more memory than {kind.limits.memory_bytes / GIB:g} GiB."


def describe_space_limit(kind: InstrumentType) -> str:
    return f"{kind.title} wrote more while reading this file than a reader may."


def describe_size_limit(kind: InstrumentType, filename: str, size_bytes: int) -> str:
    """32 MiB is the most this type reads; the file has 41 MiB."""
    most = kind.most_bytes(filename)
    size = f"{size_bytes / MIB:.0f} MiB" if size_bytes >= most + MIB else f"{size_bytes:,} bytes"
    return f"{most // MIB} MiB is the most this type reads; the file has {size}."


def describe_crash(kind: InstrumentType, exit_code: int) -> str:
    if exit_code == -signal.SIGXCPU:
        return describe_cpu_limit(kind)
    limit = f"{kind.limits.memory_bytes / GIB:g} GiB"
    return f"{kind.title} broke down over this file; it may be damaged, or need more memory than {limit}."


def describe_invalid_output(kind: InstrumentType, message: str) -> str:
    return f"{kind.title} gave an answer that cannot be kept: {message}"


def explain_error(error: BaseException) -> str:
    """An exception that was not written for people, as far as it can be said to them."""
    if isinstance(error, STRUCTURAL_ERRORS) or not str(error).strip():
        return "its structure is not what this reader expects."
    if isinstance(error, KeyError):
        return f"{error.args[0]!s} is missing."
    if isinstance(error, UnicodeError):
        return "it is not text, or in an unknown encoding."
    return str(error)


def clean_sentence(text: str) -> str:
    """One line, no paths of this machine, no traceback, no control characters, at most 500 characters."""
    text = BYTES_LITERAL.sub("", TRACEBACK_FRAME.sub("", text))
    text = ABSOLUTE_PATH.sub("", text)
    text = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    if text and text[-1] not in ".!?…":
        text += "."
    return text if len(text) <= MAX_SENTENCE_CHARACTERS else text[: MAX_SENTENCE_CHARACTERS - 1].rstrip() + "…"
