"""init as a person meets it, in a terminal."""

import codecs
import os
import pty
import re
import select
import subprocess
import termios
import time
from pathlib import Path

from agent.tests.lab import PYTHON, Lab, wait_until

ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
CUT_OFF = re.compile(r"(\x1b(\[[0-9;?]*)?|\r)\Z")  # the rest comes with the next read


class Terminal:
    """A command in a terminal of its own: `expect` reads until a text was shown, `answer` types a line."""

    def __init__(self, *arguments: str, **variables: str) -> None:
        self._mine, theirs = pty.openpty()
        self._process = subprocess.Popen(
            [PYTHON, "-m", "instrument_watcher", *arguments],
            env={**os.environ, **variables}, stdin=theirs, stdout=theirs, stderr=theirs, close_fds=True,
        )  # fmt: skip
        os.close(theirs)
        self.shown, self._read_to, self._cut_off = "", 0, ""
        self._decoder = codecs.getincrementaldecoder("utf-8")()

    def expect(self, text: str) -> str:
        """What was shown since the last time, up to the text."""
        deadline = time.monotonic() + 60
        while (at := self.shown.find(text, self._read_to)) < 0:
            assert time.monotonic() < deadline, f"{text!r} did not appear in {self.shown[self._read_to :]!r}"
            if select.select([self._mine], [], [], 0.5)[0]:
                self._show(os.read(self._mine, 65536))
        since, self._read_to = self.shown[self._read_to : at], at + len(text)
        return since

    def _show(self, data: bytes) -> None:
        """A read may end within a character, an escape or an end of line."""
        text = self._cut_off + self._decoder.decode(data)
        cut_off = CUT_OFF.search(text)
        self._cut_off = cut_off[0] if cut_off else ""
        self.shown += ESCAPES.sub("", text.removesuffix(self._cut_off)).replace("\r\n", "\n")

    def answer(self, text: str) -> None:
        os.write(self._mine, f"{text}\n".encode())

    def answer_unseen(self, text: str) -> None:
        """What is typed before the terminal stops showing it would be thrown away."""
        wait_until(lambda: not termios.tcgetattr(self._mine)[3] & termios.ECHO)
        self.answer(text)

    def end(self) -> int:
        code = self._process.wait(60)
        os.close(self._mine)
        return code


def test_a_person_is_led_from_nothing_to_a_registered_watcher(lab: Lab, tmp_path: Path):
    for path in ("day 1/R12_a.csv", "day 1/R12_b.csv", "day 2/R13_a.csv", "notes.docx"):
        lab.write(path, b"1,2,3")
    terminal = Terminal(
        "init", INSTRUMENT_WATCHER_HOME=str(lab.home), PYTHONPATH=str(Path(__file__).parents[1] / "src"), COLUMNS="110",
    )  # fmt: skip

    terminal.expect("Address")
    terminal.answer("ftp://nowhere")
    terminal.expect("Must be an address such as https://data.lab.example")
    terminal.answer("http://127.0.0.1:9")
    terminal.expect("http://127.0.0.1:9 does not answer")
    terminal.answer(lab.url)
    terminal.expect("Token")
    terminal.answer_unseen("ids_wrong")
    terminal.expect("Ask an admin for a token")
    terminal.answer_unseen(lab.token)
    terminal.expect("the token is “watcher”")
    terminal.expect("Instrument")
    terminal.answer(lab.instrument)
    terminal.expect("Folder")
    terminal.answer(str(lab.folder / "absent"))
    terminal.expect("is not a folder")
    terminal.answer(str(lab.folder))
    terminal.expect("Patterns (*)")
    terminal.answer("*.csv")
    matches = terminal.expect("Are these the right files?")
    terminal.answer("y")
    groupings = terminal.expect("Grouping (filename_stem)")
    terminal.answer("2")
    terminal.expect("Separator (_)")
    terminal.answer("")
    runs = terminal.expect("Are these the right runs?")
    terminal.answer("y")
    terminal.expect("Seconds (10)")
    terminal.answer("3")
    terminal.expect("Mode (auto)")
    terminal.answer("2")
    terminal.expect("Register it?")
    terminal.answer("y")
    terminal.expect("Registered as watcher")
    terminal.expect("instrument-watcher run")

    assert terminal.end() == 0
    assert "✓ day 1/R12_a.csv" in matches
    assert "3 files, 15 B · 1 other file" in matches
    assert re.search(r"2 +filename_prefix .* 2 runs", groupings)
    assert re.search(r"R12 +2 +10 B", runs)
    assert "3 files, 15 B, in 2 runs" in runs
    assert lab.token not in terminal.shown
    assert 'separator: "_"' in lab.config.read_text()
    assert "upload_mode: manual" in lab.config.read_text()
    assert lab.call("GET", f"watchers/{lab.watcher_id}")["instrument_id"] == lab.instrument


def test_saying_no_at_the_end_changes_nothing(lab: Lab):
    terminal = Terminal(
        "init", "--server", lab.url, "--token", lab.token, "--instrument", lab.instrument, "--folder", str(lab.folder),
        "--pattern", "*.csv", "--group-by", "top_folder", "--stability", "1", "--mode", "auto",
        INSTRUMENT_WATCHER_HOME=str(lab.home), PYTHONPATH=str(Path(__file__).parents[1] / "src"),
    )  # fmt: skip

    terminal.expect("Register it?")
    terminal.answer("n")
    terminal.expect("Nothing was changed.")

    assert terminal.end() == 1
    assert not lab.home.exists()
    assert lab.call("GET", f"instruments/{lab.instrument}")["watcher_count"] == 0
