"""Names of files are shown as they are, and are never anything but text."""

import sys
from html.parser import HTMLParser
from xml.etree.ElementTree import tostring

import pytest

from agent.tests.lab import Lab, wait_until
from agent.tests.visitor import let_in, page_address
from instrument_watcher.journal.files import Found
from instrument_watcher.journal.journal import Journal
from instrument_watcher.journal.rows import Sighting
from instrument_watcher.local_page.log_tail import LogLine, tail
from instrument_watcher.local_page.markup import element, name


class Reader(HTMLParser):
    """What a browser makes of it."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, list[tuple[str, str | None]]]] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, attrs))

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.mark.parametrize("text", ["<script>alert(1)</script>", 'a" onload="x', "&lt;b&gt;", "</bdi><img src=x>"])
def test_a_name_is_text_whatever_it_holds(text: str):
    reader = Reader()
    reader.feed(tostring(element("p", name(text), title=text), encoding="unicode", method="html"))

    assert reader.tags == [("p", [("title", text)]), ("bdi", [])]
    assert reader.text == text


def test_what_turns_the_direction_of_writing_is_written_out():
    assert name("invoice\u202egpj.exe").text == "invoice\\u202egpj.exe"
    assert name("a\x1b[31mb").text == "a\\x1b[31mb"
    assert name("שלום.csv").text == "שלום.csv"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such names")
def test_a_hostile_name_on_the_disk_is_text_on_the_page(lab: Lab):
    lab.write("R1/<img src=x onerror=alert(1)>.csv", b"1")
    lab.init()
    lab.start()
    lab.wait_stored(1)

    page = let_in(lab).page()

    assert "<img" not in page
    assert "R1/&lt;img src=x onerror=alert(1)&gt;.csv" in page


def test_ten_thousand_files_are_twenty_lines_and_a_number(lab: Lab):
    lab.init()
    journal = Journal(lab.home / "journal.sqlite3")
    for batch in range(20):
        names = (f"R1/spectrum_{number:05}.jdx" for number in range(500 * batch, 500 * batch + 500))
        journal.files.add_found(Found(path, Sighting(1000, 1), run_id="R1") for path in names)
    journal.close()
    lab.set(server="http://127.0.0.1:9")  # nobody is there, so nothing moves
    lab.start()
    page_address(lab)
    visitor = let_in(lab)

    page = wait_until(lambda: "10,000 files" in visitor.page() and visitor.page())

    waiting = page.partition("Waiting</h2>")[2].partition("</section>")[0]
    assert waiting.count("<tr>") == 21
    assert "and 9,980 files more" in waiting


def test_of_a_log_the_latest_lines_are_read_newest_first(tmp_path):
    log = tmp_path / "agent.log"
    faults = "2026-11-22 10:00:02,000 ERROR   A fault\nTraceback (most recent call last):\nValueError: odd\n"
    log.write_text("x" * 100_000 + "\n2026-11-22 10:00:01,000 INFO    Older\n" + faults)

    assert tail(log, limit=2) == [
        LogLine("2026-11-22 10:00:02", "error", "A fault (ValueError: odd)"),
        LogLine("2026-11-22 10:00:01", "info", "Older"),
    ]
    assert tail(tmp_path / "none", limit=2) == []
