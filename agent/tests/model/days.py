"""Random days: lists of steps, each with a seed of its own. One can be left out, and the others do what they did."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

HAPPENINGS = {
    "create": 8, "many": 1, "append": 4, "rewrite": 5, "replace": 4, "write_slowly": 3, "rename": 6, "swap": 3,
    "swap_folders": 1, "chain": 2, "rename_folder": 2, "move_out": 2, "move_in": 3, "folder_out_and_in": 2,
    "delete": 2, "make_again": 2, "copy": 2, "hard_link": 1, "link": 1, "unlink": 1, "folder_for_file": 1,
    "file_for_folder": 1, "touch": 2, "forbid": 1, "allow": 1, "change_case": 2,
}  # fmt: skip
TROUBLES = {
    "run": 40, "run_long": 6, "rest": 4, "stop": 2, "kill": 3, "pause": 1, "resume": 1, "lose_journal": 1,
    "keep_journal": 1, "put_journal_back": 1, "fill_disk": 1, "free_disk": 2, "deafen": 1, "hear": 2, "shift_clock": 1,
    "lose_power": 2, "storm": 3, "calm": 3, "hurry": 1,
    "delete_run": 1, "restore_runs": 1, "dismiss": 2, "ask_for_everything": 2,
}  # fmt: skip
LENGTH = 40  # steps of a day


@dataclass(frozen=True)
class Step:
    what: str
    seed: int


@dataclass(frozen=True)
class Day:
    seed: int
    steps: tuple[Step, ...]


def plan(seed: int, *, length: int = LENGTH) -> Day:
    chance = random.Random(seed)
    weights = HAPPENINGS | TROUBLES
    whats = chance.choices(list(weights), list(weights.values()), k=length)
    return Day(seed, tuple(Step(what, chance.getrandbits(32)) for what in whats))


def shrink(day: Day, *, fails: Callable[[Day], bool]) -> Day:
    """The day with steps left out, as long as it still fails."""
    size = len(day.steps) // 2
    while size:
        at = 0
        while at < len(day.steps):
            shorter = replace(day, steps=day.steps[:at] + day.steps[at + size :])
            if fails(shorter):
                day = shorter
            else:
                at += size
        size //= 2
    return day


def names(steps: Sequence[Step]) -> str:
    return ", ".join(f"{step.what} {step.seed}" for step in steps)
