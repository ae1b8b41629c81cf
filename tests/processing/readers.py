"""Readers that misbehave, for the tests of isolation. They run in the child."""

import json
import os
import signal
import time
from datetime import datetime
from pathlib import Path
from typing import Any

from processing.readings import Artefact, Input, Json, Kind, Output, Unreadable, Unrecognised

TABLE = b'{"format": "ids-table/1", "columns": [], "rows": [], "total_rows": 0}'


def well_behaved(given: Input) -> Output:
    return Output(run={"filename": given.filename, "size": given.path.stat().st_size})


def table(name: str, **fields: Any) -> Artefact:
    values = {"kind": Kind.TABLE, "content_type": "application/json", "data": TABLE} | fields
    return Artefact(name, **values)


def tells_its_surroundings(given: Input) -> Output:
    facts: dict[str, Json] = {
        "environment": sorted(os.environ),
        "home_is_own": os.environ["HOME"] == os.environ["TMPDIR"] == str(Path.cwd()),
        "django": "django" in __import__("sys").modules,
        "is_session_leader": os.getsid(0) == os.getpid(),
        "input": os.read(0, 1).decode(),
        "open_files": len(list(Path("/proc/self/fd").iterdir())),
        "mode": oct(given.path.stat().st_mode & 0o777),
    }
    return Output(run=facts)


def is_unreadable(given: Input) -> Output:
    raise Unreadable("No plate data found in file.")


def does_not_know(given: Input) -> Output:
    raise Unrecognised("No reader knows this file.")


def breaks(given: Input) -> Output:
    raise ValueError(f"cannot read {given.path}:\nthe third column is missing")


def misses_a_key(given: Input) -> Output:
    plates: dict[str, Output] = {}
    return plates["Wells"]


def gives_nothing(given: Input) -> Output:
    return None  # type: ignore[return-value]  # what a beginner's plug-in does


def loops(given: Input) -> Output:
    while True:
        pass


def sleeps_with_a_child(given: Input) -> Output:
    """Leaves word of a process of its own, which must not outlive it."""
    sleeper = os.fork()
    if sleeper:
        (given.path.parent.parent / "sleeper").write_text(str(sleeper))
    time.sleep(600)
    return Output()


def hogs(given: Input) -> Output:
    return Output(run={"size": len(bytearray(3 * 1024**3))})


def dies(given: Input) -> Output:
    os.kill(os.getpid(), signal.SIGSEGV)
    return Output()


def is_killed(given: Input) -> Output:
    os.kill(os.getpid(), signal.SIGKILL)
    return Output()


def writes_too_much(given: Input) -> Output:
    with Path("large").open("wb") as file:
        for _ in range(300):
            file.write(bytes(1024 * 1024))
    return Output()


def chatters(given: Input) -> Output:
    print("a word from a library")  # noqa: T201  (that is what it is about)
    raise RuntimeError("and then it broke")


def gives_51_artefacts(given: Input) -> Output:
    return Output(artefacts=[table(f"{number}.json") for number in range(51)])


def gives_nan_in_an_artefact(given: Input) -> Output:
    return Output(artefacts=[table("a.json", data=TABLE.replace(b"[]", b"[[NaN]]"))])


def gives_nan_as_a_fact(given: Input) -> Output:
    return Output(run={"mean": float("nan")})


def climbs_out(given: Input) -> Output:
    return Output(artefacts=[table("../../etc/passwd")])


def gives_html(given: Input) -> Output:
    return Output(artefacts=[table("a.html", kind=Kind.IMAGE, content_type="text/html", data=b"<script>")])


def pretends_a_picture(given: Input) -> Output:
    return Output(artefacts=[table("a.png", kind=Kind.IMAGE, content_type="image/png", data=b"<script>")])


def gives_a_large_artefact(given: Input) -> Output:
    return Output(artefacts=[table("a.json", data=TABLE + b" " * 17 * 1024 * 1024)])


def gives_twins(given: Input) -> Output:
    return Output(artefacts=[table("a.json"), table("A.json")])


def gives_a_nested_fact(given: Input) -> Output:
    return Output(run={"plate": {"wells": 96}})


def gives_65_facts(given: Input) -> Output:
    return Output(run={f"fact_{number}": number for number in range(65)})


def gives_a_control_character(given: Input) -> Output:
    return Output(run={"title": "a\0b"})


def gives_a_naive_time(given: Input) -> Output:
    return Output(acquired_at=datetime(2026, 3, 14))  # no zone: that is the fault


def gives_a_broken_curve(given: Input) -> Output:
    curve = {
        "format": "ids-curve/1",
        "x": {"label": "x"},
        "y": {"label": "y"},
        "series": [{"label": "", "x": [1], "y": []}],
    }
    return Output(artefacts=[table("a.json", kind=Kind.CURVE, data=json.dumps(curve).encode())])
