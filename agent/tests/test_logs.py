"""What the log says, and what it never says."""

import json
import logging
from collections.abc import Iterator
from pathlib import Path

import pytest
from rich.console import Console

from instrument_watcher.home import Home
from instrument_watcher.logs import DONE, LOGGER, begin_logging

TOKEN = "ids_0ciatpM1XLFK1H9EbXSJoRvgnDA0gzOIghul0j6RGI"
SIGNED = "https://store/x?X-Amz-Signature=abc123&X-Amz-Date=2026&signature=def456"


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    home = Home(tmp_path / "home")
    home.make()
    yield home
    for handler in logging.getLogger(LOGGER).handlers:
        handler.close()
    logging.getLogger(LOGGER).handlers = []


def test_tokens_and_signatures_stay_out(home: Home):
    begin_logging(home, console=Console(), as_json=False, verbose=0)

    logging.getLogger(LOGGER).info("token %s to %s", TOKEN, SIGNED)

    said = home.log.read_text()
    assert "token [secret] to https://store/x?[secret]&X-Amz-Date=2026&[secret]" in said
    assert TOKEN not in said


def test_json_lines_are_for_scripts(home: Home, capsys: pytest.CaptureFixture[str]):
    begin_logging(home, console=Console(), as_json=True, verbose=0)

    logging.getLogger(LOGGER).warning("Größe %d", 7)

    line = json.loads(capsys.readouterr().out)
    assert (line["level"], line["message"]) == ("warning", "Größe 7")


def test_details_come_with_verbose_only(home: Home):
    begin_logging(home, console=Console(), as_json=False, verbose=0)
    logging.getLogger(LOGGER).debug("quiet")
    begin_logging(home, console=Console(), as_json=False, verbose=1)
    logging.getLogger(LOGGER).debug("loud")

    assert "quiet" not in home.log.read_text()
    assert "loud" in home.log.read_text()


def test_the_level_info_stays_what_it_was(home: Home):
    """Libraries set it by name, and so do other tests of this process."""
    begin_logging(home, console=Console(), as_json=False, verbose=0)

    assert logging.getLevelName("INFO") == logging.INFO
    assert [logging.getLevelName(level) for level in (logging.INFO, DONE)] == ["INFO", "INFO"]
