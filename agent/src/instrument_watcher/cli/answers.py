"""Checks of what people answer; each raises ValueError with the sentence that they read."""

import re
import unicodedata


def slug_of(name: str) -> str:
    """“Plate reader №1” becomes plate-reader-no1."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:64].strip("-") or "instrument"


def split_patterns(answer: str) -> tuple[str, ...]:
    patterns = tuple(part.strip() for part in answer.split(",") if part.strip())
    if not patterns:
        raise ValueError("Give at least one pattern, such as *.csv")
    return patterns


def named(answer: str) -> str:
    if not answer:
        raise ValueError("Give at least one character.")
    return answer


def slug(answer: str) -> str:
    if not re.fullmatch(r"[a-z0-9-]{1,64}", answer):
        raise ValueError("An id is 1 to 64 of a-z, 0-9 and -")
    return answer


def stability(answer: str) -> float:
    try:
        seconds = float(answer)
    except ValueError:
        seconds = -1
    if not 0 <= seconds <= 86_400:
        raise ValueError("Give seconds, from 0 to 86400.")
    return seconds
