"""The probe of the fork server finds it, no child after that does."""

import os
from typing import Any

from processing.confined.walls import landlock

known, fork_server = landlock.create_ruleset, os.getpid()
forks = 0


def count_fork() -> None:
    global forks
    forks += 1


def lose(*arguments: Any) -> int:
    if forks > 1:
        raise OSError("no Landlock any more")
    return known(*arguments)


os.register_at_fork(before=count_fork)
vars(landlock)["create_ruleset"] = lose
