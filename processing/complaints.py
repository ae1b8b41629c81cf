"""What libraries log of a file instead of refusing it: tags left out, pages that lead nowhere."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager


class Gatherer(logging.Handler):
    def __init__(self) -> None:
        super().__init__(level=logging.ERROR)
        self.said: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.said.append(record.getMessage())


@contextmanager
def gather_complaints(name: str) -> Iterator[list[str]]:
    """The errors that the logger of that name is given meanwhile; its warnings are often about habits of programs."""
    logger, gatherer = logging.getLogger(name), Gatherer()
    logger.addHandler(gatherer)
    try:
        yield gatherer.said
    finally:
        logger.removeHandler(gatherer)
