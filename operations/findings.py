"""One line of what `./ids manage doctor` tells."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    """One line of the table. `remedy` is empty where all is well."""

    subject: str
    state: str
    remedy: str = ""


def build_unknown(subject: str, error: Exception, *, part: str = "database") -> Finding:
    """Where nobody could look."""
    return Finding(subject, f"unknown ({first_line(error)})", f"let the service reach its {part}")


def first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
