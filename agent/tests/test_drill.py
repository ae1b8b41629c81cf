"""Everything at once: kills, a lost journal, a mount that leaves, a clock that jumps, a service that is away.

In the end every file is stored exactly once, byte for byte. The size is a parameter: the short drill runs with
the other tests; the whole one (`-m "benchmark and big"`, nine minutes) is that of docs/reliability.md.
"""

import os
import random
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from agent.tests.lab import KIB, MIB, Lab, made, sha256, wait_until
from agent.tests.test_killed import read_stored, write_big
from agent.tests.way import Way

MONTH = 30 * 86_400
SHIFTED = Path(__file__).with_name("shifted.py")


@dataclass(frozen=True)
class Size:
    kills: int
    small_files: int
    big_files: int
    big_bytes: int
    journal_losses: int
    mount_absences: int
    away_seconds: float  # the tests' waits are some thirty times shorter than an operator's


SHORT = Size(4, 40, 1, 8 * MIB, journal_losses=1, mount_absences=1, away_seconds=2)
WHOLE = Size(100, 1997, 3, 1024 * MIB, journal_losses=2, mount_absences=5, away_seconds=60)


@dataclass
class Drill:
    """`expected` is the SHA-256 of every file that the instrument wrote; no two are alike."""

    lab: Lab
    size: Size
    chance: random.Random
    shift: Path
    expected: list[str] = field(default_factory=list)
    renamed: int = 0

    def write(self, kill: int) -> None:
        first, last = (self.size.small_files * (kill + part) // self.size.kills for part in (0, 1))
        for number in range(first, last):
            data = made(number, self.chance.randrange(16, 200 * KIB))
            self.lab.write(f"{'share' if number % 3 else 'local'}/R{number % 9}/plate {number}.csv", data)
            self.expected.append(sha256(data))
        if kill in spread(self.size.big_files, self.size.kills):
            self.expected.append(write_big(self.lab, f"local/big/{kill}.raw", self.size.big_bytes, seed=kill))

    def rename_uploaded(self) -> None:
        """A third of what was stored from `local` since the last time gets another name."""
        for path, state in self.lab.states().items():
            place = self.lab.folder / path
            is_chosen = path.startswith("local/R") and "archived" not in path and self.chance.random() < 0.3
            if state == "uploaded" and is_chosen and place.exists():
                place.rename(place.with_name(f"archived {place.name}"))
                self.renamed += 1

    def lose_journal(self) -> None:
        for file in self.lab.home.glob("journal.sqlite3*"):
            file.unlink()

    def run_and_kill(self) -> None:
        agent = self.lab.start()
        time.sleep(self.chance.uniform(0.3, 4))  # the random point
        assert agent.poll() is None, self.lab.output[-2000:]
        agent.kill()
        agent.wait(30)

    def is_done(self) -> bool:
        states = Counter(self.lab.states().values())
        return states["uploaded"] == len(self.expected) and set(states) == {"uploaded"}


def spread(count: int, over: int) -> list[int]:
    """So many kills, evenly among all."""
    return [(2 * number + 1) * over // (2 * count) for number in range(count)]


def run_drill(drill: Drill, way: Way) -> None:
    lab, size = drill.lab, drill.size
    share, elsewhere = lab.folder / "share", lab.folder.with_name("share unmounted")
    losses, absences, clocks = (
        spread(size.journal_losses, size.kills),
        spread(size.mount_absences, size.kills),
        [
            size.kills // 4,
            size.kills * 3 // 4,
        ],
    )
    for kill in range(size.kills):
        if elsewhere.exists():
            elsewhere.rename(share)
        drill.write(kill)
        drill.rename_uploaded()
        if kill in losses:
            drill.lose_journal()
        if kill in clocks:
            drill.shift.write_text(str(-MONTH if kill == clocks[0] else MONTH))
        drill.run_and_kill()
        if kill in absences:
            share.rename(elsewhere)
            drill.run_and_kill()
        if kill == size.kills // 2:
            way.cut()
            agent = lab.start()
            time.sleep(size.away_seconds)
            assert agent.poll() is None
            way.mend()
            lab.stop()
    if elsewhere.exists():
        elsewhere.rename(share)


@pytest.mark.parametrize(
    "size",
    [
        pytest.param(SHORT, id="short"),
        pytest.param(WHOLE, id="whole", marks=[pytest.mark.benchmark, pytest.mark.big]),
    ],
)
def test_nothing_is_lost_and_nothing_doubled(
    lab: Lab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], size: Size
):
    shift = tmp_path / "shift"
    monkeypatch.setenv("CLOCK_SHIFT", str(shift))
    lab.program = [str(SHIFTED)]
    lab.init(stability_seconds=0.5, by="deepest_folder")
    drill = Drill(lab, size, random.Random(os.environ.get("IDS_TEST_SEED", "the drill")), shift)
    began = time.monotonic()

    with Way(lab.url) as way:
        lab.set(server=way.url)
        run_drill(drill, way)
        lab.start()
        wait_until(drill.is_done, seconds=1500, what="everything is stored")
    took = time.monotonic() - began

    stored = lab.stored()
    assert Counter(file["sha256"] for file in stored.values()) == Counter(drill.expected)
    assert all(read_stored(lab, file["id"]) == file["sha256"] for file in stored.values())
    assert {key for key, file in lab.files().items() if file["uploaded_at"] is None} == set()
    with capsys.disabled():
        total = sum(file["size_bytes"] for file in stored.values())
        sys.stdout.write(
            f"\n{size.kills + size.mount_absences} kills, {len(stored)} files, {total / 1e9:.2f} GB, {drill.renamed}"
            f" renamed: 0 lost, 0 doubled, read back byte for byte; {took:.0f} s, load {os.getloadavg()[0]:.0f}\n"
        )
