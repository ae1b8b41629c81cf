"""The agent's log: a rotating file in its home, and lines for whoever watches or collects them."""

import json
import logging
import re
import sys
from datetime import datetime
from logging.handlers import RotatingFileHandler

from rich.console import Console
from rich.text import Text

from instrument_watcher.clock import stamp, utc_now
from instrument_watcher.home import Home
from instrument_watcher.terminal.look import signs

LOGGER = "instrument_watcher"
DONE = logging.INFO + 1  # something arrived
FILE_BYTES, FILES_KEPT = 5_000_000, 5
SECRETS = re.compile(r"ids_[0-9A-Za-z]{8,}|(?<=[?&])[^=&\s]*(?:[Ss]ignature|[Tt]oken|[Cc]redential)[^=&\s]*=[^&\s]+")
LINE = "%(asctime)s %(levelname)-7s %(message)s"


class Redaction(logging.Filter):
    """Whatever found its way into a message: tokens and signatures stay out of the log."""

    def filter(self, record: logging.LogRecord) -> bool:
        message = record.getMessage()
        record.msg, record.args = SECRETS.sub("[secret]", message), None
        return True


class JsonLines(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        line = {"time": stamp(utc_now()), "level": record.levelname.lower(), "message": record.getMessage()}
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return json.dumps(line)


def begin_logging(home: Home, *, console: Console, as_json: bool, verbose: int) -> None:
    """Into the file always; to the terminal beautifully, elsewhere as plain lines, or as JSON lines."""
    logging.addLevelName(DONE, "INFO")
    logging.addLevelName(logging.INFO, "INFO")  # last: whoever sets the level INFO means that one
    logger = logging.getLogger(LOGGER)
    logger.setLevel(logging.DEBUG if verbose else logging.INFO)
    logger.propagate = False
    file = RotatingFileHandler(home.log, maxBytes=FILE_BYTES, backupCount=FILES_KEPT, encoding="utf-8", delay=True)
    file.setFormatter(logging.Formatter(LINE))
    logger.handlers = [file]
    if sys.stdout is not None:  # a Windows service has none
        logger.handlers.append(_spoken(console, as_json=as_json))
    for handler in logger.handlers:
        handler.addFilter(Redaction())


def _spoken(console: Console, *, as_json: bool) -> logging.Handler:
    if console.is_terminal and not as_json:
        return TerminalLines(console)
    handler = logging.StreamHandler(sys.stdout)
    handler.setFormatter(JsonLines() if as_json else logging.Formatter(LINE))
    return handler


class TerminalLines(logging.Handler):
    """Time, a sign and the message; the sign says how it went, the colour only helps."""

    def __init__(self, console: Console) -> None:
        super().__init__()
        self._console, look = console, signs(console)
        self._signs = {
            DONE: (look.ok, "ok"),
            logging.WARNING: (look.warn, "warn"),
            logging.ERROR: (look.bad, "bad"),
        }
        self._other = (look.between, "dim")

    def emit(self, record: logging.LogRecord) -> None:
        sign, style = self._signs.get(record.levelno, self._other)
        time = datetime.fromtimestamp(record.created).astimezone()
        loud = style if record.levelno >= logging.WARNING else ""
        text = Text.assemble((f"{time:%H:%M:%S} ", "dim"), (f"{sign} ", style), (record.getMessage(), loud))
        self._console.print(text, soft_wrap=True)
        if record.exc_info:
            self._console.print(Text(logging.Formatter().formatException(record.exc_info), style="dim"))
