"""Files of variables, read as systemd reads EnvironmentFile=. Stdlib only: `./ids` needs it before it installs.

What systemd passes over with a line in its journal, or reads differently from version to version, is refused here: a
variable that is missing without a word may start another database than the one that was meant.
"""

import re
from pathlib import Path

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
BLANK = " \t\r"
ESCAPED_IN_QUOTES = '"\\$`'


class EnvFileError(Exception):
    """Says the file, the line and what is wrong there."""


def read_env_file(path: Path) -> dict[str, str]:
    """Raises EnvFileError."""
    try:
        return parse_env(path.read_text())
    except (OSError, UnicodeDecodeError) as error:
        raise EnvFileError(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}.") from None
    except EnvFileError as fault:
        raise EnvFileError(f"{path}, {fault}") from None


def parse_env(text: str) -> dict[str, str]:
    """Of two lines with one name the later counts."""
    found: dict[str, str] = {}
    at = 0
    while at < len(text):
        if text[at] in f"{BLANK}\n":
            at += 1
        elif text[at] in "#;":
            at = _skip_comment(text, at)
        else:
            name, at = _read_name(text, at)
            found[name], at = _read_value(text, at)
    return found


def _skip_comment(text: str, at: int) -> int:
    end = _find_end(text, at)
    if text[at:end].endswith("\\"):
        raise _fault(text, at, "a comment ends with a backslash, which versions of systemd read differently")
    return end


def _read_name(text: str, at: int) -> tuple[str, int]:
    end = _find_end(text, at)
    name, sign, _ = text[at:end].partition("=")
    if not sign or not NAME.fullmatch(name.rstrip(BLANK)):
        raise _fault(text, at, "NAME=value is needed, without `export`")
    return name.rstrip(BLANK), at + len(name) + 1


def _read_value(text: str, at: int) -> tuple[str, int]:
    """Quotes count where a value begins, or right after other quotes; elsewhere they are letters."""
    value = ""
    while at < len(text) and text[at] != "\n":
        if text[at] in BLANK:
            at += 1
        elif text[at] in "'\"":
            quoted, at = _read_quoted(text, at)
            value += quoted
        else:
            plain, at = _read_plain(text, at)
            return value + plain, at
    return value, at


def _read_plain(text: str, at: int) -> tuple[str, int]:
    """To the end of the line; a backslash takes the next character as it is, and joins the next line."""
    value, kept = "", 0
    while at < len(text) and text[at] != "\n":
        if text[at] == "\\":
            value += text[at + 1 : at + 2].replace("\n", "")
            kept = len(value)
            at += 2
            continue
        value += text[at]
        kept = kept if text[at] in BLANK else len(value)
        at += 1
    return value[:kept], at


def _read_quoted(text: str, began: int) -> tuple[str, int]:
    quote, value, at = text[began], "", began + 1
    while at < len(text):
        if text[at] == quote:
            return value, at + 1
        if text[at] == "\\" and quote == '"':
            value += _unescape(text[at + 1 : at + 2])
            at += 2
            continue
        value += text[at]
        at += 1
    raise _fault(text, began, f"the quote {quote} is never closed")


def _unescape(following: str) -> str:
    """Of a backslash within double quotes."""
    if following == "\n":
        return ""
    return following if following in ESCAPED_IN_QUOTES else f"\\{following}"


def _find_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end


def _fault(text: str, at: int, what: str) -> EnvFileError:
    return EnvFileError(f"line {text.count(chr(10), 0, at) + 1}: {what}.")
