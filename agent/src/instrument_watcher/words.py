"""What people are told of states, in the terminal and on the page; and how grave it is: ok, busy, warn, bad or dim."""

from datetime import datetime

from instrument_watcher.journal.rows import FileState

STATES = {
    FileState.UPLOADED: ("uploaded", "ok"),
    FileState.REPORTED: ("waiting", "busy"),
    FileState.FOUND: ("not reported yet", "busy"),
    FileState.COMPARING: ("compared with what is stored", "busy"),
    FileState.CHANGED: ("changed after upload", "warn"),
    FileState.STOPPED: ("run deleted", "warn"),
    FileState.DISMISSED: ("dismissed", "dim"),
    FileState.REFUSED: ("not taken", "warn"),
    FileState.GONE: ("vanished before upload", "bad"),
}
FOLDERS = {
    "away": "is away",
    "denied": "may not be read",
    "empty_mount": "is empty, and another file system than before",
}


def clock_text(moment: float) -> str:
    """The time of the day in the computer's own zone, of seconds since 1970; with the date where it is not today."""
    at = datetime.fromtimestamp(moment).astimezone()
    return f"{at:%H:%M}" if at.date() == datetime.now().astimezone().date() else f"{at:%Y-%m-%d %H:%M}"
