"""A seeded random day in a laboratory, and what must hold whenever all has come to rest."""

import hashlib
import logging
import random
import shutil
import sqlite3
import sys
import tempfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from agent.tests.model.days import HAPPENINGS, LENGTH, Day, names, plan, shrink
from agent.tests.model.held import Killed, held
from agent.tests.model.machine import Machine
from agent.tests.model.oracle import Oracle
from agent.tests.model.pretend import THEN
from agent.tests.model.world import World
from instrument_watcher.config.model import Config, GroupBy, Grouping, OnChange, UploadMode
from instrument_watcher.journal.rows import FileState

DISTURBING = ("stop", "kill", "lose_journal", "lose_power", "keep_journal", "put_journal_back", "fill_disk", "deafen")
WEATHERS = ("away", "500", "503", "429", "409", "404", "lost", "lost", "cut")
LONGEST_REST = 12 * 3600.0


class Attack:
    def __init__(self, place: Path, day: Day, *, say: Callable[[str], None] = lambda line: None) -> None:
        chance = random.Random(f"settings {day.seed}")
        self.day, self.say = day, say
        self.world = World(place, tells_touches=chance.random() < 0.8)
        self.world.ignores_case = chance.random() < 0.25
        self.world.has_numbered_names = chance.random() < 0.2
        self.world.is_heard = self.is_undisturbed = not self.world.tells_touches and chance.random() < 0.5
        config = Config(
            "http://x", "reader", self.world.root, watcher_id="w1", run_grouping=Grouping(GroupBy.TOP_FOLDER),
            on_change=OnChange.IGNORE if chance.random() < 0.1 else OnChange.VERSION,
            upload_mode=UploadMode.MANUAL if chance.random() < 0.2 else UploadMode.AUTO,
        )  # fmt: skip
        self.config = config
        self.machine = Machine(place, self.world, config)
        self.machine.keeps_journals = chance.random() < 0.4
        self.machine.events_kept = 5 if chance.random() < 0.1 else config.events_kept
        self.kept = place / "kept journal"
        self.oracle = Oracle(self.machine, config)

    def run(self) -> None:
        """Raises AssertionError where something does not hold."""
        with held(self.machine):
            for number, step in enumerate(self.day.steps):
                self.say(f"{number}. {step.what} at {self.machine.clock.now:.1f}")
                random.seed(step.seed)
                chance = self.machine.chance = random.Random(step.seed)
                if step.what in HAPPENINGS:
                    self._happen(step.what, chance)
                elif not (self.is_undisturbed and step.what in DISTURBING):
                    getattr(self, f"_{step.what}")(chance)
            self._rest(random.Random(self.day.seed))

    def _happen(self, what: str, chance: random.Random) -> None:
        before = self.world.standing()
        self.world.happen(what, chance)
        after = self.world.standing()
        for path in sorted(before.keys() | after.keys()):
            if before.get(path) != after.get(path):
                self.say(f"   {path}: {_short(before.get(path))} -> {_short(after.get(path))}")

    # what befalls the agent

    def _run(self, chance: random.Random, *, seconds: float = 60.0) -> None:
        """Others act within what the agent does, and it may be killed there."""
        likely, count = chance.choice((0.0, 0.02, 0.1, 0.3)), 0
        dies_at = chance.choice((0, 0, 0, 0, 0, chance.randrange(1, 300)))
        if self.is_undisturbed:
            dies_at = 0
        most = chance.randrange(1, 8)

        def meanwhile(where: str) -> None:
            nonlocal count, most
            count += 1
            if count == dies_at:
                self.say(f"   killed before {where}")
                raise Killed
            if chance.random() >= likely:
                return
            if chance.random() < 0.3:
                self.machine.clock.now += chance.uniform(0, 15)
            if chance.random() < 0.5 and self.machine.within():
                return
            if most:
                most -= 1
                what = chance.choices(list(HAPPENINGS), list(HAPPENINGS.values()))[0]
                self.say(f"   {what} before {where}, within {self.machine._busy}")
                self._happen(what, chance)

        self.machine.meanwhile = meanwhile
        self.machine.run(chance.uniform(0.1, seconds))
        self.machine.meanwhile = lambda where: None

    def _run_long(self, chance: random.Random) -> None:
        self._run(chance, seconds=1000)

    def _rest(self, chance: random.Random) -> None:
        """Everything is well from now on; in the end nothing waits."""
        self.world.forbidden.clear()
        self._calm(chance)
        self._free_disk(chance)
        self._resume(chance)
        self._restore_runs(chance)
        self.machine.start()
        self._resume(chance)
        self._come_to_rest()
        if self.config.upload_mode is UploadMode.MANUAL:
            self.oracle.check_known()
            self._ask_for_everything(chance)
            self._come_to_rest()
        self.oracle.check()
        asked = len(self.machine.pretend.asked)
        self.machine.run(2 * self.config.rescan_seconds)
        again = [call for call in self.machine.pretend.asked[asked:] if "upload-queue" not in call[1]]
        told = [event["message"] for event in self.machine.pretend.events.values()]
        assert not again, f"not quiet: {again[:3]}, {told[-3:]}"

    def _come_to_rest(self) -> None:
        ends = self.machine.clock.now + LONGEST_REST
        self.machine.run(self.config.rescan_seconds + 30)
        while not self.machine.is_quiet():
            assert self.machine.clock.now < ends, f"no rest: {self._waiting()}"
            self.machine.run(60)

    def _stop(self, chance: random.Random) -> None:
        self.machine.stop()

    def _kill(self, chance: random.Random) -> None:
        self.machine.kill()

    def _pause(self, chance: random.Random) -> None:
        if self.machine.agent is not None and not self.machine.is_disk_full:
            self.machine.agent.parts.pause.begin(chance.choice((60, 3600)))

    def _resume(self, chance: random.Random) -> None:
        if self.machine.agent is not None and not self.machine.is_disk_full:
            self.machine.agent.parts.pause.end()

    def _hurry(self, chance: random.Random) -> None:
        if self.machine.agent is not None:
            self.machine.agent.parts.watch.hurry()

    def _lose_journal(self, chance: random.Random) -> None:
        self.machine.kill()
        self._remove_journal()
        self.oracle.is_journal_lost = True

    def _lose_power(self, chance: random.Random) -> None:
        """The last transactions were not on the disk yet, and never an earlier one without those after it."""
        self.machine.kill()
        if journals := self.machine.journals:
            self._remove_journal()
            kept = chance.randrange(len(journals))
            self.say(f"   the journal's last {len(journals) - 1 - kept} transactions are lost")
            with closing(sqlite3.connect(self.machine.home.journal)) as stands:
                journals[kept].backup(stands)
            journals.clear()
            self.oracle.is_power_lost = True

    def _keep_journal(self, chance: random.Random) -> None:
        self.machine.stop()
        if self.machine.home.journal.exists():
            shutil.copyfile(self.machine.home.journal, self.kept)

    def _put_journal_back(self, chance: random.Random) -> None:
        if self.kept.exists():
            self.machine.kill()
            self._remove_journal()
            shutil.copyfile(self.kept, self.machine.home.journal)
            self.oracle.is_journal_older = True

    def _remove_journal(self) -> None:
        for file in self.machine.home.folder.glob("journal.sqlite3*"):
            file.unlink()

    def _fill_disk(self, chance: random.Random) -> None:
        self.machine.is_disk_full = True

    def _free_disk(self, chance: random.Random) -> None:
        self.machine.is_disk_full = False

    def _deafen(self, chance: random.Random) -> None:
        self.machine.hears_events = False

    def _hear(self, chance: random.Random) -> None:
        self.machine.hears_events = True

    def _shift_clock(self, chance: random.Random) -> None:
        self.machine.clock.shift += chance.choice((-365, -30, -1, 1, 30, 365)) * 86_400.0

    def _storm(self, chance: random.Random) -> None:
        weathers, worst = chance.choice((WEATHERS, ("lost",), ("cut",), ("away",))), chance.choice((0.2, 0.5, 1.0))
        own = random.Random(chance.random())
        self.machine.weather.next = lambda: own.choice(weathers) if own.random() < worst else ""

    def _calm(self, chance: random.Random) -> None:
        self.machine.weather.next = lambda: ""

    def _delete_run(self, chance: random.Random) -> None:
        if runs := sorted(self.machine.pretend.runs):
            self.machine.pretend.runs[chance.choice(runs)] = THEN

    def _restore_runs(self, chance: random.Random) -> None:
        for run in self.machine.pretend.runs:
            self.machine.pretend.runs[run] = None

    def _dismiss(self, chance: random.Random) -> None:
        if waiting := [one for one in self.machine.pretend.records.values() if one.uploaded_at is None]:
            chance.choice(waiting).deleted_at = THEN

    def _ask_for_everything(self, chance: random.Random) -> None:
        self.machine.pretend.ask_for_everything()

    def _waiting(self) -> str:
        if self.machine.agent is None:
            return "no agent"
        parts = self.machine.agent.parts
        rows = [row for row in parts.journal.files.below("") if row.state not in (FileState.UPLOADED, FileState.GONE)]
        return f"{rows}, {parts.activity.settling} settling, {parts.link.why}"


def _short(data: bytes | None) -> str:
    return "nothing" if data is None else f"{len(data)} B {hashlib.sha256(data).hexdigest()[:6]}"


def attack(day: Day, *, say: Callable[[str], None] = lambda line: None) -> str | None:
    """What does not hold on this day; None where all does."""
    with tempfile.TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as place:
        try:
            Attack(Path(place), day, say=say).run()
        except AssertionError as error:
            return str(error) or "an assertion without words"
    return None


def tell(seed: int, *, length: int) -> None:
    """Say what happens on the shortest day that fails as that of the seed does."""

    def say(line: str) -> None:
        sys.stdout.write(f"{line}\n")

    day = plan(seed, length=length)
    if attack(day) is not None:
        day = shrink(day, fails=lambda shorter: attack(shorter) is not None)
    say(names(day.steps))
    say(attack(day, say=say) or "All holds.")


if __name__ == "__main__":
    logging.disable()
    tell(int(sys.argv[1]), length=int(sys.argv[2]) if sys.argv[2:] else LENGTH)
