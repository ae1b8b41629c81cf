"""Programs of `./ids serve` that begin as copies of a process that has loaded their code."""

import json
import os
import subprocess
import sys
from importlib.metadata import packages_distributions

import pytest

from operations.embedded.preloaded_programs import SHARED_MODULES
from operations.embedded.programs import CHECKOUT
from operations.sbom import NAME_SEPARATORS, read_lock

# Forks a module that says what it is; a file and a socket of its parent's stay open there.
FORK = """
import json, pathlib, signal, sys, time
from operations.embedded import processes
from operations.embedded.forking import fork_module, share_loaded_code

place = pathlib.Path(sys.argv[1])
sys.path.insert(0, str(place))
kept, other = (place / "kept").open("w"), (place / "other").open("w")
signal.signal(signal.SIGTERM, lambda *_: None)
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCHLD])
share_loaded_code()
words = ["said", str(kept.fileno()), str(other.fileno())]
child = fork_module(words, name="ids said", log=place / "said.log", inherit=[kept.fileno()])
while child.poll() is None:
    time.sleep(0.01)
print(child.returncode, len(processes.find_writers(place / "said.log")))
"""
SAID = """
import atexit, gc, json, os, pathlib, signal, sys

def is_open(descriptor):
    return pathlib.Path(f"/proc/self/fd/{descriptor}").exists()

def main():
    atexit.register(print, "over")
    print(json.dumps({
        "arguments": sys.argv[1:], "session": os.getsid(0) == os.getpid(),
        "kept": is_open(sys.argv[1]), "other": is_open(sys.argv[2]), "collects": gc.isenabled(),
        "term": signal.getsignal(signal.SIGTERM) is signal.SIG_DFL, "masked": len(signal.pthread_sigmask(0, [])),
        "called": pathlib.Path("/proc/self/comm").read_text().strip(), "stdin": sys.stdin.read(),
    }))
    ENDING
"""


HEAVY = {"duckdb", "numpy", "pyarrow", "scipy", "h5py", "matplotlib", "pandas", "PIL", "tifffile"}


def fork(tmp_path, ending):
    """What the module wrote, and what its parent says of its end."""
    (tmp_path / "said.py").write_text(SAID.replace("ENDING", ending))
    done = subprocess.run(
        [sys.executable, "-c", FORK, tmp_path], cwd=CHECKOUT, env=os.environ, capture_output=True, text=True, check=True
    )
    return (tmp_path / "said.log").read_text().splitlines(), done.stdout


def test_a_copy_is_as_a_program_begun_anew(tmp_path):
    lines, told = fork(tmp_path, "sys.exit(7)")

    said = json.loads(lines[0])
    assert [said.pop("kept"), said.pop("other"), len(said.pop("arguments"))] == [True, False, 2]
    assert said == {
        "session": True,
        "collects": True,
        "term": True,
        "masked": 0,
        "called": "ids said",
        "stdin": "",
    }
    assert lines[1:] == ["over"]
    assert told == "7 0\n"


@pytest.mark.parametrize(
    ("ending", "told"), [("", "0 0\n"), ("os.kill(os.getpid(), 9)", "-9 0\n"), ("raise ValueError('so')", "1 0\n")]
)
def test_how_a_copy_ended_is_known(tmp_path, ending, told):
    lines, found = fork(tmp_path, f"sys.stdout.flush(); {ending}")

    assert found == told
    assert (lines[-1] == "ValueError: so") == ("ValueError" in ending)


def test_the_shared_code_has_no_threads_and_no_library_of_numbers():
    """Threads do not survive a fork, and what only readers or queries need is loaded where it is first used."""
    code = """
import json, sys, threading
from operations.embedded.preloaded_programs import load_code
load_code()
print(json.dumps([threading.active_count(), sorted(sys.modules)]))
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=CHECKOUT, capture_output=True, text=True, check=True)

    threads, modules = json.loads(done.stdout)
    assert threads == 1
    assert HEAVY & {*modules} == set()


def test_all_shared_modules_are_of_packages_that_an_installation_has():
    """What tests, the agent or tracing bring to a developer's environment is not there for who installs the service."""
    locked = {canonical(one.name) for one in read_lock((CHECKOUT / "requirements.lock").read_text())}
    distributions = packages_distributions()

    foreign = [
        module
        for module in SHARED_MODULES
        if (top := module.partition(".")[0]) in distributions and not {*map(canonical, distributions[top])} & locked
    ]

    assert foreign == []


def canonical(name):
    return NAME_SEPARATORS.sub("-", name).lower()


def test_new_objects_lie_apart_from_those_that_were_there():
    """What a copy makes then copies no page of what it shares. In a process of its own: where other threads free
    objects between, what is new lies in their places."""
    code = """
import json, sys
from operations.embedded.forking import POOL_BYTES, fill_started_pages
made = [bytes(31) for _ in range(20_000)]
kept = made[::2]
del made
pools = {id(one) // POOL_BYTES for one in kept}
ballast = list(fill_started_pages())
new = [bytes(31) for _ in range(200)]
print(json.dumps([len({id(one) // POOL_BYTES for one in new} & pools), sum(map(sys.getsizeof, ballast))]))
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=CHECKOUT, capture_output=True, text=True, check=True)

    shared, ballast_bytes = json.loads(done.stdout)
    assert shared == 0
    assert ballast_bytes < 32 * 2**20
