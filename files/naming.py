"""What files may be called, and the order in which people expect them."""

import re
import unicodedata

from wire import names

MAX_NAME_BYTES = 255
MAX_PATH_BYTES = 1024
DIGITS = re.compile(r"[0-9]+")
DRIVE_LETTER = re.compile(r"[A-Za-z]:")
NONE = rf"/\\{names.NO_NAME_SIGN}"
SIGN = rf"[^{NONE}]"
DOTTED = rf"\.[^.{NONE}]{SIGN}*|\.\.{SIGN}+"  # neither . nor ..
SEGMENT = rf"([^.{NONE}]{SIGN}*|{DOTTED})"
FIRST_SEGMENT = rf"([^A-Za-z.{NONE}]{SIGN}*|[A-Za-z]([^:{NONE}]{SIGN}*)?|{DOTTED})"
NAME_PATTERN = f"^{SEGMENT}$"  # what name_fault and path_fault refuse, as far as a pattern can say it
PATH_PATTERN = f"^{FIRST_SEGMENT}(/{SEGMENT})*$"


def name_fault(filename: str) -> str | None:
    """What is wrong with a file name, as a sentence, or None."""
    if "/" in filename or "\\" in filename:
        return "A file name has no separators."
    if len(filename.encode()) > MAX_NAME_BYTES:
        return f"A file name has at most {MAX_NAME_BYTES} bytes."
    if filename in (".", ".."):
        return "This is no file name."
    return "A name has more than blanks." if not filename.strip() else names.direction_fault(filename)


def path_fault(relative_path: str, *, filename: str) -> str | None:
    """What is wrong with the place of a file within its run, as a sentence, or None."""
    segments = relative_path.split("/")
    if len(relative_path.encode()) > MAX_PATH_BYTES:
        return f"A relative path has at most {MAX_PATH_BYTES} bytes."
    if "\\" in relative_path:
        return "Folders are separated by /."
    if relative_path.startswith("/") or DRIVE_LETTER.match(relative_path):
        return "A relative path begins with neither / nor a drive letter."
    if any(segment in ("", ".", "..") for segment in segments):
        return "A relative path has no empty, . or .. segments."
    if segments[-1] != filename:
        return "The last segment must equal filename."
    return names.direction_fault(relative_path)


def version_path(relative_path: str, number: int) -> str | None:
    """`a/scan.raw` as `a/scan~2.raw`; a name that is too long loses characters before the number.

    None where the path has no room for it.
    """
    folder, slash, filename = relative_path.rpartition("/")
    room = min(MAX_NAME_BYTES, MAX_PATH_BYTES - len((folder + slash).encode()))
    stem, ending = _split_ending(filename)
    for end in (f"~{number}{ending}", f"~{number}"):
        kept = stem.encode()[: max(0, room - len(end.encode()))].decode(errors="ignore")
        if kept:
            return f"{folder}{slash}{kept}{end}"
    return None


def _split_ending(filename: str) -> tuple[str, str]:
    """`scan.raw` as `scan` and `.raw`; a dot at the beginning begins no ending."""
    stem, dot, ending = filename.rpartition(".")
    return (stem, dot + ending) if stem.strip(".") else (filename, "")


def natural_key(filename: str) -> str:
    """Sorts by bytes as people sort by eye: casefolded, each run of ASCII digits led by its length.

    A run of more than 999 digits cannot occur: a name has at most 255 bytes.
    """
    return DIGITS.sub(_pad_digits, filename.casefold())


def normalize_nfc(text: str) -> str:
    """The NFC form, in which searches compare names."""
    return unicodedata.normalize("NFC", text)


def _pad_digits(match: re.Match[str]) -> str:
    digits = match.group().lstrip("0")
    return f"{len(digits):03d}{digits}"
