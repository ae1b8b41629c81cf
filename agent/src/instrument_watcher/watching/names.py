"""Which names the service takes: docs/interface.md of the service, Names and paths of files."""

import regex

MAX_NAME_BYTES = 255
MAX_PATH_BYTES = 1024
MAX_RUN_ID = 255
CONTROLS = regex.compile(r"[\x00-\x1f\x7f-\x9f]")
BIDIRECTIONAL = regex.compile(r"[\u202a-\u202e\u2066-\u2069]")
INVISIBLE = (  # signs that leave no ink: wire/names.py of the service
    r"\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164"
    r"\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
BLANKS = regex.compile(rf"[\s{INVISIBLE}]*")
SURROGATES = regex.compile(r"[\ud800-\udfff]")


def path_fault(path: str) -> str | None:
    """Why the service would not take a file of this relative path, as a sentence, or None."""
    if SURROGATES.search(path):
        return "Its name is not valid Unicode. Rename it."
    if CONTROLS.search(path):
        return "Its name holds control characters. Rename it."
    if BIDIRECTIONAL.search(path):
        return "Its name holds characters that turn the direction of text. Rename it."
    if not path.rpartition("/")[2].strip():
        return "Its name is blank. Rename it."
    if "\\" in path:
        return "Its name holds a backslash. Rename it."
    if len(path.rpartition("/")[2].encode()) > MAX_NAME_BYTES:
        return f"Its name is longer than {MAX_NAME_BYTES} bytes."
    if len(path.encode()) > MAX_PATH_BYTES:
        return f"Its path is longer than {MAX_PATH_BYTES} bytes."
    return None


def run_id_fault(run_id: str) -> str | None:
    """Why this cannot be the id of a run, as a sentence, or None."""
    if BLANKS.fullmatch(run_id):
        return "The run would have an empty name."
    if run_id in (".", ".."):
        return "A run cannot be called . or .."
    if len(run_id) > MAX_RUN_ID:
        return f"The run's name would be longer than {MAX_RUN_ID} characters."
    if "/" in run_id or "\\" in run_id:
        return "A run's name holds no / or \\."
    if CONTROLS.search(run_id) or SURROGATES.search(run_id):
        return "The run's name would hold control characters."
    if BIDIRECTIONAL.search(run_id):
        return "The run's name would hold characters that turn the direction of text."
    return None


def printable(path: str) -> str:
    """A path as it can be stored, sent and shown, whatever bytes it is made of."""
    return CONTROLS.sub(lambda match: f"\\x{ord(match.group()):02x}", path.encode("utf-8", "backslashreplace").decode())
