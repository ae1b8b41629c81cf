"""Who compiled what it loaded begins anew, once."""

import os
import subprocess
import sys

from operations.embedded.programs import CHECKOUT

LOADING = """if True:
    import sys
    import time

    began = time.time()
    import made
    from operations.embedded import compiling

    compiling.MANY_MODULES = int(sys.argv[1])
    print(compiling.count_compiled(began), *sys.argv[2:], flush=True)
    compiling.begin_anew_after_compiling("made", since=began)
"""


def load(place, *, most, arguments=(), **variables):
    made = place / "made.py"
    if not made.exists():
        made.write_text("import sys\nprint(*sys.argv[1:])\n")
    variables = {"PYTHONPATH": f"{CHECKOUT}:{place}", "PYTHONPYCACHEPREFIX": str(place / "cache"), **variables}
    environ = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"} | variables
    command = [sys.executable, "-c", LOADING, str(most), *arguments]
    done = subprocess.run(command, env=environ, capture_output=True, text=True, timeout=60, check=True)
    return done.stdout.splitlines()


def test_who_compiled_much_becomes_the_same_again(tmp_path):
    _, counted, anew = load(tmp_path, most=1)
    _, *later = load(tmp_path, most=1)

    assert int(counted) >= 2  # `made`, and ours
    assert anew == "1 again"
    assert later == ["0"]


def test_who_compiled_little_goes_on(tmp_path):
    _, *told = load(tmp_path, most=1_000)

    assert len(told) == 1


def test_once_is_enough_and_none_where_nothing_can_be_written(tmp_path):
    _, *again = load(tmp_path, most=1, arguments=["again"])
    _, *unwritten = load(tmp_path, most=1, PYTHONPYCACHEPREFIX="/dev/null/cache")

    assert len(again) == 1
    assert unwritten == ["0"]
